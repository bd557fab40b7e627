"""Short ways to write events."""

from __future__ import annotations

from kame_desktop.core import events as ev
from kame_desktop.core.events import SessionState, SpokenKind


def state(state: SessionState, at: float = 0.0, detail: str = "", category: str | None = None):
    return ev.SessionStateChanged(at_ms=at, state=state, detail=detail, category=category)


def running() -> list[ev.Event]:
    return [state(SessionState.LOADING), state(SessionState.READY), state(SessionState.RUNNING)]


def heard(utterance: int, text: str, stable: int = 0, at: float = 0.0, lag: float = 0.0):
    return ev.SttPartial(at_ms=at, utterance=utterance, rev=1, text=text, stable_words=stable, lag_ms=lag)


def final(utterance: int, text: str, at: float = 0.0):
    return ev.SttFinal(at_ms=at, utterance=utterance, text=text)


def started(utterance: int, at: float = 0.0):
    return ev.UserSpeechStarted(at_ms=at, utterance=utterance)


def ended(utterance: int, at: float = 0.0, last_speech: float = 0.0):
    return ev.UserSpeechEnded(at_ms=at, utterance=utterance, last_speech_ms=last_speech)


def asked(generation: int, utterance: int = 1, words: int = 0, at: float = 0.0, model: str = "m"):
    return ev.OracleRequested(
        at_ms=at,
        generation=generation,
        utterance=utterance,
        model=model,
        prompt_tokens=10,
        because=ev.AskReason.WORDS_CHANGED,
        heard_words=words,
    )


def answered(generation: int, text: str, utterance: int = 1, done: bool = False, at: float = 0.0):
    return ev.OracleRevision(
        at_ms=at,
        generation=generation,
        utterance=utterance,
        model="m",
        text_so_far=text,
        complete=done,
        first_token_ms=210.0,
    )


def failed(generation: int, *, retry: bool = False, superseded: bool = False, at: float = 0.0):
    return ev.OracleFailed(
        at_ms=at,
        generation=generation,
        model="m",
        category="transient" if retry else "permanent",
        what="The service refused.",
        remedy="Check the key.",
        will_retry=retry,
        superseded=superseded,
    )


def said(
    text: str,
    generation: int | None,
    kind: SpokenKind = SpokenKind.ANSWER,
    utterance: int = 1,
    at: float = 0.0,
) -> list[ev.Event]:
    return [
        ev.AgentText(at_ms=at, utterance=utterance, text=word, frame=1, generation=generation, kind=kind)
        for word in text.split()
    ]


def speaks(utterance: int = 1, at: float = 0.0):
    return ev.AgentSpeechStarted(at_ms=at, utterance=utterance)


def silent(utterance: int = 1, at: float = 0.0, interrupted: bool = False):
    return ev.AgentSpeechEnded(at_ms=at, utterance=utterance, interrupted=interrupted)


def tick(at: float, heard_db: float = -60.0, spoken_db: float = -120.0):
    return ev.FrameTiming(
        at_ms=at,
        frame=1,
        step_p50_ms=2.0,
        step_p95_ms=6.4,
        late_frames=0,
        input_dbfs=heard_db,
        output_dbfs=spoken_db,
    )


def trouble(component: str = "microphone", what: str = "It is gone.", category: str = "missing"):
    return ev.ComponentError(at_ms=0.0, component=component, category=category, what=what, remedy="Plug it in again.")
