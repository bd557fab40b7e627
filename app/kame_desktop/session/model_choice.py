"""Which language model a question is put to: the user's, one that the rules choose, or one that stands in. Pure.

A model that failed for good (a refused key, no such model, no credit, or it can't be loaded) isn't asked again until
the user switches. One that failed again and again in passing is left alone for that question only: the next question
goes to it first, for trouble in passing passes.

Who stands in, in this order: under Auto the rules' default, then the fallback, then the other models of the rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.backend.llm.routing import AUTO_NAME, Router


@dataclass(frozen=True, slots=True)
class Choice:
    """The model to ask, and why it is this one, for the user ("": the user chose it)."""

    model: LlmModel
    because: str = ""


class ModelChoice:
    """See the module's text. Owner: the asyncio thread; bound: what is remembered are models of one choice.

    Args:
        chosen: The user's model; one of the name ``auto`` stands for the rules.
        router: The rules of Auto.
        fallback: Stands in for a model that failed.
    """

    def __init__(self, chosen: LlmModel, *, router: Router | None = None, fallback: LlmModel | None = None) -> None:
        self._chosen = chosen
        self._router = router
        self._fallback = fallback if fallback is not None and fallback.name != AUTO_NAME else None
        self._failed: set[LlmModel] = set()
        self._failed_here: tuple[int, set[LlmModel]] = (0, set())
        self._topic: tuple[int, str] = (0, "")

    @property
    def chosen(self) -> LlmModel:
        """The user's model, or ``auto``."""
        return self._chosen

    @property
    def fallback(self) -> LlmModel | None:
        """Stands in for a model that failed; None: nobody does."""
        return self._fallback

    def models_of(self, chosen: LlmModel) -> list[LlmModel]:
        """The models that questions would go to, each once, the most wanted first; [] for Auto without rules."""
        if chosen.name != AUTO_NAME:
            return [chosen]
        return self._router.models if self._router is not None else []

    def switch(self, chosen: LlmModel) -> None:
        """The user wants another model, or the same one once more: earlier failures are forgotten."""
        self._chosen = chosen
        self._failed.clear()
        self._failed_here = (0, set())

    def failed(self, model: LlmModel) -> bool:
        """``model`` failed for good; says whether that is new."""
        new = model not in self._failed
        self._failed.add(model)
        return new

    def failed_for(self, utterance: int, model: LlmModel) -> None:
        """``model`` could not answer this question."""
        if self._failed_here[0] != utterance:
            self._failed_here = (utterance, set())
        self._failed_here[1].add(model)

    def choose(self, utterance: int, text: str) -> Choice:
        """Who is asked ``text``, the words of ``utterance`` so far; a model that failed only when none is left."""
        picked, because = self._pick(utterance, text)
        model = self._first_usable(utterance, [picked, *self._stand_ins()])
        if model is None or model == picked:
            return Choice(picked, because)
        swapped = f"{picked.label} could not answer; {model.label} answers instead"
        return Choice(model, f"{because}. {swapped}" if because else swapped)

    def stand_in(self, utterance: int, model: LlmModel) -> LlmModel | None:
        """Who answers this question when ``model`` can't; None: nobody."""
        return self._first_usable(utterance, [other for other in self._stand_ins() if other != model])

    def _pick(self, utterance: int, text: str) -> tuple[LlmModel, str]:
        if self._chosen.name != AUTO_NAME or self._router is None:
            return self._chosen, ""
        kept = self._topic[1] if self._topic[0] == utterance else ""
        route = self._router.choose(text, keep=kept)
        self._topic = (utterance, route.topic)
        return route.model, route.reason

    def _stand_ins(self) -> list[LlmModel]:
        routed = self.models_of(self._chosen) if self._chosen.name == AUTO_NAME else []
        fallback = [self._fallback] if self._fallback is not None else []
        return [*routed[:1], *fallback, *routed[1:]]

    def _first_usable(self, utterance: int, models: list[LlmModel]) -> LlmModel | None:
        here = self._failed_here[1] if self._failed_here[0] == utterance else set()
        return next((model for model in models if model not in self._failed and model not in here), None)
