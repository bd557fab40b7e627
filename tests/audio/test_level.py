"""Level meter."""

from __future__ import annotations

import numpy as np
import pytest

from kame_desktop.audio.level import FLOOR_DBFS, LevelMeter, listening_gain, peak_dbfs
from tests.fakes.audio import quiet, tone


def test_a_full_scale_sine() -> None:
    level = LevelMeter().process(tone(100, 1.0, 1_000.0))
    assert level.rms_dbfs == pytest.approx(-3.01, abs=0.05)
    assert level.peak_dbfs == pytest.approx(0.0, abs=0.05)
    assert level.clipped


def test_the_peak_falls_slowly_and_rises_at_once() -> None:
    meter = LevelMeter(decay_db_per_s=40.0)
    meter.process(tone(100, 0.1, 1_000.0))
    assert meter.process(quiet(500)).peak_dbfs == pytest.approx(-40.0, abs=0.1)
    assert meter.process(tone(80, 0.5, 1_000.0)).peak_dbfs == pytest.approx(-6.02, abs=0.1)
    meter.reset()
    assert meter.process(quiet(80)) == type(meter.process(quiet(80)))()


def test_silence_and_nothing() -> None:
    assert peak_dbfs(np.zeros(0, dtype=np.float32)) == FLOOR_DBFS
    level = LevelMeter().process(quiet(80))
    assert (level.rms_dbfs, level.peak_dbfs, level.clipped) == (FLOOR_DBFS, FLOOR_DBFS, False)


def test_quiet_recordings_are_raised_for_listening_and_loud_ones_left() -> None:
    assert listening_gain(tone(100, 0.5)) == 1.0
    assert listening_gain(tone(100, 0.01, 1_000.0)) == pytest.approx(31.6, rel=0.01)
    assert listening_gain(tone(100, 0.01), tone(100, 0.5)) == 1.0
    assert listening_gain(tone(100, 0.0001)) == pytest.approx(100.0)
    assert listening_gain() == pytest.approx(100.0)
