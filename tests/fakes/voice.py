"""A voice made of tones, and a synthesizer without a thread."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from kame_desktop.core.activity import Activity
from kame_desktop.frontends.voice import Clip, ClipKey, Synthesizer, SynthesizerFactory, Voice

WORD_SAMPLES = 2_400
LETTER_SAMPLES = 480


class FakeVoice:
    """Implements ``Voice``: one tone a word, 100 ms and 20 ms more for each letter; onsets are exact.

    Attributes:
        spoken: Every clause that was synthesised, in order.
        closed: ``close`` was called.
        fail_on: A word on which ``speak`` raises.
        mute: Words without a sound.
    """

    def __init__(self, fail_on: str | None = None, mute: Sequence[str] = ()) -> None:
        self.spoken: list[ClipKey] = []
        self.closed = False
        self.fail_on = fail_on
        self.mute = frozenset(mute)

    def load(self) -> None:
        pass

    def speak(self, key: ClipKey) -> Clip:
        self.spoken.append(key)
        if self.fail_on in key.words:
            raise RuntimeError("the fake voice was told to fail")
        parts: list[np.ndarray] = []
        onsets: list[int] = []
        at = 0
        for word in key.words:
            onsets.append(at)
            if word not in self.mute:
                parts.append(word_tone(word))
                at += parts[-1].size
        pcm = np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)
        return Clip(pcm.astype(np.float32), tuple(onsets))

    def close(self) -> None:
        self.closed = True


def word_samples(word: str) -> int:
    """How long ``word`` sounds."""
    return WORD_SAMPLES + LETTER_SAMPLES * len(word)


def word_tone(word: str) -> np.ndarray:
    """The sound of a word: a sine whose pitch depends on it, zero at both ends."""
    samples = word_samples(word)
    pitch = 200 + zlib.crc32(word.encode()) % 800
    time = np.arange(samples) / 24_000
    edge = np.minimum(1.0, np.minimum(np.arange(samples), np.arange(samples)[::-1]) / 48)
    return (0.3 * np.sin(2 * np.pi * pitch * time) * edge).astype(np.float32)


class InlineSynthesizer:
    """Implements ``Synthesizer`` on the caller's thread: a wish is done ``delay`` calls of ``want`` later."""

    def __init__(self, voice: Voice, activity: Activity, delay: int = 0) -> None:
        self._voice = voice
        self._delay = delay
        self._now = 0
        self._pending: dict[ClipKey, int] = {}
        self.closed = False

    def want(self, keys: Sequence[ClipKey]) -> None:
        self._now += 1
        self._pending = {key: self._pending.get(key, self._now + self._delay) for key in keys}

    def poll(self) -> list[tuple[ClipKey, Clip]]:
        due = [key for key, at in self._pending.items() if at <= self._now]
        for key in due:
            del self._pending[key]
        return [(key, self._voice.speak(key)) for key in due]

    def drop(self) -> None:
        self._pending.clear()

    def close(self) -> None:
        self.closed = True
        self._voice.close()


def inline(delay: int = 0) -> SynthesizerFactory:
    """A factory of ``InlineSynthesizer`` whose clips come ``delay`` frames late."""

    def make(voice: Voice, activity: Activity) -> Synthesizer:
        return InlineSynthesizer(voice, activity, delay)

    return make
