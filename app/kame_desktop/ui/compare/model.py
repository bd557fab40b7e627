"""The same question through several engines, one after the other: what each said, and when. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from kame_desktop.core import events as ev
from kame_desktop.core.events import SpokenKind


class RunState(StrEnum):
    """Where the run of one engine stands."""

    WAITING = "waiting"
    LOADING = "loading"
    LISTENING = "listening"
    ANSWERING = "answering"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SaidWord:
    """A spoken word, at a time after the end of the question."""

    after_ms: float
    text: str
    kind: SpokenKind
    correction: bool


@dataclass(slots=True)
class Run:
    """One engine's answer; times are milliseconds after the last sound of the question.

    Attributes:
        engine: Its name.
        label: What the user sees.
        first_sound_ms: When it began to sound; None: it hasn't.
        first_word_ms: When the answer itself began.
        end_ms: When it fell silent.
        words: What it said.
        requests: How often the language model was asked.
        problem: Why it failed.
    """

    engine: str
    label: str
    state: RunState = RunState.WAITING
    first_sound_ms: float | None = None
    first_word_ms: float | None = None
    end_ms: float | None = None
    words: list[SaidWord] = field(default_factory=list)
    requests: int = 0
    problem: str = ""
    _speech_end_ms: float | None = None
    _utterance: int = 0
    _last_generation: int | None = None

    @property
    def text(self) -> str:
        """What it said."""
        return " ".join(word.text for word in self.words)

    @property
    def corrections(self) -> int:
        """How often it changed course while it spoke."""
        return sum(word.correction for word in self.words)

    def take(self, batch: Iterable[ev.Event]) -> None:
        """Note what happened in this engine's session."""
        for event in batch:
            self._take(event)

    def _take(self, event: ev.Event) -> None:
        match event:
            case ev.SessionStateChanged(state=ev.SessionState.LOADING):
                self.state = RunState.LOADING
            case ev.SessionStateChanged(state=ev.SessionState.RUNNING):
                self.state = RunState.LISTENING
            case ev.SessionStateChanged(state=ev.SessionState.FAILED):
                self.state, self.problem = RunState.FAILED, self.problem or event.detail
            case ev.SessionStateChanged(state=ev.SessionState.IDLE) if self.state is not RunState.FAILED:
                self.state = RunState.DONE
            case ev.ComponentError():
                self.problem = f"{event.what} {event.remedy}".strip()
            case ev.UserSpeechEnded():
                self._speech_end_ms = event.last_speech_ms
            case ev.OracleRequested():
                self.requests += 1
            case ev.AgentSpeechStarted():
                self.state = RunState.ANSWERING
                if self.first_sound_ms is None:
                    self.first_sound_ms = self._after(event.at_ms)
            case ev.AgentText():
                self._take_word(event)
            case ev.AgentSpeechEnded():
                self.end_ms = self._after(event.at_ms)
            case _:
                pass

    def _take_word(self, event: ev.AgentText) -> None:
        known, new = self._last_generation, event.generation
        correction = known is not None and new is not None and known != new
        if new is not None:
            self._last_generation = new
        after_ms = self._after(event.at_ms)
        if self.first_word_ms is None and event.kind is SpokenKind.ANSWER:
            self.first_word_ms = after_ms
        self.words.append(SaidWord(after_ms, event.text.strip(), event.kind, correction))

    def _after(self, at_ms: float) -> float:
        return at_ms - (self._speech_end_ms if self._speech_end_ms is not None else at_ms)


class Comparison:
    """The runs in their order. Owner: one thread (the GUI's)."""

    def __init__(self, engines: Sequence[tuple[str, str]]) -> None:
        """``engines``: name and label of each."""
        self._engines = list(engines)
        self.runs: list[Run] = []
        self._place = -1
        self.reset()

    @property
    def current(self) -> Run | None:
        """The engine that is at work."""
        return self.runs[self._place] if 0 <= self._place < len(self.runs) else None

    @property
    def span_ms(self) -> float:
        """The common length of the time axis: the last word of all, and a little."""
        times = [word.after_ms for run in self.runs for word in run.words]
        times += [run.end_ms for run in self.runs if run.end_ms is not None]
        return max([2_000.0, *(time + 300.0 for time in times)])

    def reset(self) -> None:
        """Begin anew."""
        self.runs = [Run(name, label) for name, label in self._engines]
        self._place = -1

    def next(self) -> Run | None:
        """Go on to the next engine; None: all have answered."""
        self._place += 1
        return self.current

    def stop(self) -> None:
        """No further engine; what hasn't answered yet waits."""
        run = self.current
        if run is not None and run.state not in (RunState.DONE, RunState.FAILED):
            run.state = RunState.WAITING
        self._place = len(self.runs)
