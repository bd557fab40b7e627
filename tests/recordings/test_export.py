"""What exports hold, read back by readers that aren't ours."""

from __future__ import annotations

import io
import itertools
import json
from typing import Any

import jsonschema
import pytest
import webvtt
from hypothesis import given, settings

from kame_desktop.core.events import Event
from kame_desktop.core.paths import assets_dir
from kame_desktop.recordings.export.json_export import as_json
from kame_desktop.recordings.export.markdown import as_markdown
from kame_desktop.recordings.export.model import Facts
from kame_desktop.recordings.export.subtitles import LINE_LETTERS, LINES, Speaker, as_srt, as_vtt, cues_of
from kame_desktop.recordings.export.text import as_text
from kame_desktop.ui.rows import CardStatus
from kame_desktop.ui.view_models import ConversationModel
from tests.recordings.talks import FACTS, any_events, conversation, corrected_talk

QUESTION = "What is the capital of France?"


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    read = json.loads((assets_dir() / "schemas" / "export.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(read)
    return read


# The model ------------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(any_events())
def test_turns_are_those_of_the_window(events: list[Event]) -> None:
    """Whatever happens in whatever order: same words, same answers with the same numbers, same corrections."""
    model = ConversationModel()
    model.apply(events)
    shown = sorted(model.visible_turns, key=lambda turn: turn.utterance)
    told = conversation(events).turns
    assert [turn.utterance for turn in told] == [turn.utterance for turn in shown]
    for mine, theirs in zip(told, shown, strict=True):
        assert mine.user == theirs.user.text
        assert [(r.generation, r.number, r.text, r.based_on) for r in mine.revisions] == [
            (card.generation, card.number, card.text, card.based_on) for card in theirs.cards
        ]
        assert [(w.text, w.number, w.correction) for w in mine.words] == [
            (word.text, word.number, word.correction) for word in theirs.answer.words
        ]


def test_answers_end_as_the_window_shows_them() -> None:
    model = ConversationModel()
    model.apply(corrected_talk())
    for mine, theirs in zip(conversation().turns, model.visible_turns, strict=True):
        assert mine.interrupted == theirs.answer.interrupted
        for revision, card in zip(mine.revisions, theirs.cards, strict=True):
            assert revision.superseded == (card.status is CardStatus.SUPERSEDED)
            assert revision.failure == card.failure


def test_a_conversation_that_was_cut_off_leaves_no_answer_open() -> None:
    cut = [event for event in corrected_talk() if event.at_ms < 1_400.0]
    revision = conversation(cut).turns[0].revisions[0]
    assert revision.superseded
    assert not revision.complete


# Text -----------------------------------------------------------------------------------------------------------------


def test_text_says_who_said_what_when() -> None:
    lines = as_text(conversation()).splitlines()
    assert lines[0] == FACTS.title
    assert lines[1] == "2025-07-29 14:03 · 0:30 · engine lite · First"
    assert f"[0:00.5] You: {QUESTION}" in lines
    assert "[0:02.2] Assistant: The capital of France is Paris." in lines
    assert any(line.endswith("sixty-six — interrupted") for line in lines)


def test_markdown_keeps_every_letter() -> None:
    text = as_markdown(conversation())
    assert text.startswith("# Capitals \\& \\<other\\> \\*things\\*\n")
    assert "**You:** Who wrote \\<Romeo \\& Juliet\\> --\\> please?" in text
    assert "\\[1\\] there are three" in text
    assert "\\[2\\] or rather," in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in table} == {7}
    assert "| 1 | 0:10.9 | First | who wrote |  | *The key was refused. Check the key.* |" in table


@settings(deadline=None, max_examples=60)
@given(any_events())
def test_markdown_tables_never_break(events: list[Event]) -> None:
    for line in as_markdown(conversation(events)).split("\n"):
        if line.startswith("| "):
            assert line.replace("\\\\", "").replace("\\|", "").count("|") == 7


# JSON -----------------------------------------------------------------------------------------------------------------


def test_json_is_of_the_documented_shape(schema: dict[str, Any]) -> None:
    read = json.loads(as_json(conversation()))
    jsonschema.validate(read, schema)
    assert read["turns"][0]["user"]["text"] == QUESTION
    second = read["turns"][1]
    assert [(one["number"], one["complete"], one["superseded"]) for one in second["oracle"]] == [
        (1, True, True),
        (2, True, False),
    ]
    assert [word["text"] for word in second["assistant"]["words"] if word["correction"]] == ["or"]
    assert second["assistant"]["interrupted"]


@settings(deadline=None, max_examples=60)
@given(any_events())
def test_json_of_anything_is_of_the_documented_shape(schema: dict[str, Any], events: list[Event]) -> None:
    jsonschema.validate(json.loads(as_json(conversation(events))), schema)


def test_the_schema_refuses_another_shape(schema: dict[str, Any]) -> None:
    read = json.loads(as_json(conversation()))
    read["turns"][0]["oracle"][0]["surprise"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(read, schema)


# Subtitles ------------------------------------------------------------------------------------------------------------


def test_webvtt_has_speakers_and_words() -> None:
    captions = webvtt.from_string(as_vtt(conversation())).captions
    said: dict[str, list[str]] = {}
    for caption in captions:
        assert caption.voice is not None
        said.setdefault(caption.voice, []).append(" ".join(caption.text.split()))
    turns = conversation().turns
    assert " ".join(said["Assistant"]) == " ".join(turn.spoken for turn in turns if turn.words)
    assert said["You"][0] == QUESTION
    assert captions[0].start == "00:00:00.500"
    assert captions[0].end == "00:00:01.950"


def test_srt_is_read_by_others() -> None:
    captions = webvtt.from_buffer(io.StringIO(as_srt(conversation())), format="srt").captions
    assert captions[0].text == f"You: {QUESTION}"
    assert captions[1].text.startswith("Assistant: The capital of")
    assert len(captions) == len(cues_of(conversation()))


def test_cues_follow_the_sound() -> None:
    shifted = Facts(title="x", audio_start_ms=400.0)
    first = cues_of(conversation(facts=shifted))[0]
    assert (first.start_ms, first.end_ms) == (100, 1_550)


def test_a_long_answer_is_cut_into_readable_pieces() -> None:
    long = next(turn for turn in conversation().turns if turn.utterance == 2)
    mine = [cue for cue in cues_of(conversation()) if cue.speaker is Speaker.ASSISTANT and cue.start_ms >= 6_750]
    assert len(mine) > 1
    assert " ".join(" ".join(cue.lines) for cue in mine) == long.spoken
    assert all(cue.end_ms - cue.start_ms <= 7_000 for cue in mine)


@settings(deadline=None, max_examples=60)
@given(any_events())
def test_cues_of_anything(events: list[Event]) -> None:
    """They fit, they last, and those of one speaker never overlap; both files are read by another reader."""
    talk = conversation(events)
    cues = cues_of(talk)
    for cue in cues:
        assert 0 <= cue.start_ms < cue.end_ms
        assert 1 <= len(cue.lines) <= LINES
        assert all(len(line) <= LINE_LETTERS and line.strip() for line in cue.lines)
    for speaker in Speaker:
        mine = [cue for cue in cues if cue.speaker is speaker]
        assert all(one.end_ms <= two.start_ms for one, two in itertools.pairwise(mine))
    assert len(webvtt.from_string(as_vtt(talk)).captions) == len(cues)
    if cues:
        assert len(webvtt.from_buffer(io.StringIO(as_srt(talk)), format="srt").captions) == len(cues)
