"""A composition root that offers things to choose from, and sessions that only have a bus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from kame_desktop.audio.base import AudioControls, DeviceChoiceInfo, DeviceList, Loudspeaker, MicTestResult
from kame_desktop.backend.llm.base import KeySource, KeyStore, LlmChoice, LlmModel, LlmTest, Provider
from kame_desktop.core import paths
from kame_desktop.core.checks import Check
from kame_desktop.core.crash_care import CrashCare
from kame_desktop.core.errors import AppError
from kame_desktop.core.events import Event, SessionState
from kame_desktop.frontends.registry import EngineInfo
from kame_desktop.recordings.format import RecordingOptions
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.session.bus import Bus
from kame_desktop.session.reask import Reasked, Reasking
from kame_desktop.session.services import SessionRequest
from kame_desktop.weights.download import Downloader

STARTER = LlmModel("starter", "Starter model", starter=True, hint="small, often wrong")
REMOTE = LlmModel("gpt-4.1-mini", "GPT-4.1 mini", provider="openai")
LOCAL = LlmModel("llama3.2", "Llama 3.2 (Ollama)", api_base="http://localhost:11434/v1")
CLAUDE = LlmModel("claude-opus-4-1", "Claude Opus 4.1", provider="anthropic")
OPENAI = Provider("openai", "OpenAI", ("OPENAI_API_KEY",), "https://platform.openai.com/api-keys")
ANTHROPIC = Provider("anthropic", "Anthropic", ("ANTHROPIC_API_KEY",), "https://console.anthropic.com/settings/keys")
NO_MICROPHONE = "No microphone was found. Plug one in, or install PortAudio: sudo apt install libportaudio2."


class ScriptedSession:
    """A session that only has a bus; the gallery publishes the events."""

    def __init__(self) -> None:
        self.bus = Bus()
        self.state = SessionState.IDLE

    def start(self) -> None:
        """Nothing begins by itself."""

    def request_stop(self) -> None:
        """Nothing has to end."""

    def wait_stopped(self, timeout_s: float) -> bool:
        """It is always stopped."""
        return True

    def switch_llm(self, model: LlmModel) -> None:
        """Nobody answers."""

    def set_speculation(self, on: bool) -> None:
        """Nothing is asked."""

    def set_controls(self, controls: AudioControls) -> None:
        """Nothing sounds."""

    def start_recording(self, options: RecordingOptions) -> None:
        """Nothing is recorded."""

    def stop_recording(self) -> None:
        """Nothing was."""

    def fresh_start(self) -> None:
        """There is no front end."""


class ScriptedKeys:
    """OpenAI's key is in the keyring, Anthropic's isn't."""

    problem: str | None = None

    def source(self, provider: Provider) -> KeySource:
        """Where the key is."""
        return KeySource.KEYRING if provider.name == OPENAI.name else KeySource.MISSING

    def get(self, provider: Provider) -> str | None:
        """Never asked for."""
        return None

    def set(self, provider: Provider, key: str, *, keep: bool = True) -> KeySource:
        """It is taken, and forgotten."""
        return KeySource.KEYRING

    def forget(self, provider: Provider) -> bool:
        """There was one."""
        return True


class ScriptedServices:
    """Choices to show."""

    def __init__(self, microphone_problem: str | None) -> None:
        self._microphone_problem = microphone_problem
        self.session = ScriptedSession()

    def engines(self) -> Sequence[EngineInfo]:
        """Three engines."""
        return [
            EngineInfo("lite", "Lite (no GPU needed)", "Small models on this computer's processor"),
            EngineInfo("cascade", "Cascade (waits)", "The same voice, but it waits for the whole answer"),
            EngineInfo("kame", "KAME (GPU)", "Speech to speech on the graphics card"),
        ]

    def llm_models(self) -> Sequence[LlmModel]:
        """Four models."""
        return [STARTER, LOCAL, REMOTE, CLAUDE]

    def llm_choices(self) -> Sequence[LlmChoice]:
        """Them, in groups."""
        return [
            LlmChoice(STARTER, "On this computer"),
            LlmChoice(LOCAL, "On this computer"),
            LlmChoice(REMOTE, OPENAI.label, KeySource.KEYRING),
            LlmChoice(CLAUDE, ANTHROPIC.label, KeySource.MISSING),
        ]

    def discover_llms(self) -> Sequence[LlmChoice]:
        """Nothing more is found."""
        return []

    def test_llm(self, model: LlmModel) -> LlmTest:
        """It works."""
        return LlmTest(model, first_token_ms=412.0)

    def llm_providers(self) -> Sequence[Provider]:
        """Two of them."""
        return [OPENAI, ANTHROPIC]

    def keys(self) -> KeyStore:
        """One key is there."""
        return ScriptedKeys()

    def audio_devices(self, *, rescan: bool = False) -> DeviceList:
        """A headset and what is built in."""
        return DeviceList(
            inputs=(
                DeviceChoiceInfo("USB headset", "ALSA", 48_000, 1, default=True),
                DeviceChoiceInfo("Built-in microphone", "ALSA", 44_100, 2),
            ),
            outputs=(
                DeviceChoiceInfo("USB headset", "ALSA", 48_000, 2, default=True),
                DeviceChoiceInfo("Built-in loudspeaker", "ALSA", 44_100, 2),
            ),
        )

    def test_microphone(self, level: Callable[[float], None]) -> MicTestResult:
        """A good one."""
        return MicTestResult("USB headset", np.zeros(72_000, np.float32), -31.0, -63.0, -12.0, "Good.")

    def play(self, result: MicTestResult) -> None:
        """Nothing sounds."""

    def resolve_llm(self, name: str, api_base: str | None = None) -> LlmModel:
        """Any name will do."""
        return LlmModel(name, name, api_base)

    def warm_up(self) -> None:
        pass

    def engine_problem(self, engine: str) -> AppError | None:
        """All of them run here."""
        return None

    def weights_to_get(self, engine: str) -> str | None:
        """They are here."""
        return None

    def weights(self) -> Downloader:
        """Never asked for."""
        raise NotImplementedError

    def microphone_problem(self) -> str | None:
        """As the scene wants it."""
        return self._microphone_problem

    def check_system(self, found: Callable[[str, Check], None], *, sound: bool) -> Sequence[tuple[str, Check]]:
        """Nothing is looked at."""
        return []

    def diagnostics(self, checks: Sequence[tuple[str, Check]] = ()) -> str:
        """Nothing to tell."""
        return ""

    def crash_care(self) -> CrashCare | None:
        """Nothing crashes."""
        return None

    def recordings(self) -> RecordingLibrary:
        """None."""
        return RecordingLibrary(Path("nowhere"))

    def loudspeaker(self) -> Loudspeaker | None:
        """Nothing sounds."""
        return None

    def reasking(
        self,
        events: Iterable[Event],
        model: LlmModel,
        *,
        series: int,
        tell: Callable[[Sequence[Event]], None],
        done: Callable[[Reasked | AppError], None],
    ) -> Reasking:
        """Never asked for."""
        raise NotImplementedError

    def recording_options(self, request: SessionRequest) -> RecordingOptions:
        """Never asked for."""
        raise NotImplementedError

    def sample_questions(self) -> Sequence[Path]:
        """The real ones."""
        return paths.sample_questions()

    def open_session(self, request: SessionRequest) -> ScriptedSession:
        """The one session."""
        return self.session
