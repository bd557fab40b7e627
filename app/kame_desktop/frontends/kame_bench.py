"""What the front end costs over moshi's own three calls, frame by frame, in one run.

Three kinds of frame take turns in random order over the same streaming state, so that a slow moment of the machine, a
fuller cache or a warmer processor meets all of them alike:

- *engine*: ``KameFrontend.step``, all of it;
- *bare*: ``mimi.encode``, ``LMGen.step``, ``mimi.decode`` and nothing else;
- *stages*: the engine's three parts one by one, waiting for the GPU after each.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kame_desktop.core.audio_types import FRAME_SAMPLES, SILENT_ACTIVITY
from kame_desktop.frontends.base import FrontendInput, LoadProgress, OracleSlot
from kame_desktop.frontends.kame import KameFrontend

_WARM_UP_ROUNDS = 10
_PERCENTILES = (50, 95, 99)


def measure_frames(frontend: KameFrontend, *, rounds: int, progress: LoadProgress) -> dict[str, Any]:
    """Load, run ``rounds`` rounds of the three kinds of frame, and let go again. Frame thread.

    Returns:
        JSON-ready: ``device``, ``dtype``, ``rounds``, ``notes``, ``ms`` with p50, p95 and p99 in milliseconds for
        ``encode``, ``step``, ``decode``, ``engine`` and ``bare``; ``median_ratio`` and ``p99_excess_ms`` of engine over
        bare; on CUDA ``floor_ms`` (weights over measured bandwidth) and ``floor_ratio`` of the engine's median to it.

    Raises:
        AppError: As ``KameFrontend.load``.
    """
    frontend.load(progress)
    try:
        return _measure(frontend, rounds, progress)
    finally:
        frontend.release()


def _measure(frontend: KameFrontend, rounds: int, progress: LoadProgress) -> dict[str, Any]:
    generation = frontend.generation
    pad_id = frontend.tokenizer.pad_id
    idle = OracleSlot((pad_id,))
    times: dict[str, list[float]] = {name: [] for name in ("encode", "step", "decode", "engine", "bare")}
    noise = np.random.default_rng(0).normal(scale=0.05, size=(16, FRAME_SAMPLES)).astype(np.float32)
    dice = random.Random(0)
    frame = 0

    def engine() -> None:
        given = FrontendInput(frame, noise[frame % 16], idle, SILENT_ACTIVITY)
        times["engine"].append(_time(lambda: frontend.step(given), generation.synchronize))

    def bare() -> None:
        times["bare"].append(_time(generation.bare_frame, generation.synchronize))

    def stages() -> None:
        began_s = time.perf_counter()
        codes = generation.encode(noise[frame % 16])
        generation.synchronize()
        encoded_s = time.perf_counter()
        tokens = generation.advance(codes, pad_id)
        generation.synchronize()
        stepped_s = time.perf_counter()
        generation.decode(tokens)
        ended_s = time.perf_counter()
        spans = (encoded_s - began_s, stepped_s - encoded_s, ended_s - stepped_s)
        for name, span_s in zip(("encode", "step", "decode"), spans, strict=True):
            times[name].append(span_s * 1e3)

    kinds = [engine, bare, stages]
    for _ in range(generation.lag + 2):  # until the delays are filled
        frontend.step(FrontendInput(frame, noise[0], idle, SILENT_ACTIVITY))
    for number in range(_WARM_UP_ROUNDS + rounds):
        if number == _WARM_UP_ROUNDS:
            for values in times.values():
                values.clear()
        progress(number / (_WARM_UP_ROUNDS + rounds), "Measuring")
        dice.shuffle(kinds)
        for kind in kinds:
            kind()
            frame += 1
    choice = frontend.choice
    assert choice is not None
    result: dict[str, Any] = {
        "device": choice.device,
        "dtype": choice.dtype,
        "rounds": rounds,
        "notes": list(frontend.notes),
        "ms": {name: _spread(values) for name, values in times.items()},
        "median_ratio": round(float(np.median(times["engine"]) / np.median(times["bare"])), 4),
        "p99_excess_ms": round(float(np.percentile(times["engine"], 99) - np.percentile(times["bare"], 99)), 3),
    }
    floor_ms = generation.bandwidth_floor_ms()
    if floor_ms is not None:
        result["floor_ms"] = round(floor_ms, 2)
        result["floor_ratio"] = round(float(np.median(times["engine"])) / floor_ms, 2)
    return result


def _time(call: Callable[[], object], wait: Callable[[], None]) -> float:
    """Milliseconds of one call, the GPU's part included."""
    began_s = time.perf_counter()
    call()
    wait()
    return (time.perf_counter() - began_s) * 1e3


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {f"p{p}": round(float(np.percentile(values, p)), 3) for p in _PERCENTILES}
