"""Microphone and loudspeaker through PortAudio.

Two separate streams (one duplex stream glitches on PulseAudio's host API), each at its device's own default rate, in
blocks of 20 ms (80 ms blocks gave a round trip of 321 ms). The callbacks copy between PortAudio's buffers and rings and
set an Event; conversion to and from 24 kHz happens on the frame thread. PortAudio's threads: ``_on_input``,
``_on_output``, ``_on_finished``; frame thread: the rest, but for ``interrupt`` (any).

Playback begins with ``PREFILL_MS`` of silence, which covers the 20 ms grain of the callbacks and the resampler's 10 ms.
When the queue has grown (the clocks of two devices differ, an underrun delayed it), silent frames are shortened until
it is back. Measured on PulseAudio null sinks (``tests/audio/test_device_pulse.py`` prints it): from ``write_frame`` to
the same sound at the head of a read frame 170 ms, of which the output stream's three blocks 60 ms, this module's queue
40 ms, resamplers 15 ms; no underruns.

Bounds: capture ring ``CAPTURE_S``, playback ring ``PLAYBACK_S``; full means that the newest samples are dropped and
counted in ``stats.overrun_samples``.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from kame_desktop.audio.base import DeviceInfo, DeviceStats
from kame_desktop.audio.portaudio import close_streams, find_device, look_again, open_stream, sounddevice
from kame_desktop.audio.resample import StreamResampler
from kame_desktop.audio.ring import SampleRing
from kame_desktop.core.audio_types import FRAME_SAMPLES, MODEL_RATE_HZ, Pcm, PcmFrame, silence_frame
from kame_desktop.core.errors import DeviceError

CAPTURE_S = 2.0
PLAYBACK_S = 1.5
PREFILL_MS = 50.0
REFERENCE_LEAD_MS = 20.0
FIRST_CALLBACK_S = 5.0
STALL_S = 3.0
_SLACK_MS = 60.0
_QUIET = 10.0 ** (-55.0 / 20.0)
_LOOK_S = 0.25


class _Playback:
    """The output half: model frames in, a device's callback out. Also keeps what was really played."""

    def __init__(self, name: str | None, wake: threading.Event) -> None:
        self.library = sounddevice()
        self._wake = wake
        index, found = find_device(self.library, "output", name)
        self.name = str(found["name"])
        self.rate = int(found["default_samplerate"])
        self.ring = SampleRing(int(self.rate * PLAYBACK_S))
        self.played = SampleRing(int(self.rate * CAPTURE_S))
        self._resampler = StreamResampler(MODEL_RATE_HZ, self.rate)
        self.to_model = StreamResampler(self.rate, MODEL_RATE_HZ)
        self._mono = np.zeros(self.rate, dtype=np.float32)
        self._fed = False
        self._skip_asked = 0
        self._skip_done = 0
        self.late = 0
        self.alive = True
        self.stream = open_stream(self.library, "output", index, found, self.rate, self._on_output, self._on_finished)

    def _on_output(self, outdata: Pcm, frames: int, when: Any, status: Any) -> None:
        mono = self._mono[:frames]
        if self._skip_asked > self._skip_done:
            self.ring.discard(self._skip_asked - self._skip_done)
            self._skip_done = self._skip_asked
        if self._fed:
            self.ring.read_into(mono)
        else:
            mono[:] = 0.0
        outdata[:] = mono[:, None]
        self.played.write(mono)
        if status.output_underflow:
            self.late += frames

    def _on_finished(self) -> None:
        self.alive = False
        self._wake.set()

    def queued_ms(self) -> float:
        return self.ring.available / self.rate * 1e3

    def skip(self, samples: int) -> None:
        """Drop queued sound (model-rate samples) before the next block is played."""
        queued = self.ring.available - (self._skip_asked - self._skip_done)
        self._skip_asked += max(0, min(queued, int(samples * self.rate / MODEL_RATE_HZ)))

    def write(self, frame: Pcm) -> None:
        """Queue model-rate sound; a silent frame is shortened when the queue has grown beyond need."""
        if not self._fed:
            self.ring.write(np.zeros(int(self.rate * PREFILL_MS / 1e3), dtype=np.float32))
        excess_ms = self.queued_ms() - PREFILL_MS - _SLACK_MS
        if self._fed and excess_ms > 0 and float(np.max(np.abs(frame), initial=0.0)) < _QUIET:
            frame = frame[min(len(frame), int(excess_ms * MODEL_RATE_HZ / 1e3)) :]
        self.ring.write(self._resampler.process(frame))
        self._fed = True


class _Capture:
    """The input half: a device's callback in, model-rate samples out."""

    def __init__(self, name: str | None, wake: threading.Event) -> None:
        self.library = sounddevice()
        self._wake = wake
        index, found = find_device(self.library, "input", name)
        self.name = str(found["name"])
        self.rate = int(found["default_samplerate"])
        self.ring = SampleRing(int(self.rate * CAPTURE_S))
        self.to_model = StreamResampler(self.rate, MODEL_RATE_HZ)
        self._mono = np.zeros(self.rate, dtype=np.float32)
        self.lost = 0
        self.alive = True
        self.stream = open_stream(self.library, "input", index, found, self.rate, self._on_input, self._on_finished)

    def _on_input(self, indata: Pcm, frames: int, when: Any, status: Any) -> None:
        if indata.shape[1] == 1:
            self.ring.write(indata[:, 0])
        else:
            self.ring.write(np.mean(indata, axis=1, out=self._mono[:frames]))
        if status.input_overflow:
            self.lost += frames
        self._wake.set()

    def _on_finished(self) -> None:
        self.alive = False
        self._wake.set()


def _drain(source: SampleRing, most: int, resampler: StreamResampler, target: SampleRing, scratch: Pcm) -> bool:
    """Move up to ``most`` samples that a callback left to model rate; False when there were none."""
    part = scratch[: min(source.available, most)]
    if not len(part):
        return False
    source.read_into(part)
    target.write(resampler.process(part))
    return True


class PortAudioLoudspeaker:
    """Only the output half: ``Loudspeaker`` on hardware. Raises DeviceError in the constructor."""

    def __init__(self, output_name: str | None = None) -> None:
        look_again()
        self._playback: _Playback | None = _Playback(output_name, threading.Event())
        self.name = self._playback.name
        try:
            self._playback.stream.start()
        except self._playback.library.PortAudioError:
            close_streams(self._playback.stream)
            raise _could_not_start() from None

    def write(self, frame: PcmFrame) -> None:
        """Queue a frame (float32 at 24 kHz); dropped when the device went away or the queue is full."""
        if self._playback is not None:
            self._playback.write(frame)

    def close(self) -> None:
        """Stop at once; idempotent, at most 1 s."""
        playback, self._playback = self._playback, None
        if playback is not None:
            close_streams(playback.stream)


def _could_not_start() -> DeviceError:
    return DeviceError(
        "The sound devices could not be started.",
        "Close other programs that use them, or choose others in the settings.",
        component="sound",
    )


class PortAudioDevice:
    """AudioDevice on hardware. ``None`` names are the system's defaults."""

    def __init__(self, input_name: str | None = None, output_name: str | None = None) -> None:
        self._wanted = (input_name, output_name)
        self._info = DeviceInfo(input_name or "default", output_name or "default", realtime=True)
        self._wake = threading.Event()
        self._interrupted = False
        self._capture: _Capture | None = None
        self._playback: _Playback | None = None
        self._heard = SampleRing(8 * FRAME_SAMPLES)
        self._echo = SampleRing(int(MODEL_RATE_HZ * CAPTURE_S))
        self._echo_aligned = False
        self._reference = silence_frame()
        self._scratch = np.zeros(0, dtype=np.float32)
        self._seen = 0
        self._alive_until_s = 0.0
        self._last_stats = DeviceStats()
        self._before = DeviceStats()
        """What was lost before ``start``, when nobody listened yet."""

    @property
    def info(self) -> DeviceInfo:
        """Names as asked for before ``open``, real ones after it."""
        return self._info

    @property
    def stats(self) -> DeviceStats:
        """Silence played because nothing was queued, sound lost because it wasn't fetched (also by PortAudio)."""
        capture, playback = self._capture, self._playback
        if capture is None or playback is None:
            return self._last_stats
        lost = (capture.ring.dropped + capture.lost) * MODEL_RATE_HZ / capture.rate
        lost += playback.ring.dropped * MODEL_RATE_HZ / playback.rate
        return DeviceStats(
            underrun_samples=round((playback.ring.missing + playback.late) * MODEL_RATE_HZ / playback.rate)
            - self._before.underrun_samples,
            overrun_samples=round(lost) - self._before.overrun_samples,
        )

    def open(self) -> None:
        look_again()
        opened: list[Any] = []
        try:
            playback = _Playback(self._wanted[1], self._wake)
            opened.append(playback.stream)
            capture = _Capture(self._wanted[0], self._wake)
            opened.append(capture.stream)
            try:
                playback.stream.start()
                capture.stream.start()
            except capture.library.PortAudioError:
                raise _could_not_start() from None
        except BaseException:
            close_streams(*opened)
            raise
        self._scratch = np.zeros(max(capture.rate, playback.rate), dtype=np.float32)
        self._alive_until_s = time.monotonic() + FIRST_CALLBACK_S
        self._info = DeviceInfo(capture.name, playback.name, realtime=True)
        self._capture, self._playback = capture, playback

    def start(self) -> None:
        capture, playback = self._capture, self._playback
        if capture is None or playback is None:
            return
        while not self._interrupted:
            self._wake.clear()
            if capture.ring.available:
                break
            self._check_alive(capture, playback)
            self._wake.wait(_LOOK_S)
        capture.ring.discard(capture.ring.available)
        playback.played.discard(playback.played.available)
        self._before = self.stats
        self._seen = capture.ring.written + capture.ring.dropped
        self._alive_until_s = time.monotonic() + STALL_S

    def read_frame(self) -> PcmFrame | None:
        while not self._interrupted:
            capture, playback = self._capture, self._playback
            if capture is None or playback is None:
                return None
            self._wake.clear()
            if self._heard.available < FRAME_SAMPLES:
                _drain(capture.ring, capture.rate // 10, capture.to_model, self._heard, self._scratch)
            if self._heard.available >= FRAME_SAMPLES:
                frame = silence_frame()
                self._heard.read_into(frame)
                self._take_reference(playback)
                return frame
            self._check_alive(capture, playback)
            self._wake.wait(_LOOK_S)
        return None

    def _check_alive(self, capture: _Capture, playback: _Playback) -> None:
        now_s = time.monotonic()
        delivered = capture.ring.written + capture.ring.dropped
        if delivered != self._seen:
            self._seen = delivered
            self._alive_until_s = now_s + STALL_S
        if self._interrupted:
            return
        for half, word in ((capture, "microphone"), (playback, "loudspeaker")):
            if not half.alive:
                raise DeviceError(
                    f"The {word} '{half.name}' went away.",
                    "Plug it in again, or choose another one.",
                    component=word,
                )
        if now_s > self._alive_until_s:
            raise DeviceError(
                f"The microphone '{capture.name}' delivers no sound.",
                "Plug it in again, or choose another one.",
                component="microphone",
            )

    def _take_reference(self, playback: _Playback) -> None:
        """Pair played with captured sound in order of arrival; ``REFERENCE_LEAD_MS`` absorbs the callbacks' jitter."""
        while _drain(playback.played, playback.rate // 10, playback.to_model, self._echo, self._scratch):
            pass
        lead = int(REFERENCE_LEAD_MS * MODEL_RATE_HZ / 1e3)
        if not self._echo_aligned or self._echo.available > FRAME_SAMPLES + 4 * lead:
            self._echo.discard(self._echo.available - FRAME_SAMPLES - lead)
            self._echo_aligned = True
        self._reference = silence_frame()
        self._echo.read_into(self._reference)

    def write_frame(self, frame: PcmFrame) -> None:
        if self._playback is not None:
            self._playback.write(frame)

    def reference_frame(self) -> PcmFrame:
        """What the loudspeaker took while the latest frame was captured, at most ``REFERENCE_LEAD_MS`` off."""
        return self._reference.copy()

    @property
    def input_ended(self) -> bool:
        return False

    def next_input(self) -> bool:
        return False

    def backlog_ms(self) -> float:
        if self._capture is None:
            return 0.0
        return (self._capture.ring.available / self._capture.rate + self._heard.available / MODEL_RATE_HZ) * 1e3

    def queued_ms(self) -> float:
        """Sound that waits to be played, without the device's own latency."""
        return self._playback.queued_ms() if self._playback is not None else 0.0

    def skip_playback(self, samples: int) -> None:
        if self._playback is not None:
            self._playback.skip(samples)

    def interrupt(self) -> None:
        self._interrupted = True
        self._wake.set()

    def stop(self) -> None:
        self.interrupt()
        capture, playback = self._capture, self._playback
        if capture is not None and playback is not None:
            self._last_stats = self.stats
            self._capture = self._playback = None
            close_streams(capture.stream, playback.stream)
