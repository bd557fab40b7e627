"""A sound level as a bar."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kame_desktop.ui import theme

FLOOR_DBFS = -60.0
LOUD_DBFS = -12.0
CLIP_DBFS = -3.0
_HOLD_UPDATES = 9
"""The peak's mark stays for so many levels (about 1.5 s), then falls."""
_FALL_DB = 4.0


class LevelMeter(QWidget):
    """Shows decibels of full scale between -60 and 0, and holds the peak; the numbers are in the tooltip too."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dbfs = self._peak_dbfs = -120.0
        self._held = 0
        self._name = name
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(24)
        self._describe()

    @property
    def fraction(self) -> float:
        """Filled part, 0..1."""
        return _fraction(self._dbfs)

    @property
    def peak_fraction(self) -> float:
        """Where the held peak stands, 0..1."""
        return _fraction(self._peak_dbfs)

    def set_level(self, dbfs: float, peak_dbfs: float = -120.0) -> None:
        """Show a level and the highest sample since the last one."""
        before = (round(self._dbfs, 1), round(self._peak_dbfs, 1))
        self._dbfs = dbfs
        peak_dbfs = max(peak_dbfs, dbfs)
        if peak_dbfs >= self._peak_dbfs:
            self._peak_dbfs, self._held = peak_dbfs, 0
        else:
            self._held += 1
            if self._held > _HOLD_UPDATES:
                self._peak_dbfs = max(peak_dbfs, self._peak_dbfs - _FALL_DB)
        if before != (round(self._dbfs, 1), round(self._peak_dbfs, 1)):
            self._describe()
            self.update()

    def reset(self) -> None:
        """Nothing is heard any more."""
        self._peak_dbfs = -120.0
        self.set_level(-120.0)

    def _describe(self) -> None:
        if self._dbfs <= FLOOR_DBFS:
            level = self.tr("silent")
        else:
            level = self.tr("{level:.0f} dBFS, peak {peak:.0f}").format(level=self._dbfs, peak=self._peak_dbfs)
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
        if self.peak_fraction > 0:
            painter.setBrush(QColor(shown.bad if self._peak_dbfs > CLIP_DBFS else shown.muted))
            painter.drawRect(QRectF(track.left() + (track.width() - 2) * self.peak_fraction, track.top() - 1, 2, 8))
        painter.end()


def _fraction(dbfs: float) -> float:
    return min(1.0, max(0.0, 1.0 - dbfs / FLOOR_DBFS))
