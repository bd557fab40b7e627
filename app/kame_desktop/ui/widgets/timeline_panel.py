"""The timeline with the names of its rows and its buttons."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.selection import SelectionModel
from kame_desktop.ui.timeline_model import TimelineModel
from kame_desktop.ui.widgets.timeline import Timeline

_BUTTON_PX = 22


class _Names(QWidget):
    """The rows' names, beside them."""

    def __init__(self, timeline: Timeline, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._timeline = timeline
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.setFont(theme.scaled_font("caption"))

    @property
    def names(self) -> list[str]:
        """From the top."""
        return [self.tr("You"), self.tr("Answers"), self.tr("Assistant"), self.tr("Words")]

    def sizeHint(self) -> QSize:
        """As wide as the longest name and the buttons."""
        metrics = self.fontMetrics()
        longest = max(metrics.horizontalAdvance(name) for name in self.names)
        return QSize(max(longest + 18, 4 * _BUTTON_PX + 8), 10)

    def changeEvent(self, event: QEvent) -> None:
        """Take the text size of a new style."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.font() != theme.scaled_font("caption"):
            self.setFont(theme.scaled_font("caption"))
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw each name in the middle of its row."""
        rows = self._timeline.rows()
        painter = QPainter(self)
        painter.setPen(QColor(theme.current().muted))
        edges = (rows.user, rows.lanes, rows.agent, rows.words, rows.end)
        for name, top, bottom in zip(self.names, edges, edges[1:], strict=False):
            painter.drawText(
                8,
                top,
                self.width() - 12,
                bottom - top,
                int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft),
                name,
            )
        painter.end()


class TimelinePanel(QFrame):
    """Names, buttons and the timeline itself.

    Attributes:
        timeline: The axis.
    """

    def __init__(self, model: TimelineModel, selection: SelectionModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.timeline = Timeline(model, selection, self)
        self._names = _Names(self.timeline, self)
        self._buttons: list[tuple[QToolButton, str]] = []
        bar = QWidget(self._names)
        row = QHBoxLayout(bar)
        row.setContentsMargins(4, 1, 0, 0)
        row.setSpacing(0)
        for name, tip, action in (
            ("minus", self.tr("Show more time (-)"), self.timeline.zoom_out),
            ("plus", self.tr("Show less time (+)"), self.timeline.zoom_in),
            ("all", self.tr("Show the whole conversation (0)"), self.timeline.show_all),
            ("newest", self.tr("Follow the newest (End)"), self.timeline.follow),
        ):
            row.addWidget(self._button(name, tip, action))
        column = QVBoxLayout(self._names)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(bar, 0, Qt.AlignmentFlag.AlignTop)
        column.addStretch(1)
        inside = QHBoxLayout(self)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.setSpacing(0)
        inside.addWidget(self._names)
        inside.addWidget(self.timeline, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._recolour()

    def _button(self, name: str, tip: str, action: Callable[[], None]) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("timelineButton")
        button.setFixedSize(_BUTTON_PX, _BUTTON_PX)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.clicked.connect(action)
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
            self._names.update()
