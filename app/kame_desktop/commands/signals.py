"""Ctrl+C, a polite kill and a closed terminal, for the command line.

An exception out of a signal handler isn't enough: one that is raised inside a destructor or a weak reference's callback
(an import has those) is only printed and the program goes on; one that is raised inside a clean-up cuts it short. So
the signal is also remembered, and inside ``held`` nothing is raised: who is inside asks ``raise_if_received``.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class StoppedBySignal(KeyboardInterrupt):
    """The user, or the system, wants the program to end.

    Attributes:
        exit_code: What shells expect then: 130 after Ctrl+C.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


class StopSignals:
    """Raises ``StoppedBySignal`` for the length of a ``with`` block. Main thread only; elsewhere it does nothing.

    A signal that is ignored when the block begins (``nohup``, a job in the background) stays ignored.

    Attributes:
        received: The first signal of this block; None: none came.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._held = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopSignals:
        if threading.current_thread() is not threading.main_thread():
            return self
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        while self._before:
            number, handler = self._before.popitem()
            signal.signal(number, handler)
        self.received = None

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Signals are remembered inside, not raised."""
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def raise_if_received(self) -> None:
        """Raise ``StoppedBySignal`` when one has come."""
        if self.received is not None:
            raise StoppedBySignal(self.received)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.received = self.received or number
        if not self._held:
            raise StoppedBySignal(self.received)


stop_signals = StopSignals()
"""The one of this process: signals belong to the process."""
