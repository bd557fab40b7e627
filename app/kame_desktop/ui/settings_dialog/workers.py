"""Runs what may block (keyring, network, sound devices) beside the window, and posts the outcome back to it."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from kame_desktop.core.errors import AppError, as_app_error

T = TypeVar("T")
Tell = Callable[[Any], None]
"""Posts something on the way to the end (a level, say); any thread."""

MAX_THREADS = 4
MAX_WAITING = 16


@dataclass(slots=True)
class Job:
    """One call. GUI thread only, but for ``work``, which its worker takes.

    Attributes:
        over: It was answered, cancelled or refused: nothing of it is listened to any more.
    """

    work: Callable[[Tell], Any] | None
    done: Callable[[Any], object]
    failed: Callable[[AppError], object]
    told: Callable[[Any], object]
    over: bool = False

    def cancel(self) -> None:
        """Ignore what it still brings. The call itself goes on until it returns; nobody waits for it."""
        self.over = True


@dataclass(frozen=True, slots=True)
class _Post:
    """What a worker has to say: exactly one of an answer, an error, or something on the way."""

    job: Job
    kind: str
    value: Any


class Worker(QObject):
    """At most ``MAX_THREADS`` calls at once; up to ``MAX_WAITING`` wait, more are refused with an error.

    GUI thread only. Answers arrive on the GUI thread, in the order in which the calls end. A thread ends as soon as
    nothing waits. ``close`` is the end: answers that come later are dropped, and the threads go with their last call.

    Signals:
        idle_changed: The first call began, or the last one was answered.
        _posted: From a worker (``_Post``).
    """

    idle_changed = Signal()
    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()  # held while a worker posts: nothing is posted after ``close`` has returned
        self._waiting: deque[Job] = deque()
        self._threads = 0
        self._closed = False
        self._open_jobs: list[Job] = []
        self._posted.connect(self._on_posted, Qt.ConnectionType.QueuedConnection)

    @property
    def idle(self) -> bool:
        """Nothing is awaited."""
        return not any(not job.over for job in self._open_jobs)

    def submit(
        self,
        work: Callable[[Tell], T],
        done: Callable[[T], object],
        failed: Callable[[AppError], object] = lambda error: None,
        told: Callable[[Any], object] = lambda value: None,
    ) -> Job:
        """Call ``work`` on a worker.

        Args:
            work: May block, and raise; is handed a ``Tell``.
            done: Takes its result, on the GUI thread.
            failed: Takes what it raised.
            told: Takes what it tells on the way.
        """
        job = Job(work, done, failed, told)
        with self._lock:
            refused = self._closed or len(self._waiting) >= MAX_WAITING
            begin = not refused and self._threads < MAX_THREADS
            if not refused:
                self._waiting.append(job)
                self._threads += begin
        if refused:
            job.over, job.work = True, None
            if not self._closed:
                failed(
                    AppError("Too much is going on at once.", "Wait a moment, then try again.", component="settings")
                )
            return job
        self._open_jobs = [known for known in self._open_jobs if not known.over] + [job]
        if begin:
            threading.Thread(target=self._run, name="settings-worker", daemon=True).start()
        self.idle_changed.emit()
        return job

    def close(self) -> None:
        """Drop what waits and whatever is still answered; returns at once; idempotent."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
        for job in self._open_jobs:
            job.cancel()
        self._open_jobs.clear()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._threads -= 1
                    return
                job = self._waiting.popleft()
            self._call(job)

    def _call(self, job: Job) -> None:
        work, job.work = job.work, None  # it may hold a key: not kept longer than the call
        if work is None or job.over:
            return
        try:
            value = work(lambda value: self._post(_Post(job, "told", value)))
        except Exception as error:  # noqa: BLE001 - shown in the dialog
            self._post(_Post(job, "failed", as_app_error(error, "settings")))
        else:
            self._post(_Post(job, "done", value))

    def _post(self, post: _Post) -> None:
        with self._lock:
            if not self._closed:
                with contextlib.suppress(RuntimeError):  # the dialog is gone without having been closed
                    self._posted.emit(post)

    def _on_posted(self, post: _Post) -> None:
        job = post.job
        if job.over:
            return
        if post.kind == "told":
            job.told(post.value)
            return
        job.over = True
        if post.kind == "failed":
            job.failed(post.value)
        else:
            job.done(post.value)
        self.idle_changed.emit()
