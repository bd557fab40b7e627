"""The composition root: the only module that names concrete adapters, and it imports each when it is needed."""

from __future__ import annotations

import importlib.util
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kame_desktop.audio.base import AudioDevice, EchoCanceller, Loudspeaker, NoEchoCanceller
from kame_desktop.audio.level import listening_gain
from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.backend.stt.base import StreamingStt
from kame_desktop.core import paths
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import Pcm
from kame_desktop.core.clock import Clock, ManualClock, SystemClock
from kame_desktop.core.errors import AppError, AudioFileError, BadInputError, MissingError, MissingPackageError
from kame_desktop.core.heap import spare_the_collector
from kame_desktop.core.model_files import missing_package
from kame_desktop.core.settings import Settings, SettingsStore
from kame_desktop.core.telemetry import refuse_telemetry
from kame_desktop.frontends.base import SpeechFrontend
from kame_desktop.frontends.registry import NO_OPTIONS, EngineInfo, EngineOptions, FrontendRegistry
from kame_desktop.loaded_models import LoadedModels
from kame_desktop.session.frame_loop import FrameParts
from kame_desktop.session.oracle_driver import OracleOptions
from kame_desktop.session.oracle_scheduler import SchedulerOptions
from kame_desktop.session.services import SessionRequest
from kame_desktop.session.session import Session, SessionConfig, SessionParts

if TYPE_CHECKING:
    from kame_desktop.audio.wav_device import WavDevice
    from kame_desktop.weights.download import Downloader
    from kame_desktop.weights.store import WeightStore

_SPEAKING_ENGINES = ("lite", "cascade")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session over sound files, and what it heard and said (to be read once the session has stopped)."""

    session: Session
    heard: Callable[[], Pcm]
    spoken: Callable[[], Pcm]


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a session listens with. ``gain``: what the turn detector raises the sound by."""

    device: AudioDevice
    echo: EchoCanceller
    gain: float = 1.0


def engine_registry(models: LoadedModels, store: Callable[[], WeightStore]) -> FrontendRegistry:
    """All engines; nothing of them is imported yet. ``store``: where the large ones' weights are."""
    registry = FrontendRegistry()

    def lite(activity: Activity, options: EngineOptions) -> SpeechFrontend:
        from kame_desktop.frontends.lite import LiteFrontend
        from kame_desktop.frontends.lite_policy import TANDEM

        models.release_speech_model()
        return LiteFrontend(TANDEM, models.voice, activity)

    def cascade(activity: Activity, options: EngineOptions) -> SpeechFrontend:
        from kame_desktop.frontends.lite import LiteFrontend
        from kame_desktop.frontends.lite_policy import CASCADE

        models.release_speech_model()
        return LiteFrontend(CASCADE, models.voice, activity)

    def kame(activity: Activity, options: EngineOptions) -> SpeechFrontend:
        return models.speech_model("kame", options, activity, store)

    def moshi(activity: Activity, options: EngineOptions) -> SpeechFrontend:
        return models.speech_model("moshi", options, activity, store)

    registry.register(EngineInfo("lite", "Lite (any CPU)", "answers at once and corrects itself"), lite)
    registry.register(EngineInfo("cascade", "Cascade (to compare)", "waits for your last word, then thinks"), cascade)
    registry.register(EngineInfo("kame", "KAME (GPU)", "speech to speech, steered by the language model"), kame)
    registry.register(EngineInfo("moshi", "Moshi (GPU)", "speech to speech, by itself"), moshi)
    return registry


class Application:
    """What the window and the command line ask for (``session.services.Services`` and a little more).

    Owner: the thread that made it; sessions own their threads.
    """

    def __init__(self, settings_path: Path | None = None) -> None:
        refuse_telemetry()
        self._store = SettingsStore(settings_path or paths.config_dir() / "settings.json")
        self._store.load()
        self._models = LoadedModels()
        self._keep_starter = False
        self._session_opened = False
        self._weights: Downloader | None = None
        self._registry = engine_registry(self._models, lambda: self.weights().store)

    @property
    def settings(self) -> Settings:
        """The user's settings."""
        return self._store.settings

    @property
    def settings_warning(self) -> str | None:
        """What was wrong with the settings file, if anything."""
        return self._store.warning

    # Choices -------------------------------------------------------------------------------------------------------

    def engines(self) -> Sequence[EngineInfo]:
        return self._registry.engines()

    def llm_models(self) -> Sequence[LlmModel]:
        return catalog.available(self.settings.llm)

    def resolve_llm(self, name: str, api_base: str | None = None) -> LlmModel:
        return catalog.resolve(name, api_base)

    def chosen_llm(self) -> LlmModel:
        """The language model of the settings. Raises BadInputError when it can't be one."""
        return catalog.chosen(self.settings.llm)

    def microphone_problem(self) -> str | None:
        from kame_desktop.audio.portaudio import microphone_problem

        return microphone_problem()

    def sample_questions(self) -> Sequence[Path]:
        return paths.sample_questions()

    # Large models --------------------------------------------------------------------------------------------------

    def weights(self) -> Downloader:
        """Where large models' weights are, and how to get them. Main thread first."""
        from kame_desktop.weights.download import Downloader
        from kame_desktop.weights.store import WeightStore

        if self._weights is None:
            self._weights = Downloader(WeightStore())
        return self._weights

    def engine_problem(self, engine: str) -> AppError | None:
        if engine in _SPEAKING_ENGINES:
            return None
        for package in ("torch", "moshi"):
            if importlib.util.find_spec(package) is None:
                return missing_package(package, "gpu", component="front end")
        return None

    def weights_to_get(self, engine: str) -> str | None:
        if engine in _SPEAKING_ENGINES:
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

        if engine in _SPEAKING_ENGINES:
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

    # Files ---------------------------------------------------------------------------------------------------------

    def read_question(self, path: Path) -> Pcm:
        """Read a WAV in which somebody speaks, at model rate. Raises AudioFileError, MissingPackageError."""
        from kame_desktop.audio.file import assert_speech, read_wav
        from kame_desktop.audio.vad import SileroVad

        pcm = read_wav(path)
        assert_speech(pcm, SileroVad(), path.name)
        return pcm

    def check_writable(self, path: Path) -> None:
        """Raise AudioFileError when ``path`` can't be written; leaves nothing behind."""
        from kame_desktop.audio.file import check_writable

        check_writable(path)

    def write_answer(self, path: Path, recorded: RecordedSession) -> None:
        """Write what was heard (left) and spoken (right). Raises AudioFileError."""
        from kame_desktop.audio.file import write_answer_wav

        write_answer_wav(path, recorded.heard(), recorded.spoken())

    def new_answer_path(self, name: str) -> Path:
        """A fresh file name in the user's folder of answers, which is made when missing. Raises AudioFileError."""
        folder = paths.data_dir() / "answers"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            raise AudioFileError(f"The folder {folder} can't be made.", "Use --out to write somewhere else.") from None
        return folder / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}.wav"

    # Sessions ------------------------------------------------------------------------------------------------------

    def open_session(self, request: SessionRequest) -> Session:
        activity = Activity()
        if request.wav is not None:
            wav = request.wav
            clock = ManualClock(activity.begin, activity.end) if request.fast else None

            def recording() -> Hearing:
                clip = self.read_question(wav)
                device = _wav_device(request, [clip], clock, activity)
                return Hearing(device, NoEchoCanceller(), listening_gain(clip))

            return self._session(request, clock or SystemClock(), activity, recording, stt=None)
        audio = self.settings.audio

        def hardware() -> Hearing:
            from kame_desktop.audio.device import PortAudioDevice

            echo = _echo_canceller() if audio.echo_cancellation else NoEchoCanceller()
            return Hearing(PortAudioDevice(audio.input_device, audio.output_device), echo)

        return self._session(request, SystemClock(), activity, hardware, stt=None)

    def open_recorded(
        self, request: SessionRequest, clips: Sequence[Pcm], *, stt: str | None = None
    ) -> RecordedSession:
        """Make a session that hears ``clips`` one after the other, each once the answer to the one before is over."""
        activity = Activity()
        clock = ManualClock(activity.begin, activity.end) if request.fast else None
        device = _wav_device(request, clips, clock, activity)
        hearing = Hearing(device, NoEchoCanceller(), listening_gain(*clips))
        session = self._session(request, clock or SystemClock(), activity, lambda: hearing, stt=stt)
        return RecordedSession(session, device.heard, device.played)

    def warm_up(self) -> None:
        """Load in the background what the next conversation needs; returns at once. A failure is told by that one."""
        for name, work in (("warm-up-llm", self._load_llm), ("warm-up-models", self._load_models)):
            threading.Thread(target=_quietly, args=(work,), name=name, daemon=True).start()

    def close(self) -> None:
        """End what would outlast the program."""
        self._models.close()

    def run_window(self) -> int:
        """Open the window; returns its exit code. Raises MissingError when there is no display."""
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
            return run_window(self, self._store)
        finally:
            self.close()

    @contextmanager
    def loopback_llm(
        self, first_token_s: float, chunks_per_s: float, chunks: int
    ) -> Iterator[tuple[StreamingLlm, LlmModel]]:
        """A server of fixed timing on the loopback, and a client and model to ask it (for the benchmark)."""
        from kame_desktop.backend.llm.loopback import LoopbackLlmServer

        with LoopbackLlmServer(first_token_s, chunks_per_s, chunks).in_thread() as server:
            yield self._llm_client(), catalog.resolve("benchmark", server.api_base)

    def _session(
        self,
        request: SessionRequest,
        clock: Clock,
        activity: Activity,
        hearing: Callable[[], Hearing],
        *,
        stt: str | None,
    ) -> Session:
        options = self.engine_options(request.engine) if request.options == NO_OPTIONS else request.options
        self._session_opened = True
        frontend = self._registry.create(request.engine, activity, options)
        problem = self.engine_problem(request.engine)
        if problem is not None:
            raise problem
        llm = self.settings.llm

        def frame_parts() -> FrameParts:
            from kame_desktop.audio.turns import VadTurnDetector
            from kame_desktop.audio.vad import SileroVad

            heard = hearing()
            return FrameParts(frontend, heard.device, VadTurnDetector(SileroVad(), gain=heard.gain), heard.echo)

        def speech_to_text() -> StreamingStt:
            from kame_desktop.backend.stt.whisper import WhisperStt

            name = self.settings.stt if stt is None else stt
            return WhisperStt(self._models.decoder(name), activity, keep_loaded=True)

        config = SessionConfig(
            model=request.llm,
            scheduler=SchedulerOptions(
                min_spacing_ms=llm.min_spacing_ms,
                speculate=llm.speculate and frontend.capabilities.speculates,
            ),
            oracle=OracleOptions(system_prompt=llm.system_prompt),
        )
        return Session(config, SessionParts(frame_parts, speech_to_text, self._llm_client, clock, activity))

    def _llm_client(self) -> StreamingLlm:
        from kame_desktop.backend.llm.litellm_client import LiteLlmClient
        from kame_desktop.backend.llm.starter import StarterServer

        return LiteLlmClient(self._models.starter().lease if self._keep_starter else StarterServer)

    def _load_llm(self) -> None:
        from kame_desktop.backend.llm.litellm_client import begin_import

        library = begin_import()
        if self._keep_starter and self.chosen_llm().starter:
            self._models.starter().running()
        library.result()
        if not self._session_opened:
            spare_the_collector()

    def _load_models(self) -> None:
        if self.settings.engine in _SPEAKING_ENGINES:
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


def _wav_device(
    request: SessionRequest, clips: Sequence[Pcm], clock: ManualClock | None, activity: Activity
) -> WavDevice:
    from kame_desktop.audio.wav_device import WavDevice

    return WavDevice(
        clips[0],
        more=clips[1:],
        name=request.wav.name if request.wav is not None else "sample questions",
        clock=clock,
        activity=activity,
        monitor=_loudspeaker if request.monitor else None,
    )


def _echo_canceller() -> EchoCanceller:
    from kame_desktop.audio.echo import WebRtcEchoCanceller

    try:
        return WebRtcEchoCanceller()
    except MissingPackageError:
        return NoEchoCanceller()


def _loudspeaker() -> Loudspeaker | None:
    """Plays a file run aloud; None where there is no loudspeaker."""
    from kame_desktop.audio.device import PortAudioLoudspeaker

    try:
        return PortAudioLoudspeaker()
    except AppError:
        return None
