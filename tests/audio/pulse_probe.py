"""A program for ``test_device_pulse.py``: drives the real device on virtual hardware and prints what it saw as JSON.

It is a process of its own because PortAudio reads ALSA's and PulseAudio's environment once, when it is loaded.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from dataclasses import asdict
from typing import Any

import numpy as np

from kame_desktop.audio import mic_test
from kame_desktop.audio.base import DeviceEvent, DeviceInfo
from kame_desktop.audio.checks import audio_checks
from kame_desktop.audio.choices import list_devices, microphone_problem
from kame_desktop.audio.device import PortAudioDevice, PortAudioLoudspeaker
from kame_desktop.audio.device_lookout import DeviceLookout
from kame_desktop.core.audio_types import FRAME_SAMPLES, Pcm, level_dbfs, silence_frame
from kame_desktop.core.errors import AppError
from kame_desktop.core.settings import DeviceChoice
from tests.fakes.audio import tone

CLICK_AT = (25, 40, 55)
MIC, LOOP, SPEAKER = (DeviceChoice(name=name, host_api="ALSA") for name in ("ci_mic", "ci_loop", "ci_speaker"))


def ask(what: str) -> None:
    """Have the test do something to the daemon."""
    print(f"! {what}", flush=True)
    sys.stdin.readline()


def round_trip() -> dict[str, Any]:
    """Play short tones and hear them again on a microphone that listens to the loudspeaker."""
    device = PortAudioDevice(LOOP, SPEAKER)
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
    events = [event.text for event in device.take_events() if "sends only silence" not in event.text]
    begin = time.monotonic()
    device.stop()
    device.stop()
    stop_s = time.monotonic() - begin

    def onsets(frames: list[Pcm]) -> list[float]:
        loud = np.flatnonzero(np.abs(np.concatenate(frames)) > 0.1)
        return [float(at) / 24 for at in loud[np.diff(loud, prepend=-(10**6)) > 10_000]]

    return {
        "names": names,
        "events": events,
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
    device = PortAudioDevice(MIC, SPEAKER)
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
    result["lost"] = any(event.lost for event in device.take_events())
    device.stop()
    return result


def server_dies() -> dict[str, Any]:
    """The sound server is killed while a tone goes round, and started again two seconds later."""
    device = PortAudioDevice(LOOP, SPEAKER)
    device.open()
    device.start()
    events: list[DeviceEvent] = []
    sounding_s: list[float] = []
    killed_s = restarted_s = 0.0
    helper = threading.Thread()

    def kill_and_start() -> None:
        nonlocal killed_s, restarted_s
        killed_s = time.monotonic()
        ask("kill")
        time.sleep(2.0)
        ask("start")
        restarted_s = time.monotonic()

    frames = frames_since = 0
    begin_s = time.monotonic()
    while frames_since < 40 and time.monotonic() - begin_s < 25.0:
        frame = device.read_frame()
        assert frame is not None
        frames += 1
        device.write_frame(tone(80, 0.3, 500.0))
        events += [event for event in device.take_events() if event.lost or event.info is not None]
        frames_since += any(event.info is not None for event in events)
        if level_dbfs(frame) > -40.0:
            sounding_s.append(time.monotonic())
        if frames == 50:
            helper = threading.Thread(target=kill_and_start)
            helper.start()
    seconds = time.monotonic() - begin_s
    helper.join()
    stop_s = -time.monotonic()
    device.stop()
    stop_s += time.monotonic()
    gap_end_s = min((at for at in sounding_s if at > restarted_s), default=float("inf"))
    return {
        "events": [asdict(event) for event in events],
        "after_restart_s": gap_end_s - restarted_s,
        "silent_s": gap_end_s - max(at for at in sounding_s if at < killed_s + 0.5),
        "frames_s": frames * 0.08,
        "seconds": seconds,
        "stop_s": stop_s,
    }


def names() -> dict[str, Any]:
    """What there is, what there isn't, the loudspeaker alone, the lookout, the doctor and the microphone test."""
    told = []
    for wanted in ((DeviceChoice(name="no such mic"), None), (None, DeviceChoice(name="no such speaker"))):
        device = PortAudioDevice(*wanted)
        device.open()
        told += [event.text for event in device.take_events()]
        device.stop()
    try:
        PortAudioLoudspeaker(DeviceChoice(name="no such speaker"))
        error = None
    except AppError as raised:
        error = [raised.what, raised.remedy]
    speaker = PortAudioLoudspeaker()
    for _ in range(3):
        speaker.write(tone(80, 0.1))
    lookout = DeviceLookout()
    seen = lookout.look()
    again = lookout.look()
    lookout.end()
    lookout.close()
    speaker.close()
    speaker.close()
    speaker.write(tone(80))
    found = list_devices(rescan=True)
    levels: list[float] = []
    recorded = mic_test.test_microphone(MIC, levels.append)
    mic_test.play(recorded, SPEAKER)
    return {
        "inputs": [one.name for one in found.inputs],
        "outputs": [one.name for one in found.outputs],
        "problem": microphone_problem(),
        "told": told,
        "error": error,
        "lookout": seen is not None and seen == again and [one.name for one in seen.inputs],
        "recorded": len(recorded.pcm),
        "levels": len(levels),
        "verdict": recorded.verdict,
        "checks": {check.name: check.state.value for check in audio_checks(LOOP, SPEAKER, measure=True)},
    }


def formats() -> dict[str, Any]:
    """A tone goes round on hardware of other formats."""
    device = PortAudioDevice(LOOP, None)
    device.open()
    device.start()
    heard = []
    for _ in range(50):
        frame = device.read_frame()
        assert frame is not None
        heard.append(frame)
        device.write_frame(tone(80, 0.3, 500.0))
    info: DeviceInfo = device.info
    lost = [event.text for event in device.take_events() if event.lost]
    device.stop()
    sound = np.concatenate(heard[25:])
    spectrum = np.abs(np.fft.rfft(sound * np.hanning(len(sound))))
    return {
        "level_dbfs": level_dbfs(sound),
        "hz": float(spectrum.argmax()) * 24_000 / len(sound),
        "names": [info.input_name, info.output_name],
        "lost": lost,
    }


if __name__ == "__main__":
    probes = {
        "round_trip": round_trip,
        "late_reader": late_reader,
        "server_dies": server_dies,
        "names": names,
        "formats": formats,
    }
    print(json.dumps(probes[sys.argv[1]]()))
    sys.stdout.flush()
    # A dead sound server may keep PortAudio's own exit handler waiting.
    os._exit(0)
