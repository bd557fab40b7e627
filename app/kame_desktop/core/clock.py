"""Session time. All code outside the audio path takes its time from a ``Clock``, so that tests and ``--fast`` runs
live on virtual time.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import threading
import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Milliseconds since the conversation began to run (0 while it loads), and a way to wait for a moment of it.

    ``now_ms`` may be called on any thread; ``sleep_until`` on an asyncio loop.
    """

    def start(self) -> None:
        """The conversation begins to run: time passes from now on. Called once, by the session."""
        ...

    def now_ms(self) -> float:
        """Monotonic session time in milliseconds."""
        ...

    async def sleep_until(self, at_ms: float) -> None:
        """Return once ``now_ms() >= at_ms``; at once when that is already so."""
        ...


class SystemClock:
    """Real time."""

    def __init__(self) -> None:
        self._origin_s: float | None = None

    def start(self) -> None:
        self._origin_s = time.perf_counter()

    def now_ms(self) -> float:
        origin_s = self._origin_s
        return 0.0 if origin_s is None else (time.perf_counter() - origin_s) * 1e3

    async def sleep_until(self, at_ms: float) -> None:
        while (wait_ms := at_ms - self.now_ms()) > 0:  # noqa: ASYNC110 - a timer may fire a little early
            await asyncio.sleep(wait_ms / 1e3)


class ManualClock:
    """Time that moves only when ``advance_to`` is called (any thread); sleepers wake in the order of their deadlines.

    ``on_wake`` is told of each sleeper that is about to be woken and ``on_woken`` after it has run its next step, so
    that a driver can wait for what the passing of time has set going.
    """

    def __init__(self, on_wake: Callable[[], None] | None = None, on_woken: Callable[[], None] | None = None) -> None:
        self._now_ms = 0.0
        self._lock = threading.Lock()
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._on_wake = on_wake or (lambda: None)
        self._on_woken = on_woken or (lambda: None)

    def start(self) -> None:
        pass

    def now_ms(self) -> float:
        with self._lock:
            return self._now_ms

    def next_deadline_ms(self) -> float | None:
        """When the earliest sleeper wants to wake."""
        with self._lock:
            return self._sleepers[0][0] if self._sleepers else None

    def advance_to(self, at_ms: float) -> None:
        """Move time forward (never back) and wake whoever is due."""
        due: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        with self._lock:
            self._now_ms = max(self._now_ms, at_ms)
            while self._sleepers and self._sleepers[0][0] <= self._now_ms:
                _, _, loop, future = heapq.heappop(self._sleepers)
                due.append((loop, future))
        for loop, future in due:
            self._on_wake()
            try:
                loop.call_soon_threadsafe(self._wake, future)
            except RuntimeError:  # the loop is closed: nobody sleeps there any more
                self._on_woken()

    def advance(self, by_ms: float) -> None:
        """Move time forward by ``by_ms``."""
        self.advance_to(self.now_ms() + by_ms)

    async def sleep_until(self, at_ms: float) -> None:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        with self._lock:
            if at_ms <= self._now_ms:
                return
            heapq.heappush(self._sleepers, (at_ms, next(self._order), loop, future))
        await future

    def _wake(self, future: asyncio.Future[None]) -> None:
        if not future.done():
            future.set_result(None)
        loop = future.get_loop()
        # The sleeper resumes in a later callback than this one; two hops put on_woken behind it.
        loop.call_soon(lambda: loop.call_soon(self._on_woken))
