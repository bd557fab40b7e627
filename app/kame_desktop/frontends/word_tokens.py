"""The oracle alphabet of the lite front end: one id a word."""

from __future__ import annotations

PAD_ID = 0
START_ID = 1
_FIRST_WORD_ID = 2


class WordTokenizer:
    """Whitespace words <-> ids, interned for one session (implements ``OracleTokenizer``). Owner: the frame thread.

    Ids are never used twice, not even over ``clear``: a late id of an earlier session decodes to None instead of to
    some other word. Bound: the distinct words of one session.
    """

    def __init__(self) -> None:
        self._id_of: dict[str, int] = {}
        self._word_of: dict[int, str] = {}
        self._next_id = _FIRST_WORD_ID

    @property
    def pad_id(self) -> int:
        return PAD_ID

    @property
    def start_id(self) -> int:
        return START_ID

    def encode(self, text: str) -> list[int]:
        """Ids of the words of ``text``, one for each whitespace-separated word."""
        return [self._intern(word) for word in text.split()]

    def decode(self, token_id: int) -> str | None:
        """The word behind an id; None for pad, start and ids of an earlier session."""
        return self._word_of.get(token_id)

    def clear(self) -> None:
        """Begin a session: forget every word."""
        self._id_of.clear()
        self._word_of.clear()

    def _intern(self, word: str) -> int:
        token_id = self._id_of.get(word)
        if token_id is None:
            token_id = self._next_id
            self._next_id += 1
            self._id_of[word] = token_id
            self._word_of[token_id] = word
        return token_id
