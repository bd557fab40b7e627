"""What the window and the command line ask of the composition root, as a protocol: no adapter is named here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import AppError
from kame_desktop.core.events import SessionState
from kame_desktop.frontends.registry import NO_OPTIONS, EngineInfo, EngineOptions
from kame_desktop.session.bus import Bus
from kame_desktop.weights.download import Downloader


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """What kind of conversation to open.

    Attributes:
        engine: Name of a front end.
        llm: The language model.
        wav: A sound file instead of the microphone; None: the microphone.
        fast: With a file: as fast as the CPU allows, on the audio clock.
        monitor: With a file: also play the answer on the loudspeaker when there is one.
        options: What an engine with large models is told.
    """

    engine: str
    llm: LlmModel
    wav: Path | None = None
    fast: bool = False
    monitor: bool = False
    options: EngineOptions = NO_OPTIONS


class ConversationSession(Protocol):
    """One conversation: ``session.session.Session``, or a fake of it. Every method may be called on any thread."""

    @property
    def bus(self) -> Bus: ...

    @property
    def state(self) -> SessionState: ...

    def start(self) -> None:
        """Begin to load and run; returns at once. What happens is told on the bus."""
        ...

    def request_stop(self) -> None:
        """Begin to stop; returns at once. ``SessionStateChanged(IDLE)`` tells when nothing is left (within 2 s)."""
        ...

    def wait_stopped(self, timeout_s: float) -> bool:
        """Block until the session is idle or failed and its threads are gone. Never on the GUI thread."""
        ...

    def fresh_start(self) -> None:
        """Clear the front end's memory (its context is limited); conversation and transcript go on."""
        ...

    def switch_llm(self, model: LlmModel) -> None:
        """Answer with another model from the next request on."""
        ...


class Services(Protocol):
    """The composition root as the window sees it."""

    def engines(self) -> Sequence[EngineInfo]:
        """Engines to choose from."""
        ...

    def llm_models(self) -> Sequence[LlmModel]:
        """Language models to choose from; the starter first when it is installed."""
        ...

    def resolve_llm(self, name: str, api_base: str | None = None) -> LlmModel:
        """A model by name: a known one, or any litellm model name. Raises BadInputError."""
        ...

    def microphone_problem(self) -> str | None:
        """Why the microphone can't be used here (one sentence with a remedy); None when it can."""
        ...

    def sample_questions(self) -> Sequence[Path]:
        """Spoken sample questions that ship with the program."""
        ...

    def warm_up(self) -> None:
        """Load in the background what the next conversation needs; returns at once."""
        ...

    def engine_problem(self, engine: str) -> AppError | None:
        """Why an engine can't run here, as far as is known at once; None: nothing is known to be missing."""
        ...

    def weights_to_get(self, engine: str) -> str | None:
        """Name of the weights that the engine needs and that aren't on this computer; None when they are."""
        ...

    def weights(self) -> Downloader:
        """Gets weights, with the user's consent."""
        ...

    def open_session(self, request: SessionRequest) -> ConversationSession:
        """Make a session, not yet started. Raises AppError when something is missing that is known at once."""
        ...
