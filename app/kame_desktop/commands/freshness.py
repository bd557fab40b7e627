"""How soon an answer has seen a new word, for the benchmarks.

Words become known one at a time; a language model is asked as in a session, by its scheduler and driver, in real time.
The first word of an answer is the last word of its question (see ``backend.llm.loopback``): it tells which words the
answer has seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
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
from kame_desktop.session.oracle_driver import OracleDriver
from kame_desktop.session.oracle_options import OracleOptions, SchedulerOptions
from kame_desktop.session.oracle_scheduler import OracleScheduler
from kame_desktop.session.transcript import Transcript

WORDS_PER_MINUTE = 200.0
FIRST_TOKEN_S = 0.15
CHUNKS_PER_S = 40.0
QUESTION_WORDS = 15


@dataclass(frozen=True, slots=True)
class Case:
    """What is said: ``words`` words, ``times`` times over, asked with ``options``.

    Attributes:
        answer_ms: How long the last answer is waited for.
    """

    words: int
    times: int
    options: SchedulerOptions = field(default_factory=SchedulerOptions)
    answer_ms: float = 1_000.0


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
        """From known to seen, in the order of the words; the last one is the final's; infinite: never seen."""
        return [self.seen.get(word, math.inf) - at_ms for word, at_ms in self.known.items()]


def summarise(utterances: Sequence[OracleTimes]) -> dict[str, Any]:
    """JSON-ready latencies in milliseconds over all words of all utterances, and the most calls of one.

    A latency is None when a word was never seen (``unseen_words``): the others alone would look better than it is.
    """
    waits = [wait for times in utterances for wait in times.waits_ms()[:-1]]
    finals = [times.waits_ms()[-1] for times in utterances]
    return {
        "median_ms": _rounded(waits, 50),
        "p95_ms": _rounded(waits, 95),
        "after_final_ms": _rounded(finals, 50),
        "words": len(waits) + len(finals),
        "unseen_words": sum(math.isinf(wait) for wait in (*waits, *finals)),
        "calls": max(times.calls for times in utterances),
    }


async def measure(llm: StreamingLlm, model: LlmModel, case: Case) -> list[OracleTimes]:
    """Say all of ``case``; the times of each utterance. ``llm`` is loaded, and stays so."""
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
    await clock.sleep_until(clock.now_ms() + case.answer_ms)
    times.calls = scheduler.calls
    await driver.close()
    bus.unsubscribe(revisions)
    return times


def _rounded(waits_ms: Sequence[float], q: float) -> float | None:
    value = None if math.inf in waits_ms else percentile(waits_ms, q)
    return None if value is None else round(value, 1)
