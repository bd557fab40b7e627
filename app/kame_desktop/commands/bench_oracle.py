"""``kame-desktop bench oracle``: how soon an answer that has seen a word arrives, against a server of fixed timing.

Words become known one at a time; the server's first token is the last word of the question, which tells which words the
answer has seen. Two rows in one run: the scheduler as it is, and a *thrifty* one (a larger least spacing) that stays
under ``THRIFTY_CALLS`` calls. One row can't have both: a call at the arrival of one word makes every word that
shares it with a later one wait at least a word's time longer, so the median of 40 words needs more than 20 calls to
be the server's own 150 ms.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.bootstrap import Application
from kame_desktop.commands.runner import EXIT_OK
from kame_desktop.core.activity import Activity
from kame_desktop.core.clock import SystemClock
from kame_desktop.core.events import (
    OracleRevision,
    SttFinal,
    SttPartial,
    UserSpeechEnded,
    UserSpeechStarted,
)
from kame_desktop.session.bus import Bus
from kame_desktop.session.metrics import percentile
from kame_desktop.session.oracle_driver import OracleDriver, OracleOptions
from kame_desktop.session.oracle_scheduler import OracleScheduler, SchedulerOptions
from kame_desktop.session.transcript import Transcript

WORDS = 40
WORDS_PER_MINUTE = 200.0
FIRST_TOKEN_S = 0.15
CHUNKS_PER_S = 40.0
CHUNKS = 24
THRIFTY_CALLS = 16
_THRIFTY_SPACING_MS = 1_400.0


@dataclass(slots=True)
class OracleTimes:
    """When each word was known and when an answer had seen it, in session milliseconds."""

    known: dict[str, float] = field(default_factory=dict)
    seen: dict[str, float] = field(default_factory=dict)
    final_ms: float | None = None
    calls: int = 0

    def note_answer(self, first_word: str, now_ms: float) -> None:
        """An answer whose question ended with ``first_word`` has begun."""
        words = list(self.known)
        if first_word in self.known:
            for word in words[: words.index(first_word) + 1]:
                self.seen.setdefault(word, now_ms)

    def summary(self) -> dict[str, Any]:
        """JSON-ready latencies in milliseconds."""
        last = list(self.known)[-1]
        waits = [self.seen[word] - at for word, at in self.known.items() if word in self.seen and word != last]
        final = self.seen[last] - self.final_ms if last in self.seen and self.final_ms is not None else None
        return {
            "median_ms": _rounded(percentile(waits, 50)),
            "p95_ms": _rounded(percentile(waits, 95)),
            "after_final_ms": _rounded(final),
            "words": len(self.known),
            "words_never_seen": len(self.known) - len(self.seen),
            "calls": self.calls,
        }


def bench_oracle(app: Application, *, as_json: bool = False) -> int:
    """Measure both rows against a loopback server of its own. Raises AppError."""
    result = asyncio.run(_measure_both(app))
    if as_json:
        sys.stdout.write(json.dumps(result, indent=2) + "\n")
        return EXIT_OK
    table = Table(title=f"Word known -> first chunk of an answer that has seen it ({WORDS} words, 200 a minute)")
    for column in ("scheduler", "median", "p95", "after the final", "calls"):
        table.add_column(column, justify="left" if column == "scheduler" else "right")
    for name, row in result["schedulers"].items():
        cells = [f"{row[key]:.0f} ms" for key in ("median_ms", "p95_ms", "after_final_ms")]
        table.add_row(name, *cells, str(row["calls"]))
    Console(file=sys.stdout).print(table)
    return EXIT_OK


async def _measure_both(app: Application) -> dict[str, Any]:
    rows = {
        "default": SchedulerOptions(),
        "thrifty": SchedulerOptions(min_spacing_ms=_THRIFTY_SPACING_MS),
    }
    with app.loopback_llm(FIRST_TOKEN_S, CHUNKS_PER_S, CHUNKS) as (llm, model):
        await llm.load(model)
        try:
            schedulers = {name: await _measure(llm, model, options) for name, options in rows.items()}
        finally:
            await llm.close()
    return {
        "server": {"first_token_ms": FIRST_TOKEN_S * 1e3, "chunks_per_s": CHUNKS_PER_S, "chunks": CHUNKS},
        "words_per_minute": WORDS_PER_MINUTE,
        "schedulers": schedulers,
    }


async def _measure(llm: StreamingLlm, model: LlmModel, options: SchedulerOptions) -> dict[str, Any]:
    bus, clock, transcript = Bus(), SystemClock(), Transcript()
    clock.start()
    scheduler = OracleScheduler(options)
    driver = OracleDriver(
        llm=llm,
        model=model,
        scheduler=scheduler,
        transcript=transcript,
        bus=bus,
        clock=clock,
        activity=Activity(),
        options=OracleOptions(),
    )
    times = OracleTimes()
    box = None

    def note() -> None:
        if box is None:
            return
        for event in box.drain():
            if isinstance(event, OracleRevision):
                times.note_answer(event.text_so_far.split()[0].rstrip(".?"), clock.now_ms())

    box = bus.subscribe(OracleRevision, name="bench", wake=note)
    words = [f"word{number}" for number in range(101, 101 + WORDS)]
    driver.take(UserSpeechStarted(at_ms=clock.now_ms(), utterance=1))
    start_ms = clock.now_ms()
    for count in range(1, WORDS):
        await clock.sleep_until(start_ms + count * 60_000.0 / WORDS_PER_MINUTE)
        times.known[words[count - 1]] = clock.now_ms()
        text = " ".join(words[:count])
        driver.take(SttPartial(at_ms=clock.now_ms(), utterance=1, rev=count, text=text, stable_words=count))
    await clock.sleep_until(start_ms + WORDS * 60_000.0 / WORDS_PER_MINUTE)
    times.known[words[-1]] = times.final_ms = clock.now_ms()
    driver.take(UserSpeechEnded(at_ms=clock.now_ms(), utterance=1, last_speech_ms=clock.now_ms()))
    driver.take(SttFinal(at_ms=clock.now_ms(), utterance=1, text=" ".join(words)))
    await clock.sleep_until(clock.now_ms() + 2_000.0)
    times.calls = scheduler.calls
    await driver.close()
    bus.unsubscribe(box)
    return times.summary()


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
