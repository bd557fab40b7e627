"""Whatever user and oracle do, the lite front end keeps its promises."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_desktop.frontends.lite_policy import CASCADE, TANDEM
from tests.fakes.voice import inline
from tests.frontends.lite_scene import Scene

_TEXT = st.sampled_from(
    [
        "The sky is blue, because light is scattered.",
        "The sky is grey, because of clouds. It may rain.",
        "The sky",
        "Yes.",
        "No, it is not.",
        "Well, the sky is blue.",
    ]
)
_HEARD = st.sampled_from(["", "Uh-huh.", "Yeah, right", "Stop.", "What is the", "What is the capital of France?"])
_EVENT = st.one_of(
    st.tuples(st.just("speak"), st.sampled_from([80, 160, 240, 400, 1_200])),
    st.tuples(st.just("pause"), st.none()),
    st.tuples(st.just("finish"), st.none()),
    st.tuples(st.just("run"), st.sampled_from([80, 400, 1_000, 3_000, 9_000])),
    st.tuples(st.just("oracle"), st.tuples(_TEXT, st.booleans())),
    st.tuples(st.just("more"), st.tuples(_TEXT, st.booleans())),
    st.tuples(st.just("down"), st.booleans()),
    st.tuples(st.just("nothing"), st.booleans()),
    st.tuples(st.just("words"), st.tuples(_HEARD, st.sampled_from([0, 300, 900]))),
)


def play(scene: Scene, event: str, value: Any, generation: int) -> None:
    match event:
        case "speak":
            scene.speak(value)
        case "pause" if scene.speaking:
            scene.pause()
        case "finish" if not scene.speaking and not scene.ended:
            scene.finish()
        case "run":
            scene.run(value)
        case "oracle":
            scene.oracle(value[0], generation, ends=value[1])
        case "more":
            scene.oracle(value[0], max(0, generation - 1), start=False, ends=value[1])
        case "down":
            scene.backend_down = value
        case "nothing":
            scene.nothing_heard = value
        case "words":
            scene.recognise(value[0], behind_ms=value[1])
        case _:
            scene.frame()


@given(st.sampled_from([TANDEM, CASCADE]), st.sampled_from([0, 2]), st.lists(_EVENT, max_size=25))
@settings(max_examples=150, deadline=None)
def test_promises(policy: Any, delay: int, script: list[tuple[str, Any]]) -> None:
    scene = Scene(policy=policy, synthesizer=inline(delay))
    for generation, (event, value) in enumerate(script, start=1):
        play(scene, event, value, generation)
    if scene.speaking:
        scene.pause()
    if not scene.ended:
        scene.finish()
    scene.run(40_000)

    speaking = False
    for output in scene.outputs:
        if output.speech_started:
            assert not speaking
            assert 0.0 <= output.onset_ms < 80.0
            assert np.abs(output.pcm).max() > 1e-3
            speaking = True
        assert speaking or not output.pcm.any()
        assert speaking or not output.words
        if output.interrupted:
            assert output.speech_ended
            assert output.words == ()
        if output.speech_ended:
            assert speaking
            speaking = False
    assert not speaking
    assert not scene.outputs[-1].holding_turn
    assert np.abs(np.diff(scene.sound())).max() < 0.12
