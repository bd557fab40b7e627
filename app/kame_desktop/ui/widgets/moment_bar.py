"""While the view is paused: which moment is shown, steps to others, and the way back to now."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QWidget

from kame_desktop.core.audio_types import FRAME_MS
from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.widgets.labels import ElidedLabel, RoleLabel
from kame_desktop.ui.widgets.timeline_scale import clock_text

STEP_MS = 1_000.0


class MomentBar(QFrame):
    """Shown only while the view is paused.

    Signals:
        stepped: Show a moment so many milliseconds later.
        live_wanted: Follow the conversation again.
    """

    stepped = Signal(float)
    live_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("momentBar")
        self._time = RoleLabel("", "body", bold=True, parent=self)
        self._hint = ElidedLabel(
            self.tr("The conversation goes on. Click the timeline, or step, to see an earlier moment."),
            "caption",
            "muted",
            parent=self,
        )
        self._buttons: list[tuple[QToolButton, str]] = []
        self.live = QPushButton(self.tr("Back to &now"), self)
        self.live.setToolTip(self.tr("Follow the conversation again (P)"))
        self.live.setAccessibleName(self.tr("Back to now"))
        self.live.clicked.connect(self.live_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 8, 6)
        row.setSpacing(8)
        row.addWidget(self._time)
        row.addWidget(self._step("back", self.tr("One second back (Ctrl+Left)"), "Ctrl+Left", -STEP_MS))
        row.addWidget(self._step("forward", self.tr("One second on (Ctrl+Right)"), "Ctrl+Right", STEP_MS))
        row.addWidget(self._hint, 1)
        row.addWidget(self.live)
        for keys, ms in (("Ctrl+Shift+Left", -FRAME_MS), ("Ctrl+Shift+Right", FRAME_MS)):
            QShortcut(QKeySequence(keys), self, lambda ms=ms: self.stepped.emit(ms))
        self._recolour()
        self.hide()

    @property
    def text(self) -> str:
        """Which moment is shown."""
        return self._time.text()

    def show_moment(self, ms: float | None) -> None:
        """This moment is shown; None: the newest, and the bar goes."""
        if ms is not None:
            text = self.tr("Paused at {time}").format(time=clock_text(ms, 100))
            self._time.setText(text)
            self.setAccessibleName(text)
        self.setVisible(ms is not None)

    def _step(self, name: str, tip: str, keys: str, ms: float) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("timelineButton")
        button.setFixedSize(26, 26)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.clicked.connect(lambda: self.stepped.emit(ms))
        QShortcut(QKeySequence(keys), self, lambda: self.stepped.emit(ms))
        self._buttons.append((button, name))
        return button

    def _recolour(self) -> None:
        for button, name in self._buttons:
            button.setIcon(icon(name, theme.current().muted))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_buttons"):
            self._recolour()
