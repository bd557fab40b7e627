"""Texts of the layers below in the user's language.

Those layers know nothing of languages: they say English sentences, which the log, the command line and recordings keep.
The window looks a sentence up in ``phrase_list`` when it shows it. One that isn't there stays as it is, so that nothing
is ever lost; a text of several sentences may be translated in part.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from kame_desktop.ui.phrase_list import PHRASES

_DEEPEST = 3
_LONGEST = 1_000
_REMEMBERED = 512
_SLOT = re.compile(r"\{(\w+)\}")
_BETWEEN = re.compile(r"(?<=[.!?]) ")


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A phrase with things filled in."""

    source: str
    fits: re.Pattern[str]


def _pattern(source: str) -> _Pattern:
    pieces = _SLOT.split(source)
    made = "".join(f"(?P<{piece}>.+?)" if place % 2 else re.escape(piece) for place, piece in enumerate(pieces))
    return _Pattern(source, re.compile(made, re.DOTALL))


@functools.cache
def _exact() -> frozenset[str]:
    return frozenset(str(phrase) for phrase in PHRASES)


@functools.cache
def _patterns() -> tuple[_Pattern, ...]:
    """Those with most letters of their own first: they say most about what they fit."""
    found = [str(phrase) for phrase in PHRASES if _SLOT.search(str(phrase))]
    return tuple(_pattern(one) for one in sorted(found, key=lambda one: -len(_SLOT.sub("", one))))


def translated(text: str) -> str:
    """A text from below in the user's language, as far as it is known. GUI thread."""
    return _translated(text, 0) if 0 < len(text) <= _LONGEST else text


def forget() -> None:
    """Another language: nothing that was translated holds any more."""
    _translated.cache_clear()


@functools.lru_cache(maxsize=_REMEMBERED)
def _translated(text: str, depth: int) -> str:
    whole = _one(text, depth)
    if whole is not None:
        return whole
    sentences = _BETWEEN.split(text)
    for count in range(len(sentences) - 1, 0, -1):
        head = _one(" ".join(sentences[:count]), depth)
        if head is not None:
            return f"{head} {_translated(' '.join(sentences[count:]), depth)}"
    if len(sentences) > 1:
        return f"{sentences[0]} {_translated(' '.join(sentences[1:]), depth)}"
    return text


def _one(text: str, depth: int) -> str | None:
    """A known phrase in the user's language; None: it isn't one."""
    if text in _exact():
        return QCoreApplication.translate("Phrases", text)
    for pattern in _patterns():
        found = pattern.fits.fullmatch(text)
        if found is None:
            continue
        filled = found.groupdict()
        if depth < _DEEPEST:
            filled = {name: _one(value, depth + 1) or value for name, value in filled.items()}
        return QCoreApplication.translate("Phrases", pattern.source).format(**filled)
    return None
