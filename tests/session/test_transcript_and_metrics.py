"""Who said what, and how long it took."""

from __future__ import annotations

from kame_desktop.core.events import (
    AgentSpeechEnded,
    AgentSpeechStarted,
    AgentText,
    AskReason,
    Event,
    FrameTiming,
    OracleApplied,
    OracleFailed,
    OracleRequested,
    OracleRevision,
    SpokenKind,
    SttFinal,
    SttPartial,
    UserSpeechEnded,
)
from kame_desktop.session.metrics import Metrics
from kame_desktop.session.transcript import Transcript


def word(text: str, at_ms: float, *, utterance: int = 1, kind: SpokenKind = SpokenKind.ANSWER) -> AgentText:
    return AgentText(at_ms=at_ms, utterance=utterance, text=text, frame=0, generation=1, kind=kind)


CONVERSATION: list[Event] = [
    SttPartial(at_ms=500.0, utterance=1, rev=1, text="what is", stable_words=0),
    OracleRequested(
        at_ms=500.0, generation=1, utterance=1, model="m", prompt_tokens=9, because=AskReason.WORDS_CHANGED
    ),
    OracleRevision(at_ms=700.0, generation=1, utterance=1, model="m", text_so_far="I", complete=False),
    UserSpeechEnded(at_ms=1200.0, utterance=1, last_speech_ms=1000.0),
    AgentSpeechStarted(at_ms=1210.0, utterance=1),
    word("Well,", 1210.0, kind=SpokenKind.OPENER),
    SttFinal(at_ms=1500.0, utterance=1, text="What is it?"),
    OracleRequested(at_ms=1500.0, generation=2, utterance=1, model="m", prompt_tokens=9, because=AskReason.FINAL),
    OracleFailed(at_ms=1510.0, generation=1, model="m", category="superseded", what="", superseded=True),
    OracleRevision(at_ms=1600.0, generation=2, utterance=1, model="n", text_so_far="A cat", complete=True),
    OracleApplied(at_ms=1600.0, generation=1, frame=9, tokens_fed=1, tokens_missed=4, ended=True),
    OracleApplied(at_ms=1600.0, generation=2, frame=10, tokens_fed=1, tokens_missed=0),
    OracleApplied(at_ms=1700.0, generation=2, frame=11, tokens_fed=2, tokens_missed=0, ended=True),
    word("A", 1650.0),
    word("cat.", 1800.0),
    AgentSpeechEnded(at_ms=2000.0, utterance=1),
    FrameTiming(
        at_ms=2000.0,
        frame=25,
        step_p50_ms=1.0,
        step_p95_ms=2.0,
        late_frames=0,
        input_dbfs=-30.0,
        output_dbfs=-20.0,
    ),
]


def test_the_model_sees_what_was_played_without_the_opener() -> None:
    transcript = Transcript()
    for event in CONVERSATION:
        transcript.take(event)
    assert transcript.before(2) == [("What is it?", "A cat.")]
    assert transcript.before(1) == []
    assert transcript.spoken_answer(1) == "A cat."
    assert transcript.turn(1).spoken == "Well, A cat."


def test_a_late_partial_does_not_undo_a_final() -> None:
    transcript = Transcript()
    transcript.take(SttFinal(at_ms=0.0, utterance=1, text="What is it?"))
    transcript.take(SttPartial(at_ms=1.0, utterance=1, rev=9, text="what", stable_words=0))
    assert transcript.turn(1).user == "What is it?"


def test_the_transcript_is_bounded() -> None:
    transcript = Transcript()
    for number in range(1, 700):
        transcript.take(SttFinal(at_ms=0.0, utterance=number, text=f"words {number}"))
    assert len(transcript.turns) == 500
    assert transcript.turns[0].utterance == 200


def test_the_summary_has_the_numbers_of_the_session() -> None:
    metrics = Metrics()
    for event in CONVERSATION:
        metrics.take(event)
    summary = metrics.summary()
    assert summary["transcript"] == "What is it?"
    assert summary["spoken"] == "Well, A cat."
    assert summary["response_latency_ms"] == {"first_sound": 210.0, "first_content_word": 650.0}
    assert summary["revisions"] == {
        "requested": 2,
        "count": 2,
        "before_final": 1,
        "failed": 0,
        "models": ["m"],
    }
    assert summary["oracle_tokens"] == {"fed": 3, "missed": 4}
    assert summary["frames"] == 25


def test_when_the_user_goes_on_the_answer_is_timed_from_the_later_end() -> None:
    metrics = Metrics()
    for event in CONVERSATION[:6]:
        metrics.take(event)
    metrics.take(UserSpeechEnded(at_ms=3200.0, utterance=1, last_speech_ms=3000.0))
    metrics.take(AgentSpeechStarted(at_ms=3240.0, utterance=1))
    metrics.take(word("A", 3400.0))
    assert metrics.summary()["response_latency_ms"] == {"first_sound": 240.0, "first_content_word": 400.0}
