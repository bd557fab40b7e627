"""``kame-desktop run``: a WAV as the microphone; answer, events and summary out."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from kame_desktop.bootstrap import Application
from kame_desktop.commands.runner import EXIT_OK, run_to_end
from kame_desktop.commands.terminal import TurnPrinter
from kame_desktop.core.errors import AudioFileError, BadInputError
from kame_desktop.core.events import Event, event_to_dict
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


def run(app: Application, options: RunOptions) -> int:
    """Answer a WAV. Raises AppError; nothing is left half-written then."""
    for path in (options.out, options.events):
        if path is not None:
            app.check_writable(path)
    _check_distinct(options)
    request = SessionRequest(
        engine=options.engine or app.settings.engine,
        llm=app.resolve_llm(options.llm or app.settings.llm.model, options.api_base),
        wav=options.wav,
        fast=options.fast,
    )
    recorded = app.open_recorded(request, [app.read_question(options.wav)], stt=options.stt)
    metrics = Metrics()
    printer = None if options.as_json else TurnPrinter(sys.stdout)
    with _events_file(options.events) as stream:

        def take(events: Sequence[Event]) -> None:
            if printer is not None:
                printer.take(events)
            for event in events:
                metrics.take(event)
                if stream is not None:
                    stream.write(json.dumps(event_to_dict(event), ensure_ascii=False) + "\n")

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
        sys.stdout.write(json.dumps(summary, ensure_ascii=False, indent=2) + "\n")
    else:
        _print_summary(summary, options)
    return EXIT_OK


def summarise(request: SessionRequest, metrics: Metrics) -> dict[str, Any]:
    """The summary object of ``--json``."""
    return {"engine": request.engine, "llm": request.llm.name, **metrics.summary()}


def _check_distinct(options: RunOptions) -> None:
    """The files that are written must not be the one that is read, nor each other."""
    paths = [path.resolve() for path in (options.wav, options.out, options.events) if path is not None]
    if len(set(paths)) != len(paths):
        raise BadInputError("The same file is named twice.", "Give the input, --out and --events different names.")


@contextlib.contextmanager
def _events_file(path: Path | None) -> Iterator[TextIO | None]:
    """A stream that becomes ``path`` when the body succeeds and vanishes when it doesn't."""
    if path is None:
        yield None
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            yield stream
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def _print_summary(summary: dict[str, Any], options: RunOptions) -> None:
    latency = summary["response_latency_ms"]
    revisions = summary["revisions"]
    parts = [
        f"first sound after {_ms(latency['first_sound'])}",
        f"first word of the answer after {_ms(latency['first_content_word'])}",
        f"{revisions['requested']} requests, {revisions['count']} answers",
        f"late frames {summary['late_frames']} of {summary['frames']}",
    ]
    sys.stdout.write("\n" + "; ".join(parts) + "\n")
    for path in (options.out, options.events):
        if path is not None:
            sys.stdout.write(f"Written: {path}\n")


def _ms(value: float | None) -> str:
    return "(not reached)" if value is None else f"{value:.0f} ms"
