"""Carries out what the scheduler decides: opens and closes the language models' streams and publishes their texts.

A model that fails for good, or in passing once too often for a question, gives that question to another one if there is
one (see ``model_choice``): the user is told once, and the voice goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

from kame_desktop.backend.llm.base import LlmModel, LlmRequest, StreamingLlm
from kame_desktop.backend.prompt import Exchange, build_messages, system_prompt_note
from kame_desktop.core.activity import Activity
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import AppError, ErrorCategory, LlmError, as_app_error
from kame_desktop.core.events import (
    ComponentError,
    Event,
    Interrupted,
    ModelChanged,
    Notice,
    OracleCurrent,
    OracleFailed,
    OracleRequested,
    OracleRevision,
    SttFinal,
    SttPartial,
    UserSpeechEnded,
    UserSpeechStarted,
)
from kame_desktop.core.words import normalised_words
from kame_desktop.session.backchannel import BackchannelGate
from kame_desktop.session.bus import Bus
from kame_desktop.session.model_choice import ModelChoice
from kame_desktop.session.model_loading import ModelLoader, with_outcome
from kame_desktop.session.oracle_actions import Action, Adopt, Ask, Drop, Expire, GiveUp, WillRetry
from kame_desktop.session.oracle_answer import speakable_texts
from kame_desktop.session.oracle_options import OracleOptions
from kame_desktop.session.oracle_scheduler import OracleScheduler
from kame_desktop.session.spending import Spending
from kame_desktop.session.transcript import Transcript
from kame_desktop.session.usage import Charge
from kame_desktop.session.usage_ledger import UsageLedger


@dataclass(slots=True)
class _Stream:
    ask: Ask
    model: LlmModel
    asked_ms: float
    task: asyncio.Task[None]


@dataclass(frozen=True, slots=True)
class _Failure:
    """The newest failure; ``news``: the user doesn't know it of this model yet."""

    stream: _Stream
    error: AppError
    news: bool = True


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
        ledger: UsageLedger | None = None,
    ) -> None:
        self._llm = llm
        self._scheduler = scheduler
        self._transcript = transcript
        self._bus = bus
        self._clock = clock
        self._activity = activity
        self._options = options
        self._choice = ModelChoice(model, router=options.router, fallback=options.fallback)
        self._models = ModelLoader(llm, self._choice)
        self._spending = Spending(
            budget_usd=options.budget_usd, ledger=ledger, bus=bus, clock=clock, changed=self._on_spending
        )
        self._speculation_wanted = scheduler.options.speculate
        self._streams: dict[int, _Stream] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.Task[None] | None = None
        self._timer_at_ms: float | None = None
        self._failure: _Failure | None = None
        self._fillers = BackchannelGate()
        self._heard = (0, 0.0)
        self._current = (0, 0, 0.0)
        self._left_out: list[AppError] = []
        self._closed = False

    async def load(self) -> None:
        """Make the models ready and read what this day has cost. Raises AppError when no model is left to answer."""
        self._left_out, _ = await asyncio.gather(self._models.load_first(), self._spending.open())

    def announce(self) -> None:
        """Publish which model is in use, what was spent so far and, after that, what the user should know of it."""
        chosen = self._choice.chosen
        self._bus.publish(ModelChanged(at_ms=self._clock.now_ms(), model=chosen.name, label=chosen.label))
        self._publish_usage()
        for error in self._left_out:
            self._tell(error)
        self._left_out = []

    def note_prompt(self) -> None:
        """Tell the user if their own system prompt is too long to be used whole."""
        note = system_prompt_note(self._options.system_prompt, self._options.token_budget)
        if note is not None and not self._choice.chosen.starter:
            self._bus.publish(Notice(at_ms=self._clock.now_ms(), component="system prompt", text=note))

    def take(self, event: Event) -> None:
        """Hear what happened (after the transcript did). A filler that was said over the answer asks nothing."""
        if not self._fillers.counts(event):
            return
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

    async def switch(self, model: LlmModel) -> None:
        """Answer with ``model`` from the next request on, once it is ready; a question without an answer is put to it.

        A model that can't be made ready leaves the old one in use, and the user is told. May be cancelled until then.
        """
        try:
            self._left_out = await self._models.switch(model)
        except AppError as error:
            self._left_out = [with_outcome(error, f"{self._choice.chosen.label} stays in use.")]
            self.announce()
            return
        self.announce()
        self._carry_out(self._scheduler.model_changed(self._clock.now_ms()))

    def set_speculation(self, on: bool) -> None:
        """Ask unfinished sentences too, if the budget allows it, or finals only; at once."""
        self._speculation_wanted = on
        if on and not self._spending.speculation_allowed:
            text = "The budget has no room for unfinished sentences: only finished ones are asked."
            self._bus.publish(Notice(at_ms=self._clock.now_ms(), component="budget", text=text))
        self._on_spending()

    async def close(self) -> None:
        """Close all streams and the timer, and write down what was used; nothing is asked any more."""
        self._closed = True
        tasks = set(self._tasks)
        if self._timer is not None:
            tasks.add(self._timer)
        self._streams.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=1.0)
        await self._spending.close()

    # Actions -------------------------------------------------------------------------------------------------------

    def _carry_out(self, actions: list[Action]) -> None:
        if self._closed:
            return
        for action in actions:
            match action:
                case Ask():
                    self._ask(action)
                case Drop(generation=generation):
                    self._close_stream(generation, superseded=True)
                case Expire():
                    self._expire(action, gives_up=GiveUp(action.generation, permanent=False) in actions)
                case WillRetry() | Adopt():
                    pass
                case GiveUp(generation=generation):
                    self._give_up(generation)
        self._set_timer()
        self._publish_current()

    def _ask(self, ask: Ask) -> None:
        choice = self._choice.choose(ask.utterance, ask.text)
        model = choice.model
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
        prompt_tokens = self._llm.count_tokens(messages)
        self._bus.publish(
            OracleRequested(
                at_ms=now_ms,
                generation=ask.generation,
                utterance=ask.utterance,
                model=model.name,
                prompt_tokens=prompt_tokens,
                because=ask.because,
                heard_words=len(normalised_words(ask.text)),
                chosen_because=choice.because,
            )
        )
        request = LlmRequest(model, messages, max_tokens=self._options.max_tokens)
        charge = self._spending.begin(model, prompt_tokens)
        self._activity.begin()
        task = asyncio.get_running_loop().create_task(
            self._run(ask, model, request, charge, now_ms), name=f"oracle-{ask.generation}"
        )
        self._tasks.add(task)

        # Not in the task itself: one that is cancelled before its first step runs no line of it.
        def ended(_: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            charge.close()
            self._activity.end()

        task.add_done_callback(ended)
        self._streams[ask.generation] = _Stream(ask, model, now_ms, task)
        self._spending.watch()

    def _close_stream(self, generation: int, *, superseded: bool) -> None:
        stream = self._streams.pop(generation, None)
        if stream is None:
            return
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

    # Failures ------------------------------------------------------------------------------------------------------

    def _expire(self, expired: Expire, *, gives_up: bool) -> None:
        stream = self._streams.get(expired.generation)
        if stream is None:
            return
        error = LlmError(expired.what, "Choose another model, or check the connection.")
        self._failure = _Failure(stream, error)
        elsewhere = gives_up and self._choice.stand_in(stream.ask.utterance, stream.model) is not None
        self._report_failure(self._failure, will_retry=expired.will_retry or elsewhere or self._newer(stream))
        self._close_stream(expired.generation, superseded=False)

    def _fail(self, generation: int, error: AppError) -> None:
        stream = self._streams.get(generation)
        if stream is None:
            return
        lasting = not error.retryable and error.category is not ErrorCategory.BAD_INPUT
        news = not lasting or self._choice.failed(stream.model)
        elsewhere = lasting and self._choice.stand_in(stream.ask.utterance, stream.model) is not None
        failure = self._failure = _Failure(stream, error, news)
        retry_after_s = error.retry_after_s if isinstance(error, LlmError) else None
        actions = self._scheduler.failed(
            self._clock.now_ms(),
            generation,
            retryable=error.retryable,
            blocks=lasting and not elsewhere,
            retry_after_ms=None if retry_after_s is None else retry_after_s * 1e3,
        )
        if error.retryable and GiveUp(generation, permanent=False) in actions:
            elsewhere = self._choice.stand_in(stream.ask.utterance, stream.model) is not None
        again = any(isinstance(action, WillRetry | Ask) for action in actions)
        self._report_failure(failure, will_retry=elsewhere or again or self._newer(stream))
        del self._streams[generation]
        self._carry_out(actions)

    def _newer(self, stream: _Stream) -> bool:
        """A newer request is under way: an answer may still come."""
        return any(generation > stream.ask.generation for generation in self._streams)

    def _give_up(self, generation: int) -> None:
        """Put the question to a model that stands in, or tell the user that it has no answer."""
        failure = self._failure
        if failure is None or failure.stream.ask.generation != generation:
            return
        error, model, utterance = failure.error, failure.stream.model, failure.stream.ask.utterance
        if error.category is ErrorCategory.BAD_INPUT:
            self._tell(error)
            return
        if error.retryable:
            self._choice.failed_for(utterance, model)
        stand_in = self._choice.stand_in(utterance, model)
        if stand_in is None:
            self._tell(error)
            return
        if failure.news:
            self._tell(with_outcome(error, f"{stand_in.label} answers instead."))
        self._carry_out(self._scheduler.put_to_another(self._clock.now_ms()))

    def _report_failure(self, failure: _Failure, *, will_retry: bool) -> None:
        self._bus.publish(
            OracleFailed(
                at_ms=self._clock.now_ms(),
                generation=failure.stream.ask.generation,
                model=failure.stream.model.name,
                category=failure.error.category.value,
                what=failure.error.what,
                remedy=failure.error.remedy,
                will_retry=will_retry,
            )
        )

    def _tell(self, error: AppError) -> None:
        self._bus.publish(ComponentError.of(error, self._clock.now_ms()))

    # One stream ----------------------------------------------------------------------------------------------------

    async def _run(self, ask: Ask, model: LlmModel, request: LlmRequest, charge: Charge, asked_ms: float) -> None:
        try:
            await self._answer(ask, model, request, charge, asked_ms)
        except asyncio.CancelledError:
            raise
        except Exception as raised:  # noqa: BLE001 - a defect of one stream must not end the session
            charge.refused = True
            self._fail(ask.generation, as_app_error(raised, "llm"))

    async def _answer(self, ask: Ask, model: LlmModel, request: LlmRequest, charge: Charge, asked_ms: float) -> None:
        first_token_ms: float | None = None
        texts = speakable_texts(self._llm, request, charge, max_words=self._options.max_words)
        async with contextlib.aclosing(texts):
            async for text, complete in texts:
                now_ms = self._clock.now_ms()
                if first_token_ms is None:
                    first_token_ms = now_ms - asked_ms
                self._carry_out(self._scheduler.token(now_ms, ask.generation))
                if self._scheduler.adopted != ask.generation:
                    return
                self._bus.publish(
                    OracleRevision(
                        at_ms=self._clock.now_ms(),
                        generation=ask.generation,
                        utterance=ask.utterance,
                        model=model.name,
                        text_so_far=text,
                        complete=complete,
                        first_token_ms=first_token_ms,
                        word_count=len(text.split()),
                    )
                )
        self._streams.pop(ask.generation, None)
        self._carry_out(self._scheduler.completed(self._clock.now_ms(), ask.generation))

    # Bookkeeping ---------------------------------------------------------------------------------------------------

    def _on_spending(self) -> None:
        """The usage changed, or what the user wants: ask unfinished sentences as the budget allows, and tell."""
        speculate = self._speculation_wanted and self._spending.speculation_allowed
        if speculate != self._scheduler.options.speculate:
            self._carry_out(self._scheduler.set_speculation(self._clock.now_ms(), speculate))
        self._publish_usage()

    def _publish_usage(self) -> None:
        self._spending.publish(speculating=self._scheduler.options.speculate)

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
