"""A part that crashes is started again alone, after a pause; the second crash within a minute leaves it off."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from kame_desktop.core import crash
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import AppError, ErrorCategory, as_app_error
from kame_desktop.core.restart_policy import RestartPolicy

Tell = Callable[[AppError], object]
"""Takes what the user should know: of category TRANSIENT while the part is started again, of another once it is off."""

_FOR_GOOD = frozenset({ErrorCategory.BAD_INPUT, ErrorCategory.MISSING, ErrorCategory.PERMANENT, ErrorCategory.RESOURCE})
"""What a new start can't mend."""


class Supervisor:
    """Judges the crashes of one part and tells of them. Owner: the thread that the part belongs to.

    Args:
        component: As the window's errors know it ("speech-to-text").
        label: As the user knows it, at the head of a sentence ("The speech recognition").
        clock: The session's.
        tell: Told once a crash.
    """

    def __init__(
        self, component: str, label: str, clock: Clock, tell: Tell, policy: RestartPolicy | None = None
    ) -> None:
        self._component = component
        self._label = label
        self._clock = clock
        self._tell = tell
        self._policy = policy or RestartPolicy()

    def crashed(self, error: BaseException) -> float | None:
        """Note a crash, and tell; how long to wait (ms) before a new start, None: it stays off."""
        if not isinstance(error, AppError):
            crash.report(error, self._component)
        known = as_app_error(error, self._component)
        if known.category in _FOR_GOOD:
            self._tell(AppError(known.what, known.remedy, component=self._component, category=known.category))
            return None
        pause_ms = self._policy.crashed(self._clock.now_ms())
        if pause_ms is not None:
            self._tell(
                AppError(
                    f"{self._label} stopped unexpectedly and is started again.",
                    component=self._component,
                    category=ErrorCategory.TRANSIENT,
                )
            )
        else:
            self._tell(
                AppError(
                    f"{self._label} stopped twice within a minute and stays off.",
                    "Stop and start the conversation to try again; if it happens again, please report it.",
                    component=self._component,
                )
            )
        return pause_ms


async def supervise(
    component: str,
    label: str,
    live: Callable[[], Awaitable[None]],
    *,
    clock: Clock,
    tell: Tell,
    policy: RestartPolicy | None = None,
) -> bool:
    """Run one life of a part after the other until one ends by itself.

    Args:
        live: Makes the part, serves, and frees what it made, however it ends. What it raises is a crash.

    Returns:
        Whether a life ended by itself; False: the part crashed and stays off.
    """
    supervisor = Supervisor(component, label, clock, tell, policy)
    while True:
        try:
            await live()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - that is what it is for
            pause_ms = supervisor.crashed(error)
        else:
            return True
        if pause_ms is None:
            return False
        await clock.sleep_until(clock.now_ms() + pause_ms)
