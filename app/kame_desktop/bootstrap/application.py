"""The program as the window and the command line see it."""

from __future__ import annotations

import importlib.util
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kame_desktop.audio.base import DeviceList, Loudspeaker, MicTestResult
from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import KeyStore, LlmChoice, LlmModel, LlmTest, Provider, StreamingLlm
from kame_desktop.backend.llm.weather import Weather
from kame_desktop.bootstrap.diagnosis import Diagnosis, Part
from kame_desktop.bootstrap.engines import SPEAKING_ENGINES, engine_registry
from kame_desktop.bootstrap.language_models import LanguageModels
from kame_desktop.bootstrap.replaying import Replaying
from kame_desktop.bootstrap.sessions import FrontendMaker, RecordedSession, SessionMaker
from kame_desktop.bootstrap.sound import Sound
from kame_desktop.core import paths
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import Pcm
from kame_desktop.core.checks import Check
from kame_desktop.core.crash_care import CrashCare
from kame_desktop.core.errors import AppError, AudioFileError, BadInputError, MissingError
from kame_desktop.core.events import Event
from kame_desktop.core.heap import spare_the_collector
from kame_desktop.core.model_files import missing_package
from kame_desktop.core.settings import Settings, SettingsStore
from kame_desktop.core.telemetry import refuse_telemetry
from kame_desktop.frontends.base import SpeechFrontend
from kame_desktop.frontends.registry import NO_OPTIONS, EngineInfo, EngineOptions
from kame_desktop.loaded_models import LoadedModels
from kame_desktop.recordings.format import RecordingOptions, meta_now
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.session.reask import Reasked, Reasking
from kame_desktop.session.services import SessionRequest
from kame_desktop.session.session import Session
from kame_desktop.session.usage_ledger import UsageLedger

if TYPE_CHECKING:
    from kame_desktop.backend.llm.base import LocalServer
    from kame_desktop.weights.download import Downloader

_log = logging.getLogger(__name__)


class Application:
    """What the window and the command line ask for (``session.services.Services`` and a little more).

    Owner: the thread that made it; sessions own their threads.

    Args:
        settings_path: Where the settings are; None: in the user's folder.
        weather: The network between every session and its language model; None: as it is.
    """

    def __init__(self, settings_path: Path | None = None, *, weather: Weather | None = None) -> None:
        refuse_telemetry()
        self._store = SettingsStore(settings_path or paths.config_dir() / "settings.json")
        self._store.load()
        self._models = LoadedModels()
        self._keep_starter = False
        self._session_opened = False
        self._care: CrashCare | None = None
        self._weights: Downloader | None = None
        self._registry = engine_registry(self._models, lambda: self.weights().store)
        self._sound = Sound(lambda: self.settings.audio)
        self._llms = LanguageModels(self._store, self._starter)
        self._diagnosis = Diagnosis(self, self._llms, self._sound, lambda: self._care)
        ledger = UsageLedger(paths.data_dir() / "usage.json")
        self._replaying = Replaying(lambda: self.settings, self._llms, ledger)
        self._sessions = SessionMaker(
            lambda: self.settings,
            self._models,
            self._llms,
            self._sound.read_question,
            weather or Weather(),
            ledger,
        )

    @property
    def settings(self) -> Settings:
        """The user's settings."""
        return self._store.settings

    @property
    def settings_warning(self) -> str | None:
        """What was wrong with the settings file, if anything."""
        return self._store.warning

    # Language models -----------------------------------------------------------------------------------------------

    def llm_models(self) -> Sequence[LlmModel]:
        return self._llms.available()

    def llm_choices(self) -> Sequence[LlmChoice]:
        return self._llms.choices()

    def discover_llms(self) -> Sequence[LlmChoice]:
        return self._llms.discover()

    def test_llm(self, model: LlmModel) -> LlmTest:
        return self._llms.test(model)

    def llm_providers(self) -> Sequence[Provider]:
        return self._llms.providers()

    def keys(self) -> KeyStore:
        return self._llms.keys

    def resolve_llm(self, name: str, api_base: str | None = None) -> LlmModel:
        return catalog.resolve(name, api_base)

    def chosen_llm(self) -> LlmModel:
        """The language model of the settings. Raises BadInputError when it can't be one."""
        return self._llms.chosen()

    def loopback_llm(
        self, first_token_s: float, chunks_per_s: float, chunks: int
    ) -> AbstractContextManager[tuple[StreamingLlm, LlmModel]]:
        """A server of fixed timing on the loopback, and a client and model to ask it (for the benchmarks)."""
        return self._llms.loopback(first_token_s, chunks_per_s, chunks)

    def _starter(self) -> LocalServer:
        """The window keeps the starter's server from one conversation to the next."""
        from kame_desktop.backend.llm.starter import StarterServer

        return self._models.starter().lease() if self._keep_starter else StarterServer()

    # Sound ---------------------------------------------------------------------------------------------------------

    def microphone_problem(self) -> str | None:
        return self._sound.microphone_problem()

    def audio_devices(self, *, rescan: bool = False) -> DeviceList:
        return self._sound.devices(rescan=rescan)

    def test_microphone(self, level: Callable[[float], None]) -> MicTestResult:
        return self._sound.test_microphone(level)

    def play(self, result: MicTestResult) -> None:
        self._sound.play(result)

    def sample_questions(self) -> Sequence[Path]:
        return paths.sample_questions()

    def read_question(self, path: Path) -> Pcm:
        """Read a WAV in which somebody speaks, at model rate. Raises AudioFileError, MissingPackageError."""
        return self._sound.read_question(path)

    def check_writable(self, path: Path) -> None:
        """Raise AudioFileError when ``path`` can't be written; leaves nothing behind."""
        self._sound.check_writable(path)

    def write_answer(self, path: Path, recorded: RecordedSession) -> None:
        """Write what was heard (left) and spoken (right). Raises AudioFileError."""
        self._sound.write_answer(path, recorded)

    def write_recording(self, path: Path, result: MicTestResult) -> None:
        """Write a microphone test. Raises AudioFileError."""
        from kame_desktop.audio.file import write_mono_wav

        write_mono_wav(path, result.pcm)

    def new_answer_path(self, name: str) -> Path:
        """A fresh file name in the user's folder of answers, which is made when missing. Raises AudioFileError."""
        folder = paths.data_dir() / "answers"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            raise AudioFileError(f"The folder {folder} can't be made.", "Use --out to write somewhere else.") from None
        return folder / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}.wav"

    # Trouble -------------------------------------------------------------------------------------------------------

    def doctor_parts(self, *, network: bool = False) -> Sequence[Part]:
        """What ``kame-desktop doctor`` looks at; ``network``: also whether others can be reached."""
        return self._diagnosis.parts(network=network)

    def check_system(self, found: Callable[[str, Check], None], *, sound: bool = True) -> Sequence[tuple[str, Check]]:
        return self._diagnosis.check(found, sound=sound)

    def diagnostics(self, checks: Sequence[tuple[str, Check]] = ()) -> str:
        return self._diagnosis.text(checks)

    def crash_care(self) -> CrashCare | None:
        return self._care

    # Recordings ----------------------------------------------------------------------------------------------------

    def recordings(self) -> RecordingLibrary:
        return RecordingLibrary(paths.data_dir() / "recordings")

    def recording_options(self, request: SessionRequest) -> RecordingOptions:
        labels = {info.name: info.label for info in self.engines()}
        meta = meta_now(
            engine={"name": request.engine, "label": labels.get(request.engine, request.engine)},
            llm={"name": request.llm.name, "label": request.llm.label},
            stt=self.settings.stt,
            settings=self.settings,
        )
        return RecordingOptions(paths.data_dir() / "recordings", meta, self.settings.recording.raw_microphone)

    def loudspeaker(self) -> Loudspeaker | None:
        return self._replaying.loudspeaker()

    def reasking(
        self,
        events: Iterable[Event],
        model: LlmModel,
        *,
        series: int,
        tell: Callable[[Sequence[Event]], None],
        done: Callable[[Reasked | AppError], None],
        finals_only: bool = False,
    ) -> Reasking:
        return self._replaying.reasking(events, model, series=series, tell=tell, done=done, finals_only=finals_only)

    # Engines -------------------------------------------------------------------------------------------------------

    def engines(self) -> Sequence[EngineInfo]:
        return self._registry.engines()

    def weights(self) -> Downloader:
        """Where large models' weights are, and how to get them. Main thread first."""
        from kame_desktop.weights.download import Downloader
        from kame_desktop.weights.store import WeightStore

        if self._weights is None:
            self._weights = Downloader(WeightStore())
        return self._weights

    def engine_problem(self, engine: str) -> AppError | None:
        if engine in SPEAKING_ENGINES:
            return None
        for package in ("torch", "moshi"):
            if importlib.util.find_spec(package) is None:
                return missing_package(package, "gpu", component="front end")
        return None

    def weights_to_get(self, engine: str) -> str | None:
        if engine in SPEAKING_ENGINES:
            return None
        name = self.engine_options(engine).checkpoint or engine
        return name if self.weights().store.find(name) is None else None

    def engine_options(self, engine: str) -> EngineOptions:
        """What the settings say of an engine."""
        return EngineOptions(checkpoint=self.settings.checkpoints.get(engine))

    def measure_frames(
        self,
        engine: str,
        checkpoint: Path | None,
        *,
        device: str | None,
        quantize: str | None,
        rounds: int,
        progress: Callable[[float, str], None],
    ) -> dict[str, Any]:
        """Load a speech-to-speech engine on this thread and measure its frames. Raises AppError."""
        from kame_desktop.frontends.kame import KameFrontend
        from kame_desktop.frontends.kame_bench import measure_frames

        if engine in SPEAKING_ENGINES:
            raise BadInputError(f"The engine '{engine}' has no frames to measure.", "Choose kame or moshi.")
        problem = self.engine_problem(engine)
        if problem is not None:
            raise problem
        name = str(checkpoint) if checkpoint is not None else engine
        frontend = KameFrontend(
            lambda: self.weights().store.resolve(name),
            steer=engine == "kame",
            activity=Activity(),
            device=device,
            quantize=quantize,
        )
        return measure_frames(frontend, rounds=rounds, progress=progress)

    # Sessions ------------------------------------------------------------------------------------------------------

    def open_session(self, request: SessionRequest) -> Session:
        return self._sessions.open(request, self._frontend(request))

    def open_recorded(
        self,
        request: SessionRequest,
        clips: Sequence[Pcm],
        *,
        stt: str | None = None,
        weather: Weather | None = None,
    ) -> RecordedSession:
        """Make a session that hears ``clips`` one after the other, each once the answer to the one before is over.

        ``weather`` replaces the application's.
        """
        return self._sessions.open_recorded(request, self._frontend(request), clips, stt=stt, weather=weather)

    def _frontend(self, request: SessionRequest) -> FrontendMaker:
        options = self.engine_options(request.engine) if request.options == NO_OPTIONS else request.options

        def make(activity: Activity) -> SpeechFrontend:
            self._session_opened = True
            frontend = self._registry.create(request.engine, activity, options)
            problem = self.engine_problem(request.engine)
            if problem is not None:
                raise problem
            return frontend

        return make

    # Life ----------------------------------------------------------------------------------------------------------

    def warm_up(self) -> None:
        """Load in the background what the next conversation needs; returns at once. A failure is told by that one."""
        for name, work in (
            ("warm-up-llm", self._load_llm),
            ("warm-up-models", self._load_models),
            ("old-recordings", self._delete_old_recordings),
        ):
            threading.Thread(target=_quietly, args=(work,), name=name, daemon=True).start()

    def _delete_old_recordings(self) -> None:
        days = self.settings.recording.delete_after_days
        if days is not None:
            self.recordings().delete_older_than(days)

    def close(self) -> None:
        """End what would outlast the program."""
        self._models.close()

    def run_window(self, recording: Path | None = None) -> int:
        """Open the window, with a recording if one is given; returns its exit code.

        Raises MissingError when there is no display.
        """
        try:
            from kame_desktop.ui.app import run_window
        except ImportError as error:
            library = getattr(error, "name", None) or str(error).split(":")[0]
            raise MissingError(
                f"The window needs a library that is not installed ({library}).",
                "In a checkout 'make run' installs it; on Debian or Ubuntu: apt install libegl1 libgl1 libxkbcommon0.",
                component="window",
            ) from None
        self._keep_starter = True
        try:
            with CrashCare(paths.state_dir()) as self._care:
                return run_window(self, self._store, recording)
        finally:
            self.close()

    def _load_llm(self) -> None:
        from kame_desktop.backend.llm.litellm_client import begin_import

        library = begin_import()
        if self._keep_starter and self.chosen_llm().starter:
            self._models.starter().running()
        library.result()
        if not self._session_opened:
            spare_the_collector()

    def _load_models(self) -> None:
        if self.settings.engine in SPEAKING_ENGINES:
            from kame_desktop.frontends.lite_policy import fixed_phrases

            voice = self._models.voice()
            voice.load()
            for key in fixed_phrases():
                voice.speak(key)
        self._models.decoder(self.settings.stt).load()


def _quietly(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception as error:  # noqa: BLE001 - the conversation that needs it meets it too, and says so
        _log.info("A part could not be loaded ahead: %s", type(error).__name__)
