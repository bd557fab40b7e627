"""The whole way of the microphone's sound in a made-up room, with the assistant's voice and a spoken question."""

from __future__ import annotations

import importlib.util
from functools import cache

import numpy as np
import pytest

from kame_desktop.audio.base import AudioControls
from kame_desktop.audio.echo import CANCELLER_DELAY_SAMPLES
from kame_desktop.audio.sound_chain import SoundChain
from kame_desktop.audio.turns import VadTurnDetector
from kame_desktop.core.audio_types import FRAME_SAMPLES, MODEL_RATE_HZ, Pcm
from tests.audio.rooms import Room, at_level, echo_reduction_db, power_db, speech_db
from tests.audio.voices import AVAILABLE, assistant, question, question_text
from tests.fakes.audio import quiet, to_frames, tone

pytestmark = pytest.mark.skipif(not AVAILABLE, reason="the starter pack is not installed")


def through(chain: SoundChain, near: Pcm, far: Pcm) -> Pcm:
    return np.concatenate([chain.process(n, f) for n, f in zip(to_frames(near), to_frames(far), strict=True)])


def turns_started(cleaned: Pcm) -> list[int]:
    """Frames in which a user turn begins."""
    from kame_desktop.audio.vad import SileroVad

    detector = VadTurnDetector(SileroVad())
    return [number for number, frame in enumerate(to_frames(cleaned)) if detector.process(frame).started]


def test_the_echo_is_gone_after_a_second_and_never_starts_a_turn() -> None:
    room, far = Room(), assistant()
    cleaned = through(SoundChain(), room.microphone(far), far)
    assert echo_reduction_db(room.echo(far), cleaned, CANCELLER_DELAY_SAMPLES, 2.0) >= 25.0
    assert turns_started(cleaned) == []


def test_without_the_canceller_that_voice_would_start_turns() -> None:
    far = assistant()[: 5 * MODEL_RATE_HZ // FRAME_SAMPLES * FRAME_SAMPLES]
    chain = SoundChain()
    chain.use(AudioControls(echo_cancellation=False))
    assert turns_started(through(chain, Room().microphone(far), far))


@cache
def over_the_answer() -> tuple[Pcm, Pcm, slice]:
    """A question over the answer, 6 dB louder than the echo: what is left of it, itself, and where it is."""
    room, far = Room(), assistant()[: 10 * MODEL_RATE_HZ]
    words = at_level(question(), speech_db(room.echo(far)) + 6.0)
    place = slice(5 * MODEL_RATE_HZ, 5 * MODEL_RATE_HZ + len(words))
    user = np.zeros(len(far), dtype=np.float32)
    user[place] = words
    return through(SoundChain(), room.microphone(far, user), far), words, place


def test_a_user_over_the_answer_starts_a_turn_and_is_hardly_softened() -> None:
    cleaned, words, place = over_the_answer()
    started = turns_started(cleaned)
    assert started
    assert abs(started[0] * FRAME_SAMPLES - place.start) < 0.5 * MODEL_RATE_HZ
    late = slice(place.start + CANCELLER_DELAY_SAMPLES, place.stop + CANCELLER_DELAY_SAMPLES)
    assert power_db(cleaned[late]) - power_db(words) > -4.0


@pytest.mark.skipif(importlib.util.find_spec("faster_whisper") is None, reason="faster-whisper is not installed")
def test_the_words_of_a_user_over_the_answer_can_be_read() -> None:
    from kame_desktop.audio.resample import resample_all
    from kame_desktop.backend.stt.whisper import WhisperDecoder

    cleaned, _, place = over_the_answer()
    decoder = WhisperDecoder()
    decoder.load()
    heard = cleaned[place.start - 6_000 : place.stop + 9_600]
    said = decoder.decode(resample_all(heard, MODEL_RATE_HZ, 16_000)).text
    decoder.unload()
    expected = question_text().lower().strip(" ?.").split()
    assert word_errors(expected, said.lower().strip(" ?.").split()) <= 0.25 * len(expected), said


def word_errors(expected: list[str], heard: list[str]) -> int:
    """Least number of words to change, add or leave out."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(expected, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1]


def test_with_headphones_nothing_is_changed_but_the_delay() -> None:
    near, far = assistant()[: 20 * FRAME_SAMPLES], assistant()[: 20 * FRAME_SAMPLES][::-1].copy()
    chain = SoundChain()
    chain.use(AudioControls(headphones=True))
    heard = through(chain, near, far)
    settled = slice(2 * FRAME_SAMPLES, len(near))
    expected = np.concatenate([quiet(1e3 * CANCELLER_DELAY_SAMPLES / MODEL_RATE_HZ), near])
    np.testing.assert_array_equal(heard[settled], expected[settled])


def test_the_canceller_works_again_once_it_is_switched_on() -> None:
    room, far = Room(), assistant()
    near = room.microphone(far)
    chain = SoundChain()
    chain.use(AudioControls(headphones=True))
    middle = 60 * FRAME_SAMPLES
    through(chain, near[:middle], far[:middle])
    chain.use(AudioControls())
    cleaned = through(chain, near[middle:], far[middle:])
    assert echo_reduction_db(near[middle:], cleaned, CANCELLER_DELAY_SAMPLES, 2.0) >= 20.0


def noise(seconds: float, dbfs: float) -> Pcm:
    return (np.random.default_rng(3).standard_normal(round(seconds * 12.5) * FRAME_SAMPLES) * 10 ** (dbfs / 20)).astype(
        np.float32
    )


def test_noise_suppression_can_be_switched_while_it_runs() -> None:
    sound = noise(8.0, -45.0)
    silence = np.zeros_like(sound)
    chain = SoundChain()
    before = through(chain, sound, silence)
    chain.use(AudioControls(noise_suppression=True))
    during = through(chain, sound, silence)
    chain.use(AudioControls())
    after = through(chain, sound, silence)
    half = len(sound) // 2
    assert power_db(before[half:]) - power_db(during[half:]) > 6.0
    assert power_db(after[half:]) == pytest.approx(power_db(before[half:]), abs=1.0)


def test_automatic_gain_raises_a_quiet_voice() -> None:
    near = at_level(assistant(), -45.0)
    chain = SoundChain()
    plain = through(chain, near, np.zeros_like(near))
    chain = SoundChain()
    chain.use(AudioControls(automatic_gain=True))
    raised = through(chain, near, np.zeros_like(near))
    late = slice(10 * MODEL_RATE_HZ, None)
    assert power_db(raised[late]) - power_db(plain[late]) > 6.0
    assert float(np.max(np.abs(raised))) <= 1.0


def test_switching_makes_no_click() -> None:
    sound = tone(80.0 * 40, amplitude=0.2)
    silence = np.zeros_like(sound)
    chain = SoundChain()
    heard = []
    for number, controls in enumerate([AudioControls(), AudioControls(headphones=True), AudioControls()] * 4):
        chain.use(controls)
        piece = slice(number * 3 * FRAME_SAMPLES, (number + 1) * 3 * FRAME_SAMPLES)
        heard.append(through(chain, sound[piece], silence[piece]))
    steepest = float(np.max(np.abs(np.diff(sound))))
    assert float(np.max(np.abs(np.diff(np.concatenate(heard)[FRAME_SAMPLES:])))) < 3.0 * steepest


def test_a_reset_forgets_the_sound_on_its_way() -> None:
    chain = SoundChain()
    through(chain, tone(800), tone(800))
    chain.reset()
    assert float(np.max(np.abs(chain.process(quiet(80), quiet(80))))) < 1e-3
