"""Conversations to export and replay, as events."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from kame_desktop.core import events as ev
from kame_desktop.core.events import Event, SessionState, SpokenKind
from kame_desktop.recordings.export.model import Conversation, Facts, conversation_of

MODEL = "demo/first"
FACTS = Facts(
    title="Capitals & <other> *things*",
    started_at="2025-07-29T14:03:00+02:00",
    app_version="0.1.0",
    engine="lite",
    model="First",
    stt="whisper",
    duration_ms=30_000.0,
)


def state(at_ms: float, which: SessionState) -> Event:
    return ev.SessionStateChanged(at_ms=at_ms, state=which)


def asked(at_ms: float, generation: int, utterance: int, heard_words: int, model: str = MODEL) -> Event:
    return ev.OracleRequested(
        at_ms=at_ms,
        generation=generation,
        utterance=utterance,
        model=model,
        prompt_tokens=90,
        because=ev.AskReason.WORDS_CHANGED,
        heard_words=heard_words,
    )


def answered(at_ms: float, generation: int, utterance: int, text: str, *, complete: bool = True) -> Event:
    return ev.OracleRevision(
        at_ms=at_ms,
        generation=generation,
        utterance=utterance,
        model=MODEL,
        text_so_far=text,
        complete=complete,
        first_token_ms=200.0,
        word_count=len(text.split()),
    )


def spoken(
    at_ms: float,
    utterance: int,
    text: str,
    generation: int | None,
    kind: SpokenKind = SpokenKind.ANSWER,
    word_ms: float = 250.0,
) -> list[Event]:
    return [
        ev.AgentText(
            at_ms=at_ms + word_ms * place,
            utterance=utterance,
            text=word,
            frame=int((at_ms + word_ms * place) // 80),
            generation=generation,
            kind=kind,
        )
        for place, word in enumerate(text.split())
    ]


def partial(at_ms: float, utterance: int, text: str, stable_words: int) -> Event:
    return ev.SttPartial(at_ms=at_ms, utterance=utterance, rev=1, text=text, stable_words=stable_words)


def corrected_talk() -> list[Event]:
    """A question that is answered, and one whose answer is corrected in mid-sentence and cut short."""
    return [
        state(0.0, SessionState.RUNNING),
        ev.ModelChanged(at_ms=0.0, model=MODEL, label="First"),
        ev.UserSpeechStarted(at_ms=500.0, utterance=1),
        partial(1_000.0, 1, "what is the", 2),
        asked(1_010.0, 1, 1, 3),
        answered(1_250.0, 1, 1, "Could you", complete=False),
        partial(1_500.0, 1, "what is the capital of France", 5),
        asked(1_510.0, 2, 1, 6),
        answered(1_740.0, 2, 1, "The capital of France is Paris."),
        ev.UserSpeechEnded(at_ms=2_100.0, utterance=1, last_speech_ms=1_950.0),
        ev.SttFinal(at_ms=2_150.0, utterance=1, text="What is the capital of France?"),
        ev.AgentSpeechStarted(at_ms=2_200.0, utterance=1),
        *spoken(2_200.0, 1, "The capital of France is Paris.", 2),
        ev.AgentSpeechEnded(at_ms=4_100.0, utterance=1),
        ev.UserSpeechStarted(at_ms=5_000.0, utterance=2),
        partial(5_600.0, 2, "how many days in a year", 4),
        asked(5_610.0, 3, 2, 6),
        answered(5_900.0, 3, 2, "There are three hundred and sixty-five days in a year."),
        ev.UserSpeechEnded(at_ms=6_700.0, utterance=2, last_speech_ms=6_500.0),
        ev.AgentSpeechStarted(at_ms=6_750.0, utterance=2),
        *spoken(6_750.0, 2, "Well,", None, SpokenKind.OPENER),
        *spoken(7_100.0, 2, "there are three hundred and sixty-five", 3),
        ev.SttFinal(at_ms=7_150.0, utterance=2, text="How many days are there in a leap year?"),
        asked(7_160.0, 4, 2, 9),
        answered(7_800.0, 4, 2, "There are three hundred and sixty-six days in a leap year, one more than usual."),
        ev.OracleApplied(at_ms=7_900.0, generation=3, frame=90, tokens_fed=9, tokens_missed=5, ended=True),
        *spoken(8_600.0, 2, "or rather,", 4, SpokenKind.CONNECTOR),
        *spoken(9_200.0, 2, "three hundred and sixty-six", 4),
        ev.Interrupted(at_ms=10_300.0, utterance=2),
        ev.AgentSpeechEnded(at_ms=10_350.0, utterance=2, interrupted=True),
        ev.UserSpeechStarted(at_ms=10_400.0, utterance=3),
        partial(10_900.0, 3, "who wrote", 2),
        asked(10_910.0, 5, 3, 2),
        ev.UserSpeechEnded(at_ms=11_400.0, utterance=3, last_speech_ms=11_300.0),
        ev.SttFinal(at_ms=11_500.0, utterance=3, text="Who wrote <Romeo & Juliet> --> please?"),
        ev.OracleFailed(
            at_ms=12_000.0,
            generation=5,
            model=MODEL,
            category="permanent",
            what="The key was refused.",
            remedy="Check the key.",
        ),
        state(13_000.0, SessionState.STOPPING),
        state(13_050.0, SessionState.IDLE),
    ]


def conversation(events: Sequence[Event] | None = None, facts: Facts = FACTS) -> Conversation:
    return conversation_of(facts, corrected_talk() if events is None else events)


words = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)
times = st.floats(0.0, 60_000.0)


@st.composite
def any_events(draw: st.DrawFn) -> list[Event]:
    """Events in any order, with any words."""
    utterances = st.integers(1, 3)
    generations = st.integers(1, 4)
    kinds = st.one_of(
        st.builds(ev.UserSpeechStarted, at_ms=times, utterance=utterances),
        st.builds(ev.UserSpeechEnded, at_ms=times, utterance=utterances, last_speech_ms=times),
        st.builds(
            ev.SttPartial,
            at_ms=times,
            utterance=utterances,
            rev=st.just(1),
            text=words,
            stable_words=st.integers(0, 9),
        ),
        st.builds(ev.SttFinal, at_ms=times, utterance=utterances, text=words),
        st.builds(
            ev.OracleRequested,
            at_ms=times,
            generation=generations,
            utterance=utterances,
            model=st.just(MODEL),
            prompt_tokens=st.just(9),
            because=st.sampled_from(ev.AskReason),
            heard_words=st.integers(0, 9),
        ),
        st.builds(
            ev.OracleRevision,
            at_ms=times,
            generation=generations,
            utterance=utterances,
            model=st.just(MODEL),
            text_so_far=words,
            complete=st.booleans(),
        ),
        st.builds(
            ev.OracleFailed,
            at_ms=times,
            generation=generations,
            model=st.just(MODEL),
            category=st.just("transient"),
            what=words,
            superseded=st.booleans(),
        ),
        st.builds(
            ev.AgentText,
            at_ms=times,
            utterance=utterances,
            text=words,
            frame=st.just(1),
            generation=st.one_of(st.none(), generations),
            kind=st.sampled_from(SpokenKind),
        ),
        st.builds(ev.AgentSpeechStarted, at_ms=times, utterance=utterances),
        st.builds(ev.AgentSpeechEnded, at_ms=times, utterance=utterances, interrupted=st.booleans()),
        st.builds(ev.Interrupted, at_ms=times, utterance=utterances),
    )
    return draw(st.lists(kinds, max_size=30))
