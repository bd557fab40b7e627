"""Fillers: what a listener says to show that he listens ("uh-huh", "right", "I see"), which asks for nothing. Pure.

English, as the recogniser writes it. Words that may stop somebody ("no", "wait", "what", "stop") are none of them.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?", re.UNICODE)
_HUM = re.compile(r"[mhauo]{1,10}")
"""A sound without articulation, however it is spelt: "mhm", "uhuh", "aha", "hmm", "oh", "mama"."""
_LONGEST_PHRASE = 3


def _phrases(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for phrase in text.split(","))


_PHRASES = _phrases(
    "yeah, yea, yah, yep, yup, yes, ya, right, okay, ok, kay, sure, wow, whoa, well, great, good, nice, cool, fine,"
    "perfect, exactly, indeed, true, absolutely, definitely, totally, certainly, interesting, amazing, alright,"
    "all right, of course, i see, i know, i understand, i get it, got it, gotcha, that's right, that's true,"
    "makes sense, really, fair enough, very good, sounds good, no way, no kidding, my god, my goodness, er, erm, eh,"
    "go on, please go on, keep going"
)


def is_backchannel(text: str) -> bool:
    """Whether ``text`` consists of fillers only; False of a text without words."""
    words = [word.casefold() for word in _WORD.findall(text.replace("’", "'"))]
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST_PHRASE, len(words) - at), 0, -1):
            if tuple(words[at : at + length]) in _PHRASES or (length == 1 and _HUM.fullmatch(words[at])):
                at += length
                break
        else:
            return False
    return bool(words)
