"""Whether a sentence sounds finished."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.core.utterance_end import Ending, ending_of, ends_openly, lacks_main_clause


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of France?",
        "who wrote Hamlet",
        "Where are you from?",
        "What are you looking for?",
        "What is this made of?",
        "Why is that?",
        "What does a heart do?",
        "How far away is the moon",
        "Which animal is the fastest.",
        "Is it going to rain tomorrow?",
        "Can you help me?",
        "Tell me a joke.",
        "Um, give me a recipe for soup.",
        "Please explain how a rainbow is made",
        "In what year did the war end?",
        "If it rains tomorrow, what should I wear?",
        "I have a dog. How old can it get?",
        "What is the capital of? France.",
    ],
)
def test_whole_questions_and_requests(text: str) -> None:
    assert ending_of(text) is Ending.COMPLETE
    assert not ends_openly(text)


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of",
        "What is the capital of?",
        "Why is the",
        "How do I get to my",
        "I am asking because.",
        "I like apples and.",
        "It was a long day, so",
        "I want to.",
        "Um...",
        "Well,",
        "By the way",
        "Which animal is...",
        "Can you tell me?",
        "Is it true that?",
        "If it rains tomorrow.",
        "When I was young.",
        "In the year 1945,",
        "I went to the store,",
        "How far away is",
        "What's",
    ],
)
def test_open_ends(text: str) -> None:
    assert ending_of(text) is Ending.OPEN
    assert ends_openly(text)


@pytest.mark.parametrize("text", ["How many people live in", "who wrote", "How many", "Learn some."])
def test_likely_open_ends_stay_open_unless_they_end_in_a_question_mark(text: str) -> None:
    assert ending_of(text) is Ending.LIKELY_OPEN
    assert ends_openly(text)
    assert not ends_openly(f"{text.rstrip('.')}?")


@pytest.mark.parametrize("text", ["", "  ", "?", "I have a dog.", "My name is Anna", "Good morning.", "I think so."])
def test_what_may_be_all(text: str) -> None:
    assert ending_of(text) is Ending.UNSURE
    assert not ends_openly(text)


def test_main_clause() -> None:
    assert lacks_main_clause("Well, if it rains")
    assert lacks_main_clause("After the")
    assert not lacks_main_clause("If it rains, what should I wear")
    assert not lacks_main_clause("What is the")
    assert not lacks_main_clause("")


@given(st.text(max_size=60))
def test_any_text_has_an_ending(text: str) -> None:
    assert ending_of(text) in Ending
    assert isinstance(ends_openly(text), bool)
    assert isinstance(lacks_main_clause(text), bool)


@given(st.sampled_from(["Tell me a joke", "What is the", "I have a dog"]), st.sampled_from([str.upper, str.title]))
def test_case_does_not_matter(text: str, change: type) -> None:
    assert ending_of(change(text)) is ending_of(text)
