"""``bench frames``: what it measures, and how it shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kame_desktop.commands.bench_frames import bench_frames
from kame_desktop.core.activity import Activity
from kame_desktop.frontends.kame import KameFrontend
from kame_desktop.frontends.kame_bench import measure_frames
from tests.frontends.kame.conftest import TINY

PARTS = ("encode", "step", "decode", "engine", "bare")


class App:
    """Implements ``FrameBenchApp``."""

    def __init__(self, **more: Any) -> None:
        self.asked: tuple[Any, ...] = ()
        self.more = more

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
        self.asked = (engine, checkpoint, device, quantize, rounds)
        progress(0.5, "Measuring")
        return {
            "device": "cuda",
            "dtype": "bfloat16",
            "rounds": rounds,
            "notes": ["A note."],
            "ms": {part: {"p50": 1.0, "p95": 2.0, "p99": 3.0} for part in PARTS},
            "median_ratio": 1.01,
            "p99_excess_ms": 0.25,
            **self.more,
        }


def test_table_names_the_parts_the_ratio_and_the_floor(capsys: pytest.CaptureFixture[str]) -> None:
    app = App(floor_ms=3.5, floor_ratio=2.0)
    assert bench_frames(app, engine="moshi", checkpoint=TINY, rounds=7) == 0
    assert app.asked == ("moshi", TINY, None, None, 7)
    text = capsys.readouterr().out
    for told in ("encode (Mimi)", "whole frame", "x 1.010", "+0.25 ms", "3.5 ms at best", "A note."):
        assert told in text


def test_json_is_the_result_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench_frames(App(), as_json=True, quantize="int8") == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["engine"], result["quantize"], result["median_ratio"]) == ("kame", "int8", 1.01)
    assert "floor_ms" not in result


def test_tiny_checkpoint_is_measured() -> None:
    pytest.importorskip("torch", reason="torch is not installed (extra gpu)")
    pytest.importorskip("moshi", reason="moshi is not installed (extra gpu)")
    frontend = KameFrontend(lambda: TINY, steer=True, activity=Activity(), device="cpu")
    result = measure_frames(frontend, rounds=20, progress=lambda done, what: None)
    assert set(result["ms"]) == set(PARTS)
    assert all(0.0 < row["p50"] <= row["p95"] <= row["p99"] for row in result["ms"].values())
    assert result["median_ratio"] > 0.0
    with pytest.raises(RuntimeError):
        _ = frontend.generation
