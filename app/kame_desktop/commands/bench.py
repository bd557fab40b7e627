"""``kame-desktop bench``: what the design promises, measured here. Compare within one run: machines are noisy."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from kame_desktop.bootstrap import Application
from kame_desktop.commands.answer_times import AnswerTimes, cell, note, spread
from kame_desktop.commands.output import printing, put
from kame_desktop.commands.runner import EXIT_OK, run_to_end
from kame_desktop.core.events import Event
from kame_desktop.session.metrics import Metrics
from kame_desktop.session.services import ConversationSession, SessionRequest

ENGINES = ("lite", "cascade")


@dataclass(slots=True)
class EngineTimes:
    """What one engine took over all runs."""

    answers: AnswerTimes = field(default_factory=AnswerTimes)
    wall_s: float = 0.0
    cpu_s: float = 0.0

    def summary(self) -> dict[str, Any]:
        """JSON-ready medians and 90th percentiles."""
        return {
            "first_sound_ms": spread(self.answers.first_sound),
            "first_content_word_ms": spread(self.answers.first_content_word),
            "turns": len(self.answers.first_sound),
            "turns_without_answer": self.answers.missing,
            "cpu_cores": round(self.cpu_s / self.wall_s, 2) if self.wall_s else None,
        }


def bench_latency(app: Application, *, runs: int = 5, as_json: bool = False) -> int:
    """The sample questions, ``runs`` times, by the tandem and by the cascade in turn, in real time. Raises AppError."""
    clips = [app.read_question(path) for path in app.sample_questions()]
    llm = app.chosen_llm()
    times = {engine: EngineTimes() for engine in ENGINES}
    with LoadWatch() as load:
        for number in range(runs):
            for engine in ENGINES:
                note(f"run {number + 1} of {runs}: {engine}", quiet=as_json)
                recorded = app.open_recorded(SessionRequest(engine=engine, llm=llm), clips)
                _one_run(recorded.session, times[engine], load)
    result = {
        "llm": llm.name,
        "runs": runs,
        "questions": len(clips),
        "engines": {engine: times[engine].summary() for engine in ENGINES},
        "peak_rss_mb": round(load.peak_rss_mb),
    }
    if as_json:
        put(json.dumps(result, indent=2) + "\n")
        return EXIT_OK
    table = Table(title=f"Latency from the end of speech, {runs} x {len(clips)} questions ({llm.label})")
    for column in ("engine", "first sound: median", "p90", "first content word: median", "p90", "CPU cores"):
        table.add_column(column, justify="left" if column == "engine" else "right")
    for engine, summary in result["engines"].items():
        sound, word = summary["first_sound_ms"], summary["first_content_word_ms"]
        cells = [cell(sound["median"]), cell(sound["p90"]), cell(word["median"]), cell(word["p90"])]
        table.add_row(engine, *cells, str(summary["cpu_cores"]))
    with printing():
        console = Console(file=sys.stdout)
        console.print(table)
        console.print(f"Peak memory with the local model's process: {result['peak_rss_mb']} MB")
    return EXIT_OK


def _one_run(session: ConversationSession, times: EngineTimes, load: LoadWatch) -> None:
    metrics = Metrics()
    running: list[tuple[float, float]] = []

    def take(events: Sequence[Event]) -> None:
        for event in events:
            metrics.take(event)
        if not running and metrics.timing is not None:
            running.append((time.perf_counter(), load.cpu_s()))

    run_to_end(session, take)
    if running:
        times.wall_s += time.perf_counter() - running[0][0]
        times.cpu_s += load.cpu_s() - running[0][1]
    times.answers.add(metrics)


class LoadWatch:
    """Memory and CPU time of this process and the processes it started, read twice a second on a thread of its own.

    Attributes:
        peak_rss_mb: The largest sum of resident sizes seen.
    """

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="load-watch", daemon=True)
        self._ended_cpu_s: dict[int, float] = {}
        self.peak_rss_mb = 0.0

    def __enter__(self) -> LoadWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def cpu_s(self) -> float:
        """CPU seconds of all of them so far, ended ones included as last seen."""
        own = self._process.cpu_times()
        for child in self._children():
            with contextlib.suppress(psutil.Error):
                times = child.cpu_times()
                self._ended_cpu_s[child.pid] = times.user + times.system
        return own.user + own.system + sum(self._ended_cpu_s.values())

    def _children(self) -> list[psutil.Process]:
        return self._process.children(recursive=True)

    def _watch(self) -> None:
        while not self._end.wait(0.5):
            total = 0
            for process in (self._process, *self._children()):
                with contextlib.suppress(psutil.Error):
                    total += process.memory_info().rss
            self.peak_rss_mb = max(self.peak_rss_mb, total / 1e6)
            self.cpu_s()
