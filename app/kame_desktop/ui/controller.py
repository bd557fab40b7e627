"""One session at a time: opens, stops and replaces it without ever making the window wait."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal

from kame_desktop.audio.base import AudioControls
from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import AppError, as_app_error
from kame_desktop.core.events import Event, SessionState, SessionStateChanged
from kame_desktop.session.services import ConversationSession, Services, SessionRequest
from kame_desktop.ui.bridge import BusBridge

STOP_LIMIT_S = 2.0


class SessionController(QObject):
    """Owns the running session. GUI thread only; the wait for a stop happens on a worker.

    Signals:
        began: A new session begins; what is shown of the last one should go.
        events: A batch of its events (``list[Event]``).
        changed: ``active`` or ``stopping`` changed.
        failed: Something went wrong outside the session (``AppError``).
        over: No session is left and none follows.
        _gone: Posted by the worker: this session's threads are gone, or not in time (session, bool).
    """

    began = Signal()
    events = Signal(object)
    changed = Signal()
    failed = Signal(object)
    over = Signal()
    _gone = Signal(object, bool)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._session: ConversationSession | None = None
        self._waiting = False
        self._waiter: threading.Thread | None = None
        self._next: SessionRequest | None = None
        self._request: SessionRequest | None = None
        self._bridge = BusBridge(self)
        self._bridge.events.connect(self._on_events)
        self._gone.connect(self._on_gone, Qt.ConnectionType.QueuedConnection)

    @property
    def active(self) -> bool:
        """There is a session, perhaps about to end."""
        return self._session is not None

    @property
    def stopping(self) -> bool:
        """The session is about to end."""
        return self._waiting

    def start(self, request: SessionRequest) -> None:
        """Begin a conversation; one that is still there is stopped first."""
        if self._session is not None:
            self._next = request
            self._stop()
            return
        try:
            session = self._services.open_session(request)
        except Exception as error:  # noqa: BLE001 - a defect must be shown, not lost on a console nobody sees
            self.failed.emit(as_app_error(error, "session"))
            self.over.emit()
            return
        self._session, self._request = session, request
        self.began.emit()
        self._bridge.attach(session.bus)
        session.start()
        self.changed.emit()

    def fresh_start(self) -> None:
        """Clear the front end's memory; the conversation goes on."""
        if self._session is not None:
            self._session.fresh_start()

    def stop(self) -> None:
        """End the conversation; ``over`` tells when it is gone."""
        self._next = None
        if self._session is not None:
            self._stop()

    def switch_llm(self, model: LlmModel) -> None:
        """Answer with another model from the next request on."""
        if self._session is not None and not self._waiting:
            self._session.switch_llm(model)

    def set_speculation(self, on: bool) -> None:
        """Ask while the user still speaks, or only finished sentences."""
        if self._session is not None and not self._waiting:
            self._session.set_speculation(on)

    def set_controls(self, controls: AudioControls) -> None:
        """Mute, push-to-talk, volume and the like."""
        if self._session is not None and not self._waiting:
            self._session.set_controls(controls)

    def set_recording(self, on: bool) -> None:
        """Record the conversation from now on, or no longer."""
        if self._session is None or self._request is None or self._waiting:
            return
        if on:
            self._session.start_recording(self._services.recording_options(self._request))
        else:
            self._session.stop_recording()

    def _stop(self) -> None:
        if self._session is not None and not self._waiting:
            self._session.request_stop()
            self._wait()

    def _wait(self) -> None:
        """Have a worker tell when the session's threads are gone."""
        session = self._session
        self._waiting = True
        self.changed.emit()

        def wait() -> None:
            gone = session is None or session.wait_stopped(STOP_LIMIT_S)
            with contextlib.suppress(RuntimeError):  # the window is gone
                self._gone.emit(session, gone)

        self._waiter = threading.Thread(target=wait, name="wait-stopped", daemon=True)
        self._waiter.start()

    def shut_down(self) -> None:
        """The event loop is over (a logout, say): end what is left, blocking for at most ``STOP_LIMIT_S``."""
        session = self._session
        if session is not None:
            session.request_stop()
            session.wait_stopped(STOP_LIMIT_S)
            self._bridge.detach()
            self._session = self._next = None
        self._join()

    def _join(self) -> None:
        """Never let the worker's last emit outlive this object. It has nothing left to wait for, so this is brief."""
        if self._waiter is not None:
            self._waiter.join(STOP_LIMIT_S)
            self._waiter = None

    def _on_events(self, batch: Sequence[Event]) -> None:
        self.events.emit(batch)
        ended = any(
            isinstance(event, SessionStateChanged) and event.state in (SessionState.IDLE, SessionState.FAILED)
            for event in batch
        )
        if ended and self._session is not None and not self._waiting:
            self._wait()

    def _on_gone(self, session: ConversationSession, in_time: bool) -> None:
        if session is not self._session:
            return
        self._join()
        self._bridge.drain()
        self._bridge.detach()
        self._session = None
        self._waiting = False
        if not in_time:
            self.failed.emit(
                AppError(
                    "The last conversation did not stop in time.",
                    "If sound goes on or the next one doesn't start, quit the program and open it again.",
                    component="session",
                )
            )
        following, self._next = self._next, None
        if following is not None:
            self.start(following)
        else:
            self.changed.emit()
            self.over.emit()
