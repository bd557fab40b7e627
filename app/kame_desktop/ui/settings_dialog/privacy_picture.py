"""One picture of what stays on this computer and what leaves it: boxes, arrows, and the border between."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from kame_desktop.session.what_leaves import Flow, Matter
from kame_desktop.ui import theme

translate = QCoreApplication.translate

_MOST_NAMES = 3
_LEAST_WIDTH = 240
_TIGHT = 30.0
"""Narrower than so many lines are high, arrows get shorter and lose their words."""


class PrivacyPicture(QWidget):
    """Draws flows. Words tell what the colours tell: what crosses the border is labelled and so is who gets it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flows: list[Flow] = []
        self._speaks = self._thinks = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def elsewhere(self) -> list[str]:
        """Who is drawn outside of this computer."""
        return [flow.to for flow in self._flows if flow.what is Matter.WORDS and flow.goes]

    def show_flows(self, flows: Sequence[Flow], *, speaks: str, thinks: str) -> None:
        """Draw these.

        Args:
            speaks: What the engine is called.
            thinks: What the language model on this computer is called; "" when none is asked.
        """
        self._flows, self._speaks, self._thinks = list(flows), speaks, thinks
        self.setAccessibleName(self.tr("What leaves this computer"))
        if self.elsewhere:
            said = self.tr("Sound stays on this computer; your words go to {names}.").format(
                names=", ".join(self.elsewhere)
            )
        else:
            said = self.tr("Nothing leaves this computer.")
        self.setAccessibleDescription(said)
        self.setToolTip(said)
        self.update()

    def sizeHint(self) -> QSize:
        """As high as its boxes need."""
        line = QFontMetricsF(theme.scaled_font("body")).height()
        return QSize(_LEAST_WIDTH, round(11.5 * line))

    def minimumSizeHint(self) -> QSize:
        """Narrow windows get short names."""
        return self.sizeHint()

    def changeEvent(self, event: QEvent) -> None:
        """Take the text size of a new style."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it all."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _Drawing(painter, QRectF(self.rect())).draw(self)
        painter.end()


class _Drawing:
    """One pass of the painter."""

    def __init__(self, painter: QPainter, area: QRectF) -> None:
        self._painter = painter
        self._area = area.adjusted(1.5, 1.5, -1.5, -1.5)
        self._body = theme.scaled_font("body")
        self._caption = theme.scaled_font("caption")
        self._line = QFontMetricsF(self._body).height()

    def draw(self, picture: PrivacyPicture) -> None:
        """Left: what hears and speaks; right: what answers, inside or outside of the border."""
        area, line = self._area, self._line
        elsewhere, tight = bool(picture.elsewhere), area.width() < _TIGHT * line
        around = (0.4 if tight else 0.8) * line
        inside = QRectF(area)
        if elsewhere:
            inside.setRight(area.left() + (0.7 if tight else 0.66) * area.width())
        self._computer(inside, picture)
        answers_width = 0.24 * area.width()
        top, bottom = area.top() + 2.4 * line, area.bottom() - 1.1 * line
        right = area.right() - (0.0 if elsewhere else around)
        answers = QRectF(right - answers_width, top, answers_width, bottom - top)
        left = area.left() + around
        room = inside.right() - around - left if elsewhere else answers.left() - (1.5 if tight else 5.5) * line - left
        gap = 1.5 * line if tight else min(4.0 * line, 0.2 * room)
        width, height = (room - gap) / 2, 2.6 * line
        microphone = QRectF(left, top, width, height)
        recognition = microphone.translated(width + gap, 0.0)
        speaker = QRectF(left, bottom - height, width, height)
        voice = speaker.translated(width + gap, 0.0)
        shown = theme.current()
        self._box(microphone, [translate("PrivacyPicture", "Microphone")], shown.text)
        self._box(recognition, [translate("PrivacyPicture", "Speech recognition")], shown.text)
        self._box(voice, [translate("PrivacyPicture", "Voice"), picture._speaks], shown.text)
        self._box(speaker, [translate("PrivacyPicture", "Loudspeaker")], shown.text)
        sound = translate("PrivacyPicture", "sound")
        self._arrow(microphone.right(), recognition.left(), microphone.center().y(), sound, shown.muted)
        self._arrow(voice.left(), speaker.right(), voice.center().y(), sound, shown.muted)
        if elsewhere:
            names = picture.elsewhere[:_MOST_NAMES]
            more = len(picture.elsewhere) - len(names)
            self._box(
                answers,
                [*names, *([translate("PrivacyPicture", "and {count} more").format(count=more)] if more else [])],
                shown.warn,
            )
            self._title(
                QRectF(answers.left(), area.top(), answers.width(), 2.2 * line),
                translate("PrivacyPicture", "Elsewhere"),
                shown.warn,
            )
            way = shown.warn
        elif picture._thinks:
            self._box(answers, [translate("PrivacyPicture", "Language model"), picture._thinks], shown.text)
            way = shown.muted
        else:
            self._box(answers, [translate("PrivacyPicture", "No language model is asked")], shown.faint, dashed=True)
            return
        self._arrow(
            recognition.right(), answers.left(), recognition.center().y(), translate("PrivacyPicture", "words"), way
        )
        self._arrow(answers.left(), voice.right(), voice.center().y(), translate("PrivacyPicture", "answer"), way)

    def _computer(self, inside: QRectF, picture: PrivacyPicture) -> None:
        shown, painter = theme.current(), self._painter
        painter.setPen(QPen(QColor(shown.good), 1.6))
        painter.setBrush(QColor(shown.raised))
        painter.drawRoundedRect(inside, 10, 10)
        title = QRectF(inside.left() + 0.8 * self._line, inside.top(), inside.width(), 2.2 * self._line)
        self._title(title, translate("PrivacyPicture", "This computer"), shown.good)

    def _title(self, place: QRectF, text: str, colour: str) -> None:
        font = QFont(self._caption)
        font.setWeight(QFont.Weight.DemiBold)
        self._painter.setFont(font)
        self._painter.setPen(QColor(colour))
        shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        self._painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def _box(self, place: QRectF, lines: Sequence[str], colour: str, *, dashed: bool = False) -> None:
        shown, painter = theme.current(), self._painter
        edge = colour if colour != shown.text else shown.faint
        painter.setPen(QPen(QColor(edge), 1.2, Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine))
        painter.setBrush(QColor(shown.surface))
        painter.drawRoundedRect(place, 7, 7)
        painter.setFont(self._body)
        painter.setPen(QColor(shown.text if not dashed else shown.muted))
        text = "\n".join(line for line in lines if line)
        room = place.adjusted(5, 2, -5, -2)
        flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
        for font in (self._body, self._caption):
            painter.setFont(font)
            needed = painter.boundingRect(room, flags, text)
            if needed.height() <= room.height() and needed.width() <= room.width():
                break
        else:
            metrics = QFontMetricsF(self._caption)
            text = "\n".join(
                metrics.elidedText(line, Qt.TextElideMode.ElideRight, room.width()) for line in lines if line
            )
        painter.save()
        painter.setClipRect(place)
        painter.drawText(room, flags, text)
        painter.restore()

    def _arrow(self, begin: float, end: float, height: float, word: str, colour: str) -> None:
        """Level, from ``begin`` to ``end``, its word above it."""
        painter = self._painter
        way = 1.0 if end > begin else -1.0
        tip, tail = QPointF(end - 3 * way, height), QPointF(begin + 3 * way, height)
        painter.setPen(QPen(QColor(colour), 1.8))
        painter.drawLine(tail, tip - QPointF(5 * way, 0))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawPolygon(QPolygonF([tip, tip + QPointF(-8 * way, -4.5), tip + QPointF(-8 * way, 4.5)]))
        painter.setFont(self._caption)
        painter.setPen(QColor(colour))
        metrics = QFontMetricsF(self._caption)
        room = QRectF(min(begin, end), height - metrics.height() - 3, abs(end - begin), metrics.height())
        if metrics.horizontalAdvance(word) <= room.width():
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, word)
