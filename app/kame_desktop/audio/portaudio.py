"""PortAudio's list of devices, and its streams (package ``sounddevice``, imported only when it is needed).

PortAudio looks for devices once, when it begins: whatever is plugged in later is unknown to it, and what was unplugged
stays in the list. ``look_again`` has it begin anew, which is possible only while no stream is open.

Its calls may hang for as long as the system's sound service does. They are made one at a time, under a lock that is
waited for ``PATIENCE_S`` at most: a call that hangs costs its own thread, and the others a DeviceError.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import threading
from collections.abc import Iterator
from typing import Any, Literal

from kame_desktop.core.errors import DeviceError

BLOCKS_PER_S = 50
OUTPUT_LATENCY_S = 3.0 / BLOCKS_PER_S
"""Two blocks are the least. The third carries the sound over a callback that a busy computer wakes 40 ms late."""
PATIENCE_S = 1.0
USUAL_RATES_HZ = (48_000, 44_100, 16_000)
_CLOSE_S = 0.8
_BUSY = -9985
"""PortAudio's number for a device that another program holds."""

Kind = Literal["input", "output"]
WORDS: dict[Kind, str] = {"input": "microphone", "output": "loudspeaker"}
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


class SoundBusyError(DeviceError):
    """A call into PortAudio has been running for too long."""


@contextlib.contextmanager
def portaudio(patience_s: float | None = None) -> Iterator[Any]:
    """The library, for the calling thread alone. Raises DeviceError when it is missing, SoundBusyError."""
    if not _lock.acquire(timeout=PATIENCE_S if patience_s is None else patience_s):
        raise SoundBusyError(
            "The system's sound service doesn't answer.",
            "Wait a moment. If it stays so, restart the sound service or the computer.",
            component="sound",
        )
    try:
        yield sounddevice()
    finally:
        _lock.release()


def look_again() -> bool:
    """Have PortAudio look for devices anew (some 50 ms); False when that isn't possible now. Any thread."""
    try:
        with portaudio() as library:
            if _open_streams:
                return False
            with contextlib.suppress(library.PortAudioError):
                library._terminate()  # the library's own way, it has no public one
            try:
                library._initialize()
            except library.PortAudioError:
                return False
            return True
    except DeviceError:
        return False


def version() -> str:
    """PortAudio's version in its own words. Raises DeviceError when it is missing."""
    return str(sounddevice().get_portaudio_version()[1])


def _formats(kind: Kind, found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What to ask a device for, best first: its own rate, then longer blocks, then the usual rates."""
    most = int(found[f"max_{kind}_channels"])
    own = int(found["default_samplerate"])
    preferred = (1, min(2, most), most) if kind == "input" else (min(2, most), 1, most)
    channels = tuple(dict.fromkeys(preferred))
    latency = "low" if kind == "input" else OUTPUT_LATENCY_S
    for count in channels:
        yield {"samplerate": own, "channels": count, "blocksize": own // BLOCKS_PER_S, "latency": latency}
    for count in channels:
        yield {"samplerate": own, "channels": count, "blocksize": 2 * own // BLOCKS_PER_S, "latency": "high"}
    for rate in USUAL_RATES_HZ:
        if rate != own:
            for count in channels:
                yield {"samplerate": rate, "channels": count, "blocksize": rate // BLOCKS_PER_S, "latency": "high"}


def open_stream(kind: Kind, found: dict[str, Any], callback: Any, finished: Any) -> tuple[Any, int]:
    """Open a stream in the best format that the device takes, not yet started; returns it and its rate in Hz.

    Args:
        kind: Microphone or loudspeaker.
        found: The device as PortAudio describes it.
        callback: ``(float32 [frames, channels], frames, times, flags)`` on PortAudio's thread.
        finished: Called there when the stream has ended, whoever ended it.

    Raises DeviceError, which says what was asked and what the device offers.
    """
    asked: list[str] = []
    with portaudio() as library:
        make = library.InputStream if kind == "input" else library.OutputStream
        for form in _formats(kind, found):
            try:
                stream = make(
                    device=found["index"], dtype="float32", callback=callback, finished_callback=finished, **form
                )
            except library.PortAudioError as error:
                if _BUSY in error.args:
                    raise _held(kind, found) from None
                asked.append(f"{form['samplerate']} Hz with {_channels(form['channels'])}")
            else:
                _open_streams.add(id(stream))
                return stream, form["samplerate"]
    raise DeviceError(
        f"The {WORDS[kind]} '{found['name']}' could not be opened: asked for {_listed(asked)}; it says that it offers "
        f"{int(found['default_samplerate'])} Hz with up to {_channels(int(found[f'max_{kind}_channels']))}.",
        "Close other programs that use it, allow its use in the system's privacy settings, or choose another one.",
        component=WORDS[kind],
    )


def _channels(count: int) -> str:
    return f"{count} channel" if count == 1 else f"{count} channels"


def _listed(asked: list[str]) -> str:
    different = list(dict.fromkeys(asked))
    return " and ".join(filter(None, (", ".join(different[:-1]), different[-1])))


def _held(kind: Kind, found: dict[str, Any]) -> DeviceError:
    return DeviceError(
        f"The {WORDS[kind]} '{found['name']}' is in use by another program.",
        "Close that program, or choose another device.",
        component=WORDS[kind],
    )


def start_stream(stream: Any, kind: Kind, found: dict[str, Any]) -> None:
    """Let sound flow. Raises DeviceError."""
    with portaudio() as library:
        try:
            stream.start()
        except library.PortAudioError:
            raise DeviceError(
                f"The {WORDS[kind]} '{found['name']}' could not be started.",
                "Close other programs that use it, or choose another one in the settings.",
                component=WORDS[kind],
            ) from None


def close_streams(*streams: Any) -> bool:
    """Close streams within a bounded time: PortAudio may hang on a device that went away; says whether it is done."""

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
    return not closer.is_alive()
