"""``kame-desktop demo``: the sample questions, answered aloud in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from kame_desktop.bootstrap import Application
from kame_desktop.commands.output import put
from kame_desktop.commands.runner import outcome, run_to_end
from kame_desktop.commands.terminal import columns_for
from kame_desktop.core.errors import MissingError
from kame_desktop.core.events import Event
from kame_desktop.frontends.registry import NO_OPTIONS, EngineOptions
from kame_desktop.session.metrics import Metrics
from kame_desktop.session.services import SessionRequest


def demo(
    app: Application,
    *,
    out: Path | None = None,
    engine: str = "lite",
    engine_options: EngineOptions = NO_OPTIONS,
    fast: bool = False,
) -> int:
    """Answer the sample questions in real time, show the three columns, write the conversation as a WAV.

    Args:
        app: The composition root.
        out: Where the WAV goes; None: a new file in the user's data folder.
        engine: The front end.
        engine_options: What an engine with large models is told.
        fast: As fast as the CPU allows instead of real time.

    Raises AppError.
    """
    questions = app.sample_questions()
    if not questions:
        raise MissingError("The sample questions are missing.", "Install Kame Desktop again.")
    target = out or app.new_answer_path("demo")
    app.check_writable(target)
    request = SessionRequest(engine=engine, llm=app.chosen_llm(), fast=fast, options=engine_options)
    recorded = app.open_recorded(request, [app.read_question(path) for path in questions])
    metrics = Metrics()
    with columns_for(sys.stdout) as columns:

        def take(events: Sequence[Event]) -> None:
            columns.take(events)
            for event in events:
                metrics.take(event)

        run_to_end(recorded.session, take)
    app.write_answer(target, recorded)
    latency = metrics.summary()["response_latency_ms"]
    if latency["first_sound"] is not None and latency["first_content_word"] is not None:
        put(
            f"\nFirst sound after {latency['first_sound']:.0f} ms, first word of the answer after "
            f"{latency['first_content_word']:.0f} ms (median of {len(questions)}).\n"
        )
    put(f"The conversation (left: question, right: answer): {target}\n")
    return outcome(metrics)
