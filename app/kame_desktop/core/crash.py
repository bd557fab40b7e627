"""What no part has foreseen, on whatever thread: noted without its words, told to whoever shows it.

``install`` puts one ``CrashLog`` behind Python's hooks: errors that end a thread, that reach the top (those of Qt's
slots do), that nobody can be told of (those in ``__del__``, say). ``on_loop_error`` is the same for asyncio's loops,
``report`` for a part that catches its own. An error's text may hold the user's words or a key, so it goes nowhere: its
type and its places are enough.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from kame_desktop.core.errors import AppError, stack_of

_log = logging.getLogger(__name__)

_MOST_REPORTS = 20
_MOST_LISTENERS = 8
_LONGEST_STACK = 6_000
_MOST_PARTS = 4
"""Of a group of errors so many are looked at, and so many causes of one."""

Listener = Callable[["CrashReport"], None]


@dataclass(frozen=True, slots=True)
class CrashReport:
    """One unforeseen error.

    Attributes:
        at: When it came first, in UTC.
        where: The thread or the part.
        kind: Type of the error.
        stack: The places, without any text of the error.
        count: How often the same came from the same place.
    """

    at: str
    where: str
    kind: str
    stack: str
    count: int = 1

    @property
    def text(self) -> str:
        """As a report shows it."""
        times = f", {self.count} times" if self.count > 1 else ""
        return f"{self.at} {self.kind} in {self.where}{times}\n{self.stack}".rstrip()


class CrashLog:
    """The newest unforeseen errors. Any thread. Bound: 20 reports, the oldest go; the same again is counted only.

    A listener is called on the thread that the error came from, must return at once, and is told of every error: once
    for the first of a place, then when the count is a power of two. What it raises goes nowhere.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reports: deque[CrashReport] = deque(maxlen=_MOST_REPORTS)
        self._listeners: list[Listener] = []

    @property
    def reports(self) -> list[CrashReport]:
        """Oldest first."""
        with self._lock:
            return list(self._reports)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell ``listener`` from now on; returns what ends that."""
        with self._lock:
            if len(self._listeners) >= _MOST_LISTENERS:
                raise RuntimeError("too many listeners")
            self._listeners.append(listener)

        def end() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return end

    def add(self, error: BaseException, where: str) -> CrashReport:
        """Note an error that came out of ``where``. Never raises."""
        try:
            return self._note(error_kind(error), stacks_of(error), where)
        except Exception:  # noqa: BLE001 - a report that fails must not become the next error
            return CrashReport("", where, type(error).__name__, "")

    def add_kind(self, kind: str, where: str) -> CrashReport:
        """Note something that has no stack."""
        return self._note(kind, "", where)

    def _note(self, kind: str, stack: str, where: str) -> CrashReport:
        with self._lock:
            known = next(
                (one for one in self._reports if (one.kind, one.stack, one.where) == (kind, stack, where)), None
            )
            if known is None:
                at = datetime.now(UTC).isoformat(timespec="seconds")
                report = CrashReport(at, where, kind, stack)
            else:
                self._reports.remove(known)
                report = dataclasses.replace(known, count=known.count + 1)
            self._reports.append(report)
            told = list(self._listeners) if report.count & (report.count - 1) == 0 else []
        if known is None:
            _log.error("Unexpected %s in %s\n%s", kind, where, stack)
        for listener in told:
            try:
                listener(report)
            except Exception as error:  # noqa: BLE001 - see the class
                _log.error("A crash could not be shown: %s", type(error).__name__)
        return report


def error_kind(error: BaseException) -> str:
    """Its type, and the category of one of ours."""
    name = type(error).__name__
    return f"{name} ({error.category.value})" if isinstance(error, AppError) else name


def stacks_of(error: BaseException) -> str:
    """The places of an error, of its causes and of a group's parts, without any of their texts; bounded."""
    parts: list[str] = []
    waiting: deque[tuple[str, BaseException]] = deque([("", error)])
    seen: set[int] = set()
    while waiting and len(parts) < _MOST_PARTS:
        how, one = waiting.popleft()
        if id(one) in seen:
            continue
        seen.add(id(one))
        parts.append(f"{how}{stack_of(one)}")
        if isinstance(one, BaseExceptionGroup):
            waiting.extend(("part of it: ", part) for part in one.exceptions)
        if one.__cause__ is not None:
            waiting.append(("because of ", one.__cause__))
        elif one.__context__ is not None and not one.__suppress_context__:
            waiting.append(("while handling ", one.__context__))
    text = "".join(parts)
    return (
        text if len(text) <= _LONGEST_STACK else f"{text[: _LONGEST_STACK // 2]}[...]\n{text[-_LONGEST_STACK // 2 :]}"
    )


class _Process:
    log: CrashLog | None = None


def report(error: BaseException, where: str) -> None:
    """Note an error that a part has caught and can't explain; without ``install`` only the log has it. Any thread."""
    log = _Process.log
    if log is not None:
        log.add(error, where)
    else:
        _log.error("Unexpected %s in %s\n%s", error_kind(error), where, stacks_of(error))


def on_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """For ``loop.set_exception_handler``. asyncio's own message names callbacks with their arguments: it is dropped."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        report(error, f"{threading.current_thread().name} loop")
    elif _Process.log is not None:
        _Process.log.add_kind("loop trouble", f"{threading.current_thread().name} loop")
    else:
        _log.error("An asyncio loop reports trouble.")


def install(log: CrashLog) -> Callable[[], None]:
    """Send what nobody catches to ``log``; returns what puts everything back. Main thread.

    Ctrl+C and an orderly exit go where they went before.
    """
    before = sys.excepthook, sys.unraisablehook, threading.excepthook, _Process.log

    def on_top(kind: type[BaseException], error: BaseException, traceback: Any) -> None:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            before[0](kind, error, traceback)
        else:
            log.add(error, threading.current_thread().name)

    def on_thread(args: threading.ExceptHookArgs) -> None:
        error = args.exc_value
        if error is not None and not isinstance(error, SystemExit | KeyboardInterrupt):
            log.add(error, args.thread.name if args.thread is not None else "a thread")

    def on_unraisable(args: sys.UnraisableHookArgs) -> None:
        if args.exc_value is not None and not isinstance(args.exc_value, KeyboardInterrupt | SystemExit):
            log.add(args.exc_value, getattr(args.object, "__qualname__", type(args.object).__name__))

    sys.excepthook, sys.unraisablehook, threading.excepthook = on_top, on_unraisable, on_thread
    _Process.log = log

    def put_back() -> None:
        sys.excepthook, sys.unraisablehook, threading.excepthook, _Process.log = before

    return put_back


class PlaceFormatter(logging.Formatter):
    """Writes an error as its type and places: libraries log errors whose text may hold a request's words or its key."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        """Without the error's text."""
        return stacks_of(ei[1]).rstrip() if ei[1] is not None else ""

    def format(self, record: logging.LogRecord) -> str:
        """Never what another formatter has cached."""
        cached, record.exc_text = record.exc_text, None
        try:
            return super().format(record)
        finally:
            record.exc_text = cached
