"""When the model counts as speaking, and when it owes an answer."""

from __future__ import annotations

import numpy as np

from kame_desktop.core.audio_types import FRAME_SAMPLES, PcmFrame, UserActivity, silence_frame
from kame_desktop.frontends.kame_speech import AgentSpeech, SpeechChange


def tone(dbfs: float, begins_ms: float = 0.0) -> PcmFrame:
    pcm = np.full(FRAME_SAMPLES, 10.0 ** (dbfs / 20.0), dtype=np.float32)
    pcm[: int(begins_ms * 24)] = 0.0
    return pcm


def test_sound_begins_speech_at_its_onset_and_silence_ends_it() -> None:
    speech = AgentSpeech()
    assert speech.take(tone(-50.0), says_something=False) == SpeechChange()
    assert speech.take(tone(-20.0, 30.0), says_something=False) == SpeechChange(started=True, onset_ms=30.0)
    assert speech.take(tone(-20.0), says_something=False) == SpeechChange()
    changes = [speech.take(silence_frame(), says_something=False) for _ in range(12)]
    assert [change.ended for change in changes] == [number == 9 for number in range(12)]
    assert not speech.speaking


def test_a_piece_of_a_word_begins_and_holds_speech() -> None:
    speech = AgentSpeech()
    assert speech.take(silence_frame(), says_something=True) == SpeechChange(started=True)
    for _ in range(5):
        assert not any(speech.take(silence_frame(), says_something=False).ended for _ in range(9))
        speech.take(silence_frame(), says_something=True)
    speech.reset()
    assert not speech.speaking


def test_an_answer_is_owed_for_a_while_after_the_user_spoke() -> None:
    speech = AgentSpeech()
    quiet = UserActivity(utterance=1)
    assert not speech.owes_answer(UserActivity(), nothing_heard=False)
    assert speech.owes_answer(UserActivity(utterance=1, speaking=True), nothing_heard=False)
    assert speech.owes_answer(UserActivity(utterance=1, paused=True), nothing_heard=False)
    owed = [speech.owes_answer(quiet, nothing_heard=False) for _ in range(60)]
    assert sum(owed) == 49
    assert not speech.owes_answer(quiet, nothing_heard=False)


def test_an_answer_that_began_or_a_noise_ends_the_waiting() -> None:
    speech = AgentSpeech()
    quiet = UserActivity(utterance=1)
    for nothing_heard in (False, True):
        speech.owes_answer(UserActivity(utterance=1, paused=True), nothing_heard=False)
        if not nothing_heard:
            speech.take(tone(-20.0), says_something=False)
        assert not speech.owes_answer(quiet, nothing_heard=nothing_heard)
        speech.reset()
