"""What changed from one answer to the next, word by word. No Qt."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from enum import StrEnum

from kame_desktop.core.words import normalised_words

_LEAST_KEPT = 0.25
"""Of two answers that have less in common than this, the newer one is simply another one."""


class Change(StrEnum):
    """What became of a word."""

    KEPT = "kept"
    ADDED = "added"
    DROPPED = "dropped"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words with one fate."""

    change: Change
    text: str


def word_diff(before: str, after: str, *, complete: bool = True) -> list[Piece]:
    """The words of ``after`` in order, and between them those of ``before`` that are gone.

    Words are compared without case and punctuation. A word that went elsewhere is MOVED where it stands now.

    Args:
        before: The older answer; "": everything is KEPT, for there is nothing to compare with.
        after: The newer answer.
        complete: Otherwise more of ``after`` will come: what ``before`` has beyond its last common word isn't gone yet.
    """
    old, new = before.split(), after.split()
    if not old or not new:
        return [Piece(Change.KEPT, after)] if new else []
    old_keys, new_keys = [_key(word) for word in old], [_key(word) for word in new]
    steps = difflib.SequenceMatcher(None, old_keys, new_keys, autojunk=False).get_opcodes()
    kept = sum(last - first for kind, _, _, first, last in steps if kind == "equal")
    if kept < _LEAST_KEPT * min(len(old), len(new)):
        return [Piece(Change.ADDED, after)]
    gone = {key for kind, first, last, _, _ in steps if kind in ("delete", "replace") for key in old_keys[first:last]}
    come = {key for kind, _, _, first, last in steps if kind in ("insert", "replace") for key in new_keys[first:last]}
    pieces: list[Piece] = []
    for place, (kind, first, last, new_first, new_last) in enumerate(steps):
        if kind == "equal":
            _append(pieces, Change.KEPT, new[new_first:new_last])
            continue
        if complete or place < len(steps) - 1:
            for word, key in zip(old[first:last], old_keys[first:last], strict=True):
                if key not in come:
                    _append(pieces, Change.DROPPED, [word])
        for word, key in zip(new[new_first:new_last], new_keys[new_first:new_last], strict=True):
            _append(pieces, Change.MOVED if key in gone else Change.ADDED, [word])
    return pieces


def _key(word: str) -> str:
    """What is compared; a word of punctuation alone is compared as it is."""
    return " ".join(normalised_words(word)) or word


def _append(pieces: list[Piece], change: Change, words: list[str]) -> None:
    text = " ".join(words)
    if pieces and pieces[-1].change is change:
        pieces[-1] = Piece(change, f"{pieces[-1].text} {text}")
    elif text:
        pieces.append(Piece(change, text))
