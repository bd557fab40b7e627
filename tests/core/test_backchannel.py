"""Fillers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.core.backchannel import is_backchannel

FILLERS = [
    "Uh-huh.",
    "Yeah.",
    "right",
    "Mm-hmm",
    "mhm",
    "Okay!",
    "I see.",
    "Wow",
    "Sure.",
    "Oh, I see",
    "That’s right.",
]


@pytest.mark.parametrize("text", FILLERS)
def test_fillers(text: str) -> None:
    assert is_backchannel(text)


@pytest.mark.parametrize(
    "text",
    ["", "...", "No.", "Stop.", "Wait", "What?", "Yeah, but why?", "I see a problem", "Berlin", "Hold on", "right now"],
)
def test_what_is_none(text: str) -> None:
    assert not is_backchannel(text)


@given(st.lists(st.sampled_from(FILLERS), min_size=1, max_size=5))
def test_fillers_in_a_row_are_fillers(texts: list[str]) -> None:
    assert is_backchannel(" ".join(texts))
    assert not is_backchannel(" ".join([*texts, "stop"]))


@given(st.text(max_size=40))
def test_any_text_is_judged(text: str) -> None:
    assert is_backchannel(text) in (True, False)
