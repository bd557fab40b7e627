"""A microphone test: record three seconds, say how loud it was, play it back. Blocks; any thread but the GUI's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np

from kame_desktop.audio.base import MicTestResult
from kame_desktop.audio.device_watch import StallWatch, permission_hint
from kame_desktop.audio.level import FLOOR_DBFS, peak_dbfs
from kame_desktop.audio.portaudio import close_streams, look_again
from kame_desktop.audio.resample import resample_all
from kame_desktop.audio.streams import Capture, Half, Playback
from kame_desktop.core.audio_types import MODEL_RATE_HZ, Pcm, level_dbfs
from kame_desktop.core.errors import DeviceError
from kame_desktop.core.settings import DeviceChoice

RECORD_S = 3.0
_METER_S = 0.1
_BLOCK_S = 0.05
_LOOK_S = 0.05
_HEARD_DBFS = -65.0
_QUIET_DBFS = -45.0
_VOICE_OVER_NOISE_DB = 6.0
_CLIP = 0.999
_CLIPPED_SAMPLES = 4
_LATENCY_S = 0.25

GOOD = "Good."
CLIPS = "It is too loud and clips. Lower the microphone's level in the system's sound settings."
VERY_QUIET = "Very quiet. Speak closer to the microphone, or raise its level in the system's sound settings."
ONLY_NOISE = "Only a steady noise was heard, no voice. Speak during the test, or choose another microphone."
NOTHING_HEARD = "Nothing was heard."


def test_microphone(choice: DeviceChoice | None, level: Callable[[float], None]) -> MicTestResult:
    """Record ``RECORD_S`` from the moment that sound flows, and judge it.

    Args:
        choice: The microphone; None: the system's default. It is not replaced by another one.
        level: Told the level (dBFS) about ten times a second, on the calling thread.

    Raises DeviceError.
    """
    look_again()
    wake = threading.Event()
    capture = Capture(choice, wake)
    try:
        capture.start()
        pcm = _record(capture, level, int(RECORD_S * capture.rate))
    finally:
        close_streams(capture.stream)
    return judge(capture.name, resample_all(pcm, capture.rate, MODEL_RATE_HZ))


def _record(capture: Capture, level: Callable[[float], None], wanted: int) -> Pcm:
    stall = StallWatch(capture.rate, time.monotonic())
    recorded = np.zeros(wanted, dtype=np.float32)
    meter = int(capture.rate * _METER_S)
    done = metered = 0
    while done < wanted:
        capture.wake.clear()
        part = recorded[done : done + min(capture.ring.available, wanted - done)]
        capture.ring.read_into(part)
        done += len(part)
        while done - metered >= meter:
            level(level_dbfs(recorded[metered : metered + meter]))
            metered += meter
        _check(capture, stall, "delivers no sound")
        if done < wanted:
            capture.wake.wait(_LOOK_S)
    return recorded


def _check(half: Half, stall: StallWatch, what: str) -> None:
    word = "microphone" if half.kind == "input" else "loudspeaker"
    if not half.alive:
        raise DeviceError(
            f"The {word} '{half.name}' went away.", "Plug it in again, or choose another one.", component=word
        )
    if stall.stalled(half.delivered, time.monotonic()):
        raise DeviceError(
            f"The {word} '{half.name}' {what}.", "Plug it in again, or choose another one.", component=word
        )


def judge(name: str, pcm: Pcm) -> MicTestResult:
    """Say how good a recording (24 kHz) of somebody who speaks is.

    ``level_dbfs``: of the loudest twentieth, which is the voice; ``noise_dbfs``: of the quietest tenth.
    """
    block = int(MODEL_RATE_HZ * _BLOCK_S)
    blocks = pcm[: len(pcm) // block * block].reshape(-1, block)
    levels = np.array([level_dbfs(one) for one in blocks] or [FLOOR_DBFS])
    level, noise = (float(np.percentile(levels, share)) for share in (95, 10))
    if level < _HEARD_DBFS or (len(pcm) > 0 and bool(np.all(pcm == pcm[0]))):
        verdict = f"{NOTHING_HEARD} {permission_hint()}"
    elif int(np.count_nonzero(np.abs(pcm) >= _CLIP)) >= _CLIPPED_SAMPLES:
        verdict = CLIPS
    elif level - noise < _VOICE_OVER_NOISE_DB:
        verdict = ONLY_NOISE
    else:
        verdict = VERY_QUIET if level < _QUIET_DBFS else GOOD
    return MicTestResult(name, pcm, level, noise, peak_dbfs(pcm), verdict)


def play(result: MicTestResult, choice: DeviceChoice | None) -> None:
    """Play a recording back to its end. Raises DeviceError."""
    look_again()
    wake = threading.Event()
    playback = Playback(choice, wake)
    try:
        playback.start()
        stall = StallWatch(playback.rate, time.monotonic())
        sound = resample_all(result.pcm, MODEL_RATE_HZ, playback.rate)
        done = 0
        while done < len(sound) or playback.queued_ms() > 0.0:
            done += playback.queue(sound[done:])
            _check(playback, stall, "plays nothing")
            wake.wait(_LOOK_S)
        wake.wait(_LATENCY_S)  # what the device itself still holds
    finally:
        close_streams(playback.stream)
