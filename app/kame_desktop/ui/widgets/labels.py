"""Small labels: one line that gives way instead of clipping, and a number in a pill."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from kame_desktop.ui import theme


class RoleLabel(QLabel):
    """A label at a step of the type scale.

    Attributes:
        colour: Name of a theme colour.
    """

    def __init__(
        self,
        text: str = "",
        role: str = "body",
        colour: str = "text",
        *,
        bold: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self.colour = colour
        self._role, self._bold = role, bold
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(theme.scaled_font(role, bold=bold))

    def changeEvent(self, event: QEvent) -> None:
        """Take the text size of a new style."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            font = theme.scaled_font(self._role, bold=self._bold)
            if font != self.font():
                self.setFont(font)

    def set_colour(self, colour: str) -> None:
        """Use another theme colour."""
        if colour != self.colour:
            self.colour = colour
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw in the theme's colour. A palette of its own would make every theme change cost a style pass."""
        painter = QPainter(self)
        painter.setPen(QColor(getattr(theme.current(), self.colour)))
        flags = self.alignment().value
        flags |= Qt.TextFlag.TextWordWrap.value if self.wordWrap() else 0
        flags |= Qt.TextFlag.TextShowMnemonic.value if self.buddy() is not None else 0
        painter.drawText(self.contentsRect(), flags, self.text())
        painter.end()


class ElidedLabel(RoleLabel):
    """One line; what doesn't fit ends in an ellipsis (or is left out wholly) and is in the tooltip.

    Attributes:
        whole: Show all of it or nothing.
    """

    def __init__(
        self,
        text: str = "",
        role: str = "body",
        colour: str = "text",
        *,
        whole: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, role, colour, parent=parent)
        self.whole = whole
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        """Show a text."""
        if text != self.text():
            super().setText(text)
            self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        """As high as a line, as narrow as need be."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what fits."""
        metrics = self.fontMetrics()
        if self.whole and metrics.horizontalAdvance(self.text()) > self.width():
            return
        painter = QPainter(self)
        painter.setPen(QColor(getattr(theme.current(), self.colour)))
        shown = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), shown)
        painter.end()


class NumberTag(QWidget):
    """The number of an answer in a pill of its colour."""

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._number = number
        self._dim = False
        self.setFont(theme.scaled_font("caption", bold=True))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def changeEvent(self, event: QEvent) -> None:
        """Take the text size of a new style."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            font = theme.scaled_font("caption", bold=True)
            if font != self.font():
                self.setFont(font)

    def set_dim(self, dim: bool) -> None:
        """Draw only the outline, for an answer that doesn't count any more."""
        if dim != self._dim:
            self._dim = dim
            self.update()

    def sizeHint(self) -> QSize:
        """The number and some room around it."""
        metrics = self.fontMetrics()
        height = metrics.height() + 2
        return QSize(max(height, metrics.horizontalAdvance(str(self._number)) + 10), height)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the pill."""
        shown = theme.current()
        colour = QColor(shown.generation(self._number))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pill = QRectF(self.rect()).adjusted(0.75, 0.75, -0.75, -0.75)
        painter.setPen(colour if self._dim else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if self._dim else colour)
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
        painter.setPen(colour if self._dim else QColor(shown.on_tag))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, str(self._number))
        painter.end()
