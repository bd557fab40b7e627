"""What the window and the command line ask of the composition root, as a protocol: no adapter is named here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kame_desktop.audio.base import AudioControls, DeviceList, Loudspeaker, MicTestResult
from kame_desktop.backend.llm.base import KeyStore, LlmChoice, LlmModel, LlmTest, Provider
from kame_desktop.core.checks import Check
from kame_desktop.core.crash_care import CrashCare
from kame_desktop.core.errors import AppError
from kame_desktop.core.events import Event, SessionState
from kame_desktop.frontends.registry import NO_OPTIONS, EngineInfo, EngineOptions
from kame_desktop.recordings.format import RecordingOptions
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.session.bus import Bus
from kame_desktop.session.reask import Reasked, Reasking
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

    def set_speculation(self, on: bool) -> None:
        """Ask while the user still speaks, or only finished sentences; at once."""
        ...

    def set_controls(self, controls: AudioControls) -> None:
        """Mute, push-to-talk, volume and the like, from the next frame on."""
        ...

    def start_recording(self, options: RecordingOptions) -> None:
        """Begin to record; ``RecordingChanged`` tells whether, and where."""
        ...

    def stop_recording(self) -> None:
        """End the recording, if there is one."""
        ...


class Services(Protocol):
    """The composition root as the window sees it."""

    def engines(self) -> Sequence[EngineInfo]:
        """Engines to choose from."""
        ...

    def llm_models(self) -> Sequence[LlmModel]:
        """Language models to choose from; the starter first when it is installed."""
        ...

    def llm_choices(self) -> Sequence[LlmChoice]:
        """Language models in groups, with where their keys come from; no network. May block on the keyring."""
        ...

    def discover_llms(self) -> Sequence[LlmChoice]:
        """Models of services on this computer (Ollama, LM Studio). Blocks up to 1 s: not for the GUI thread."""
        ...

    def test_llm(self, model: LlmModel) -> LlmTest:
        """One real call. Blocks up to 15 s: not for the GUI thread."""
        ...

    def llm_providers(self) -> Sequence[Provider]:
        """Providers that a key can be given for."""
        ...

    def keys(self) -> KeyStore:
        """The keys of providers."""
        ...

    def audio_devices(self, *, rescan: bool = False) -> DeviceList:
        """Sound devices to choose from; ``rescan`` has PortAudio look again, when no stream is open. May block."""
        ...

    def test_microphone(self, level: Callable[[float], None]) -> MicTestResult:
        """Record three seconds, tell the level (dBFS) about ten times a second. Blocks; raises DeviceError."""
        ...

    def play(self, result: MicTestResult) -> None:
        """Play a microphone test back. Blocks; raises DeviceError."""
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

    def check_system(self, found: Callable[[str, Check], None], *, sound: bool) -> Sequence[tuple[str, Check]]:
        """Look at what works here; ``found`` is told of each. Blocks for seconds: not for the GUI thread."""
        ...

    def diagnostics(self, checks: Sequence[tuple[str, Check]] = ()) -> str:
        """A text to pass on, without keys, names and words. Blocks."""
        ...

    def crash_care(self) -> CrashCare | None:
        """The reports of crashes, while the window is open."""
        ...

    def recordings(self) -> RecordingLibrary:
        """The recordings on this computer. It blocks on the disk: not for the GUI thread."""
        ...

    def loudspeaker(self) -> Loudspeaker | None:
        """Open the loudspeaker of the settings; None when there is none. Blocks: not for the GUI thread."""
        ...

    def reasking(
        self,
        events: Iterable[Event],
        model: LlmModel,
        *,
        series: int,
        tell: Callable[[Sequence[Event]], None],
        done: Callable[[Reasked | AppError], None],
    ) -> Reasking:
        """Another model over a recording's questions, not yet started; it tells on a thread of its own."""
        ...

    def recording_options(self, request: SessionRequest) -> RecordingOptions:
        """How a session of this kind is recorded, by the settings."""
        ...

    def open_session(self, request: SessionRequest) -> ConversationSession:
        """Make a session, not yet started. Raises AppError when something is missing that is known at once."""
        ...
