"""Puts the questions of a recorded conversation to another language model.

The recorded transcript (unfinished sentences and finished ones) goes through a scheduler and a driver like those of a
session, at the session times at which it was heard. The model's answers come in real time, so that its time to the
first word is a true one; while nothing is awaited, time leaps to what happens next, so that the whole takes little more
than the answers do. No sound is needed.

The model knows the conversation as it went: the user's words and, of earlier turns, what the assistant really said. Of
the turn that is being answered it isn't told what the voice had said so far, for that came from another model.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.core.activity import Activity
from kame_desktop.core.errors import AppError, BadInputError, as_app_error
from kame_desktop.core.events import (
    AgentSpeechEnded,
    AgentText,
    ComponentError,
    Event,
    OracleFailed,
    OracleRequested,
    OracleRevision,
    SttFinal,
    SttPartial,
    UsageUpdated,
    UserSpeechEnded,
    UserSpeechStarted,
)
from kame_desktop.core.series import SERIES
from kame_desktop.session.async_host import AsyncHost
from kame_desktop.session.bus import Bus
from kame_desktop.session.oracle_driver import OracleDriver
from kame_desktop.session.oracle_options import OracleOptions, SchedulerOptions
from kame_desktop.session.oracle_scheduler import OracleScheduler
from kame_desktop.session.transcript import Transcript
from kame_desktop.session.usage_ledger import UsageLedger

LAST_WORD_MS = 60_000.0
"""How long after the last words an answer may still come."""

_ROUNDING_MS = 1e-6
_LEAST_WAIT_MS = 0.01

_Heard = UserSpeechStarted | UserSpeechEnded | SttPartial | SttFinal
_Said = AgentText | AgentSpeechEnded
_Told = OracleRequested | OracleRevision | OracleFailed


@dataclass(frozen=True, slots=True)
class Reasked:
    """What another model answered.

    Attributes:
        model: The model.
        events: Requests, answers and failures by their session times; their ``model`` is its label, and their
            generations are of the series.
        usage: What was used; None: nothing was asked.
        error: What the user should know: why answers are missing.
    """

    model: LlmModel
    events: list[Event] = field(repr=False)
    usage: UsageUpdated | None = None
    error: ComponentError | None = None


class LeapingClock:
    """Session time on an asyncio loop: it passes like the loop's, and leaps ahead when it is told to."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._offset_ms = -self._loop.time() * 1e3
        self._leapt = asyncio.Event()

    def start(self) -> None:
        """It runs from the beginning."""

    def now_ms(self) -> float:
        """Session time."""
        return self._loop.time() * 1e3 + self._offset_ms

    def leap_to(self, at_ms: float) -> None:
        """Move ahead (never back), and wake whoever is due."""
        ahead_ms = at_ms - self.now_ms()
        if ahead_ms > 0:
            self._offset_ms += ahead_ms + _ROUNDING_MS
            leapt, self._leapt = self._leapt, asyncio.Event()
            leapt.set()

    async def sleep_until(self, at_ms: float) -> None:
        """Return once it is that time."""
        while (wait_ms := at_ms - self.now_ms()) > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._leapt.wait(), max(wait_ms, _LEAST_WAIT_MS) / 1e3)


async def reask(
    events: Iterable[Event],
    llm: StreamingLlm,
    model: LlmModel,
    *,
    series: int = 1,
    scheduler: SchedulerOptions | None = None,
    oracle: OracleOptions | None = None,
    ledger: UsageLedger | None = None,
    tell: Callable[[Sequence[Event]], None] = lambda events: None,
) -> Reasked:
    """Ask ``model`` what was asked in a recorded conversation; may be cancelled at any moment.

    Args:
        events: Of the recording, in order.
        llm: The client; the caller closes it.
        model: Who is asked.
        series: Number of this model among those that are asked again, from 1.
        scheduler: When it is asked; ``speculate=False``: finished sentences only.
        oracle: How it is asked. No other model stands in: it is this one that is of interest.
        ledger: Where each day's usage is kept.
        tell: Is handed what comes while it comes, on this loop's thread.

    Raises:
        AppError: The model can't be made ready, or nothing was said in the recording.
    """
    heard = sorted((event for event in events if isinstance(event, _Heard | _Said)), key=lambda event: event.at_ms)
    if not any(isinstance(event, SttPartial | SttFinal) and event.text.strip() for event in heard):
        raise BadInputError("Nothing was said in this recording.", "Choose another one.", component="recording")
    run = _Run(llm, model, series, scheduler or SchedulerOptions(), oracle or OracleOptions(), ledger, tell)
    return await run.over(heard)


class _Work(Activity):
    """Tells when a stream has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()

    def end(self) -> None:
        super().end()
        self.changed.set()


class _Run:
    """One model over one recording. Owner: the loop; bound: the scheduler's number of streams."""

    def __init__(
        self,
        llm: StreamingLlm,
        model: LlmModel,
        series: int,
        scheduler: SchedulerOptions,
        oracle: OracleOptions,
        ledger: UsageLedger | None,
        tell: Callable[[Sequence[Event]], None],
    ) -> None:
        self._model = model
        self._offset = series * SERIES
        self._tell = tell
        self._clock = LeapingClock()
        self._work = _Work()
        self._bus = Bus()
        self._scheduler = OracleScheduler(scheduler)
        self._transcript = Transcript()
        self._held: list[_Said] = []
        self._result = Reasked(model, [])
        self._driver = OracleDriver(
            llm=llm,
            model=model,
            scheduler=self._scheduler,
            transcript=self._transcript,
            bus=self._bus,
            clock=self._clock,
            activity=self._work,
            options=dataclasses.replace(oracle, fallback=None),
            ledger=ledger,
        )
        self._box = self._bus.subscribe(
            OracleRequested, OracleRevision, OracleFailed, ComponentError, UsageUpdated, name="re-ask", wake=self._wake
        )
        self._published = asyncio.Event()

    def _wake(self) -> None:
        self._published.set()

    async def over(self, heard: Sequence[_Heard | _Said]) -> Reasked:
        """Go through the recording."""
        collector: asyncio.Task[None] | None = None
        try:
            await self._driver.load()
            collector = asyncio.get_running_loop().create_task(self._collect(), name="re-ask-collect")
            for event in heard:
                await self._pass_time(event.at_ms)
                if self._scheduler.blocked:
                    break
                self._hear(event)
            await self._pass_time(self._clock.now_ms() + LAST_WORD_MS)
        finally:
            await self._driver.close()
            if collector is not None:
                collector.cancel()
                await asyncio.wait([collector])
            self._drain()
            self._bus.unsubscribe(self._box)
        return self._result

    async def _pass_time(self, until_ms: float) -> None:
        """Let time go on to a moment: at its pace while answers are awaited, in leaps otherwise."""
        while self._clock.now_ms() < until_ms:
            if self._work.in_flight == 0:
                timer_ms = self._scheduler.next_timer_ms()
                self._clock.leap_to(until_ms if timer_ms is None else min(until_ms, timer_ms))
                await asyncio.sleep(0)  # the driver's timer, if it is due, comes in one of the next rounds
                continue
            self._work.changed.clear()
            sleep = asyncio.ensure_future(self._clock.sleep_until(until_ms))
            ended = asyncio.ensure_future(self._work.changed.wait())
            try:
                await asyncio.wait((sleep, ended), return_when=asyncio.FIRST_COMPLETED)
            finally:
                sleep.cancel()
                ended.cancel()

    def _hear(self, event: _Heard | _Said) -> None:
        """Hand on what was heard; what was said waits until its turn is over."""
        if isinstance(event, _Said):
            self._held.append(event)
            return
        over = [said for said in self._held if said.utterance < event.utterance]
        self._held = [said for said in self._held if said.utterance >= event.utterance]
        for said in over:
            self._transcript.take(said)
        now = dataclasses.replace(event, at_ms=self._clock.now_ms())
        self._transcript.take(now)
        self._driver.take(now)

    # What comes back -----------------------------------------------------------------------------------------------

    async def _collect(self) -> None:
        while True:
            await self._published.wait()
            self._published.clear()
            self._drain()

    def _drain(self) -> None:
        told: list[Event] = []
        for event in self._box.drain():
            match event:
                case OracleRequested() | OracleRevision() | OracleFailed():
                    told.append(self._of_series(event))
                case UsageUpdated() if event.calls:
                    self._result = dataclasses.replace(self._result, usage=event)
                case ComponentError():
                    self._result = dataclasses.replace(self._result, error=event)
                case _:
                    pass
        if told:
            self._result.events.extend(told)
            self._tell(told)

    def _of_series(self, event: _Told) -> Event:
        return dataclasses.replace(event, generation=event.generation + self._offset, model=self._model.label)


class Reasking:
    """``reask`` on a thread of its own, with what comes told on that thread. Any thread; ``stop`` ends it.

    Args:
        make_llm: Makes the client, on that thread; it is closed at the end.
        ask: Calls ``reask`` with all but the client and ``tell``.
        tell: Takes what comes while it comes.
        done: Takes the outcome, once, unless it was stopped: all answers, or why there are none.
    """

    def __init__(
        self,
        make_llm: Callable[[], StreamingLlm],
        ask: Callable[[StreamingLlm, Callable[[Sequence[Event]], None]], Coroutine[Any, Any, Reasked]],
        *,
        tell: Callable[[Sequence[Event]], None],
        done: Callable[[Reasked | AppError], None],
    ) -> None:
        self._make_llm = make_llm
        self._ask = ask
        self._tell = tell
        self._done = done
        self._host = AsyncHost("re-ask")
        self._result: Reasked | None = None

    def start(self) -> None:
        """Begin; returns at once."""
        self._host.start(self._main, self._on_end)

    def stop(self, timeout_s: float = 2.0) -> bool:
        """Ask nothing more and wait for the thread; says whether it ended in time. Idempotent."""
        return self._host.stop(timeout_s)

    async def _main(self) -> None:
        llm = self._make_llm()
        try:
            self._result = await self._ask(llm, self._tell)
        finally:
            await llm.close()

    def _on_end(self, error: BaseException | None) -> None:
        if error is not None:
            self._done(as_app_error(error, "llm"))
        elif self._result is not None:
            self._done(self._result)
