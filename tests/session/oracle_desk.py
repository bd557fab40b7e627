"""An oracle driver on a clock that the test moves: what is said goes in, what is told comes out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.activity import Activity
from kame_desktop.core.clock import ManualClock
from kame_desktop.core.events import Event, SttFinal, SttPartial, UserSpeechStarted
from kame_desktop.session.bus import Bus
from kame_desktop.session.oracle_driver import OracleDriver
from kame_desktop.session.oracle_options import OracleOptions, SchedulerOptions
from kame_desktop.session.oracle_scheduler import OracleScheduler
from kame_desktop.session.transcript import Transcript
from kame_desktop.session.usage_ledger import UsageLedger
from tests.fakes.llm import FakeLlm

E = TypeVar("E", bound=Event)
_SETTLE_STEPS = 40


@dataclass
class Desk:
    """Use it in a coroutine: ``async with Desk(model, ...) as desk``.

    Attributes:
        model: The chosen one.
        llm: What ``FakeLlm`` is told beside the clock.
    """

    model: LlmModel
    options: OracleOptions = field(default_factory=OracleOptions)
    scheduler: SchedulerOptions = field(default_factory=SchedulerOptions)
    ledger: UsageLedger | None = None
    llm: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clock = ManualClock()
        self.bus = Bus()
        self.activity = Activity()
        self.fake = FakeLlm(self.clock, **self.llm)
        self.transcript = Transcript()
        self.driver = OracleDriver(
            llm=self.fake,
            model=self.model,
            scheduler=OracleScheduler(self.scheduler),
            transcript=self.transcript,
            bus=self.bus,
            clock=self.clock,
            activity=self.activity,
            options=self.options,
            ledger=self.ledger,
        )
        self._box = self.bus.subscribe(name="test", capacity=100_000)
        self._events: list[Event] = []
        self._utterance = 0

    async def __aenter__(self) -> Desk:
        await self.driver.load()
        self.driver.announce()
        self.driver.note_prompt()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.driver.close()
        await asyncio.sleep(0)
        assert self.fake.open_streams == 0
        assert self.activity.in_flight == 0
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"tasks left behind: {left}"

    async def settle(self) -> None:
        """Let everybody run who can without time passing."""
        for _ in range(_SETTLE_STEPS):
            await asyncio.sleep(0)
        self._events += self._box.drain()

    async def run(self, ms: float) -> None:
        """Let time pass, from deadline to deadline."""
        end_ms = self.clock.now_ms() + ms
        while True:
            await self.settle()
            deadline_ms = self.clock.next_deadline_ms()
            if deadline_ms is None or deadline_ms > end_ms:
                break
            self.clock.advance_to(deadline_ms)
        self.clock.advance_to(end_ms)
        await self.settle()

    async def say(self, text: str, *, final: bool = True) -> None:
        """The user begins a new sentence: this much of it is heard."""
        self._utterance += 1
        self.take(UserSpeechStarted(at_ms=self.clock.now_ms(), utterance=self._utterance))
        await self.go_on(text, final=final)

    async def go_on(self, text: str, *, final: bool = False) -> None:
        """The sentence reads like this now."""
        now_ms, number = self.clock.now_ms(), self._utterance
        if final:
            self.take(SttFinal(at_ms=now_ms, utterance=number, text=text))
        else:
            self.take(SttPartial(at_ms=now_ms, utterance=number, rev=1, text=text, stable_words=0))
        await self.settle()

    def take(self, event: Event) -> None:
        """Hand an event to transcript and driver."""
        self.transcript.take(event)
        self.driver.take(event)

    @property
    def events(self) -> list[Event]:
        """All events so far, in order."""
        self._events += self._box.drain()
        return list(self._events)

    def of(self, kind: type[E]) -> list[E]:
        """All events of one kind so far."""
        return [event for event in self.events if isinstance(event, kind)]
