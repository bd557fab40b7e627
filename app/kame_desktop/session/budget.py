"""What a conversation may cost: at four fifths of it unfinished sentences are asked no more, at all of it a warning.

Finished sentences are always answered: the conversation is never cut off in the middle. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.session.usage import UsageTotals

_STOPS_SPECULATION_AT = 0.8


class Budget:
    """Watches one session's estimated cost. Owner: the asyncio thread.

    Attributes:
        limit_usd: What the session may cost; None: no bound.
        speculation_allowed: Unfinished sentences may be asked; once False it stays so.
    """

    def __init__(self, limit_usd: float | None) -> None:
        self.limit_usd = limit_usd
        self.speculation_allowed = True
        self._spent = False
        self._unpriced: set[LlmModel] = set()

    def watch(self, totals: UsageTotals, unpriced: Sequence[LlmModel]) -> list[str]:
        """Look at the cost so far; returns what the user should be told, each thing once."""
        limit = self.limit_usd
        if limit is None:
            return []
        told = [
            f"The price of {model.label} isn't known here: the budget can't be watched for it."
            for model in unpriced
            if model not in self._unpriced
        ]
        self._unpriced.update(unpriced)
        cost = totals.priced_usd
        if self.speculation_allowed and cost >= _STOPS_SPECULATION_AT * limit:
            self.speculation_allowed = False
            told.append(
                f"About {dollars(cost)} of this conversation's budget of {dollars(limit)} is spent: "
                "from here on only finished sentences are asked."
            )
        if not self._spent and cost >= limit:
            self._spent = True
            told.append(
                f"This conversation's budget of {dollars(limit)} is spent (about {dollars(cost)} so far). "
                "Finished sentences are still answered; stop, or choose a model on this computer, to spend no more."
            )
        return told


def dollars(amount: float) -> str:
    """An amount for the user, with as many places as a small one needs."""
    return f"${amount:.2f}" if amount >= 0.1 or amount == 0.0 else f"${amount:.4f}"
