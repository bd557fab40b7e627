"""The user speaks over the answer: it falls silent at once, and goes on or not by what was said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_desktop.core.audio_types import FRAME_MS
from kame_desktop.core.events import SpokenKind
from kame_desktop.frontends.base import OracleSlot
from tests.fakes.voice import inline, word_tone
from tests.frontends.lite_scene import Scene

ANSWER = "The sky is blue, because light is scattered. It is red at dusk."


def answering(word: str = "because", answer: str = ANSWER, delay: int = 0) -> Scene:
    """A scene in which ``word`` of the answer has just begun."""
    scene = Scene(synthesizer=inline(delay))
    scene.speak(1_200)
    scene.oracle(answer, 1)
    scene.run(delay * FRAME_MS)
    scene.pause()
    scene.finish()
    if word not in scene.said().split():
        scene.run_until_word(word)
    return scene


def interrupted(scene: Scene) -> int:
    return sum(output.interrupted for output in scene.outputs)


def silent_since(scene: Scene, mark: int) -> float:
    """Milliseconds from frame ``mark`` to the last sound."""
    sound = np.concatenate([output.pcm for output in scene.outputs[mark:]])
    loud = np.flatnonzero(np.abs(sound) > 1e-3)
    return loud[-1] / 24.0 if loud.size else 0.0


def test_200_ms_of_speech_silence_the_answer_within_a_frame() -> None:
    scene = answering()
    scene.speak(80)
    assert scene.outputs[-1].pcm[-480:].any()
    mark = len(scene.outputs)
    scene.speak(800)
    assert scene.outputs[mark].hushed
    assert 20.0 < silent_since(scene, mark) < 60.0
    assert np.abs(np.diff(scene.sound())).max() < 0.12


def test_words_end_the_answer_and_are_answered() -> None:
    scene = answering()
    scene.speak(400)
    assert interrupted(scene) == 0
    said = scene.said()
    scene.pause()
    scene.recognise("Stop it.")
    output = scene.frame()
    assert output.interrupted
    assert output.speech_ended
    assert not output.pcm.any()
    scene.oracle("All right, I am silent.", 2)
    scene.run_until_end()
    assert scene.said().startswith(f"{said} ")
    assert scene.answer().removeprefix(said).strip().casefold() == "all right, i am silent."
    assert interrupted(scene) == 1


def test_long_speech_ends_the_answer_without_waiting_for_words() -> None:
    scene = answering()
    scene.speak(720)
    assert interrupted(scene) == 1
    said = scene.said()
    scene.pause()
    scene.finish()
    scene.run(3_000)
    assert scene.answer() == said


@pytest.mark.parametrize("text", ["Uh-huh.", "Yeah.", "Right.", "I see. Yeah.", "Mm-hmm", "Aha", ""])
def test_fillers_and_coughs_only_make_it_pause(text: str) -> None:
    scene = answering()
    scene.speak(400)
    scene.pause()
    assert not scene.run(160)[-1].pcm.any()
    scene.recognise(text)
    scene.run_until_end()
    scene.finish()
    scene.run(3_000)
    assert scene.said() == ANSWER
    assert interrupted(scene) == 0
    assert sum(output.speech_started for output in scene.outputs) == 1
    assert sum(output.speech_ended for output in scene.outputs) == 1


def test_noise_that_no_words_come_of_lets_it_go_on() -> None:
    scene = answering()
    scene.speak(320)
    scene.pause()
    scene.finish()
    scene.nothing_heard = True
    scene.run_until_end()
    assert scene.said() == ANSWER
    assert interrupted(scene) == 0


def test_silent_recogniser_does_not_silence_the_answer_for_good() -> None:
    scene = answering()
    scene.speak(320)
    scene.pause()
    scene.run_until_end()
    assert scene.said() == ANSWER


def test_several_fillers_in_one_breath_are_fillers() -> None:
    scene = answering()
    scene.speak(640)
    scene.recognise("Yeah, right", behind_ms=300)
    scene.speak(560)
    assert interrupted(scene) == 0
    scene.pause()
    scene.recognise("Yeah, right, I see.")
    scene.run_until_end()
    assert scene.said() == ANSWER


def test_filler_that_turns_into_a_question_ends_the_answer() -> None:
    scene = answering()
    scene.speak(400)
    scene.recognise("Yeah", behind_ms=100)
    scene.pause()
    scene.recognise("Yeah.")
    scene.run(160)
    scene.speak(400)
    said = scene.said()
    scene.pause()
    scene.recognise("Yeah, but why?")
    scene.frame()
    assert interrupted(scene) == 1
    scene.run(1_200)
    assert scene.answer() == said


def test_second_filler_before_the_first_is_understood() -> None:
    scene = answering()
    scene.speak(320)
    scene.pause()
    scene.finish()
    scene.speak(320)
    scene.pause()
    scene.recognise("Right.")
    scene.run_until_end()
    assert scene.said() == ANSWER


def test_yes_after_a_question_is_an_answer() -> None:
    scene = answering("on?", "Shall I go on?")
    scene.speak(240)
    scene.pause()
    scene.recognise("Yes.")
    scene.run(400)
    scene.oracle("Then let us begin.", 2)
    scene.run_until_end()
    assert scene.answer().casefold().endswith("then let us begin.")


def test_filler_over_the_last_word_is_not_answered() -> None:
    scene = answering("dusk.")
    scene.speak(400)
    scene.recognise("Yeah.")
    scene.pause()
    scene.finish()
    scene.run(4_000)
    assert scene.said() == ANSWER
    assert sum(output.speech_ended for output in scene.outputs) == 1
    assert not scene.outputs[-1].holding_turn


def test_opener_that_was_cut_is_not_said_again() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.pause()
    scene.finish()
    opener = scene.said()
    assert opener
    scene.speak(320)
    scene.pause()
    scene.recognise("Yeah.")
    scene.run(800)
    assert scene.said() == opener
    ids = (scene.frontend.tokenizer.start_id, *scene.frontend.tokenizer.encode("It is blue."))
    scene.frame(OracleSlot(ids, 1, True, utterance=1))
    scene.run_until_end()
    assert scene.said() == f"{opener} it is blue."


@pytest.mark.parametrize("delay", [0, 30])
@given(cut_ms=st.integers(0, 60).map(lambda frames: frames * 80), unplayed_ms=st.integers(0, 110))
@settings(max_examples=60, deadline=None)
def test_wherever_it_is_cut_nothing_is_lost_and_at_most_one_word_is_said_twice(
    delay: int, cut_ms: int, unplayed_ms: int
) -> None:
    scene = answering("The", delay=delay)
    scene.unplayed_ms = unplayed_ms
    scene.run(cut_ms)
    ended = any(output.speech_ended for output in scene.outputs)
    scene.speak(320)
    scene.pause()
    scene.recognise("Uh-huh.")
    if not ended and not any(output.speech_ended for output in scene.outputs):
        scene.run_until_end()
    assert scene.said() == ANSWER
    words = [word_tone(word).size for word in ANSWER.split()]
    sounding = np.count_nonzero(scene.heard())
    assert sounding > 0.99 * (sum(words) - 0.06 * 24_000)
    assert sounding < 1.01 * (sum(words) + max(words) + 0.05 * 24_000)
    assert interrupted(scene) == 0
    assert np.abs(np.diff(scene.sound())).max() < 0.12


def test_revision_that_comes_during_the_break_corrects_what_follows() -> None:
    scene = answering("Sydney,", "The capital of Australia is Sydney, which is large.")
    scene.speak(320)
    scene.pause()
    new = "The capital of Australia is Canberra, which is small."
    ids = (scene.frontend.tokenizer.start_id, *scene.frontend.tokenizer.encode(new))
    scene.frame(OracleSlot(ids, 2, True, utterance=1))
    scene.recognise("Right.")
    scene.run_until_end()
    assert scene.said() == "The capital of Australia is Sydney, or rather, Canberra, which is small."
    assert scene.said(SpokenKind.CONNECTOR) == "or rather,"
