"""Work that may block, off the GUI thread, with its result back on it."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from kame_desktop.core.errors import stack_of

_log = logging.getLogger(__name__)
_WAITING = 16
_JOIN_S = 0.5


class Background(QObject):
    """One worker thread, started with the first job; jobs run one after the other, at most ``_WAITING`` wait.

    GUI thread only. ``close`` drops what waits and forgets what is running: its result is thrown away, and the thread
    ends with it (it is a daemon: a keyring that never answers can't keep the program).

    Signals:
        _finished: Posted by the worker: what to call with which result.
    """

    _finished = Signal(object, object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._jobs: queue.Queue[tuple[Callable[[], Any], Callable[[Any], None]] | None] = queue.Queue(_WAITING)
        self._thread: threading.Thread | None = None
        self._closed = False
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(self, work: Callable[[], Any], then: Callable[[Any], None]) -> bool:
        """Call ``work`` on the worker and ``then`` with its result here; False when too much waits, or after ``close``.

        ``work`` handles its own errors; one that it lets through is logged by its place, and ``then`` isn't called.
        """
        if self._closed:
            return False
        if self._thread is None:
            self._thread = threading.Thread(target=self._main, name=self._name, daemon=True)
            self._thread.start()
        try:
            self._jobs.put_nowait((work, then))
        except queue.Full:
            return False
        return True

    def close(self) -> None:
        """Deliver nothing more, and end the thread as soon as it can; returns within half a second. Idempotent."""
        self._closed = True
        with contextlib.suppress(queue.Empty):
            while True:
                self._jobs.get_nowait()
        if self._thread is not None:
            self._jobs.put_nowait(None)
            self._thread.join(_JOIN_S)

    def _main(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, then = job
            try:
                result = work()
            except Exception as error:  # noqa: BLE001 - the window must go on
                _log.error("A part of the window failed: %s", stack_of(error))
                continue
            with contextlib.suppress(RuntimeError):  # the window is gone
                self._finished.emit(then, result)

    def _deliver(self, then: Callable[[Any], None], result: Any) -> None:
        if not self._closed:
            then(result)
