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
from typing import Any

from rich.console import Console
from rich.table import Table

from kame_desktop.bootstrap import Application
from kame_desktop.commands.answer_times import cell
from kame_desktop.commands.freshness import (
    CHUNKS_PER_S,
    FIRST_TOKEN_S,
    QUESTION_WORDS,
    WORDS_PER_MINUTE,
    Case,
    measure,
    summarise,
)
from kame_desktop.commands.output import printing, put
from kame_desktop.commands.runner import EXIT_OK
from kame_desktop.session.oracle_options import SchedulerOptions

CHUNKS = 24
SPEECH_WORDS = 40
_THRIFTY_SPACING_MS = 1_400.0

CASES = {
    f"a question of {QUESTION_WORDS} words": Case(QUESTION_WORDS, times=5),
    f"{SPEECH_WORDS} words on end": Case(SPEECH_WORDS, times=1),
    f"{SPEECH_WORDS} words, few calls": Case(SPEECH_WORDS, 1, SchedulerOptions(min_spacing_ms=_THRIFTY_SPACING_MS)),
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
        cells = [cell(row[key]) for key in ("median_ms", "p95_ms", "after_final_ms")]
        table.add_row(name, *cells, str(row["calls"]))
    with printing():
        Console(file=sys.stdout).print(table)
    return EXIT_OK


async def _measure_all(app: Application) -> dict[str, Any]:
    with app.loopback_llm(FIRST_TOKEN_S, CHUNKS_PER_S, CHUNKS) as (llm, model):
        await llm.load(model)
        try:
            await measure(llm, model, Case(1, times=1))  # the first request opens the connection
            measured = {name: summarise(await measure(llm, model, case)) for name, case in CASES.items()}
        finally:
            await llm.close()
    return {
        "server": {"first_token_ms": FIRST_TOKEN_S * 1e3, "chunks_per_s": CHUNKS_PER_S, "chunks": CHUNKS},
        "words_per_minute": WORDS_PER_MINUTE,
        "cases": measured,
    }
