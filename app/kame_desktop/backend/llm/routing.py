"""Auto: which language model a question goes to, by its topic. Pure, but for the file of built-in topics.

A rule is a topic, its keywords and a model. A keyword is a word or a phrase; it is found where its words stand in the
question one after the other, whatever their case and punctuation, and an asterisk at its end stands for any ending
("equation*"). The rule with the most keywords in the question wins, then the one with the longest, then the first in
the list. A rule that is ``weak`` (small talk) counts only when no other fits and its keywords are a third of the
question or more: neither "Hello, how are you? What is a black hole?" nor "Hi, when does the next bus to town leave?" is
small talk.

A question is asked while it is spoken, so its words arrive one by one. A topic once found is kept for the rest of the
sentence unless another has at least twice as many keywords (``keep``), so that the models don't take turns.

The reason names the keyword, which is the user's word: it is shown, never logged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import AppError, BadInputError, MissingError
from kame_desktop.core.paths import assets_dir
from kame_desktop.core.settings import AutoRule, LlmSettings
from kame_desktop.core.words import normalised_words

AUTO_NAME = "auto"
"""Name of the model in settings and events that stands for "the rules choose"."""

_CLEARLY_MORE = 2
_WEAK_SHARE = 3
# Scripts without spaces between words: a keyword of theirs is found inside a longer run of letters.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Rule:
    """Questions about ``topic`` go to ``model`` (None: the default). See the module's text for ``weak``."""

    topic: str
    keywords: tuple[str, ...]
    model: LlmModel | None = None
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Route:
    """Where a question goes.

    Attributes:
        model: The model to ask.
        reason: Why, for the user: "Auto: STEM (because of 'photosynthesis')".
        topic: The topic that was found; "" when none was.
    """

    model: LlmModel
    reason: str
    topic: str = ""


@dataclass(frozen=True, slots=True)
class _Keyword:
    """A keyword taken apart: its words as they are compared, and whether the last one may go on."""

    shown: str
    words: tuple[str, ...]
    open_ended: bool
    unspaced: bool

    @classmethod
    def of(cls, text: str) -> _Keyword | None:
        open_ended = text.rstrip().endswith("*")
        words = normalised_words(text)
        if not words:
            return None
        return cls(text.strip().rstrip("*"), words, open_ended, _UNSPACED.search(text) is not None)

    def is_in(self, heard: Sequence[str]) -> bool:
        if self.unspaced:
            return "".join(self.words) in "".join(heard)
        *head, tail = self.words
        if head and head[0] not in heard:
            return False
        for at in range(len(head), len(heard)):
            fits = heard[at].startswith(tail) if self.open_ended else heard[at] == tail
            if fits and list(heard[at - len(head) : at]) == head:
                return True
        return False


@dataclass(frozen=True, slots=True)
class _Match:
    rule: Rule
    count: int
    longest: _Keyword

    @property
    def rank(self) -> tuple[bool, int, int]:
        return (not self.rule.weak, self.count, len(self.longest.words))


class Router:
    """Chooses by rules. Immutable; any thread."""

    def __init__(self, rules: Iterable[Rule], default: LlmModel) -> None:
        self._default = default
        self._rules = [(rule, _keywords(rule.keywords)) for rule in rules]

    @property
    def default(self) -> LlmModel:
        """The model of questions that no rule fits."""
        return self._default

    @property
    def models(self) -> list[LlmModel]:
        """Every model that a question may go to, each once; the default first."""
        models = [self._default]
        for rule, _ in self._rules:
            if rule.model is not None and rule.model not in models:
                models.append(rule.model)
        return models

    def choose(self, text: str, *, keep: str = "") -> Route:
        """The model for a question that reads ``text`` so far; ``keep``: the topic that its beginning had."""
        heard = normalised_words(text)
        matches = [match for rule, keywords in self._rules if (match := _match(rule, keywords, heard)) is not None]
        if not matches:
            return Route(self._default, "Auto: no topic was found")
        best = max(matches, key=lambda match: match.rank)  # the first of equals
        kept = next((match for match in matches if match.rule.topic == keep), None)
        if kept is not None and kept.rule.weak == best.rule.weak and best.count < _CLEARLY_MORE * kept.count:
            best = kept
        model = best.rule.model or self._default
        return Route(model, f"Auto: {best.rule.topic} (because of '{best.longest.shown}')", best.rule.topic)


def built_in_rules() -> list[AutoRule]:
    """The topics that ship with the program, in the order of the list. Raises MissingError."""
    path = assets_dir() / "llm" / "topics.json"
    try:
        return [AutoRule.model_validate(topic) for topic in json.loads(path.read_text(encoding="utf-8"))["topics"]]
    except (OSError, ValueError, KeyError, TypeError, ValidationError):
        raise MissingError(
            "The list of topics for Auto can't be read.", "Install the program anew.", component="llm"
        ) from None


def make_router(
    settings: LlmSettings, resolve: Callable[[str], LlmModel], first_ready: LlmModel
) -> tuple[Router, list[AppError]]:
    """The rules of the settings with their models.

    Args:
        settings: ``auto_rules`` (None: the built-in ones) and ``auto_default``.
        resolve: From a model's name to the model; raises BadInputError.
        first_ready: The default when the settings name none, or one that can't be used.

    Returns:
        The router, and what is wrong with names in the rules (the default takes their questions).
    """
    problems: list[AppError] = []

    def model(name: str | None) -> LlmModel | None:
        if name is None or name == AUTO_NAME:
            return None
        try:
            return resolve(name)
        except BadInputError as error:
            problems.append(error)
            return None

    rules: Sequence[AutoRule] = []
    try:
        rules = settings.auto_rules if settings.auto_rules is not None else built_in_rules()
    except MissingError as error:
        problems.append(error)
    default = model(settings.auto_default) or first_ready
    return Router([Rule(r.topic, tuple(r.keywords), model(r.model), r.weak) for r in rules], default), problems


def _keywords(texts: Iterable[str]) -> list[_Keyword]:
    """Each keyword once, however it was written."""
    found = {(k.words, k.open_ended): k for text in texts if (k := _Keyword.of(text)) is not None}
    return list(found.values())


def _match(rule: Rule, keywords: Sequence[_Keyword], heard: Sequence[str]) -> _Match | None:
    """How well a rule fits; None: not at all."""
    found = [keyword for keyword in keywords if keyword.is_in(heard)]
    if not found or (rule.weak and _WEAK_SHARE * sum(len(keyword.words) for keyword in found) < len(heard)):
        return None
    return _Match(rule, len(found), max(found, key=lambda keyword: len(keyword.words)))
