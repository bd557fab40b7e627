"""How loud the assistant's voice is played: the user's volume, and softer while somebody may be speaking. Pure."""

from __future__ import annotations

import numpy as np

from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, MODEL_RATE_HZ, PcmFrame

DUCKED = 0.25
"""12 dB softer."""
_DOWN_MS = 30.0
_UP_MS = 240.0
_HOLD_MS = 600.0
_WARY_MS = 3_000.0
_MOST_WARY_MS = 24_000.0


class Ducker:
    """Softer at the first sign of a user over the answer; decide whether to stop is the front end's business.

    A softer voice makes a softer echo, so what made it duck is heard better: either there is a user, who goes on and
    interrupts, or it was the echo, which ends. Then the voice comes back ``_HOLD_MS`` after the end of that speech, and
    the next sign is not believed for ``_WARY_MS``, twice as long after each false alarm, so that an echo can't make the
    voice pump. Frame thread only.
    """

    def __init__(self) -> None:
        self.ducked = False
        self._quiet_ms = 0.0
        self._wary_ms = 0.0
        self._next_wary_ms = _WARY_MS

    def hear(self, *, assistant: bool, user: bool, interrupted: bool = False) -> bool:
        """Take the next frame: who speaks, and whether the answer was given up for the user; True: be softer.

        The voice doesn't get louder in the frame in which it ends.
        """
        before = self.ducked
        self._wary_ms = max(0.0, self._wary_ms - FRAME_MS)
        if interrupted:
            self._next_wary_ms = _WARY_MS
            self._wary_ms = 0.0
        if interrupted or not assistant:
            self.ducked = False
        elif not self.ducked:
            self.ducked = user and self._wary_ms == 0.0
            self._quiet_ms = 0.0
        else:
            self._quiet_ms = 0.0 if user else self._quiet_ms + FRAME_MS
            if self._quiet_ms >= _HOLD_MS:
                self.ducked = False
                self._wary_ms = self._next_wary_ms
                self._next_wary_ms = min(_MOST_WARY_MS, 2.0 * self._next_wary_ms)
        return before or self.ducked


class Loudness:
    """A gain without clicks: down within 30 ms, up within three frames. Frame thread only."""

    def __init__(self) -> None:
        self._gain: float | None = None

    def play(self, frame: PcmFrame, gain: float) -> PcmFrame:
        """``frame`` on its way to ``gain`` (0 to 1); the first frame begins with it."""
        before = gain if self._gain is None else self._gain
        after = max(gain, before - FRAME_MS / _DOWN_MS) if gain < before else min(gain, before + FRAME_MS / _UP_MS)
        self._gain = after
        if before == after == 1.0:
            return frame
        if before == after:
            return (frame * np.float32(after)).astype(np.float32)
        ramp_ms = _DOWN_MS if after < before else FRAME_MS
        return (frame * ramp(before, after, ramp_ms)).astype(np.float32)


def ramp(before: float, after: float, ramp_ms: float) -> PcmFrame:
    """Gains of one frame: from ``before`` to ``after`` within ``ramp_ms``, then as they are."""
    gains = np.full(FRAME_SAMPLES, after, dtype=np.float32)
    count = min(FRAME_SAMPLES, round(ramp_ms * MODEL_RATE_HZ / 1e3))
    gains[:count] = np.linspace(before, after, count, dtype=np.float32)
    return gains
