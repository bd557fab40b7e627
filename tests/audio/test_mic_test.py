"""The microphone test: what it says of a recording, and its way through the hardware."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from kame_desktop.audio import mic_test
from kame_desktop.core.audio_types import Pcm
from kame_desktop.core.errors import DeviceError
from kame_desktop.core.settings import DeviceChoice
from tests.fakes.audio import quiet, tone
from tests.fakes.portaudio import FakeSoundDevice, fake_device


def spoken(amplitude: float, noise: float = 1e-4) -> Pcm:
    """Three seconds with one second of voice in the middle."""
    sound = np.concatenate([quiet(1_000), tone(1_000, amplitude), quiet(1_000)])
    hiss = np.random.default_rng(3).normal(0.0, noise, len(sound))
    return np.clip(sound + hiss, -1.0, 1.0).astype(np.float32)


@pytest.mark.parametrize(
    ("pcm", "verdict"),
    [
        (spoken(0.2), mic_test.GOOD),
        (spoken(0.003), mic_test.VERY_QUIET),
        (spoken(1.3), mic_test.CLIPS),
        (spoken(0.0, noise=0.05), mic_test.ONLY_NOISE),
        (spoken(0.0), mic_test.NOTHING_HEARD),
        (quiet(3_000), mic_test.NOTHING_HEARD),
        (quiet(3_000) + np.float32(0.2), mic_test.NOTHING_HEARD),
        (quiet(0), mic_test.NOTHING_HEARD),
    ],
)
def test_a_recording_is_judged_in_words(pcm: Pcm, verdict: str) -> None:
    assert mic_test.judge("Mic", pcm).verdict.startswith(verdict)


def test_levels_of_voice_and_noise_are_told_apart() -> None:
    result = mic_test.judge("Mic", spoken(0.2, noise=0.001))
    assert result.level_dbfs == pytest.approx(-17.0, abs=0.5)
    assert result.noise_dbfs == pytest.approx(-60.0, abs=1.0)
    assert result.peak_dbfs == pytest.approx(-14.0, abs=0.5)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeSoundDevice]:
    module = FakeSoundDevice([fake_device(0, "Mic", 1, 0), fake_device(1, "Speaker", 0, 2, 44_100.0)])
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    monkeypatch.setattr(mic_test, "RECORD_S", 0.4)
    with module.flowing():
        yield module


def test_it_records_meters_and_plays_back(library: FakeSoundDevice) -> None:
    library.sound = 0.25
    levels: list[float] = []
    result = mic_test.test_microphone(None, levels.append)
    assert result.name == "Mic"
    assert len(result.pcm) == 9_600
    assert levels == pytest.approx([-12.0] * 4, abs=0.1)
    mic_test.play(result, DeviceChoice(name="Speaker"))
    assert all(stream.closed for stream in library.streams)
    played = library.stream("output").played
    assert np.count_nonzero(np.abs(played) > 0.2) == pytest.approx(0.4 * 44_100, rel=0.02)


def test_a_device_that_is_missing_or_goes_is_an_error(library: FakeSoundDevice) -> None:
    with pytest.raises(DeviceError, match="no microphone called 'x'"):
        mic_test.test_microphone(DeviceChoice(name="x"), lambda _: None)
    with pytest.raises(DeviceError, match="went away"):
        mic_test.test_microphone(None, lambda _: library.stream("input").vanish())
    assert all(stream.closed for stream in library.streams)
