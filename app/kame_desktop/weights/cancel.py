"""Running network work so that another thread can stop it at once, in whatever it waits for."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from kame_desktop.weights.errors import stopped

T = TypeVar("T")


class CancelFlag:
    """Asks work to stop. ``cancel`` may be called on any thread, any number of times, before or during the work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requested = False
        self._actions: list[Callable[[], object]] = []

    @property
    def requested(self) -> bool:
        """Somebody wants it to stop."""
        return self._requested

    def cancel(self) -> None:
        """Stop the work that runs under this flag, and refuse to begin any more."""
        with self._lock:
            self._requested = True
            for action in self._actions:
                action()

    def check(self) -> None:
        """Raise Cancelled when it was asked to stop."""
        if self._requested:
            raise stopped()

    @contextlib.contextmanager
    def calling(self, action: Callable[[], object]) -> Iterator[None]:
        """Have ``action`` called on a cancel during the body (by the canceller), or at once after an earlier one."""
        with self._lock:
            self._actions.append(action)
            if self._requested:
                action()
        try:
            yield
        finally:
            with self._lock:
                self._actions.remove(action)


class _ImpatientExecutor(ThreadPoolExecutor):
    """Doesn't wait for a name server that doesn't answer: asyncio's own would hold the end of the loop up."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=True)


def run_cancellable(work: Callable[[], Coroutine[Any, Any, T]], cancel: CancelFlag) -> T:
    """Run a coroutine on a loop of its own on this thread until it ends or ``cancel`` is used.

    Raises:
        Cancelled: It was stopped by the flag.
        KeyboardInterrupt: Ctrl+C (on the main thread); the coroutine was cancelled first.
    """
    cancel.check()
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        loop.set_default_executor(_ImpatientExecutor(max_workers=4, thread_name_prefix="weights-io"))

        async def main() -> T:
            task = asyncio.current_task()
            assert task is not None
            with cancel.calling(lambda: loop.call_soon_threadsafe(task.cancel)):
                return await work()

        try:
            return runner.run(main())
        except asyncio.CancelledError:
            raise stopped() from None
