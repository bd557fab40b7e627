"""Tokenizers for tests: a real SentencePiece model (tiny), as the KAME front end will use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import sentencepiece

GOLDEN = Path(__file__).resolve().parent.parent / "golden"


class SentencePieceTokenizer:
    """The tiny checkpoint's tokenizer. PAD is 3; START is the size of the text vocabulary, as in Moshi."""

    pad_id = 3

    def __init__(self) -> None:
        self._model = sentencepiece.SentencePieceProcessor()
        self._model.Load(str(GOLDEN / "tokenizer_spm_tiny.model"))
        self.start_id = int(self._model.GetPieceSize())

    def encode(self, text: str) -> Sequence[int]:
        return self._model.EncodeAsIds(text)

    def decode(self, ids: Sequence[int]) -> str:
        return self._model.DecodeIds(list(ids))
