"""Which words of the user count as a question."""

from __future__ import annotations

import pytest

from kame_desktop.core.events import AgentSpeechEnded, AgentText, SttFinal, SttPartial, UserSpeechStarted
from kame_desktop.session.backchannel import BackchannelGate


def says(gate: BackchannelGate, *words: str) -> None:
    for word in words:
        assert gate.counts(AgentText(at_ms=0.0, utterance=1, text=word, frame=0, generation=1))


def starts(gate: BackchannelGate, utterance: int, *, resumed: bool = False) -> None:
    assert gate.counts(UserSpeechStarted(at_ms=0.0, utterance=utterance, resumed=resumed))


def partial(gate: BackchannelGate, utterance: int, text: str) -> bool:
    return gate.counts(SttPartial(at_ms=0.0, utterance=utterance, rev=1, text=text, stable_words=0))


def final(gate: BackchannelGate, utterance: int, text: str) -> bool:
    return gate.counts(SttFinal(at_ms=0.0, utterance=utterance, text=text))


def test_filler_over_the_answer_does_not_count() -> None:
    gate = BackchannelGate()
    says(gate, "The", "sky")
    starts(gate, 2)
    assert not partial(gate, 2, "Uh-huh.")
    says(gate, "is")
    assert not final(gate, 2, "Uh-huh.")


def test_filler_that_goes_on_counts_from_its_first_other_word() -> None:
    gate = BackchannelGate()
    says(gate, "The")
    starts(gate, 2)
    assert not partial(gate, 2, "Yeah")
    starts(gate, 2, resumed=True)
    assert partial(gate, 2, "Yeah, but why")
    assert final(gate, 2, "Yeah, but why?")


def test_empty_final_of_a_cough_is_told() -> None:
    gate = BackchannelGate()
    says(gate, "The")
    starts(gate, 2)
    assert final(gate, 2, "")


@pytest.mark.parametrize("case", ["silence", "after a question"])
def test_the_same_words_count(case: str) -> None:
    gate = BackchannelGate()
    says(gate, "Shall", "I", "go", "on?" if case == "after a question" else "on.")
    if case == "silence":
        gate.counts(AgentSpeechEnded(at_ms=0.0, utterance=1))
    starts(gate, 2)
    assert partial(gate, 2, "Yes.")
    assert final(gate, 2, "Yes.")


def test_later_utterances_are_judged_anew() -> None:
    gate = BackchannelGate()
    says(gate, "The")
    starts(gate, 2)
    assert not final(gate, 2, "Yeah.")
    gate.counts(AgentSpeechEnded(at_ms=0.0, utterance=1))
    starts(gate, 3)
    assert final(gate, 3, "Yeah.")
