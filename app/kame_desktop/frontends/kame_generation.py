"""The three calls to moshi that make a frame, what they keep between frames, and what torch knows of this machine.

torch itself comes from ``oracle_stream``. Everything belongs to the frame thread.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import psutil

from kame_desktop.core.audio_types import FRAME_SAMPLES, PcmFrame
from kame_desktop.frontends.oracle_stream import LoadedLm, import_torch, make_lm_gen


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """How ids are chosen, and who watches: the seam for tests and benchmarks.

    Attributes:
        greedy: Always the likeliest id, instead of the checkpoint's ``lm_gen_config`` (else moshi's defaults).
        on_text_logits: Told of each step's text logits, a tensor ``[1, 1, 1, text_card]``; on CUDA its memory is used
            again by the next step.
        on_tokens: Told of each step's input codes ``[1, K, 1]`` and output ``[1, 1 + dep_q, 1]``, or None for the
            output until the delays are filled.
    """

    greedy: bool = False
    on_text_logits: Callable[[Any], None] | None = None
    on_tokens: Callable[[Any, Any], None] | None = None


class Generation:
    """The streaming state of model and codec, and the three calls of a frame. Owner: the frame thread.

    Attributes:
        lag: How many steps after its prediction a text id comes out.
    """

    def __init__(
        self, loaded: LoadedLm, mimi: Any, device: str, lm_gen_config: dict[str, Any], options: GenerationOptions
    ) -> None:
        """Begin to stream. Raises ModelFileError when ``lm_gen_config`` isn't one that moshi knows."""
        torch = import_torch()
        config = dict(lm_gen_config)
        if options.greedy:
            config |= {"temp": 0.0, "temp_text": 0.0}
        self.lm_gen = make_lm_gen(loaded.lm, config, options.on_text_logits)
        self.lm = loaded.lm
        self.oracle = loaded.oracle
        self.mimi = mimi
        self.lag = int(max(self.lm.delays) - self.lm.delays[0])
        self._options = options
        self._torch = torch
        self._cuda = device.startswith("cuda")
        self._microphone = torch.zeros((1, 1, FRAME_SAMPLES), dtype=torch.float32, pin_memory=self._cuda)
        self._samples = self._microphone.numpy()[0, 0]
        self._input = self._microphone.to(device)
        self._first = True
        self._streams = contextlib.ExitStack()
        self._streams.enter_context(mimi.streaming(1))
        self._streams.enter_context(self.lm_gen.streaming(1))

    def encode(self, pcm: PcmFrame) -> Any:
        """The user's sound -> codes ``[1, K, 1]``. The first frame's Mimi state is reset, as in the reference."""
        self._samples[:] = pcm
        with self._torch.no_grad():
            if self._input is not self._microphone:
                self._input.copy_(self._microphone)
            codes = self.mimi.encode(self._input)
            if self._first:
                self._first = False
                self.mimi.reset_streaming()
        return codes

    def advance(self, codes: Any, oracle_id: int) -> Any:
        """One step of the model with this frame's oracle id -> ids ``[1, 1 + dep_q, 1]``, text first; None at first."""
        if self.oracle is not None:
            self.oracle.feed(oracle_id)
        tokens = self.lm_gen.step(codes)
        if self._options.on_tokens is not None:
            self._options.on_tokens(codes, tokens)
        return tokens

    def decode(self, tokens: Any) -> PcmFrame:
        """The assistant's codes -> its sound. Waits for the GPU."""
        with self._torch.no_grad():
            pcm = self.mimi.decode(tokens[:, 1:])
        return np.clip(pcm[0, 0].cpu().numpy(), -1.0, 1.0)

    def bare_frame(self) -> None:
        """The three calls to moshi and nothing else, on the latest input: what benchmarks compare with."""
        with self._torch.no_grad():
            tokens = self.lm_gen.step(self.mimi.encode(self._input))
            if tokens is not None:
                self.mimi.decode(tokens[:, 1:])
        self.synchronize()

    def synchronize(self) -> None:
        """Wait for the GPU."""
        if self._cuda:
            self._torch.cuda.synchronize()

    def bandwidth_floor_ms(self) -> float | None:
        """The least time of a frame on CUDA: all weights that it reads, at the speed of a copy; None elsewhere.

        Every matrix of model, depth transformer and codec is read once a frame, of an embedding only a row. The copy
        of 1 GB on the device counts what it reads and what it writes, and is the best of six. The key-value cache comes
        on top: up to 1.6 GB when 3,000 frames are full.
        """
        if not self._cuda:
            return None
        torch = self._torch
        rows = {id(m.weight) for m in self.lm.modules() if isinstance(m, torch.nn.Embedding)}
        parameters = [p for p in self.lm.parameters() if id(p) not in rows] + list(self.mimi.parameters())
        weights = sum(p.numel() * p.element_size() for p in parameters)
        source = torch.empty(1_000_000_000, dtype=torch.uint8, device=self._input.device)
        target = torch.empty_like(source)
        best_s = float("inf")
        for _ in range(6):
            self.synchronize()
            began_s = time.perf_counter()
            target.copy_(source)
            self.synchronize()
            best_s = min(best_s, time.perf_counter() - began_s)
        return weights / (2 * source.numel() / best_s) * 1e3

    def reset(self) -> None:
        """Begin a conversation: caches, delays and the oracle are as after loading."""
        with self._torch.no_grad():
            self.mimi.reset_streaming()
            self.lm_gen.reset_streaming()
        self._first = True
        if self.oracle is not None:
            self.oracle.clear()

    def close(self) -> None:
        """End streaming; model and codec may begin anew."""
        self._streams.close()


class TorchProbe:
    """Implements ``DeviceProbe`` with torch and psutil."""

    def cuda_capability(self, device: str) -> tuple[int, int] | None:
        torch = import_torch()
        number = int(device.partition(":")[2] or 0)
        if not torch.cuda.is_available() or number >= torch.cuda.device_count():
            return None
        return torch.cuda.get_device_capability(number)

    def has_mps(self) -> bool:
        return bool(import_torch().backends.mps.is_available())

    def free_bytes(self, device: str) -> int:
        torch = import_torch()
        free = psutil.virtual_memory().available
        if device.startswith("cuda"):
            return int(torch.cuda.mem_get_info(device)[0])
        if device == "mps":
            return min(free, int(torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory()))
        return int(free)
