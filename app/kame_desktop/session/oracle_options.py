"""How the language model is asked, as the session is told at its start."""

from __future__ import annotations

from dataclasses import dataclass

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.backend.llm.routing import Router
from kame_desktop.backend.prompt import DEFAULT_TOKEN_BUDGET


@dataclass(frozen=True, slots=True)
class SchedulerOptions:
    """When the language model is asked; times in milliseconds (see ``oracle_scheduler``)."""

    min_spacing_ms: float = 350.0
    max_in_flight: int = 3
    first_token_deadline_ms: float = 4_000.0
    gap_deadline_ms: float = 3_000.0
    answer_deadline_ms: float = 20_000.0
    backoff_base_ms: float = 500.0
    backoff_max_ms: float = 8_000.0
    max_attempts: int = 4
    speculate: bool = True


@dataclass(frozen=True, slots=True)
class OracleOptions:
    """How answers are asked for.

    Attributes:
        system_prompt: Replaces the built-in one for ordinary models.
        max_tokens: Bound of one answer, told to the model.
        max_words: Our own bound: after so many words an answer ends with its sentence.
        token_budget: Bound of the prompt.
        router: The rules of the model named ``auto``; they hold for the whole session.
        fallback: Answers in place of a model that failed.
        budget_usd: What the session may cost, by estimate; None: no bound.
    """

    system_prompt: str | None = None
    max_tokens: int = 96
    max_words: int = 45
    token_budget: int = DEFAULT_TOKEN_BUDGET
    router: Router | None = None
    fallback: LlmModel | None = None
    budget_usd: float | None = None
