"""PortAudio's list of devices, and its streams (package ``sounddevice``, imported only when it is needed).

PortAudio looks for devices once, when it begins: whatever is plugged in later is unknown to it, and what was unplugged
stays in the list. ``look_again`` has it begin anew, which is possible only while no stream is open.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import threading
from typing import Any, Literal

from kame_desktop.core.errors import AppError, DeviceError

BLOCKS_PER_S = 50
_OUTPUT_LATENCY_S = 3.0 / BLOCKS_PER_S
"""Two blocks are the least. The third carries the sound over a callback that a busy computer wakes 40 ms late."""
_CLOSE_S = 0.8
_PATIENCE_S = 0.2

Kind = Literal["input", "output"]
_log = logging.getLogger(__name__)
_lock = threading.RLock()
"""Held while PortAudio's list is read or made anew, and while a stream opens."""
_open_streams: set[int] = set()


def sounddevice() -> Any:
    """The library. Raises DeviceError when it or PortAudio is missing."""
    try:
        return importlib.import_module("sounddevice")
    except ImportError:
        raise DeviceError(
            "The package sounddevice is not installed.",
            "Install it with: pip install sounddevice",
            component="sound",
        ) from None
    except OSError:
        raise DeviceError(
            "PortAudio is missing, so microphone and loudspeaker can't be used.",
            "Install it with: sudo apt install libportaudio2. Sound files work without it.",
            component="sound",
        ) from None


def _no_device(kind: Kind, name: str | None) -> DeviceError:
    word = "microphone" if kind == "input" else "loudspeaker"
    if name is None:
        return DeviceError(f"No {word} was found.", "Plug one in, or ask with a sound file.", component=word)
    return DeviceError(f"There is no {word} called '{name}'.", "Choose another one in the settings.", component=word)


def find_device(library: Any, kind: Kind, name: str | None) -> tuple[int, dict[str, Any]]:
    """Index and description of a device: exact name first, then a part of the name; None is the system's default."""
    channels = f"max_{kind}_channels"
    try:
        with _lock:
            if name is None:
                found = library.query_devices(kind=kind)
                return int(found["index"]), dict(found)
            devices = [dict(one) for one in library.query_devices() if one[channels] > 0]
    except (library.PortAudioError, ValueError):
        raise _no_device(kind, name) from None
    for matches in (lambda one: one["name"] == name, lambda one: name.lower() in one["name"].lower()):
        for one in devices:
            if matches(one):
                return int(one["index"]), one
    raise _no_device(kind, name)


def device_names() -> tuple[list[str], list[str]]:
    """Names of the microphones and of the loudspeakers, for the settings. Raises DeviceError without PortAudio."""
    library = sounddevice()
    try:
        with _lock:
            devices = list(library.query_devices())
    except library.PortAudioError:
        return [], []
    return (
        [one["name"] for one in devices if one["max_input_channels"] > 0],
        [one["name"] for one in devices if one["max_output_channels"] > 0],
    )


def look_again() -> bool:
    """Have PortAudio look for devices anew (some 50 ms); False when that isn't possible now. Any thread."""
    with _lock:
        if _open_streams:
            return False
        try:
            library = sounddevice()
        except DeviceError:
            return False
        try:
            with contextlib.suppress(library.PortAudioError):
                library._terminate()  # the library's own way, it has no public one
            library._initialize()
        except library.PortAudioError:
            return False
        return True


def microphone_problem() -> str | None:
    """Why talking through microphone and loudspeaker can't work here, with the remedy; None when it can. Any thread."""
    if not _lock.acquire(timeout=_PATIENCE_S):
        return None  # a device is just being opened
    try:
        problem = _problem()
        return _problem() if problem is not None and look_again() else problem
    finally:
        _lock.release()


def _problem() -> str | None:
    try:
        library = sounddevice()
        find_device(library, "input", None)
        find_device(library, "output", None)
    except AppError as error:
        return str(error)
    return None


def open_stream(
    library: Any, kind: Kind, index: int, found: dict[str, Any], rate: int, callback: Any, finished: Any
) -> Any:
    """Open a stream, not yet started: one channel of input if the device allows it, two of output."""
    most = int(found[f"max_{kind}_channels"])
    make = library.InputStream if kind == "input" else library.OutputStream
    wanted = (1, min(2, most)) if kind == "input" else (min(2, most), 1)
    with _lock:
        for channels in dict.fromkeys(wanted):
            with contextlib.suppress(library.PortAudioError):
                stream = make(
                    device=index,
                    samplerate=rate,
                    channels=channels,
                    blocksize=rate // BLOCKS_PER_S,
                    dtype="float32",
                    latency="low" if kind == "input" else _OUTPUT_LATENCY_S,
                    callback=callback,
                    finished_callback=finished,
                )
                _open_streams.add(id(stream))
                return stream
    word = "microphone" if kind == "input" else "loudspeaker"
    raise DeviceError(
        f"The {word} '{found['name']}' could not be opened.",
        "Close other programs that use it, allow its use in the system's privacy settings, or choose another one.",
        component=word,
    )


def close_streams(*streams: Any) -> None:
    """Close streams within a bounded time: PortAudio may hang on a device that went away."""

    def work() -> None:
        for stream in streams:
            with contextlib.suppress(Exception):
                stream.abort(ignore_errors=True)
            with contextlib.suppress(Exception):
                stream.close(ignore_errors=True)
            with _lock:
                _open_streams.discard(id(stream))

    closer = threading.Thread(target=work, name="audio-close", daemon=True)
    closer.start()
    closer.join(_CLOSE_S)
    if closer.is_alive():
        _log.warning("a sound device did not close in time; it is left to itself")
