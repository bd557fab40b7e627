"""What to say next: the newest revision, minus what has been said, cut into clauses. Pure; owner: the frame thread.

Words come in with ``add``; whoever plays asks ``upcoming`` for the next clauses and calls ``commit`` when one begins to
play and can't be stopped any more. Decisions depend on the words and the commits alone, never on how the words were
chunked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kame_desktop.core.events import SpokenKind
from kame_desktop.frontends.lite_align import Repair, align
from kame_desktop.frontends.lite_words import (
    clause_end_kind,
    content_keys,
    cut_clause,
    polar_keys,
    sentence_end,
    word_info,
)
from kame_desktop.frontends.voice import ClauseEnd

WORD_CONNECTORS: tuple[tuple[str, ...], ...] = (("or", "rather,"), ("I", "mean,"))
SENTENCE_CONNECTORS: tuple[tuple[str, ...], ...] = (("Actually,",), ("Sorry,", "I", "mean,"))


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of words that is synthesised, and played, as one.

    Attributes:
        words: As they are shown.
        end: How it ends.
        kind: Answer or connector.
        generation: The revision it is of.
        start / until: Its words are ``start .. until`` of the revision.
    """

    words: tuple[str, ...]
    end: ClauseEnd
    kind: SpokenKind
    generation: int | None
    start: int
    until: int


@dataclass(frozen=True, slots=True)
class _SaidSentence:
    """Content of a sentence that was said in full, and in which revision."""

    revision: int
    content: frozenset[str]
    polar: frozenset[str]


class AnswerPlan:
    """The plan of one answer over all its revisions.

    Args:
        whole_sentence_first: Say nothing before the first sentence is known to its end (cascade).
    """

    def __init__(self, whole_sentence_first: bool = False) -> None:
        self._whole_sentence_first = whole_sentence_first
        self._revision = 0
        self._generation: int | None = None
        self._words: list[str] = []
        self._complete = False
        self._opener: tuple[str, ...] = ()
        self._corrections = 0
        self._forget_said()

    @property
    def generation(self) -> int | None:
        """The newest revision; None before the first."""
        return self._generation

    @property
    def begun(self) -> bool:
        """A revision has come."""
        return self._revision > 0

    @property
    def complete(self) -> bool:
        """No more words of the newest revision will come."""
        return self._complete

    @property
    def spoken(self) -> bool:
        """A word of the answer has been said."""
        return self._spoken

    @property
    def exhausted(self) -> bool:
        """The newest revision is complete and nothing of it is left to say."""
        return self._complete and not self.upcoming(1)

    def begin(self, generation: int | None) -> None:
        """A new revision replaces the one before."""
        if self._cursor is not None and self._touched:
            self._base = self._words[: self._cursor]
        self._revision += 1
        self._generation = generation
        self._words = []
        self._complete = False
        self._touched = False
        self._repair = Repair.NONE
        self._cursor = None if self._base else 0
        self._fresh = True

    def add(self, words: Sequence[str]) -> None:
        """More words of the newest revision; ignored before the first ``begin``."""
        if not self.begun:
            return
        for word in words:
            if word_info(word).speakable:
                self._complete = False  # more came after all
                self._words.append(word)
                self._resolve()

    def finish(self) -> None:
        """No more words of the newest revision will come."""
        if self.begun:
            self._complete = True
            self._resolve()

    def restart(self) -> None:
        """Say the newest revision from its beginning: what was said so far was talked over."""
        self._forget_said()

    def note_opener(self, words: Sequence[str]) -> None:
        """An opener was said: the answer won't begin with the same words once more."""
        self._opener = tuple(words)

    def upcoming(self, count: int) -> list[Clause]:
        """The next clauses, as far as they are known, at most ``count``; a connector is followed by its clause."""
        self._skip_opener()
        self._skip_said()
        out: list[Clause] = []
        if self._cursor is None or self._held:
            return out
        cursor, first = self._cursor, not self._spoken
        if first and self._whole_sentence_first and not sentence_end(self._words, cursor, self._complete)[1]:
            return out
        while len(out) < count:
            until = cut_clause(self._words, cursor, self._complete, first or self._repair is not Repair.NONE)
            if until is None:
                break
            if not out and self._repair is not Repair.NONE and not self._after_connector:
                out.append(self._connector())
            end = clause_end_kind(self._words, until, self._complete)
            words = tuple(self._words[cursor:until])
            out.append(Clause(words, end, SpokenKind.ANSWER, self._generation, cursor, until))
            cursor, first = until, False
            if word_info(self._words[until - 1]).ends_sentence:
                break  # whether the next sentence was said already is decided when this one is
        return out

    def commit(self, clause: Clause) -> None:
        """``clause``, the first of ``upcoming``, begins to play and will be played to its end."""
        if clause.kind is SpokenKind.CONNECTOR:
            self._after_connector = True
            self._corrections += 1
            return
        self._cursor = clause.until
        self._repair = Repair.NONE
        self._after_connector = False
        self._touched = True
        self._spoken = True
        self._fresh = False
        self._open.extend(clause.words)
        if word_info(clause.words[-1]).ends_sentence:
            self._said.add(_plain(self._open))
            self._sentences.append(_SaidSentence(self._revision, content_keys(self._open), polar_keys(self._open)))
            self._open = []
            self._fresh = True

    def _forget_said(self) -> None:
        self._base: list[str] = []
        self._open: list[str] = []
        """Words said since the last sentence ended."""
        self._said: set[tuple[str, ...]] = set()
        self._sentences: list[_SaidSentence] = []
        self._cursor: int | None = 0
        """Next word of the revision to say; None while it is still compared with what was said."""
        self._repair = Repair.NONE
        self._fresh = True
        """The cursor is where a sentence, or a repair, begins."""
        self._held = False
        self._spoken = False
        self._touched = False
        self._after_connector = False
        self._opener = ()

    def _connector(self) -> Clause:
        choices = WORD_CONNECTORS if self._repair is Repair.WORD else SENTENCE_CONNECTORS
        words = choices[self._corrections % len(choices)]
        cursor = self._cursor or 0
        return Clause(words, ClauseEnd.PAUSE, SpokenKind.CONNECTOR, self._generation, cursor, cursor)

    def _resolve(self) -> None:
        if self._cursor is not None:
            return
        alignment = align(self._base, self._words, self._complete)
        if alignment is not None:
            self._cursor = alignment.cursor
            self._repair = alignment.repair
            at_start = alignment.cursor == 0 or (
                alignment.cursor <= len(self._words) and word_info(self._words[alignment.cursor - 1]).ends_sentence
            )
            self._fresh = at_start or alignment.repair is not Repair.NONE

    def _skip_opener(self) -> None:
        """Step over a beginning of the answer that the opener has said."""
        if not self._opener or self._spoken or self._cursor != 0 or len(self._words) <= len(self._opener):
            return
        count = len(self._opener)
        if _plain(self._words[:count]) == _plain(self._opener) and word_info(self._words[count - 1]).pauses:
            self._cursor = count

    def _skip_said(self) -> None:
        """Move the cursor over sentences that were said; hold it while the next one may turn out to be one."""
        self._held = False
        while self._cursor is not None and self._cursor < len(self._words):
            end, closed = sentence_end(self._words, self._cursor, self._complete)
            verdict = self._was_said(self._words[self._cursor : end], closed)
            if verdict is False:
                return
            if not closed:
                self._held = True
                return
            self._cursor = end
            self._touched = True
            self._fresh = True
            self._repair = Repair.NONE

    def _was_said(self, rest: Sequence[str], closed: bool) -> bool:
        """Whether the rest of a sentence (so far, unless ``closed``) repeats something, or may yet turn out to."""
        plain = _plain(rest)
        candidates = [_plain(self._open) + plain]
        if self._fresh:
            candidates.append(plain)
        for said in self._said:
            for candidate in candidates:
                if candidate == said if closed else candidate == said[: len(candidate)]:
                    return True
        if not self._fresh or self._repair is not Repair.NONE:
            return False  # a repair has new content by comparison with what stands, even if it was said before that
        older = [sentence for sentence in self._sentences if sentence.revision < self._revision]
        content = content_keys(rest)
        if not older or (closed and not content):
            return False
        polar = polar_keys(rest)
        return any(content <= sentence.content and polar == sentence.polar for sentence in older)


def _plain(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word_info(word).plain for word in words)
