"""The asyncio thread of one session: speech-to-text, scheduler, language-model streams, transcript."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from kame_desktop.core import crash

_CLEANUP_S = 1.5


class AsyncHost:
    """Runs one coroutine on its own thread and loop, and ends with it.

    ``start``, ``stop`` and ``call`` may be used on any thread but the loop's own. A stop doesn't wait for functions
    that still run on the executor (a model load can't be cut short): their results are dropped.
    """

    def __init__(self, name: str = "asyncio") -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._task: asyncio.Task[None] | None = None
        self._on_end: Callable[[BaseException | None], None] = lambda error: None

    def start(
        self, main: Callable[[], Coroutine[Any, Any, None]], on_end: Callable[[BaseException | None], None]
    ) -> None:
        """Run what ``main`` makes; ``on_end`` is told on the loop's thread when it ended, with its error if any."""
        self._on_end = on_end
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(crash.on_loop_error)
        self._task = self._loop.create_task(main(), name="session-main")
        self._thread = threading.Thread(target=self._run, args=(self._loop, self._task), name=self._name, daemon=True)
        self._thread.start()

    def call(self, function: Callable[..., object], *args: Any) -> bool:
        """Queue a plain function on the loop; False when there is no loop (any more)."""
        if self._loop is None:
            return False
        try:
            self._loop.call_soon_threadsafe(function, *args)
        except RuntimeError:
            return False
        return True

    def stop(self, timeout_s: float) -> bool:
        """Cancel the coroutine and wait for the thread; say whether it ended in time. Idempotent."""
        if self._thread is None or self._task is None:
            return True
        self.call(self._task.cancel)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
        asyncio.set_event_loop(loop)
        executor = ThreadPoolExecutor(max_workers=4, thread_name_prefix=f"{self._name}-work")
        loop.set_default_executor(executor)
        error: BaseException | None = None
        try:
            loop.run_until_complete(task)
        except asyncio.CancelledError:
            pass
        except BaseException as raised:  # noqa: BLE001 - handed to on_end
            error = raised
        finally:
            left = asyncio.all_tasks(loop)
            for other in left:
                other.cancel()
            with contextlib.suppress(RuntimeError):
                if left:
                    loop.run_until_complete(asyncio.wait(left, timeout=_CLEANUP_S))
                loop.run_until_complete(loop.shutdown_asyncgens())
            executor.shutdown(wait=False, cancel_futures=True)
            loop.close()
        self._on_end(error)
