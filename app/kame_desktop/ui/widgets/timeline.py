"""Both voices, the answers and the spoken words on one time axis."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from kame_desktop.core.audio_types import FRAME_MS
from kame_desktop.ui import theme
from kame_desktop.ui.selection import SelectionModel
from kame_desktop.ui.timeline_model import TimelineModel
from kame_desktop.ui.widgets.timeline_painter import Rows, TimelinePainter
from kame_desktop.ui.widgets.timeline_scale import TimeScale, clock_text

_ROOM_AHEAD_PX = 24
_ZOOM_STEP = 1.25
_PAN_PART = 0.2
_DRAG_PX = 4


class Timeline(QWidget):
    """Shows a ``TimelineModel``. It follows the newest until the user pans away.

    Mouse: wheel zooms around the pointer, Shift and wheel (or two fingers sideways) pan, dragging pans, a click selects
    what is there. Keys: Left and Right pan, + and - zoom, 0 shows all, Home the beginning, End the newest.

    Attributes:
        scale: The stretch of time in sight.

    Signals:
        moment_picked: The user clicked on a moment (session ms), for playing from there.
        following_changed: It follows the newest, or does no more.
        selected: The user has selected something here.
    """

    moment_picked = Signal(float)
    following_changed = Signal(bool)
    selected = Signal()

    def __init__(self, model: TimelineModel, selection: SelectionModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._selection = selection
        self.scale = TimeScale()
        self._painter = TimelinePainter(model, self.scale)
        self._following = True
        self._hover: QPoint | None = None
        self._press: QPoint | None = None
        self._dragged = False
        self._cursor_ms: float | None = None
        self.setObjectName("timeline")
        self.setAccessibleName(self.tr("Timeline"))
        self.setAccessibleDescription(
            self.tr("Both voices and the answers over time. Arrow keys move, plus and minus zoom, End follows.")
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        selection.changed.connect(self.update)

    @property
    def following(self) -> bool:
        """The newest is kept in sight."""
        return self._following

    @property
    def cursor_ms(self) -> float | None:
        """Where the play head stands; None: there is none."""
        return self._cursor_ms

    def sizeHint(self) -> QSize:
        """Its rows."""
        return QSize(600, self.rows().end)

    def minimumSizeHint(self) -> QSize:
        """Rows can't be squeezed."""
        return QSize(200, self.rows().end)

    def rows(self) -> Rows:
        """Where its rows are."""
        return self._painter.rows(QFontMetrics(theme.scaled_font("caption")))

    # -- what is shown ----

    def show_change(self, since_ms: float | None) -> None:
        """The model has changed from ``since_ms`` on (None: it hasn't): paint no more than that."""
        if since_ms is None:
            return
        if self._following:
            self._scroll_to_now()
        left = max(0, int(self.scale.x(since_ms)) - self._painter.reach_px)
        if left < self.width():
            self.update(QRect(left, 0, self.width() - left, self.height()))

    def show_cursor(self, ms: float | None) -> None:
        """Put the play head at a time, and keep it in sight."""
        old, self._cursor_ms = self._cursor_ms, ms
        if ms is not None and not self.scale.start_ms <= ms <= self.scale.end_ms - 2 * self.scale.ms_per_px:
            self._show_from(ms - 0.1 * self.width() * self.scale.ms_per_px)
            return
        for at_ms in (old, ms):
            if at_ms is not None:
                self.update(QRect(int(self.scale.x(at_ms)) - 3, 0, 7, self.height()))

    def show_all(self) -> None:
        """The whole session."""
        self._follow(False)
        room = max(1, self.width() - 2 * _ROOM_AHEAD_PX)
        self.scale.ms_per_px = max(1.0, self._model.now_ms / room)
        self._show_from(-_ROOM_AHEAD_PX * self.scale.ms_per_px)

    def follow(self) -> None:
        """Show the newest, and keep to it."""
        self._follow(True)
        self._scroll_to_now()
        self.update()

    def zoom_in(self) -> None:
        """Show less time."""
        self._zoom(1 / _ZOOM_STEP)

    def zoom_out(self) -> None:
        """Show more time."""
        self._zoom(_ZOOM_STEP)

    def _follow(self, on: bool) -> None:
        if on != self._following:
            self._following = on
            self.following_changed.emit(on)

    def _scroll_to_now(self) -> None:
        """Move by whole pixels what is painted already; only the new strip is left to paint."""
        wanted_ms = self._model.now_ms - (self.width() - _ROOM_AHEAD_PX) * self.scale.ms_per_px
        wanted_ms = max(wanted_ms, -_ROOM_AHEAD_PX * self.scale.ms_per_px)
        shift_px = round((wanted_ms - self.scale.start_ms) / self.scale.ms_per_px)
        if shift_px == 0:
            return
        self.scale.start_ms += shift_px * self.scale.ms_per_px
        if self._hover is None and not self.hasFocus() and 0 < shift_px < self.width():
            self.scroll(-shift_px, 0)
        else:
            self.update()

    def _show_from(self, start_ms: float) -> None:
        latest_ms = max(0.0, self._model.now_ms) - 0.1 * self.width() * self.scale.ms_per_px
        self.scale.start_ms = min(max(start_ms, -_ROOM_AHEAD_PX * self.scale.ms_per_px), max(latest_ms, 0.0))
        self.update()

    def _pan(self, pixels: float) -> None:
        self._follow(False)
        self._show_from(self.scale.start_ms + pixels * self.scale.ms_per_px)

    def _zoom(self, factor: float, around_x: float | None = None) -> None:
        if self._following:
            self.scale.zoom(factor, self.width() - _ROOM_AHEAD_PX)
            self._scroll_to_now()
        else:
            self.scale.zoom(factor, self.width() / 2 if around_x is None else around_x)
            self._show_from(self.scale.start_ms)
        self.update()

    # -- Qt ----

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the part that changed."""
        painter = QPainter(self)
        selected = self._selection.current
        self._painter.paint(painter, event.rect(), self.size(), selected, self._cursor_ms, self._hover, self.hasFocus())
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More or less time is in sight."""
        self.scale.width_px = max(1, self.width())
        if self._following:
            self._scroll_to_now()
        super().resizeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom, or pan."""
        turned, pixels = event.angleDelta(), event.pixelDelta()
        sideways = pixels.x() or turned.x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            sideways = sideways or pixels.y() or turned.y()
        if abs(sideways) > abs(turned.y()) or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._pan(-sideways)
        elif turned.y():
            self._zoom(_ZOOM_STEP ** (-turned.y() / 120), event.position().x())
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Two fingers zoom; a pointer that rests asks what is there."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            found = self._painter.at(QPointF(event.pos()), QFontMetrics(theme.scaled_font("caption")))
            QToolTip.showText(event.globalPos(), found.text if found is not None else "", self)
            return True
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self._zoom(1.0 / max(0.1, 1.0 + event.value()), event.position().x())
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click or the beginning of a drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._press = event.position().toPoint()
            self._dragged = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the time along, or move the cross hair."""
        where = event.position().toPoint()
        if self._press is not None:
            moved = where.x() - self._press.x()
            if self._dragged or abs(moved) > _DRAG_PX:
                self._dragged = True
                self._press = where
                self._pan(-moved)
        self._move_hover(where)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click selects what is there."""
        if self._press is not None and not self._dragged:
            self._pick(event.position())
        self._press = None

    def leaveEvent(self, event: QEvent) -> None:
        """No cross hair."""
        self._move_hover(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pan and zoom."""
        step = self.width() * _PAN_PART
        match event.key():
            case Qt.Key.Key_Left:
                self._pan(-step)
            case Qt.Key.Key_Right:
                self._pan(step)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom_in()
            case Qt.Key.Key_Minus:
                self.zoom_out()
            case Qt.Key.Key_Home:
                self._follow(False)
                self._show_from(-_ROOM_AHEAD_PX * self.scale.ms_per_px)
            case Qt.Key.Key_End:
                self.follow()
            case Qt.Key.Key_0:
                self.show_all()
            case _:
                super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours and the font of a new theme."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()
            self.update()

    def _move_hover(self, where: QPoint | None) -> None:
        old, self._hover = self._hover, where
        for point in (old, where):
            if point is not None:
                self.update(
                    self._painter.crosshair_rect(point, self.size(), QFontMetrics(theme.scaled_font("caption")))
                )

    def _pick(self, where: QPointF) -> None:
        self.moment_picked.emit(max(0.0, self.scale.ms(where.x())))
        found = self._painter.at(where, QFontMetrics(theme.scaled_font("caption")))
        if found is not None:
            self._selection.select(found.utterance, found.generation)
            self.selected.emit()
        else:
            self._selection.clear()

    def time_text(self, x: float) -> str:
        """The time at a pixel, and the frame that it belongs to."""
        ms = max(0.0, self.scale.ms(x))
        return self.tr("{time} s, frame {frame}").format(time=clock_text(ms, 10.0), frame=int(ms // FRAME_MS))
