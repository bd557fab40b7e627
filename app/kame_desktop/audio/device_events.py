"""What is told when sound devices come and go, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kame_desktop.audio.base import DeviceEvent, DeviceInfo
from kame_desktop.audio.portaudio import WORDS, Kind
from kame_desktop.audio.streams import Streams
from kame_desktop.core.errors import DeviceError

_WITHOUT: dict[Kind, str] = {
    "input": "Until there is one, you can't be heard.",
    "output": "Until there is one, the answers can only be read.",
}


def lost_event(kind: Kind, name: str) -> DeviceEvent:
    """A device that was in use went away."""
    return DeviceEvent(
        WORDS[kind],
        name,
        f"The {WORDS[kind]} '{name}' went away.",
        "Plug it in again, or choose another one; the conversation goes on meanwhile.",
        lost=True,
    )


def _halves(streams: Streams) -> tuple[tuple[Kind, str | None, DeviceError | None], ...]:
    capture, playback = streams.capture, streams.playback
    return (
        ("input", capture.name if capture is not None else None, streams.input_error),
        ("output", playback.name if playback is not None else None, streams.output_error),
    )


def replaced_events(streams: Streams) -> Iterator[DeviceEvent]:
    """Which default devices stood in for the chosen ones when the conversation began."""
    for kind, name, error in _halves(streams):
        if error is not None and name is not None:
            yield DeviceEvent(WORDS[kind], name, f"{error.what} '{name}' is used instead.", error.remedy)


def missing_events(streams: Streams) -> Iterator[DeviceEvent]:
    """Which half could not be had at all."""
    for kind, name, error in _halves(streams):
        if name is None:
            what = error.what if error is not None else f"No {WORDS[kind]} was found."
            remedy = error.remedy if error is not None else ""
            yield DeviceEvent(WORDS[kind], f"no {WORDS[kind]}", f"{what} {_WITHOUT[kind]}", remedy, lost=True)


def opened_event(before: DeviceInfo, lost: Iterable[Kind], streams: Streams, info: DeviceInfo) -> DeviceEvent:
    """Streams were opened anew: which devices are in use from now on, and why."""
    gone = set(lost)
    texts: list[str] = []
    remedy = ""
    told: Kind = "input" if streams.capture is not None else "output"
    for (kind, name, error), old in zip(_halves(streams), (before.input_name, before.output_name), strict=True):
        if name is None or (name == old and kind not in gone):
            continue
        if error is not None:
            texts.append(f"{error.what} '{name}' is used instead.")
            remedy = remedy or error.remedy
        else:
            texts.append(f"The {WORDS[kind]} '{name}' is {'back' if name == old else 'used now'}.")
        told = told if len(texts) > 1 else kind
    name = info.input_name if told == "input" else info.output_name
    return DeviceEvent(WORDS[told], name, " ".join(texts), remedy, info=info)
