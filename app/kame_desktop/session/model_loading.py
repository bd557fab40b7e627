"""Makes language models ready: the chosen one or those of the rules, and the one that stands in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.backend.llm.routing import AUTO_NAME
from kame_desktop.core import crash
from kame_desktop.core.errors import AppError, BadInputError, as_app_error
from kame_desktop.session.model_choice import ModelChoice

_log = logging.getLogger(__name__)


class ModelLoader:
    """Owner: the asyncio thread. A model that can't be loaded is left out, as long as another one can answer.

    Args:
        llm: Loads them.
        choice: Knows which are needed, and is told which aren't there.
    """

    def __init__(self, llm: StreamingLlm, choice: ModelChoice) -> None:
        self._llm = llm
        self._choice = choice

    async def load_first(self) -> list[AppError]:
        """Load what the chosen model needs, and the fallback; says which were left out, and why.

        Raises AppError when nobody is left to answer.
        """
        choice, chosen = self._choice, self._choice.chosen
        wanted = self._needed(chosen)
        fallback = [choice.fallback] if choice.fallback is not None and choice.fallback not in wanted else []
        errors = await self._load([*wanted, *fallback])
        if len(errors) == len(wanted) + len(fallback):
            raise errors[wanted[0]]
        return self._leave_out(chosen, errors)

    async def switch(self, chosen: LlmModel) -> list[AppError]:
        """Load what ``chosen`` needs and make it the chosen one; says which were left out, and why.

        Raises AppError, and then the old one stays.
        """
        wanted = self._needed(chosen)
        errors = await self._load(wanted)
        if len(errors) == len(wanted):
            raise errors[wanted[0]]
        self._choice.switch(chosen)
        return self._leave_out(chosen, errors)

    def _needed(self, chosen: LlmModel) -> list[LlmModel]:
        wanted = self._choice.models_of(chosen)
        if not wanted:
            raise BadInputError(
                "There are no rules by which Auto could choose a language model.",
                "Choose a language model.",
                component="llm",
            )
        return wanted

    async def _load(self, models: Sequence[LlmModel]) -> dict[LlmModel, AppError]:
        """Load them all at once; what went wrong, by model."""
        outcomes = await asyncio.gather(*(self._try(model) for model in models))
        return {model: error for model, error in zip(models, outcomes, strict=True) if error is not None}

    async def _try(self, model: LlmModel) -> AppError | None:
        try:
            await self._llm.load(model)
        except AppError as error:
            return error
        except Exception as error:  # noqa: BLE001 - a defect of one model's library must not take the others along
            crash.report(error, "language model, loading")
            return as_app_error(error, "llm")
        return None

    def _leave_out(self, chosen: LlmModel, errors: dict[LlmModel, AppError]) -> list[AppError]:
        choice = self._choice
        told: list[AppError] = []
        for model, error in errors.items():
            choice.failed(model)
            if model == choice.fallback:
                outcome = "Until then no model stands in for another."
            elif chosen.name == AUTO_NAME:
                outcome = "Until then Auto leaves this model out."
            else:
                outcome = f"Until then {choice.fallback.label if choice.fallback else 'another model'} answers."
            told.append(with_outcome(error, outcome))
        return told


def with_outcome(error: AppError, outcome: str) -> AppError:
    """The error, which is made up for, its remedy followed by what happens meanwhile."""
    told = AppError(error.what, f"{error.remedy} {outcome}".strip(), component=error.component, category=error.category)
    told.made_up_for = True
    return told
