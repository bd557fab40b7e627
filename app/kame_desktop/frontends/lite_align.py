"""Where to go on in a new revision, given what has been said of earlier ones. Pure.

The comparison is by words: an equal beginning (fuzzy: numbers, plurals, punctuation) is simply continued. After the
first difference what counts is content: function words may change freely, and as long as a sentence brings no content
that has not been said, it is a rewording and not worth a correction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from kame_desktop.frontends.lite_words import (
    content_keys,
    polar_keys,
    sentence_end,
    sentence_start,
    word_info,
)

_LOOKAHEAD_WORDS = 3
_TOLERATED_INSERTS = 2
_LONG_REPAIR_WORDS = 7


class Repair(Enum):
    """How the way from what was said to the new words is bridged."""

    NONE = "none"
    WORD = "word"
    """The sentence goes on with other words: "or rather, ..."."""
    SENTENCE = "sentence"
    """A sentence is said anew: "actually, ..."."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Go on with word ``cursor`` of the revision, after a connector that fits ``repair``."""

    cursor: int
    repair: Repair = Repair.NONE


def align(said: Sequence[str], revision: Sequence[str], complete: bool) -> Alignment | None:
    """Where to go on in ``revision`` after ``said``; None while the revision is too short to tell.

    Args:
        said: What stands of the earlier revisions, from the beginning of the answer.
        revision: The new revision so far.
        complete: No more words of it will come.
    """
    shared = _shared_prefix(said, revision)
    if shared == len(said):
        return Alignment(shared)
    if shared == len(revision):
        return Alignment(shared) if complete else None

    begin = sentence_start(revision, shared)
    end, closed = sentence_end(revision, shared, complete)
    said_begin = sentence_start(said, shared)
    said_end, said_closed = sentence_end(said, shared, False)
    if said_begin == shared > begin:
        # What was said closed its sentence here; the revision's goes on.
        return _after_closed(said, revision, complete, shared)
    if begin == shared > said_begin:
        # The revision's sentence ended before what was said did: the surplus stays unless it denies something.
        surplus_denies = bool(polar_keys(said[shared:said_end]))
        return Alignment(shared, Repair.SENTENCE if surplus_denies else Repair.NONE)

    unmatched = said[shared:said_end]
    moved_on = said_closed and said_end < len(said)
    have = content_keys(said[said_begin:said_end])
    denied = bool(polar_keys(unmatched))
    fresh = _first_new(revision, shared, end, have, denied)
    if fresh is None:
        if not closed:
            return None
        if denied and not polar_keys(revision[shared:end]):
            return Alignment(begin, Repair.SENTENCE)
        if said_end == len(said):
            return Alignment(end)
        return _shifted(align(said[said_end:], revision[end:], complete), end)

    need = content_keys(unmatched)
    if need <= content_keys(revision[shared:fresh]) and not word_info(revision[fresh]).polar:
        if moved_on:
            return _past_sentence(said, revision, complete, shared, said_end)
        if unmatched and word_info(unmatched[-1]).dangling:
            return Alignment(shared, Repair.WORD)
        return Alignment(_after_last(revision, shared, fresh, have))

    if not closed and end - shared < min(len(unmatched), _LONG_REPAIR_WORDS) + _LOOKAHEAD_WORDS:
        return None
    window = revision[shared:end]
    if need and need <= content_keys(window) and denied == bool(polar_keys(window)):
        last = _after_last(revision, shared, end, need)
        if _negligible(content_keys(revision[shared:last]) - have):
            if moved_on:
                return _past_sentence(said, revision, complete, shared, said_end)
            return Alignment(last)
    if moved_on or shared - begin < 2 or len(unmatched) > _LONG_REPAIR_WORDS:
        return Alignment(begin, Repair.SENTENCE)
    return Alignment(_whole_number(revision, shared), Repair.WORD)


def _shared_prefix(said: Sequence[str], revision: Sequence[str]) -> int:
    shared = 0
    for old, new in zip(said, revision, strict=False):
        if word_info(old).key != word_info(new).key:
            break
        shared += 1
    return shared


def _whole_number(revision: Sequence[str], index: int) -> int:
    """Back from ``index`` to where a number of several words begins ("fifty six"), for it is corrected as a whole."""
    while index > 0 and word_info(revision[index]).numeric and word_info(revision[index - 1]).numeric:
        index -= 1
    return index


def _first_new(revision: Sequence[str], start: int, end: int, have: frozenset[str], denied: bool) -> int | None:
    """The first word in ``start .. end`` with content that isn't in ``have``, or with a denial that wasn't said."""
    for index in range(start, end):
        info = word_info(revision[index])
        if polar_keys((revision[index],)):
            if not denied:
                return index
        elif info.content and not info.polar and info.key not in have:
            return index
    return None


def _after_last(revision: Sequence[str], start: int, end: int, keys: frozenset[str]) -> int:
    """The place after the last content word of ``keys`` in ``start .. end``; ``start`` when there is none."""
    for index in range(end - 1, start - 1, -1):
        if word_info(revision[index]).key in keys:
            return index + 1
    return start


def _past_sentence(
    said: Sequence[str], revision: Sequence[str], complete: bool, shared: int, said_end: int
) -> Alignment | None:
    """The revision adds to a sentence behind which more was said: small additions go, large ones say it anew."""
    end, closed = sentence_end(revision, shared, complete)
    begin = sentence_start(revision, shared)
    new = content_keys(revision[begin:end]) - content_keys(said[sentence_start(said, shared) : said_end])
    if not _negligible(new):
        return Alignment(begin, Repair.SENTENCE)
    if not closed:
        return None
    return _shifted(align(said[said_end:], revision[end:], complete), end)


def _after_closed(said: Sequence[str], revision: Sequence[str], complete: bool, shared: int) -> Alignment | None:
    """What was said ended its sentence at ``shared`` and went on; the revision's sentence goes on differently."""
    end, closed = sentence_end(revision, shared, complete)
    if not _negligible(content_keys(revision[shared:end])) or polar_keys(revision[shared:end]):
        return Alignment(sentence_start(revision, shared), Repair.SENTENCE)
    if not closed:
        return None
    return _shifted(align(said[shared:], revision[end:], complete), end)


def _negligible(added: frozenset[str]) -> bool:
    """So little was added inside of what was said that it isn't worth a correction; a number always is."""
    return len(added) <= _TOLERATED_INSERTS and not any(key[:1].isdigit() for key in added)


def _shifted(alignment: Alignment | None, by: int) -> Alignment | None:
    return None if alignment is None else Alignment(alignment.cursor + by, alignment.repair)
