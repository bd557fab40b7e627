"""How loud it is, for the level meters. Pure; one meter a stream, on the thread that has the sound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kame_desktop.core.audio_types import MODEL_RATE_HZ, Pcm, level_dbfs

FLOOR_DBFS = -120.0
_HEARD_PEAK_DBFS = -10.0
_MAX_GAIN_DB = 40.0


@dataclass(frozen=True, slots=True)
class Level:
    """One reading in dB of full scale, ``FLOOR_DBFS`` to about 0.

    Attributes:
        rms_dbfs: Root mean square of the latest samples.
        peak_dbfs: Highest sample; jumps up at once and falls by ``LevelMeter.decay_db_per_s``.
        clipped: A sample reached full scale.
    """

    rms_dbfs: float = FLOOR_DBFS
    peak_dbfs: float = FLOOR_DBFS
    clipped: bool = False


def peak_dbfs(pcm: Pcm) -> float:
    """Highest absolute sample in dB of full scale; ``FLOOR_DBFS`` for silence or an empty array."""
    peak = float(np.max(np.abs(pcm))) if pcm.size else 0.0
    return max(FLOOR_DBFS, 20.0 * float(np.log10(peak))) if peak > 0.0 else FLOOR_DBFS


def listening_gain(*clips: Pcm) -> float:
    """What to multiply quiet recordings with before speech is looked for in them: their loudest sample decides.

    Voice activity detection misses the soft half of a sentence that peaks at -40 dBFS. 1 for recordings that are loud
    enough, at most 100 (40 dB).
    """
    peak = max((peak_dbfs(clip) for clip in clips), default=FLOOR_DBFS)
    return 10.0 ** (min(max(_HEARD_PEAK_DBFS - peak, 0.0), _MAX_GAIN_DB) / 20.0)


class LevelMeter:
    """Peak with decay and RMS over successive pieces of sound; time is a sample count."""

    def __init__(self, decay_db_per_s: float = 40.0, rate_hz: int = MODEL_RATE_HZ) -> None:
        self.decay_db_per_s = decay_db_per_s
        self._rate_hz = rate_hz
        self._held_dbfs = FLOOR_DBFS

    def process(self, pcm: Pcm) -> Level:
        """Take the next samples (float32 ``[n]``) and say how loud it is at their end."""
        now_dbfs = peak_dbfs(pcm)
        fallen = self._held_dbfs - self.decay_db_per_s * len(pcm) / self._rate_hz
        self._held_dbfs = max(now_dbfs, fallen, FLOOR_DBFS)
        return Level(rms_dbfs=level_dbfs(pcm), peak_dbfs=self._held_dbfs, clipped=now_dbfs >= -0.01)

    def reset(self) -> None:
        """Fall silent at once."""
        self._held_dbfs = FLOOR_DBFS
