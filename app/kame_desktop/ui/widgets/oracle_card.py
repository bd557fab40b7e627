"""One answer of the language model: a card while it counts, one dim line once a newer one has replaced it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kame_desktop.ui import theme
from kame_desktop.ui.rows import CardStatus, OracleCard
from kame_desktop.ui.widgets.flow_text import FlowText, Run
from kame_desktop.ui.widgets.labels import ElidedLabel, NumberTag, RoleLabel

_NBSP = "\N{NO-BREAK SPACE}"
_STATUS_COLOURS = {
    CardStatus.ASKED: "muted",
    CardStatus.STREAMING: "accent",
    CardStatus.COMPLETE: "good",
    CardStatus.SUPERSEDED: "faint",
    CardStatus.FAILED: "bad",
}


class OracleCardView(QFrame):
    """Shows an ``OracleCard``. A superseded one is folded; click, Space or Return unfolds it."""

    def __init__(self, card: OracleCard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._number = card.number
        self._status = card.status
        self._unfolded = False
        self.setObjectName("oracleCard")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._tag = NumberTag(card.number, self)
        self._preview = ElidedLabel(role="body", colour="faint", parent=self)
        self._model = ElidedLabel(role="caption", colour="muted", parent=self)
        self._state = RoleLabel(role="caption", colour="muted", bold=True, parent=self)
        self._text = FlowText("body", self)
        self._details = FlowText("caption", self)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._tag)
        head.addWidget(self._preview, 1)
        head.addWidget(self._model, 1)
        head.addWidget(self._state)
        self._column = QVBoxLayout(self)
        self._column.setSpacing(6)
        self._column.addLayout(head)
        self._column.addWidget(self._text)
        self._column.addWidget(self._details)
        self.show_card(card)

    @property
    def folded(self) -> bool:
        """It is one dim line."""
        return self._status is CardStatus.SUPERSEDED and not self._unfolded

    def show_card(self, card: OracleCard) -> None:
        """Show the newest state of the card."""
        self._status = card.status
        superseded = card.status is CardStatus.SUPERSEDED
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if superseded else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if superseded else Qt.CursorShape.ArrowCursor)
        self._tag.set_dim(superseded)
        self._state.setText(self._status_text(card))
        self._state.set_colour(_STATUS_COLOURS[card.status])
        self._preview.setText(card.text or self.tr("no answer yet"))
        self._model.setText(card.model)
        colour = "faint" if superseded else "text"
        if card.failure and card.status is CardStatus.FAILED:
            self._text.set_runs([Run(card.text and card.text + "\n", "muted"), Run(card.failure, "bad")])
        else:
            self._text.set_runs([Run(card.text, colour)])
        self._details.set_runs([Run(self._detail_text(card), "muted")])
        self.setAccessibleName(
            self.tr("Answer {number}, {status}").format(number=card.number, status=self._status_text(card))
        )
        self.setAccessibleDescription(f"{card.model}, {self._detail_text(card)}. {card.text}")
        if superseded:
            self.setToolTip(self.tr("Replaced by a newer answer. Click to unfold or fold it."))
        self._arrange()

    def _arrange(self) -> None:
        folded = self.folded
        margins = (14, 3, 12, 3) if folded else (14, 9, 12, 9)
        self._column.setContentsMargins(*margins)
        self._preview.setVisible(folded)
        self._model.setVisible(not folded)
        self._text.setVisible(not folded and bool(self._text.runs))
        self._details.setVisible(not folded and bool(self._details.runs))
        self.update()

    def _status_text(self, card: OracleCard) -> str:
        if card.status is CardStatus.FAILED and card.will_retry:
            return self.tr("Failed, retrying")
        return {
            CardStatus.ASKED: self.tr("Asked…"),
            CardStatus.STREAMING: self.tr("Streaming…"),
            CardStatus.COMPLETE: self.tr("Complete"),
            CardStatus.SUPERSEDED: self.tr("Superseded"),
            CardStatus.FAILED: self.tr("Failed"),
        }[card.status]

    def _detail_text(self, card: OracleCard) -> str:
        parts: list[str] = []
        if card.first_token_ms is not None:
            text = self.tr("first token {ms:.0f} ms").format(ms=card.first_token_ms)
            parts.append(text.replace(" ", _NBSP))
        if card.based_on:
            parts.append(self.tr("heard “{words}”").format(words=card.based_on))
        if card.tokens_fed or card.tokens_missed:
            parts.append(self.tr("{count} tokens fed").format(count=card.tokens_fed).replace(" ", _NBSP))
        if card.tokens_missed:
            parts.append(self.tr("{count} not needed").format(count=card.tokens_missed).replace(" ", _NBSP))
        return f"{_NBSP}· ".join(parts)

    def _toggle(self) -> None:
        if self._status is CardStatus.SUPERSEDED:
            self._unfolded = not self._unfolded
            self._arrange()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Fold or unfold."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._toggle()
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Fold or unfold."""
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._toggle()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the card, its colour bar and the keyboard focus."""
        shown = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
        if not self.folded:
            painter.setPen(QColor(shown.border))
            painter.setBrush(QColor(shown.raised))
            painter.drawRoundedRect(frame, 7, 7)
            painter.setPen(Qt.PenStyle.NoPen)
            faded = self._status is CardStatus.SUPERSEDED
            painter.setBrush(QColor(shown.border if faded else shown.generation(self._number)))
            painter.drawRoundedRect(QRectF(frame.left() + 3, frame.top() + 8, 3, frame.height() - 16), 1.5, 1.5)
        if self.hasFocus():
            painter.setPen(QColor(shown.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(frame, 7, 7)
        painter.end()
