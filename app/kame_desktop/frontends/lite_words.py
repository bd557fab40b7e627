"""Words as the lite planner sees them: normalised keys, sentence ends, and where a sentence may be cut. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from kame_desktop.frontends.voice import ClauseEnd

MAX_CLAUSE_WORDS = 7
MAX_CLAUSE_SYLLABLES = 14
"""About 2.5 s at the voice's pace."""
_FIRST_CLAUSE_WORDS = 6
_MIN_FIRST = 3
_MIN_CLAUSE = 4

_CLOSERS = "\"'”’»)]}*_`"
_OPENERS = "\"'“‘«([{*_`#"
_SPEAKABLE_SIGNS = frozenset("&+=%$€£°")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ABBREVIATIONS = _set(
    "mr. mrs. ms. dr. prof. st. mt. jr. sr. vs. e.g. i.e. approx. no. a.m. p.m. u.s. u.k. ph.d. gen. gov. sen."
)
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen",
    "seventeen eighteen nineteen twenty",
)
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_NUMBERS = {word: str(value) for value, word in enumerate(" ".join(_UNITS).split())}
_NUMBERS |= {word: str(value) for value, word in zip(range(30, 100, 10), _TENS.split(), strict=True)}
_MAGNITUDES = _set("hundred thousand million billion trillion point")
_DETERMINERS = _set("a an the this that these those my your his her its our their some any each every")
_PREPOSITIONS = _set(
    "in on at by for with from to into onto about after before between during through under over around near since "
    "until against among within across as than like of"
)
_CONJUNCTIONS = _set("and but or nor so because while when where which who whose that if although though unless")
_AUXILIARIES = _set(
    "is are was were be been being am do does did has have had will would can could shall should may might must "
    "it's that's there's he's she's they're we're you're i'm i've it'll he'll she'll"
)
_PRONOUNS = _set("i you he she it we they me him us them there here what")
_SMALL_TALK = _set("well sure okay ok so also just very quite really actually right certainly then too")
_POLAR = _set("not no never none neither nor without yes cannot hardly false true")
_FUNCTION = _DETERMINERS | _PREPOSITIONS | _CONJUNCTIONS | _AUXILIARIES | _PRONOUNS | _SMALL_TALK
_ALWAYS_CAPITAL = _set("i i'm i've i'll i'd")
_SMALL_WORDS = _FUNCTION | _POLAR | _NUMBERS.keys() | _MAGNITUDES
_DANGLING = _DETERMINERS | _PREPOSITIONS | _CONJUNCTIONS | _AUXILIARIES | _set("very quite not mr mrs ms dr")
_JOINERS = (_PREPOSITIONS | _CONJUNCTIONS) - _set("of than like as to that")


@dataclass(frozen=True, slots=True)
class WordInfo:
    """What the planner knows of one word.

    Attributes:
        plain: Lower case, without outer punctuation: the word for "has this sentence been said?".
        key: ``plain`` with numbers as digits and without a plural s: the word for fuzzy comparison.
        speakable: There is something to pronounce.
        content: It carries meaning (neither a function word nor small talk).
        numeric: It is (part of) a number.
        polar: It says yes or no: its change turns the meaning round.
        ends_sentence / pauses: A sentence ends, or a pause is, after it.
        dangling: A clause must not be cut after it ("the", "of", "is").
        joins: A clause may be cut before it ("and", "because", "in").
        syllables: Estimated, for the length of a clause.
    """

    plain: str
    key: str
    speakable: bool
    content: bool
    numeric: bool
    polar: bool
    ends_sentence: bool
    pauses: bool
    dangling: bool
    joins: bool
    syllables: int


@lru_cache(maxsize=8192)
def word_info(word: str) -> WordInfo:
    """Analyse one whitespace-delimited word."""
    bare = word.replace("’", "'").rstrip(_CLOSERS)
    plain = word.replace("’", "'").casefold().strip(_OPENERS + _CLOSERS + ".,;:!?…—–-")
    key = plain.replace(",", "") if plain[:1].isdigit() else plain
    key = _NUMBERS.get(key, key)
    if len(key) > 3 and key.endswith("s") and not key.endswith(("ss", "'s")) and key.isalpha():
        key = key[:-1]
    polar = plain in _POLAR or plain.endswith("n't")
    opened = bare.lstrip(_OPENERS)
    ends = bare.endswith((".", "!", "?", "…"))
    if ends and (opened.casefold() in _ABBREVIATIONS or re.fullmatch(r"[A-HJ-Z]\.", opened)):
        ends = False
    return WordInfo(
        plain=plain,
        key=key,
        speakable=any(char.isalnum() or char in _SPEAKABLE_SIGNS for char in word),
        content=polar or (plain not in _FUNCTION and bool(plain)),
        numeric=key[:1].isdigit() or plain in _MAGNITUDES,
        polar=polar,
        ends_sentence=ends,
        pauses=not ends and bare.endswith((",", ";", ":", "—", "–")),
        dangling=plain in _DANGLING,
        joins=plain in _JOINERS,
        syllables=max(1, len(re.findall(r"[aeiouy]+", plain)) + 2 * sum(char.isdigit() for char in plain)),
    )


def sentence_end(words: Sequence[str], start: int, complete: bool) -> tuple[int, bool]:
    """End (exclusive) of the sentence that ``start`` is in, and whether that end is known."""
    for index in range(start, len(words)):
        if word_info(words[index]).ends_sentence:
            return index + 1, True
    return len(words), complete


def sentence_start(words: Sequence[str], index: int) -> int:
    """Where the sentence that holds ``index`` begins."""
    while index > 0 and not word_info(words[index - 1]).ends_sentence:
        index -= 1
    return index


def cut_clause(words: Sequence[str], start: int, complete: bool, first: bool) -> int | None:
    """End (exclusive) of the clause that begins at ``start``; None while more words are needed to tell.

    The answer depends on the words alone, not on when they came. ``first``: short for the sake of latency.
    """
    longest = _FIRST_CLAUSE_WORDS if first else MAX_CLAUSE_WORDS
    shortest = _MIN_FIRST if first else _MIN_CLAUSE
    syllables = 0
    for index in range(start, len(words)):
        info = word_info(words[index])
        count = index - start + 1
        syllables += info.syllables
        if info.ends_sentence or (info.pauses and (first or count >= _MIN_FIRST)):
            return index + 1
        if index + 1 == len(words):
            break
        following = word_info(words[index + 1])
        if count >= shortest and following.joins and not info.dangling:
            return index + 1
        if count >= longest or syllables >= MAX_CLAUSE_SYLLABLES:
            if following.ends_sentence or following.pauses:
                return index + 2
            return _best_cut(words, start, index + 1)
    return len(words) if complete and start < len(words) else None


def _best_cut(words: Sequence[str], start: int, end: int) -> int:
    """The latest cut in ``start + 2 .. end`` that doesn't tear a phrase; ``end`` when all do."""
    for cut in range(end, start + 1, -1):
        if not word_info(words[cut - 1]).dangling and word_info(words[cut]).plain != "of":
            return cut
    return end


def clause_end_kind(words: Sequence[str], end: int, complete: bool) -> ClauseEnd:
    """How the clause that ends before ``end`` ends."""
    info = word_info(words[end - 1])
    if info.ends_sentence or (complete and end == len(words)):
        return ClauseEnd.SENTENCE
    return ClauseEnd.PAUSE if info.pauses else ClauseEnd.FLOW


def mid_sentence(word: str) -> str:
    """A word as it is written after a comma: a small word loses its capital, a name keeps it."""
    plain = word_info(word).plain
    return word[0].lower() + word[1:] if plain in _SMALL_WORDS and plain not in _ALWAYS_CAPITAL else word


def content_keys(words: Sequence[str]) -> frozenset[str]:
    """Keys of the content words, polar ones left out."""
    infos = map(word_info, words)
    return frozenset(info.key for info in infos if info.content and not info.polar)


def polar_keys(words: Sequence[str]) -> frozenset[str]:
    """``{"not"}`` when the words deny something, else empty; "yes" counts as nothing."""
    return frozenset("not" for word in words if (info := word_info(word)).polar and info.plain not in ("yes", "true"))
