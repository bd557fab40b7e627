"""A turn detector that knows beforehand in which frames the user speaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kame_desktop.core.audio_types import FRAME_MS, PcmFrame, UserActivity

_PAUSE_MS = 160.0
_FINISH_MS = 480.0


@dataclass
class ScriptedTurns:
    """``speech``: stretches of frames ``(first, after_last)`` with speech, in order."""

    speech: Sequence[tuple[int, int]] = ((2, 14),)

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._frame = -1
        self._utterance = 0
        self._open = False
        self._paused = False
        self._speech_ms = 0.0
        self._silence_ms = 0.0

    def expect_more(self, expected: bool) -> None:
        pass

    def process(self, frame: PcmFrame) -> UserActivity:
        self._frame += 1
        speaking = any(first <= self._frame < end for first, end in self.speech)
        started = paused = finished = False
        if speaking:
            started = not self._open or self._paused
            if not self._open:
                self._utterance += 1
                self._open, self._speech_ms = True, 0.0
            self._paused = False
            self._silence_ms = 0.0
            self._speech_ms += FRAME_MS
        elif self._open:
            self._silence_ms += FRAME_MS
            paused = not self._paused and self._silence_ms >= _PAUSE_MS
            self._paused = self._paused or paused
            finished = self._silence_ms >= _FINISH_MS
            self._open = not finished
        return UserActivity(
            utterance=self._utterance,
            speaking=speaking,
            started=started,
            paused=paused,
            finished=finished,
            speech_ms=self._speech_ms,
            silence_ms=self._silence_ms,
            last_speech_ms=(self._frame + 1) * FRAME_MS - self._silence_ms,
        )
