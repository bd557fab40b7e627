"""The model's time grid: 80 ms frames of 24 kHz mono float samples.

In audio code time is a sample count. Everything that crosses a thread or a model boundary is a whole frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

MODEL_RATE_HZ = 24_000
FRAME_SAMPLES = 1_920
FRAME_MS = 80.0

PcmFrame: TypeAlias = NDArray[np.float32]
"""One frame: shape ``[FRAME_SAMPLES]``, float32 in [-1, 1], mono, ``MODEL_RATE_HZ``."""

Pcm: TypeAlias = NDArray[np.float32]
"""Any stretch of mono float32 sound, shape ``[samples]``; its rate is named where it is used."""


@dataclass(frozen=True, slots=True)
class UserActivity:
    """What the turn detector heard in one frame (made on the frame thread).

    Attributes:
        utterance: Number of the current or latest user utterance, from 1; 0 before the first.
        speaking: The user is speaking at the end of this frame (pauses inside an utterance count as not speaking).
        started: Speech began, or went on after a tentative end, in this frame.
        paused: Speech ended tentatively in this frame: the assistant may take the turn.
        finished: The utterance is over for good (the longer silence has passed); its words may become final.
        speech_ms: Speech so far in this utterance, pauses not counted.
        silence_ms: Silence since the last sound of speech; while speaking, so far: it may be a gap inside a word.
        last_speech_ms: Session time of the last sample that held speech in this utterance.
    """

    utterance: int = 0
    speaking: bool = False
    started: bool = False
    paused: bool = False
    finished: bool = False
    speech_ms: float = 0.0
    silence_ms: float = 0.0
    last_speech_ms: float = 0.0


SILENT_ACTIVITY = UserActivity()


def silence_frame() -> PcmFrame:
    """Return a new frame of digital silence."""
    return np.zeros(FRAME_SAMPLES, dtype=np.float32)


def level_dbfs(pcm: Pcm) -> float:
    """Root-mean-square level in dB of full scale; -120 for silence or an empty array."""
    if pcm.size == 0:
        return -120.0
    mean_square = float(np.mean(np.square(pcm, dtype=np.float64)))
    return 10.0 * float(np.log10(mean_square)) if mean_square > 1e-12 else -120.0
