"""``kame-desktop bench oracle``: how soon an answer that has seen a word arrives, against a server of fixed timing.

Words become known one at a time, 200 a minute; the server sends its first token after 150 ms and then 40 a second. The
first token is the last word of the question, which tells which words the answer has seen. Three rows in one run:

- a question of 15 words, asked as the scheduler does by default;
- 40 words without a pause, the same way: nearly a call a word, as each word comes later than the spacing;
- 40 words with a spacing that stays at 16 calls. A word that shares a call with a later one waits for that one, 300 ms
  and more, so 16 calls can't have a median of the server's own 150 ms over 40 words: calls or latency, not both.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.bootstrap import Application
from kame_desktop.commands.output import printing, put
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

WORDS_PER_MINUTE = 200.0
FIRST_TOKEN_S = 0.15
CHUNKS_PER_S = 40.0
CHUNKS = 24
QUESTION_WORDS = 15
SPEECH_WORDS = 40
_THRIFTY_SPACING_MS = 1_400.0
_ANSWER_MS = 1_000.0


@dataclass(frozen=True, slots=True)
class Case:
    """What is said in one row: ``words`` words, ``times`` times over, asked with ``options``."""

    words: int
    times: int
    options: SchedulerOptions = field(default_factory=SchedulerOptions)


CASES = {
    f"a question of {QUESTION_WORDS} words": Case(QUESTION_WORDS, times=5),
    f"{SPEECH_WORDS} words on end": Case(SPEECH_WORDS, times=1),
    f"{SPEECH_WORDS} words, few calls": Case(SPEECH_WORDS, 1, SchedulerOptions(min_spacing_ms=_THRIFTY_SPACING_MS)),
}


@dataclass(slots=True)
class OracleTimes:
    """When each word of one utterance was known and when an answer had seen it, in session milliseconds.

    The last word becomes known with the final.
    """

    known: dict[str, float] = field(default_factory=dict)
    seen: dict[str, float] = field(default_factory=dict)
    calls: int = 0

    def note_answer(self, first_word: str, now_ms: float) -> None:
        """An answer whose question ended with ``first_word`` has begun."""
        words = list(self.known)
        if first_word in self.known:
            for word in words[: words.index(first_word) + 1]:
                self.seen.setdefault(word, now_ms)

    def waits_ms(self) -> list[float]:
        """From known to seen, in the order of the words; the last one is the final's."""
        return [self.seen.get(word, float("inf")) - at_ms for word, at_ms in self.known.items()]


def summarise(utterances: Sequence[OracleTimes]) -> dict[str, Any]:
    """JSON-ready latencies in milliseconds over all words of all utterances, and the most calls of one."""
    waits = [wait for times in utterances for wait in times.waits_ms()[:-1]]
    finals = [times.waits_ms()[-1] for times in utterances]
    return {
        "median_ms": _rounded(percentile(waits, 50)),
        "p95_ms": _rounded(percentile(waits, 95)),
        "after_final_ms": _rounded(percentile(finals, 50)),
        "words": len(waits) + len(finals),
        "calls": max(times.calls for times in utterances),
    }


def bench_oracle(app: Application, *, as_json: bool = False) -> int:
    """Measure all cases against a loopback server of its own. Raises AppError."""
    result = asyncio.run(_measure_all(app))
    if as_json:
        put(json.dumps(result, indent=2) + "\n")
        return EXIT_OK
    table = Table(title="Word known -> first chunk of an answer that has seen it (200 words a minute)")
    for column in ("what is said", "median", "p95", "after the final", "calls"):
        table.add_column(column, justify="left" if column == "what is said" else "right")
    for name, row in result["cases"].items():
        cells = [f"{row[key]:.0f} ms" for key in ("median_ms", "p95_ms", "after_final_ms")]
        table.add_row(name, *cells, str(row["calls"]))
    with printing():
        Console(file=sys.stdout).print(table)
    return EXIT_OK


async def _measure_all(app: Application) -> dict[str, Any]:
    with app.loopback_llm(FIRST_TOKEN_S, CHUNKS_PER_S, CHUNKS) as (llm, model):
        await llm.load(model)
        try:
            await _measure(llm, model, Case(1, times=1))  # the first request opens the connection
            measured = {name: summarise(await _measure(llm, model, case)) for name, case in CASES.items()}
        finally:
            await llm.close()
    return {
        "server": {"first_token_ms": FIRST_TOKEN_S * 1e3, "chunks_per_s": CHUNKS_PER_S, "chunks": CHUNKS},
        "words_per_minute": WORDS_PER_MINUTE,
        "cases": measured,
    }


async def _measure(llm: StreamingLlm, model: LlmModel, case: Case) -> list[OracleTimes]:
    return [await _one_utterance(llm, model, case) for _ in range(case.times)]


async def _one_utterance(llm: StreamingLlm, model: LlmModel, case: Case) -> OracleTimes:
    bus, clock, times = Bus(), SystemClock(), OracleTimes()
    clock.start()
    scheduler = OracleScheduler(case.options)
    driver = OracleDriver(
        llm=llm,
        model=model,
        scheduler=scheduler,
        transcript=Transcript(),
        bus=bus,
        clock=clock,
        activity=Activity(),
        options=OracleOptions(),
    )

    def note() -> None:
        # Published on this thread, so the mailbox is there by then.
        for event in revisions.drain():
            if isinstance(event, OracleRevision):
                times.note_answer(event.text_so_far.split()[0].rstrip(".?"), clock.now_ms())

    revisions = bus.subscribe(OracleRevision, name="bench", wake=note)

    words = [f"word{number}" for number in range(101, 101 + case.words)]
    driver.take(UserSpeechStarted(at_ms=clock.now_ms(), utterance=1))
    for count in range(1, case.words + 1):
        await clock.sleep_until(count * 60_000.0 / WORDS_PER_MINUTE)
        now_ms = times.known[words[count - 1]] = clock.now_ms()
        text = " ".join(words[:count])
        if count < case.words:
            driver.take(SttPartial(at_ms=now_ms, utterance=1, rev=count, text=text, stable_words=count))
        else:
            driver.take(UserSpeechEnded(at_ms=now_ms, utterance=1, last_speech_ms=now_ms))
            driver.take(SttFinal(at_ms=now_ms, utterance=1, text=text))
    await clock.sleep_until(clock.now_ms() + _ANSWER_MS)
    times.calls = scheduler.calls
    await driver.close()
    bus.unsubscribe(revisions)
    return times


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
