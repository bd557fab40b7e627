"""A session and a composition root without sound, models or threads: tests publish what should happen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from kame_desktop.audio.base import AudioControls, DeviceChoiceInfo, DeviceList, Loudspeaker, MicTestResult
from kame_desktop.backend.llm.base import KeySource, KeyStore, LlmChoice, LlmModel, LlmTest, Provider
from kame_desktop.core.checks import Check, CheckState
from kame_desktop.core.crash_care import CrashCare
from kame_desktop.core.errors import AppError, BadInputError
from kame_desktop.core.events import Event, RecordingChanged, SessionState, SessionStateChanged
from kame_desktop.core.settings import Settings
from kame_desktop.frontends.registry import EngineInfo
from kame_desktop.recordings.format import RecordingOptions, meta_now
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.session.bus import Bus
from kame_desktop.session.reask import Reasked, Reasking
from kame_desktop.session.services import SessionRequest
from kame_desktop.weights.download import Downloader

HANG_S = 0.3


class FakeSession:
    """Runs at once and stops at once.

    Attributes:
        hangs: A stop never ends.
        switched: Models it was told to use.
        stops: How often it was asked to stop.
        fresh_starts: How often its front end's memory was cleared.
        speculation: What it was told of asking unfinished sentences.
        controls: Every set of sound controls that it was given.
        recordings: How it was told to record.
    """

    def __init__(self, request: SessionRequest, script: Sequence[Event] = (), *, hangs: bool = False) -> None:
        self.request = request
        self.script = list(script)
        self.hangs = hangs
        self.switched: list[LlmModel] = []
        self.stops = 0
        self.fresh_starts = 0
        self.speculation: list[bool] = []
        self.controls: list[AudioControls] = []
        self.recordings: list[RecordingOptions] = []
        self._bus = Bus()
        self._state = SessionState.IDLE
        self._gone = threading.Event()

    @property
    def bus(self) -> Bus:
        return self._bus

    @property
    def state(self) -> SessionState:
        return self._state

    def publish(self, *events: Event) -> None:
        """These happen now."""
        for event in events:
            if isinstance(event, SessionStateChanged):
                self._state = event.state
                if event.state in (SessionState.IDLE, SessionState.FAILED):
                    self._gone.set()
            self._bus.publish(event)

    def go(self, state: SessionState, *, detail: str = "", progress: float | None = None) -> None:
        """Move to a state."""
        self.publish(SessionStateChanged(at_ms=0.0, state=state, detail=detail, progress=progress))

    def start(self) -> None:
        self.go(SessionState.LOADING, progress=0.0)
        self.go(SessionState.READY)
        self.go(SessionState.RUNNING)
        self.publish(*self.script)

    def request_stop(self) -> None:
        self.stops += 1
        if self._state not in (SessionState.IDLE, SessionState.FAILED):
            self.go(SessionState.STOPPING)
        if not self.hangs:
            self.go(SessionState.IDLE)

    def wait_stopped(self, timeout_s: float) -> bool:
        return self._gone.wait(min(timeout_s, HANG_S) if self.hangs else timeout_s)

    def switch_llm(self, model: LlmModel) -> None:
        self.switched.append(model)

    def fresh_start(self) -> None:
        self.fresh_starts += 1

    def set_speculation(self, on: bool) -> None:
        self.speculation.append(on)

    def set_controls(self, controls: AudioControls) -> None:
        self.controls.append(controls)

    def start_recording(self, options: RecordingOptions) -> None:
        self.recordings.append(options)
        self.publish(RecordingChanged(at_ms=0.0, recording=True, folder="today"))

    def stop_recording(self) -> None:
        self.publish(RecordingChanged(at_ms=0.0, recording=False, folder="today"))


class FakeKeyStore:
    """Keys in memory. ``problem``: why they can't be kept."""

    def __init__(self, problem: str | None = None) -> None:
        self.problem = problem
        self.stored: dict[str, str] = {}
        self.environment: dict[str, str] = {}

    def source(self, provider: Provider) -> KeySource:
        if provider.name in self.environment:
            return KeySource.ENVIRONMENT
        if provider.name in self.stored:
            return KeySource.KEYRING if self.problem is None else KeySource.SESSION
        return KeySource.MISSING

    def get(self, provider: Provider) -> str | None:
        return self.environment.get(provider.name) or self.stored.get(provider.name)

    def set(self, provider: Provider, key: str, *, keep: bool = True) -> KeySource:
        if not key.strip() or " " in key.strip():
            raise BadInputError("That doesn't look like a key.", "Paste the whole key.", component="keys")
        self.stored[provider.name] = key.strip()
        return self.source(provider)

    def forget(self, provider: Provider) -> bool:
        return self.stored.pop(provider.name, None) is not None


class FakeServices:
    """Hands out fake sessions.

    Attributes:
        sessions: Every session so far, the newest last.
        script: What the next sessions publish after their start.
        refuses: Raised by the next ``open_session``.
        engine_problems / missing_weights: What is wrong with an engine, by its name.
        downloader: Gets them.
        on_warm_up: Called by ``warm_up``.
        providers: Providers that a key can be given for; ``key_store`` has the keys.
        local_models: What is found on this computer.
        tests: Outcome of a model's test, by its name.
        devices: Sound devices.
        recordings_folder: Where recordings are.
        checks: What a look at the system finds.
        care: Reports of crashes.
        mic_result: Outcome of a microphone test, or the error that it raises.
    """

    def __init__(self, samples: Sequence[Path] = (), *, microphone_problem: str | None = None) -> None:
        self.samples = list(samples)
        self.problem = microphone_problem
        self.models = [
            LlmModel("starter", "Starter model", starter=True, hint="small, often wrong"),
            LlmModel("gpt-4o-mini", "GPT-4o mini"),
        ]
        self.sessions: list[FakeSession] = []
        self.script: list[Event] = []
        self.refuses: AppError | None = None
        self.hangs = False
        self.engine_problems: dict[str, AppError] = {}
        self.missing_weights: dict[str, str] = {}
        self.downloader: Downloader | None = None
        self.on_warm_up: Callable[[], object] = lambda: None
        self.providers = [
            Provider("openai", "OpenAI", ("OPENAI_API_KEY",), "https://example.org/openai"),
            Provider("anthropic", "Anthropic", ("ANTHROPIC_API_KEY",), "https://example.org/anthropic"),
        ]
        self.key_store = FakeKeyStore()
        self.local_models: list[LlmModel] = []
        self.tests: dict[str, LlmTest] = {}
        self.devices = DeviceList(
            inputs=(DeviceChoiceInfo("Desk microphone", "ALSA", 48_000, 1, default=True),),
            outputs=(
                DeviceChoiceInfo("Speakers", "ALSA", 48_000, 2, default=True),
                DeviceChoiceInfo("Headset", "ALSA", 44_100, 2),
            ),
        )
        self.mic_result: MicTestResult | AppError = MicTestResult(
            "Desk microphone", np.zeros(72_000, dtype=np.float32), -32.0, -61.0, -14.0, "Good."
        )
        self.played: list[MicTestResult] = []
        self.rescans = 0
        self.recordings_folder = Path("nowhere")
        self.checks: list[tuple[str, Check]] = [("Sound", Check("PortAudio", CheckState.OK, "It is there."))]
        self.care: CrashCare | None = None

    @property
    def session(self) -> FakeSession:
        """The newest session."""
        return self.sessions[-1]

    def engines(self) -> Sequence[EngineInfo]:
        return [EngineInfo("lite", "Lite", "no GPU needed"), EngineInfo("cascade", "Cascade")]

    def llm_models(self) -> Sequence[LlmModel]:
        return list(self.models)

    def llm_choices(self) -> Sequence[LlmChoice]:
        labels = {provider.name: provider for provider in self.providers}
        choices: list[LlmChoice] = []
        for model in self.models:
            provider = labels.get(model.provider)
            if provider is None:
                group = "On this computer" if model.starter else "Your own"
                choices.append(LlmChoice(model, group))
            else:
                choices.append(LlmChoice(model, provider.label, self.key_store.source(provider)))
        return choices

    def discover_llms(self) -> Sequence[LlmChoice]:
        return [LlmChoice(model, "On this computer") for model in self.local_models]

    def test_llm(self, model: LlmModel) -> LlmTest:
        return self.tests.get(model.name, LlmTest(model, first_token_ms=412.0))

    def llm_providers(self) -> Sequence[Provider]:
        return list(self.providers)

    def keys(self) -> KeyStore:
        return self.key_store

    def audio_devices(self, *, rescan: bool = False) -> DeviceList:
        self.rescans += rescan
        return self.devices

    def test_microphone(self, level: Callable[[float], None]) -> MicTestResult:
        level(-32.0)
        if isinstance(self.mic_result, AppError):
            raise self.mic_result
        return self.mic_result

    def play(self, result: MicTestResult) -> None:
        self.played.append(result)

    def resolve_llm(self, name: str, api_base: str | None = None) -> LlmModel:
        if " " in name:
            raise BadInputError(f"'{name}' is not a model name.", "Write it as provider/model.")
        for model in self.models:
            if model.name == name:
                return model
        return LlmModel(name, name, api_base)

    def microphone_problem(self) -> str | None:
        return self.problem

    def sample_questions(self) -> Sequence[Path]:
        return list(self.samples)

    def warm_up(self) -> None:
        self.on_warm_up()

    def engine_problem(self, engine: str) -> AppError | None:
        return self.engine_problems.get(engine)

    def weights_to_get(self, engine: str) -> str | None:
        return self.missing_weights.get(engine)

    def weights(self) -> Downloader:
        assert self.downloader is not None
        return self.downloader

    def check_system(self, found: Callable[[str, Check], None], *, sound: bool) -> Sequence[tuple[str, Check]]:
        for part, check in self.checks:
            found(part, check)
        return list(self.checks)

    def diagnostics(self, checks: Sequence[tuple[str, Check]] = ()) -> str:
        return "diagnostics\n" + "\n".join(check.name for _, check in checks)

    def crash_care(self) -> CrashCare | None:
        return self.care

    def recordings(self) -> RecordingLibrary:
        return RecordingLibrary(self.recordings_folder)

    def loudspeaker(self) -> Loudspeaker | None:
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
        raise NotImplementedError

    def recording_options(self, request: SessionRequest) -> RecordingOptions:
        engine = {"name": request.engine, "label": request.engine.title()}
        llm = {"name": request.llm.name, "label": request.llm.label}
        return RecordingOptions(self.recordings_folder, meta_now(engine=engine, llm=llm, stt="", settings=Settings()))

    def open_session(self, request: SessionRequest) -> FakeSession:
        if self.refuses is not None:
            raise self.refuses
        session = FakeSession(request, self.script, hangs=self.hangs)
        self.sessions.append(session)
        return session
