"""What to believe of a recogniser's guesses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.backend.stt.hypotheses import agreed_words, collapse_repeats, is_invention

WORD = st.sampled_from(["how", "many", "days", "in", "a", "year", "leap", "the"])


@pytest.mark.parametrize(
    ("text", "audio_ms", "kept"),
    [
        ("How many? How many? How many? How many? How many?", 500.0, "How many?"),
        ("What is it now? What is it now?", 2_000.0, "What is it now?"),
        ("A B C D A B C D A B", 900.0, "A B C D"),
        ("no no no", 2_000.0, "no no no"),
        ("that that is is", 2_000.0, "that that is is"),
        ("one two three four", 2_000.0, "one two three four"),
        ("", 1_000.0, ""),
    ],
)
def test_a_loop_is_cut_and_plain_speech_is_not(text: str, audio_ms: float, kept: str) -> None:
    assert collapse_repeats(text, audio_ms) == kept


@given(words=st.lists(WORD, max_size=30), audio_ms=st.floats(100.0, 10_000.0))
def test_collapsing_only_ever_cuts_the_tail(words: list[str], audio_ms: float) -> None:
    kept = collapse_repeats(" ".join(words), audio_ms).split()
    assert kept == words[: len(kept)]


def test_words_two_passes_agree_on() -> None:
    assert agreed_words(["What", "is", "the"], ["what", "is,", "the", "capital"]) == 3
    assert agreed_words(["Why", "is", "this"], ["Why", "is", "the", "sky"]) == 2
    assert agreed_words([], ["a"]) == 0


def test_no_text_without_speech() -> None:
    silent = {"no_speech_prob": 0.98, "avg_logprob": -1.3, "speech_ms": 900.0}
    sure = {"no_speech_prob": 0.01, "avg_logprob": -0.2, "speech_ms": 900.0}
    assert is_invention("you", **silent)
    assert is_invention("I'm gonna go to the right side", **silent)
    assert is_invention("...", **sure)
    assert not is_invention("Thank you.", **sure)
    assert is_invention("Thank you.", no_speech_prob=0.4, avg_logprob=-0.2, speech_ms=900.0)
    assert not is_invention("What is the capital of France?", **sure)
