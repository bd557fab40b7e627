"""A language model in virtual time: scripted answers, no thread, no network."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kame_desktop.backend.llm.base import LlmChunk, LlmModel, LlmRequest, LlmUsage, Message
from kame_desktop.backend.prompt import estimate_tokens
from kame_desktop.core.activity import Activity
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

    Args:
        clock: All waits are on it.
        script: What is answered.
        load_ms: See the attribute.
        load_error: ``load`` raises it, whatever the model.
        by_model: Instead of ``script`` for models of these names.
        load_errors: ``load`` raises them for models of these names.
        prices: US dollars a token for models of these names, None: unknown; the others are free.
        idle: It doesn't count as work in flight while it waits, so that a fast run leaps to its next chunk.

    Attributes:
        load_ms: How long the next ``load`` takes.
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
        by_model: Mapping[str, Script | Answer | str] | None = None,
        load_errors: Mapping[str, AppError] | None = None,
        prices: Mapping[str, float | None] | None = None,
        idle: Activity | None = None,
    ) -> None:
        self._clock = clock
        self._script = script
        self.load_ms = load_ms
        self._load_error = load_error
        self._by_model = by_model or {}
        self._load_errors = dict(load_errors or {})
        self._prices = prices or {}
        self._idle = idle
        self.calls: list[FakeCall] = []
        self.loaded: list[LlmModel] = []
        self.open_streams = 0
        self.closed = False

    async def load(self, model: LlmModel) -> None:
        if self.load_ms:
            await self._clock.sleep_until(self._clock.now_ms() + self.load_ms)
        error = self._load_errors.get(model.name, self._load_error)
        if error is not None:
            raise error
        self.loaded.append(model)

    async def stream(self, request: LlmRequest) -> AsyncGenerator[LlmChunk, None]:
        call = FakeCall(request, self._clock.now_ms())
        self.calls.append(call)
        answer = self._answer(request.model, call.question)
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
                await self._sleep_until(float("inf"))
            call.finished = True
            yield LlmChunk(usage=self._usage(request, len(words)))
        finally:
            self.open_streams -= 1
            call.closed_ms = self._clock.now_ms()

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return estimate_tokens(messages)

    async def close(self) -> None:
        self.closed = True

    async def _wait(self, ms: float) -> None:
        await self._sleep_until(self._clock.now_ms() + ms)

    async def _sleep_until(self, at_ms: float) -> None:
        if self._idle is None:
            await self._clock.sleep_until(at_ms)
            return
        self._idle.end()
        try:
            await self._clock.sleep_until(at_ms)
        finally:
            self._idle.begin()

    def _usage(self, request: LlmRequest, words: int) -> LlmUsage:
        prompt_tokens = estimate_tokens(request.messages)
        price = self._prices.get(request.model.name, 0.0)
        return LlmUsage(prompt_tokens, words, None if price is None else price * (prompt_tokens + words))

    def _answer(self, model: LlmModel, question: str) -> Answer:
        script = self._by_model.get(model.name, self._script)
        if isinstance(script, Answer):
            return script
        return Answer(script) if isinstance(script, str) else script(question)
