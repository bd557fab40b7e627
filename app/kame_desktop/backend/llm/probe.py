"""One real, tiny call to a language model: does it answer, and how soon."""

from __future__ import annotations

import asyncio
import contextlib
import time

from kame_desktop.backend.llm.base import LlmModel, LlmRequest, LlmTest, Message, StreamingLlm
from kame_desktop.core.errors import LlmError, as_app_error

LOAD_S = 60.0
"""The library's first import takes seconds, and many on a busy machine."""
DEADLINE_S = 12.0
"""From the question to the first word."""

_QUESTION = (Message("user", "Say hello in one word."),)
_MOST_TOKENS = 256
"""Room for a model that thinks before it speaks; the answer is cut off at its first word anyway."""


async def probe(
    client: StreamingLlm, model: LlmModel, *, load_s: float = LOAD_S, deadline_s: float = DEADLINE_S
) -> LlmTest:
    """Load, ask, wait for the first word and hang up. Asyncio thread of ``client``, which stays open.

    Never raises but CancelledError; ends within ``load_s`` and ``deadline_s``. The time counts from the question.
    """
    limit = asyncio.timeout(load_s)
    try:
        async with limit:
            await client.load(model)
    except Exception as failure:  # noqa: BLE001 - the outcome is what was asked for
        what = f"The model '{model.name}' was not ready to be asked within {load_s:.0f} s."
        late = LlmError(what, "Try again in a moment, or choose another model.")
        return LlmTest(model, error=late if limit.expired() else as_app_error(failure, "llm"))
    limit = asyncio.timeout(deadline_s)
    asked_s = time.perf_counter()
    try:
        async with limit, contextlib.aclosing(client.stream(LlmRequest(model, _QUESTION, _MOST_TOKENS))) as chunks:
            async for chunk in chunks:
                if chunk.text.strip():
                    return LlmTest(model, first_token_ms=(time.perf_counter() - asked_s) * 1e3)
    except Exception as failure:  # noqa: BLE001 - as above
        what = f"The model '{model.name}' did not begin to answer within {deadline_s:.0f} s."
        late = LlmError(what, "Try again, or choose another model.")
        return LlmTest(model, error=late if limit.expired() else as_app_error(failure, "llm"))
    return LlmTest(
        model,
        error=LlmError(f"The model '{model.name}' answered without a word.", "Try again, or choose another model."),
    )
