"""How the window's last run ended: a file a run, removed at an orderly end; Python's fault handler writes into it.

What a run that crashed in native code leaves there are the names of files and functions, never values.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from kame_desktop import __version__
from kame_desktop.core.crash import CrashReport

_PATTERN = "run-*.log"
_REPORTS = "crashes.json"
_MOST_REPORTS = 20
_LARGEST_BYTES = 64_000
_SAME_START_S = 2.0
"""Systems tell a process' start with so little precision."""


@dataclass(frozen=True, slots=True)
class LastRun:
    """A run that ended without saying so.

    Attributes:
        at: When it began, in UTC.
        version: Of the program.
        stack: Where native code crashed; "": it was killed, or the memory was full.
    """

    at: str
    version: str
    stack: str

    @property
    def text(self) -> str:
        """As a report shows it."""
        how = "crashed in native code" if self.stack else "was ended from outside"
        return f"The run of {self.at} (version {self.version}) {how}.\n{self.stack}".rstrip()


class RunWatch:
    """Owner: the main thread. Without a folder that can be written to it does nothing.

    Args:
        folder: The user's folder for logs.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stream: IO[str] | None = None
        self._path: Path | None = None
        self._was_enabled = False

    def begin(self) -> LastRun | None:
        """This run begins; the newest earlier one that never ended, if it did so since the computer was started."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        last = self._look()
        with contextlib.suppress(OSError, ValueError):
            began_s = _start_of(os.getpid()) or time.time()
            path = self._folder / f"run-{os.getpid()}-{int(began_s)}.log"
            stream = open(path, "w", encoding="utf-8", opener=_private)  # noqa: SIM115 - open until the end
            header = {"pid": os.getpid(), "began_s": began_s, "at": _utc(began_s), "version": __version__}
            stream.write(json.dumps(header) + "\n")
            stream.flush()
            self._path, self._stream = path, stream
            self._was_enabled = faulthandler.is_enabled()
            faulthandler.enable(stream)
        return last

    def end(self) -> None:
        """This run ends as it should. Idempotent."""
        stream, self._stream = self._stream, None
        if stream is None:
            return
        faulthandler.disable()
        if self._was_enabled:
            with contextlib.suppress(OSError, RuntimeError, ValueError):  # no standard error
                faulthandler.enable()
        with contextlib.suppress(OSError):
            stream.close()
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()

    def _look(self) -> LastRun | None:
        """The newest of the runs that are over; the files of all of them go."""
        import psutil

        newest: tuple[float, LastRun] | None = None
        for path in sorted(self._folder.glob(_PATTERN)):
            header, stack = _read(path)
            began_s = header.get("began_s")
            if not isinstance(began_s, int | float):
                began_s = 0.0
            if _runs(header.get("pid"), began_s):
                continue
            with contextlib.suppress(OSError):
                path.unlink()
            switched_off = not stack and began_s < psutil.boot_time()
            if not switched_off and began_s and (newest is None or began_s > newest[0]):
                newest = began_s, LastRun(_utc(began_s), str(header.get("version", "?"))[:40], stack)
        return None if newest is None else newest[1]


class ReportFile:
    """The newest crash reports, also of earlier runs. Bound: 20. Any thread, one at a time; never raises.

    Args:
        folder: The user's folder for logs.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _REPORTS

    def read(self) -> list[CrashReport]:
        """Oldest first; none when the file can't be read."""
        try:
            raw = json.loads(self._path.read_bytes()[: _LARGEST_BYTES * 4].decode("utf-8"))
            return [_report(one) for one in raw][-_MOST_REPORTS:]
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return []

    def add(self, report: CrashReport) -> None:
        """Keep one more, or the new count of a known one."""
        known = [one for one in self.read() if (one.at, one.kind, one.where) != (report.at, report.kind, report.where)]
        kept = [*known, report][-_MOST_REPORTS:]
        values = [
            {"at": one.at, "where": one.where, "kind": one.kind, "stack": one.stack, "count": one.count} for one in kept
        ]
        aside = self._path.with_suffix(".new")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(aside, "w", encoding="utf-8", opener=_private) as stream:
                json.dump(values, stream)
            aside.replace(self._path)


def _report(raw: dict[str, Any]) -> CrashReport:
    return CrashReport(str(raw["at"]), str(raw["where"]), str(raw["kind"]), str(raw["stack"]), int(raw["count"]))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _read(path: Path) -> tuple[dict[str, Any], str]:
    """The header and what the fault handler wrote; nothing of a file that can't be read."""
    try:
        with path.open("rb") as stream:
            first, _, rest = stream.read(_LARGEST_BYTES).decode("utf-8", errors="replace").partition("\n")
        header = json.loads(first)
    except (OSError, ValueError, RecursionError):
        return {}, ""
    return (header, rest.strip()) if isinstance(header, dict) else ({}, "")


def _runs(pid: Any, began_s: float) -> bool:
    """Whether this very process still runs."""
    started_s = _start_of(pid) if isinstance(pid, int) and pid > 0 else None
    return started_s is not None and abs(started_s - began_s) <= _SAME_START_S


def _start_of(pid: int) -> float | None:
    """When a process began (seconds since 1970); None when there is none."""
    import psutil

    try:
        return psutil.Process(pid).create_time()
    except (psutil.Error, OverflowError):
        return None


def _utc(at_s: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at_s))
