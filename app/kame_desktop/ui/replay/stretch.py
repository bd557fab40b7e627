"""Sound faster or slower at its own pitch. No Qt.

Waveform-similarity overlap-add: every 20 ms a piece of 40 ms is taken from near where it is due, at that place, within
12.5 ms, which goes on best from the piece before, and is faded into it. At speed 1 samples pass as they are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kame_desktop.core.audio_types import FRAME_SAMPLES, Pcm, PcmFrame

_HOP = 480
_SEARCH = 300
_FADE_IN = np.sin(np.linspace(0.0, np.pi / 2, _HOP, endpoint=False, dtype=np.float32)) ** 2
_FADE_OUT = np.float32(1.0) - _FADE_IN
_SILENCE = 1e-6

Source = Callable[[int, int], Pcm]
"""``source(start, count)``: mono samples; silence before the beginning and after the end."""


class Stretcher:
    """Makes frames from a source. One thread. Its state is 40 ms of sound."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._last: int | None = None

    def reset(self) -> None:
        """Forget what came before (after a jump)."""
        self._last = None

    def frame(self, start: float, speed: float) -> PcmFrame:
        """One frame of what begins at sample ``start``, played at ``speed`` (0.5 to 2)."""
        if speed == 1.0:
            self._last = None
            return self._source(round(start), FRAME_SAMPLES)
        pieces: list[Pcm] = [self._hop(start + place * _HOP * speed) for place in range(FRAME_SAMPLES // _HOP)]
        return np.concatenate(pieces)

    def _hop(self, due: float) -> Pcm:
        """``_HOP`` samples: the end of the last piece fades into the beginning of the next."""
        at = round(due)
        if self._last is None:
            self._last = at
            return self._source(at, _HOP)
        going_on = self._source(self._last + _HOP, _HOP)
        at += self._best_shift(at, going_on)
        self._last = at
        mixed: Pcm = going_on * _FADE_OUT + self._source(at, _HOP) * _FADE_IN
        return mixed

    def _best_shift(self, at: int, going_on: Pcm) -> int:
        """Where, near ``at``, the sound is most like what should follow."""
        energy = float(np.dot(going_on, going_on))
        if energy < _SILENCE:
            return 0
        near = self._source(at - _SEARCH, 2 * _SEARCH + _HOP)
        likeness = np.correlate(near, going_on, mode="valid")
        squares = np.concatenate(([0.0], np.cumsum(np.square(near, dtype=np.float64))))
        energies = squares[_HOP:] - squares[:-_HOP]
        return int(np.argmax(likeness / np.sqrt(energies + _SILENCE))) - _SEARCH
