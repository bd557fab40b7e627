"""Opens the real window once and says when it was there and when it could be talked to; for ``bench start``.

It presses Start with a sample question as soon as the window is painted, closes it when the session runs, and prints
one JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from kame_desktop.core.events import Event, SessionState, SessionStateChanged
from kame_desktop.ui.main_window import MainWindow

_LIMIT_MS = 60_000


class StartProbe(QObject):
    """Watches the application for its window. GUI thread.

    Attributes:
        painted_ms: From the start of the process to the first picture of the window.
        ready_ms: From there to the moment when sound flows.
    """

    def __init__(self, app: QApplication, began_s: float) -> None:
        super().__init__(app)
        self.painted_ms: float | None = None
        self.ready_ms: float | None = None
        self._began_s = began_s
        self._window: MainWindow | None = None
        app.installEventFilter(self)
        QTimer.singleShot(_LIMIT_MS, self, self._give_up)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The first picture of the window."""
        if self.painted_ms is None and event.type() == QEvent.Type.Paint and isinstance(watched, MainWindow):
            self.painted_ms = (time.time() - self._began_s) * 1e3
            self._window = watched
            QTimer.singleShot(0, self, self._press_start)
        return False

    def _press_start(self) -> None:
        window = self._window
        if window is None:
            return
        window.controller.events.connect(self._on_events)
        window.empty.buttons[-1].click()

    def _on_events(self, batch: Sequence[Event]) -> None:
        states = [event.state for event in batch if isinstance(event, SessionStateChanged)]
        if SessionState.RUNNING in states and self.ready_ms is None:
            self.ready_ms = (time.time() - self._began_s) * 1e3
        if (SessionState.RUNNING in states or SessionState.FAILED in states) and self._window is not None:
            self._window.close()

    def _give_up(self) -> None:
        if self._window is not None:
            self._window.close()


def main(program: Callable[[Sequence[str]], int], began_s: float) -> int:
    """Run the program, which began at this wall-clock time, under the probe."""
    app = QApplication(sys.argv[:1])
    probe = StartProbe(app, began_s)
    code = program([])
    sys.stdout.write(json.dumps({"painted_ms": probe.painted_ms, "ready_ms": probe.ready_ms}) + "\n")
    sys.stdout.flush()
    return code
