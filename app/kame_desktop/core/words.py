"""Words as they are compared: what was heard, without how it was written."""

from __future__ import annotations

import re
import unicodedata

_NOT_WORD = re.compile(r"[^\w'%$€£+]+", re.UNICODE)


def normalised_words(text: str) -> tuple[str, ...]:
    """Words without case, punctuation and spacing: what has to change before a question is another one."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return tuple(word for word in (piece.strip("'") for piece in _NOT_WORD.split(plain)) if word)
