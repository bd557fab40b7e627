"""``kame-desktop bench frames``: what one 80 ms frame of the speech-to-speech model takes, and what we add to it.

The engine's frames and a bare loop of moshi's three calls (encode, step, decode) alternate in one run; see
``frontends.kame_bench``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table

from kame_desktop.commands.output import printing, put
from kame_desktop.commands.runner import EXIT_OK

ROUNDS = 400
_ROWS = {
    "encode": "encode (Mimi)",
    "step": "step (model)",
    "decode": "decode (Mimi)",
    "engine": "whole frame",
    "bare": "bare loop of the three",
}


class FrameBenchApp(Protocol):
    """What this command needs of ``Application``."""

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
        """Load ``engine`` on this thread and measure it: see ``frontends.kame_bench.measure_frames``."""
        ...


def bench_frames(
    app: FrameBenchApp,
    *,
    engine: str = "kame",
    checkpoint: Path | None = None,
    as_json: bool = False,
    device: str | None = None,
    quantize: str | None = None,
    rounds: int = ROUNDS,
) -> int:
    """Measure ``rounds`` frames of each kind. ``checkpoint``: a folder; None: the engine's own. Raises AppError."""
    result = {
        "engine": engine,
        "quantize": quantize,
        **app.measure_frames(
            engine, checkpoint, device=device, quantize=quantize, rounds=rounds, progress=_progress(quiet=as_json)
        ),
    }
    if as_json:
        put(json.dumps(result, indent=2) + "\n")
        return EXIT_OK
    where = f"{result['device']}, {quantize or result['dtype']}"
    table = Table(title=f"One frame of '{engine}' ({where}, {result['rounds']} frames of each)")
    for column in ("part", "p50", "p95", "p99"):
        table.add_column(column, justify="left" if column == "part" else "right")
    for name, label in _ROWS.items():
        table.add_row(label, *(f"{result['ms'][name][p]:.2f} ms" for p in ("p50", "p95", "p99")))
    with printing():
        console = Console(file=sys.stdout)
        console.print(table)
        console.print(
            f"Over the bare loop: median x {result['median_ratio']:.3f}, p99 {result['p99_excess_ms']:+.2f} ms. "
            "A frame lasts 80 ms."
        )
        if "floor_ms" in result:
            console.print(
                f"Memory bandwidth allows {result['floor_ms']:.1f} ms at best; "
                f"the median is {result['floor_ratio']:.2f} times that."
            )
        for note in result["notes"]:
            console.print(note)
    return EXIT_OK


def _progress(*, quiet: bool) -> Callable[[float, str], None]:
    last = ""

    def progress(done: float, what: str) -> None:
        nonlocal last
        del done
        if what != last and not quiet and sys.stderr.isatty():
            sys.stderr.write(what + "\n")
        last = what

    return progress
