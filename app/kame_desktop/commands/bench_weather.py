"""``kame-desktop bench weather``: what a slow network costs, and what it doesn't.

Two things at 0, 100, 300 and 1,000 ms of added latency, in turn, in one run, against a loopback server of fixed timing:

- *Freshness*, as ``bench oracle`` measures it: how soon an answer has seen a new word. It has to follow the latency.
- *First sound* of the ``lite`` engine after the two sample questions, with its real models. It must not move by more
  than 10 ms, for nobody waits for the network to begin to speak.

First sound is timed where it is heard, on the sound's own time axis (samples, not the wall clock): in which frame the
engine takes the turn, and how far into that frame it can be heard. So a busy machine has no part in it, unless frames
are late: the first run is in real time, and how many were late in it is told; the others are as fast as the CPU allows,
in virtual time, where none can be. Questions are compared with themselves: the median of each over the runs, at each
latency, against its median without any. The opener that covers the wait is another one when nothing of an answer is
known yet, and begins a few milliseconds earlier or later: that is what may remain.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from rich.console import Console
from rich.table import Table

from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.backend.llm.weather import Weather, WeatheredLlm
from kame_desktop.commands.answer_times import AnswerTimes, cell, note, spread
from kame_desktop.commands.freshness import (
    CHUNKS_PER_S,
    FIRST_TOKEN_S,
    QUESTION_WORDS,
    WORDS_PER_MINUTE,
    Case,
    OracleTimes,
    measure,
    summarise,
)
from kame_desktop.commands.output import printing, put
from kame_desktop.commands.runner import EXIT_FAILED, EXIT_OK, run_to_end
from kame_desktop.core.audio_types import Pcm
from kame_desktop.core.clock import SystemClock
from kame_desktop.core.events import Event
from kame_desktop.session.metrics import Metrics
from kame_desktop.session.services import ConversationSession, SessionRequest

LATENCIES_MS = (0.0, 100.0, 300.0, 1_000.0)
FIRST_SOUND_MAY_MOVE_MS = 10.0
RUNS = 3
REAL_TIME_RUNS = 1
FRESHNESS_RUNS = 2
ENGINE = "lite"
CHUNKS = 3
_ANSWER_MS = 500.0


class Recorded(Protocol):
    """What this command needs of a session over recordings."""

    @property
    def session(self) -> ConversationSession: ...


class WeatherBenchApp(Protocol):
    """What this command needs of ``Application``."""

    def sample_questions(self) -> Sequence[Path]: ...

    def read_question(self, path: Path) -> Pcm: ...

    def loopback_llm(
        self, first_token_s: float, chunks_per_s: float, chunks: int
    ) -> AbstractContextManager[tuple[StreamingLlm, LlmModel]]:
        """A server of fixed timing, and a client and model to ask it."""
        ...

    def open_recorded(
        self, request: SessionRequest, clips: Sequence[Pcm], *, weather: Weather | None = None
    ) -> Recorded:
        """A session that hears ``clips``, with ``weather`` in front of its language model."""
        ...


@dataclass(slots=True)
class Row:
    """What was measured in one weather.

    Attributes:
        weather: The network.
        utterances: Freshness.
        answers: Turns of all runs.
        first_sounds: For each run, the first sound after each question in milliseconds; None: there was none.
        late_frames: Of the runs in real time.
    """

    weather: Weather
    utterances: list[OracleTimes] = field(default_factory=list)
    answers: AnswerTimes = field(default_factory=AnswerTimes)
    first_sounds: list[list[float | None]] = field(default_factory=list)
    late_frames: int = 0

    def add(self, metrics: Metrics) -> None:
        """Add a conversation."""
        self.answers.add(metrics)
        self.first_sounds.append([turn["first_sound_ms"] for turn in metrics.summary()["turns"]])
        self.late_frames += metrics.timing.late_frames if metrics.timing is not None else 0

    def summary(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "latency_ms": self.weather.latency_ms,
            "freshness": summarise(self.utterances),
            "first_sound_ms": spread(self.answers.first_sound),
            "first_content_word_ms": spread(self.answers.first_content_word),
            "turns": len(self.answers.first_sound),
            "turns_without_answer": self.answers.missing,
            "late_frames": self.late_frames,
        }


def first_sound_moved_ms(rows: Sequence[Row], questions: int) -> float | None:
    """By how much the first sound after any question differs, at most, from that in the first row's weather.

    None when a question wasn't answered with a sound in some run: then there is nothing to compare.
    """
    medians: list[np.ndarray] = []
    for row in rows:
        if not row.first_sounds or any(len(run) != questions or None in run for run in row.first_sounds):
            return None
        medians.append(np.median(np.array(row.first_sounds, dtype=np.float64), axis=0))
    return float(np.max(np.abs(np.array(medians) - medians[0])))


def bench_weather(
    app: WeatherBenchApp,
    *,
    runs: int = RUNS,
    real_time_runs: int = REAL_TIME_RUNS,
    freshness_runs: int = FRESHNESS_RUNS,
    latencies_ms: Sequence[float] = LATENCIES_MS,
    words: int = QUESTION_WORDS,
    as_json: bool = False,
) -> int:
    """Measure, and say whether the first sound stayed where it is.

    Args:
        app: The composition root.
        runs: How often the sample questions are answered.
        real_time_runs: So many of them, the first ones, in real time.
        freshness_runs: How often the sentence is said that freshness is measured with.
        latencies_ms: The rows; the others are compared with the first.
        words: The length of that sentence.
        as_json: One object instead of a table.

    Raises AppError. Returns EXIT_FAILED when the first sound moved too far.
    """
    clips = [app.read_question(path) for path in app.sample_questions()]
    rows = [Row(Weather(latency_ms=latency_ms)) for latency_ms in latencies_ms]
    with app.loopback_llm(FIRST_TOKEN_S, CHUNKS_PER_S, CHUNKS) as (llm, model):
        asyncio.run(_measure_freshness(llm, model, rows, freshness_runs, words, quiet=as_json))
        for number in range(runs):
            note(f"run {number + 1} of {runs}: first sound", quiet=as_json)
            _answer(app, clips, model, rows, fast=number >= real_time_runs)
    moved_ms = first_sound_moved_ms(rows, len(clips))
    passed = moved_ms is not None and moved_ms <= FIRST_SOUND_MAY_MOVE_MS
    result = {
        "server": {"first_token_ms": FIRST_TOKEN_S * 1e3, "chunks_per_s": CHUNKS_PER_S, "chunks": CHUNKS},
        "engine": ENGINE,
        "runs": runs,
        "real_time_runs": min(runs, real_time_runs),
        "freshness_runs": freshness_runs,
        "questions": len(clips),
        "words_per_minute": WORDS_PER_MINUTE,
        "rows": [row.summary() for row in rows],
        "first_sound_moved_ms": None if moved_ms is None else round(moved_ms, 1),
        "first_sound_may_move_ms": FIRST_SOUND_MAY_MOVE_MS,
        "passed": passed,
    }
    if as_json:
        put(json.dumps(result, indent=2) + "\n")
    else:
        _show(result)
    return EXIT_OK if passed else EXIT_FAILED


async def _measure_freshness(
    llm: StreamingLlm, model: LlmModel, rows: Sequence[Row], runs: int, words: int, *, quiet: bool
) -> None:
    await llm.load(model)
    try:
        await measure(llm, model, Case(1, times=1, answer_ms=_ANSWER_MS))  # the first request opens the connection
        for number in range(runs):
            note(f"run {number + 1} of {runs}: freshness", quiet=quiet)
            for row in rows:
                clock = SystemClock()
                clock.start()
                wait_ms = _ANSWER_MS + FIRST_TOKEN_S * 1e3 + row.weather.latency_ms
                case = Case(words, times=1, answer_ms=wait_ms)
                row.utterances += await measure(WeatheredLlm(llm, row.weather, clock), model, case)
    finally:
        await llm.close()


def _answer(app: WeatherBenchApp, clips: Sequence[Pcm], model: LlmModel, rows: Sequence[Row], *, fast: bool) -> None:
    """One conversation a row."""
    for row in rows:
        metrics = Metrics()

        def take(events: Sequence[Event], metrics: Metrics = metrics) -> None:
            for event in events:
                metrics.take(event)

        request = SessionRequest(engine=ENGINE, llm=model, fast=fast)
        run_to_end(app.open_recorded(request, clips, weather=row.weather).session, take)
        row.add(metrics)


def _show(result: dict[str, Any]) -> None:
    table = Table(title=f"A slow network in front of the language model ({result['engine']}, {result['runs']} runs)")
    columns = (
        "latency",
        "word seen after: median",
        "p95",
        "after the final",
        "first sound",
        "first word",
        "late frames",
    )
    for column in columns:
        table.add_column(column, justify="right")
    for row in result["rows"]:
        fresh = row["freshness"]
        table.add_row(
            cell(row["latency_ms"]),
            *(cell(fresh[key]) for key in ("median_ms", "p95_ms", "after_final_ms")),
            cell(row["first_sound_ms"]["median"]),
            cell(row["first_content_word_ms"]["median"]),
            str(row["late_frames"]),
        )
    with printing():
        Console(file=sys.stdout).print(table)
    moved_ms, allowed_ms = result["first_sound_moved_ms"], result["first_sound_may_move_ms"]
    if moved_ms is None:
        put("A question was not answered: the first sound can't be compared. Failed.\n")
        return
    verdict = "passed" if result["passed"] else "failed"
    put(f"The first sound moved by {moved_ms:.1f} ms at most; {allowed_ms:g} ms are allowed: {verdict}.\n")
