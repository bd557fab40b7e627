"""A WAV as microphone and a buffer as speaker, on one time axis.

The axis: frame ``k`` of the file is captured during ``[80 k, 80 (k + 1))`` ms and delivered at its end; the frame
written next (step ``k``) is heard while frame ``k + 1`` is captured. So ``heard()`` and ``played()`` are
sample-aligned, the right channel begins with 80 ms of silence, and ``reference_frame()`` after ``read_frame()`` number
``k`` is what was written in step ``k - 1``, exactly.

Pacing. *Real time*: frame ``k`` is delivered ``80 (k + 1)`` ms after ``start`` on the wall clock. *Fast* (a
``ManualClock`` was given): while work is in flight session time runs at wall pace, in steps of at most 10 ms, so that
timers fire while it runs; when all are idle it leaps, to the next timer that is due before the frame's end if there is
one (and waits for idle again), else to the frame's end. A frame is delivered when session time has reached its end.

After a recording's end silence is captured until the next one is asked for, the loop ends, or ``tail_cap_ms`` is up.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from kame_desktop.audio.base import DeviceEvent, DeviceInfo, DeviceStats, Loudspeaker
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, Pcm, PcmFrame, silence_frame
from kame_desktop.core.clock import ManualClock

_STEP_MS = 10.0
_SETTLE_S = 0.005
DEFAULT_TAIL_CAP_MS = 60_000.0


class WavDevice:
    """AudioDevice over a recording. Frame thread, but for ``interrupt`` (any thread).

    Args:
        pcm: The recording, float32 ``[n]`` at 24 kHz; the last frame is filled with silence.
        more: Recordings that follow, each when ``next_input`` asks for it.
        name: What the window calls it.
        clock: The session's clock in a fast run, moved by this device; None: real time (the session then uses a
            ``SystemClock`` made when the device starts).
        activity: Counts the work in flight in a fast run.
        tail_cap_ms: The most silence captured after the recording.
        monitor: Makes the loudspeaker that plays heard and played sound together; None from it: there is none.

    Bound: both sides are kept, 188 KB a second. ``stats.underrun_samples`` counts samples of frames that weren't
    written in time, ``overrun_samples`` nothing.
    """

    def __init__(
        self,
        pcm: Pcm,
        *,
        more: Sequence[Pcm] = (),
        name: str = "file",
        clock: ManualClock | None = None,
        activity: Activity | None = None,
        tail_cap_ms: float = DEFAULT_TAIL_CAP_MS,
        monitor: Callable[[], Loudspeaker | None] | None = None,
    ) -> None:
        self._more = deque(more)
        self._tail_frames = int(tail_cap_ms / FRAME_MS)
        self._clock = clock
        self._activity = activity or Activity()
        self._make_monitor = monitor
        self._monitor: Loudspeaker | None = None
        self._info = DeviceInfo(input_name=name, output_name="file", realtime=clock is None)
        self._stats = DeviceStats()
        self._stop = threading.Event()
        self._frames_read = 0
        self._started_s = 0.0
        self._delivered_s = 0.0
        self._origin_ms = 0.0
        self._queue: list[PcmFrame] = []
        self._queued = 0
        self._written_any = False
        self._reference = silence_frame()
        self._heard: list[PcmFrame] = []
        self._played: list[PcmFrame] = []
        self._begin(pcm)

    def _begin(self, pcm: Pcm) -> None:
        """``pcm`` is what the microphone hears from the next frame on."""
        self._pcm = np.pad(pcm, (0, -len(pcm) % FRAME_SAMPLES)).astype(np.float32)
        self._first_frame = self._frames_read
        self._end_frame = self._frames_read + len(self._pcm) // FRAME_SAMPLES

    @property
    def info(self) -> DeviceInfo:
        return self._info

    @property
    def stats(self) -> DeviceStats:
        return self._stats

    @property
    def input_ended(self) -> bool:
        """The recording has been delivered to its last frame; silence follows."""
        return self._frames_read >= self._end_frame

    def next_input(self) -> bool:
        if not self._more:
            return False
        self._begin(self._more.popleft())
        return True

    def open(self) -> None:
        """Open the loudspeaker, if one is wanted and there."""
        if self._make_monitor is None:
            return
        self._monitor = self._make_monitor()
        output_name = self._monitor.name if self._monitor is not None else "no loudspeaker"
        self._info = dataclasses.replace(self._info, output_name=output_name)

    def start(self) -> None:
        """Time begins: the first frame comes 80 ms later."""
        self._started_s = self._delivered_s = time.monotonic()
        self._origin_ms = self._clock.now_ms() if self._clock is not None else 0.0

    def read_frame(self) -> PcmFrame | None:
        """Block until the next frame is captured; None after ``interrupt`` or the end of the tail."""
        if self._over():
            return None
        if not (self._wait_real_time() if self._clock is None else self._wait_fast(self._clock)):
            return None
        at = (self._frames_read - self._first_frame) * FRAME_SAMPLES
        frame = silence_frame() if self.input_ended else self._pcm[at : at + FRAME_SAMPLES].copy()
        self._frames_read += 1
        self._delivered_s = time.monotonic()
        self._play()
        self._heard.append(frame.copy())
        if self._monitor is not None:
            self._monitor.write(np.clip(frame + self._reference, -1.0, 1.0))
        return frame

    def write_frame(self, frame: PcmFrame) -> None:
        self._queue.append(np.array(frame, dtype=np.float32))
        self._queued += len(frame)
        self._written_any = True

    def reference_frame(self) -> PcmFrame:
        return self._reference.copy()

    def backlog_ms(self) -> float:
        """In real time: how far delivery is behind the wall clock; a fast run is never late."""
        if self._clock is not None or self._started_s == 0.0:
            return 0.0
        return max(0.0, (time.monotonic() - self._started_s) * 1e3 - self._frames_read * FRAME_MS)

    def skip_playback(self, samples: int) -> None:
        self._take(max(0, min(samples, self._queued)))

    def queued_ms(self) -> float:
        return self._queued * FRAME_MS / FRAME_SAMPLES

    def hush(self) -> None:
        """Nothing to do: the newest frame, which fades out by itself, is the next to be heard."""

    def take_events(self) -> Sequence[DeviceEvent]:
        return ()

    def interrupt(self) -> None:
        self._stop.set()

    def stop(self) -> None:
        self._stop.set()
        monitor, self._monitor = self._monitor, None
        if monitor is not None:
            monitor.close()

    def heard(self) -> Pcm:
        """All that was captured so far, from the start (left channel)."""
        return np.concatenate(self._heard) if self._heard else np.zeros(0, dtype=np.float32)

    def played(self) -> Pcm:
        """All that was played so far, then what is still queued (right channel)."""
        sound = [*self._played, *self._queue]
        return np.concatenate(sound) if sound else np.zeros(0, dtype=np.float32)

    def _over(self) -> bool:
        return self._stop.is_set() or self._frames_read >= self._end_frame + self._tail_frames

    def _play(self) -> None:
        """What was written is heard now, silence where nothing was."""
        sound = self._take(min(self._queued, FRAME_SAMPLES))
        self._reference = silence_frame()
        self._reference[: len(sound)] = sound
        if self._written_any:
            self._stats.underrun_samples += FRAME_SAMPLES - len(sound)
        self._played.append(self._reference)

    def _take(self, count: int) -> Pcm:
        """Remove ``count`` samples from the head of the queue and return them."""
        taken: list[Pcm] = []
        self._queued -= count
        while count > 0:
            head = self._queue[0]
            taken.append(head[:count])
            if len(head) <= count:
                self._queue.pop(0)
            else:
                self._queue[0] = head[count:]
            count -= len(taken[-1])
        return np.concatenate(taken) if taken else np.zeros(0, dtype=np.float32)

    def _wait_real_time(self) -> bool:
        due_s = self._started_s + (self._frames_read + 1) * FRAME_MS / 1e3
        return not self._stop.wait(max(0.0, due_s - time.monotonic()))

    def _wait_fast(self, clock: ManualClock) -> bool:
        end_ms = self._origin_ms + (self._frames_read + 1) * FRAME_MS
        anchor_s, anchor_ms = self._delivered_s, end_ms - FRAME_MS
        wait_ms = _STEP_MS
        while not self._stop.is_set():
            now_ms = clock.now_ms()
            if now_ms >= end_ms:
                return True
            idle = self._activity.wait_idle(wait_ms / 1e3)
            deadline_ms = clock.next_deadline_ms()
            next_ms = end_ms if deadline_ms is None else min(deadline_ms, end_ms)
            if not idle:
                pace_ms = anchor_ms + (time.monotonic() - anchor_s) * 1e3
                clock.advance_to(min(pace_ms, now_ms + _STEP_MS, next_ms))
                behind = pace_ms > clock.now_ms() + _STEP_MS
                wait_ms = 0.0 if behind else min(_STEP_MS, max(0.1, end_ms - clock.now_ms()))
                continue
            clock.advance_to(next_ms)
            if next_ms >= end_ms:
                self._activity.wait_idle(_SETTLE_S)  # timers due at the frame's very end come before the frame
            anchor_s, anchor_ms = time.monotonic(), clock.now_ms()
            wait_ms = min(_STEP_MS, max(0.1, end_ms - clock.now_ms()))
        return False
