"""What changed from one answer to the next."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.ui.word_diff import Change, Piece, word_diff

WORD = st.sampled_from(["the", "capital", "of", "france", "is", "paris", "on", "a", "river", "Seine."])
WORDS = st.lists(WORD, max_size=14).map(" ".join)


def shown(before: str, after: str, *, complete: bool = True) -> str:
    """A notation for reading: +added -dropped ~moved."""
    marks = {Change.KEPT: "", Change.ADDED: "+", Change.DROPPED: "-", Change.MOVED: "~"}
    pieces = word_diff(before, after, complete=complete)
    return " ".join(marks[piece.change] + word for piece in pieces for word in piece.text.split())


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("There are 365 days.", "There are 366 days.", "There are -365 +366 days."),
        ("Paris is the capital.", "Paris is the capital.", "Paris is the capital."),
        ("paris, is it", "Paris is it", "Paris is it"),
        ("in spring we plant beans", "we plant beans in spring", "we plant beans ~in ~spring"),
        ("", "Paris.", "Paris."),
        ("Paris.", "", ""),
        ("How many of what?", "There are seven days", "+There +are +seven +days"),
        ("a b c d", "a b", "a b -c -d"),
    ],
)
def test_examples(before: str, after: str, expected: str):
    assert shown(before, after) == expected


def test_what_may_still_come_is_not_gone_yet():
    assert shown("There are 365 days in a year.", "There are 366", complete=False) == "There are +366"
    assert shown("There are 365 days in a year.", "There are 366 days", complete=False) == "There are -365 +366 days"


@given(before=WORDS, after=WORDS, complete=st.booleans())
def test_the_newer_answer_stays_whole(before: str, after: str, complete: bool):
    pieces = word_diff(before, after, complete=complete)
    assert " ".join(piece.text for piece in pieces if piece.change is not Change.DROPPED) == after
    assert all(piece.text for piece in pieces)
    assert all(one.change is not other.change for one, other in itertools.pairwise(pieces))


@given(before=WORDS)
def test_no_change(before: str):
    assert word_diff(before, before) == ([Piece(Change.KEPT, before)] if before else [])
