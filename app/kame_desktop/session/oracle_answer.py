"""One answer of a language model: its stream as speakable texts."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncGenerator

from kame_desktop.backend.llm.base import LlmRequest, StreamingLlm
from kame_desktop.backend.llm.spoken_text import SpokenTextFilter
from kame_desktop.core.errors import ErrorCategory, LlmError
from kame_desktop.session.usage import Charge

_SENTENCE_END = re.compile(r"[.!?…][\"')\]]*\s*$")


async def speakable_texts(
    llm: StreamingLlm, request: LlmRequest, charge: Charge, *, max_words: int
) -> AsyncGenerator[tuple[str, bool], None]:
    """Ask; yields (text so far, complete), the text growing.

    The stream is closed with the generator, and on its own once the answer has ``max_words`` and ends a sentence. What
    was used is noted in ``charge``. Raises LlmError, also for an answer without a word.
    """
    spoken = SpokenTextFilter()
    text = ""
    charge.sent = True
    async with contextlib.aclosing(llm.stream(request)) as chunks:
        async for chunk in chunks:
            if chunk.usage is not None:
                charge.reported(chunk.usage)
            if not chunk.text:
                continue
            charge.heard(chunk.text)
            text += spoken.feed(chunk.text)
            shown = text + spoken.preview()
            if not shown.strip():
                continue
            yield shown, False
            if len(text.split()) >= max_words and _SENTENCE_END.search(text):
                break  # the word that had begun behind the sentence is left out
        else:
            text += spoken.finish()
    if not text.strip():
        raise LlmError(
            "The language model gave an empty answer.",
            "Ask again, or choose another model.",
            category=ErrorCategory.TRANSIENT,
        )
    yield text, True
