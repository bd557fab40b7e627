"""The composition root: the only module that names concrete adapters, and it imports each when it is needed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kame_desktop.audio.base import AudioDevice, EchoCanceller, NoEchoCanceller
from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.backend.stt.base import StreamingStt
from kame_desktop.core import paths
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import Pcm, PcmFrame
from kame_desktop.core.clock import Clock, ManualClock, SystemClock
from kame_desktop.core.errors import AppError, AudioFileError, MissingError, MissingPackageError
from kame_desktop.core.settings import Settings, SettingsStore
from kame_desktop.frontends.base import SpeechFrontend
from kame_desktop.frontends.registry import EngineInfo, FrontendRegistry
from kame_desktop.session.frame_loop import FrameParts
from kame_desktop.session.oracle_driver import OracleOptions
from kame_desktop.session.oracle_scheduler import SchedulerOptions
from kame_desktop.session.services import SessionRequest
from kame_desktop.session.session import Session, SessionConfig, SessionParts

if TYPE_CHECKING:
    from kame_desktop.backend.stt.whisper import WhisperDecoder
    from kame_desktop.frontends.voice import Voice


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session over sound files, and what it heard and said (to be read once the session has stopped)."""

    session: Session
    heard: Callable[[], Pcm]
    spoken: Callable[[], Pcm]


class LoadedModels:
    """Models that stay in memory from one session to the next. Owner: the application; made when first asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._voice: Voice | None = None
        self._decoders: dict[str, WhisperDecoder] = {}

    def voice(self) -> Voice:
        """The text-to-speech voice, loaded or not. Any thread."""
        from kame_desktop.frontends.hibari_voice import HibariVoice

        with self._lock:
            if self._voice is None:
                self._voice = HibariVoice(keep_loaded=True)
            return self._voice

    def decoder(self, name: str) -> WhisperDecoder:
        """The speech-to-text model called ``name``, loaded or not; another one's weights are let go. Any thread."""
        from kame_desktop.backend.stt.whisper import WhisperDecoder

        with self._lock:
            if name not in self._decoders:
                self._decoders = {name: WhisperDecoder(name)}
            return self._decoders[name]


def engine_registry(models: LoadedModels) -> FrontendRegistry:
    """All engines; nothing of them is imported yet."""
    registry = FrontendRegistry()

    def lite(activity: Activity) -> SpeechFrontend:
        from kame_desktop.frontends.lite import LiteFrontend
        from kame_desktop.frontends.lite_policy import TANDEM

        return LiteFrontend(TANDEM, models.voice, activity)

    def cascade(activity: Activity) -> SpeechFrontend:
        from kame_desktop.frontends.lite import LiteFrontend
        from kame_desktop.frontends.lite_policy import CASCADE

        return LiteFrontend(CASCADE, models.voice, activity)

    registry.register(EngineInfo("lite", "Lite (any CPU)", "answers at once and corrects itself"), lite)
    registry.register(EngineInfo("cascade", "Cascade (to compare)", "waits for your last word, then thinks"), cascade)
    return registry


class Application:
    """What the window and the command line ask for (``session.services.Services`` and a little more).

    Owner: the thread that made it; sessions own their threads.
    """

    def __init__(self, settings_path: Path | None = None) -> None:
        self._store = SettingsStore(settings_path or paths.config_dir() / "settings.json")
        self._store.load()
        self._models = LoadedModels()
        self._registry = engine_registry(self._models)

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

    def microphone_problem(self) -> str | None:
        from kame_desktop.audio.device import microphone_problem

        return microphone_problem()

    def sample_questions(self) -> Sequence[Path]:
        return paths.sample_questions()

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
        if request.wav is not None:
            return self.open_recorded(request, [self.read_question(request.wav)]).session
        clock = SystemClock()
        activity = Activity()
        audio = self.settings.audio

        def device() -> AudioDevice:
            from kame_desktop.audio.device import PortAudioDevice

            return PortAudioDevice(audio.input_device, audio.output_device)

        echo = _echo_canceller if audio.echo_cancellation else NoEchoCanceller
        return self._session(request, clock, activity, device, echo, stt=None)

    def open_recorded(
        self, request: SessionRequest, clips: Sequence[Pcm], *, stt: str | None = None
    ) -> RecordedSession:
        """Make a session that hears ``clips`` one after the other, each once the answer to the one before is over."""
        from kame_desktop.audio.wav_device import WavDevice

        activity = Activity()
        clock = ManualClock(activity.begin, activity.end) if request.fast else None
        device = WavDevice(
            clips[0],
            more=clips[1:],
            name=request.wav.name if request.wav is not None else "sample questions",
            clock=clock,
            activity=activity,
            monitor=_loudspeaker() if request.monitor else None,
        )
        session = self._session(request, clock or SystemClock(), activity, lambda: device, NoEchoCanceller, stt=stt)
        return RecordedSession(session, device.heard, device.played)

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
        return run_window(self, self._store)

    @contextmanager
    def loopback_llm(
        self, first_token_s: float, chunks_per_s: float, chunks: int
    ) -> Iterator[tuple[StreamingLlm, LlmModel]]:
        """A server of fixed timing on the loopback, and a client and model to ask it (for the benchmark)."""
        from kame_desktop.backend.llm.loopback import LoopbackLlmServer

        with LoopbackLlmServer(first_token_s, chunks_per_s, chunks).in_thread() as server:
            yield _llm_client(), catalog.resolve("benchmark", server.api_base)

    def _session(
        self,
        request: SessionRequest,
        clock: Clock,
        activity: Activity,
        device: Callable[[], AudioDevice],
        echo: Callable[[], EchoCanceller],
        *,
        stt: str | None,
    ) -> Session:
        frontend = self._registry.create(request.engine, activity)
        llm = self.settings.llm

        def frame_parts() -> FrameParts:
            from kame_desktop.audio.turns import VadTurnDetector
            from kame_desktop.audio.vad import SileroVad

            return FrameParts(frontend, device(), VadTurnDetector(SileroVad()), echo())

        def speech_to_text() -> StreamingStt:
            from kame_desktop.backend.stt.whisper import WhisperStt

            return WhisperStt(self._models.decoder(stt or self.settings.stt), activity, keep_loaded=True)

        config = SessionConfig(
            model=request.llm,
            scheduler=SchedulerOptions(
                min_spacing_ms=llm.min_spacing_ms,
                speculate=llm.speculate and frontend.capabilities.speculates,
            ),
            oracle=OracleOptions(system_prompt=llm.system_prompt),
        )
        return Session(config, SessionParts(frame_parts, speech_to_text, _llm_client, clock, activity))


def _llm_client() -> StreamingLlm:
    from kame_desktop.backend.llm.litellm_client import LiteLlmClient
    from kame_desktop.backend.llm.starter import StarterServer

    return LiteLlmClient(StarterServer)


def _echo_canceller() -> EchoCanceller:
    from kame_desktop.audio.echo import WebRtcEchoCanceller

    try:
        return WebRtcEchoCanceller()
    except MissingPackageError:
        return NoEchoCanceller()


def _loudspeaker() -> Callable[[PcmFrame], None] | None:
    """Plays a file run aloud; None where there is no loudspeaker."""
    from kame_desktop.audio.device import Loudspeaker

    try:
        return Loudspeaker().write
    except AppError:
        return None
