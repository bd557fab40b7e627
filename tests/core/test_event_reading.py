"""Events as they come back from a file, also from one of a newer version or a damaged one."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.core import events
from kame_desktop.core.event_codec import event_from_dict, event_to_dict
from kame_desktop.core.events import AgentText, Event, MicrophoneState, OracleRequested

KINDS = [
    kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
]
TIMES = st.integers(0, 10**9).map(lambda thousandths: thousandths / 1_000)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Whatever a field of this type may hold."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    simple = {
        float: st.floats(allow_nan=False),
        int: st.integers(),
        str: st.text(),
        bool: st.booleans(),
        types.NoneType: st.none(),
    }
    if hint in simple:
        return simple[hint]
    options = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        assert options[1:] == (Ellipsis,)
        return st.lists(values(options[0]), max_size=6).map(tuple)
    return st.one_of([values(option) for option in options])


def instances(kind: type[Event]) -> st.SearchStrategy[Event]:
    hints = typing.get_type_hints(kind)
    fields = {field.name: values(hints[field.name]) for field in dataclasses.fields(kind)}
    return st.builds(kind, **{**fields, "at_ms": TIMES})


@given(st.sampled_from(KINDS).flatmap(instances))
def test_every_event_comes_back_as_it_was(event: Event) -> None:
    assert event_from_dict(json.loads(json.dumps(event_to_dict(event)))) == event


@given(st.sampled_from(KINDS).flatmap(instances), st.dictionaries(st.text(), JSON, max_size=3))
def test_what_a_newer_version_adds_is_left_out(event: Event, more: dict[str, Any]) -> None:
    written = event_to_dict(event)
    assert event_from_dict(json.loads(json.dumps({**more, **written}))) == event


@given(st.sampled_from(KINDS).flatmap(instances), st.data())
def test_whatever_a_damaged_file_holds_gives_an_event_of_right_types_or_none(event: Event, data: st.DataObject) -> None:
    written = json.loads(json.dumps(event_to_dict(event)))
    field = data.draw(st.sampled_from(sorted(written)))
    if data.draw(st.booleans()):
        del written[field]
    else:
        written[field] = data.draw(JSON)
    back = event_from_dict(written)
    assert back is None or json.loads(json.dumps(event_to_dict(back))).keys() >= {"type", "at_ms"}
    if back is not None:
        hints = typing.get_type_hints(type(back))
        assert all(fits(getattr(back, known.name), hints[known.name]) for known in dataclasses.fields(back))


def fits(value: Any, hint: Any) -> bool:
    if isinstance(hint, type):
        return isinstance(value, hint) and not (hint in (int, float) and isinstance(value, bool))
    options = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        return isinstance(value, tuple) and all(fits(inner, options[0]) for inner in value)
    return any(fits(value, option) for option in options)


@pytest.mark.parametrize(
    "raw", [{}, {"type": "Hologram", "at_ms": 1.0}, {"type": ["x"]}, {"type": "Event", "at_ms": 1.0}]
)
def test_what_is_no_known_event_is_none(raw: dict[str, Any]) -> None:
    assert event_from_dict(raw) is None


def test_a_field_of_an_older_version_gets_its_default() -> None:
    word = AgentText(at_ms=1.0, utterance=1, text="Paris", frame=3, generation=2)
    written = event_to_dict(word)
    del written["kind"]
    assert event_from_dict(written) == word


def test_an_unknown_value_gets_the_default_and_without_one_there_is_no_event() -> None:
    closed = {"type": "MicrophoneState", "at_ms": 1.0, "closed": "on_the_moon"}
    assert event_from_dict(closed) == MicrophoneState(at_ms=1.0)
    request = {
        "type": "OracleRequested",
        "at_ms": 1.0,
        "generation": 1,
        "utterance": 1,
        "model": "m",
        "prompt_tokens": 1,
    }
    assert event_from_dict({**request, "because": "a_hunch"}) is None
    assert isinstance(event_from_dict({**request, "because": "final"}), OracleRequested)
