"""What the language model was asked and has answered, in tokens and money. Pure."""

from __future__ import annotations

from kame_desktop.backend.llm.base import LlmUsage

_TOKENS_PER_WORD = 1.35


class UsageMeter:
    """Adds up a session's usage. Owner: the asyncio thread.

    A stream that is closed early never reports its usage: it is estimated, at the price of a token so far.

    Attributes:
        prompt_tokens: Tokens of all questions.
        completion_tokens: Tokens of all answers, as far as they were received.
        cost_usd: Estimated cost; None when a price is unknown.
    """

    def __init__(self) -> None:
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.cost_usd: float | None = 0.0
        self._priced_tokens = 0

    def add(self, usage: LlmUsage) -> None:
        """Count what a finished stream reported."""
        tokens = usage.prompt_tokens + usage.completion_tokens
        if self.cost_usd is not None and usage.cost_usd is not None:
            self.cost_usd += usage.cost_usd
            self._priced_tokens += tokens
        else:
            self.cost_usd = None
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens

    def estimate(self, prompt_tokens: int, answer: str) -> None:
        """Count a stream that was closed after ``answer``."""
        completion_tokens = round(len(answer.split()) * _TOKENS_PER_WORD)
        cost = None
        if self.cost_usd is not None:
            per_token = self.cost_usd / self._priced_tokens if self._priced_tokens else 0.0
            cost = per_token * (prompt_tokens + completion_tokens)
        self.add(LlmUsage(prompt_tokens, completion_tokens, cost))
