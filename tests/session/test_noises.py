"""A noise between the question and its answer opens an utterance of its own, and must not spoil the other."""

from __future__ import annotations

import pytest

from kame_desktop.core.events import AgentSpeechEnded, AgentSpeechStarted, AgentText
from kame_desktop.frontends.lite import LiteFrontend
from kame_desktop.frontends.lite_policy import CASCADE, TANDEM, LitePolicy
from tests.fakes.llm import Answer
from tests.fakes.stt import FakeStt
from tests.fakes.turns import ScriptedTurns
from tests.fakes.voice import FakeVoice, inline
from tests.session.stage import Stage


@pytest.mark.parametrize("policy", [TANDEM, CASCADE], ids=lambda policy: policy.name)
@pytest.mark.parametrize("noise", [(19, 20), (21, 22), (24, 25), (28, 29)], ids=str)
def test_the_answer_is_said_and_belongs_to_its_question(policy: LitePolicy, noise: tuple[int, int]):
    stage = Stage(
        frames=140,
        script=Answer("It is Paris.", first_ms=1_200.0),
        turns=ScriptedTurns(speech=((2, 14), noise)),
        stt=FakeStt(script=("what is the capital of France?", "")),
    )
    stage.frontend = LiteFrontend(policy, FakeVoice, stage.activity, inline())  # type: ignore[assignment]
    stage.run()
    said = " ".join(word.text for word in stage.of(AgentText))
    assert said.casefold().endswith("it is paris.")
    assert {word.utterance for word in stage.of(AgentText)} == {1}
    assert {event.utterance for event in [*stage.of(AgentSpeechStarted), *stage.of(AgentSpeechEnded)]} == {1}
