"""Streaming language models: messages in, text deltas out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One role message."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class LlmModel:
    """A language model as the user chose it.

    Attributes:
        name: Its unique name in settings, command line and events: ``starter``, or a litellm model name.
        label: What the window shows.
        api_base: Address of an OpenAI-compatible service; None: the provider's own.
        starter: It is the small local model: 4 example turns instead of a system prompt, no remarks in the
            question.
        hint: Shown beside it ("small, often wrong").
    """

    name: str
    label: str
    api_base: str | None = None
    starter: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class LlmUsage:
    """Counted or estimated tokens of one request; ``cost_usd`` is None when the price is unknown."""

    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class LlmChunk:
    """A piece of the answer (``text`` may be empty) or, at the end, its usage."""

    text: str = ""
    usage: LlmUsage | None = None


@dataclass(frozen=True, slots=True)
class LlmRequest:
    """One question. ``max_tokens`` bounds the answer."""

    model: LlmModel
    messages: Sequence[Message] = field(repr=False)
    max_tokens: int = 96
    temperature: float = 0.0


class LocalServer(Protocol):
    """An OpenAI-compatible server of one model on this computer. ``start`` and ``stop`` block: worker thread.

    Attributes:
        served_name: The model's name in requests.
        token: The bearer token it asks for; never logged.
    """

    served_name: str
    token: str

    @property
    def api_base(self) -> str:
        """Its address, once started."""
        ...

    @property
    def running(self) -> bool:
        """It answers requests."""
        ...

    def start(self) -> None:
        """Load and listen. Raises MissingPackageError, ModelFileError, Cancelled (``stop`` came first), AppError."""
        ...

    def stop(self) -> None:
        """End it for good, at any moment, from any thread; idempotent, under a second."""
        ...


class StreamingLlm(Protocol):
    """A client of language models. All methods belong to the asyncio thread."""

    async def load(self, model: LlmModel) -> None:
        """Make ready what ``model`` needs (import the library, start the local server).

        May take seconds; cancellable. Raises MissingPackageError, ModelFileError, BadInputError (unknown model name).
        """
        ...

    def stream(self, request: LlmRequest) -> AsyncGenerator[LlmChunk, None]:
        """Ask; an async generator.

        Closing it (``aclose``) or cancelling its consumer closes the connection at once. Raises LlmError with the
        category that decides retry.
        """
        ...

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """A cheap estimate of the prompt's size; never blocks."""
        ...

    async def close(self) -> None:
        """Close connections and the local server; idempotent, at most 2 s."""
        ...
