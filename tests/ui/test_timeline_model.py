"""What the timeline knows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.core import events as ev
from kame_desktop.core.events import SessionState
from kame_desktop.ui.rows import CardStatus
from kame_desktop.ui.timeline_model import BIN_MS, MarkKind, PeakTrack, TimelineModel
from kame_desktop.ui.widgets.timeline_scale import TimeScale, clock_text
from tests.ui.happenings import answered, asked, ended, failed, said, silent, speaks, started, state


@pytest.fixture
def model() -> TimelineModel:
    return TimelineModel()


class TestPeaks:
    @given(
        peaks=st.lists(st.floats(0, 1), min_size=1, max_size=400),
        bins_per_column=st.sampled_from([0.25, 0.5, 1, 2, 3, 4, 5, 16, 20, 64, 100]),
        offset=st.integers(-30, 300),
    )
    def test_a_column_is_the_largest_of_its_bins_and_none_is_lost(
        self, peaks: list[float], bins_per_column: float, offset: int
    ):
        track = PeakTrack()
        for first in range(0, len(peaks), 4):
            track.write(first * BIN_MS, peaks[first : first + 4])
        columns = track.columns(offset * BIN_MS, bins_per_column * BIN_MS, 21)
        whole = np.round(np.asarray(peaks) * 255) / 255
        for number, value in enumerate(columns[:20]):
            first = int(np.floor(offset + number * bins_per_column))
            last = max(first + 1, int(np.floor(offset + (number + 1) * bins_per_column)))
            inside = whole[max(0, first) : max(0, last)]
            # A coarse bin that reaches over the edge belongs to the next column; none is lost.
            assert max(value, columns[number + 1]) >= inside.max(initial=0) - 1e-6
            wide = whole[max(0, first - 64) : max(0, last + 64)]
            assert value <= wide.max(initial=0) + 1e-6

    def test_fine_columns_are_exact(self):
        track = PeakTrack()
        track.write(0.0, (0.0, 1.0, 0.0, 0.5))
        assert track.columns(0.0, BIN_MS, 5) == pytest.approx([0, 1, 0, 0.5, 0], abs=0.01)
        assert track.columns(-BIN_MS, BIN_MS, 3) == pytest.approx([0, 0, 1], abs=0.01)

    def test_gap_is_silence(self):
        track = PeakTrack()
        track.write(10 * BIN_MS, (1.0,))
        assert track.duration_ms == 11 * BIN_MS
        assert track.columns(0.0, BIN_MS, 11)[:10].max() == 0

    def test_an_hour_stays_small(self):
        track = PeakTrack()
        for frame in range(0, 45_000, 9):
            track.write(frame * 80.0, (0.5,) * 36)
        assert sum(level.nbytes for level in track._levels) < 1_000_000
        assert track.columns(0.0, 3_000.0, 1_200).min() == pytest.approx(0.5, abs=0.01)


class TestRevisions:
    def test_from_request_to_adoption_to_end(self, model: TimelineModel):
        model.apply([asked(1, at=100), answered(1, "Paris", at=320), answered(1, "Paris.", done=True, at=700)])
        (bar,) = model.bars
        assert (bar.asked_ms, bar.adopted_ms, bar.end_ms, bar.status) == (100, 320, 700, CardStatus.COMPLETE)

    def test_numbers_count_within_the_turn(self, model: TimelineModel):
        model.apply([asked(1, 1), asked(2, 1), asked(3, 2)])
        assert [bar.number for bar in model.bars] == [1, 2, 1]

    def test_streams_at_once_lie_on_lanes_of_their_own(self, model: TimelineModel):
        model.apply([asked(1, at=0), asked(2, at=10), asked(3, at=20), failed(2, superseded=True, at=30)])
        model.apply([asked(4, at=40)])
        assert [bar.lane for bar in model.bars] == [0, 1, 2, 1]

    def test_what_is_over_stays_over(self, model: TimelineModel):
        model.apply([asked(1), failed(1, superseded=True, at=50), answered(1, "late", at=90)])
        assert (model.bars[0].status, model.bars[0].end_ms) == (CardStatus.SUPERSEDED, 50)
        assert model.apply([answered(9, "unknown")]) is None

    def test_long_ones_are_found_by_their_middle(self, model: TimelineModel):
        model.apply([asked(1, at=0), asked(2, at=100), answered(2, "x", done=True, at=200)])
        model.apply([answered(1, "x", done=True, at=9_000), asked(3, at=20_000)])
        assert [bar.generation for bar in model.bars_in(5_000, 6_000)] == [1]
        assert [bar.generation for bar in model.bars_in(150, 160)] == [1, 2]
        assert [bar.generation for bar in model.bars_in(19_000, 99_000)] == [3]

    def test_the_end_of_the_session_ends_them(self, model: TimelineModel):
        model.apply([asked(1, at=100), started(1, at=50), state(SessionState.IDLE, at=900)])
        assert (model.bars[0].end_ms, model.user[0].end_ms) == (900, 900)


class TestVoices:
    def test_words_and_their_corrections(self, model: TimelineModel):
        model.apply([asked(1), asked(2), speaks(at=5), *said("It is", 1, at=10), *said("was", 2, at=30)])
        assert [(word.text, word.number, word.correction) for word in model.words] == [
            ("It", 1, False),
            ("is", 1, False),
            ("was", 2, True),
        ]
        assert [(mark.kind, mark.at_ms) for mark in model.marks] == [(MarkKind.CORRECTION, 30)]
        assert [word.text for word in model.words_in(0, 20)] == ["It", "is"]

    def test_stretches(self, model: TimelineModel):
        model.apply([started(1, at=10), ended(1, at=900, last_speech=740), speaks(at=950), silent(at=2_000)])
        assert (model.user[0].start_ms, model.user[0].end_ms) == (10, 740)
        assert (model.agent[0].start_ms, model.agent[0].end_ms) == (950, 2_000)

    def test_interruption(self, model: TimelineModel):
        model.apply([ev.Interrupted(at_ms=400, utterance=1)])
        assert model.marks_in(0, 500)[0].kind is MarkKind.INTERRUPTION


def test_change_begins_at_the_earliest_touched_time(model: TimelineModel):
    assert model.apply([asked(1, at=500), *said("It", None, at=800)]) == 500
    peaks = ev.AudioPeaks(at_ms=880, frame=10, heard=(0.1,) * 4, spoken=(0.0,) * 4)
    assert model.apply([peaks]) == 800
    assert model.apply([answered(1, "It", at=900)]) == 500
    assert model.now_ms == 900


@given(ms_per_px=st.floats(0.5, 8_000), start=st.floats(-1e6, 1e7), x=st.floats(0, 3_000), factor=st.floats(0.2, 5.0))
def test_zoom_keeps_the_time_under_the_pointer(ms_per_px: float, start: float, x: float, factor: float):
    scale = TimeScale(start, ms_per_px, 1_000)
    before = scale.ms(x)
    scale.zoom(factor, x)
    assert scale.ms(x) == pytest.approx(before, abs=1e-3)
    assert scale.x(scale.ms(x)) == pytest.approx(x, abs=1e-3)


@pytest.mark.parametrize(
    ("ms", "step", "text"),
    [
        (0, 1_000, "0:00"),
        (59_999, 1_000, "1:00"),
        (61_250, 100, "1:01.2"),
        (61_250, 10, "1:01.25"),
        (3_661_000, 1_000, "1:01:01"),
        (1_234, 1, "0:01.234"),
        (-80, 10, "-0:00.08"),
    ],
)
def test_clock(ms: float, step: float, text: str):
    assert clock_text(ms, step) == text
