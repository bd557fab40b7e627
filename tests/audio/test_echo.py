"""The echo canceller on a made-up room."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from kame_desktop.audio.base import EchoCanceller, NoEchoCanceller
from kame_desktop.audio.echo import CANCELLER_DELAY_SAMPLES, EchoWatch, WebRtcEchoCanceller
from kame_desktop.core.audio_types import FRAME_SAMPLES, Pcm
from kame_desktop.core.errors import MissingPackageError
from tests.fakes.audio import quiet, to_frames, tone

needs_webrtc = pytest.mark.skipif(
    importlib.util.find_spec("pywebrtc_audio") is None, reason="pywebrtc-audio is not installed"
)


def babble(seconds: float, seed: int) -> Pcm:
    rng = np.random.default_rng(seed)
    envelope = np.repeat(rng.uniform(0.1, 1.0, round(seconds * 8)), 3_000)
    return (rng.standard_normal(len(envelope)) * 0.1 * envelope).astype(np.float32)


def through_room(far: Pcm) -> Pcm:
    rng = np.random.default_rng(7)
    response = np.zeros(960 + 1_200)
    response[960] = 0.5
    response[960:] += rng.standard_normal(1_200) * 0.05 * np.exp(-np.arange(1_200) / 240)
    return np.convolve(far, response)[: len(far)].astype(np.float32)


def run(canceller: EchoCanceller, near: Pcm, far: Pcm) -> Pcm:
    return np.concatenate([canceller.process(n, f) for n, f in zip(to_frames(near), to_frames(far), strict=True)])


@needs_webrtc
def test_echo_is_20_db_lower_after_a_second() -> None:
    far = babble(4.0, 1)
    echo = through_room(far)
    canceller = WebRtcEchoCanceller()
    left = run(canceller, echo, far)
    assert left.dtype == np.float32
    late = slice(24_000, None)
    reduction_db = 10 * np.log10(np.mean(echo[late] ** 2) / (np.mean(left[late] ** 2) + 1e-12))
    assert reduction_db >= 20.0


@needs_webrtc
def test_the_user_comes_through_9_ms_late() -> None:
    near = np.concatenate([quiet(500), babble(2.0, 3)])
    near = near[: len(near) // FRAME_SAMPLES * FRAME_SAMPLES]
    canceller = WebRtcEchoCanceller()
    run(canceller, babble(0.8, 5)[: 10 * FRAME_SAMPLES], babble(0.8, 6)[: 10 * FRAME_SAMPLES])
    canceller.reset()
    out = run(canceller, near, np.zeros_like(near))
    assert len(out) == len(near)
    lags = np.arange(0, 1_200)
    match = [float(np.dot(near[12_000:40_000], out[12_000 + lag : 40_000 + lag])) for lag in lags]
    assert int(np.argmax(match)) == CANCELLER_DELAY_SAMPLES
    assert np.sqrt(np.mean(out[24_000:] ** 2)) == pytest.approx(np.sqrt(np.mean(near[24_000:] ** 2)), rel=0.3)


@needs_webrtc
@pytest.mark.parametrize("echo", [False, True])
def test_with_headphones_the_user_is_heard_over_the_first_answer(echo: bool) -> None:
    quiet_part, talk = quiet(2_000), babble(0.48, 3)
    far = np.concatenate([quiet(960), babble(3.0, 1)])[: 30 * FRAME_SAMPLES]
    user = np.concatenate([quiet_part, talk, quiet_part])[: len(far)]
    near = user + through_room(far) * echo
    out = run(WebRtcEchoCanceller(), near, far)
    window = slice(48_000, 48_000 + len(talk))
    lost_db = 10 * np.log10(np.mean(near[window] ** 2) / np.mean(out[window] ** 2))
    if echo:
        assert lost_db > 3.0, "there the canceller works as ever"
    else:
        assert lost_db < 1.0


def levels(watch: EchoWatch, near_dbfs: float, far_dbfs: float, frames: int) -> list[bool]:
    seen = []
    for _ in range(frames):
        watch.hear(near_dbfs, far_dbfs)
        seen.append(watch.absent)
    return seen


def test_no_echo_is_believed_after_a_while_of_quiet_and_doubted_after_each_talk() -> None:
    watch = EchoWatch()
    assert not any(levels(watch, -60.0, -120.0, 50))
    assert levels(watch, -60.0, -20.0, 9) == [False] * 7 + [True, True]
    assert all(levels(watch, -25.0, -20.0, 8)), "the user talks over the answer"
    assert all(levels(watch, -25.0, -120.0, 6)), "which falls silent"
    assert levels(watch, -60.0, -120.0, 1) == [False]
    assert not any(levels(watch, -50.0, -20.0, 30)), "unplugged: 30 dB less than the far end comes back"


def test_what_goes_on_while_the_far_end_sounds_is_taken_for_an_echo() -> None:
    watch = EchoWatch()
    levels(watch, -70.0, -20.0, 10)
    assert levels(watch, -40.0, -20.0, 9) == [True] * 8 + [False]


def test_pauses_between_words_are_no_proof() -> None:
    watch = EchoWatch()
    for _ in range(10):
        assert not any(levels(watch, -80.0, -20.0, 3)), "the echo is on its way"
        assert not any(levels(watch, -50.0, -20.0, 3))
        assert not any(levels(watch, -80.0, -60.0, 6))


def test_a_noisy_room_is_no_echo() -> None:
    watch = EchoWatch()
    levels(watch, -45.0, -120.0, 10)
    assert levels(watch, -44.0, -20.0, 8)[-1]
    assert not any(levels(EchoWatch(), -45.0, -20.0, 20)), "not known to be noisy"


def test_without_the_package_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pywebrtc_audio", None)
    with pytest.raises(MissingPackageError) as caught:
        WebRtcEchoCanceller()
    assert "headphones" in caught.value.remedy


def test_no_canceller_changes_nothing() -> None:
    frame = tone(80)
    assert NoEchoCanceller().process(frame, quiet(80)) is frame
