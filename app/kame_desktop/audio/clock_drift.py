"""The echo canceller's reference when microphone and loudspeaker have clocks of their own. Frame thread only.

What was played arrives in the loudspeaker's time, block by block, and is wanted in the microphone's. ``ReferencePacer``
counts both, and resamples so that neither runs away. Counts are coarse (a callback takes 20 ms at once), unless it is
known when the latest block was taken; so a drift is only believed in, and measured, once no constant pace explains
them any more. Measured on AEC3 alone, echo 10 dB under what was played: 42 to 46 dB less echo without drift, 30 to 45
with 100 ppm, 3 with 1 %. With the pacer (``tests/audio/test_clock_drift.py``) 1 % costs the first five seconds.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import soxr

from kame_desktop.audio.ring import SampleRing
from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, MODEL_RATE_HZ, Pcm, PcmFrame, silence_frame

LEAD_MS = 32.0
"""So much that was played waits at the beginning: a block of 20 ms, its lateness, and what a small drift takes away."""
_MOST_DRIFT = 0.03
_FRAME_S = FRAME_MS / 1e3
_BLOCK_JITTER_S = 0.030
"""How far the counts may lie apart without a drift: a callback's block, and a little for its lateness."""
_TIMED_JITTER_S = 0.008
"""How far when it is known when a block was taken: the lateness alone."""
_GAP_S = 0.060
"""More from one frame to the next is no drift: sound was lost, or the computer slept."""
_LEAST_FRAMES = 50
"""Of counts, before they are looked at."""
_MOST_FRAMES = 800
_LOOK_FRAMES = 12
_FILL_FRAMES = 25
_FILL_LEAST_MS = 12.0
_FILL_LIMIT_MS = 45.0
"""So much more waits before some is dropped: a jump costs AEC3 one to three seconds."""
_UNSURE = 500.0
"""Standard error of a slope, six times, in standard deviations of n counts over n to the power of 1.5; every fourth
count is taken for an independent one."""
_NO_DRIFT = 5e-6


class DriftMeter:
    """How much faster the loudspeaker's clock runs, from counts. Pure.

    Args:
        timed: It is known when what is counted happened.

    Attributes:
        drift: 0.01: by one per cent.
    """

    def __init__(self, *, timed: bool) -> None:
        self.drift = 0.0
        self._timed = timed
        self._jitter_s = _TIMED_JITTER_S if timed else _BLOCK_JITTER_S
        self._counts_s: deque[float] = deque(maxlen=_MOST_FRAMES)
        self._since_look = 0

    def count(self, ahead_s: float) -> bool:
        """Take, once a frame, how far what was played is ahead of what was captured; True when ``drift`` changes."""
        if self._counts_s and abs(ahead_s - self._counts_s[-1]) > _GAP_S:
            self._counts_s.clear()
        self._counts_s.append(ahead_s)
        self._since_look += 1
        if self._since_look < _LOOK_FRAMES or len(self._counts_s) < _LEAST_FRAMES:
            return False
        self._since_look = 0
        counts_s = np.asarray(self._counts_s)
        at_s = _FRAME_S * np.arange(len(counts_s))
        low, high = np.percentile(counts_s - self.drift * at_s, (2.0, 98.0))
        slope = _slope(counts_s)
        unsure = _UNSURE * float(np.std(counts_s - slope * at_s)) / len(counts_s) ** 1.5 if self._timed else np.inf
        if high - low <= self._jitter_s and abs(slope - self.drift) <= max(unsure, _NO_DRIFT):
            return False
        self.drift = float(np.clip(slope, -_MOST_DRIFT, _MOST_DRIFT))
        return True


def _slope(ahead_s: np.ndarray) -> float:
    """Rise a second: the later half against the earlier one, each through a window that is blind to the blocks."""
    half = len(ahead_s) // 2
    window = np.hanning(half + 2)[1:-1]
    early = np.average(ahead_s[:half], weights=window)
    late = np.average(ahead_s[-half:], weights=window)
    return float(late - early) / ((len(ahead_s) - half) * _FRAME_S)


class ReferencePacer:
    """Pairs what was played with what was captured. Bound: two seconds, what is more is dropped.

    Args:
        rate_hz: Of what is played.
        timed: ``frame`` is told when the latest block was taken: small drifts are seen then, too.
    """

    def __init__(self, rate_hz: int, *, timed: bool = False) -> None:
        self._rate_hz = rate_hz
        self._stream = soxr.ResampleStream(rate_hz * (1.0 + 2 * _MOST_DRIFT), MODEL_RATE_HZ, 1, vr=True)
        self._ring = SampleRing(2 * MODEL_RATE_HZ)
        self._meter = DriftMeter(timed=timed)
        self._played = 0
        self._frames = 0
        self._aligned = False
        self._fill_ms: deque[float] = deque(maxlen=_FILL_FRAMES)
        self._stream.set_io_ratio(rate_hz, MODEL_RATE_HZ)

    @property
    def drift(self) -> float:
        """How much faster the loudspeaker's clock is known to run."""
        return self._meter.drift

    def play(self, pcm: Pcm) -> None:
        """What the loudspeaker took since the last call (float32 ``[n]`` at ``rate_hz``)."""
        self._played += len(pcm)
        self._ring.write(self._stream.resample_chunk(np.ascontiguousarray(pcm, dtype=np.float32)))

    def frame(self, waiting_ms: float = 0.0, since_block_ms: float = 0.0) -> PcmFrame:
        """The reference of the next captured frame.

        Args:
            waiting_ms: Captured sound that comes after it already.
            since_block_ms: How long before the microphone's latest block the loudspeaker took its own latest one.
        """
        self._frames += 1
        captured_s = self._frames * _FRAME_S + waiting_ms / 1e3
        if self._meter.count(self._played / self._rate_hz + since_block_ms / 1e3 - captured_s):
            self._stream.set_io_ratio(self._rate_hz * (1.0 + self.drift), MODEL_RATE_HZ, FRAME_SAMPLES)
        self._align(waiting_ms)
        frame = silence_frame()
        missing = FRAME_SAMPLES - self._ring.available
        if self._aligned and missing > 0:  # too slow: be late once, by enough, rather than a little every time
            self._fill_ms.clear()
            self._ring.read_into(frame[min(FRAME_SAMPLES, missing + _samples(LEAD_MS)) :])
        else:
            self._ring.read_into(frame)
        return frame

    def _align(self, waiting_ms: float) -> None:
        """Begin with ``LEAD_MS``; drop what waits too long."""
        fill_ms = (self._ring.available - FRAME_SAMPLES) / MODEL_RATE_HZ * 1e3 - waiting_ms
        self._fill_ms.append(fill_ms)
        excess_ms = min(self._fill_ms) - _FILL_LEAST_MS
        if not self._aligned:
            self._aligned = fill_ms >= LEAD_MS
            self._ring.discard(_samples(fill_ms - LEAD_MS))
            self._fill_ms.clear()
        elif len(self._fill_ms) == _FILL_FRAMES and excess_ms > _FILL_LIMIT_MS:
            self._ring.discard(_samples(excess_ms))
            self._fill_ms.clear()


def _samples(duration_ms: float) -> int:
    return round(duration_ms * MODEL_RATE_HZ / 1e3)
