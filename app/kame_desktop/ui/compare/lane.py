"""One engine's answer on the common time axis."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kame_desktop.core.events import SpokenKind
from kame_desktop.ui import theme
from kame_desktop.ui.compare.model import Run, RunState
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.widgets.flow_text import FlowText
from kame_desktop.ui.widgets.flow_text import Run as TextRun
from kame_desktop.ui.widgets.labels import RoleLabel

_BAR_PX = 26
_WORD_MS = 260.0


class _Axis(QWidget):
    """Silence, opener and answer as stretches after the end of the question."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run: Run | None = None
        self._span_ms = 2_000.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """A bar and its numbers."""
        return QSize(300, _BAR_PX + self.fontMetrics().height() + 6)

    def show_run(self, run: Run, span_ms: float) -> None:
        """Show the newest state."""
        self._run, self._span_ms = run, span_ms
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the stretches and a mark a second."""
        run = self._run
        if run is None:
            return
        shown = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = self.width() / self._span_ms
        track = QRectF(0, 0, self.width(), _BAR_PX)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(shown.border))
        painter.drawRoundedRect(track, 4, 4)
        words = run.words
        for place, word in enumerate(words):
            until_ms = words[place + 1].after_ms if place + 1 < len(words) else word.after_ms + _WORD_MS
            if place + 1 == len(words) and run.end_ms is not None:
                until_ms = max(run.end_ms, word.after_ms)
            box = QRectF(word.after_ms * scale, 0, max(2.0, (until_ms - word.after_ms) * scale), _BAR_PX)
            painter.setBrush(QColor(shown.accent))
            if word.kind is not SpokenKind.ANSWER:
                painter.setBrush(QColor(shown.warn))
                painter.drawRect(box.adjusted(0, 4, 0, -4))
            else:
                painter.drawRect(box)
            if word.correction:
                painter.setPen(QPen(QColor(shown.bad), 2))
                painter.drawLine(QPointF(box.left(), 0), QPointF(box.left(), _BAR_PX))
                painter.setPen(Qt.PenStyle.NoPen)
        painter.setFont(theme.scaled_font("caption"))
        painter.setPen(QColor(shown.muted))
        step = 1 if self._span_ms < 12_000 else 5
        for second in range(0, int(self._span_ms / 1e3) + 1, step):
            x = second * 1e3 * scale
            painter.drawLine(QPointF(x, _BAR_PX), QPointF(x, _BAR_PX + 3))
            painter.drawText(QPointF(x + 3, self.height() - 3), self.tr("{n} s").format(n=second))
        painter.end()


class Lane(QFrame):
    """An engine's name, its numbers, its axis and what it said."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("oracleCard")
        self._name = RoleLabel("", "words", bold=True, parent=self)
        self._state = RoleLabel("", "caption", "muted", bold=True, parent=self)
        self._numbers = RoleLabel("", "body", "muted", parent=self)
        self._axis = _Axis(self)
        self._text = FlowText("words", self)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self._name)
        head.addWidget(self._state)
        head.addStretch(1)
        head.addWidget(self._numbers)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._axis)
        column.addWidget(self._text)

    @property
    def numbers(self) -> str:
        """The latencies in words."""
        return self._numbers.text()

    @property
    def text(self) -> str:
        """What was said, or what went wrong."""
        return self._text.text

    def show_run(self, run: Run, span_ms: float) -> None:
        """Show the newest state."""
        self._name.setText(run.label)
        self._state.setText(self._state_text(run.state))
        self._state.set_colour("bad" if run.state is RunState.FAILED else "accent" if run.words else "muted")
        self._numbers.setText(self._numbers_text(run))
        self._axis.show_run(run, span_ms)
        if run.problem and run.state is RunState.FAILED:
            self._text.set_runs([TextRun(translated(run.problem), "bad")])
        else:
            runs: list[TextRun] = []
            for word in run.words:
                gap = " " if runs else ""
                filler = word.kind is not SpokenKind.ANSWER
                mark = "↪ " if word.correction else ""
                runs.append(TextRun(f"{gap}{mark}{word.text}", "muted" if filler else "text", italic=filler))
            self._text.set_runs(runs)
        self.setAccessibleName(f"{run.label}: {self._state.text()}, {self._numbers.text()}")
        self.setAccessibleDescription(run.text)

    def _state_text(self, state: RunState) -> str:
        return {
            RunState.WAITING: self.tr("Waiting"),
            RunState.LOADING: self.tr("Loading…"),
            RunState.LISTENING: self.tr("Listening…"),
            RunState.ANSWERING: self.tr("Answering…"),
            RunState.DONE: self.tr("Done"),
            RunState.FAILED: self.tr("Failed"),
        }[state]

    def _numbers_text(self, run: Run) -> str:
        parts: list[str] = []
        if run.first_sound_ms is not None:
            parts.append(self.tr("first sound {ms:.0f} ms").format(ms=run.first_sound_ms))
        if run.first_word_ms is not None:
            parts.append(self.tr("answer {ms:.0f} ms").format(ms=run.first_word_ms))
        if run.corrections:
            one = run.corrections == 1
            parts.append(self.tr("1 correction") if one else self.tr("{n} corrections").format(n=run.corrections))
        if run.state in (RunState.DONE, RunState.ANSWERING):
            one = run.requests == 1
            parts.append(self.tr("1 request") if one else self.tr("{n} requests").format(n=run.requests))
        return "   ·   ".join(parts)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the card."""
        shown = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(shown.border))
        painter.setBrush(QColor(shown.raised))
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 7, 7)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        self.update()
