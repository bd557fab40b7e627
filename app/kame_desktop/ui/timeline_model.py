"""What the timeline shows, made from events. No Qt.

Times are session milliseconds. Lists are in the order of their times, so that a view finds what it shows by bisection;
sound is kept as peaks of 20 ms with coarser levels above them, so that drawing an hour costs as much as drawing a
second.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from kame_desktop.core import events as ev
from kame_desktop.core.audio_types import FRAME_MS
from kame_desktop.core.events import SpokenKind
from kame_desktop.ui.rows import CardStatus

BIN_MS = FRAME_MS / ev.PEAK_BINS_PER_FRAME
LANES = 3
_LEVELS = 7
_FACTOR = 4
_FULL = 255.0


class PeakTrack:
    """Peaks of one sound in 20 ms bins, with maxima of 4, 16, ... bins. An hour takes 240 kB."""

    def __init__(self) -> None:
        self._levels: list[NDArray[np.uint8]] = [np.zeros(1_024, dtype=np.uint8) for _ in range(_LEVELS)]
        self._count = 0
        self._stale_from = 0

    @property
    def duration_ms(self) -> float:
        """Up to where peaks are known."""
        return self._count * BIN_MS

    def write(self, start_ms: float, peaks: Iterable[float]) -> None:
        """Put peaks (0..1) at a time; what was skipped before it is silence."""
        first = max(0, round(start_ms / BIN_MS))
        values = np.rint(np.clip(np.fromiter(peaks, dtype=np.float64), 0.0, 1.0) * _FULL)
        stop = first + len(values)
        self._room(0, stop)[first:stop] = values
        self._count = max(self._count, stop)
        self._stale_from = min(self._stale_from, first)

    def _refresh(self) -> None:
        """Bring the coarser levels up to date."""
        first, stop = self._stale_from, self._count
        for number in range(1, _LEVELS):
            first, stop = first // _FACTOR, -(-stop // _FACTOR)
            if first < stop:
                below = self._room(number - 1, stop * _FACTOR)[first * _FACTOR : stop * _FACTOR]
                self._room(number, stop)[first:stop] = below.reshape(-1, _FACTOR).max(axis=1)
        self._stale_from = self._count

    def _room(self, number: int, stop: int) -> NDArray[np.uint8]:
        """One level, long enough for ``stop`` bins."""
        level = self._levels[number]
        if stop > len(level):
            grown = np.zeros(max(stop, 2 * len(level)), dtype=np.uint8)
            grown[: len(level)] = level
            self._levels[number] = level = grown
        return level

    def columns(self, start_ms: float, ms_per_column: float, count: int) -> NDArray[np.float32]:
        """The peak of each of ``count`` columns from ``start_ms`` on, in 0..1."""
        self._refresh()
        out = np.zeros(count, dtype=np.float32)
        number = 0
        while number < _LEVELS - 1 and ms_per_column >= BIN_MS * _FACTOR ** (number + 1):
            number += 1
        level, bin_ms = self._levels[number], BIN_MS * _FACTOR**number
        known = -(-self._count // _FACTOR**number)
        edges = np.floor((start_ms + ms_per_column * np.arange(count + 1)) / bin_ms).astype(np.int64)
        inside = np.flatnonzero((edges[:-1] < known) & (np.maximum(edges[1:], edges[:-1] + 1) > 0))
        if len(inside):
            cuts = np.clip(edges[inside[0] : inside[-1] + 2], 0, known)
            # A segment of no length gives its first bin: columns narrower than a bin repeat it.
            peaks = np.maximum.reduceat(np.append(level[:known], np.uint8(0)), cuts)
            out[inside] = peaks[:-1] / _FULL
        return out


class MarkKind(StrEnum):
    """What happened at a moment."""

    CORRECTION = "correction"
    INTERRUPTION = "interruption"


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at a moment."""

    at_ms: float
    kind: MarkKind
    utterance: int


@dataclass(slots=True)
class RevisionBar:
    """One request to the language model.

    Attributes:
        number: Its place among those of its utterance, from 1.
        lane: Which of the ``LANES`` lines it is drawn on.
        adopted_ms: When its first words counted; None while it waits.
        end_ms: When it was over; None while it isn't.
    """

    generation: int
    utterance: int
    number: int
    lane: int
    model: str
    asked_ms: float
    adopted_ms: float | None = None
    end_ms: float | None = None
    status: CardStatus = CardStatus.ASKED


@dataclass(frozen=True, slots=True)
class SpokenMark:
    """A spoken word; ``number`` is the bar's that fed it."""

    at_ms: float
    text: str
    utterance: int
    generation: int | None
    number: int | None
    kind: SpokenKind
    correction: bool


@dataclass(slots=True)
class Stretch:
    """Somebody spoke; ``end_ms`` is None while they do."""

    start_ms: float
    utterance: int
    end_ms: float | None = None


class TimelineModel:
    """All that the timeline shows. Owner: one thread (the GUI's).

    It keeps the whole session: an hour with 5,000 revisions and 20,000 words takes some 8 MB.

    Attributes:
        heard: The user's sound.
        spoken: The assistant's sound.
        bars: Requests, by the time they were asked.
        words: Spoken words, by time.
        marks: Corrections and interruptions, by time.
        user: Stretches of the user's speech.
        agent: Stretches of the assistant's speech.
        now_ms: The newest time there is.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.heard, self.spoken = PeakTrack(), PeakTrack()
        self.bars: list[RevisionBar] = []
        self.words: list[SpokenMark] = []
        self.marks: list[Mark] = []
        self.user: list[Stretch] = []
        self.agent: list[Stretch] = []
        self.now_ms = 0.0
        self._by_generation: dict[int, RevisionBar] = {}
        self._open: list[RevisionBar] = []
        self._asked: dict[int, int] = {}
        self._last_generation: dict[int, int] = {}
        self._longest_bar_ms = 0.0

    def apply(self, batch: Iterable[ev.Event]) -> float | None:
        """Take in events; the earliest time whose picture changed, or None when nothing did."""
        changed: float | None = None
        before_ms = self.now_ms
        for event in batch:
            self.now_ms = max(self.now_ms, event.at_ms)
            handler = _HANDLERS.get(type(event))
            since_ms = handler(self, event) if handler is not None else None
            if since_ms is not None:
                changed = since_ms if changed is None else min(changed, since_ms)
        if changed is None and self.now_ms > before_ms:
            changed = before_ms
        return changed

    def bar(self, generation: int) -> RevisionBar | None:
        """The request of this generation."""
        return self._by_generation.get(generation)

    def bars_in(self, start_ms: float, end_ms: float) -> Iterator[RevisionBar]:
        """Requests that can be seen between two times."""
        begin = bisect.bisect_left(self.bars, start_ms - self._longest(), key=lambda bar: bar.asked_ms)
        for bar in self.bars[begin:]:
            if bar.asked_ms > end_ms:
                break
            if (self.now_ms if bar.end_ms is None else bar.end_ms) >= start_ms:
                yield bar

    def words_in(self, start_ms: float, end_ms: float) -> list[SpokenMark]:
        """Words that begin between two times."""
        first = bisect.bisect_left(self.words, start_ms, key=lambda word: word.at_ms)
        last = bisect.bisect_right(self.words, end_ms, key=lambda word: word.at_ms)
        return self.words[first:last]

    def index_of(self, word: SpokenMark) -> int:
        """The place of a word among all words."""
        index = bisect.bisect_left(self.words, word.at_ms, key=lambda one: one.at_ms)
        while index < len(self.words) - 1 and self.words[index] is not word:
            index += 1
        return index

    def marks_in(self, start_ms: float, end_ms: float) -> list[Mark]:
        """Marks between two times."""
        first = bisect.bisect_left(self.marks, start_ms, key=lambda mark: mark.at_ms)
        last = bisect.bisect_right(self.marks, end_ms, key=lambda mark: mark.at_ms)
        return self.marks[first:last]

    # -- events ----

    def _on_peaks(self, event: ev.AudioPeaks) -> float:
        start_ms = event.at_ms - FRAME_MS
        self.heard.write(start_ms, event.heard)
        self.spoken.write(start_ms, event.spoken)
        return start_ms

    def _on_requested(self, event: ev.OracleRequested) -> float:
        number = self._asked[event.utterance] = self._asked.get(event.utterance, 0) + 1
        taken = {bar.lane for bar in self._open}
        lane = next((lane for lane in range(LANES) if lane not in taken), (event.generation - 1) % LANES)
        bar = RevisionBar(event.generation, event.utterance, number, lane, event.model, event.at_ms)
        self._by_generation[event.generation] = bar
        self._open.append(bar)
        bisect.insort(self.bars, bar, key=lambda one: one.asked_ms)
        return event.at_ms

    def _on_revision(self, event: ev.OracleRevision) -> float | None:
        bar = self._by_generation.get(event.generation)
        if bar is None or bar.end_ms is not None:
            return None
        if bar.adopted_ms is None:
            bar.adopted_ms = event.at_ms
        bar.status = CardStatus.COMPLETE if event.complete else CardStatus.STREAMING
        if event.complete:
            self._end(bar, event.at_ms)
        return bar.asked_ms

    def _on_failed(self, event: ev.OracleFailed) -> float | None:
        bar = self._by_generation.get(event.generation)
        if bar is None or bar.end_ms is not None:
            return None
        bar.status = CardStatus.SUPERSEDED if event.superseded else CardStatus.FAILED
        self._end(bar, event.at_ms)
        return bar.asked_ms

    def _end(self, bar: RevisionBar, at_ms: float) -> None:
        bar.end_ms = max(at_ms, bar.asked_ms)
        self._open.remove(bar)
        self._longest_bar_ms = max(self._longest_bar_ms, bar.end_ms - bar.asked_ms)

    def _longest(self) -> float:
        oldest = min((bar.asked_ms for bar in self._open), default=self.now_ms)
        return max(self._longest_bar_ms, self.now_ms - oldest)

    def _on_word(self, event: ev.AgentText) -> float:
        known, new = self._last_generation.get(event.utterance), event.generation
        correction = known is not None and new is not None and new != known
        if new is not None:
            self._last_generation[event.utterance] = new
        bar = self._by_generation.get(new) if new is not None else None
        word = SpokenMark(
            event.at_ms,
            event.text.strip(),
            event.utterance,
            new,
            bar.number if bar is not None else new,
            event.kind,
            correction,
        )
        bisect.insort(self.words, word, key=lambda one: one.at_ms)
        if correction:
            self._mark(event.at_ms, MarkKind.CORRECTION, event.utterance)
        # It bounds the room of the word before it on the same one of two lines.
        return min(event.at_ms, self.words[max(0, len(self.words) - 3)].at_ms)

    def _on_interrupted(self, event: ev.Interrupted) -> float:
        self._mark(event.at_ms, MarkKind.INTERRUPTION, event.utterance)
        return event.at_ms

    def _mark(self, at_ms: float, kind: MarkKind, utterance: int) -> None:
        bisect.insort(self.marks, Mark(at_ms, kind, utterance), key=lambda one: one.at_ms)

    def _on_user_started(self, event: ev.UserSpeechStarted) -> float:
        self.user.append(Stretch(event.at_ms, event.utterance))
        return event.at_ms

    def _on_user_ended(self, event: ev.UserSpeechEnded) -> float:
        return _close(self.user, event.last_speech_ms or event.at_ms)

    def _on_agent_started(self, event: ev.AgentSpeechStarted) -> float:
        self.agent.append(Stretch(event.at_ms, event.utterance))
        return event.at_ms

    def _on_agent_ended(self, event: ev.AgentSpeechEnded) -> float:
        return _close(self.agent, event.at_ms)

    def _on_state(self, event: ev.SessionStateChanged) -> float | None:
        if event.state not in (ev.SessionState.IDLE, ev.SessionState.FAILED):
            return None
        since_ms = min((bar.asked_ms for bar in self._open), default=event.at_ms)
        for bar in list(self._open):
            bar.status = CardStatus.SUPERSEDED
            self._end(bar, max(event.at_ms, self.now_ms))
        for stretches in (self.user, self.agent):
            since_ms = min(since_ms, _close(stretches, max(event.at_ms, self.now_ms)))
        return since_ms


def _close(stretches: list[Stretch], at_ms: float) -> float:
    """End the last stretch, if it is open; the time from which the picture changed."""
    if stretches and stretches[-1].end_ms is None:
        stretches[-1].end_ms = max(at_ms, stretches[-1].start_ms)
        return stretches[-1].start_ms
    return at_ms


_HANDLERS = {
    ev.AudioPeaks: TimelineModel._on_peaks,
    ev.OracleRequested: TimelineModel._on_requested,
    ev.OracleRevision: TimelineModel._on_revision,
    ev.OracleFailed: TimelineModel._on_failed,
    ev.AgentText: TimelineModel._on_word,
    ev.Interrupted: TimelineModel._on_interrupted,
    ev.UserSpeechStarted: TimelineModel._on_user_started,
    ev.UserSpeechEnded: TimelineModel._on_user_ended,
    ev.AgentSpeechStarted: TimelineModel._on_agent_started,
    ev.AgentSpeechEnded: TimelineModel._on_agent_ended,
    ev.SessionStateChanged: TimelineModel._on_state,
}
