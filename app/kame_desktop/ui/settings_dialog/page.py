"""What all pages have in common."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from kame_desktop.ui.settings_dialog.context import Context
from kame_desktop.ui.settings_dialog.parts import Card, SettingRow
from kame_desktop.ui.widgets.labels import RoleLabel

_WIDEST_LINES = 58
"""Widest page, in line heights: longer lines are hard to read."""
_AROUND_PX = 40


class SettingsPage(QWidget):
    """One page. A subclass builds its cards in ``__init__``; GUI thread only.

    Attributes:
        key: Its name in ``SettingsDialog.show_page``.
        name: What the list calls it, in English; ``title`` in the user's language.
        picture: Name of its icon.
        can_reset: It has settings that can be put back.
    """

    key: ClassVar[str]
    name: ClassVar[object]  # what QT_TRANSLATE_NOOP is said to return
    picture: ClassVar[str]
    can_reset: ClassVar[bool] = True

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("settingsPage")
        self.context = context
        self.title = self.shown_name()
        self._heading = RoleLabel(self.title, "words", bold=True, parent=self)
        self._intro = RoleLabel(colour="muted", parent=self)
        self._intro.setWordWrap(True)
        self.setMaximumWidth(_WIDEST_LINES * self.fontMetrics().height())
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(20, 16, 20, 20)
        self.column.setSpacing(12)
        top = QVBoxLayout()
        top.setSpacing(3)
        top.addWidget(self._heading)
        top.addWidget(self._intro)
        self.column.addLayout(top)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def changeEvent(self, event: QEvent) -> None:
        """Take the text size of a new style."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.setMaximumWidth(_WIDEST_LINES * self.fontMetrics().height())

    @classmethod
    def shown_name(cls) -> str:
        """What the list calls the page, in the user's language."""
        return QCoreApplication.translate("SettingsPage", str(cls.name))

    def set_intro(self, intro: str) -> None:
        """A sentence about the page."""
        self._intro.setText(intro)

    def card(self, title: str = "") -> Card:
        """A new card at the end of the page."""
        card = Card(title, self)
        self.column.addWidget(card)
        return card

    def reveal(self, widget: QWidget) -> None:
        """Scroll to it, once what has changed is laid out."""
        QTimer.singleShot(0, widget, lambda: self._scroll_to(widget))

    def _scroll_to(self, widget: QWidget) -> None:
        parent = self.parentWidget()
        while parent is not None and not isinstance(parent, QScrollArea):
            parent = parent.parentWidget()
        if parent is not None:
            parent.ensureWidgetVisible(widget, 0, _AROUND_PX)

    @property
    def rows(self) -> list[SettingRow]:
        """Its settings."""
        return self.findChildren(SettingRow)

    @property
    def words(self) -> str:
        """What the search finds the page by, beyond its rows."""
        return f"{self.title} {self._intro.text()}"

    def show_settings(self) -> None:
        """Show what the settings have; never disturbs what is being typed."""

    def reset(self) -> None:
        """Put its settings back to their defaults."""

    def enter(self) -> None:
        """The page comes into view: the place to begin what may take a while."""

    def show_item(self, item: str) -> None:
        """Go to something on the page."""

    def leave(self) -> None:
        """The dialog closes: take what was typed last."""

    def follows(self, section: str) -> bool:
        """It shows something of this section that another page may change."""
        return False
