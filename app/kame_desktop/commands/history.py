"""``kame-desktop history``: list, search, rename and delete recorded conversations.

Answers go to standard output, remarks to standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TextIO

from kame_desktop.commands.output import put
from kame_desktop.commands.runner import EXIT_FAILED, EXIT_OK
from kame_desktop.core.errors import BadInputError
from kame_desktop.recordings.format import clean_title
from kame_desktop.recordings.library import Deleted, Entry, RecordingLibrary
from kame_desktop.weights.words import size_text

_NAME_HELP = "the name of a recording's folder, as 'history list' shows it"


class HistoryApp(Protocol):
    """What this command needs of ``Application``."""

    def recordings(self) -> RecordingLibrary:
        """The user's recordings."""
        ...


def add_history(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``history`` and its commands to the program's parser."""
    history = subparsers.add_parser("history", help="list, search, rename and delete recorded conversations")
    what = history.add_subparsers(dest="history", metavar="WHAT", required=True)

    listing = what.add_parser("list", help="the recordings, the newest first")
    listing.add_argument("search", nargs="*", metavar="SEARCH", help="words in their title, or that were said")
    listing.add_argument("--json", action="store_true", help="print one array")

    rename = what.add_parser("rename", help="give a recording another title")
    rename.add_argument("name", metavar="NAME", help=_NAME_HELP)
    rename.add_argument("title", metavar="TITLE", help="the new title")

    delete = what.add_parser("delete", help="delete recordings for good")
    delete.add_argument("names", nargs="+", metavar="NAME", help=_NAME_HELP)
    delete.add_argument("--yes", action="store_true", help="don't ask")

    everything = what.add_parser("delete-all", help="delete all recordings for good")
    everything.add_argument("--yes", action="store_true", help="don't ask")


@dataclass(frozen=True, slots=True)
class HistoryContext:
    """What the commands work with; tests give their own.

    Attributes:
        out: Writes to standard output.
        err: Standard error.
        ask: Puts a question to the user and returns the answer; None: there is nobody to ask.
    """

    out: Callable[[str], object]
    err: TextIO
    ask: Callable[[str], str] | None

    def line(self, text: str = "") -> None:
        """Answer with one line."""
        self.out(text + "\n")

    def note(self, text: str) -> None:
        """Remark something."""
        self.err.write(text + "\n")
        self.err.flush()


def _context() -> HistoryContext:
    return HistoryContext(put, sys.stderr, input if sys.stdin.isatty() else None)


def run_history(app: HistoryApp, arguments: argparse.Namespace, *, context: HistoryContext | None = None) -> int:
    """Do what ``add_history`` parsed.

    Args:
        app: The program.
        arguments: ``history`` names the command.
        context: None: the real one.

    Returns:
        The exit code: 0 done, 1 declined, or not all could be deleted.

    Raises:
        AppError: A name that isn't one, nobody to ask, a disk that refuses.
        KeyboardInterrupt: Ctrl+C.
    """
    context = context or _context()
    library = app.recordings()
    match arguments.history:
        case "list":
            return _list(context, library, " ".join(arguments.search), as_json=arguments.json)
        case "rename":
            entry = library.rename(arguments.name, arguments.title)
            context.line(f"{entry.name}  {entry.title}")
            return EXIT_OK
        case "delete":
            return _delete(context, library, arguments.names, yes=arguments.yes)
        case _:
            return _delete_all(context, library, yes=arguments.yes)


def _list(context: HistoryContext, library: RecordingLibrary, query: str, *, as_json: bool) -> int:
    found = library.search(query) if query else iter(library.entries())
    if as_json:
        entries = list(found)
        context.line(json.dumps([_as_dict(entry) for entry in entries], ensure_ascii=False, indent=2))
        return EXIT_OK
    count = total = 0
    for entry in found:
        count += 1
        total += entry.size_bytes
        context.line(_line(entry))
    if not count:
        context.note("No recording has these words." if query else "Nothing is recorded.")
        return EXIT_OK
    context.line()
    context.line(f"{_count(count)}, {size_text(total)}, in {library.root}")
    return EXIT_OK


def _line(entry: Entry) -> str:
    parts = [clean_title(entry.name), _length(entry.duration_ms), size_text(entry.size_bytes), entry.engine, entry.llm]
    facts = "  ".join(part for part in parts if part)
    return f"{facts}\n    {entry.problem or entry.title or '(no words)'}"


def _as_dict(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "title": entry.title,
        "started_at": entry.started_at.isoformat(timespec="seconds"),
        "duration_ms": round(entry.duration_ms),
        "size_bytes": entry.size_bytes,
        "engine": entry.engine,
        "llm": entry.llm,
        "complete": entry.complete,
        "problem": entry.problem,
        "folder": str(entry.folder),
    }


def _delete(context: HistoryContext, library: RecordingLibrary, names: Sequence[str], *, yes: bool) -> int:
    entries = [library.find(name) for name in dict.fromkeys(names)]  # all are there before the first one goes
    for entry in entries:
        context.note(_line(entry))
    if not yes and not _agreed(context, len(entries)):
        context.note("Nothing was deleted.")
        return EXIT_FAILED
    size = sum(library.delete(entry.name) for entry in entries)
    context.line(f"Deleted {_count(len(entries))}: {size_text(size)} are free again.")
    return EXIT_OK


def _delete_all(context: HistoryContext, library: RecordingLibrary, *, yes: bool) -> int:
    entries = library.entries()
    if not entries:
        context.note("Nothing is recorded.")
        return EXIT_OK
    context.note(f"{_count(len(entries))}, {size_text(sum(entry.size_bytes for entry in entries))}, in {library.root}")
    if not yes and not _agreed(context, len(entries)):
        context.note("Nothing was deleted.")
        return EXIT_FAILED
    deleted: Deleted = library.delete_all()
    context.line(f"Deleted {_count(len(deleted.names))}: {size_text(deleted.size_bytes)} are free again.")
    for name in deleted.kept:
        context.note(f"{name} is being recorded and was kept. Stop the recording first, then delete it.")
    return EXIT_FAILED if deleted.kept else EXIT_OK


def _agreed(context: HistoryContext, count: int) -> bool:
    if context.ask is None:
        raise BadInputError(
            "There is nobody to ask for consent.", "Add --yes to agree beforehand.", component="recording"
        )
    try:
        answer = context.ask(f"Delete {'it' if count == 1 else 'them'} for good? [y/N] ")
    except EOFError:
        return False
    return answer.strip().casefold() in ("y", "yes")


def _count(count: int) -> str:
    return f"{count} recording{'s' if count != 1 else ''}"


def _length(duration_ms: float) -> str:
    """``4:07``, ``1:02:33``."""
    minutes, seconds = divmod(round(duration_ms / 1e3), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
