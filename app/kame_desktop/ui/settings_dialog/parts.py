"""The pieces that the pages are made of: cards, rows, switches, pickers, notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QPen, QShowEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.widgets.elided import ElidedCombo
from kame_desktop.ui.widgets.labels import RoleLabel

_SPIN_MS = 60
_SPIN_STEPS = 12


class Switch(QCheckBox):
    """On or off. Place of the knob and a tick tell which, not the colour alone."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("switch")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """As high as a line of text and a bit."""
        height = max(24, self.fontMetrics().height() + 8)
        return QSize(round(height * 1.8), height)

    def minimumSizeHint(self) -> QSize:
        """Never less."""
        return self.sizeHint()

    def hitButton(self, position: object) -> bool:
        """All of it can be clicked."""
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw track, knob and tick."""
        shown = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        radius = track.height() / 2
        on, enabled = self.isChecked(), self.isEnabled()
        if self.hasFocus():
            painter.setPen(QPen(QColor(shown.accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            outside = QRectF(self.rect()).adjusted(0.75, 0.75, -0.75, -0.75)
            painter.drawRoundedRect(outside, outside.height() / 2, outside.height() / 2)
            track = track.adjusted(1, 1, -1, -1)
            radius = track.height() / 2
        filled = shown.accent if on and enabled else shown.border
        painter.setPen(QPen(QColor(filled if on else shown.faint), 1.2))
        painter.setBrush(QColor(filled) if on else QColor(shown.raised))
        painter.drawRoundedRect(track, radius, radius)
        centre = QPointF(track.right() - radius if on else track.left() + radius, track.center().y())
        knob = radius - 3.5
        ground = QColor(shown.on_accent if enabled else shown.raised) if on else QColor(shown.faint)
        if not enabled and not on:
            ground = QColor(shown.border)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawEllipse(centre, knob, knob)
        if on:
            painter.setPen(QPen(QColor(filled if enabled else shown.faint), 1.6))
            tick = [QPointF(-0.45, 0.05), QPointF(-0.1, 0.4), QPointF(0.5, -0.35)]
            painter.drawPolyline([centre + point * knob for point in tick])
        painter.end()


class Picker(ElidedCombo):
    """A combo box of (text, value). The wheel scrolls the page instead of choosing.

    Signals:
        picked: The user chose this value.
    """

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(150)
        self._values: list[object] = []
        self.activated.connect(lambda index: self.picked.emit(self._values[index]))

    @property
    def values(self) -> list[object]:
        """What can be chosen."""
        return list(self._values)

    @property
    def value(self) -> object:
        """What is chosen."""
        return self._values[self.currentIndex()] if self._values else None

    def show_items(self, items: Sequence[tuple[str, object]], chosen: object) -> None:
        """Fill it and show which one is chosen; an open list is not disturbed."""
        texts = [text for text, _ in items]
        self._values = [value for _, value in items]
        if texts != [self.itemText(index) for index in range(self.count())]:
            self.clear()
            self.addItems(texts)
            for index, text in enumerate(texts):
                self.setItemData(index, text, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(self._values.index(chosen) if chosen in self._values else 0)

    def pick(self, value: object) -> None:
        """Choose as the user would."""
        index = self._values.index(value)
        self.setCurrentIndex(index)
        self.activated.emit(index)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave it to the page."""
        event.ignore()


class CalmSlider(QSlider):
    """A horizontal slider that the wheel doesn't move."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(24)  # the style sheet's handle is higher than the style's

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave it to the page."""
        event.ignore()


class Spinner(QWidget):
    """Turns while something is awaited; still when hidden."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._step = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_SPIN_MS)
        self._timer.timeout.connect(self._turn)
        self.setFixedSize(20, 20)
        self.hide()

    def _turn(self) -> None:
        self._step = (self._step + 1) % _SPIN_STEPS
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        """Begin to turn."""
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop turning."""
        super().hideEvent(event)
        self._timer.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw three quarters of a ring."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ring = QRectF(self.rect()).adjusted(3, 3, -3, -3)
        painter.setPen(QPen(QColor(theme.current().border), 2.4))
        painter.drawEllipse(ring)
        painter.setPen(QPen(QColor(theme.current().accent), 2.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawArc(ring, -self._step * 5760 // _SPIN_STEPS, 90 * 16)
        painter.end()


class Note(QWidget):
    """A picture and a sentence: something to know ("info"), that is well ("check") or that is wrong ("alert")."""

    _COLOURS: ClassVar = {"info": "muted", "check": "good", "alert": "bad", "key": "warn"}

    def __init__(self, text: str = "", kind: str = "info", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = kind
        self._sign = QLabel(self)
        self.label = RoleLabel(text, parent=self)
        self.label.setWordWrap(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.label, 1)
        self.show_note(text, kind)

    @property
    def text(self) -> str:
        """What it says."""
        return self.label.text()

    def show_note(self, text: str, kind: str = "info") -> None:
        """Say something; "" says nothing and takes no room."""
        self._kind = kind
        self.label.setText(translated(text))
        self.label.set_colour("bad" if kind == "alert" else "muted" if kind == "info" else "text")
        self._recolour()
        self.setVisible(bool(text))

    def _recolour(self) -> None:
        colour = getattr(theme.current(), self._COLOURS[self._kind])
        self._sign.setPixmap(icon(self._kind, colour).pixmap(18, 18))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_sign"):
            self._recolour()


class IconButton(QPushButton):
    """A button with a picture in the theme's colour; without text its name is told by tooltip and screen reader."""

    def __init__(self, picture: str, name: str, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._picture = picture
        self.setAutoDefault(False)
        self.setAccessibleName(name)
        self.setToolTip(name)
        if not text:
            self.setObjectName("iconButton")
            self.setFixedSize(34, 34)
        self._recolour()

    def _recolour(self) -> None:
        self.setIcon(icon(self._picture, theme.current().muted))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_picture"):
            self._recolour()


class SettingRow(QFrame):
    """One setting: what it is called, what it does, and its control; the search finds and marks it.

    Args:
        label: With a mnemonic.
        control: What the label's mnemonic goes to, unless ``buddy`` is given.
        wide: The control takes half of the row; otherwise only what it needs.
        below: The control stands under the words and takes the whole row.
    """

    def __init__(
        self,
        label: str,
        control: QWidget,
        hint: str = "",
        keywords: str = "",
        *,
        buddy: QWidget | None = None,
        wide: bool = False,
        below: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("settingRow")
        self.setProperty("match", False)
        self.control = control
        self.label = RoleLabel(label, parent=self)
        self.label.setWordWrap(True)
        self.label.setBuddy(buddy or control)
        self.hint = RoleLabel(hint, "caption", "muted", parent=self)
        self.hint.setWordWrap(True)
        self.hint.setVisible(bool(hint))
        self.keywords = keywords
        named = buddy or control
        plain = label.replace("&", "")
        if not named.accessibleName():
            named.setAccessibleName(plain)
        if hint and not named.accessibleDescription():
            named.setAccessibleDescription(hint)
        if hint and not named.toolTip():
            named.setToolTip(hint)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(14, 10, 14, 10)
        self.column.setSpacing(8)
        self.words_column = QVBoxLayout()
        self.words_column.setSpacing(3)
        self.words_column.addWidget(self.label)
        self.words_column.addWidget(self.hint)
        if below:
            self.column.addLayout(self.words_column)
            self.column.addWidget(control)
        else:
            line = QHBoxLayout()
            line.setSpacing(18)
            line.addLayout(self.words_column, 5)
            line.addWidget(control, 6 if wide else 0, Qt.AlignmentFlag.AlignVCenter)
            self.column.addLayout(line)

    def set_hint(self, hint: str) -> None:
        """Say something else under the label."""
        if hint != self.hint.text():
            self.hint.setText(hint)
            self.hint.setVisible(bool(hint))
            buddy = self.label.buddy()
            if buddy is not None:
                buddy.setAccessibleDescription(hint)
                buddy.setToolTip(hint)

    def set_enabled(self, enabled: bool) -> None:
        """Let it be changed or not; the words stay readable."""
        self.control.setEnabled(enabled)
        self.label.set_colour("text" if enabled else "faint")

    @property
    def words(self) -> str:
        """What the search looks at."""
        return f"{self.label.text().replace('&', '')} {self.hint.text()} {self.keywords}"

    @property
    def marked(self) -> bool:
        """The search has found it."""
        return bool(self.property("match"))

    def set_marked(self, marked: bool) -> None:
        """Mark it as found."""
        if marked != self.marked:
            self.setProperty("match", marked)
            self.style().unpolish(self)
            self.style().polish(self)


class Card(QFrame):
    """A heading and rows in a frame, thin lines between them."""

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("settingsCard")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 1)
        self._column.setSpacing(0)
        self._count = 0
        if title:
            heading = RoleLabel(title, bold=True, parent=self)
            heading.setContentsMargins(17, 11, 14, 2)
            self._column.addWidget(heading)

    def add(self, row: QWidget) -> QWidget:
        """Append a row."""
        if self._count:
            line = QFrame(self)
            line.setObjectName("settingsLine")
            line.setFixedHeight(1)
            self._column.addWidget(line)
        self._count += 1
        self._column.addWidget(row)
        return row

    def add_plain(self, widget: QWidget) -> None:
        """Append something that is no row, with the rows' margins."""
        widget.setContentsMargins(17, 8, 14, 12)
        self._column.addWidget(widget)


def set_checked(button: QAbstractButton, on: bool) -> None:
    """Show a state without telling anyone."""
    button.blockSignals(True)
    button.setChecked(on)
    button.blockSignals(False)
    button.update()
