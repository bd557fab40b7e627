"""What the language models were asked and have answered, in tokens and money. Pure.

Every request counts from its start: its prompt at once, so that a budget can't be overrun by streams that are dropped
before they report anything. At its end the estimate gives way to what the service reported, or stays.

Prices come with the reports: a token of a model costs what it has cost so far, and what was dropped before the model's
first report is priced with that one. Services bill the tokens of an answer about four times as high as those of a
question, so they weigh that much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from kame_desktop.backend.llm.base import LlmModel, LlmUsage

_TOKENS_PER_WORD = 1.35
_ANSWER_WEIGHT = 4.0


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """A sum of requests.

    Attributes:
        calls: Requests that were started.
        prompt_tokens: Tokens of all questions.
        completion_tokens: Tokens of all answers, as far as they were received.
        priced_usd: Estimated cost of the calls whose price is known.
        unpriced_calls: Calls whose price isn't known: they aren't in ``priced_usd``.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    priced_usd: float = 0.0
    unpriced_calls: int = 0

    @property
    def cost_usd(self) -> float | None:
        """Estimated cost, at least this much when there are ``unpriced_calls``; None when no price is known at all."""
        return None if self.calls and self.unpriced_calls >= self.calls else self.priced_usd

    def plus(self, other: UsageTotals) -> UsageTotals:
        """The sum of both, never below zero."""
        sums = (max(0, getattr(self, f.name) + getattr(other, f.name)) for f in fields(self))
        return UsageTotals(*sums)

    def minus(self, other: UsageTotals) -> UsageTotals:
        """The difference, which may be negative: an estimate was corrected."""
        return UsageTotals(*(getattr(self, f.name) - getattr(other, f.name) for f in fields(self)))


@dataclass(slots=True)
class _Account:
    """One model's share. ``weight``: tokens that were paid for, those of answers weighing more."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated_weight: float = 0.0
    weight: float = 0.0
    paid_usd: float = 0.0
    unpriced: bool = False

    @property
    def cost_usd(self) -> float:
        if not self.weight:
            return 0.0
        return self.paid_usd * (1.0 + self.estimated_weight / self.weight)

    def estimate(self, prompt_tokens: int, completion_tokens: int) -> None:
        """Count tokens (or, negative, take them back) at the price so far."""
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
        self.estimated_weight += _weight(prompt_tokens, completion_tokens)


class Charge:
    """What one request costs. ``close`` ends it, once; what is noted afterwards is ignored.

    Attributes:
        sent: Set when the request goes out: one that is closed before costs nothing.
        refused: Set when the service refused it: it costs nothing either, unless words had come.
    """

    def __init__(self, account: _Account, prompt_tokens: int, changed: Callable[[], None]) -> None:
        self.sent = False
        self.refused = False
        self._account = account
        self._prompt_tokens = prompt_tokens
        self._changed = changed
        self._heard: list[str] = []
        self._reported: LlmUsage | None = None
        self._open = True
        account.calls += 1
        account.estimate(prompt_tokens, 0)

    def heard(self, text: str) -> None:
        """A piece of the answer came."""
        self._heard.append(text)

    def reported(self, usage: LlmUsage) -> None:
        """The service told what it counted."""
        self._reported = usage

    def close(self) -> None:
        """The request is over, however it ended."""
        if not self._open:
            return
        self._open = False
        account, usage = self._account, self._reported
        if usage is not None:
            account.estimate(-self._prompt_tokens, 0)
            account.prompt_tokens += usage.prompt_tokens
            account.completion_tokens += usage.completion_tokens
            if usage.cost_usd is None:
                account.unpriced = True
            else:
                account.paid_usd += usage.cost_usd
                account.weight += _weight(usage.prompt_tokens, usage.completion_tokens)
        elif self._heard:
            account.estimate(0, round(len("".join(self._heard).split()) * _TOKENS_PER_WORD))
        elif self.refused or not self.sent:
            account.estimate(-self._prompt_tokens, 0)
        self._changed()


class UsageMeter:
    """Adds up a session's usage. Owner: the asyncio thread; bound: one account a model.

    Args:
        changed: Called when a charge was closed.
    """

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        self._changed = changed
        self._accounts: dict[LlmModel, _Account] = {}

    def begin(self, model: LlmModel, prompt_tokens: int) -> Charge:
        """A request starts: count its prompt."""
        return Charge(self._accounts.setdefault(model, _Account()), prompt_tokens, self._changed)

    @property
    def totals(self) -> UsageTotals:
        """The sum over all models, open requests included."""
        accounts = self._accounts.values()
        return UsageTotals(
            calls=sum(a.calls for a in accounts),
            prompt_tokens=sum(a.prompt_tokens for a in accounts),
            completion_tokens=sum(a.completion_tokens for a in accounts),
            priced_usd=sum(a.cost_usd for a in accounts),
            unpriced_calls=sum(a.calls for a in accounts if a.unpriced),
        )

    @property
    def unpriced_models(self) -> list[LlmModel]:
        """Models whose price isn't known, in the order of their first request."""
        return [model for model, account in self._accounts.items() if account.unpriced]


def _weight(prompt_tokens: int, completion_tokens: int) -> float:
    return prompt_tokens + _ANSWER_WEIGHT * completion_tokens
