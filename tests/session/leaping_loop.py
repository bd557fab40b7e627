"""An asyncio loop whose time leaps to the next timer when nothing else is to be done."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _NoWait(selectors.DefaultSelector):
    """Instead of waiting, time has passed."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 1_000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is not None and timeout > 0:
            self.now_s += timeout
        return ready if timeout is not None else super().select(None)


class LeapingLoop(asyncio.SelectorEventLoop):
    """Virtual time; it may not wait for threads."""

    def __init__(self) -> None:
        self._virtual = _NoWait()
        super().__init__(self._virtual)

    def time(self) -> float:
        """Seconds that have passed."""
        return self._virtual.now_s


def run_leaping(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in virtual time; nothing of it may be left."""
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:

        async def whole() -> T:
            try:
                return await main
            finally:
                await asyncio.sleep(0)
                left = asyncio.all_tasks() - {asyncio.current_task()}
                assert not left, f"tasks left behind: {left}"

        return runner.run(whole())
