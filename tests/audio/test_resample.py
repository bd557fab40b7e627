"""Streaming resampling: exact counts, small constant delay, nothing shifted, nothing folded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_desktop.audio.resample import BlockResampler, StreamResampler, resample_all
from kame_desktop.core.audio_types import Pcm
from tests.fakes.audio import tone


def shift_ms(one: Pcm, other: Pcm) -> float:
    """How far two 24 kHz sines of one frequency are apart, from their phase."""
    middle = slice(2_000, len(other) - 2_000)
    window = np.hanning(len(other[middle]))
    spectra = [np.fft.rfft(pcm[middle] * window) for pcm in (one, other)]
    peak = int(np.argmax(np.abs(spectra[1])))
    hz = peak * 24_000 / len(window)
    return float(abs(np.angle(spectra[0][peak] / spectra[1][peak])) / (2 * np.pi * hz) * 1e3)


RATES = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000]


@settings(max_examples=40, deadline=None)
@given(
    in_rate=st.sampled_from(RATES),
    out_rate=st.sampled_from([16_000, 24_000, 44_100, 48_000]),
    sizes=st.lists(st.integers(min_value=0, max_value=5_000), max_size=12),
)
def test_every_sample_is_accounted_for(in_rate: int, out_rate: int, sizes: list[int]) -> None:
    resampler = StreamResampler(in_rate, out_rate)
    got = sum(len(resampler.process(np.zeros(size, dtype=np.float32))) for size in sizes)
    got += len(resampler.flush())
    assert got == round(sum(sizes) * out_rate / in_rate)
    assert resampler.samples_in == resampler.samples_out == 0


@pytest.mark.parametrize(
    ("in_rate", "out_rate", "most_ms"),
    [
        (24_000, 16_000, 10.1),
        (24_000, 48_000, 10.1),
        (48_000, 24_000, 5.1),
        (44_100, 24_000, 5.6),
        (16_000, 24_000, 15.1),
    ],
)
def test_delay_is_small_and_constant(in_rate: int, out_rate: int, most_ms: float) -> None:
    resampler = StreamResampler(in_rate, out_rate)
    delays = []
    for _ in range(500):
        resampler.process(np.zeros(in_rate // 50, dtype=np.float32))
        delays.append(resampler.delay_ms)
    assert max(delays) <= most_ms
    assert max(delays[1:]) - min(delays[1:]) < 0.1


@pytest.mark.parametrize("in_rate", RATES)
def test_an_hour_in_pieces_does_not_drift(in_rate: int) -> None:
    resampler = StreamResampler(in_rate, 24_000)
    piece = np.zeros(in_rate * 4, dtype=np.float32)
    for _ in range(30):
        resampler.process(piece)
    assert resampler.delay_ms < 31.0


def test_a_tone_keeps_its_place_and_level() -> None:
    sound = tone(1_000, 0.5, 440.0, 48_000)
    resampler = StreamResampler(48_000, 24_000)
    pieces = [resampler.process(sound[at : at + 480]) for at in range(0, len(sound), 480)]
    out = np.concatenate([*pieces, resampler.flush()])
    assert shift_ms(out, tone(1_000, 0.5, 440.0)) < 0.13
    assert np.max(np.abs(out[1_000:-1_000])) == pytest.approx(0.5, abs=0.002)


def test_what_the_lower_rate_cannot_hold_is_removed() -> None:
    resampler = StreamResampler(24_000, 16_000)
    out = resampler.process(tone(1_000, 0.9, 10_000.0))
    assert np.max(np.abs(out[2_000:])) < 1e-3


def test_blocks_keep_their_size_for_ever() -> None:
    up, down = BlockResampler(24_000, 48_000, 1_920), BlockResampler(48_000, 24_000, 3_840)
    sound = tone(4_000)
    out = np.concatenate([down.process(up.process(sound[at : at + 1_920])) for at in range(0, len(sound), 1_920)])
    assert len(out) == len(sound)
    delay = up.delay_samples // 2 + down.delay_samples
    assert 300 <= delay <= 400
    assert shift_ms(out[delay:], sound[: len(sound) - delay]) < 0.2


def test_block_size_must_be_whole_at_both_rates() -> None:
    with pytest.raises(ValueError, match="whole size"):
        BlockResampler(24_000, 44_100, 100)
    with pytest.raises(ValueError, match="samples"):
        BlockResampler(24_000, 16_000, 1_920).process(np.zeros(10, dtype=np.float32))


@pytest.mark.parametrize("in_rate", RATES)
def test_one_shot_length(in_rate: int) -> None:
    assert len(resample_all(np.zeros(in_rate + 1, dtype=np.float32), in_rate, 24_000)) == round(
        (in_rate + 1) * 24_000 / in_rate
    )
    assert resample_all(np.zeros(0, dtype=np.float32), in_rate, 24_000).size == 0
