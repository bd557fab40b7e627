"""Finds words in a conversation. No Qt."""

from __future__ import annotations

from collections.abc import Iterable

from kame_desktop.ui.rows import Turn


def turns_with(turns: Iterable[Turn], needle: str) -> list[int]:
    """Utterances in which these letters stand, in whatever case, in any of the three columns; "" is nowhere."""
    wanted = needle.casefold()
    if not wanted.strip():
        return []
    return [turn.utterance for turn in turns if any(wanted in text.casefold() for text in _texts(turn))]


def _texts(turn: Turn) -> Iterable[str]:
    yield turn.user.text
    yield " ".join(word.text for word in turn.answer.words)
    for card in turn.cards:
        yield card.text


class Search:
    """The places that were found, and which of them is looked at.

    Attributes:
        needle: What is searched for.
        found: Utterances in the order of the conversation.
    """

    def __init__(self) -> None:
        self.needle = ""
        self.found: list[int] = []
        self._place = -1

    @property
    def place(self) -> int:
        """Which one is looked at, from 1; 0: none."""
        return self._place + 1

    @property
    def current(self) -> int | None:
        """The utterance that is looked at."""
        return self.found[self._place] if 0 <= self._place < len(self.found) else None

    def begin(self, turns: Iterable[Turn], needle: str) -> None:
        """Search for something; the newest place is looked at first, or the one that was looked at before."""
        before = self.current
        self.needle = needle
        self.found = turns_with(turns, needle)
        self._place = self.found.index(before) if before in self.found else len(self.found) - 1

    def step(self, by: int) -> None:
        """Look at the next place, or the one before; around the end."""
        if self.found:
            self._place = (self._place + by) % len(self.found)
