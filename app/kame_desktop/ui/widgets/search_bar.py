"""Search in the conversation."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QToolButton, QWidget

from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.search import Search
from kame_desktop.ui.widgets.labels import RoleLabel


class SearchBar(QFrame):
    """A field, how many places were found, and ways between them. Escape closes it.

    Signals:
        wanted: Search for this text.
        stepped: Look at the next place (1) or the one before (-1).
        closed: The search is over.
    """

    wanted = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("searchBar")
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Search in the conversation"))
        self.field.setAccessibleName(self.tr("Search in the conversation"))
        self.field.setToolTip(self.tr("Words of yours, of the answers or of what was spoken"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self.wanted)
        self.count = RoleLabel("", "caption", "muted", parent=self)
        self._buttons: list[tuple[QToolButton, str]] = []
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 8, 6)
        row.setSpacing(6)
        row.addWidget(self.field, 1)
        row.addWidget(self.count)
        row.addWidget(self._button("up", self.tr("Earlier place (Shift+Return)"), lambda: self.stepped.emit(-1)))
        row.addWidget(self._button("down", self.tr("Later place (Return)"), lambda: self.stepped.emit(1)))
        row.addWidget(self._button("close", self.tr("End the search (Esc)"), self.close_search))
        self._recolour()
        self.hide()

    def _button(self, name: str, tip: str, action: object) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("timelineButton")
        button.setFixedSize(26, 26)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.clicked.connect(action)
        self._buttons.append((button, name))
        return button

    def open_search(self) -> None:
        """Begin to type."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def close_search(self) -> None:
        """Search for nothing."""
        self.hide()
        self.closed.emit()

    def show_result(self, search: Search) -> None:
        """How many places there are, and which one is looked at."""
        if not search.needle.strip():
            text = ""
        elif not search.found:
            text = self.tr("nothing found")
        else:
            text = self.tr("turn {place} of {count}").format(place=search.place, count=len(search.found))
        self.count.setText(text)
        self.field.setAccessibleDescription(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return steps, Escape ends."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.stepped.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.close_search()
        else:
            super().keyPressEvent(event)

    def _recolour(self) -> None:
        for button, name in self._buttons:
            button.setIcon(icon(name, theme.current().muted))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_buttons"):
            self._recolour()
