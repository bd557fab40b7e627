"""The front end without a language model, for comparison."""

from __future__ import annotations

from kame_desktop.core.events import SpokenKind
from kame_desktop.frontends.lite_policy import ALONE, ALONE_ANSWER
from tests.frontends.lite_scene import Scene


def test_it_begins_at_once_and_says_that_it_does_not_know():
    scene = Scene(policy=ALONE)
    assert not scene.frontend.capabilities.steerable
    scene.speak(800)
    first = scene.pause()
    assert first.speech_started
    scene.run_until_end()
    words = [word for output in scene.outputs for word in output.words]
    assert tuple(word.text for word in words)[-len(ALONE_ANSWER) :] == ALONE_ANSWER
    assert {word.kind for word in words} == {SpokenKind.OPENER}


def test_it_stays_silent_when_nothing_was_said():
    scene = Scene(policy=ALONE, nothing_heard=True)
    scene.speak(160)
    scene.pause()
    for _ in range(60):
        scene.frame()
    assert not [word for output in scene.outputs for word in output.words]
