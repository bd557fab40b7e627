"""A key that talks whatever program is in front: its protocol, and the thread that watches for it."""

from __future__ import annotations

import abc
import contextlib
import logging
import select
import socket
import threading
from collections.abc import Callable
from typing import Protocol

from kame_desktop.core.errors import AppError, ErrorCategory, as_app_error, stack_of

_log = logging.getLogger(__name__)

KEYS = "Ctrl+Alt+Space"
COMPONENT = "talk-key"
_STOP_S = 0.5
"""Longest time that ``stop`` waits; the thread itself is a daemon and ends with its next step."""

OnChange = Callable[[bool], None]
OnProblem = Callable[[AppError], None]


class GlobalKey(Protocol):
    """``KEYS``, held while any program is in front. It is started once and stopped once; GUI thread."""

    @property
    def problem(self) -> AppError | None:
        """Why it isn't possible here; None as long as nothing is known to be in the way."""
        ...

    def start(self, on_change: OnChange, on_problem: OnProblem) -> None:
        """Take the key; returns at once.

        Args:
            on_change: The key went down (True) or up (False), in turns, beginning with down; any thread.
            on_problem: It isn't possible, or isn't any more; any thread. After ``on_change(False)`` if it was down.
        """
        ...

    def stop(self) -> None:
        """Give the key back. Bounded, idempotent; nothing is called after it has returned."""
        ...


def refused(what: str, remedy: str = "In the window, the Space key works.") -> AppError:
    """Why there is no such key."""
    return AppError(what, remedy, component=COMPONENT, category=ErrorCategory.MISSING)


def taken() -> AppError:
    """Another program was first."""
    return refused(
        f"Another program uses {KEYS} already, so Kame Desktop can't talk from anywhere.",
        "Give that program another key, then switch this off and on; in the window, the Space key works.",
    )


class NoKey:
    """Where it isn't possible at all."""

    def __init__(self, problem: AppError) -> None:
        self._problem = problem

    @property
    def problem(self) -> AppError | None:
        """Why."""
        return self._problem

    def start(self, on_change: OnChange, on_problem: OnProblem) -> None:
        """Say why."""
        on_problem(self._problem)

    def stop(self) -> None:
        """Nothing to end."""


class ThreadedKey(abc.ABC):
    """A key that one thread waits for. A subclass says how, in ``_watch`` and ``_wake``."""

    def __init__(self) -> None:
        self._problem: AppError | None = None
        self._on_change: OnChange | None = None
        self._on_problem: OnProblem | None = None
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._held = False

    @property
    def problem(self) -> AppError | None:
        """Why it isn't possible here, as far as it is known."""
        return self._problem

    def start(self, on_change: OnChange, on_problem: OnProblem) -> None:
        """Begin to watch, unless it is known to be in vain."""
        if self._problem is not None:
            on_problem(self._problem)
            return
        if self._thread is not None or self._stopping.is_set():
            return
        self._on_change, self._on_problem = on_change, on_problem
        self._prepare()
        self._thread = threading.Thread(target=self._run, name="talk-key", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the watching within half a second."""
        self._stopping.set()
        if self._thread is not None:
            self._wake()
            self._thread.join(_STOP_S)

    def _prepare(self) -> None:  # noqa: B027 - nothing, for some
        """What has to be there before the thread begins."""

    @abc.abstractmethod
    def _watch(self) -> None:
        """Call ``_tell`` until ``_wake`` was called. Raises AppError when there is no (more) use. Its own thread."""

    @abc.abstractmethod
    def _wake(self) -> None:
        """Make ``_watch`` return; any time, also before it began or after it ended. ``_stopping`` is set by then."""

    def _clean(self) -> None:  # noqa: B027
        """The thread ends."""

    def _run(self) -> None:
        try:
            self._watch()
        except AppError as error:
            self._fail(error)
        except Exception as error:  # noqa: BLE001 - the window must go on
            _log.error("The talk key failed: %s", stack_of(error))
            self._fail(as_app_error(error, COMPONENT))
        finally:
            self._tell(False)
            self._clean()

    def _tell(self, held: bool) -> None:
        """The key is down or up; a key that repeats itself is down once."""
        if held == self._held:
            return
        self._held = held
        if self._on_change is not None and not self._stopping.is_set():
            self._on_change(held)

    def _fail(self, error: AppError) -> None:
        self._tell(False)
        self._problem = error
        if self._on_problem is not None and not self._stopping.is_set():
            self._on_problem(error)


class SocketKey(ThreadedKey):
    """A key whose thread waits for a socket."""

    _woken: socket.socket
    _waker: socket.socket

    def _prepare(self) -> None:
        self._woken, self._waker = socket.socketpair()
        self._waker.setblocking(False)

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # it has ended by itself
            self._waker.send(b"x")

    def _clean(self) -> None:
        self._woken.close()
        self._waker.close()

    def _wait(self, source: int | socket.socket, timeout_s: float | None = None) -> bool:
        """Wait for something to read from ``source``; False when the time is over or ``stop`` was called."""
        if self._stopping.is_set():
            return False
        ready, _, _ = select.select([source, self._woken], [], [], timeout_s)
        return source in ready and not self._stopping.is_set()
