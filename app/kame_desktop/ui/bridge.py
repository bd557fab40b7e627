"""From the bus to the GUI thread: one mailbox, one queued signal a batch."""

from __future__ import annotations

import contextlib
import threading

from PySide6.QtCore import QObject, Qt, Signal

from kame_desktop.session.bus import Bus, Mailbox


class BusBridge(QObject):
    """Delivers a session's events on the GUI thread.

    A publisher posts at most one queued call until the GUI thread has drained the mailbox, so that a burst of
    events costs one signal and can't flood Qt's queue.

    Signals:
        events: A batch of events in order (``list[Event]``), emitted on the GUI thread.
        _woken: Posted by publishers.
    """

    events = Signal(object)
    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bus: Bus | None = None
        self._mailbox: Mailbox | None = None
        self._lock = threading.Lock()
        self._posted = False
        self._woken.connect(self.drain, Qt.ConnectionType.QueuedConnection)

    @property
    def attached(self) -> bool:
        """A bus is listened to."""
        return self._bus is not None

    def attach(self, bus: Bus) -> None:
        """Listen to a session's bus instead of any earlier one."""
        self.detach()
        self._bus = bus
        self._mailbox = bus.subscribe(name="window", wake=self._wake)

    def detach(self) -> None:
        """Listen no more; what is unread is dropped."""
        if self._bus is not None and self._mailbox is not None:
            self._bus.unsubscribe(self._mailbox)
        self._bus = self._mailbox = None

    def _wake(self) -> None:
        """Called on any thread after each post."""
        with self._lock:
            if self._posted:
                return
            self._posted = True
        with contextlib.suppress(RuntimeError):  # the window is gone while a last event comes in
            self._woken.emit()

    def drain(self) -> None:
        """Emit what is unread. GUI thread only."""
        with self._lock:
            self._posted = False  # before the drain: an event that comes in during it posts again
        if self._mailbox is None:
            return
        batch = self._mailbox.drain()
        if batch:
            self._mailbox.done(len(batch))
            self.events.emit(batch)
