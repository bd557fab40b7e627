"""Streaming language models: messages in, text deltas out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol

from kame_desktop.core.errors import AppError

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
        provider: Name of its ``Provider``; "" when it has none (a service at ``api_base``, an unknown name).
    """

    name: str
    label: str
    api_base: str | None = None
    starter: bool = False
    hint: str = ""
    provider: str = ""


class KeySource(StrEnum):
    """Where the key of a provider comes from."""

    NOT_NEEDED = "not_needed"
    ENVIRONMENT = "environment"
    KEYRING = "keyring"
    SESSION = "session"
    """Typed in, and kept in memory until the program ends."""
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Provider:
    """Who runs language models.

    Attributes:
        name: litellm's name of it.
        label: What the user sees.
        key_variables: Environment variables in which its key is looked for, the usual one first; () when it needs none.
        key_url: Where the user gets a key; "" when unknown.
    """

    name: str
    label: str
    key_variables: tuple[str, ...] = ()
    key_url: str = ""


@dataclass(frozen=True, slots=True)
class LlmChoice:
    """A model in the list to choose from. ``group`` is the heading it stands under."""

    model: LlmModel
    group: str
    key: KeySource = KeySource.NOT_NEEDED

    @property
    def ready(self) -> bool:
        """It can be asked as things stand."""
        return self.key is not KeySource.MISSING


@dataclass(frozen=True, slots=True)
class LlmTest:
    """The outcome of one real call: the time to its first token, or what went wrong."""

    model: LlmModel
    first_token_ms: float | None = None
    error: AppError | None = None


class KeyStore(Protocol):
    """Keys of providers. Any thread; every method may block on the system's keyring: not for the GUI thread.

    A key is never logged, never part of an error's text, and never written to a file of ours.
    """

    @property
    def problem(self) -> str | None:
        """Why keys can't be kept on this computer (one sentence with a remedy); None when they can."""
        ...

    def source(self, provider: Provider) -> KeySource:
        """Where the provider's key comes from; the environment goes first."""
        ...

    def get(self, provider: Provider) -> str | None:
        """The key; None when there is none."""
        ...

    def set(self, provider: Provider, key: str, *, keep: bool = True) -> KeySource:
        """Take a key, in the keyring if ``keep`` and there is one, else until the program ends; says which.

        Raises BadInputError (no key by its looks, or longer than the store allows).
        """
        ...

    def forget(self, provider: Provider) -> bool:
        """Remove the key from keyring and memory; False when there was none. The environment is left alone."""
        ...


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
