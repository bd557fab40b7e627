"""Which model a question is put to."""

from __future__ import annotations

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.backend.llm.routing import Router, Rule
from kame_desktop.session.model_choice import Choice, ModelChoice

AUTO, PLAIN, STEM, HISTORY, SPARE = (
    LlmModel(name, label)
    for name, label in (("auto", "Auto"), ("p", "Plain"), ("s", "Stem"), ("h", "History"), ("x", "Spare"))
)
ROUTER = Router([Rule("STEM", ("atom", "gene"), STEM), Rule("history", ("rome", "sparta"), HISTORY)], PLAIN)


def test_the_users_model_is_asked_for_no_other_reason() -> None:
    choice = ModelChoice(PLAIN, router=ROUTER, fallback=SPARE)
    assert choice.choose(1, "what is an atom") == Choice(PLAIN)


def test_auto_asks_the_model_of_the_topic_and_says_why() -> None:
    choice = ModelChoice(AUTO, router=ROUTER)
    assert choice.choose(1, "what is an atom") == Choice(STEM, "Auto: STEM (because of 'atom')")
    assert choice.choose(2, "how are you").model == PLAIN


def test_a_topic_is_kept_within_a_sentence_only() -> None:
    choice = ModelChoice(AUTO, router=ROUTER)
    assert choice.choose(1, "in rome").model == HISTORY
    assert choice.choose(1, "in rome an atom").model == HISTORY
    assert choice.choose(2, "an atom in rome").model == STEM


def test_a_model_that_failed_for_good_is_replaced_until_the_user_switches() -> None:
    choice = ModelChoice(PLAIN, fallback=SPARE)
    assert choice.failed(PLAIN)
    assert not choice.failed(PLAIN), "that isn't news"
    assert choice.choose(7, "hello") == Choice(SPARE, "Plain could not answer; Spare answers instead")
    choice.switch(PLAIN)
    assert choice.choose(8, "hello") == Choice(PLAIN)


def test_a_model_that_failed_in_passing_is_replaced_for_that_question() -> None:
    choice = ModelChoice(PLAIN, fallback=SPARE)
    choice.failed_for(3, PLAIN)
    assert choice.choose(3, "hello").model == SPARE
    assert choice.choose(4, "hello").model == PLAIN


def test_under_auto_the_default_stands_in_then_the_fallback_then_the_others() -> None:
    choice = ModelChoice(AUTO, router=ROUTER, fallback=SPARE)
    expected = [STEM, PLAIN, SPARE, HISTORY, STEM]
    for model in expected:
        chosen = choice.choose(1, "what is an atom")
        assert chosen.model == model
        choice.failed(model)
    assert choice.choose(1, "what is an atom") == Choice(STEM, "Auto: STEM (because of 'atom')"), "nobody is left"


def test_why_names_both_topic_and_failure() -> None:
    choice = ModelChoice(AUTO, router=ROUTER)
    choice.failed(STEM)
    because = choice.choose(1, "an atom").because
    assert because == "Auto: STEM (because of 'atom'). Stem could not answer; Plain answers instead"


def test_nobody_stands_in_for_themselves_and_auto_for_nobody() -> None:
    assert ModelChoice(PLAIN, fallback=PLAIN).stand_in(1, PLAIN) is None
    assert ModelChoice(PLAIN).stand_in(1, PLAIN) is None
    assert ModelChoice(PLAIN, fallback=AUTO).stand_in(1, PLAIN) is None
    assert ModelChoice(PLAIN, fallback=SPARE).stand_in(1, PLAIN) == SPARE


def test_the_models_that_a_choice_needs() -> None:
    assert ModelChoice(PLAIN, router=ROUTER).models_of(AUTO) == [PLAIN, STEM, HISTORY]
    assert ModelChoice(PLAIN).models_of(AUTO) == []
    assert ModelChoice(AUTO, router=ROUTER).models_of(SPARE) == [SPARE]
