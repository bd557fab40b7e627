"""Has it stopped, does it only send silence: samples and times in, an answer out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.audio.device_watch import (
    AWAKE_S,
    FIRST_CALLBACK_S,
    STALL_S,
    SilenceWatch,
    StallWatch,
    permission_hint,
    silence_event,
)
from tests.fakes.audio import quiet, tone

RATE_HZ = 48_000
AWAKE = int(AWAKE_S * RATE_HZ)


def looks(watch: StallWatch, delivered: int, begin_s: float, end_s: float) -> float | None:
    """Look every 0.2 s; when it was first called stalled."""
    for at_s in np.arange(begin_s, end_s, 0.2):
        if watch.stalled(delivered, float(at_s)):
            return float(at_s)
    return None


def test_callbacks_that_stop_are_seen_within_a_second_and_a_late_first_one_is_waited_for() -> None:
    watch = StallWatch(RATE_HZ, 100.0)
    assert looks(watch, 0, 100.0, 102.5) is None
    assert not watch.stalled(AWAKE, 102.5)
    seen_s = looks(watch, AWAKE, 102.7, 110.0)
    assert seen_s is not None
    assert 102.5 + STALL_S < seen_s <= 103.5
    seen_s = looks(StallWatch(RATE_HZ, 0.0), 0, 0.0, 60.0)
    assert seen_s is not None
    assert FIRST_CALLBACK_S < seen_s < FIRST_CALLBACK_S + 1.0


def test_a_computer_that_slept_gives_the_device_its_time_again() -> None:
    watch = StallWatch(RATE_HZ, 0.0)
    assert not watch.stalled(AWAKE, 0.1)
    assert not watch.stalled(AWAKE, 7_200.0)
    assert not watch.stalled(AWAKE + 960, 7_200.2)
    assert not watch.stalled(AWAKE + 960, 9_000.0)
    assert looks(watch, AWAKE + 960, 9_000.2, 9_005.0) is not None


def test_a_loudspeaker_that_fills_its_buffer_and_then_wakes_up_has_not_gone() -> None:
    watch = StallWatch(RATE_HZ, 0.0)
    assert not watch.stalled(4 * 960, 0.1)
    assert looks(watch, 4 * 960, 0.3, 2.5) is None


@given(st.lists(st.floats(0.01, 0.3), min_size=1, max_size=60))
def test_a_device_that_delivers_is_never_called_stalled(gaps_s: list[float]) -> None:
    watch, now_s = StallWatch(RATE_HZ, 0.0), 0.0
    for count, gap_s in enumerate(gaps_s, 1):
        now_s += gap_s
        assert not watch.stalled(960 * count, now_s)


@pytest.mark.parametrize("value", [0.0, -0.03])
def test_one_value_for_three_seconds_is_no_sound(value: float) -> None:
    watch = SilenceWatch(16_000)
    block = np.full(1_600, value, dtype=np.float32)
    changes = [watch.hear(block) for _ in range(60)]
    assert changes.count(True) == 1
    assert changes.index(True) in (29, 30)
    assert watch.silent
    assert watch.hear(tone(100, rate_hz=16_000))
    assert not watch.silent
    assert not any(watch.hear(block) for _ in range(60)), "told once"


def test_a_quiet_room_is_no_dead_microphone() -> None:
    watch = SilenceWatch(16_000)
    noise = np.random.default_rng(1).normal(0.0, 1e-5, 16_000 * 10).astype(np.float32)
    assert not any(watch.hear(part) for part in noise.reshape(-1, 320))
    assert not watch.hear(quiet(0))
    for _ in range(20):  # digital silence between words, as some drivers send it
        assert not watch.hear(quiet(2_900, 16_000))
        assert not watch.hear(tone(50, rate_hz=16_000))


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_it_is_said_where_to_look(platform: str) -> None:
    assert permission_hint(platform).endswith(".")
    event = silence_event("Mic", True)
    assert "'Mic' sends only silence" in event.text
    assert event.remedy
