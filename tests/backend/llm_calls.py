"""What the tests of the real client share: a question with a planted key, and everything that an error drags along."""

from __future__ import annotations

import traceback
from collections.abc import AsyncGenerator

import pytest

from kame_desktop.backend.llm.base import LlmChunk, LlmModel, LlmRequest, LlmUsage, Message
from kame_desktop.backend.llm.litellm_client import LiteLlmClient
from kame_desktop.core.errors import LlmError

# Warnings that litellm provokes in pydantic, and nothing of ours can avoid: it looks at every attribute of its chunks,
# and one type that it builds at its first Google call has fields that pydantic doesn't protect.
LIBRARY_WARNINGS = [
    pytest.mark.filterwarnings(
        "ignore:Accessing the 'model_(computed_)?fields' attribute:pydantic.warnings.PydanticDeprecatedSince211"
    ),
    pytest.mark.filterwarnings("ignore:Items? .* on TypedDict class:UserWarning"),
]

KEY = "sk-planted-0123456789abcdef"
PROMPT = "my secret words"
SYSTEM = "Be brief."
EARLIER = [Message("user", "an earlier question"), Message("assistant", "an earlier answer")]
SECRETS = (KEY, PROMPT, "an earlier question", "an earlier answer")


def keyed_client() -> LiteLlmClient:
    """A client that has the planted key for every model."""
    return LiteLlmClient(key_for=lambda _: KEY)


def ask(model: LlmModel, max_tokens: int = 96) -> LlmRequest:
    """A question in the middle of a conversation."""
    messages = [Message("system", SYSTEM), *EARLIER, Message("user", PROMPT)]
    return LlmRequest(model, messages, max_tokens=max_tokens)


async def collect(stream: AsyncGenerator[LlmChunk, None]) -> tuple[str, LlmUsage | None]:
    """All of an answer's text, and its usage."""
    text, usage = "", None
    async for chunk in stream:
        text += chunk.text
        usage = chunk.usage or usage
    return text, usage


async def failure(client: LiteLlmClient, model: LlmModel) -> LlmError:
    """The error that a question ends with, which holds no secret."""
    with pytest.raises(LlmError) as caught:
        await collect(client.stream(ask(model)))
    error = caught.value
    shown = shown_by(error)
    assert not [secret for secret in SECRETS if secret in shown]
    assert error.__cause__ is None
    return error


def shown_by(error: BaseException) -> str:
    """All that could be written down about an error: texts, attributes, traceback, and the errors behind it."""
    parts = "".join(traceback.TracebackException.from_exception(error, capture_locals=False).format())
    seen: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in seen:
        seen.append(link)
        parts += repr(link) + str(link) + repr(link.args) + repr(vars(link))
        link = link.__cause__ or link.__context__
    return parts
