"""The oracle feed: whole words, nothing lost, no gap inside a clause, one account a generation."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.core.audio_types import FRAME_MS
from kame_desktop.core.events import OracleRevision
from kame_desktop.session.oracle_feed import FeedAccount, OracleFeed
from tests.fakes.tokens import SentencePieceTokenizer

TOKENIZER = SentencePieceTokenizer()
PAD, START = TOKENIZER.pad_id, TOKENIZER.start_id


def kame_feed() -> OracleFeed:
    return OracleFeed(TOKENIZER, tokens_per_frame=1, min_start_tokens=6)


def revision(text: str, *, generation: int = 1, complete: bool = False) -> OracleRevision:
    return OracleRevision(at_ms=0.0, generation=generation, utterance=1, model="m", text_so_far=text, complete=complete)


def feed_ids(feed: OracleFeed, frames: range) -> list[int]:
    return [token for frame in frames for token in feed.pop(frame).ids]


def spoken(ids: list[int]) -> list[int]:
    return [token for token in ids if token not in (PAD, START)]


WORDY = st.lists(st.text(st.characters(codec="utf-8"), min_size=0, max_size=12), min_size=1, max_size=12).map(" ".join)


@given(text=WORDY, cuts=st.lists(st.integers(0, 200), max_size=12), per_frame=st.sampled_from([1, 3, None]))
def test_any_split_into_chunks_gives_the_ids_of_the_whole_text(
    text: str, cuts: list[int], per_frame: int | None
) -> None:
    feed = OracleFeed(TOKENIZER, tokens_per_frame=per_frame, min_start_tokens=6)
    got: list[int] = []
    frame = 0
    for cut in [*sorted(c for c in cuts if c < len(text)), len(text)]:
        feed.offer(revision(text[:cut]), frame, frame * FRAME_MS)
        for _ in range(2):
            got += feed.pop(frame).ids
            frame += 1
    feed.offer(revision(text, complete=True), frame, frame * FRAME_MS)
    got += feed_ids(feed, range(frame, frame + 400))
    assert spoken(got) == [token for token in TOKENIZER.encode(text) if text.strip()]
    assert got.count(START) == (1 if text.strip() else 0)


def test_a_complete_revision_runs_without_a_pad_and_ends_once() -> None:
    feed = kame_feed()
    text = "the capital of france is paris"
    feed.offer(revision(text, complete=True), 0, 0.0)
    slots = [feed.pop(frame) for frame in range(40)]
    ids = [slot.ids[0] for slot in slots]
    length = len(TOKENIZER.encode(text))
    assert ids[: length + 1] == [START, *TOKENIZER.encode(text)]
    assert set(ids[length + 1 :]) == {PAD}
    assert [frame for frame, slot in enumerate(slots) if slot.ends] == [length]


def test_a_model_of_six_tokens_a_second_loses_no_token() -> None:
    """The reference indexes by frame and delivers 2 of 11 tokens here."""
    feed = kame_feed()
    text = "the capital of france is paris, and it has been so for a very long time"
    words = text.split(" ")
    got: list[int] = []
    frame = 0
    for count in range(1, len(words) + 1):
        at_ms = frame * FRAME_MS
        feed.offer(revision(" ".join(words[:count]), complete=count == len(words)), frame, at_ms)
        frames = round(len(TOKENIZER.encode(words[count - 1])) * 1000 / 6 / FRAME_MS)
        got += feed_ids(feed, range(frame, frame + frames))
        frame += frames
    got += feed_ids(feed, range(frame, frame + 100))
    assert spoken(got) == list(TOKENIZER.encode(text))
    assert feed.tokens_missed == 0
    assert feed.tokens_fed == len(TOKENIZER.encode(text))


def test_start_waits_for_a_clause_or_six_tokens_or_the_end() -> None:
    for text, complete, begins in [
        ("the ", False, False),
        ("it is, ", False, True),
        ("the capital of france is a thing ", False, True),
        ("it", True, True),
    ]:
        feed = kame_feed()
        feed.offer(revision(text, complete=complete), 0, 0.0)
        assert (START in feed.pop(0).ids) is begins, text


def test_start_waits_longer_for_a_slower_stream() -> None:
    feed = kame_feed()
    text = "one two three four five six seven eight nine ten"
    begun_with: int | None = None
    frame = 0
    for cut in range(1, len(text)):
        feed.offer(revision(text[:cut]), frame, frame * FRAME_MS)
        if START in feed.pop(frame).ids:
            begun_with = len(TOKENIZER.encode(text[: text.rindex(" ", 0, cut)]))
            break
        frame += 2
    assert begun_with is not None
    assert begun_with > 6


def test_after_running_dry_it_collects_again_and_has_no_second_start() -> None:
    feed = kame_feed()
    feed.offer(revision("it is, "), 0, 0.0)
    first = feed_ids(feed, range(20))
    assert first[0] == START
    assert spoken(first) == list(TOKENIZER.encode("it is,"))
    feed.offer(revision("it is, a "), 20, 1600.0)
    assert spoken(feed_ids(feed, range(20, 22))) == []
    feed.offer(revision("it is, a day, or "), 22, 1760.0)
    again = feed_ids(feed, range(22, 60))
    assert START not in again
    assert spoken(first + again) == list(TOKENIZER.encode("it is, a day, or"))


def test_a_newer_revision_replaces_what_was_not_fed_and_accounts_for_it() -> None:
    feed = kame_feed()
    old = "the capital of france is london"
    feed.offer(revision(old, generation=1, complete=True), 0, 0.0)
    feed_ids(feed, range(5))
    feed.offer(revision("it is paris", generation=2, complete=True), 5, 400.0)
    rest = feed_ids(feed, range(5, 60))
    assert spoken(rest) == list(TOKENIZER.encode("it is paris"))
    missed = len(TOKENIZER.encode(old)) - 4
    accounts = feed.take_accounts()
    assert FeedAccount(generation=1, frame=5, tokens_fed=4, tokens_missed=missed, ended=True) in accounts
    assert [a.generation for a in accounts if a.ended] == [1, 2]
    assert feed.tokens_missed == missed


def test_older_and_cleared_generations_stay_out() -> None:
    feed = kame_feed()
    feed.offer(revision("it is paris", generation=2, complete=True), 0, 0.0)
    feed.offer(revision("the london answer", generation=1, complete=True), 0, 0.0)
    feed.clear(0)
    feed.offer(revision("it is paris", generation=2, complete=True), 1, 80.0)
    assert set(feed_ids(feed, range(30))) == {PAD}
    feed.offer(revision("yes", generation=3, complete=True), 2, 160.0)
    assert feed.generation == 3


def test_reset_lets_nothing_into_the_next_session() -> None:
    feed = kame_feed()
    feed.offer(revision("the capital of france", generation=7, complete=True), 0, 0.0)
    feed_ids(feed, range(2))
    feed.reset()
    assert set(feed_ids(feed, range(30))) == {PAD}
    assert (feed.tokens_fed, feed.tokens_missed, feed.take_accounts()) == (0, 0, [])
    feed.offer(revision("yes", generation=1, complete=True), 0, 0.0)
    assert feed.generation == 1


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_answer_does_not_replace_one_that_is_there(text: str) -> None:
    feed = kame_feed()
    feed.offer(revision("it is paris", generation=1, complete=True), 0, 0.0)
    feed.offer(revision(text, generation=2, complete=True), 0, 0.0)
    assert spoken(feed_ids(feed, range(30))) == list(TOKENIZER.encode("it is paris"))


@given(text=WORDY)
def test_the_words_of_an_unfinished_text_are_whole(text: str) -> None:
    feed = OracleFeed(TOKENIZER, tokens_per_frame=None, min_start_tokens=1)
    for cut in range(1, len(text)):
        feed.offer(revision(text[:cut]), cut, cut * FRAME_MS)
        feed.pop(cut)
        known = text[:cut]
        boundary = re.search(r"\s+\S*$", known)
        whole = known[: boundary.start()] if boundary else ""
        assert feed.tokens_fed <= len(TOKENIZER.encode(whole)) if whole.strip() else feed.tokens_fed == 0
