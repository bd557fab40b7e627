"""Fields that end a long choice in an ellipsis instead of cutting it."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QIcon, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QPushButton,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)


class MenuField(QPushButton):
    """A button that shows a choice and opens a menu; a long choice ends in an ellipsis."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("menuField")
        self._choice = ""

    @property
    def choice(self) -> str:
        """What is chosen."""
        return self._choice

    def set_choice(self, text: str) -> None:
        """Show what is chosen."""
        self._choice = text
        self.setAccessibleDescription(text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame as the style does, then the picture and as much of the choice as fits."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.icon = QIcon()  # pyright: ignore[reportAttributeAccessIssue]
        option.text = ""  # pyright: ignore[reportAttributeAccessIssue]
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        size = 18
        self.icon().paint(painter, QRect(10, (self.height() - size) // 2, size, size))
        room = self.rect().adjusted(35, 0, -30, 0)
        shown = self.fontMetrics().elidedText(self._choice, Qt.TextElideMode.ElideRight, room.width())
        painter.setPen(self.palette().color(QPalette.ColorRole.ButtonText))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown)
        painter.end()


class ElidedCombo(QComboBox):
    """A combo box that ends a long choice in an ellipsis instead of cutting it."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame and arrow as the style does, then as much of the choice as fits."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = ""  # pyright: ignore[reportAttributeAccessIssue]
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        room = self.rect().adjusted(11, 0, -30, 0)
        shown = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room.width())
        painter.setPen(self.palette().color(QPalette.ColorRole.ButtonText))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown)
        painter.end()
