"""Trouble, said plainly at the top of the conversation; never in the way."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from kame_desktop.ui import theme
from kame_desktop.ui.errors_model import ShownError
from kame_desktop.ui.icons import icon
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.widgets.labels import RoleLabel

FEW, MANY = 2, 4
LOW_PX = 640
"""A window lower than this shows few problems at a time."""


class ErrorLine(QFrame):
    """One component's trouble: what happened, what to do, and a button that puts it away.

    Signals:
        dismissed: The user has read it (component).
    """

    dismissed = Signal(str)

    def __init__(self, error: ShownError, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("errorLine")
        self._component = error.component
        self._sign = QLabel(self)
        self._sign.setAccessibleName(self.tr("Problem"))
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.close_button = QPushButton(self)
        self.close_button.setObjectName("iconButton")
        self.close_button.setAccessibleName(self.tr("Dismiss"))
        self.close_button.setToolTip(self.tr("Dismiss this message"))
        self.close_button.clicked.connect(lambda: self.dismissed.emit(self._component))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(10)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._text, 1)
        row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self._recolour()
        self.show_error(error)

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()

    def show_error(self, error: ShownError) -> None:
        """Show the newest report."""
        times = self.tr(" (reported {count} times)").format(count=error.count) if error.count > 1 else ""
        text = f"{translated(error.what)}{times} {translated(error.remedy)}".strip()
        if text != self._text.text():
            self._text.setText(text)
            self._text.setAccessibleName(text)

    def _recolour(self) -> None:
        self._sign.setPixmap(icon("alert", theme.current().bad).pixmap(20, 20))
        self.close_button.setIcon(icon("close", theme.current().muted))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "close_button"):
            self._recolour()


class ErrorBar(QWidget):
    """One line a component; when there isn't room for all, the newest, and how many more there are.

    Signals:
        dismissed: The user has read a component's trouble.
    """

    dismissed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._lines: dict[str, ErrorLine] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 8)
        self._column.setSpacing(6)
        self.more = RoleLabel(role="caption", colour="muted", parent=self)
        self.more.setContentsMargins(14, 0, 0, 0)
        self.more.hide()
        self._column.addWidget(self.more)
        self.hide()

    @property
    def lines(self) -> dict[str, ErrorLine]:
        """Component -> its line."""
        return self._lines

    def show_errors(self, errors: list[ShownError]) -> None:
        """Show these and no others."""
        wanted = {error.component for error in errors}
        for component in [known for known in self._lines if known not in wanted]:
            line = self._lines.pop(component)
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()
        for error in errors:
            line = self._lines.get(error.component)
            if line is None:
                line = self._lines[error.component] = ErrorLine(error, self)
                line.dismissed.connect(self.dismissed)
                self._column.insertWidget(self._column.count() - 1, line)
            else:
                line.show_error(error)
        waiting = errors[: -FEW if self.window().height() < LOW_PX else -MANY]
        for error in errors:
            self._lines[error.component].setVisible(error not in waiting)
        self.more.setVisible(bool(waiting))
        if waiting:
            one = len(waiting) == 1
            text = self.tr("1 more problem") if one else self.tr("{count} more problems").format(count=len(waiting))
            self.more.setText(text)
        self.setVisible(bool(errors))
