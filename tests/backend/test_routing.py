"""Which model a question goes to, by its words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.backend.llm.routing import Route, Router, Rule, built_in_rules, make_router
from kame_desktop.core.errors import BadInputError
from kame_desktop.core.settings import AutoRule, LlmSettings

DEFAULT, THINKER, SCHOLAR, FRIEND = (
    LlmModel(name, name.title()) for name in ("default", "thinker", "scholar", "friend")
)
RULES = (
    Rule("reasoning", ("prove", "step by step", "riddle*"), THINKER),
    Rule("history", ("Rome", "ancient", "civil war"), SCHOLAR),
    Rule("plants", ("photosynthesis", "leaf")),
    Rule("small talk", ("hello", "how are you"), FRIEND, weak=True),
)


@pytest.fixture
def router() -> Router:
    return Router(RULES, DEFAULT)


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What happened in ROME?", "history"),
        ("what, 'ancient'?", "history"),
        ("Tell me of the Civil   War!", "history"),
        ("the war was civil", ""),
        ("a romeo is no Rome-like thing", "history"),
        ("a romeo is no romance", ""),
        ("Go step-by-step.", "reasoning"),
        ("I like riddles", "reasoning"),
        ("they improve", ""),
        ("What is a leaf in ancient Rome?", "history"),
        ("Prove a leaf", "reasoning"),
        ("a leaf, step by step", "reasoning"),
        ("Hello!", "small talk"),
        ("Hello, how are you? What is photosynthesis?", "plants"),
        ("Hello, when does the next bus to town leave?", ""),
        ("", ""),
    ],
)
def test_a_keyword_is_found_by_its_words_and_the_best_rule_wins(router: Router, question: str, topic: str) -> None:
    assert router.choose(question).topic == topic


def test_the_route_names_the_model_and_the_reason(router: Router) -> None:
    assert router.choose("What happened in Rome?") == Route(SCHOLAR, "Auto: history (because of 'Rome')", "history")
    assert router.choose("I like riddles").reason == "Auto: reasoning (because of 'riddle')"
    no_model = router.choose("How does photosynthesis work?")
    assert (no_model.model, no_model.topic) == (DEFAULT, "plants"), "a rule without a model leaves it to the default"
    assert router.choose("Where is my hat?") == Route(DEFAULT, "Auto: no topic was found")


def test_a_topic_once_found_is_kept_unless_another_has_clearly_more(router: Router) -> None:
    assert router.choose("prove that ancient", keep="history").topic == "history"
    assert router.choose("prove that ancient", keep="reasoning").topic == "reasoning"
    assert router.choose("prove that ancient Rome", keep="reasoning").topic == "history"
    assert router.choose("prove step by step that ancient Rome had a civil war", keep="reasoning").topic == "reasoning"
    assert router.choose("photosynthesis", keep="history").topic == "plants", "its word was misheard"
    assert router.choose("hello Rome", keep="small talk").topic == "history"


def test_a_language_without_spaces_is_searched_too() -> None:
    router = Router([Rule("maths", ("数学",), THINKER)], DEFAULT)
    assert router.choose("数学の問題を教えて").topic == "maths"
    assert router.choose("天気を教えて").topic == ""


def test_the_models_are_named_once_the_default_first(router: Router) -> None:
    assert router.models == [DEFAULT, THINKER, SCHOLAR, FRIEND]


SENTENCES = st.lists(
    st.sampled_from(["prove", "riddles", "Rome", "ancient", "leaf", "photosynthesis", "hello", "the", "of", "civil"]),
    min_size=1,
    max_size=24,
)


@given(SENTENCES)
def test_while_a_sentence_grows_the_models_do_not_take_turns(words: Sequence[str]) -> None:
    router = Router(RULES, DEFAULT)
    topics: list[str] = []
    for count in range(1, len(words) + 1):
        topic = router.choose(" ".join(words[:count]), keep=topics[-1] if topics else "").topic
        if not topics or topic != topics[-1]:
            topics.append(topic)
    strong = [topic for topic in topics if topic not in ("", "small talk")]
    assert topics[len(topics) - len(strong) :] == strong, "a real topic isn't lost again"
    assert len(strong) <= 4, "each change needs twice the keywords of the one before"


@given(st.text(max_size=200), st.text(max_size=20))
def test_any_text_finds_a_model(text: str, keyword: str) -> None:
    router = Router([Rule("any", (keyword,), THINKER)], DEFAULT)
    assert router.choose(text, keep=keyword).model in (DEFAULT, THINKER)


# The topics that ship -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("A farmer has a wolf, a goat and a cabbage. How can he cross the river?", "reasoning"),
        ("Here is a riddle for you", "reasoning"),
        ("What are the pros and cons of living in the city", "reasoning"),
        ("How does photosynthesis work", "STEM"),
        ("What is the square root of 144?", "STEM"),
        ("Why is the sky blue?", "STEM"),
        ("How far away is the next galaxy?", "STEM"),
        ("Who wrote Romeo and Juliet?", "humanities"),
        ("What is the capital of France?", "humanities"),
        ("Why did the Roman Empire fall?", "humanities"),
        ("Hi there, how are you doing today?", "small talk"),
        ("Tell me a joke", "small talk"),
        ("Good morning! How's it going?", "small talk"),
        ("Hello, how are you? Can you tell me what a black hole is?", "STEM"),
        ("Where did I leave my keys", ""),
    ],
)
def test_the_built_in_topics_fit_everyday_questions(question: str, topic: str) -> None:
    router, problems = make_router(LlmSettings(), lambda name: LlmModel(name, name), DEFAULT)
    assert problems == []
    assert router.choose(question).topic == topic


def test_the_built_in_list_has_the_four_topics_and_no_keyword_twice() -> None:
    rules = built_in_rules()
    assert [rule.topic for rule in rules] == ["reasoning", "STEM", "humanities", "small talk"]
    assert all(len(rule.keywords) >= 30 for rule in rules)
    assert [rule.topic for rule in rules if rule.weak] == ["small talk"]
    for rule in rules:
        assert len({keyword.casefold() for keyword in rule.keywords}) == len(rule.keywords)
        assert all(keyword.strip() == keyword and keyword for keyword in rule.keywords)


def test_the_settings_rules_replace_the_built_in_ones() -> None:
    settings = LlmSettings(
        auto_rules=[
            AutoRule(topic="cars", keywords=["engine"], model="thinker"),
            AutoRule(topic="boats", keywords=["sail"], model="no such"),
            AutoRule(topic="loops", keywords=["again"], model="auto"),
        ],
        auto_default="friend",
    )
    known = {model.name: model for model in (THINKER, FRIEND)}

    def resolve(name: str) -> LlmModel:
        if name not in known:
            raise BadInputError(f"There is no '{name}'.", "Choose another.")
        return known[name]

    router, problems = make_router(settings, resolve, DEFAULT)
    assert router.models == [FRIEND, THINKER]
    assert router.choose("my engine").model == THINKER
    assert [router.choose(text).model for text in ("a sail", "once again", "photosynthesis")] == [FRIEND] * 3
    assert [problem.what for problem in problems] == ["There is no 'no such'."]


def test_without_a_default_of_the_settings_the_first_ready_model_is_it() -> None:
    router, _ = make_router(LlmSettings(auto_rules=[]), lambda name: LlmModel(name, name), SCHOLAR)
    assert router.choose("anything").model == SCHOLAR
