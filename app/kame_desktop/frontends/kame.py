"""The speech-to-speech model of the paper: engines ``kame`` (Moshi with the fourth stream) and ``moshi`` (without).

A frame: Mimi encodes 80 ms of the user's sound into codes; the oracle's id is written; ``LMGen`` predicts one text id
and the codes of the assistant's sound; Mimi decodes them. Until the model's delays are filled ``LMGen`` gives nothing,
and silence is played. The protocol is that of moshi 0.2.13 (``moshi.server``): the first frame is encoded, then Mimi's
streaming state is reset once, so that the second frame sees the padding of a beginning. The model hears and speaks at
the same time and takes turns by itself: it is never interrupted from outside.

``KameFrontend`` owns model, codec and generation state and lives on the frame thread; ``kame_generation`` makes the
three calls.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_SAMPLES, SILENT_ACTIVITY, silence_frame
from kame_desktop.core.errors import AppError
from kame_desktop.core.events import SpokenKind
from kame_desktop.frontends.base import (
    NO_ORACLE,
    Capabilities,
    FrontendInput,
    FrontendOutput,
    LoadProgress,
    SpokenWord,
)
from kame_desktop.frontends.kame_checkpoint import load_codec, load_pieces, open_checkpoint, weight_bytes
from kame_desktop.frontends.kame_device import (
    DeviceChoice,
    DeviceProbe,
    check_memory,
    check_options,
    choose_device,
    out_of_memory,
    slow_note,
)
from kame_desktop.frontends.kame_generation import Generation, GenerationOptions, TorchProbe
from kame_desktop.frontends.kame_speech import AgentSpeech
from kame_desktop.frontends.kame_text import DecodedWord, SentencePieceTokenizer, WordDecoder
from kame_desktop.frontends.oracle_stream import (
    LoadedLm,
    build_lm,
    import_torch,
    is_out_of_memory,
    load_lm,
    memory_need,
    no_compile,
)

_log = logging.getLogger(__name__)

MIN_START_TOKENS = 6
"""KAME was never trained on a PAD inside a revision (DESIGN section 4)."""
_LOOK_S = 0.2
_WARM_UP_FRAMES = 6
_SELF_TEST_FRAMES = 38
"""3 s."""
_SELF_TEST_FRAMES_CPU = 8
_CANNOT_BE_STEERED = "This model has no oracle table: it speaks by itself, and the language model can't steer it."
_NOT_COMPILED = "Compiling parts of the model failed here; it runs without, and a frame takes a little longer."


class KameFrontend:
    """Implements ``SpeechFrontend``: engines ``kame`` and ``moshi``. Owner: the frame thread.

    Without ``device`` it takes CUDA, else Apple's GPU; the CPU only for a checkpoint of less than 1 GB (a test
    checkpoint), or when ``device`` is "cpu". On the CPU it computes in float32, on one thread.

    A checkpoint with an oracle table under engine ``moshi`` is fed PAD all the time, which is what the model was
    trained to hear when there is no oracle.

    Attributes:
        notes: What the user should know once it is loaded, in plain sentences.
    """

    def __init__(
        self,
        checkpoint: Callable[[], Path],
        *,
        steer: bool,
        activity: Activity,
        device: str | None = None,
        quantize: str | None = None,
        options: GenerationOptions | None = None,
        probe: DeviceProbe | None = None,
        keep_loaded: bool = False,
    ) -> None:
        """Remember what to load.

        Args:
            checkpoint: Gives the folder of the checkpoint; called by ``load`` on the frame thread.
            steer: Take the oracle (engine ``kame``).
            activity: Not used: all work is done inside ``step``.
            device: "cuda", "cuda:1", "mps" or "cpu"; None: see above.
            quantize: "int8" or None.
            options: For tests and benchmarks.
            probe: What the machine has; None: ask torch.
            keep_loaded: ``close`` leaves the model in memory for the next session; ``release`` lets it go.

        Raises:
            BadInputError: No such device or quantization.
        """
        del activity
        check_options(device, quantize)
        self._checkpoint = checkpoint
        self._steer = steer
        self._device = device
        self._quantize = quantize
        self._options = options or GenerationOptions()
        self._probe = probe or TorchProbe()
        self._keep_loaded = keep_loaded
        self._choice: DeviceChoice | None = None
        self._generation: Generation | None = None
        self._tokenizer: SentencePieceTokenizer | None = None
        self._words: WordDecoder | None = None
        self._compiler = contextlib.ExitStack()
        self._loading = threading.Lock()
        self._unwanted = False
        self._speech = AgentSpeech()
        self._generations: deque[int | None] = deque()
        self._oracle_of: tuple[int | None, int] = (None, 0)
        self._capabilities = self._describe(steerable=steer, context=None)
        self.notes: list[str] = []

    @property
    def capabilities(self) -> Capabilities:
        """After ``load``: ``steerable`` is False for a checkpoint without the table, ``context_frames`` is known."""
        return self._capabilities

    @property
    def tokenizer(self) -> SentencePieceTokenizer:
        """The checkpoint's; after ``load``."""
        if self._tokenizer is None:
            raise RuntimeError("the front end is not loaded")
        return self._tokenizer

    @property
    def generation(self) -> Generation:
        """The calls to moshi, for benchmarks and tests; after ``load``."""
        if self._generation is None:
            raise RuntimeError("the front end is not loaded")
        return self._generation

    @property
    def choice(self) -> DeviceChoice | None:
        """Where the model runs; after ``load``."""
        return self._choice

    # Life ----------------------------------------------------------------------------------------------------------

    def load(self, progress: LoadProgress) -> None:
        """A load of an earlier session that was stopped, but can't be cut short, is waited for."""
        while not self._loading.acquire(timeout=_LOOK_S):
            progress(0.0, "Waiting for the last conversation's model")
        try:
            self._unwanted = False
            if self._generation is not None:
                self.reset()
            else:
                self._load_or_let_go(progress)
        finally:
            if self._unwanted:
                self._let_go()
            self._loading.release()

    def _load_or_let_go(self, progress: LoadProgress) -> None:
        try:
            self._load(progress)
        except AppError as error:
            failure = error.with_traceback(None)
            failure.__context__ = None
        except Exception as error:
            if not is_out_of_memory(error):
                self._let_go()
                raise
            failure = out_of_memory(self._choice)
        else:
            return
        # Only here nothing refers to the frames of the failed load any more, and to the tensors in them.
        self._let_go()
        raise failure

    def reset(self) -> None:
        self.generation.reset()
        if self._words is not None:
            self._words.reset()
        self._speech.reset()
        self._generations = deque([None] * self.generation.lag, maxlen=self.generation.lag + 1)
        self._oracle_of = (None, 0)

    def close(self) -> None:
        if not self._keep_loaded:
            self.release()

    def release(self) -> None:
        """Let the model and its memory go, at the end of a load if one is under way; idempotent. Any thread."""
        if not self._loading.acquire(blocking=False):
            self._unwanted = True
            return
        try:
            self._let_go()
        finally:
            self._loading.release()

    def _let_go(self) -> None:
        generation, self._generation = self._generation, None
        if generation is not None:
            generation.close()
        self._compiler.close()
        del generation
        gc.collect()
        if self._choice is not None and not self._choice.on_cpu:
            torch = import_torch()
            (torch.cuda if self._choice.on_cuda else torch.mps).empty_cache()

    # Frames --------------------------------------------------------------------------------------------------------

    def step(self, given: FrontendInput) -> FrontendOutput:
        """Raises ResourceError when memory runs out; the model is let go then."""
        try:
            return self._step(given)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
        self._let_go()
        raise out_of_memory(self._choice)

    def _step(self, given: FrontendInput) -> FrontendOutput:
        generation, words = self.generation, self._words
        assert words is not None
        self._generations.append(self._note_oracle(given))
        oracle_id = given.oracle.ids[0] if self._capabilities.steerable and given.oracle.ids else self.tokenizer.pad_id
        tokens = generation.advance(generation.encode(given.pcm), oracle_id)
        if tokens is None:
            return FrontendOutput(silence_frame(), holding_turn=self._owes_answer(given))
        pcm = generation.decode(tokens)
        text_id = int(tokens[0, 0, 0])
        said = words.take(text_id, self._generations[0])
        speech = self._speech.take(pcm, words.says_something(text_id))
        if speech.ended:
            said += words.flush()
        return FrontendOutput(
            pcm,
            words=tuple(_spoken(word) for word in said),
            speech_started=speech.started,
            onset_ms=speech.onset_ms,
            speech_ended=speech.ended,
            holding_turn=self._speech.speaking or self._owes_answer(given),
        )

    def _owes_answer(self, given: FrontendInput) -> bool:
        feeding = self._capabilities.steerable and given.oracle.generation is not None
        return self._speech.owes_answer(given.user, nothing_heard=given.nothing_heard) or feeding

    def _note_oracle(self, given: FrontendInput) -> int | None:
        """The generation that the model was given last, unless the user has gone on to another question since."""
        if not self._capabilities.steerable:
            return None
        slot, utterance = given.oracle, given.user.utterance
        if slot.generation is not None:
            self._oracle_of = (slot.generation, utterance if slot.utterance is None else slot.utterance)
        elif utterance > self._oracle_of[1] and not self._speech.speaking:
            self._oracle_of = (None, utterance)
        return self._oracle_of[0]

    # Loading -------------------------------------------------------------------------------------------------------

    def _load(self, progress: LoadProgress) -> None:
        self.notes = []
        progress(0.0, "Looking for the model")
        folder = self._checkpoint()
        progress(0.02, "Starting torch")
        torch = import_torch()
        info = open_checkpoint(folder)
        choice = self._choice = choose_device(self._device, self._quantize, weight_bytes(info), self._probe)
        if choice.on_cpu:
            torch.set_num_threads(1)
            self._compiler.enter_context(no_compile())
        elif choice.on_cuda and ":" in choice.device:
            torch.cuda.set_device(choice.device)
        quantize = self._quantize is not None
        lm = build_lm(info, getattr(torch, choice.dtype))
        need = memory_need(lm, info, quantize=quantize)
        check_memory(need, choice, self._probe.free_bytes(choice.device), self._quantize)
        loaded = load_lm(info, lm, device=choice.device, quantize=quantize, fraction=(0.1, 0.8), progress=progress)
        del lm
        progress(0.8, "Loading the codec")
        mimi = load_codec(info, choice.device)
        pieces = load_pieces(info)
        progress(0.85, "Warming up")
        self._tokenizer = SentencePieceTokenizer(
            pieces, pad_id=int(loaded.lm.text_padding_token_id), start_id=int(loaded.lm.text_initial_token_id)
        )
        self._words = WordDecoder(
            pieces, padding=(int(loaded.lm.end_of_text_padding_id), int(loaded.lm.text_padding_token_id))
        )
        self._capabilities = self._describe(
            steerable=self._steer and loaded.oracle is not None, context=loaded.lm.context
        )
        if self._steer and loaded.oracle is None:
            self.notes.append(_CANNOT_BE_STEERED)
        self._warm_up(loaded, mimi, choice, info.lm_gen_config)
        self._self_test(choice, progress)
        self.reset()
        progress(1.0, " ".join(self.notes) or "Ready")

    def _describe(self, *, steerable: bool, context: int | None) -> Capabilities:
        return Capabilities(
            name="kame" if self._steer else "moshi",
            label="KAME" if self._steer else "Moshi",
            steerable=steerable,
            oracle_tokens_per_frame=1,
            min_start_tokens=MIN_START_TOKENS,
            context_frames=context,
        )

    def _warm_up(self, loaded: LoadedLm, mimi: Any, choice: DeviceChoice, lm_gen_config: dict[str, Any]) -> None:
        """Run some frames, which compiles and captures; once more without compiling when that fails."""
        try:
            self._begin(loaded, mimi, choice, lm_gen_config)
        except Exception as error:
            if choice.on_cpu or is_out_of_memory(error) or isinstance(error, AppError):
                raise
            _log.warning("Compiling failed (%s); trying without", type(error).__name__)
        else:
            return
        self._compiler.enter_context(no_compile())
        if self._generation is not None:
            self._generation.close()
        self._begin(loaded, mimi, choice, lm_gen_config)
        self.notes.append(_NOT_COMPILED)

    def _begin(self, loaded: LoadedLm, mimi: Any, choice: DeviceChoice, lm_gen_config: dict[str, Any]) -> None:
        self._generation = Generation(loaded, mimi, choice.device, lm_gen_config, self._options)
        self.reset()
        for frame in range(_WARM_UP_FRAMES):
            self._step(_test_frame(frame))

    def _self_test(self, choice: DeviceChoice, progress: LoadProgress) -> None:
        """Measure frames as a conversation has them; slow ones become a note."""
        frames = _SELF_TEST_FRAMES_CPU if choice.on_cpu else _SELF_TEST_FRAMES
        took_ms: list[float] = []
        for frame in range(frames):
            progress(0.9 + 0.1 * frame / frames, "Measuring")
            given = _test_frame(frame)
            began_s = time.perf_counter()
            self._step(given)
            took_ms.append((time.perf_counter() - began_s) * 1e3)
        note = slow_note(float(np.percentile(took_ms, 95)), choice, self._quantize)
        if note is not None:
            self.notes.append(note)


def _test_frame(frame: int) -> FrontendInput:
    """A frame of soft noise: -60 dBFS."""
    noise = np.random.default_rng(frame).normal(scale=1e-3, size=FRAME_SAMPLES).astype(np.float32)
    return FrontendInput(frame, noise, NO_ORACLE, SILENT_ACTIVITY)


def _spoken(word: DecodedWord) -> SpokenWord:
    return SpokenWord(word.text, word.generation, SpokenKind.ANSWER)
