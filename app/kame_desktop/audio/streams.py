"""The two halves of a conversation's hardware: a capture and a playback stream, each at its device's own rate.

The callbacks copy between PortAudio's buffers and rings and set an Event; conversion to and from 24 kHz happens on the
frame thread. PortAudio's threads: ``_on_input``, ``_on_output``, ``_on_finished``; whoever owns the half: the rest.

Bounds: capture ring ``CAPTURE_S``, playback ring ``PLAYBACK_S``; full means that the newest samples are dropped and
counted.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from kame_desktop.audio.base import DeviceStats
from kame_desktop.audio.choices import find_device
from kame_desktop.audio.portaudio import Kind, close_streams, open_stream, portaudio, start_stream
from kame_desktop.audio.resample import StreamResampler
from kame_desktop.audio.ring import SampleRing
from kame_desktop.core.audio_types import MODEL_RATE_HZ, Pcm
from kame_desktop.core.errors import DeviceError
from kame_desktop.core.settings import DeviceChoice

CAPTURE_S = 2.0
PLAYBACK_S = 1.5
PREFILL_MS = 50.0
FADE_MS = 10.0
HUSH_MS = 30.0
_SLACK_MS = 60.0
_QUIET = 10.0 ** (-55.0 / 20.0)


class Half:
    """What both have in common. Raises DeviceError in the constructor.

    Attributes:
        found: PortAudio's description of the device.
        rate: The stream's rate in Hz.
        alive: The stream has not ended.
        delivered: Samples that went through the callback so far, at ``rate``.
        called_s: When the callback came last (``time.monotonic``).
    """

    kind: Kind

    def __init__(self, choice: DeviceChoice | None, wake: threading.Event) -> None:
        self.wake = wake
        self.alive = True
        self.delivered = 0
        self.called_s = 0.0
        with portaudio() as library:
            self.found = find_device(library, self.kind, choice)
        self.name = str(self.found["name"])
        self.stream, self.rate = open_stream(self.kind, self.found, self._callback, self._on_finished)
        self.mono = np.zeros(self.rate, dtype=np.float32)

    def _callback(self, data: Pcm, frames: int, when: Any, status: Any) -> None:
        raise NotImplementedError

    def start(self) -> None:
        """Let sound flow. Raises DeviceError."""
        start_stream(self.stream, self.kind, self.found)

    def _on_finished(self) -> None:
        self.alive = False
        self.wake.set()


class Playback(Half):
    """Model frames in, a device's callback out. Also keeps what was really played."""

    kind = "output"

    def __init__(self, choice: DeviceChoice | None, wake: threading.Event) -> None:
        self._fed = False
        self._skip_asked = 0
        self._skip_done = 0
        self._hush_end = 0
        self._hushed = 0
        self.late = 0
        super().__init__(choice, wake)
        self.ring = SampleRing(int(self.rate * PLAYBACK_S))
        self._fade = np.linspace(0.0, 1.0, int(self.rate * FADE_MS / 1e3), dtype=np.float32)
        self._old = np.zeros_like(self._fade)
        length = int(self.rate * HUSH_MS / 1e3)
        self._hush_fade = (0.5 + 0.5 * np.cos(np.pi * (np.arange(length) + 1) / length)).astype(np.float32)
        self.played = SampleRing(int(self.rate * CAPTURE_S))
        self._resampler = StreamResampler(MODEL_RATE_HZ, self.rate)

    def _callback(self, data: Pcm, frames: int, when: Any, status: Any) -> None:
        mono = self.mono[:frames]
        skip = self._skip_asked - self._skip_done
        if not self._fed:
            mono[:] = 0.0
        elif skip > 0:
            self._skip_done += skip
            self._splice(mono, skip)
        else:
            self.ring.read_into(mono)
        self._fade_hushed(mono)
        data[:, :2] = mono[:, None]
        data[:, 2:] = 0.0
        self.played.write(mono)
        self.delivered += frames
        self.called_s = time.monotonic()
        if status.output_underflow:
            self.late += frames

    def _splice(self, mono: Pcm, skip: int) -> None:
        """Leave out ``skip`` samples, with a cross-fade instead of a click."""
        length = min(len(self._fade), len(mono), skip)
        old, fade = self._old[:length], self._fade[:length]
        self.ring.read_into(old)
        self.ring.discard(skip - length)
        self.ring.read_into(mono)
        mono[:length] *= fade
        np.multiply(old, fade[::-1], out=old)
        mono[:length] += old

    def _fade_hushed(self, mono: Pcm) -> None:
        """Fade out, then silence, up to where ``hush`` was called; a second call goes on with the silence."""
        count = min(self._hush_end - (self.ring.taken - len(mono)), len(mono))
        if count > 0:
            fade = self._hush_fade[self._hushed : self._hushed + count]
            mono[: len(fade)] *= fade
            mono[len(fade) : count] = 0.0
            self._hushed += len(fade)
        if count < len(mono):
            self._hushed = 0

    def queued_ms(self) -> float:
        """Sound that waits to be played, without the device's own latency."""
        return self.ring.available / self.rate * 1e3

    def skip(self, samples: int) -> None:
        """Drop queued sound (model-rate samples) before the next block is played."""
        queued = self.ring.available - (self._skip_asked - self._skip_done)
        self._skip_asked += max(0, min(queued, int(samples * self.rate / MODEL_RATE_HZ)))

    def hush(self) -> None:
        """Fade out what is queued, from the next block on; its time passes in silence, so the queue stays as long."""
        self._hush_end = self.ring.written

    def queue(self, samples: Pcm) -> int:
        """Queue what fits of sound at the device's rate, as it is; say how many samples that was."""
        count = self.ring.write(samples[: self.ring.capacity - self.ring.available])
        self._fed = True
        return count

    def write(self, frame: Pcm) -> None:
        """Queue model-rate sound; a silent frame is shortened when the queue has grown beyond need."""
        if not self._fed:
            self.ring.write(np.zeros(int(self.rate * PREFILL_MS / 1e3), dtype=np.float32))
        excess_ms = self.queued_ms() - PREFILL_MS - _SLACK_MS
        if self._fed and excess_ms > 0 and float(np.max(np.abs(frame), initial=0.0)) < _QUIET:
            frame = frame[min(len(frame), int(excess_ms * MODEL_RATE_HZ / 1e3)) :]
        self.ring.write(self._resampler.process(frame))
        self._fed = True


class Capture(Half):
    """A device's callback in, model-rate samples out. Of many channels the first two are heard."""

    kind = "input"

    def __init__(self, choice: DeviceChoice | None, wake: threading.Event) -> None:
        self.lost = 0
        super().__init__(choice, wake)
        self.ring = SampleRing(int(self.rate * CAPTURE_S))
        self.to_model = StreamResampler(self.rate, MODEL_RATE_HZ)

    def _callback(self, data: Pcm, frames: int, when: Any, status: Any) -> None:
        if data.shape[1] == 1:
            self.ring.write(data[:, 0])
        else:
            self.ring.write(np.mean(data[:, :2], axis=1, out=self.mono[:frames]))
        self.delivered += frames
        self.called_s = time.monotonic()
        if status.input_overflow:
            self.lost += frames
        self.wake.set()


H = TypeVar("H", bound=Half)


@dataclass(frozen=True, slots=True)
class Opened(Generic[H]):
    """A half that was opened; ``instead``: why it isn't the chosen device but the default one."""

    half: H
    instead: DeviceError | None = None


@dataclass(frozen=True, slots=True)
class DeviceWish:
    """What the user chose; None: the system's default."""

    input: DeviceChoice | None = None
    output: DeviceChoice | None = None


@dataclass(frozen=True, slots=True)
class Streams:
    """Both halves, started. A half that could not be had is None, and its error says why."""

    capture: Capture | None = None
    playback: Playback | None = None
    input_error: DeviceError | None = None
    output_error: DeviceError | None = None

    @property
    def as_wished(self) -> bool:
        """Both are there, and are the chosen ones."""
        return self.input_error is None and self.output_error is None

    @property
    def names(self) -> tuple[str, str]:
        """Of microphone and loudspeaker, as the devices call themselves."""
        return (
            self.capture.name if self.capture is not None else "no microphone",
            self.playback.name if self.playback is not None else "no loudspeaker",
        )

    def stats(self) -> DeviceStats:
        """Silence played because nothing was queued, sound lost because it wasn't fetched (also by PortAudio)."""
        total = DeviceStats()
        if self.capture is not None:
            lost = self.capture.ring.dropped + self.capture.lost
            total.overrun_samples += round(lost * MODEL_RATE_HZ / self.capture.rate)
        if self.playback is not None:
            scale = MODEL_RATE_HZ / self.playback.rate
            total.overrun_samples += round(self.playback.ring.dropped * scale)
            total.underrun_samples += round((self.playback.ring.missing + self.playback.late) * scale)
        return total

    def close(self) -> bool:
        """Close both within a second; says whether PortAudio did."""
        halves = [half for half in (self.capture, self.playback) if half is not None]
        return close_streams(*(half.stream for half in halves)) if halves else True


def _open_half(
    make: Callable[[DeviceChoice | None, threading.Event], H], choice: DeviceChoice | None, wake: threading.Event
) -> Opened[H]:
    """The chosen device, else the system's default one, started. Raises DeviceError when there is neither."""
    refusal: DeviceError | None = None
    for wanted in (None,) if choice is None else (choice, None):
        try:
            half = make(wanted, wake)
        except DeviceError as error:
            refusal = refusal or error
            continue
        try:
            half.start()
        except DeviceError as error:
            close_streams(half.stream)
            refusal = refusal or error
            continue
        return Opened(half, refusal)
    assert refusal is not None
    raise refusal


def open_streams(wish: DeviceWish, wake: threading.Event) -> Streams:
    """Open and start what there is of a microphone and a loudspeaker; ``wake`` is set when sound was captured."""
    opened = Streams()
    try:
        speaker = _open_half(Playback, wish.output, wake)
        opened = dataclasses.replace(opened, playback=speaker.half, output_error=speaker.instead)
    except DeviceError as error:
        opened = dataclasses.replace(opened, output_error=error)
    try:
        microphone = _open_half(Capture, wish.input, wake)
        opened = dataclasses.replace(opened, capture=microphone.half, input_error=microphone.instead)
    except DeviceError as error:
        opened = dataclasses.replace(opened, input_error=error)
    except BaseException:
        opened.close()
        raise
    return opened
