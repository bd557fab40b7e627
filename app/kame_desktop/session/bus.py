"""Typed publish/subscribe between threads: one bounded mailbox a subscriber.

A mailbox keeps ``LOSSLESS`` events in order, all of them: a full one is a defect, counted in ``overflowed`` and logged
once, after which the oldest go. Of ``LATEST`` events it keeps the newest of each key, in the order of arrival of the
newest; how many were replaced unread is counted in ``conflated``. A subscriber may ask for all of them instead.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable

from kame_desktop.core.activity import Activity
from kame_desktop.core.events import Delivery, Event

_log = logging.getLogger(__name__)


class Mailbox:
    """Unread events of one subscriber. ``drain`` belongs to the subscriber's thread; ``post`` to any.

    Attributes:
        overflowed: Lossless events lost to a full mailbox; anything but 0 is a defect.
        conflated: Latest-wins events that were replaced before they were read.
    """

    def __init__(
        self,
        name: str,
        types: tuple[type[Event], ...],
        capacity: int,
        wake: Callable[[], None],
        activity: Activity | None,
        conflate: bool,
    ) -> None:
        self.name = name
        self.overflowed = 0
        self.conflated = 0
        self._types = types
        self._capacity = capacity
        self._wake = wake
        self._activity = activity
        self._conflate = conflate
        self._lock = threading.Lock()
        self._unread: OrderedDict[object, Event] = OrderedDict()
        self._serial = 0
        self._closed = False

    def accepts(self, event: Event) -> bool:
        """Whether the subscriber asked for this type."""
        return isinstance(event, self._types)

    def post(self, event: Event) -> None:
        """Add an event and wake the subscriber. Any thread; never blocks for longer than a dictionary write."""
        with self._lock:
            if self._closed:
                return
            if self._conflate and event.delivery is Delivery.LATEST:
                key = event.key()
                if self._unread.pop(key, None) is not None:
                    self.conflated += 1
                elif self._activity is not None:
                    self._activity.begin()
            else:
                self._serial += 1
                key = self._serial
                if self._activity is not None:
                    self._activity.begin()
            self._unread[key] = event
            if len(self._unread) > self._capacity:
                self._unread.popitem(last=False)
                self.overflowed += 1
                if self._activity is not None:
                    self._activity.end()
                if self.overflowed == 1:
                    _log.error("The mailbox '%s' is full: its subscriber doesn't read it.", self.name)
        self._wake()

    def drain(self) -> list[Event]:
        """Take all unread events. With an ``Activity`` each must be answered by ``done`` once it was dealt with."""
        with self._lock:
            events = list(self._unread.values())
            self._unread.clear()
        return events

    def done(self, count: int) -> None:
        """``count`` drained events were dealt with."""
        if self._activity is not None:
            for _ in range(count):
                self._activity.end()

    def close(self) -> None:
        """Drop what is unread and take no more."""
        with self._lock:
            count = len(self._unread)
            self._unread.clear()
            self._closed = True
        self.done(count)


class Bus:
    """Delivers events to mailboxes. Any thread may publish, subscribe and unsubscribe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mailboxes: tuple[Mailbox, ...] = ()

    def subscribe(
        self,
        *types: type[Event],
        name: str,
        wake: Callable[[], None] = lambda: None,
        capacity: int = 4096,
        activity: Activity | None = None,
        conflate: bool = True,
    ) -> Mailbox:
        """Open a mailbox for ``types`` (none: all events).

        Args:
            name: For the log.
            wake: Called after each post, on the publisher's thread: it must only signal (set an event, queue a call).
            capacity: Bound of unread events.
            activity: Counts unread events as work in flight, so that a ``--fast`` run waits for this subscriber.
            conflate: Keep the newest of ``LATEST`` events only; False: every event, in the order of publication.
        """
        mailbox = Mailbox(name, types or (Event,), capacity, wake, activity, conflate)
        with self._lock:
            self._mailboxes = (*self._mailboxes, mailbox)
        return mailbox

    def unsubscribe(self, mailbox: Mailbox) -> None:
        """Close a mailbox; idempotent."""
        with self._lock:
            self._mailboxes = tuple(box for box in self._mailboxes if box is not mailbox)
        mailbox.close()

    def publish(self, event: Event) -> None:
        """Hand an event to every mailbox that asked for its type."""
        for mailbox in self._mailboxes:
            if mailbox.accepts(event):
                mailbox.post(event)
