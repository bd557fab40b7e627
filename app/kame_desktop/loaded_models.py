"""Models that stay in memory from one session to the next. With ``bootstrap`` the only module that names adapters."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from kame_desktop.core.activity import Activity
from kame_desktop.frontends.base import SpeechFrontend
from kame_desktop.frontends.registry import EngineOptions

if TYPE_CHECKING:
    from kame_desktop.backend.llm.kept_server import KeptServer
    from kame_desktop.backend.stt.whisper import WhisperDecoder
    from kame_desktop.frontends.kame import KameFrontend
    from kame_desktop.frontends.voice import Voice
    from kame_desktop.weights.store import WeightStore


class LoadedModels:
    """Models that stay in memory from one session to the next. Owner: the application; made when first asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._starter: KeptServer | None = None
        self._voice: Voice | None = None
        self._decoders: dict[str, WhisperDecoder] = {}
        self._speech_model: tuple[tuple[str, EngineOptions], KameFrontend] | None = None

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

    def forget_decoder(self, name: str) -> None:
        """The next one to ask gets another speech-to-text model: this one has crashed. Any thread."""
        with self._lock:
            self._decoders.pop(name, None)

    def starter(self) -> KeptServer:
        """The server of the starter model, running or not; it goes on until ``close``. Any thread."""
        from kame_desktop.backend.llm.kept_server import KeptServer
        from kame_desktop.backend.llm.starter import StarterServer

        with self._lock:
            if self._starter is None:
                self._starter = KeptServer(StarterServer)
            return self._starter

    def speech_model(
        self, engine: str, options: EngineOptions, activity: Activity, store: Callable[[], WeightStore]
    ) -> SpeechFrontend:
        """The speech-to-speech front end, loaded or not; one of other options is let go first. Any thread."""
        from kame_desktop.frontends.kame import KameFrontend

        wanted = (engine, options)
        with self._lock:
            known = self._speech_model
            if known is not None and known[0] == wanted:
                return known[1]
        self.release_speech_model()
        frontend = KameFrontend(
            lambda: store().resolve(options.checkpoint or engine),
            steer=engine == "kame",
            activity=activity,
            device=options.device,
            quantize=options.quantize,
            keep_loaded=True,
        )
        with self._lock:
            self._speech_model = (wanted, frontend)
        return frontend

    def release_speech_model(self) -> None:
        """Let go of the speech-to-speech model's memory. Any thread; no session may be using it."""
        with self._lock:
            known, self._speech_model = self._speech_model, None
        if known is not None:
            known[1].release()

    def close(self) -> None:
        """End what would outlast the program."""
        with self._lock:
            starter = self._starter
        if starter is not None:
            starter.close()
