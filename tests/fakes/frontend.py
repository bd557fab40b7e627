"""A front end that says each oracle word as one frame of tone once the user has paused and the answer is current."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kame_desktop.core.audio_types import FRAME_SAMPLES, silence_frame
from kame_desktop.core.events import SpokenKind
from kame_desktop.frontends.base import (
    Capabilities,
    FrontendInput,
    FrontendOutput,
    LoadProgress,
    SpokenWord,
)


class NumberedWords:
    """One id a word, in the order of first use."""

    pad_id = 0
    start_id = 1

    def __init__(self) -> None:
        self.words: list[str] = []

    def encode(self, text: str) -> Sequence[int]:
        ids = []
        for word in text.split():
            if word not in self.words:
                self.words.append(word)
            ids.append(self.words.index(word) + 2)
        return ids


@dataclass
class FakeFrontend:
    """See the module's text.

    Attributes:
        given: Every input of ``step``.
        block_load: ``load`` waits for this event (a library that can't be interrupted).
        fail_at_frame: ``step`` raises there.
    """

    capabilities: Capabilities = field(
        default_factory=lambda: Capabilities("fake", "Fake", oracle_tokens_per_frame=1, min_start_tokens=1)
    )
    block_load: threading.Event | None = None
    load_error: Exception | None = None
    fail_at_frame: int | None = None
    notes: Sequence[str] = ()
    given: list[FrontendInput] = field(default_factory=list)
    closed: bool = False

    def __post_init__(self) -> None:
        self.tokenizer = NumberedWords()
        self._say: list[SpokenWord] = []
        self._may_speak = False
        self._speaking = False
        self._ended = False
        self._current = False

    def load(self, progress: LoadProgress) -> None:
        progress(0.5, "loading the fake voice")
        if self.block_load is not None:
            self.block_load.wait(10.0)
        if self.load_error is not None:
            raise self.load_error
        progress(1.0, "loaded")

    def reset(self) -> None:
        self._say.clear()
        self._may_speak = self._speaking = self._ended = self._current = False

    def step(self, given: FrontendInput) -> FrontendOutput:
        self.given.append(given)
        if given.frame == self.fail_at_frame:
            raise RuntimeError("the user's secret words")
        if given.user.paused:
            self._may_speak = True
        if given.user.started or given.turn_taken:
            self._may_speak = self._current = False
            if self._speaking:
                self._say.clear()
                self._speaking = False
                return FrontendOutput(silence_frame(), interrupted=True)
        for token in given.oracle.ids:
            if token == self.tokenizer.start_id:
                self._say.clear()
                self._ended = False
            elif token != self.tokenizer.pad_id:
                word = self.tokenizer.words[token - 2]
                self._say.append(SpokenWord(word, given.oracle.generation, SpokenKind.ANSWER))
        self._ended = self._ended or given.oracle.ends
        self._current = self._current or given.oracle_current
        return self._speak()

    def close(self) -> None:
        self.closed = True

    def _speak(self) -> FrontendOutput:
        if not self._may_speak:
            return FrontendOutput(silence_frame())
        if self._say and self._current:
            word = self._say.pop(0)
            started, self._speaking = not self._speaking, True
            pcm = np.full(FRAME_SAMPLES, 0.1, dtype=np.float32)
            return FrontendOutput(pcm, words=(word,), speech_started=started, holding_turn=True)
        if self._speaking and self._ended:
            self._speaking = self._may_speak = False
            return FrontendOutput(silence_frame(), speech_ended=True)
        return FrontendOutput(silence_frame(), holding_turn=True)
