"""A program for ``test_device_pulse.py``: drives the real device on virtual hardware and prints what it saw as JSON.

It is a process of its own because PortAudio reads ALSA's and PulseAudio's environment once, when it is loaded.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import Any

import numpy as np

from kame_desktop.audio.device import PortAudioDevice, PortAudioLoudspeaker
from kame_desktop.audio.portaudio import device_names, microphone_problem
from kame_desktop.core.audio_types import FRAME_SAMPLES, Pcm, silence_frame
from kame_desktop.core.errors import AppError
from tests.fakes.audio import tone

CLICK_AT = (25, 40, 55)


def round_trip() -> dict[str, Any]:
    """Play short tones and hear them again on a microphone that listens to the loudspeaker."""
    device = PortAudioDevice("ci_loop", "ci_speaker")
    device.open()
    device.start()
    heard: list[Pcm] = []
    reference: list[Pcm] = []
    queued: list[float] = []
    begin = time.monotonic()
    for step in range(70):
        frame = device.read_frame()
        assert frame is not None
        assert frame.shape == (FRAME_SAMPLES,)
        assert frame.dtype == np.float32
        heard.append(frame)
        reference.append(device.reference_frame())
        out = silence_frame()
        if step in CLICK_AT:
            out[:480] = tone(20, 0.5, 1_000.0)
        queued.append(device.queued_ms())
        device.write_frame(out)
    seconds = time.monotonic() - begin
    stats = device.stats
    backlog_ms = device.backlog_ms()
    names = (device.info.input_name, device.info.output_name)
    begin = time.monotonic()
    device.stop()
    device.stop()
    stop_s = time.monotonic() - begin

    def onsets(frames: list[Pcm]) -> list[float]:
        loud = np.flatnonzero(np.abs(np.concatenate(frames)) > 0.1)
        return [float(at) / 24 for at in loud[np.diff(loud, prepend=-(10**6)) > 10_000]]

    return {
        "names": names,
        "round_trip_ms": [at - (step + 1) * 80.0 for at, step in zip(onsets(heard), CLICK_AT, strict=True)],
        "reference_lead_ms": [h - r for h, r in zip(onsets(heard), onsets(reference), strict=True)],
        "peak": float(np.max(np.abs(np.concatenate(heard)))),
        "seconds": seconds,
        "queued_ms": queued,
        "underrun_ms": stats.underrun_samples / 24,
        "overrun_ms": stats.overrun_samples / 24,
        "backlog_ms": backlog_ms,
        "stop_s": stop_s,
        "after_stop": device.read_frame() is None,
        "threads": [thread.name for thread in threading.enumerate()],
    }


def late_reader() -> dict[str, Any]:
    """Don't read for a while: the ring keeps two seconds and counts the rest; then skip what was queued."""
    device = PortAudioDevice("ci_mic", "ci_speaker")
    device.open()
    device.start()
    device.read_frame()
    for _ in range(15):
        device.write_frame(tone(80, 0.2))
    queued_before = device.queued_ms()
    device.skip_playback(10**6)
    threading.Event().wait(2.5)
    result = {
        "queued_before": queued_before,
        "queued_after": device.queued_ms(),
        "backlog_ms": device.backlog_ms(),
        "overrun_ms": device.stats.overrun_samples / 24,
        "underrun_ms": device.stats.underrun_samples / 24,
    }
    frames = 0
    begin = time.monotonic()
    while device.backlog_ms() >= 80.0 and frames < 100:
        device.read_frame()
        frames += 1
    result |= {"frames": frames, "catch_up_s": time.monotonic() - begin}
    timer = threading.Timer(0.02, device.interrupt)
    timer.start()
    while device.read_frame() is not None:
        frames += 1
    timer.join()
    device.stop()
    return result


def gone() -> dict[str, Any]:
    """The sound server dies while somebody listens."""
    device = PortAudioDevice(None, None)
    device.open()
    device.start()
    for _ in range(3):
        device.read_frame()
    os.kill(int(sys.argv[2]), signal.SIGKILL)
    begin = time.monotonic()
    result: dict[str, Any] = {"error": None}
    try:
        while time.monotonic() - begin < 10.0:
            device.read_frame()
    except AppError as error:
        result = {"error": error.what, "remedy": error.remedy}
    result["after_s"] = time.monotonic() - begin
    begin = time.monotonic()
    device.stop()
    result["stop_s"] = time.monotonic() - begin
    return result


def names() -> dict[str, Any]:
    """What there is, what there isn't, and the loudspeaker alone."""
    errors = []
    for wanted in (("no such mic", None), (None, "no such speaker")):
        try:
            PortAudioDevice(*wanted).open()
        except AppError as error:
            errors.append([error.what, error.remedy])
    speaker = PortAudioLoudspeaker()
    for _ in range(3):
        speaker.write(tone(80, 0.1))
    speaker.close()
    speaker.close()
    speaker.write(tone(80))
    inputs, outputs = device_names()
    return {"inputs": inputs, "outputs": outputs, "problem": microphone_problem(), "errors": errors}


if __name__ == "__main__":
    probes = {"round_trip": round_trip, "late_reader": late_reader, "gone": gone, "names": names}
    print(json.dumps(probes[sys.argv[1]]()))
    sys.stdout.flush()
    # A dead sound server may keep PortAudio's own exit handler waiting.
    os._exit(0)
