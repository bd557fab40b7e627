"""Plays a recording's sound and says where it is. No Qt.

The position is the sound's: it moves on with every frame that is handed to the loudspeaker, and between two of them
with the time that has passed. Without a loudspeaker, or without sound, it moves on the same way in silence.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

import numpy as np

from kame_desktop.audio.base import Loudspeaker
from kame_desktop.core.audio_types import FRAME_MS, MODEL_RATE_HZ, Pcm
from kame_desktop.core.errors import AppError
from kame_desktop.recordings.wav import Pcm16
from kame_desktop.ui.replay.stretch import Stretcher

SLOWEST, FASTEST = 0.5, 2.0
_FRAME_S = FRAME_MS / 1e3
_LATE_S = 0.25
"""After a longer pause of the machine time isn't made up for."""
_FULL_SCALE = np.float32(1.0 / 32_768.0)
_PER_MS = MODEL_RATE_HZ / 1_000.0
_JOIN_S = 1.5


class Player:
    """See the module's text. Any thread may ask and command; its own thread writes to the loudspeaker.

    Bound: one frame is on its way; the loudspeaker's queue is its own. ``end`` or ``close`` ends the thread.

    Args:
        sound: ``[samples, channels]``; the channels are heard together. Empty: there is none.
        sound_start_ms: Session time of its first sample.
        start_ms: Session time at which the recording begins.
        end_ms: And ends.
        open_loudspeaker: Opens one, on the player's thread; returns None or raises AppError when there is none.
        clock: Seconds, monotonic.
        alone: Without a thread: somebody else calls ``step``.
    """

    def __init__(
        self,
        sound: Pcm16,
        *,
        sound_start_ms: float,
        start_ms: float,
        end_ms: float,
        open_loudspeaker: Callable[[], Loudspeaker | None],
        clock: Callable[[], float] = time.perf_counter,
        alone: bool = False,
    ) -> None:
        self._sound = sound
        self._sound_start_ms = sound_start_ms
        self.start_ms = start_ms
        self.end_ms = max(start_ms, end_ms)
        self._open_loudspeaker = open_loudspeaker
        self._clock = clock
        self._stretcher = Stretcher(self._mono)
        self._changed = threading.Condition()
        self._position_ms = start_ms
        self._handed_s: float | None = None
        self._due_s: float | None = None
        self._jumps = self._stretched_jump = 0
        self._speed = 1.0
        self._muted = False
        self._playing = False
        self._closed = False
        self._loudspeaker: Loudspeaker | None = None
        self._silent = False
        self._thread: threading.Thread | None = None
        if not alone:
            self._thread = threading.Thread(target=self._main, name="replay", daemon=True)
            self._thread.start()

    @property
    def playing(self) -> bool:
        """It moves on."""
        with self._changed:
            return self._playing

    @property
    def alive(self) -> bool:
        """Its thread hasn't ended."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def silent(self) -> bool:
        """Nothing is heard: there is no sound, or no loudspeaker."""
        with self._changed:
            return self._silent or not len(self._sound)

    @property
    def muted(self) -> bool:
        """Nothing is to be heard."""
        with self._changed:
            return self._muted

    @property
    def speed(self) -> float:
        """How fast it plays."""
        with self._changed:
            return self._speed

    @property
    def position_ms(self) -> float:
        """Session time that is being heard."""
        with self._changed:
            return self._now_ms()

    # Commands ------------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Go on, from the beginning when it is at its end."""
        with self._changed:
            if self._playing or self._closed:
                return
            if self._position_ms >= self.end_ms:
                self._jump(self.start_ms)
            self._playing = True
            self._due_s = self._handed_s = None
            self._changed.notify_all()

    def pause(self) -> None:
        """Stop here."""
        with self._changed:
            self._position_ms = self._now_ms()
            self._stop()

    def seek(self, ms: float) -> None:
        """Go to a session time."""
        with self._changed:
            self._jump(min(max(ms, self.start_ms), self.end_ms))
            self._changed.notify_all()

    def set_speed(self, speed: float) -> None:
        """Play faster or slower, at the same pitch."""
        with self._changed:
            self._position_ms = self._now_ms()
            self._handed_s = None
            self._speed = min(max(speed, SLOWEST), FASTEST)
            self._jumps += 1

    def set_muted(self, muted: bool) -> None:
        """Let nothing be heard, or everything."""
        with self._changed:
            self._muted = muted

    def end(self) -> None:
        """Stop for good; returns at once, the thread lets go of the loudspeaker and ends. Idempotent."""
        with self._changed:
            self._closed = True
            self._stop()
        if self._thread is None:
            self._let_go()

    def close(self) -> None:
        """``end``, and wait for the thread: for as long as the loudspeaker takes, at most 1.5 s."""
        self.end()
        if self._thread is not None:
            self._thread.join(_JOIN_S)

    # The player's thread -------------------------------------------------------------------------------------------

    def _main(self) -> None:
        while True:
            with self._changed:
                if self._closed:
                    break
                idle = not self._playing
            wait_s = self.step()
            with self._changed:
                if self._closed:
                    break
                if idle == (not self._playing):
                    self._changed.wait(wait_s)
        self._let_go()

    def step(self) -> float | None:
        """Do what is due. Returns how many seconds later something is due again; None: not before a command."""
        with self._changed:
            playing = self._playing
            ready = self._loudspeaker is not None or self._silent or not len(self._sound)
        if not playing:
            self._let_go()
            return None
        if not ready:
            self._reach_loudspeaker()
        now_s = self._clock()
        with self._changed:
            if not self._playing:
                return 0.0
            if self._due_s is None or now_s - self._due_s > _LATE_S:
                self._due_s = now_s
            if now_s < self._due_s:
                return self._due_s - now_s
            if self._handed_s is not None:
                self._position_ms += FRAME_MS * self._speed
                self._handed_s = None
            if self._position_ms >= self.end_ms:
                self._position_ms = self.end_ms
                self._stop()
                return 0.0
            at = (self._position_ms - self._sound_start_ms) * _PER_MS
            speed, jump, loudspeaker = self._speed, self._jumps, self._loudspeaker
            wanted = loudspeaker is not None and not self._muted
        if jump != self._stretched_jump:
            self._stretcher.reset()
            self._stretched_jump = jump
        # Outside the lock: the disk may take its time, and the window asks for the position meanwhile.
        frame = self._stretcher.frame(at, speed) if wanted else None
        with self._changed:
            if jump != self._jumps or not self._playing:
                return 0.0
            self._handed_s = now_s
            self._due_s = (self._due_s or now_s) + _FRAME_S
            wait_s = self._due_s - self._clock()
        if frame is not None and loudspeaker is not None:
            loudspeaker.write(frame)
        return max(0.0, wait_s)

    def _reach_loudspeaker(self) -> None:
        loudspeaker = None
        with contextlib.suppress(AppError):
            loudspeaker = self._open_loudspeaker()
        with self._changed:
            self._loudspeaker, self._silent = loudspeaker, loudspeaker is None

    def _let_go(self) -> None:
        """Others may want the loudspeaker; what it still holds isn't heard."""
        with self._changed:
            loudspeaker, self._loudspeaker = self._loudspeaker, None
            self._silent = False
        if loudspeaker is not None:
            loudspeaker.close()

    # With the lock -------------------------------------------------------------------------------------------------

    def _now_ms(self) -> float:
        if not self._playing or self._handed_s is None:
            return self._position_ms
        since_ms = min(FRAME_MS, max(0.0, (self._clock() - self._handed_s) * 1e3))
        return min(self.end_ms, self._position_ms + since_ms * self._speed)

    def _jump(self, ms: float) -> None:
        self._position_ms = ms
        self._handed_s = None
        self._jumps += 1

    def _stop(self) -> None:
        self._playing = False
        self._handed_s = None
        self._changed.notify_all()

    def _mono(self, start: int, count: int) -> Pcm:
        """Both voices; silence where there is no sound."""
        out = np.zeros(count, dtype=np.float32)
        first, last = max(0, start), min(len(self._sound), start + count)
        if first < last:
            part = self._sound[first:last].astype(np.float32).sum(axis=1) * _FULL_SCALE
            np.clip(part, -1.0, 1.0, out=out[first - start : last - start])
        return out
