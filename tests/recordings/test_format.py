"""``session.json``: what it says, what it doesn't, and who may read it."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.core.errors import ErrorCategory
from kame_desktop.core.settings import CustomModel, Settings
from kame_desktop.recordings.format import (
    FORMAT,
    MOST_TITLE_LETTERS,
    VERSION,
    RecordingError,
    RecordingMeta,
    clean_title,
    meta_from_dict,
)
from kame_desktop.recordings.scrub import scrubbed
from tests.recordings.talk import STARTED, meta


def later() -> dt.datetime:
    return dt.datetime(2030, 1, 1, tzinfo=dt.UTC)


PLANTED = "sk-planted-0123456789"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def test_it_comes_back_as_it_was() -> None:
    written = meta(title="My first talk")
    assert meta_from_dict(json.loads(json.dumps(written.to_dict())), "x", later) == written
    assert written.to_dict()["started_at"] == "2026-12-01T15:41:07+02:00"
    assert written.to_dict()["audio"] == {"rate_hz": 24_000, "channels": ["user", "assistant"], "start_ms": None}


def test_a_newer_version_is_refused_politely() -> None:
    newer = {**meta().to_dict(), "version": VERSION + 1, "app_version": "9.1"}
    with pytest.raises(RecordingError) as caught:
        meta_from_dict(newer, "2026-12-01_15-41-07", later)
    assert caught.value.category is ErrorCategory.BAD_INPUT
    assert "newer version of Kame Desktop (9.1)" in caught.value.what
    assert "Update" in caught.value.remedy


@pytest.mark.parametrize("raw", [None, [], {}, {"format": "podcast", "version": 1}, {"format": FORMAT, "version": "1"}])
def test_something_else_is_refused(raw: object) -> None:
    with pytest.raises(RecordingError, match="not a recording"):
        meta_from_dict(raw, "x", later)


@given(st.dictionaries(st.sampled_from(sorted(RecordingMeta.to_dict(meta()))), JSON))
def test_whatever_else_it_holds_is_read_as_far_as_it_can_be(content: dict[str, Any]) -> None:
    read = meta_from_dict({**content, "format": FORMAT, "version": VERSION, "extra": 1}, "x", later)
    assert read.started_at.tzinfo is not None
    assert read.duration_ms is None or read.duration_ms >= 0
    assert json.dumps(read.to_dict(), allow_nan=False)


def test_settings_hold_nothing_secret_and_not_the_window() -> None:
    settings = Settings.model_validate(
        {
            "llm": {
                "system_prompt": "Be brief.",
                "custom_models": [
                    CustomModel(name="own", api_base=f"https://me:{PLANTED}@example.org/v1?api_key={PLANTED}&x=1"),
                ],
                "api_key": PLANTED,
                "auto_rules": [{"topic": "maths", "keywords": ["sum"]}],
            },
            "window": {"geometry": "abc"},
            "openai_token": PLANTED,
            "from_a_newer_version": {"passwords": [PLANTED], "ok": 1},
        }
    )
    written = meta(settings=settings, engine={"name": "kame", "apiKey": PLANTED}).to_dict()
    assert PLANTED not in json.dumps(written)
    assert "window" not in written["settings"]
    llm = written["settings"]["llm"]
    assert llm["system_prompt"] == "Be brief."
    assert llm["auto_rules"][0]["keywords"] == ["sum"]
    assert llm["custom_models"][0]["api_base"] == "https://example.org/v1?api_key=...&x=1"
    assert written["settings"]["from_a_newer_version"] == {"ok": 1}


@given(JSON)
def test_scrubbing_leaves_what_is_not_secret(value: Any) -> None:
    assert scrubbed({"value": value}) is not None
    assert scrubbed(scrubbed(value)) == scrubbed(value)


def test_numbers_of_tokens_are_no_secrets() -> None:
    assert scrubbed({"prompt_tokens": 12, "push_to_talk": True}) == {"prompt_tokens": 12, "push_to_talk": True}


def test_words_are_in_no_repr() -> None:
    settings = Settings()
    settings.llm.system_prompt = "secret prompt"
    shown = repr(meta(title="secret title", settings=settings))
    assert "secret" not in shown


@given(st.text())
def test_a_title_is_one_short_line_without_control_letters(text: str) -> None:
    title = clean_title(text)
    assert len(title) <= MOST_TITLE_LETTERS
    assert title == title.strip()
    assert title.isprintable() or not any(letter in "\x00\x1b\n\r\x9b" for letter in title)
    assert clean_title(title) == title
    title.encode("utf-8")


def test_a_naive_time_gets_this_computers_zone() -> None:
    read = meta_from_dict({**meta().to_dict(), "started_at": "2026-12-01T15:41:07"}, "x", later)
    assert read.started_at.tzinfo is not None
    assert read.started_at.replace(tzinfo=None) == STARTED.replace(tzinfo=None)
