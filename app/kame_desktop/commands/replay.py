"""``kame-desktop replay``: a recording in the window, or its questions put to another language model."""

from __future__ import annotations

import argparse
import json
import queue
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.commands.output import put
from kame_desktop.commands.recorded import NAME_HELP, named_recording
from kame_desktop.commands.runner import EXIT_FAILED, EXIT_OK
from kame_desktop.core.errors import AppError, BadInputError
from kame_desktop.core.events import Event, OracleFailed, OracleRequested, OracleRevision
from kame_desktop.core.series import SERIES
from kame_desktop.recordings.export.json_export import answer_object
from kame_desktop.recordings.export.model import Facts, Revision, Turn, conversation_of, facts_of
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.recordings.reader import Recording
from kame_desktop.session.reask import Reasked, Reasking

_POLL_S = 0.2


class ReplayApp(Protocol):
    """What this command needs of ``Application``."""

    def recordings(self) -> RecordingLibrary:
        """The user's recordings."""
        ...

    def resolve_llm(self, name: str, api_base: str | None = None) -> LlmModel:
        """A model by its name."""
        ...

    def reasking(
        self,
        events: Iterable[Event],
        model: LlmModel,
        *,
        series: int,
        tell: Callable[[Sequence[Event]], None],
        done: Callable[[Reasked | AppError], None],
        finals_only: bool = False,
    ) -> Reasking:
        """Another model over a recording's questions, not yet started."""
        ...

    def run_window(self, recording: Path | None = None) -> int:
        """The window, with a recording."""
        ...


def add_replay(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``replay`` to the program's parser."""
    replay = subparsers.add_parser("replay", help="show and play a recording, or put its questions to another model")
    replay.add_argument("recording", metavar="FOLDER|NAME", help=NAME_HELP)
    replay.add_argument("--re-ask", metavar="MODEL", help="no window: ask this model, print its answers beside the old")
    replay.add_argument("--api-base", metavar="URL", help="address of an OpenAI-compatible service for --re-ask")
    replay.add_argument("--finals-only", action="store_true", help="with --re-ask: finished sentences only")
    replay.add_argument("--json", action="store_true", help="with --re-ask: print one object")


def run_replay(app: ReplayApp, arguments: argparse.Namespace) -> int:
    """Do what ``add_replay`` parsed; returns the exit code.

    Raises:
        AppError: No such recording, a model that can't be asked, no display.
        KeyboardInterrupt: Ctrl+C; nothing is asked any more.
    """
    recording = named_recording(app.recordings(), arguments.recording)
    if arguments.re_ask is None:
        if arguments.json or arguments.finals_only or arguments.api_base is not None:
            raise BadInputError("That option needs --re-ask MODEL.", "Name a model, or leave the option out.")
        return app.run_window(recording.folder)
    model = app.resolve_llm(arguments.re_ask, arguments.api_base)
    events = list(recording.events())
    result = _ask(app, events, model, finals_only=arguments.finals_only)
    pairs = list(_beside(recording, events, result))
    if arguments.json:
        put(json.dumps(_as_object(recording, result, pairs), ensure_ascii=False, indent=2) + "\n")
    else:
        put(_as_text(result, pairs))
    if result.error is not None:
        sys.stderr.write(f"kame-desktop: {result.error.what} {result.error.remedy}\n")
    return EXIT_OK if any(one.complete for _, new in pairs for one in new) else EXIT_FAILED


def _ask(app: ReplayApp, events: Sequence[Event], model: LlmModel, *, finals_only: bool) -> Reasked:
    """Ask and wait. Raises AppError."""
    outcomes: queue.SimpleQueue[Reasked | AppError] = queue.SimpleQueue()
    asking = app.reasking(events, model, series=1, tell=lambda _: None, done=outcomes.put, finals_only=finals_only)
    asking.start()
    try:
        while True:
            try:
                outcome = outcomes.get(timeout=_POLL_S)  # in short waits, so that Ctrl+C is heard
            except queue.Empty:
                continue
            break
    finally:
        asking.stop()
    if isinstance(outcome, AppError):
        raise outcome
    return outcome


def _beside(recording: Recording, events: Iterable[Event], result: Reasked) -> Iterable[tuple[Turn, list[Revision]]]:
    """The turns as they were, each with the other model's answers."""
    facts = facts_of(recording)
    told = list(events)
    heard = [event for event in told if not isinstance(event, OracleRequested | OracleRevision | OracleFailed)]
    merged = sorted([*heard, *result.events], key=lambda event: event.at_ms)
    new = {turn.utterance: turn.revisions for turn in conversation_of(Facts(), merged).turns}
    for turn in conversation_of(facts, told).turns:
        if turn.user:
            yield turn, new.get(turn.utterance, [])


def _as_object(recording: Recording, result: Reasked, pairs: Sequence[tuple[Turn, list[Revision]]]) -> dict[str, Any]:
    facts, usage, error = facts_of(recording), result.usage, result.error
    return {
        "recording": recording.folder.name,
        "title": facts.title,
        "model": facts.model,
        "asked": {"name": result.model.name, "label": result.model.label},
        "turns": [
            {
                "utterance": turn.utterance,
                "user": turn.user,
                "spoken": turn.spoken,
                "before": [answer_object(one) for one in turn.revisions],
                "now": [{**answer_object(one), "generation": one.generation % SERIES} for one in new],
            }
            for turn, new in pairs
        ],
        "usage": None
        if usage is None
        else {
            "calls": usage.calls,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "cost_usd": usage.cost_usd,
        },
        "error": None if error is None else f"{error.what} {error.remedy}".strip(),
    }


def _as_text(result: Reasked, pairs: Sequence[tuple[Turn, list[Revision]]]) -> str:
    lines: list[str] = []
    for turn, new in pairs:
        lines.append(f"You: {turn.user}")
        for revisions, name in ((turn.revisions, ""), (new, result.model.label)):
            last = next((one for one in reversed(revisions) if one.text), None)
            if last is None:
                lines.append(f"  {name or 'before'}: (no answer)")
                continue
            wait = "" if last.first_token_ms is None else f" ({last.first_token_ms:.0f} ms, answer {last.number})"
            lines.append(f"  {name or last.label or last.model}{wait}: {last.text}")
        lines.append("")
    return "\n".join(lines)
