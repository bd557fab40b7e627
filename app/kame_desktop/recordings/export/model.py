"""A recorded conversation turn by turn, with times: what every export is written from.

Turns, answers and their numbers follow the same rules as the window's columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kame_desktop.core import events as ev
from kame_desktop.core.events import AskReason, SpokenKind
from kame_desktop.recordings.reader import Recording

RECENT_TURNS = 4


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a recording beside its events.

    Attributes:
        title: What the user calls it.
        started_at: When it began, as ISO 8601; "": unknown.
        audio_start_ms: Session time of the first sample of its sound.
        complete: It was ended, not cut off.
    """

    title: str = ""
    started_at: str = ""
    app_version: str = ""
    engine: str = ""
    model: str = ""
    stt: str = ""
    duration_ms: float = 0.0
    audio_start_ms: float = 0.0
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Heard:
    """How the user's sentence read at a moment; its first ``stable_words`` were settled."""

    at_ms: float
    text: str
    stable_words: int


@dataclass(slots=True)
class Revision:
    """One answer of the language model.

    Attributes:
        number: Its place among the answers of its turn, from 1.
        model: The name that it was asked by; ``label``: what the user sees.
        based_on: The user's words that the question held.
        superseded: A newer answer took its place.
        failure: What went wrong, and what to do; "": nothing.
        tokens_missed: How many were replaced before their turn.
    """

    generation: int
    number: int
    model: str = ""
    label: str = ""
    asked_at_ms: float = 0.0
    because: AskReason | None = None
    chosen_because: str = ""
    prompt_tokens: int = 0
    heard_words: int = 0
    based_on: str = ""
    first_token_ms: float | None = None
    adopted_at_ms: float | None = None
    ended_at_ms: float | None = None
    text: str = ""
    complete: bool = False
    superseded: bool = False
    failure: str = ""
    tokens_fed: int = 0
    tokens_missed: int = 0


@dataclass(frozen=True, slots=True)
class Word:
    """A spoken word; ``number``: of the answer that fed it; ``correction``: the first word of another answer."""

    at_ms: float
    text: str
    generation: int | None
    number: int | None
    kind: SpokenKind
    correction: bool = False


@dataclass(slots=True)
class Turn:
    """One utterance of the user, the answers to it, and what was spoken. Times are None where nothing told them."""

    utterance: int
    user: str = ""
    final: bool = False
    heard: list[Heard] = field(default_factory=list)
    user_start_ms: float | None = None
    user_end_ms: float | None = None
    revisions: list[Revision] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    agent_start_ms: float | None = None
    agent_end_ms: float | None = None
    interrupted: bool = False

    @property
    def spoken(self) -> str:
        """All that was said in answer."""
        return " ".join(word.text for word in self.words)

    @property
    def empty(self) -> bool:
        """There is nothing to tell of it."""
        return not (self.user or self.revisions or self.words)


@dataclass(frozen=True, slots=True)
class Conversation:
    """All of it. ``turns``: those with something in them, by their numbers."""

    facts: Facts
    turns: list[Turn]


def facts_of(recording: Recording) -> Facts:
    """What a recording says of itself."""
    meta = recording.meta
    return Facts(
        title=meta.title,
        started_at=meta.started_at.isoformat(timespec="seconds"),
        app_version=meta.app_version,
        engine=_label(meta.engine),
        model=_label(meta.llm),
        stt=meta.stt,
        duration_ms=recording.duration_ms,
        audio_start_ms=recording.start_ms if meta.audio_start_ms is None else meta.audio_start_ms,
        complete=meta.complete,
    )


def _label(values: Mapping[str, Any]) -> str:
    return str(values.get("label") or values.get("name") or "")


def read_conversation(recording: Recording) -> Conversation:
    """Read a whole recording. Blocks on the disk; raises RecordingError."""
    return conversation_of(facts_of(recording), recording.events())


def conversation_of(facts: Facts, events: Iterable[ev.Event]) -> Conversation:
    """Read the events, in the order in which they were told."""
    reader = _Reader()
    for event in events:
        reader.take(event)
    reader.end()
    turns = sorted(reader.turns.values(), key=lambda turn: turn.utterance)
    return Conversation(facts, [turn for turn in turns if not turn.empty])


class _Reader:
    def __init__(self) -> None:
        self.turns: dict[int, Turn] = {}
        self._revisions: dict[int, tuple[Turn, Revision]] = {}
        self._labels: dict[str, str] = {}
        self._last_generation: dict[int, int] = {}

    def take(self, event: ev.Event) -> None:
        match event:
            case ev.ModelChanged():
                self._labels[event.model] = event.label or event.model
            case ev.UserSpeechStarted():
                turn = self._turn(event.utterance)
                if turn.user_start_ms is None:
                    turn.user_start_ms = event.at_ms
            case ev.UserSpeechEnded():
                self._turn(event.utterance).user_end_ms = event.last_speech_ms or event.at_ms
            case ev.SttPartial():
                turn = self._turn(event.utterance)
                if not turn.final:
                    turn.user = event.text
                    turn.heard.append(Heard(event.at_ms, event.text, event.stable_words))
            case ev.SttFinal():
                self._on_final(event)
            case ev.OracleRequested():
                self._on_requested(event)
            case ev.OracleRevision():
                self._on_revision(event)
            case ev.OracleApplied() if event.generation in self._revisions:
                _, revision = self._revisions[event.generation]
                revision.tokens_fed, revision.tokens_missed = event.tokens_fed, event.tokens_missed
            case ev.OracleFailed():
                self._on_failed(event)
            case ev.AgentText():
                self._on_word(event)
            case ev.AgentSpeechStarted():
                turn = self._turn(event.utterance)
                if turn.agent_start_ms is None:
                    turn.agent_start_ms = event.at_ms
                turn.agent_end_ms = None
            case ev.AgentSpeechEnded():
                turn = self._turn(event.utterance)
                turn.agent_end_ms = event.at_ms
                turn.interrupted |= event.interrupted
            case ev.Interrupted():
                self._on_interrupted(event)
            case _:
                pass

    def end(self) -> None:
        """Nothing more comes: an answer that was under way never ended."""
        for _, revision in self._revisions.values():
            if not (revision.complete or revision.failure):
                revision.superseded = True

    def _turn(self, utterance: int) -> Turn:
        return self.turns.setdefault(utterance, Turn(utterance))

    def _revision(self, generation: int, utterance: int, model: str) -> tuple[Turn, Revision]:
        known = self._revisions.get(generation)
        if known is None:
            turn = self._turn(utterance)
            revision = Revision(generation, len(turn.revisions) + 1, model, self._labels.get(model, model))
            turn.revisions.append(revision)
            known = self._revisions[generation] = (turn, revision)
        return known

    def _on_final(self, event: ev.SttFinal) -> None:
        turn = self._turn(event.utterance)
        turn.user, turn.final = event.text, True
        turn.heard.append(Heard(event.at_ms, event.text, len(event.text.split())))
        if turn.empty:
            del self.turns[event.utterance]

    def _on_requested(self, event: ev.OracleRequested) -> None:
        _, revision = self._revision(event.generation, event.utterance, event.model)
        revision.asked_at_ms, revision.because = event.at_ms, event.because
        revision.chosen_because, revision.prompt_tokens = event.chosen_because, event.prompt_tokens
        revision.heard_words = event.heard_words
        revision.based_on = " ".join(self._turn(event.utterance).user.split()[: event.heard_words])

    def _on_revision(self, event: ev.OracleRevision) -> None:
        turn, revision = self._revision(event.generation, event.utterance, event.model)
        revision.text, revision.first_token_ms = event.text_so_far, event.first_token_ms
        if revision.adopted_at_ms is None:
            revision.adopted_at_ms = event.at_ms
        if revision.superseded:
            return
        revision.complete = event.complete
        if event.complete:
            revision.ended_at_ms = event.at_ms
        if event.text_so_far:
            self._supersede_older(turn, event)

    def _supersede_older(self, newest: Turn, event: ev.OracleRevision) -> None:
        recent = list(self.turns.values())[-RECENT_TURNS:]
        for turn in recent if any(turn is newest for turn in recent) else [newest, *recent]:
            for revision in turn.revisions:
                stale = not (revision.complete or revision.failure) or (turn is newest and revision.complete)
                if revision.generation < event.generation and stale and not revision.superseded:
                    revision.superseded = True
                    if revision.ended_at_ms is None:
                        revision.ended_at_ms = event.at_ms

    def _on_failed(self, event: ev.OracleFailed) -> None:
        if event.generation not in self._revisions:
            return
        _, revision = self._revisions[event.generation]
        revision.ended_at_ms = revision.ended_at_ms or event.at_ms
        if event.superseded:
            revision.superseded = True
        else:
            revision.failure = f"{event.what} {event.remedy}".strip()

    def _on_word(self, event: ev.AgentText) -> None:
        known, new = self._last_generation.get(event.utterance), event.generation
        correction = known is not None and new is not None and new != known
        if new is not None:
            self._last_generation[event.utterance] = new
        number = self._revisions[new][1].number if new in self._revisions else new
        word = Word(event.at_ms, event.text.strip(), new, number, event.kind, correction)
        self._turn(event.utterance).words.append(word)

    def _on_interrupted(self, event: ev.Interrupted) -> None:
        speaking = [turn for turn in self.turns.values() if turn.agent_start_ms is not None and not turn.agent_end_ms]
        if not speaking and event.utterance in self.turns and self.turns[event.utterance].words:
            speaking = [self.turns[event.utterance]]
        for turn in speaking:
            turn.interrupted = True
