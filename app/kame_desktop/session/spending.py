"""What a session's requests cost: the meter, its budget and the day's ledger together, told on the bus."""

from __future__ import annotations

from collections.abc import Callable

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.clock import Clock
from kame_desktop.core.events import Notice, UsageUpdated
from kame_desktop.session.budget import Budget
from kame_desktop.session.bus import Bus
from kame_desktop.session.usage import Charge, UsageMeter
from kame_desktop.session.usage_ledger import DailyUsage, UsageLedger


class Spending:
    """Owner: the asyncio thread.

    Args:
        budget_usd: What the session may cost; None: no bound.
        ledger: Where the day's usage is kept; None: nowhere.
        changed: Called after each change of the usage, once the budget has looked at it.
    """

    def __init__(
        self,
        *,
        budget_usd: float | None,
        ledger: UsageLedger | None,
        bus: Bus,
        clock: Clock,
        changed: Callable[[], None],
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._changed = changed
        self._budget = Budget(budget_usd)
        self._meter = UsageMeter(self.watch)
        self._daily = DailyUsage(ledger, self._tell)

    @property
    def speculation_allowed(self) -> bool:
        """The budget has room for unfinished sentences."""
        return self._budget.speculation_allowed

    async def open(self) -> None:
        """Read what this day has cost so far."""
        await self._daily.open()

    async def close(self) -> None:
        """Write what this session has cost; at most a second."""
        await self._daily.close()

    def begin(self, model: LlmModel, prompt_tokens: int) -> Charge:
        """A request is about to start: count its prompt. ``watch`` follows when it has started."""
        return self._meter.begin(model, prompt_tokens)

    def watch(self) -> None:
        """Look at what was spent, and tell."""
        totals = self._meter.totals
        self._daily.note(totals)
        for text in self._budget.watch(totals, self._meter.unpriced_models):
            self._tell(text)
        self._changed()

    def publish(self, *, speculating: bool) -> None:
        """Tell the usage of this session and of today."""
        session, today = self._meter.totals, self._daily.totals
        self._bus.publish(
            UsageUpdated(
                at_ms=self._clock.now_ms(),
                calls=session.calls,
                prompt_tokens=session.prompt_tokens,
                completion_tokens=session.completion_tokens,
                cost_usd=session.cost_usd,
                unpriced_calls=session.unpriced_calls,
                today_calls=today.calls,
                today_prompt_tokens=today.prompt_tokens,
                today_completion_tokens=today.completion_tokens,
                today_cost_usd=today.cost_usd,
                today_unpriced_calls=today.unpriced_calls,
                budget_usd=self._budget.limit_usd,
                speculating=speculating,
            )
        )

    def _tell(self, text: str) -> None:
        self._bus.publish(Notice(at_ms=self._clock.now_ms(), component="budget", text=text))
