"""Crash care for the length of a run: Python's hooks, the file of reports, and how the last run ended."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from kame_desktop.core import crash
from kame_desktop.core.crash import CrashLog, CrashReport
from kame_desktop.core.last_run import LastRun, ReportFile, RunWatch
from kame_desktop.core.redact import Redactor


class CrashCare:
    """``with CrashCare(folder):`` around a whole run. Main thread.

    Args:
        folder: The user's folder for logs; None: nothing is written, and nothing known of earlier runs (commands).

    Attributes:
        log: What crashes in this run.
        last_run: The last one, if it ended unexpectedly.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.log = CrashLog()
        self.last_run: LastRun | None = None
        self._redact = Redactor()
        self._file = None if folder is None else ReportFile(folder)
        self._watch = None if folder is None else RunWatch(folder)
        self._earlier: list[CrashReport] = []
        self._undo: list[Callable[[], None]] = []

    @property
    def reports(self) -> list[CrashReport]:
        """Those of earlier runs, then those of this one; oldest first."""
        return [*self._earlier, *self.log.reports]

    def __enter__(self) -> CrashCare:
        self._undo = [crash.install(self.log)]
        if self._file is not None and self._watch is not None:
            self._earlier = self._file.read()
            self._undo += [self.log.listen(self._write), self._watch.end]
            self.last_run = self._watch.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        while self._undo:
            self._undo.pop()()

    def _write(self, report: CrashReport) -> None:
        if self._file is not None:
            where, stack = self._redact(report.where), self._redact(report.stack)
            self._file.add(dataclasses.replace(report, where=where, stack=stack))
