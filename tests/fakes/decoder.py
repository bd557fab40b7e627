"""A speech-to-text model that hears the number of loud frames: "one two three ..." for as many as it is given."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from kame_desktop.backend.stt.whisper import Hypothesis, WhisperDecoder
from kame_desktop.core.audio_types import Pcm

_RATE_HZ = 16_000


@dataclass
class FakeDecoder(WhisperDecoder):
    """See the module's text.

    Attributes:
        words_per_s: How many words it hears a second of sound.
        gate: Each decoding waits for it when given.
        error: Raised instead of an answer.
        heard_s: Length of every sound it was given.
    """

    words_per_s: float = 2.5
    gate: threading.Semaphore | None = None
    error: Exception | None = None
    no_speech_prob: float = 0.01
    heard_s: list[float] = field(default_factory=list)
    unloaded: bool = False

    def load(self) -> None:
        pass

    def decode(self, sound: Pcm) -> Hypothesis:
        if self.gate is not None:
            self.gate.acquire(timeout=10.0)
        if self.error is not None:
            raise self.error
        seconds = len(sound) / _RATE_HZ
        self.heard_s.append(seconds)
        words = [f"w{number}" for number in range(int(seconds * self.words_per_s))]
        return Hypothesis(" ".join(words), -0.1, self.no_speech_prob)

    def unload(self) -> None:
        self.unloaded = True
