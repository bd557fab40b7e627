"""Which sound device is meant: by name and host API as the settings remember it, looked up anew each time.

The system numbers its devices as they come; so do the names ALSA gives them ("USB Audio: - (hw:1,0)"), and a replugged
device may return under another number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from kame_desktop.audio.base import DeviceChoiceInfo, DeviceList
from kame_desktop.audio.portaudio import WORDS, Kind, SoundBusyError, look_again, portaudio
from kame_desktop.core.errors import AppError, DeviceError
from kame_desktop.core.settings import DeviceChoice

_CARD_NUMBER = re.compile(r"\s*\((plug)?hw:\d+,\d+\)")
_GUI_PATIENCE_S = 0.2


def _no_device(kind: Kind, choice: DeviceChoice | None) -> DeviceError:
    word = WORDS[kind]
    if choice is None:
        return DeviceError(f"No {word} was found.", "Plug one in, or ask with a sound file.", component=word)
    return DeviceError(
        f"There is no {word} called '{choice.name}'.", "Choose another one in the settings.", component=word
    )


def _without_number(name: str) -> str:
    return _CARD_NUMBER.sub("", name)


def best_match(devices: Iterable[DeviceChoiceInfo], choice: DeviceChoice) -> int | None:
    """Position of the device that is meant; None: none fits.

    The same name on the same host API, else the same name, else the same but for ALSA's card number, else a part of
    the name in any letter case. Among equals the remembered host API goes first, then the order of the list.
    """
    known = list(devices)
    wanted = choice.name
    tests: tuple[Callable[[str], bool], ...] = (
        lambda name: name == wanted,
        lambda name: _without_number(name) == _without_number(wanted),
        lambda name: wanted.casefold() in name.casefold(),
    )
    for fits in tests:
        matching = [at for at, one in enumerate(known) if fits(one.name)]
        if matching:
            return min(matching, key=lambda at: (known[at].host_api != choice.host_api, at))
    return None


def find_device(library: Any, kind: Kind, choice: DeviceChoice | None) -> dict[str, Any]:
    """PortAudio's description of a device; None is the system's default. Raises DeviceError.

    For whoever holds ``portaudio.portaudio()``.
    """
    try:
        if choice is None:
            return dict(library.query_devices(kind=kind))
        described, infos = _devices(library, kind)
    except (library.PortAudioError, ValueError):
        raise _no_device(kind, choice) from None
    at = best_match(infos, choice)
    if at is None:
        raise _no_device(kind, choice)
    return described[at]


def _devices(library: Any, kind: Kind) -> tuple[list[dict[str, Any]], list[DeviceChoiceInfo]]:
    hosts = [str(host["name"]) for host in library.query_hostapis()]
    try:
        default = int(library.query_devices(kind=kind)["index"])
    except (library.PortAudioError, ValueError):
        default = -1
    channels = f"max_{kind}_channels"
    described = [dict(one) for one in library.query_devices() if one[channels] > 0]
    infos = [
        DeviceChoiceInfo(
            name=str(one["name"]),
            host_api=hosts[one["hostapi"]],
            rate_hz=int(one["default_samplerate"]),
            channels=int(one[channels]),
            default=int(one["index"]) == default,
        )
        for one in described
    ]
    return described, infos


def list_devices(*, rescan: bool = False) -> DeviceList:
    """What there is to choose from; ``rescan``: have PortAudio look again, when no stream is open. Any thread.

    Blocks for some 50 ms, 2 s at most. Never raises: ``problem`` says why there is nothing.
    """
    if rescan:
        look_again()
    try:
        with portaudio() as library:
            try:
                inputs, outputs = (tuple(_devices(library, kind)[1]) for kind in ("input", "output"))
            except library.PortAudioError:
                problem = "The system's sound service didn't tell its devices. Try again in a moment."
                return DeviceList(problem=problem, answered=False)
    except AppError as error:
        return DeviceList(problem=str(error), answered=False)
    if not inputs and not outputs:
        return DeviceList(problem=str(_no_device("input", None)))
    return DeviceList(inputs, outputs)


def microphone_problem() -> str | None:
    """Why talking through microphone and loudspeaker can't work here, with the remedy; None when it can. Any thread.

    A device that is being opened right now counts as working.
    """
    try:
        with portaudio(_GUI_PATIENCE_S) as library:
            problem = _problem(library)
            return _problem(library) if problem is not None and look_again() else problem
    except SoundBusyError:
        return None
    except DeviceError as error:
        return str(error)


def _problem(library: Any) -> str | None:
    try:
        find_device(library, "input", None)
    except AppError as error:
        return str(error)
    return None
