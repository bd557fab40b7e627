"""The part "audio" of ``kame-desktop doctor``. Blocks for some seconds; no session may be running."""

from __future__ import annotations

import importlib.util
import threading
import time
from collections.abc import Iterator

import numpy as np

from kame_desktop.audio.base import DeviceChoiceInfo
from kame_desktop.audio.choices import list_devices
from kame_desktop.audio.device import PortAudioDevice
from kame_desktop.audio.device_watch import StallWatch, permission_hint
from kame_desktop.audio.portaudio import WORDS, Kind, version
from kame_desktop.audio.streams import DeviceWish, Half, Streams, open_streams
from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, MODEL_RATE_HZ, Pcm, silence_frame
from kame_desktop.core.checks import Check, CheckState
from kame_desktop.core.errors import AppError
from kame_desktop.core.settings import DeviceChoice

_LISTEN_S = 0.5
_STEP_S = 0.02
_CHIRPS_AT = (15, 30, 45)
_CHIRP_FRAMES = 60
_CHIRP_HEARD = 6.0
"""So much higher than the usual correlation must that with the chirp be."""
_SLOW_MS = 350.0


def audio_checks(
    input: DeviceChoice | None,  # noqa: A002 - the microphone
    output: DeviceChoice | None,
    *,
    measure: bool = False,
) -> Iterator[Check]:
    """Look at one thing after the other. ``measure``: also play three chirps and time how long they take back."""
    try:
        yield Check("PortAudio", CheckState.OK, f"{version()}.", values={"version": version()})
    except AppError as error:
        yield Check.of("PortAudio", error)
        return
    found = list_devices(rescan=True)
    problem = None if found.answered else found.problem
    yield _listed("input", found.inputs, problem)
    yield _listed("output", found.outputs, problem)
    if found.inputs or found.outputs:
        yield from _opened(DeviceWish(input, output))
    yield _echo_canceller()
    if measure and found.inputs and found.outputs:
        yield _round_trip(input, output)


def _listed(kind: Kind, devices: tuple[DeviceChoiceInfo, ...], problem: str | None) -> Check:
    name = f"{WORDS[kind]}s"
    values = {"devices": [_described(one) for one in devices]}
    if not devices:
        state = CheckState.FAIL if kind == "input" else CheckState.WARN
        remedy = permission_hint() if kind == "input" else "Without one the answers can only be read."
        return Check(name, state, problem or f"No {WORDS[kind]} was found.", remedy, values)
    default = next((one for one in devices if one.default), None)
    if default is None:
        return Check(name, CheckState.WARN, f"{len(devices)}, none is the default.", "Choose one.", values)
    what = f"{len(devices)}; the default is '{default.name}' ({default.host_api}, {default.rate_hz} Hz)."
    return Check(name, CheckState.OK, what, values=values)


def _described(one: DeviceChoiceInfo) -> dict[str, object]:
    return {
        "name": one.name,
        "host_api": one.host_api,
        "rate_hz": one.rate_hz,
        "channels": one.channels,
        "default": one.default,
    }


def _opened(wish: DeviceWish) -> Iterator[Check]:
    """Open both for a moment, as a conversation would."""
    streams = open_streams(wish, threading.Event())
    try:
        heard = _listen(streams)
    finally:
        streams.close()
    halves: tuple[tuple[Kind, Half | None, AppError | None], ...] = (
        ("input", streams.capture, streams.input_error),
        ("output", streams.playback, streams.output_error),
    )
    for kind, half, error in halves:
        name = f"{WORDS[kind]} opens"
        if half is None:
            assert error is not None
            yield Check.of(name, error, CheckState.FAIL if kind == "input" else CheckState.WARN)
            continue
        channels = half.stream.channels
        values = {"name": half.name, "rate_hz": half.rate, "channels": channels}
        what = f"'{half.name}' opens with {half.rate} Hz, {channels} channel{'' if channels == 1 else 's'}"
        if not half.delivered:
            yield Check(name, CheckState.FAIL, f"{what}, but no sound flows.", permission_hint(), values)
        elif error is not None:
            yield Check(name, CheckState.WARN, f"{error.what} {what} instead.", error.remedy, values)
        elif kind == "input" and not np.any(heard != heard[:1]):
            yield Check(name, CheckState.WARN, f"{what}, but sends only silence.", permission_hint(), values)
        else:
            yield Check(name, CheckState.OK, f"{what}.", values=values)


def _listen(streams: Streams) -> Pcm:
    """What the microphone sends in half a second, once it is awake (device rate)."""
    begin_s = time.monotonic()
    halves = [half for half in (streams.capture, streams.playback) if half is not None]
    watches = [StallWatch(half.rate, begin_s) for half in halves]
    while any(
        half.alive and not half.delivered and not watch.stalled(0, time.monotonic())
        for half, watch in zip(halves, watches, strict=True)
    ):
        time.sleep(_STEP_S)
    time.sleep(_LISTEN_S)
    capture = streams.capture
    heard = np.zeros(capture.ring.available if capture is not None else 0, dtype=np.float32)
    if capture is not None:
        capture.ring.read_into(heard)
    return heard


def _echo_canceller() -> Check:
    if importlib.util.find_spec("pywebrtc_audio") is None:
        return Check(
            "echo canceller",
            CheckState.WARN,
            "The package pywebrtc-audio is not installed, so the assistant may hear itself.",
            "Use headphones, or install it with: pip install pywebrtc-audio",
        )
    return Check("echo canceller", CheckState.OK, "WebRTC's is installed.")


def _chirp() -> Pcm:
    """60 ms that rise from 500 to 4,000 Hz and are found again in any noise."""
    time_s = np.arange(int(0.06 * MODEL_RATE_HZ)) / MODEL_RATE_HZ
    sound = 0.4 * np.sin(2 * np.pi * (500.0 + 29_000.0 * time_s) * time_s)
    return (sound * np.hanning(len(sound))).astype(np.float32)


def _round_trip(input: DeviceChoice | None, output: DeviceChoice | None) -> Check:  # noqa: A002
    name = "round trip"
    device = PortAudioDevice(input, output)
    heard: list[Pcm] = []
    chirp = _chirp()
    try:
        device.open()
        device.start()
        for step in range(_CHIRP_FRAMES):
            frame = device.read_frame()
            if frame is None:
                break
            heard.append(frame)
            out = silence_frame()
            if step in _CHIRPS_AT:
                out[: len(chirp)] = chirp
            device.write_frame(out)
        lost = next((event for event in device.take_events() if event.lost), None)
    except AppError as error:
        return Check.of(name, error)
    finally:
        device.stop()
    if lost is not None:
        return Check(name, CheckState.FAIL, lost.text, lost.remedy)
    times_ms = round_trip_ms(np.concatenate(heard), chirp)
    if not times_ms:
        return Check(
            name,
            CheckState.WARN,
            "The microphone didn't hear the loudspeaker.",
            "With headphones that is as it should be; otherwise raise the volume and try again.",
        )
    median = float(np.median(times_ms))
    what = f"Sound takes {median:.0f} ms from the program to the loudspeaker and back through the microphone."
    values = {"round_trip_ms": round(median, 1), "all_ms": [round(one, 1) for one in times_ms]}
    if median > _SLOW_MS:
        return Check(name, CheckState.WARN, what, "Bluetooth and virtual devices are slow; wired ones aren't.", values)
    return Check(name, CheckState.OK, what, values=values)


def round_trip_ms(heard: Pcm, chirp: Pcm) -> list[float]:
    """When each chirp, written after frame ``_CHIRPS_AT``, was heard again; those that weren't are left out."""
    likeness = np.abs(np.correlate(heard, chirp, mode="valid"))
    found: list[float] = []
    for step in _CHIRPS_AT:
        begin = (step + 1) * FRAME_SAMPLES
        part = likeness[begin : begin + 12 * FRAME_SAMPLES]
        if len(part) and part.max() > _CHIRP_HEARD * np.sqrt(np.mean(np.square(part))):
            found.append(int(part.argmax()) * FRAME_MS / FRAME_SAMPLES)
    return found
