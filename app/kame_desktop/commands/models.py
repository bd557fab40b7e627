"""``kame-desktop models``: list, get, check and remove weights. Only ``get`` and ``verify --repair`` ask the network.

Answers go to standard output, what is under way to standard error, so that ``where`` can be used in a script.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from kame_desktop.commands.output import put
from kame_desktop.commands.runner import EXIT_FAILED, EXIT_OK
from kame_desktop.core.errors import BadInputError
from kame_desktop.weights import checking
from kame_desktop.weights.cancel import CancelFlag
from kame_desktop.weights.checking import FileCheck, FileState
from kame_desktop.weights.download import Downloader
from kame_desktop.weights.plan import DownloadOptions, DownloadPlan, Phase, Progress
from kame_desktop.weights.store import Presence, StoredSet, WeightStore
from kame_desktop.weights.words import duration_text, files_text, rate_text, size_text

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_STEP = 0.1
_POLL_S = 0.2
_STOP_S = 3.0
T = TypeVar("T")
_NAME_HELP = "kame, moshi, a repository as owner/name, or a folder"


def add_arguments(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``models`` and its commands to the program's parser."""
    models = subparsers.add_parser("models", help="list, download, check and remove weights")
    what = models.add_subparsers(dest="models", metavar="WHAT", required=True)

    listing = what.add_parser("list", help="the known sets and what is here of them")
    listing.add_argument("--json", action="store_true", help="print one array")

    get = what.add_parser("get", help="download a set, or go on with a stopped download")
    get.add_argument("name", metavar="NAME", help="kame, moshi, or a repository as owner/name")
    get.add_argument("--yes", action="store_true", help="don't ask")
    get.add_argument("--json", action="store_true", help="print one object at the end")

    verify = what.add_parser("verify", help="compare sizes and checksums with what the hub stated")
    verify.add_argument("name", nargs="?", metavar="NAME", help=f"{_NAME_HELP}; without it every downloaded set")
    verify.add_argument("--repair", action="store_true", help="throw damaged files away and download them anew")
    verify.add_argument("--yes", action="store_true", help="with --repair: don't ask")
    verify.add_argument("--json", action="store_true", help="print one array")

    where = what.add_parser("where", help="print the folder of a set, or of all downloads")
    where.add_argument("name", nargs="?", metavar="NAME", help=_NAME_HELP)

    remove = what.add_parser("rm", help="remove a downloaded set from the disk")
    remove.add_argument("name", metavar="NAME", help="kame, moshi, or a repository as owner/name")
    remove.add_argument("--yes", action="store_true", help="don't ask")


@dataclass(frozen=True, slots=True)
class ModelsContext:
    """What the commands work with; tests give their own.

    Attributes:
        store: Where weights lie.
        options: How to download.
        out: Writes to standard output.
        err: Standard error.
        ask: Puts a question to the user and returns the answer; None: there is nobody to ask.
    """

    store: WeightStore
    options: DownloadOptions
    out: Callable[[str], object]
    err: TextIO
    ask: Callable[[str], str] | None

    def line(self, text: str = "") -> None:
        """Answer with one line."""
        self.out(text + "\n")

    def note(self, text: str) -> None:
        """Say what is under way."""
        self.err.write(text + "\n")
        self.err.flush()


def _context(offline: bool) -> ModelsContext:
    ask = input if sys.stdin is not None and sys.stdin.isatty() else None
    return ModelsContext(WeightStore(), DownloadOptions(offline=offline), put, sys.stderr, ask)


def run_models(arguments: argparse.Namespace, *, offline: bool = False, context: ModelsContext | None = None) -> int:
    """Do what ``add_arguments`` parsed.

    Args:
        arguments: ``models`` names the command.
        offline: The program's setting; HF_HUB_OFFLINE counts, too.
        context: None: the real one.

    Returns:
        The exit code: 0 done, 1 declined, or damage was found.

    Raises:
        AppError: See ``weights.download`` and ``weights.store``.
        KeyboardInterrupt: Ctrl+C; a download goes on from there next time.
    """
    context = context or _context(offline)
    match arguments.models:
        case "list":
            return _list(context, as_json=arguments.json)
        case "get":
            return _get(context, arguments.name, yes=arguments.yes, as_json=arguments.json)
        case "verify":
            names = [arguments.name] if arguments.name else _downloaded(context)
            return _verify(context, names, repair=arguments.repair, yes=arguments.yes, as_json=arguments.json)
        case "where":
            context.line(str(context.store.resolve(arguments.name) if arguments.name else context.store.cache_dir))
            return EXIT_OK
        case _:
            return _remove(context, arguments.name, yes=arguments.yes)


def _downloaded(context: ModelsContext) -> list[str]:
    return [entry.name for entry in context.store.sets() if entry.presence is not Presence.ABSENT]


# list -----------------------------------------------------------------------------------------------------------------


def _list(context: ModelsContext, *, as_json: bool) -> int:
    sets = context.store.sets()
    if as_json:
        context.line(json.dumps([_as_dict(entry) for entry in sets], indent=2))
        return EXIT_OK
    widths = [max(len(entry.name) for entry in sets), max(len(entry.repo) for entry in sets)]
    for entry in sets:
        context.line(f"{entry.name:<{widths[0]}}  {entry.repo:<{widths[1]}}  {_state_text(entry)}")
        if entry.what:
            context.line(f"{'':<{widths[0]}}  {entry.what}")
    context.line()
    context.line(f"Downloads are kept in {context.store.cache_dir}")
    return EXIT_OK


def _state_text(entry: StoredSet) -> str:
    match entry.presence:
        case Presence.READY:
            return f"{size_text(entry.size_bytes)}, on this computer"
        case Presence.PARTIAL:
            total = f" of {size_text(entry.total_bytes)}" if entry.total_bytes else ""
            return f"{size_text(entry.size_bytes)}{total} here; go on with: kame-desktop models get {entry.name}"
        case _:
            return f"about {size_text(entry.size_bytes)}, not downloaded"


def _as_dict(entry: StoredSet) -> dict[str, Any]:
    return {
        "name": entry.name,
        "repo": entry.repo,
        "what": entry.what,
        "presence": entry.presence.value,
        "size_bytes": entry.size_bytes,
        "total_bytes": entry.total_bytes,
        "licence": entry.licence,
        "folder": str(entry.folder) if entry.folder else None,
    }


# get ------------------------------------------------------------------------------------------------------------------


def _get(context: ModelsContext, name: str, *, yes: bool, as_json: bool) -> int:
    folder = context.store.find(name)
    if folder is not None:
        context.note(f"The weights '{name}' are on this computer already.")
        return _got(context, name, folder, 0, as_json=as_json)
    downloader = Downloader(context.store, context.options)
    plan = _stoppable(lambda flag: downloader.plan(name, flag))
    for line in plan_lines(plan):
        context.note(line)
    if plan.fits and plan.missing_bytes and not yes and not _agreed(context, "Download it?"):
        context.note("Nothing was downloaded.")
        return EXIT_FAILED
    try:
        with _display(context.err) as show:
            folder = _stoppable(lambda flag: downloader.get(plan, show, flag))
    except KeyboardInterrupt:
        context.note(f"'kame-desktop models get {name}' goes on from here.")
        raise
    return _got(context, name, folder, plan.missing_bytes, as_json=as_json)


def _stoppable(work: Callable[[CancelFlag], T]) -> T:
    """Do ``work`` on a thread of its own and wait for it: Ctrl+C reaches only the wait, and ends the work in order."""
    flag = CancelFlag()
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work(flag))
        except BaseException as error:  # noqa: BLE001 - raised again on the waiting thread
            failures.append(error)

    worker = threading.Thread(target=run, name="weights", daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(_POLL_S)
    except KeyboardInterrupt:
        flag.cancel()
        worker.join(_STOP_S)
        raise
    if failures:
        raise failures[0]
    return results[0]


def _got(context: ModelsContext, name: str, folder: Path, fetched: int, *, as_json: bool) -> int:
    if as_json:
        context.line(json.dumps({"name": name, "folder": str(folder), "downloaded_bytes": fetched}, indent=2))
    else:
        context.line(str(folder))
    return EXIT_OK


def plan_lines(plan: DownloadPlan) -> list[str]:
    """What the user agrees to, line by line."""
    here = f", {size_text(plan.present_bytes)} of it here already" if plan.present_bytes else ""
    return [
        f"{plan.repo}{f': {plan.what}' if plan.what else ''}",
        f"  size     {size_text(plan.total_bytes)} ({files_text(len(plan.manifest.files))}){here}",
        f"  licence  {plan.licence or 'not stated'} (as the hub states it: {plan.page})",
        f"  into     {plan.folder}",
        f"  free     {size_text(plan.free_bytes)}",
    ]


def _agreed(context: ModelsContext, question: str) -> bool:
    if context.ask is None:
        raise BadInputError(
            "There is nobody to ask for consent.", "Add --yes to agree beforehand.", component="weights"
        )
    try:
        return context.ask(f"{question} [y/N] ").strip().casefold() in ("y", "yes")
    except EOFError:
        return False


@dataclass(slots=True)
class _Lines:
    """A line for every tenth, for logs and pipes."""

    err: TextIO
    _next: float = field(default=0.0)

    def __enter__(self) -> Callable[[Progress], None]:
        return self.show

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, progress: Progress) -> None:
        if progress.fraction < self._next:
            return
        self._next = (progress.fraction // _STEP + 1) * _STEP
        rate = f", {rate_text(progress.rate)}" if progress.rate else ""
        self.err.write(f"{progress.fraction:4.0%}  {size_text(progress.done)} of {size_text(progress.total)}{rate}\n")
        self.err.flush()


class _LiveBar:
    """A bar that is redrawn in place."""

    def __init__(self, err: TextIO) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        self._bar: Bar = Bar(
            TextColumn("{task.percentage:>3.0f} %"),
            BarColumn(),
            TextColumn("{task.fields[numbers]}"),
            console=Console(file=err),
            auto_refresh=False,
        )
        self._task = self._bar.add_task("", total=None, numbers="")

    def __enter__(self) -> Callable[[Progress], None]:
        self._bar.__enter__()
        return self.show

    def __exit__(self, *_: object) -> None:
        self._bar.__exit__(None, None, None)

    def show(self, progress: Progress) -> None:
        numbers = f"{size_text(progress.done)} of {size_text(progress.total)}"
        if progress.phase is Phase.CHECKING:
            numbers += ", checking what is here"
        elif progress.rate:
            numbers += f", {rate_text(progress.rate)}"
            numbers += f", {duration_text(progress.left_s)} left" if progress.left_s else ""
        self._bar.update(self._task, completed=progress.done, total=progress.total, numbers=numbers, refresh=True)


def _display(err: TextIO) -> _Lines | _LiveBar:
    return _LiveBar(err) if err.isatty() else _Lines(err)


# verify ---------------------------------------------------------------------------------------------------------------


def _verify(context: ModelsContext, names: Sequence[str], *, repair: bool, yes: bool, as_json: bool) -> int:
    """Check sets; 1 when something is wrong with one of them (and was not repaired)."""
    results = {name: _checked(context, name) for name in names}
    if as_json:
        context.line(json.dumps([_check_dict(name, check) for name in names for check in results[name]], indent=2))
    else:
        for name, checks in results.items():
            for check in checks:
                context.line(f"{name}  {check.name}  {size_text(check.size)}  {check.state.value}")
        if not results:
            context.line("No weights are downloaded.")
    bad = [name for name, checks in results.items() if not all(check.good for check in checks)]
    code = EXIT_OK
    for name in bad:
        if repair and context.store.removable(name):
            checking.discard(context.store, results[name])
            code = max(code, _get(context, name, yes=yes, as_json=False))
        else:
            context.note(
                f"'{name}' is damaged or not complete. Mend it with: kame-desktop models verify {name} --repair"
            )
            code = EXIT_FAILED
    return code


def _checked(context: ModelsContext, name: str) -> list[FileCheck]:
    shown = -1

    def show(done: int, total: int) -> None:
        nonlocal shown
        percent = done * 100 // total if total else 100
        if context.err.isatty() and percent != shown:
            shown = percent
            context.err.write(f"\rChecking {name}: {percent} %" + ("\n" if done >= total else ""))
            context.err.flush()

    return checking.verify(context.store, name, show)


def _check_dict(name: str, check: FileCheck) -> dict[str, Any]:
    return {
        "set": name,
        "file": check.name,
        "path": str(check.path),
        "size_bytes": check.size,
        "state": check.state.value,
        "ok": check.state is FileState.OK,
    }


# rm -------------------------------------------------------------------------------------------------------------------


def _remove(context: ModelsContext, name: str, *, yes: bool) -> int:
    repo, folder, size = context.store.removable(name)
    context.note(f"{repo}: {size_text(size)} in {folder}\nOther programs that use this cache will miss it, too.")
    if not yes and not _agreed(context, "Remove it?"):
        context.note("Nothing was removed.")
        return EXIT_FAILED
    context.line(f"Removed {repo}: {size_text(context.store.remove(name))} are free again.")
    return EXIT_OK
