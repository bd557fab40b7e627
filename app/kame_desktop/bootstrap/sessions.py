"""Makes sessions: each part by the adapter that the request and the settings want."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from kame_desktop.audio.base import AudioControls, AudioDevice, EchoCanceller, Loudspeaker, NoEchoCanceller
from kame_desktop.audio.level import listening_gain
from kame_desktop.backend.llm.base import StreamingLlm
from kame_desktop.backend.llm.weather import Weather, WeatheredLlm
from kame_desktop.backend.stt.base import StreamingStt
from kame_desktop.bootstrap.language_models import LanguageModels
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import Pcm
from kame_desktop.core.clock import Clock, ManualClock, SystemClock
from kame_desktop.core.errors import AppError, MissingPackageError
from kame_desktop.core.settings import AudioSettings, Settings
from kame_desktop.frontends.base import SpeechFrontend
from kame_desktop.loaded_models import LoadedModels
from kame_desktop.session.frame_loop import FrameParts
from kame_desktop.session.oracle_options import SchedulerOptions
from kame_desktop.session.services import SessionRequest
from kame_desktop.session.session import Session, SessionConfig, SessionParts

if TYPE_CHECKING:
    from kame_desktop.audio.wav_device import WavDevice
    from kame_desktop.session.usage_ledger import UsageLedger

FrontendMaker: TypeAlias = Callable[[Activity], SpeechFrontend]
"""Makes the front end of one session."""


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


def audio_controls(audio: AudioSettings) -> AudioControls:
    """What the settings say of the sound."""
    return AudioControls(
        push_to_talk=audio.push_to_talk,
        mute_while_speaking=audio.mute_while_speaking,
        volume=audio.volume,
        headphones=audio.headphones,
        echo_cancellation=audio.echo_cancellation,
        noise_suppression=audio.noise_suppression,
        automatic_gain=audio.automatic_gain,
    )


class SessionMaker:
    """See the module's text. Owner: the thread that asks.

    Args:
        settings: The present settings.
        models: Models that stay loaded.
        llms: Language models.
        read_question: Reads a sound file in which somebody speaks.
        weather: The network between every session and its language model.
        ledger: Where each day's usage is kept.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        models: LoadedModels,
        llms: LanguageModels,
        read_question: Callable[[Path], Pcm],
        weather: Weather,
        ledger: UsageLedger | None,
    ) -> None:
        self._settings = settings
        self._models = models
        self._llms = llms
        self._read_question = read_question
        self._weather = weather
        self._ledger = ledger

    def open(self, request: SessionRequest, frontend: FrontendMaker) -> Session:
        """A session of the microphone, or of the request's sound file."""
        activity = Activity()
        if request.wav is None:
            return self._make(request, frontend(activity), SystemClock(), activity, self._hardware, stt=None)
        wav = request.wav
        clock = ManualClock(activity.begin, activity.end) if request.fast else None

        def recording() -> Hearing:
            clip = self._read_question(wav)
            device = _wav_device(request, [clip], clock, activity)
            return Hearing(device, NoEchoCanceller(), listening_gain(clip))

        return self._make(request, frontend(activity), clock or SystemClock(), activity, recording, stt=None)

    def open_recorded(
        self,
        request: SessionRequest,
        frontend: FrontendMaker,
        clips: Sequence[Pcm],
        *,
        stt: str | None,
        weather: Weather | None,
    ) -> RecordedSession:
        """A session that hears ``clips`` one after the other, each once the answer to the one before is over.

        ``weather`` replaces the program's.
        """
        activity = Activity()
        clock = ManualClock(activity.begin, activity.end) if request.fast else None
        device = _wav_device(request, clips, clock, activity)
        hearing = Hearing(device, NoEchoCanceller(), listening_gain(*clips))
        session = self._make(
            request,
            frontend(activity),
            clock or SystemClock(),
            activity,
            lambda: hearing,
            stt=stt,
            weather=weather,
        )
        return RecordedSession(session, device.heard, device.played)

    def _hardware(self) -> Hearing:
        from kame_desktop.audio.device import PortAudioDevice

        audio = self._settings().audio
        return Hearing(PortAudioDevice(audio.input_device, audio.output_device), _echo_canceller())

    def _make(
        self,
        request: SessionRequest,
        frontend: SpeechFrontend,
        clock: Clock,
        activity: Activity,
        hearing: Callable[[], Hearing],
        *,
        stt: str | None,
        weather: Weather | None = None,
    ) -> Session:
        settings = self._settings()
        listeners = itertools.count()

        def frame_parts() -> FrameParts:
            from kame_desktop.audio.turns import VadTurnDetector
            from kame_desktop.audio.vad import SileroVad

            heard = hearing()
            return FrameParts(frontend, heard.device, VadTurnDetector(SileroVad(), gain=heard.gain), heard.echo)

        def speech_to_text() -> StreamingStt:
            from kame_desktop.backend.stt.whisper import WhisperStt

            name = settings.stt if stt is None else stt
            if next(listeners):
                self._models.forget_decoder(name)  # it is asked for again after a crash
            return WhisperStt(self._models.decoder(name), activity, keep_loaded=True)

        def language_model() -> StreamingLlm:
            network = self._weather if weather is None else weather
            client = self._llms.client()
            return client if network.calm else WeatheredLlm(client, network, clock)

        speculates = frontend.capabilities.speculates
        config = SessionConfig(
            model=request.llm,
            scheduler=SchedulerOptions(
                min_spacing_ms=settings.llm.min_spacing_ms, speculate=settings.llm.speculate and speculates
            ),
            oracle=self._llms.oracle_options(),
            controls=AudioControls() if request.wav is not None else audio_controls(settings.audio),
        )
        parts = SessionParts(frame_parts, speech_to_text, language_model, clock, activity, self._ledger)
        return Session(config, parts)


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
    from kame_desktop.audio.sound_chain import SoundChain

    try:
        return SoundChain()
    except MissingPackageError:
        return NoEchoCanceller()


def _loudspeaker() -> Loudspeaker | None:
    """Plays a file run aloud; None where there is no loudspeaker."""
    from kame_desktop.audio.device import PortAudioLoudspeaker

    try:
        return PortAudioLoudspeaker()
    except AppError:
        return None
