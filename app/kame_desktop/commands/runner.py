"""Run a session to its end on the calling thread, handing over its events as they come."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence

from kame_desktop.commands.signals import stop_signals
from kame_desktop.core.errors import AppError, ErrorCategory
from kame_desktop.core.events import ComponentError, Event, SessionState, SessionStateChanged
from kame_desktop.session.metrics import Metrics
from kame_desktop.session.services import ConversationSession

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_BAD_INPUT = 2

_POLL_S = 0.1
_STOP_S = 5.0


def exit_code(error: AppError) -> int:
    """2 for what the user can mend (input, installation, keys), 1 for the rest."""
    mendable = {ErrorCategory.BAD_INPUT, ErrorCategory.MISSING, ErrorCategory.PERMANENT}
    return EXIT_BAD_INPUT if error.category in mendable else EXIT_FAILED


def run_to_end(session: ConversationSession, on_events: Callable[[Sequence[Event]], None]) -> None:
    """Start the session and return when nothing of it is left; events arrive in batches, about ten times a second.

    Raises:
        AppError: The session failed, or its language model refused for good.
        StoppedBySignal: Ctrl+C or a polite kill; the session is stopped before.
    """
    with stop_signals.held():
        failure = _run(session, on_events)
    stop_signals.raise_if_received()
    if failure is not None:
        raise failure


def outcome(metrics: Metrics) -> int:
    """``EXIT_OK``; ``EXIT_FAILED`` and a line that says why when the language model never finished an answer."""
    failed = metrics.last_failure
    if failed is None or metrics.completed:
        return EXIT_OK
    sys.stderr.write(f"kame-desktop: {failed.what} {failed.remedy}\n")
    return EXIT_FAILED


def _run(session: ConversationSession, on_events: Callable[[Sequence[Event]], None]) -> AppError | None:
    wake = threading.Event()
    box = session.bus.subscribe(name="command line", wake=wake.set, capacity=100_000)
    failure: AppError | None = None
    try:
        session.start()
        stopped = False
        while not stopped:
            stopped = session.wait_stopped(0.0)
            wake.wait(0.0 if stopped else _POLL_S)
            wake.clear()
            events = box.drain()
            failure = failure or _fatal(events)
            on_events(events)
            if (failure is not None or stop_signals.received is not None) and not stopped:
                session.request_stop()
    finally:
        session.request_stop()
        session.wait_stopped(_STOP_S)
        session.bus.unsubscribe(box)
    return failure


def _fatal(events: Sequence[Event]) -> AppError | None:
    """The error that ends a run from the command line, if one is among the events."""
    for event in events:
        if isinstance(event, ComponentError):
            error = AppError(
                event.what, event.remedy, component=event.component, category=ErrorCategory(event.category)
            )
            if error.category is not ErrorCategory.TRANSIENT and not event.made_up_for:
                return error
        if isinstance(event, SessionStateChanged) and event.state is SessionState.FAILED:
            return AppError(event.detail, category=ErrorCategory(event.category or "internal"))
    return None
