"""Who is still working? A count of work in flight, so that a ``--fast`` run lets time leap only when all are idle."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Activity:
    """Counts work in flight over all threads. Bound: none needed, it is one integer; owner: the session."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._in_flight = 0

    @property
    def in_flight(self) -> int:
        """How many pieces of work have begun and not ended."""
        with self._condition:
            return self._in_flight

    def begin(self) -> None:
        """Work begins. Call it before the work becomes visible to the thread that does it."""
        with self._condition:
            self._in_flight += 1

    def end(self) -> None:
        """Work has ended, and whatever it set going has begun."""
        with self._condition:
            self._in_flight -= 1
            if self._in_flight <= 0:
                self._condition.notify_all()

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count the body as work."""
        self.begin()
        try:
            yield
        finally:
            self.end()

    def wait_idle(self, timeout_s: float) -> bool:
        """Block until nothing is in flight or the time is up; say whether all is idle."""
        with self._condition:
            return self._condition.wait_for(lambda: self._in_flight <= 0, timeout_s)
