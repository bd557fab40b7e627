"""What every test must leave behind: nothing. Leaked threads and unexpected errors in the log fail it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator

import pytest

_PATIENCE_S = 10.0
"""A model that is loading on a busy machine can't be cut short."""
# Threads of libraries that live as long as the process.
_PROCESS_THREADS = ("litellm", "tqdm", "pytest_timeout", "QThread", "Dummy")


def _threads() -> set[threading.Thread]:
    return {
        thread
        for thread in threading.enumerate()
        if not any(name.casefold() in thread.name.casefold() for name in _PROCESS_THREADS)
    }


@pytest.fixture(autouse=True)
def no_leaked_threads() -> Iterator[None]:
    """Threads that a test started have ended shortly after it."""
    before = _threads()
    yield
    deadline_s = time.monotonic() + _PATIENCE_S
    for thread in _threads() - before:
        thread.join(max(0.0, deadline_s - time.monotonic()))
    left = _threads() - before
    assert not left, f"threads left behind: {sorted(thread.name for thread in left)}"


@pytest.fixture(autouse=True)
def no_unexpected_errors(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing is logged as an error, unless the test is marked ``logs_errors``."""
    yield
    if request.node.get_closest_marker("logs_errors") is not None:
        return
    errors = [
        f"{record.name}: {record.getMessage()}"
        for record in caplog.get_records("call")
        if record.levelno >= logging.ERROR
    ]
    assert not errors, f"errors were logged: {errors}"
