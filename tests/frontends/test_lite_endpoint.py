"""When the lite front end takes the turn, by what is known of the words."""

from __future__ import annotations

import pytest

from kame_desktop.core.audio_types import FRAME_MS
from tests.frontends.lite_scene import Scene


def silence_at_first_sound(scene: Scene, limit_ms: float = 3_000.0) -> float:
    """The user pauses; how long has he been silent when the assistant begins?"""
    scene.pause()
    while not scene.outputs[-1].speech_started:
        assert scene.silence_ms < limit_ms, "the assistant never began"
        scene.frame()
    return scene.silence_ms


def asking(text: str, behind_ms: float = 0.0, speech_ms: float = 1_200.0) -> Scene:
    scene = Scene()
    scene.speak(speech_ms)
    scene.recognise(text, behind_ms=behind_ms)
    return scene


PROMPT_MS = 320.0
"""The scene's own pause: the turn is taken in its frame."""


@pytest.mark.parametrize("text", ["What is the capital of France?", "Tell me a joke.", "Where are you from?"])
@pytest.mark.parametrize("behind_ms", [0, 150, 400])
def test_whole_question_is_answered_at_the_pause(text: str, behind_ms: float) -> None:
    assert silence_at_first_sound(asking(text, behind_ms)) <= PROMPT_MS


def test_without_any_words_of_long_speech_nothing_is_waited_for() -> None:
    scene = Scene()
    scene.speak(1_200)
    assert silence_at_first_sound(scene) <= PROMPT_MS


@pytest.mark.parametrize(
    "text", ["What is the", "What is the capital of", "I ask because", "Um...", "If it rains tomorrow.", "I want to"]
)
def test_open_end_is_waited_for(text: str) -> None:
    assert 1_000.0 <= silence_at_first_sound(asking(text)) <= 1_100.0


def test_statement_is_waited_for_a_little() -> None:
    assert PROMPT_MS < silence_at_first_sound(asking("I have a dog.")) <= 480.0


def test_last_word_that_is_missing_is_taken_to_complete_the_question() -> None:
    assert silence_at_first_sound(asking("What is the capital of", behind_ms=400)) <= PROMPT_MS


def test_words_that_come_at_the_pause_decide() -> None:
    for text, earliest, latest in (("If it rains.", 1_000.0, 1_100.0), ("If it rains, what shall I do?", 0.0, 400.0)):
        scene = asking("If it", behind_ms=500)
        assert not scene.pause().speech_started
        scene.recognise(text)
        while not scene.outputs[-1].speech_started:
            scene.frame()
        assert earliest <= scene.silence_ms <= latest


def test_user_who_goes_on_after_an_open_end_is_not_disturbed() -> None:
    scene = asking("What is the capital of")
    scene.pause()
    scene.run(640)
    scene.speak(400)
    assert not any(output.pcm.any() for output in scene.outputs)
    scene.recognise("What is the capital of France?")
    assert silence_at_first_sound(scene) <= PROMPT_MS


def test_answer_that_is_ready_waits_for_an_open_end_too() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle("It is blue.", 1)
    scene.recognise("Why is the")
    assert silence_at_first_sound(scene) >= 1_000.0
    scene.run_until_end()
    assert scene.said() == "It is blue."


def test_open_end_is_the_end_when_it_is_final() -> None:
    scene = asking("What is the capital of")
    scene.pause()
    scene.recognise("What is the capital of", final=True)
    scene.run(1_000 - scene.silence_ms + FRAME_MS)
    assert any(output.speech_started for output in scene.outputs)
