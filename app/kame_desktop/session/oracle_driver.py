"""Carries out what the scheduler decides: opens and closes the language model's streams and publishes their texts."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from kame_desktop.backend.llm.base import LlmChunk, LlmModel, LlmRequest, LlmUsage, StreamingLlm
from kame_desktop.backend.llm.spoken_text import SpokenTextFilter
from kame_desktop.backend.prompt import Exchange, build_messages
from kame_desktop.core.activity import Activity
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import AppError, ErrorCategory, LlmError, as_app_error
from kame_desktop.core.events import (
    ComponentError,
    Event,
    Interrupted,
    ModelChanged,
    OracleCurrent,
    OracleFailed,
    OracleRequested,
    OracleRevision,
    SttFinal,
    SttPartial,
    UsageUpdated,
    UserSpeechEnded,
    UserSpeechStarted,
)
from kame_desktop.session.bus import Bus
from kame_desktop.session.oracle_scheduler import (
    Action,
    Adopt,
    Ask,
    Drop,
    Expire,
    GiveUp,
    OracleScheduler,
    WillRetry,
    normalised_words,
)
from kame_desktop.session.transcript import Transcript
from kame_desktop.session.usage import UsageMeter

_SENTENCE_END = re.compile(r"[.!?…][\"')\]]*\s*$")


@dataclass(frozen=True, slots=True)
class OracleOptions:
    """How answers are asked for.

    Attributes:
        system_prompt: Replaces the built-in one for ordinary models.
        max_tokens: Bound of one answer, told to the model.
        max_words: Our own bound: after so many words an answer ends with its sentence.
        token_budget: Bound of the prompt.
    """

    system_prompt: str | None = None
    max_tokens: int = 96
    max_words: int = 45
    token_budget: int = 1_500


@dataclass(slots=True)
class _Stream:
    ask: Ask
    model: LlmModel
    asked_ms: float
    task: asyncio.Task[None]


class OracleDriver:
    """Events in, requests out. Owner: the asyncio thread; bound: the scheduler's number of streams."""

    def __init__(
        self,
        *,
        llm: StreamingLlm,
        model: LlmModel,
        scheduler: OracleScheduler,
        transcript: Transcript,
        bus: Bus,
        clock: Clock,
        activity: Activity,
        options: OracleOptions,
    ) -> None:
        self._llm = llm
        self._model = model
        self._scheduler = scheduler
        self._transcript = transcript
        self._bus = bus
        self._clock = clock
        self._activity = activity
        self._options = options
        self._streams: dict[int, _Stream] = {}
        self._timer: asyncio.Task[None] | None = None
        self._timer_at_ms: float | None = None
        self._usage = UsageMeter()
        self._failure: tuple[int, AppError] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._heard = (0, 0.0)
        self._current = (0, 0, 0.0)

    @property
    def model(self) -> LlmModel:
        """The model that the next request goes to."""
        return self._model

    def announce(self) -> None:
        """Publish which model is in use."""
        self._bus.publish(ModelChanged(at_ms=self._clock.now_ms(), model=self._model.name, label=self._model.label))

    def take(self, event: Event) -> None:
        """Hear what happened (after the transcript did)."""
        now_ms = self._clock.now_ms()
        scheduler = self._scheduler
        match event:
            case UserSpeechStarted():
                actions = scheduler.speech_started(now_ms, event.utterance)
            case UserSpeechEnded():
                actions = scheduler.speech_paused(now_ms, event.utterance)
            case SttPartial():
                actions = scheduler.partial(now_ms, event.utterance, event.text)
                self._heard = (event.utterance, event.heard_until_ms)
            case SttFinal():
                actions = scheduler.final(now_ms, event.utterance, event.text)
                self._heard = (event.utterance, event.heard_until_ms)
            case Interrupted():
                actions = scheduler.interrupted(now_ms)
            case _:
                return
        self._carry_out(actions)

    def switch(self, model: LlmModel) -> None:
        """Answer with ``model`` from the next request on; a question without an answer is put to it at once."""
        self._model = model
        self.announce()
        self._carry_out(self._scheduler.model_changed(self._clock.now_ms()))

    async def close(self) -> None:
        """Close all streams and the timer."""
        tasks = [stream.task for stream in self._streams.values()] + list(self._closing)
        if self._timer is not None:
            tasks.append(self._timer)
        self._streams.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=1.0)

    # Actions -------------------------------------------------------------------------------------------------------

    def _carry_out(self, actions: list[Action]) -> None:
        for action in actions:
            match action:
                case Ask():
                    self._ask(action)
                case Drop(generation=generation):
                    self._close_stream(generation, superseded=True)
                case Expire():
                    error = LlmError(action.what, "Choose another model, or check the connection.")
                    self._failure = (action.generation, error)
                    self._report_failure(action.generation, will_retry=action.will_retry)
                    self._close_stream(action.generation, superseded=False)
                case WillRetry() | Adopt():
                    pass
                case GiveUp(generation=generation):
                    self._give_up(generation)
        self._set_timer()
        self._publish_current()

    def _ask(self, ask: Ask) -> None:
        model = self._model
        messages = build_messages(
            model,
            [Exchange(user, assistant) for user, assistant in self._transcript.before(ask.utterance)],
            ask.text,
            unfinished=ask.unfinished,
            spoken=self._transcript.spoken_answer(ask.utterance),
            system_prompt=self._options.system_prompt,
            token_budget=self._options.token_budget,
        )
        now_ms = self._clock.now_ms()
        self._bus.publish(
            OracleRequested(
                at_ms=now_ms,
                generation=ask.generation,
                utterance=ask.utterance,
                model=model.name,
                prompt_tokens=self._llm.count_tokens(messages),
                because=ask.because,
                heard_words=len(normalised_words(ask.text)),
            )
        )
        request = LlmRequest(model, messages, max_tokens=self._options.max_tokens)
        self._activity.begin()
        task = asyncio.get_running_loop().create_task(
            self._run(ask, model, request, now_ms), name=f"oracle-{ask.generation}"
        )
        # Not in the task itself: one that is cancelled before its first step runs no line of it.
        task.add_done_callback(lambda _: self._activity.end())
        self._streams[ask.generation] = _Stream(ask, model, now_ms, task)
        self._publish_usage()

    def _close_stream(self, generation: int, *, superseded: bool) -> None:
        stream = self._streams.pop(generation, None)
        if stream is None:
            return
        self._closing.add(stream.task)
        stream.task.add_done_callback(self._closing.discard)
        stream.task.cancel()
        if superseded:
            self._bus.publish(
                OracleFailed(
                    at_ms=self._clock.now_ms(),
                    generation=generation,
                    model=stream.model.name,
                    category="superseded",
                    what="A newer answer took its place.",
                    superseded=True,
                )
            )

    def _report_failure(self, generation: int, *, will_retry: bool) -> None:
        stream = self._streams.get(generation)
        if stream is None or self._failure is None or self._failure[0] != generation:
            return
        error = self._failure[1]
        self._bus.publish(
            OracleFailed(
                at_ms=self._clock.now_ms(),
                generation=generation,
                model=stream.model.name,
                category=error.category.value,
                what=error.what,
                remedy=error.remedy,
                will_retry=will_retry,
            )
        )

    def _give_up(self, generation: int) -> None:
        if self._failure is None or self._failure[0] != generation:
            return
        error = self._failure[1]
        self._bus.publish(ComponentError.of(error, self._clock.now_ms()))

    # One stream ----------------------------------------------------------------------------------------------------

    async def _run(self, ask: Ask, model: LlmModel, request: LlmRequest, asked_ms: float) -> None:
        try:
            await self._stream(ask, model, request, asked_ms)
        except asyncio.CancelledError:
            raise
        except Exception as raised:  # noqa: BLE001 - a defect of one stream must not end the session
            self._fail(ask.generation, as_app_error(raised, "llm"))

    async def _stream(self, ask: Ask, model: LlmModel, request: LlmRequest, asked_ms: float) -> None:
        spoken = SpokenTextFilter()
        text = ""
        first_token_ms = 0.0
        publish = self._publisher(ask, model)
        async with self._counted_stream(request) as chunks:
            async for chunk in chunks:
                if not chunk.text:
                    continue
                text += spoken.feed(chunk.text)
                shown = text + spoken.preview()
                if not shown.strip():
                    continue
                now_ms = self._clock.now_ms()
                first_token_ms = first_token_ms or now_ms - asked_ms
                self._carry_out(self._scheduler.token(now_ms, ask.generation))
                if self._scheduler.adopted != ask.generation:
                    return
                publish(shown, False, first_token_ms)
                if len(text.split()) >= self._options.max_words and _SENTENCE_END.search(text):
                    break
        text += spoken.finish()
        if not text.strip():
            raise LlmError(
                "The language model gave an empty answer.",
                "Ask again, or choose another model.",
                category=ErrorCategory.TRANSIENT,
            )
        now_ms = self._clock.now_ms()
        if not first_token_ms:
            first_token_ms = now_ms - asked_ms
            self._carry_out(self._scheduler.token(now_ms, ask.generation))
        publish(text, True, first_token_ms)
        self._streams.pop(ask.generation, None)
        self._carry_out(self._scheduler.completed(now_ms, ask.generation))

    @contextlib.asynccontextmanager
    async def _counted_stream(self, request: LlmRequest) -> AsyncIterator[AsyncIterator[LlmChunk]]:
        """The model's stream, closed with the body; what it used is counted, estimated when it was closed early."""
        received: list[str] = []
        reported: list[LlmUsage] = []

        async def listen(chunks: AsyncIterator[LlmChunk]) -> AsyncIterator[LlmChunk]:
            async for chunk in chunks:
                received.append(chunk.text)
                if chunk.usage is not None:
                    reported.append(chunk.usage)
                yield chunk

        try:
            async with contextlib.aclosing(self._llm.stream(request)) as chunks:
                yield listen(chunks)
        finally:
            if reported:
                self._usage.add(reported[-1])
            elif received:
                self._usage.estimate(self._llm.count_tokens(request.messages), "".join(received))
            self._publish_usage()

    def _publisher(self, ask: Ask, model: LlmModel) -> Callable[[str, bool, float], None]:
        def publish(text: str, complete: bool, first_token_ms: float) -> None:
            self._bus.publish(
                OracleRevision(
                    at_ms=self._clock.now_ms(),
                    generation=ask.generation,
                    utterance=ask.utterance,
                    model=model.name,
                    text_so_far=text,
                    complete=complete,
                    first_token_ms=first_token_ms,
                )
            )

        return publish

    def _fail(self, generation: int, error: AppError) -> None:
        self._failure = (generation, error)
        retry_after_s = error.retry_after_s if isinstance(error, LlmError) else None
        actions = self._scheduler.failed(
            self._clock.now_ms(),
            generation,
            retryable=error.retryable,
            blocks=error.category is not ErrorCategory.BAD_INPUT,
            retry_after_ms=None if retry_after_s is None else retry_after_s * 1e3,
        )
        will_retry = any(isinstance(action, WillRetry | Ask) for action in actions)
        self._report_failure(generation, will_retry=will_retry)
        self._streams.pop(generation, None)
        self._carry_out(actions)

    # Bookkeeping ---------------------------------------------------------------------------------------------------

    def _publish_usage(self) -> None:
        self._bus.publish(
            UsageUpdated(
                at_ms=self._clock.now_ms(),
                calls=self._scheduler.calls,
                prompt_tokens=self._usage.prompt_tokens,
                completion_tokens=self._usage.completion_tokens,
                cost_usd=self._usage.cost_usd,
            )
        )

    def _publish_current(self) -> None:
        """Tell how much of the user's speech the oracle's answer has taken into account, when that has changed."""
        utterance, heard_until_ms = self._heard
        current = (utterance, self._scheduler.adopted, heard_until_ms)
        if not self._scheduler.answers_all_words or current == self._current:
            return
        self._current = current
        self._bus.publish(
            OracleCurrent(
                at_ms=self._clock.now_ms(),
                utterance=utterance,
                generation=self._scheduler.adopted,
                heard_until_ms=heard_until_ms,
            )
        )

    def _set_timer(self) -> None:
        at_ms = self._scheduler.next_timer_ms()
        if at_ms == self._timer_at_ms and self._timer is not None and not self._timer.done():
            return
        if self._timer is not None and self._timer is not asyncio.current_task():
            self._timer.cancel()
        self._timer_at_ms = at_ms
        self._timer = None
        if at_ms is not None:
            self._timer = asyncio.get_running_loop().create_task(self._wait(at_ms), name="oracle-timer")

    async def _wait(self, at_ms: float) -> None:
        await self._clock.sleep_until(at_ms)
        self._timer_at_ms = None
        self._carry_out(self._scheduler.timer(self._clock.now_ms()))
