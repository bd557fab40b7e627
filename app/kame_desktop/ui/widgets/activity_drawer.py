"""The trace of events, for those who want to see how it works."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontDatabase, QTextCursor
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QPlainTextEdit, QToolButton, QWidget

from kame_desktop.core import events as ev
from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.widgets.labels import RoleLabel
from kame_desktop.ui.widgets.timeline_scale import clock_text

MOST_LINES = 2_000
_LEFT_OUT = (ev.AudioPeaks, ev.FrameTiming)
_LONGEST = 160


def event_line(event: ev.Event) -> str:
    """One event on one line: its time, its kind and what it says."""
    parts: list[str] = []
    for field in dataclasses.fields(event):
        value = getattr(event, field.name)
        if field.name == "at_ms" or value in ("", None, (), False):
            continue
        shown = f"{value:.1f}" if isinstance(value, float) else str(value)
        parts.append(f"{field.name}={shown}")
    line = f"{clock_text(event.at_ms, 10):>9}  {type(event).__name__:<20} {' '.join(parts)}"
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


class ActivityDrawer(QDockWidget):
    """The newest ``MOST_LINES`` events as text; it takes them only while it is open."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("activity")
        self.setWindowTitle(self.tr("Activity"))
        self.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetClosable)
        self.setTitleBarWidget(self._title_bar())
        self.setAllowedAreas(Qt.DockWidgetArea.RightDockWidgetArea | Qt.DockWidgetArea.BottomDockWidgetArea)
        self.lines = QPlainTextEdit(self)
        self.lines.setReadOnly(True)
        self.lines.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.lines.setMaximumBlockCount(MOST_LINES)
        self.lines.setAccessibleName(self.tr("Events, the newest last"))
        self.lines.setPlaceholderText(self.tr("What happens in the conversation stands here while this is open."))
        self._use_font()
        self.setWidget(self.lines)

    def _title_bar(self) -> QWidget:
        bar = QWidget(self)
        self._close = QToolButton(bar)
        self._close.setObjectName("timelineButton")
        self._close.setFixedSize(24, 24)
        self._close.setToolTip(self.tr("Close (Ctrl+Shift+A)"))
        self._close.setAccessibleName(self.tr("Close the activity"))
        self._close.clicked.connect(self.close)
        row = QHBoxLayout(bar)
        row.setContentsMargins(10, 8, 6, 6)
        row.addWidget(RoleLabel(self.tr("Activity"), "body", bold=True, parent=bar), 1)
        row.addWidget(self._close)
        self._recolour()
        return bar

    def _recolour(self) -> None:
        self._close.setIcon(icon("close", theme.current().muted))

    def show_events(self, batch: Sequence[ev.Event]) -> None:
        """Add what happened, and keep to the end if that is where the user looks."""
        shown = [event_line(event) for event in batch if not isinstance(event, _LEFT_OUT)]
        if not shown or self.isHidden():
            return
        bar = self.lines.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        cursor = QTextCursor(self.lines.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(("\n" if not self.lines.document().isEmpty() else "") + "\n".join(shown[-MOST_LINES:]))
        if at_end:
            bar.setValue(bar.maximum())

    def clear(self) -> None:
        """A new conversation begins."""
        self.lines.clear()

    def _use_font(self) -> None:
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        size = self.font().pointSizeF()
        if size > 0:
            font.setPointSizeF(size * 0.9)
        self.lines.setFont(font)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours and the font of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "lines"):
            self._recolour()
        if event.type() == QEvent.Type.FontChange and hasattr(self, "lines"):
            self._use_font()
