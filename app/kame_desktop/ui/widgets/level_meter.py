"""A sound level as a bar."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kame_desktop.ui import theme

FLOOR_DBFS = -60.0
LOUD_DBFS = -12.0
CLIP_DBFS = -3.0


class LevelMeter(QWidget):
    """Shows decibels of full scale between -60 and 0; the number is in the tooltip too."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dbfs = -120.0
        self._name = name
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._describe()

    @property
    def fraction(self) -> float:
        """Filled part, 0..1."""
        return min(1.0, max(0.0, 1.0 - self._dbfs / FLOOR_DBFS))

    def set_level(self, dbfs: float) -> None:
        """Show a level."""
        if round(dbfs, 1) != round(self._dbfs, 1):
            self._dbfs = dbfs
            self._describe()
            self.update()

    def _describe(self) -> None:
        level = self.tr("silent") if self._dbfs <= FLOOR_DBFS else f"{self._dbfs:.0f} dBFS"
        self.setAccessibleDescription(level)
        self.setToolTip(f"{self._name}: {level}")

    def sizeHint(self) -> QSize:
        """Slim."""
        return QSize(84, 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the track and the bar."""
        shown = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        track = QRectF(0, self.height() / 2 - 3, self.width(), 6)
        painter.setBrush(QColor(shown.border))
        painter.drawRoundedRect(track, 3, 3)
        if self.fraction > 0:
            loud = self._dbfs > LOUD_DBFS
            colour = shown.bad if self._dbfs > CLIP_DBFS else shown.warn if loud else shown.good
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(QRectF(track.left(), track.top(), max(6.0, track.width() * self.fraction), 6), 3, 3)
        painter.end()
