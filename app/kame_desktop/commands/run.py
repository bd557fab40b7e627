"""``kame-desktop run``: a WAV as the microphone; answer, events and summary out."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.bootstrap import Application
from kame_desktop.commands.output import put
from kame_desktop.commands.runner import outcome, run_to_end
from kame_desktop.commands.terminal import TurnPrinter
from kame_desktop.core.errors import AudioFileError, BadInputError
from kame_desktop.core.event_codec import event_to_dict
from kame_desktop.core.events import Event
from kame_desktop.frontends.registry import NO_OPTIONS, EngineOptions
from kame_desktop.session.metrics import Metrics
from kame_desktop.session.services import SessionRequest


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the user asked for; None: not wanted, or the default."""

    wav: Path
    out: Path | None = None
    events: Path | None = None
    engine: str | None = None
    stt: str | None = None
    llm: str | None = None
    api_base: str | None = None
    fast: bool = False
    as_json: bool = False
    engine_options: EngineOptions = NO_OPTIONS


def run(app: Application, options: RunOptions) -> int:
    """Answer a WAV and return the exit code. Raises AppError; nothing is left half-written then."""
    for path in (options.out, options.events):
        if path is not None:
            app.check_writable(path)
    _check_distinct(options)
    request = SessionRequest(
        engine=app.settings.engine if options.engine is None else options.engine,
        llm=_language_model(app, options),
        wav=options.wav,
        fast=options.fast,
        options=options.engine_options,
    )
    recorded = app.open_recorded(request, [app.read_question(options.wav)], stt=options.stt)
    metrics = Metrics()
    printer = None if options.as_json else TurnPrinter(sys.stdout)
    with _events_file(options.events) as write_event:

        def take(events: Sequence[Event]) -> None:
            if printer is not None:
                printer.take(events)
            for event in events:
                metrics.take(event)
                write_event(event)

        run_to_end(recorded.session, take)
        if not any(turn.user for turn in metrics.transcript.turns):
            raise AudioFileError(
                f"No words were understood in {options.wav.name}.",
                "Record it again, closer to the microphone.",
                component="sound file",
            )
        if options.out is not None:
            app.write_answer(options.out, recorded)
    summary = summarise(request, metrics)
    if options.as_json:
        put(json.dumps(summary, ensure_ascii=False, indent=2) + "\n")
    else:
        _print_summary(summary, options)
    return outcome(metrics)


def summarise(request: SessionRequest, metrics: Metrics) -> dict[str, Any]:
    """The summary object of ``--json``."""
    return {"engine": request.engine, "llm": request.llm.name, **metrics.summary()}


def _language_model(app: Application, options: RunOptions) -> LlmModel:
    if options.llm is None and options.api_base is None:
        return app.chosen_llm()
    return app.resolve_llm(app.settings.llm.model if options.llm is None else options.llm, options.api_base)


def _check_distinct(options: RunOptions) -> None:
    """The files that are written must not be the one that is read, nor each other."""
    paths = [os.path.realpath(path) for path in (options.wav, options.out, options.events) if path is not None]
    if len(set(paths)) != len(paths):
        raise BadInputError("The same file is named twice.", "Give the input, --out and --events different names.")


@contextlib.contextmanager
def _events_file(path: Path | None) -> Iterator[Callable[[Event], None]]:
    """Writes events, one a line, to a file that becomes ``path`` when the body succeeds and vanishes when it doesn't.

    Raises BadInputError, also out of the function it yields, when it can't be written.
    """
    if path is None:
        yield lambda event: None
        return
    target = path.resolve()
    part: Path | None = None
    try:
        with _refusing(path):
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=".events-", suffix=".part")
            part = Path(name)
            # A file name that is no text (in an event) becomes \\udc.., which JSON can read.
            stream = os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace")

        def write(event: Event) -> None:
            with _refusing(path):
                stream.write(json.dumps(event_to_dict(event), ensure_ascii=False) + "\n")

        try:
            yield write
        finally:
            with _refusing(path):
                stream.close()
        with _refusing(path):
            part.replace(target)
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


@contextlib.contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """A failed write of ``path`` as a BadInputError."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise BadInputError(
            f"{path} could not be written ({reason}).", "Choose another folder, or free some space."
        ) from None


def _print_summary(summary: dict[str, Any], options: RunOptions) -> None:
    latency = summary["response_latency_ms"]
    revisions = summary["revisions"]
    parts = [
        f"first sound after {_ms(latency['first_sound'])}",
        f"first word of the answer after {_ms(latency['first_content_word'])}",
        f"{revisions['requested']} requests, {revisions['count']} answers",
        f"late frames {summary['late_frames']} of {summary['frames']}",
    ]
    put("\n" + "; ".join(parts) + "\n")
    for path in (options.out, options.events):
        if path is not None:
            put(f"Written: {path}\n")


def _ms(value: float | None) -> str:
    return "(not reached)" if value is None else f"{value:.0f} ms"
