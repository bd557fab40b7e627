"""What Auto would do with a question, by the rules as they stand in the dialog. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kame_desktop.backend.llm import routing
from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import AppError
from kame_desktop.core.settings import AutoRule


def built_in_rules() -> list[AutoRule]:
    """The rules that the program comes with; none when their file is gone."""
    try:
        return routing.built_in_rules()
    except AppError:
        return []


def explain(rules: Iterable[AutoRule], default: LlmModel, text: str, model: Callable[[str], LlmModel]) -> routing.Route:
    """Where a question goes, and why.

    Args:
        default: Takes what no rule fits.
        model: From a model's name to the model.
    """
    made = [
        routing.Rule(one.topic, tuple(one.keywords), model(one.model) if one.model else None, one.weak) for one in rules
    ]
    return routing.Router(made, default).choose(text)
