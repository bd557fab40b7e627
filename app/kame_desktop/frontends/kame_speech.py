"""Is the model speaking? Moshi never says so: it is read off its sound and its text.

Thresholds: sound counts from -45 dBFS over 10 ms (Mimi's own silence lies near -60); speech has begun with the first
such block or the first piece of a word, whichever comes first, and is over after 800 ms with neither, which is longer
than the pauses inside a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, PcmFrame, UserActivity

SOUND_DBFS = -45.0
QUIET_MS = 800.0
ANSWER_WAIT_MS = 4_000.0
"""How long after the user's words an answer is still expected."""

_BLOCKS = 8
_BLOCK_SAMPLES = FRAME_SAMPLES // _BLOCKS
_BLOCK_MS = FRAME_MS / _BLOCKS
_SOUND_ENERGY = 10.0 ** (SOUND_DBFS / 10.0) * _BLOCK_SAMPLES


@dataclass(frozen=True, slots=True)
class SpeechChange:
    """What one frame changed; ``onset_ms`` into it the sound began."""

    started: bool = False
    onset_ms: float = 0.0
    ended: bool = False


_SAME = SpeechChange()


class AgentSpeech:
    """Follows the model's speech and whether it still owes an answer. Owner: the frame thread.

    Attributes:
        speaking: Speech has begun and isn't over.
    """

    def __init__(self) -> None:
        self.speaking = False
        self._quiet_ms = 0.0
        self._awaited_ms = 0.0

    def reset(self) -> None:
        """Begin a session."""
        self.speaking = False
        self._quiet_ms = 0.0
        self._awaited_ms = 0.0

    def take(self, pcm: PcmFrame, says_something: bool) -> SpeechChange:
        """Judge the frame that is about to be played."""
        blocks = pcm.reshape(_BLOCKS, _BLOCK_SAMPLES)
        loud = np.einsum("ij,ij->i", blocks, blocks) > _SOUND_ENERGY
        sounds = bool(loud.any())
        if sounds or says_something:
            self._quiet_ms = 0.0
            if self.speaking:
                return _SAME
            self.speaking = True
            self._awaited_ms = 0.0
            return SpeechChange(started=True, onset_ms=float(loud.argmax()) * _BLOCK_MS if sounds else 0.0)
        if not self.speaking:
            return _SAME
        self._quiet_ms += FRAME_MS
        if self._quiet_ms < QUIET_MS:
            return _SAME
        self.speaking = False
        return SpeechChange(ended=True)

    def owes_answer(self, user: UserActivity, *, nothing_heard: bool) -> bool:
        """Whether an answer to the user's latest words is still to be expected. To be asked once a frame."""
        if nothing_heard:
            self._awaited_ms = 0.0
        elif user.started or user.speaking or user.paused:
            self._awaited_ms = ANSWER_WAIT_MS
        elif self._awaited_ms > 0.0:
            self._awaited_ms -= FRAME_MS
        return self._awaited_ms > 0.0
