"""Presenter mode: the whole screen, large type and strong contrast, only the columns and the timeline."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from kame_desktop.ui import theme

LARGER = 1.5
LARGEST = 2.0


class Presenter(QObject):
    """Switches a window to presenter mode and back, and puts everything where it was.

    Attributes:
        on: It is on.

    Signals:
        changed: ``on`` is another one.
    """

    changed = Signal(bool)

    def __init__(self, window: QMainWindow, hidden: Sequence[QWidget]) -> None:
        """``hidden``: what isn't shown to an audience."""
        super().__init__(window)
        self.on = False
        self._window = window
        self._hidden = list(hidden)
        self._were_visible: list[QWidget] = []
        self._state = Qt.WindowState.WindowNoState
        self._scale = 1.0

    def toggle(self) -> None:
        """On, or off."""
        if self.on:
            self.leave()
        else:
            self.enter()

    def enter(self) -> None:
        """Show it to an audience."""
        if self.on:
            return
        self.on = True
        self._state = self._window.windowState()
        self._were_visible = [widget for widget in self._hidden if widget.isVisibleTo(self._window)]
        for widget in self._were_visible:
            widget.hide()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            self._scale = theme.font_scale()
            theme.set_contrast(app, strong=True)
            theme.set_font_scale(app, min(LARGEST, self._scale * LARGER))
        self._window.showFullScreen()
        self.changed.emit(True)

    def leave(self) -> None:
        """Back to the window as it was."""
        if not self.on:
            return
        self.on = False
        for widget in self._were_visible:
            widget.show()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            theme.set_contrast(app, strong=False)
            theme.set_font_scale(app, self._scale)
        self._window.setWindowState(self._state & ~Qt.WindowState.WindowFullScreen)
        self._window.show()
        self.changed.emit(False)
