"""Text ids <-> words of a Moshi model. Pure but for the SentencePiece model that it is given."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

PAD_ID = 3
END_OF_PADDING_ID = 0
"""Moshi's text stream says nothing in most frames (3), and 0 in the frame before a word."""

_LONGEST_WORD = 120
_WHITESPACE = re.compile(r"(\s+)")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_META_SPACE = "\u2581"


class PieceModel(Protocol):
    """What is used of ``sentencepiece.SentencePieceProcessor``."""

    def EncodeAsIds(self, text: str, /) -> Sequence[int]: ...  # noqa: N802 - the library's names
    def GetPieceSize(self) -> int: ...  # noqa: N802
    def IdToPiece(self, token_id: int, /) -> str: ...  # noqa: N802
    def IsByte(self, token_id: int, /) -> bool: ...  # noqa: N802
    def IsControl(self, token_id: int, /) -> bool: ...  # noqa: N802
    def IsUnknown(self, token_id: int, /) -> bool: ...  # noqa: N802


class SentencePieceTokenizer:
    """Implements ``OracleTokenizer`` on a checkpoint's SentencePiece model. Owner: the frame thread.

    SentencePiece cuts at whitespace first, so encoding is word-local; no BOS or EOS is added.
    """

    def __init__(self, pieces: PieceModel, *, pad_id: int, start_id: int) -> None:
        self._pieces = pieces
        self._pad_id = pad_id
        self._start_id = start_id

    @property
    def pad_id(self) -> int:
        return self._pad_id

    @property
    def start_id(self) -> int:
        return self._start_id

    def encode(self, text: str) -> Sequence[int]:
        return self._pieces.EncodeAsIds(text)


@dataclass(frozen=True, slots=True)
class DecodedWord:
    """A word, and the oracle generation of the frame in which it began."""

    text: str
    generation: int | None


class WordDecoder:
    """Ids, one a frame -> words, each once it is complete. Owner: the frame thread.

    A word ends with the next piece that begins with a space, with padding, or with ``flush``. Byte pieces
    (``<0xC3>``) are gathered into characters; one that stays incomplete shows as U+FFFD, and control characters go.
    Bound: a word of more than 120 characters is given out in parts.
    """

    def __init__(self, pieces: PieceModel, padding: Sequence[int] = (END_OF_PADDING_ID, PAD_ID)) -> None:
        self._pieces = pieces
        self._padding = frozenset(padding)
        self._size = pieces.GetPieceSize()
        self._characters = codecs.getincrementaldecoder("utf-8")("replace")
        self._word = ""
        self._begun = False
        self._generation: int | None = None

    def says_something(self, token_id: int) -> bool:
        """Whether an id is part of a word."""
        return bool(self._bytes_of(token_id))

    def take(self, token_id: int, generation: int | None) -> list[DecodedWord]:
        """The words that the next frame's id completes. ``generation``: the oracle's in the frame that predicted it."""
        if token_id in self._padding:
            return self.flush()
        raw = self._bytes_of(token_id)
        if not raw:
            return []
        if not self._begun:
            self._begin(generation)
        return self._spell(self._characters.decode(raw), generation)

    def flush(self) -> list[DecodedWord]:
        """Nothing more belongs to the word under way: give it out."""
        words = self._spell(self._characters.decode(b"", final=True), self._generation)
        return words + self._end_word()

    def reset(self) -> None:
        """Begin a session."""
        self._characters.reset()
        self._word = ""
        self._begun = False

    def _begin(self, generation: int | None) -> None:
        self._begun = True
        self._generation = generation

    def _spell(self, text: str, generation: int | None) -> list[DecodedWord]:
        words: list[DecodedWord] = []
        for part in _WHITESPACE.split(text):
            if not part:
                continue
            if part.isspace():
                words += self._end_word()
                self._begin(generation)
                continue
            self._word += _CONTROLS.sub("", part)
            if len(self._word) > _LONGEST_WORD:
                words += self._end_word()
        return words

    def _end_word(self) -> list[DecodedWord]:
        word, self._word, self._begun = self._word, "", False
        return [DecodedWord(word, self._generation)] if word else []

    def _bytes_of(self, token_id: int) -> bytes:
        """UTF-8 of one piece; empty for padding, control pieces and ids that the tokenizer doesn't have."""
        pieces = self._pieces
        if token_id in self._padding or not 0 <= token_id < self._size:
            return b""
        if pieces.IsControl(token_id) or pieces.IsUnknown(token_id):
            return b""
        piece = pieces.IdToPiece(token_id)
        if pieces.IsByte(token_id):
            return bytes([int(piece[3:-1], 16)])
        return piece.replace(_META_SPACE, " ").encode()
