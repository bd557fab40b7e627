"""A language model in virtual time: scripted answers, no thread, no network."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field

from kame_desktop.backend.llm.base import LlmChunk, LlmModel, LlmRequest, LlmUsage, Message
from kame_desktop.backend.prompt import estimate_tokens
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import AppError


@dataclass(frozen=True, slots=True)
class Answer:
    """How one question is answered.

    Attributes:
        text: Sent in chunks of a word each.
        first_ms: From request to first chunk.
        gap_ms: Between chunks.
        error: Raised after ``error_after`` chunks.
        error_after: 0: instead of the first chunk.
        hangs: After the text nothing comes, for ever.
    """

    text: str = "Yes."
    first_ms: float = 150.0
    gap_ms: float = 25.0
    error: AppError | None = None
    error_after: int = 0
    hangs: bool = False


@dataclass(slots=True)
class FakeCall:
    """One request and what became of it; times are clock milliseconds."""

    request: LlmRequest
    asked_ms: float
    sent: list[str] = field(default_factory=list)
    finished: bool = False
    closed_ms: float | None = None

    @property
    def question(self) -> str:
        """The last user message."""
        return next((m.content for m in reversed(self.request.messages) if m.role == "user"), "")


Script = Callable[[str], Answer]
"""From the last user message to its answer."""


class FakeLlm:
    """``StreamingLlm`` on an injected clock.

    Attributes:
        calls: All requests, oldest first.
        loaded: Models that ``load`` was called for.
        open_streams: Streams begun and not yet closed.
        closed: ``close`` was called.
    """

    def __init__(
        self,
        clock: Clock,
        script: Script | Answer | str = "Yes.",
        *,
        load_ms: float = 0.0,
        load_error: AppError | None = None,
    ) -> None:
        self._clock = clock
        self._script = script
        self._load_ms = load_ms
        self._load_error = load_error
        self.calls: list[FakeCall] = []
        self.loaded: list[LlmModel] = []
        self.open_streams = 0
        self.closed = False

    async def load(self, model: LlmModel) -> None:
        if self._load_ms:
            await self._clock.sleep_until(self._clock.now_ms() + self._load_ms)
        if self._load_error is not None:
            raise self._load_error
        self.loaded.append(model)

    async def stream(self, request: LlmRequest) -> AsyncGenerator[LlmChunk, None]:
        call = FakeCall(request, self._clock.now_ms())
        self.calls.append(call)
        answer = self._answer(call.question)
        words = answer.text.split()
        self.open_streams += 1
        try:
            for index, word in enumerate(words):
                if answer.error is not None and index >= answer.error_after:
                    break
                await self._wait(answer.gap_ms if index else answer.first_ms)
                piece = word if index == 0 else f" {word}"
                call.sent.append(piece)
                yield LlmChunk(piece)
            if answer.error is not None:
                await self._wait(answer.gap_ms if call.sent else answer.first_ms)
                raise answer.error
            if answer.hangs:
                await self._clock.sleep_until(float("inf"))
            call.finished = True
            yield LlmChunk(usage=LlmUsage(estimate_tokens(request.messages), len(words), 0.0))
        finally:
            self.open_streams -= 1
            call.closed_ms = self._clock.now_ms()

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return estimate_tokens(messages)

    async def close(self) -> None:
        self.closed = True

    async def _wait(self, ms: float) -> None:
        await self._clock.sleep_until(self._clock.now_ms() + ms)

    def _answer(self, question: str) -> Answer:
        script = self._script
        if isinstance(script, Answer):
            return script
        return Answer(script) if isinstance(script, str) else script(question)
