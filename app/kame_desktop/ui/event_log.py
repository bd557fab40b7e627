"""What has happened in a session, kept so that the window can show an earlier moment. No Qt."""

from __future__ import annotations

import bisect
from collections.abc import Iterable

from kame_desktop.core import events as ev

MOST_EVENTS = 300_000
_DROPPED_AT_ONCE = 30_000
_NOT_KEPT = (ev.AudioPeaks, ev.FrameTiming, ev.UsageUpdated, ev.ContextUsed)


class EventLog:
    """Events in the order of their times. Owner: one thread (the GUI's).

    It keeps ``MOST_EVENTS`` (some 3 hours of talk), then drops the oldest. Meters and timings, of which there are many
    and which nobody looks back at, aren't kept.
    """

    def __init__(self) -> None:
        self._events: list[ev.Event] = []

    def __len__(self) -> int:
        return len(self._events)

    def clear(self) -> None:
        """Begin anew."""
        self._events.clear()

    def append(self, batch: Iterable[ev.Event]) -> None:
        """Keep what happened."""
        for event in batch:
            if isinstance(event, _NOT_KEPT):
                continue
            if self._events and event.at_ms < self._events[-1].at_ms:
                bisect.insort(self._events, event, key=_time)
            else:
                self._events.append(event)
        if len(self._events) > MOST_EVENTS:
            del self._events[:_DROPPED_AT_ONCE]

    def between(self, start_ms: float, end_ms: float) -> list[ev.Event]:
        """What happened from ``start_ms`` up to and at ``end_ms``."""
        first = bisect.bisect_left(self._events, start_ms, key=_time)
        last = bisect.bisect_right(self._events, end_ms, key=_time)
        return self._events[first:last]

    def after(self, start_ms: float, end_ms: float) -> list[ev.Event]:
        """What happened later than ``start_ms``, up to and at ``end_ms``."""
        first = bisect.bisect_right(self._events, start_ms, key=_time)
        last = bisect.bisect_right(self._events, end_ms, key=_time)
        return self._events[first:last]


def _time(event: ev.Event) -> float:
    return event.at_ms
