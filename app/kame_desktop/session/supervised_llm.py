"""A client of language models that is made anew when it crashes.

What counts as a crash: anything but an ``AppError`` out of ``load`` or ``stream``. A service that refuses or is out of
reach is none: that is the scheduler's business.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence

from kame_desktop.backend.llm.base import LlmChunk, LlmModel, LlmRequest, Message, StreamingLlm
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import AppError, ErrorCategory, LlmError
from kame_desktop.core.restart_policy import RestartPolicy
from kame_desktop.session.supervisor import Supervisor, Tell

COMPONENT = "llm"
_LABEL = "The connection to the language model"


class SupervisedLlm:
    """``StreamingLlm`` over one life of another after the other. Owner: the asyncio thread.

    While a new life is awaited a ``stream`` waits with it, in front of its first chunk, where the scheduler's deadline
    ends it. Once it stays off every request is refused for good. Bound: one life at a time; a dead one is closed at
    once, and with it the streams that it still had.

    Args:
        make: Makes a life; called anew for each.
        clock: The session's.
        tell: Told of every crash.
    """

    def __init__(
        self, make: Callable[[], StreamingLlm], clock: Clock, tell: Tell, policy: RestartPolicy | None = None
    ) -> None:
        self._make = make
        self._clock = clock
        self._supervisor = Supervisor(COMPONENT, _LABEL, clock, tell, policy)
        self._live = make()
        self._ready = asyncio.Event()
        self._ready.set()
        self._restarting: asyncio.Task[None] | None = None
        self._off = False

    async def load(self, model: LlmModel) -> None:
        live = await self._present()
        try:
            await live.load(model)
        except Exception as error:
            self._judge(live, error)
            raise

    async def stream(self, request: LlmRequest) -> AsyncGenerator[LlmChunk, None]:
        live = await self._present()
        try:
            async with contextlib.aclosing(live.stream(request)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except Exception as error:
            if self._judge(live, error):
                raise _interrupted() from None
            raise

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return self._live.count_tokens(messages)

    async def close(self) -> None:
        task, self._restarting = self._restarting, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task], timeout=1.0)
        await self._live.close()

    async def _present(self) -> StreamingLlm:
        """The life that there is, or will be. Raises LlmError when there will be none."""
        await self._ready.wait()
        if self._off:
            raise LlmError(
                f"{_LABEL} stays off after two crashes.",
                "Stop and start the conversation to try again.",
                category=ErrorCategory.PERMANENT,
            )
        return self._live

    def _judge(self, live: StreamingLlm, error: Exception) -> bool:
        """Begin a new life after a crash; whether it was one. Streams that die with their client count once."""
        if isinstance(error, AppError):
            return False
        if live is self._live and self._ready.is_set():
            self._ready.clear()
            pause_ms = self._supervisor.crashed(error)
            self._restarting = asyncio.get_running_loop().create_task(
                self._restart(live, pause_ms), name="restart-llm-client"
            )
        return True

    async def _restart(self, dead: StreamingLlm, pause_ms: float | None) -> None:
        with contextlib.suppress(Exception):  # it is known to be broken
            await dead.close()
        while pause_ms is not None:
            await self._clock.sleep_until(self._clock.now_ms() + pause_ms)
            try:
                self._live = self._make()
            except Exception as error:  # noqa: BLE001 - judged by the supervisor
                pause_ms = self._supervisor.crashed(error)
            else:
                break
        self._off = pause_ms is None
        self._restarting = None
        self._ready.set()


def _interrupted() -> LlmError:
    return LlmError("The answer was cut off by an unexpected error.", "It is asked again.")
