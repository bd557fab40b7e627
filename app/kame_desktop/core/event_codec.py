"""Events as JSON-ready values, and back."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from kame_desktop.core import events
from kame_desktop.core.events import Event


def event_to_dict(event: Event) -> dict[str, Any]:
    """One event as JSON-ready values: ``{"type": ..., "at_ms": ..., ...}``; enums as their values."""
    out: dict[str, Any] = {"type": type(event).__name__, "at_ms": round(event.at_ms, 3)}
    for field in dataclasses.fields(event):
        if field.name == "at_ms":
            continue
        value = getattr(event, field.name)
        out[field.name] = value.value if isinstance(value, Enum) else value
    return out


def event_from_dict(raw: Mapping[str, Any]) -> Event | None:
    """The event that ``event_to_dict`` made ``raw`` of; None when this version can't make one of it.

    A newer version's fields are left out. What is missing, or has a value that this version doesn't know, gets its
    default; without one there is no event. Raises nothing, whatever a file may hold.
    """
    name = raw.get("type")
    shape = _shapes().get(name) if isinstance(name, str) else None
    if shape is None:
        return None
    kind, readers = shape
    values: dict[str, Any] = {}
    for field, (read, required) in readers.items():
        try:
            values[field] = read(raw[field])
        except (KeyError, ValueError, TypeError, OverflowError):
            if required:
                return None
    return kind(**values)


_Reader: typing.TypeAlias = Callable[[Any], Any]


@functools.cache
def _shapes() -> dict[str, tuple[type[Event], dict[str, tuple[_Reader, bool]]]]:
    """Every type of event by its name, with what reads each of its fields and whether it must be there."""
    shapes: dict[str, tuple[type[Event], dict[str, tuple[_Reader, bool]]]] = {}
    for name, kind in vars(events).items():
        if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event:
            hints = typing.get_type_hints(kind)
            shapes[name] = (
                kind,
                {
                    field.name: (_reader(hints[field.name]), field.default is dataclasses.MISSING)
                    for field in dataclasses.fields(kind)
                },
            )
    return shapes


def _reader(hint: Any) -> _Reader:
    """What turns a JSON value into one of type ``hint``; it raises ValueError or TypeError when it isn't one."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    if hint is float:
        return lambda value: float(_exactly(value, int, float))
    if hint in (int, str, bool, types.NoneType):
        return lambda value: _exactly(value, hint)
    options = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        read = _reader(options[0])
        return lambda values: tuple(read(value) for value in _exactly(values, list))
    readers = [_reader(option) for option in options]
    return lambda value: _first_that_fits(readers, value)


def _exactly(value: Any, *kinds: type) -> Any:
    if type(value) not in kinds:
        raise ValueError("of another type")
    return value


def _first_that_fits(readers: list[_Reader], value: Any) -> Any:
    for read in readers:
        try:
            return read(value)
        except (ValueError, TypeError, OverflowError):
            continue
    raise ValueError("of no type that fits")
