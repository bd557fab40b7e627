"""A recording whose program was killed opens, and lacks less than a second."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recordings.killed import delays, kill_at

MOMENTS = delays(6, 0.6, seed=20)


@pytest.mark.parametrize("delay_s", MOMENTS)
def test_a_kill_at_any_moment_costs_less_than_a_second(tmp_path: Path, delay_s: float) -> None:
    loss = kill_at(tmp_path / "recordings", delay_s)
    assert loss.happened_ms > 0
    assert loss.sound_ms <= 1_000.0
    assert loss.events_ms <= 1_000.0
    assert loss.header_behind_ms <= 1_000.0, "any player opens it as it is"
