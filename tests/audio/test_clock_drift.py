"""Microphone and loudspeaker with clocks of their own."""

from __future__ import annotations

import numpy as np
import pytest

from kame_desktop.audio.clock_drift import LEAD_MS, DriftMeter, ReferencePacer
from kame_desktop.core.audio_types import FRAME_SAMPLES, MODEL_RATE_HZ, Pcm
from tests.audio.rooms import Room, callbacks, echo_reduction_db, played_by_another_clock
from tests.audio.voices import AVAILABLE, assistant
from tests.fakes.audio import tone


def paced(far: Pcm, drift: float, frames: int, *, timed: bool = True) -> tuple[Pcm, ReferencePacer, list[float]]:
    """The reference of each frame, and what the drift was taken for after it."""
    pacer = ReferencePacer(MODEL_RATE_HZ, timed=timed)
    reference, drifts = [], []
    for taken in callbacks(far, drift, frames):
        for block in taken.blocks:
            pacer.play(block)
        reference.append(pacer.frame(since_block_ms=taken.since_block_ms if timed else 0.0))
        drifts.append(pacer.drift)
    return np.concatenate(reference), pacer, drifts


def silence(seconds: float) -> Pcm:
    return np.zeros(round(seconds * MODEL_RATE_HZ), dtype=np.float32)


@pytest.mark.parametrize("drift", [0.0, 1e-4, -1e-3, 1e-2, -1e-2])
def test_the_drift_is_known_within_30_ppm_after_half_a_minute(drift: float) -> None:
    _, _, drifts = paced(silence(60.0), drift, 500)
    assert drifts[-1] == pytest.approx(drift, abs=3e-5)
    assert all(abs(known) <= abs(drift) + 5e-4 for known in drifts), "and never taken for something wild"


@pytest.mark.parametrize("drift", [1e-2, -1e-2])
def test_without_times_a_large_drift_is_known_all_the_same(drift: float) -> None:
    _, _, drifts = paced(silence(60.0), drift, 500, timed=False)
    assert drifts[-1] == pytest.approx(drift, rel=0.05)


def test_without_times_the_beat_of_the_blocks_is_not_taken_for_a_drift() -> None:
    _, _, drifts = paced(silence(90.0), 5e-5, 1_000, timed=False)
    assert set(drifts) == {0.0}


def test_with_one_clock_the_reference_is_what_was_played_a_constant_time_ago() -> None:
    noise = np.random.default_rng(1).standard_normal(MODEL_RATE_HZ * 6) * 0.1
    far = np.convolve(noise, np.ones(12) / 12, mode="same").astype(np.float32)
    reference, _, _ = paced(far, 0.0, 60)
    lags = [best_lag(reference, far, slice(first * FRAME_SAMPLES, (first + 10) * FRAME_SAMPLES)) for first in (5, 45)]
    assert lags[0] == lags[1]
    assert 0 < lags[0] <= (LEAD_MS + 20.0) * MODEL_RATE_HZ / 1e3


def best_lag(late: Pcm, early: Pcm, at: slice) -> int:
    """By how many samples ``late`` is later; it must be the same sound."""
    fits = [float(np.corrcoef(late[at], early[at.start - lag : at.stop - lag])[0, 1]) for lag in range(1_000)]
    assert max(fits) > 0.95
    return int(np.argmax(fits))


def test_a_gap_in_what_is_counted_is_no_drift() -> None:
    meter = DriftMeter(timed=True)
    for frame in range(400):
        meter.count(0.02 if frame < 200 else 3.0)
    assert meter.drift == 0.0


def test_silence_comes_when_nothing_is_played_and_the_sound_after_it_is_there_again() -> None:
    pacer = ReferencePacer(MODEL_RATE_HZ)
    for _ in range(5):
        assert not pacer.frame().any()
    heard = []
    for _ in range(10):
        pacer.play(tone(80, amplitude=0.3))
        heard.append(float(np.max(np.abs(pacer.frame()))))
    assert heard[-1] == pytest.approx(0.3, abs=0.02)


def test_what_waits_too_long_is_dropped() -> None:
    pacer = ReferencePacer(MODEL_RATE_HZ)
    for _ in range(50):
        pacer.play(silence(0.08))
        pacer.frame()
    pacer.play(silence(0.3))
    for _ in range(60):
        pacer.play(silence(0.08))
        pacer.frame()
    pacer.play(tone(80))
    delay = 0
    while not pacer.frame().any():
        delay += 1
        pacer.play(silence(0.08))
    assert delay <= 1


@pytest.mark.skipif(not AVAILABLE, reason="the starter pack is not installed")
@pytest.mark.parametrize("drift", [1e-2, -1e-2])
def test_the_echo_is_gone_with_a_clock_one_per_cent_off(drift: float) -> None:
    from kame_desktop.audio.echo import CANCELLER_DELAY_SAMPLES, WebRtcEchoCanceller

    far = np.concatenate([assistant(), assistant()])
    played = played_by_another_clock(far, drift)
    frames = 28 * MODEL_RATE_HZ // FRAME_SAMPLES
    near = Room().microphone(played)[: frames * FRAME_SAMPLES]
    reference, _, _ = paced(far, drift, frames)
    canceller = WebRtcEchoCanceller()
    pairs = zip(near.reshape(-1, FRAME_SAMPLES), reference.reshape(-1, FRAME_SAMPLES), strict=True)
    cleaned = np.concatenate([canceller.process(frame, other) for frame, other in pairs])
    assert echo_reduction_db(near, cleaned, CANCELLER_DELAY_SAMPLES, 15.0) >= 20.0
