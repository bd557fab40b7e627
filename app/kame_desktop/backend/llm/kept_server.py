"""A local server that goes on from one conversation to the next, so that only the first one waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from kame_desktop.backend.llm.base import LocalServer
from kame_desktop.core.errors import AppError, Cancelled, ErrorCategory, LlmError
from kame_desktop.core.restart_policy import RestartPolicy


class KeptServer:
    """Starts one server when it is first wanted, and again when it died; ends it in ``close``. Any thread.

    Args:
        make: Makes the server, which is started and stopped at most once.
    """

    def __init__(self, make: Callable[[], LocalServer]) -> None:
        self._make = make
        self._starting = threading.Lock()
        self._lock = threading.Lock()
        self._server: LocalServer | None = None
        self._closed = False
        self._policy = RestartPolicy()
        self._came_up = False

    def lease(self) -> LocalServer:
        """The server as one conversation sees it: its ``stop`` leaves the server running."""
        return _Lease(self)

    def running(self) -> LocalServer:
        """The server, started if it doesn't run. Blocks: worker thread. Raises what its ``start`` raises."""
        with self._starting:
            with self._lock:
                if self._closed:
                    raise Cancelled("The program ends.", component="llm")
                dead = self._server
                if dead is not None and dead.running:
                    return dead
                server = self._server = self._make()
            if dead is not None:
                dead.stop()
                if self._came_up and self._policy.crashed(time.monotonic() * 1e3) is None:
                    raise LlmError(
                        "The starter model stopped twice within a minute and stays off.",
                        "Choose another language model, or open the program again.",
                        category=ErrorCategory.PERMANENT,
                    )
            self._came_up = False
            server.start()
            self._came_up = True
            return server

    def close(self) -> None:
        """End the server for good, also one that is just starting; idempotent."""
        with self._lock:
            self._closed = True
            server, self._server = self._server, None
        if server is not None:
            server.stop()


class _Lease:
    """Implements ``LocalServer`` for one conversation."""

    def __init__(self, kept: KeptServer) -> None:
        self._kept = kept
        self._server: LocalServer | None = None
        self.served_name = self.token = ""

    @property
    def api_base(self) -> str:
        if self._server is None:
            raise AppError("The starter model's server isn't running.", component="llm")
        return self._server.api_base

    @property
    def running(self) -> bool:
        return self._server is not None and self._server.running

    def start(self) -> None:
        server = self._kept.running()
        self.served_name, self.token = server.served_name, server.token
        self._server = server

    def stop(self) -> None:
        self._server = None
