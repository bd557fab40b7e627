"""Sound hardware made of arrays, and a voice activity detector that knows what it is told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from kame_desktop.audio.base import DeviceEvent, DeviceInfo, DeviceStats
from kame_desktop.audio.wav_device import WavDevice
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, Pcm, PcmFrame, level_dbfs, silence_frame
from kame_desktop.core.clock import ManualClock
from kame_desktop.core.errors import AppError


class FakeDevice:
    """An AudioDevice that captures scripted frames, one after the other, moving a ``ManualClock`` frame by frame.

    What is written is played while the next frame is captured. After the script ``read_frame`` returns None, or silence
    for ever with ``endless``. ``gate``: each ``read_frame`` first waits for it; ``wakes``: so does ``start``
    (``interrupt`` ends the wait).

    Attributes:
        written: Every frame written.
        played: Every frame played, silence where nothing was queued.
        skipped: Samples dropped by ``skip_playback``.
        hushed: How many frames had been written at each ``hush``.
        opened: ``open`` was called.
        asleep: ``start`` was called and waits.
        started: ``start`` was called, and sound flows.
        stopped: ``stop`` was called.
        backlog: What ``backlog_ms`` says.
        fail_open: Raised by ``open``.
        fail_start: Raised by ``start``.
        fail_at: Frame number -> error raised by ``read_frame`` instead of delivering it.
    """

    def __init__(
        self,
        frames: Iterable[PcmFrame] = (),
        *,
        clock: ManualClock | None = None,
        endless: bool = False,
        gate: threading.Semaphore | None = None,
        wakes: threading.Event | None = None,
        before_read: Callable[[int], None] | None = None,
    ) -> None:
        self._frames = list(frames)
        self._clock = clock
        self._endless = endless
        self._gate = gate
        self._wakes = wakes
        self._before_read = before_read
        self._interrupted = threading.Event()
        self._info = DeviceInfo("fake microphone", "fake loudspeaker", realtime=False)
        self._stats = DeviceStats()
        self._queue: Pcm = np.zeros(0, dtype=np.float32)
        self._reference = silence_frame()
        self.frames_read = 0
        self.written: list[PcmFrame] = []
        self.played: list[PcmFrame] = []
        self.skipped = 0
        self.hushed: list[int] = []
        self.opened = False
        self.asleep = threading.Event()
        self.started = False
        self.stopped = False
        self.backlog = 0.0
        self.fail_open: AppError | None = None
        self.fail_start: AppError | None = None
        self.fail_at: dict[int, AppError] = {}

    @property
    def info(self) -> DeviceInfo:
        return self._info

    @property
    def stats(self) -> DeviceStats:
        return self._stats

    def open(self) -> None:
        if self.fail_open is not None:
            raise self.fail_open
        self.opened = True

    def start(self) -> None:
        if self.fail_start is not None:
            raise self.fail_start
        self.asleep.set()
        while self._wakes is not None and not self._interrupted.is_set():
            if self._wakes.wait(0.02):
                break
        self.started = True

    def read_frame(self) -> PcmFrame | None:
        while self._gate is not None and not self._interrupted.is_set():
            if self._gate.acquire(timeout=0.02):
                break
        if self._interrupted.is_set():
            return None
        number = self.frames_read
        if self._before_read is not None:
            self._before_read(number)
        if number in self.fail_at:
            raise self.fail_at[number]
        if number >= len(self._frames) and not self._endless:
            return None
        self.frames_read += 1
        if self._clock is not None:
            self._clock.advance_to(self.frames_read * FRAME_MS)
        self._reference = silence_frame()
        count = min(FRAME_SAMPLES, len(self._queue))
        self._reference[:count] = self._queue[:count]
        self._queue = self._queue[count:]
        self.played.append(self._reference)
        return self._frames[number].copy() if number < len(self._frames) else silence_frame()

    def write_frame(self, frame: PcmFrame) -> None:
        self.written.append(frame.copy())
        self._queue = np.concatenate((self._queue, frame))

    def reference_frame(self) -> PcmFrame:
        return self._reference.copy()

    @property
    def input_ended(self) -> bool:
        return False

    def next_input(self) -> bool:
        return False

    def backlog_ms(self) -> float:
        return self.backlog

    def skip_playback(self, samples: int) -> None:
        count = max(0, min(samples, len(self._queue)))
        self._queue = self._queue[count:]
        self.skipped += count

    def queued_ms(self) -> float:
        return len(self._queue) * FRAME_MS / FRAME_SAMPLES

    def hush(self) -> None:
        self.hushed.append(len(self.written))

    def take_events(self) -> Sequence[DeviceEvent]:
        return ()

    def interrupt(self) -> None:
        self._interrupted.set()

    def stop(self) -> None:
        self._interrupted.set()
        self.stopped = True


class ScriptedDevice(WavDevice):
    """A recording as the microphone, in virtual time, and hardware to which things happen.

    Args:
        happens: Frame number -> what ``take_events`` tells once that frame was read. From a loss on its half is silent,
            until an event with ``info``, which is what ``info`` says from then on.

    Attributes:
        dropped: Frames that were written while there was no loudspeaker.
    """

    def __init__(
        self, pcm: Pcm, *, clock: ManualClock, activity: Activity, happens: Mapping[int, Sequence[DeviceEvent]]
    ) -> None:
        super().__init__(pcm, clock=clock, activity=activity)
        self._happens = happens
        self._told: list[DeviceEvent] = []
        self._away: set[str] = set()
        self._frame = 0
        self.dropped = 0

    def read_frame(self) -> PcmFrame | None:
        frame = super().read_frame()
        for event in self._happens.get(self._frame, ()):
            self._told.append(event)
            if event.lost:
                self._away.add(event.component)
            if event.info is not None:
                self._info = event.info
                self._away = set() if event.info.has_microphone else {"microphone"}
        self._frame += 1
        return silence_frame() if frame is not None and "microphone" in self._away else frame

    def write_frame(self, frame: PcmFrame) -> None:
        if "loudspeaker" in self._away:
            self.dropped += 1
        else:
            super().write_frame(frame)

    def take_events(self) -> Sequence[DeviceEvent]:
        told, self._told = self._told, []
        return told


class FakeLoudspeaker:
    """Keeps what it is given.

    Attributes:
        heard: Every frame.
        closed: How often it was closed.
    """

    name = "fake loudspeaker"

    def __init__(self) -> None:
        self.heard: list[PcmFrame] = []
        self.closed = 0

    def write(self, frame: PcmFrame) -> None:
        self.heard.append(frame)

    def close(self) -> None:
        self.closed += 1


class FakeVad:
    """A VoiceActivityDetector with probabilities from a script (the last goes on), else 0.95 loud and 0.02 quiet.

    Attributes:
        calls: Chunks judged since it was made.
        resets: How often ``reset`` was called.
    """

    def __init__(self, script: Sequence[float] | None = None, *, loud_dbfs: float = -45.0) -> None:
        self._script = script
        self._loud_dbfs = loud_dbfs
        self.calls = 0
        self.resets = 0

    @property
    def chunk_samples(self) -> int:
        return 512

    @property
    def rate_hz(self) -> int:
        return 16_000

    def probability(self, chunk: Pcm) -> float:
        assert chunk.shape == (512,)
        assert chunk.dtype == np.float32
        self.calls += 1
        if self._script is not None:
            return self._script[min(self.calls, len(self._script)) - 1]
        return 0.95 if level_dbfs(chunk) > self._loud_dbfs else 0.02

    def reset(self) -> None:
        self.resets += 1


def tone(duration_ms: float, amplitude: float = 0.3, hz: float = 220.0, rate_hz: int = 24_000) -> Pcm:
    """A sine: what ``FakeVad`` takes for speech."""
    time_s = np.arange(round(duration_ms * rate_hz / 1e3)) / rate_hz
    return (amplitude * np.sin(2 * np.pi * hz * time_s)).astype(np.float32)


def quiet(duration_ms: float, rate_hz: int = 24_000) -> Pcm:
    """Digital silence."""
    return np.zeros(round(duration_ms * rate_hz / 1e3), dtype=np.float32)


def to_frames(*pieces: Pcm) -> list[PcmFrame]:
    """Cut the pieces, put together, into whole frames; the last one is filled with silence."""
    pcm = np.concatenate(pieces)
    pcm = np.pad(pcm, (0, -len(pcm) % FRAME_SAMPLES)).astype(np.float32)
    return list(pcm.reshape(-1, FRAME_SAMPLES))
