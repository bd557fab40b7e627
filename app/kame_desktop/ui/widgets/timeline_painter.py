"""Draws a part of the timeline, and knows what lies under a point.

Everything is drawn from what can be seen: columns of peaks at the picture's own resolution, bars and words found by
bisection, and of what falls on one pixel only the first. What a word looks like depends only on its neighbours, never
on where painting begins, so that any part can be painted alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QPen, QPolygonF

from kame_desktop.core.audio_types import FRAME_MS
from kame_desktop.core.events import SpokenKind
from kame_desktop.ui import theme
from kame_desktop.ui.rows import CardStatus, Phase
from kame_desktop.ui.selection import Selection
from kame_desktop.ui.timeline_model import LANES, MarkKind, PeakTrack, RevisionBar, SpokenMark, Stretch, TimelineModel
from kame_desktop.ui.widgets.timeline_scale import TimeScale, clock_text

translate = QCoreApplication.translate

_WAVE_PX = 34
_LANE_PX = 13
_GAP_PX = 6
_TICK_PX = 84
_GRID_PX = 7
_TEXT_PX = 16
_NEAR_PX = 4.0
_QUIETEST = 0.02
_LEAST_TEXT_PX = 34
_WORD_BUCKET_PX = 3
_MARK_BUCKET_PX = 10
_COARSE_MS_PER_PX = 120.0
"""From here on answers and words are plain strokes: a whole hour has thousands of them."""


@dataclass(frozen=True, slots=True)
class Found:
    """What lies under a point."""

    utterance: int
    generation: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Rows:
    """Top edges of the rows; a row ends where the next begins."""

    user: int
    lanes: int
    agent: int
    words: int
    end: int


class TimelinePainter:
    """See the module's text. GUI thread.

    Attributes:
        reach_px: How far to the left of its time something may be drawn.
    """

    reach_px = 48

    def __init__(self, model: TimelineModel, scale: TimeScale) -> None:
        self._model = model
        self._scale = scale

    def rows(self, metrics: QFontMetrics) -> Rows:
        """Where the rows are."""
        user = metrics.height() + 8
        lanes = user + _WAVE_PX + _GAP_PX
        agent = lanes + LANES * _LANE_PX + _GAP_PX
        words = agent + _WAVE_PX + 2
        return Rows(user, lanes, agent, words, words + 2 * (metrics.height() + 1) + 4)

    def crosshair_rect(self, where: QPoint, size: QSize, metrics: QFontMetrics) -> QRect:
        """What the cross hair covers."""
        width = metrics.horizontalAdvance("00:00:00.000") + 16
        return QRect(where.x() - width, 0, 2 * width, size.height())

    # -- painting ----

    def paint(
        self,
        painter: QPainter,
        part: QRect,
        size: QSize,
        selected: Selection | None,
        cursor_ms: float | None,
        hover: QPoint | None,
        focused: bool,
    ) -> None:
        """Paint ``part`` of a widget of ``size``."""
        shown = theme.current()
        painter.setClipRect(part)
        painter.fillRect(part, QColor(shown.surface))
        painter.setFont(theme.scaled_font("caption"))
        metrics = painter.fontMetrics()
        rows = self.rows(metrics)
        self._grid(painter, part, size, rows, metrics)
        self._stretches(painter, part, self._model.user, rows.user, shown.phases[Phase.LISTENING])
        self._stretches(painter, part, self._model.agent, rows.agent, shown.accent)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._wave(painter, part, self._model.heard, rows.user, shown.phases[Phase.LISTENING])
        self._wave(painter, part, self._model.spoken, rows.agent, shown.accent)
        self._bars(painter, part, rows, selected, metrics)
        self._words(painter, part, rows, selected, metrics)
        self._marks(painter, part, rows)
        if cursor_ms is not None:
            self._cursor(painter, cursor_ms, size)
        if hover is not None:
            self._crosshair(painter, hover, size, metrics)
        if focused:
            painter.setPen(QPen(QColor(shown.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRect(QPoint(0, 0), size).adjusted(1, 1, -1, -1))

    def _grid(self, painter: QPainter, part: QRect, size: QSize, rows: Rows, metrics: QFontMetrics) -> None:
        shown, scale = theme.current(), self._scale
        faint = QColor(shown.border)
        if FRAME_MS / scale.ms_per_px >= _GRID_PX:
            faint.setAlpha(110)
            painter.setPen(faint)
            for x in _positions(scale, part, FRAME_MS):
                painter.drawLine(QPointF(x, rows.user), QPointF(x, size.height()))
        step = scale.tick_ms(_TICK_PX)
        for x in _positions(scale, part.adjusted(-_TICK_PX, 0, _TICK_PX, 0), step):
            painter.setPen(QColor(shown.border))
            painter.drawLine(QPointF(x, 0), QPointF(x, size.height()))
            painter.setPen(QColor(shown.muted))
            painter.drawText(QPointF(x + 4, metrics.ascent() + 4), clock_text(scale.ms(x), step))
        painter.setPen(QColor(shown.border))
        for y in (rows.user - 2, rows.lanes - 3, rows.agent - 3, rows.words - 1):
            painter.drawLine(part.left(), y, part.right(), y)

    def _stretches(self, painter: QPainter, part: QRect, stretches: list[Stretch], top: int, colour: str) -> None:
        """A tint where somebody spoke."""
        tint = QColor(colour)
        tint.setAlpha(26)
        start_ms, end_ms = self._scale.ms(part.left()), self._scale.ms(part.right() + 1)
        for stretch in reversed(stretches):
            until_ms = self._model.now_ms if stretch.end_ms is None else stretch.end_ms
            if stretch.start_ms > end_ms:
                continue
            if until_ms < start_ms:
                break
            left, right = self._scale.x(stretch.start_ms), self._scale.x(until_ms)
            painter.fillRect(QRectF(left, top, max(1.0, right - left), _WAVE_PX), tint)

    def _wave(self, painter: QPainter, part: QRect, track: PeakTrack, top: int, colour: str) -> None:
        ratio = painter.device().devicePixelRatioF()
        count, height = int(part.width() * ratio), int(_WAVE_PX * ratio)
        if count <= 0:
            return
        peaks = track.columns(self._scale.ms(part.left()), self._scale.ms_per_px / ratio, count)
        middle = (height - 1) / 2
        reach = np.where(peaks < _QUIETEST, 0.0, np.sqrt(peaks)) * middle
        inside = np.abs(np.arange(height)[:, None] - middle) <= np.maximum(reach, 0.5)[None, :]
        inside[:, self._after_end(part, count, ratio) :] = False
        pixels = np.where(inside, np.uint32(QColor(colour).rgba()), np.uint32(0)).astype(np.uint32)
        image = QImage(pixels.tobytes(), count, height, 4 * count, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(ratio)
        painter.drawImage(QPointF(part.left(), top), image)

    def _after_end(self, part: QRect, count: int, ratio: float) -> int:
        """The first column after the newest time."""
        return min(count, max(0, int((self._scale.x(self._model.now_ms) - part.left()) * ratio)))

    def _bars(
        self, painter: QPainter, part: QRect, rows: Rows, selected: Selection | None, metrics: QFontMetrics
    ) -> None:
        taken = [-1] * LANES
        for bar in self._model.bars_in(self._scale.ms(part.left() - 2), self._scale.ms(part.right() + 2)):
            left, right = self._scale.x(bar.asked_ms), self._scale.x(self._end_ms(bar))
            bucket = self._bucket(bar.asked_ms, _WORD_BUCKET_PX)
            if right - left < _WORD_BUCKET_PX and bucket == taken[bar.lane]:
                continue
            taken[bar.lane] = bucket
            if self._scale.ms_per_px > _COARSE_MS_PER_PX and selected is None:
                self._stroke(painter, bar, left, right, rows.lanes + bar.lane * _LANE_PX)
                continue
            self._bar(painter, bar, left, right, rows.lanes + bar.lane * _LANE_PX, selected, metrics)

    def _stroke(self, painter: QPainter, bar: RevisionBar, left: float, right: float, top: float) -> None:
        """One answer from afar."""
        shown = theme.current()
        colour = QColor(shown.bad if bar.status is CardStatus.FAILED else shown.generation(bar.number))
        if bar.status is CardStatus.SUPERSEDED:
            colour.setAlpha(110)
        painter.fillRect(QRectF(left, top + 2, max(2.0, right - left), _LANE_PX - 4), colour)

    def _bar(
        self,
        painter: QPainter,
        bar: RevisionBar,
        left: float,
        right: float,
        top: float,
        selected: Selection | None,
        metrics: QFontMetrics,
    ) -> None:
        shown = theme.current()
        colour = QColor(shown.bad if bar.status is CardStatus.FAILED else shown.generation(bar.number))
        middle = top + _LANE_PX / 2
        painter.setPen(QPen(colour, 1.5, Qt.PenStyle.DotLine))
        filled = right if bar.adopted_ms is None else self._scale.x(bar.adopted_ms)
        painter.drawLine(QPointF(left, middle), QPointF(filled, middle))
        painter.setPen(QPen(colour, 1.5))
        painter.drawLine(QPointF(left, top + 3), QPointF(left, top + _LANE_PX - 3))
        body = QRectF(filled, top + 1, max(1.0, right - filled), _LANE_PX - 2)
        if bar.adopted_ms is not None:
            fill = QColor(colour)
            fill.setAlpha(70 if bar.status is CardStatus.SUPERSEDED else 255)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            painter.drawRoundedRect(body, 3, 3)
            if body.width() >= _TEXT_PX:
                painter.setPen(QColor(shown.text if bar.status is CardStatus.SUPERSEDED else shown.on_tag))
                font = painter.font()
                small = theme.scaled_font("caption", bold=True)
                small.setPointSizeF(small.pointSizeF() * 0.82)
                if QFontMetrics(small).tightBoundingRect("0").height() > body.height() - 3:
                    small.setPixelSize(_LANE_PX - 2)
                painter.setFont(small)
                painter.drawText(body.adjusted(5, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, str(bar.number))
                painter.setFont(font)
        if bar.status is CardStatus.FAILED:
            painter.setPen(QPen(colour, 2))
            for sign in (-1, 1):
                painter.drawLine(QPointF(right - 3, middle - 3 * sign), QPointF(right + 3, middle + 3 * sign))
        if selected is not None and _is_selected(selected, bar.utterance, bar.generation):
            painter.setPen(QPen(QColor(shown.text), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(left - 1.5, top, max(6.0, right - left + 3), _LANE_PX), 3, 3)

    def _bucket(self, ms: float, width_px: int) -> int:
        """Of what falls into one of these only the first is drawn. They stand still while the time is panned."""
        return int(ms / (width_px * self._scale.ms_per_px))

    def _end_ms(self, bar: RevisionBar) -> float:
        return self._model.now_ms if bar.end_ms is None else bar.end_ms

    def _words(
        self, painter: QPainter, part: QRect, rows: Rows, selected: Selection | None, metrics: QFontMetrics
    ) -> None:
        shown = theme.current()
        line_px = metrics.height() + 1
        reach_ms = 40 * FRAME_MS if self._scale.ms_per_px < FRAME_MS / 2 else 0.0
        taken = [-1, -1]
        for index, word in self._indexed(self._scale.ms(part.left()) - reach_ms, self._scale.ms(part.right() + 1)):
            x = self._scale.x(word.at_ms)
            row = index % 2
            bucket = self._bucket(word.at_ms, _WORD_BUCKET_PX)
            if bucket == taken[row]:
                continue
            taken[row] = bucket
            top = rows.words + 2 + row * line_px
            room = self._room_px(index)
            colour = QColor(shown.muted if word.kind is not SpokenKind.ANSWER else shown.generation(word.number))
            if self._scale.ms_per_px > _COARSE_MS_PER_PX:
                painter.fillRect(QRectF(x, top + 2, 1, line_px - 4), colour)
                continue
            if selected is not None and _is_selected(selected, word.utterance, word.generation):
                tint = QColor(colour)
                tint.setAlpha(60)
                painter.fillRect(
                    QRectF(x - 1, top, max(3.0, min(room - 2, metrics.horizontalAdvance(word.text) + 6)), line_px), tint
                )
            painter.setPen(QPen(colour, 2 if word.correction else 1))
            painter.drawLine(QPointF(x, top + 1), QPointF(x, top + line_px - 2))
            if room >= _LEAST_TEXT_PX or (room >= _TEXT_PX and metrics.horizontalAdvance(word.text) <= room - 5):
                text = metrics.elidedText(word.text, Qt.TextElideMode.ElideRight, int(room) - 5)
                painter.setPen(colour)
                painter.drawText(QPointF(x + 3, top + metrics.ascent()), text)

    def _indexed(self, start_ms: float, end_ms: float) -> list[tuple[int, SpokenMark]]:
        """Words between two times with their place among all words."""
        words = self._model.words_in(start_ms, end_ms)
        first = self._model.index_of(words[0]) if words else 0
        return list(enumerate(words, start=first))

    def _room_px(self, index: int) -> float:
        """How far the next word of the same line is away."""
        words = self._model.words
        if index + 2 >= len(words):
            return 160.0
        return (words[index + 2].at_ms - words[index].at_ms) / self._scale.ms_per_px

    def _marks(self, painter: QPainter, part: QRect, rows: Rows) -> None:
        shown = theme.current()
        taken = -10
        for mark in self._model.marks_in(self._scale.ms(part.left() - 8), self._scale.ms(part.right() + 8)):
            x = self._scale.x(mark.at_ms)
            bucket = self._bucket(mark.at_ms, _MARK_BUCKET_PX)
            if bucket == taken:
                continue
            taken = bucket
            if mark.kind is MarkKind.CORRECTION:
                painter.setPen(QPen(QColor(shown.surface), 1))
                painter.setBrush(QColor(shown.warn))
                y = rows.agent - 2
                painter.drawPolygon(
                    QPolygonF([QPointF(x, y - 6), QPointF(x + 5, y), QPointF(x, y + 6), QPointF(x - 5, y)])
                )
            else:
                painter.setPen(QPen(QColor(shown.bad), 1.5, Qt.PenStyle.DashLine))
                painter.drawLine(QPointF(x, rows.user), QPointF(x, rows.words))
                painter.setBrush(QColor(shown.bad))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawRect(QRectF(x - 4, rows.agent - 6, 8, 8))

    def _cursor(self, painter: QPainter, ms: float, size: QSize) -> None:
        shown, x = theme.current(), self._scale.x(ms)
        painter.setPen(QPen(QColor(shown.text), 2))
        painter.drawLine(QPointF(x, 0), QPointF(x, size.height()))
        painter.setBrush(QColor(shown.text))
        painter.drawPolygon(QPolygonF([QPointF(x - 5, 0), QPointF(x + 5, 0), QPointF(x, 7)]))

    def _crosshair(self, painter: QPainter, where: QPoint, size: QSize, metrics: QFontMetrics) -> None:
        shown = theme.current()
        painter.setPen(QPen(QColor(shown.muted), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(where.x() + 0.5, 0), QPointF(where.x() + 0.5, size.height()))
        text = clock_text(max(0.0, self._scale.ms(where.x())), min(10.0, 10 * self._scale.ms_per_px))
        width = metrics.horizontalAdvance(text) + 10
        left = min(max(where.x() + 4, 0), size.width() - width)
        box = QRectF(left, 2, width, metrics.height() + 2)
        painter.setPen(QColor(shown.border))
        painter.setBrush(QColor(shown.raised))
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(QColor(shown.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    # -- finding ----

    def at(self, where: QPointF, metrics: QFontMetrics) -> Found | None:
        """What lies under a point."""
        rows = self.rows(metrics)
        ms = self._scale.ms(where.x())
        near_ms = _NEAR_PX * self._scale.ms_per_px
        if rows.lanes <= where.y() < rows.agent - _GAP_PX:
            lane = int((where.y() - rows.lanes) // _LANE_PX)
            bars = [bar for bar in self._model.bars_in(ms - near_ms, ms + near_ms) if bar.lane == lane]
            return self._found_bar(bars[-1]) if bars else None
        if rows.agent <= where.y():
            words = self._model.words_in(ms - max(600.0, 60 * self._scale.ms_per_px), ms + near_ms)
            if where.y() >= rows.words:
                row = int((where.y() - rows.words - 2) // (metrics.height() + 1))
                words = [word for word in words if self._model.index_of(word) % 2 == min(1, max(0, row))]
            return self._found_word(words[-1]) if words else None
        for stretch in reversed(self._model.user):
            until_ms = self._model.now_ms if stretch.end_ms is None else stretch.end_ms
            if stretch.start_ms <= ms <= until_ms:
                return Found(
                    stretch.utterance,
                    None,
                    translate("TimelinePainter", "You, from {time}").format(time=clock_text(stretch.start_ms, 100)),
                )
        return None

    def _found_bar(self, bar: RevisionBar) -> Found:
        parts = [translate("TimelinePainter", "Answer {number}, {model}").format(number=bar.number, model=bar.model)]
        parts.append(translate("TimelinePainter", "asked at {time}").format(time=clock_text(bar.asked_ms, 10)))
        if bar.adopted_ms is not None:
            parts.append(
                translate("TimelinePainter", "first word after {ms:.0f} ms").format(ms=bar.adopted_ms - bar.asked_ms)
            )
        if bar.end_ms is not None:
            parts.append(translate("TimelinePainter", "over after {ms:.0f} ms").format(ms=bar.end_ms - bar.asked_ms))
        return Found(bar.utterance, bar.generation, "\n".join(parts))

    def _found_word(self, word: SpokenMark) -> Found:
        text = translate("TimelinePainter", "“{word}” at {time}").format(
            word=word.text, time=clock_text(word.at_ms, 10)
        )
        if word.number is not None:
            text += "\n" + translate("TimelinePainter", "from answer {number}").format(number=word.number)
        return Found(word.utterance, word.generation, text)


def _positions(scale: TimeScale, part: QRect, step_ms: float) -> list[float]:
    """Where the multiples of a step are, from time 0 on."""
    first = max(0, int(scale.ms(part.left()) // step_ms))
    last = int(scale.ms(part.right() + 1) // step_ms)
    return [scale.x(number * step_ms) for number in range(first, last + 1)]


def _is_selected(selected: Selection, utterance: int, generation: int | None) -> bool:
    if selected.generation is not None:
        return selected.generation == generation
    return selected.utterance == utterance
