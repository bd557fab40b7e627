"""Frame numbers -> session time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.session.frame_clock import FrameClock


def test_a_frame_that_is_picked_up_late_still_ended_on_time() -> None:
    clock = FrameClock()
    assert clock.end_ms(0, 85.0) == pytest.approx(85.0)
    assert clock.end_ms(1, 165.0 + 60.0) == pytest.approx(165.0, abs=0.1)
    assert clock.end_ms(2, 245.0) == pytest.approx(245.0, abs=0.1)


def test_it_follows_a_slow_crystal() -> None:
    clock = FrameClock()
    for frame in range(50_000):
        arrived_ms = (frame + 1) * 80.0 * 1.00005
        assert abs(clock.end_ms(frame, arrived_ms) - arrived_ms) < 1.0


@given(delays=st.lists(st.floats(0.0, 500.0), min_size=1, max_size=200))
def test_time_never_goes_back_and_never_runs_ahead_of_the_clock(delays: list[float]) -> None:
    clock = FrameClock()
    last = now_ms = 0.0
    for frame, delay in enumerate(delays):
        now_ms = max(now_ms, (frame + 1) * 80.0 + delay)
        end_ms = clock.end_ms(frame, now_ms)
        assert end_ms <= now_ms + 1e-6
        assert end_ms >= last
        last = end_ms
