"""A speech-to-text that knows beforehand what will be said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kame_desktop.backend.stt.base import SttFrame, Transcription
from kame_desktop.core.audio_types import FRAME_MS


@dataclass
class FakeStt:
    """Says one more word of the script every ``frames_per_word`` frames of an utterance, and all of it at its end.

    Attributes:
        script: What is said, one text an utterance.
        hang_on_load: ``load`` never returns by itself.
        fed: Utterance number of every frame that was fed.
    """

    script: Sequence[str] = ("what is the capital of France?",)
    frames_per_word: int = 2
    hang_on_load: bool = False
    load_error: Exception | None = None
    fed: list[int] = field(default_factory=list)
    closed: bool = False
    name: str = "fake"

    def __post_init__(self) -> None:
        self._emit: Callable[[Transcription], None] | None = None
        self._frames = 0
        self._rev = 0
        self._shown = ""

    async def load(self) -> None:
        if self.hang_on_load:
            await asyncio.Event().wait()
        if self.load_error is not None:
            raise self.load_error

    def start(self, emit: Callable[[Transcription], None], on_error: Callable[[BaseException], None]) -> None:
        self._emit = emit

    def feed(self, frame: SttFrame) -> None:
        user = frame.user
        self.fed.append(user.utterance)
        if user.started:
            self._frames = 0
        if user.utterance == 0 or self._emit is None:
            return
        self._frames += 1
        text = self.script[(user.utterance - 1) % len(self.script)]
        words = text.split()
        heard = words if user.paused or user.finished else words[: self._frames // self.frames_per_word]
        shown = " ".join(heard)
        if shown == self._shown and not user.finished:
            return
        self._shown = shown
        self._rev += 1
        self._emit(
            Transcription(
                utterance=user.utterance,
                rev=self._rev,
                text=shown,
                stable_words=max(0, len(heard) - 1),
                final=user.finished,
                audio_ms=self._frames * FRAME_MS,
                heard_until_ms=frame.end_ms if heard == words else 0.0,  # it holds words back
            )
        )

    async def stop(self) -> None:
        self._emit = None

    async def close(self) -> None:
        await self.stop()
        self.closed = True
