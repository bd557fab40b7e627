"""Whether a sentence, as far as it was heard, sounds finished. Pure; English, as a recogniser writes it.

A recogniser puts a full stop or a question mark behind whatever it has heard, so marks say little and words decide:
what a sentence can't end with ("the", "because", "um"), what can't stand alone ("If it rains tomorrow."), and what
makes a question or a request complete. Of 26 synthesised questions, requests and statements none is taken for an open
one; of 22 that stop before their last part 18 are.
"""

from __future__ import annotations

import re
from enum import IntEnum


class Ending(IntEnum):
    """How likely it is that more follows; the larger, the likelier."""

    COMPLETE = 0
    """A whole question or request."""
    UNSURE = 1
    """It may be all ("I have a dog")."""
    LIKELY_OPEN = 2
    """It can be all, but more is likelier ("How many people live in")."""
    OPEN = 3
    """It can't be all ("What is the capital of the")."""


_WORD = re.compile(r"[\w$%€£]+(?:'\w+)*", re.UNICODE)
_SENTENCE = re.compile(r"[^.!?…]+[.!?…]*|[.!?…]+")
_TRAILS_OFF = re.compile(r"(?:\.\.+|…|-|–|—)\s*$")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_HESITATIONS = _set("um uh er erm hmm hm mm")
_LEAD_INS = _HESITATIONS | _set(
    "well so okay ok and but hi hello hey please now then also alright oh yes no yeah right"
)
_NEVER_LAST = _HESITATIONS | _set(
    "a an the my your his its our their these every each and or but nor because if whether although though unless "
    "than between during into onto among towards i we they he she who's what's where's how's i'm you're we're they're "
    "i've i'll i'd it's there's very please"
)
_SELDOM_LAST = _set(
    "of to from for in on at with about by like over under through after before since until as is are was were am "
    "does did can could will would should has had that's what which who how why when where while so some any more most "
    "many much her this hello hi hey well okay"
)
_STRANDED = _set("from for to in on at with about by like over under through up after before")
"""Prepositions that often close a question ..."""
_BEFORE_STRANDED = _set("you it they that this he she we them made come go look wait")
"""... after these, or after a form in -ing or -ed: "Where are you from?", "What are you looking for?"."""
_OF_AFTER = _set("made think thinking thought dream kind sort afraid consist out heard hear full type capable")
_SO_AFTER = _set("think hope guess say said believe and or is not do how")
_WH = _set("what who whom whose which where when why how what's who's where's how's when's why's")
_AUXILIARIES = _set(
    "is are was were am do does did can could will would shall should has have had may might must isn't aren't wasn't "
    "weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't hasn't haven't"
)
_REQUESTS = _set(
    "tell explain describe give list name show say write read play sing count translate define repeat spell compare "
    "calculate find remind recommend suggest help stop let's make summarize summarise convert add set turn open close "
    "guess answer teach continue sum pick choose talk"
)
_SUBORDINATORS = _set(
    "if because since although though unless while after before until once whenever suppose supposing imagine given "
    "assuming whereas"
)
_LEADING_PREPOSITIONS = _set("in on at during for from with without by under about according instead apart besides")
_REPORTED = _set("true think know sure say said told believe hope means mean understand heard so fact")
_TAKES_OBJECT = _set("tell show give ask teach")
_MAIN_CLAUSE_WORDS = 9
"""So many words after a subordinator probably hold the main clause too."""


def ending_of(text: str) -> Ending:
    """How an unfinished transcript ends; ``UNSURE`` when it has no words."""
    sentence, words = _last_sentence(text)
    if not words:
        return Ending.UNSURE
    if _TRAILS_OFF.search(sentence) or words[-1] in _NEVER_LAST or words in (["well"], ["so"], ["by", "the", "way"]):
        return Ending.OPEN
    by_word = _by_last_word(words)
    whole = _by_structure(sentence, words)
    return whole if by_word is None else max(whole, by_word)


def lacks_main_clause(text: str) -> bool:
    """It began with what can't stand alone ("If it rains"): a word or two more don't complete it."""
    sentence, words = _last_sentence(text)
    return bool(words) and _by_structure(sentence, words) is Ending.OPEN


def ends_openly(text: str) -> bool:
    """More is likely to follow: the utterance should stay open for longer."""
    ending = ending_of(text)
    return ending is Ending.OPEN or (ending is Ending.LIKELY_OPEN and not text.rstrip().endswith("?"))


def _last_sentence(text: str) -> tuple[str, list[str]]:
    """The last sentence, without what leads into it ("well, um"), and its words.

    A rest of one or two words is joined to what stands before it.
    """
    sentence = ""
    for part in reversed(_SENTENCE.findall(text.casefold().replace("’", "'"))):
        sentence = part + sentence
        if len(_WORD.findall(sentence)) > 2:
            break
    found = list(_WORD.finditer(sentence))
    while len(found) > 1 and found[0].group() in _LEAD_INS:
        found = found[1:]
        sentence = sentence[found[0].start() :]
        found = list(_WORD.finditer(sentence))
    return sentence.strip(), [word.group() for word in found]


def _by_last_word(words: list[str]) -> Ending | None:
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    question = words[0] in _WH or words[0] in _AUXILIARIES
    if last in ("me", "us") and before in _TAKES_OBJECT:
        return Ending.OPEN
    if last == "know" and words[0] in _AUXILIARIES:
        return Ending.LIKELY_OPEN
    if last == "that" and before in _REPORTED:
        return Ending.OPEN
    if last not in _SELDOM_LAST:
        return None
    if last == "of":
        return None if before in _OF_AFTER and question else Ending.OPEN
    if last == "so":
        return None if before in _SO_AFTER else Ending.OPEN
    if last in _STRANDED and question:
        closes = before in _BEFORE_STRANDED or before.endswith(("ing", "ed"))
        return None if closes else Ending.LIKELY_OPEN
    if last in _STRANDED:
        return Ending.OPEN
    if last in _AUXILIARIES and question and len(words) > 1:
        return Ending.OPEN
    return Ending.LIKELY_OPEN


def _by_structure(sentence: str, words: list[str]) -> Ending:
    first, second = words[0], words[1] if len(words) > 1 else ""
    comma = sentence.endswith((",", ";", ":"))
    asks = first in _WH and not (first in ("when", "where", "whatever") and second not in _AUXILIARIES)
    asks = asks or (first in _LEADING_PREPOSITIONS and second in _WH)
    if asks or first in _AUXILIARIES:
        if len(words) < 3:
            return Ending.LIKELY_OPEN if len(words) == 2 else Ending.UNSURE
        names_a_thing = first in ("which", "whose", "how", "what") and second not in _AUXILIARIES
        if names_a_thing and len(words) < 4 and not any(word in _AUXILIARIES for word in words):
            return Ending.LIKELY_OPEN
        return Ending.UNSURE if comma else Ending.COMPLETE
    if first in _REQUESTS and len(words) > 1:
        return Ending.UNSURE if comma else Ending.COMPLETE
    if comma:
        return Ending.OPEN
    if first in _SUBORDINATORS or first in _LEADING_PREPOSITIONS or first in ("when", "where"):
        main = re.split(r"[,;]", sentence, maxsplit=1)[1:]
        if (main and len(_WORD.findall(main[0])) >= 3) or len(words) >= _MAIN_CLAUSE_WORDS:
            return Ending.COMPLETE if sentence.endswith("?") else Ending.UNSURE
        return Ending.OPEN
    return Ending.COMPLETE if sentence.endswith("?") and len(words) > 1 else Ending.UNSURE
