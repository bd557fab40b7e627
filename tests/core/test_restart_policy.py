"""When a part that crashed is started again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.core.restart_policy import RestartPolicy


@pytest.mark.parametrize(
    ("crashes_s", "pauses_ms"),
    [
        ([0], [500]),
        ([0, 59.9], [500, None]),
        ([0, 60], [500, 1_000]),
        ([0, 61, 122, 183], [500, 1_000, 2_000, 4_000]),
        ([0, 61, 662], [500, 1_000, 500]),
        ([0, *range(61, 700, 61)], [500, 1_000, 2_000, 4_000, 8_000, 16_000, *[30_000] * 6]),
    ],
)
def test_the_pause_grows_and_the_second_crash_in_a_minute_is_the_last(
    crashes_s: list[float], pauses_ms: list[float | None]
) -> None:
    policy = RestartPolicy()
    assert [policy.crashed(at_s * 1e3) for at_s in crashes_s] == pauses_ms


@given(st.lists(st.floats(0.0, 1e7), min_size=1, max_size=30).map(sorted))
def test_it_is_left_off_exactly_when_two_crashes_are_a_minute_apart(crashes_ms: list[float]) -> None:
    policy = RestartPolicy()
    pauses = [policy.crashed(at_ms) for at_ms in crashes_ms]
    for number, pause in enumerate(pauses):
        soon = number > 0 and crashes_ms[number] - crashes_ms[number - 1] < 60_000
        assert (pause is None) == soon
        assert pause is None or 500 <= pause <= 30_000
