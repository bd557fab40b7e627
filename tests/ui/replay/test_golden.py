"""A replayed recording shows what the window showed while it was recorded.

``tests/golden/recordings/*/columns.json`` was written by a live model that took every event when it was published, up
to each of six moments.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_desktop.core.events import Event
from kame_desktop.recordings.reader import open_recording
from kame_desktop.ui.moments import Moments
from kame_desktop.ui.view_models import ConversationModel
from tests.recordings.talks import corrected_talk
from tests.ui.replay.columns import columns

GOLDEN = Path(__file__).parents[2] / "golden" / "recordings"
NAMES = sorted(path.name for path in GOLDEN.iterdir())


def golden(name: str) -> list[dict[str, Any]]:
    return json.loads((GOLDEN / name / "columns.json").read_text(encoding="utf-8"))


def moments_of(events: list[Event]) -> Moments:
    moments = Moments()
    moments.live.apply(events)
    moments.take(events)
    return moments


@pytest.mark.parametrize("name", NAMES)
def test_jumping_to_a_moment_shows_what_was_shown(name: str) -> None:
    moments = moments_of(list(open_recording(GOLDEN / name).events()))
    shown = golden(name)
    assert len(shown) == 6
    for moment in reversed(shown):
        assert columns(moments.go_to(moment["at_ms"])) == moment["turns"]
    assert columns(moments.go_live()) == shown[-1]["turns"]


@pytest.mark.parametrize("name", NAMES)
def test_playing_shows_what_was_shown(name: str) -> None:
    """33 ms at a time, as the window does."""
    moments = moments_of(list(open_recording(GOLDEN / name).events()))
    moments.go_to(0.0)
    at_ms = 0.0
    for moment in golden(name):
        while at_ms < moment["at_ms"]:
            at_ms = min(at_ms + 33.0, moment["at_ms"])
            assert moments.advance(at_ms) is not None
        assert columns(moments.shown) == moment["turns"]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(0.0, 14_000.0), min_size=1, max_size=12))
def test_however_one_gets_there_the_moment_is_the_same(stops: list[float]) -> None:
    """Forward in steps, back in jumps: at each stop as if one had gone straight there; changes name what changed."""
    events = corrected_talk()
    moments = moments_of(events)
    for ms in stops:
        before = {turn["utterance"]: turn for turn in columns(moments.shown)} if moments.at_ms is not None else None
        changes = moments.advance(ms)
        if changes is None:
            moments.go_to(ms)
        straight = ConversationModel()
        straight.apply(event for event in events if event.at_ms <= min(ms, moments.live.now_ms))
        assert columns(moments.shown) == columns(straight)
        if changes is not None and before is not None:
            after = {turn["utterance"]: turn for turn in columns(moments.shown)}
            assert {number for number, turn in after.items() if before.get(number) != turn} <= changes.turns


def test_going_back_is_no_advance() -> None:
    moments = moments_of(corrected_talk())
    assert moments.advance(100.0) is None
    moments.go_to(5_000.0)
    assert moments.advance(4_999.0) is None
    assert moments.advance(5_000.0) is not None
    assert moments.at_ms == 5_000.0
