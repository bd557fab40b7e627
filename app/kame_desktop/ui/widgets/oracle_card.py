"""One answer of the language model: a card while it counts, one dim line once a newer one has replaced it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kame_desktop.ui import theme
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.rows import CardStatus, OracleCard
from kame_desktop.ui.widgets.flow_text import FlowText, Run
from kame_desktop.ui.widgets.labels import ElidedLabel, NumberTag, RoleLabel
from kame_desktop.ui.word_diff import Change, word_diff

_NBSP = "\N{NO-BREAK SPACE}"
_STATUS_COLOURS = {
    CardStatus.ASKED: "muted",
    CardStatus.STREAMING: "accent",
    CardStatus.COMPLETE: "good",
    CardStatus.SUPERSEDED: "faint",
    CardStatus.FAILED: "bad",
}


def answer_runs(card: OracleCard, before: str) -> list[Run]:
    """The answer's words; what is new in it is underlined, what moved dotted, what is gone struck through.

    Args:
        card: The answer.
        before: The answer before it; "": nothing is marked.
    """
    colour = "faint" if card.status is CardStatus.SUPERSEDED else "text"
    complete = card.status not in (CardStatus.ASKED, CardStatus.STREAMING)
    runs: list[Run] = []
    pieces = word_diff(before, card.text, complete=complete)
    if len(pieces) == 1:
        return [Run(card.text, colour)]  # the same again, or another answer altogether
    for piece in pieces:
        if runs:
            runs.append(Run(" ", colour))
        match piece.change:
            case Change.DROPPED:
                runs.append(Run(piece.text, "faint", strike=True))
            case Change.ADDED:
                runs.append(Run(piece.text, colour, underline=True))
            case Change.MOVED:
                runs.append(Run(piece.text, colour, underline="dots"))
            case _:
                runs.append(Run(piece.text, colour))
    return runs


class OracleCardView(QFrame):
    """Shows an ``OracleCard``. A superseded one is folded; click, Space or Return unfolds it.

    Signals:
        picked: The card was clicked.
    """

    picked = Signal()

    def __init__(self, card: OracleCard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selected = False
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
        self._text.clicked.connect(self.picked)
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

    @property
    def unfolded(self) -> bool:
        """The user wants to see it although it was replaced."""
        return self._unfolded

    def set_selected(self, selected: bool) -> None:
        """Show that it is what is selected."""
        if selected != self._selected:
            self._selected = selected
            self.update()

    def set_needle(self, needle: str) -> None:
        """Mark these letters."""
        self._text.set_needle(needle)

    def show_card(self, card: OracleCard, before: str = "") -> None:
        """Show the newest state of the card; ``before``: the answer to mark its changes against."""
        self._status = card.status
        superseded = card.status is CardStatus.SUPERSEDED
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if superseded else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if superseded else Qt.CursorShape.ArrowCursor)
        self._tag.set_dim(superseded)
        self._state.setText(self._status_text(card))
        self._state.set_colour(_STATUS_COLOURS[card.status])
        self._preview.setText(card.text or self.tr("no answer yet"))
        self._model.setText(translated(card.model))
        if card.failure and card.status is CardStatus.FAILED:
            self._text.set_runs([Run(card.text and card.text + "\n", "muted"), Run(translated(card.failure), "bad")])
        else:
            self._text.set_runs(answer_runs(card, before))
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
        if card.over and card.text:
            text = self.tr("1 word") if card.word_count == 1 else self.tr("{n} words").format(n=card.word_count)
            parts.append(text.replace(" ", _NBSP))
        if card.chosen_because:
            parts.append(translated(card.chosen_because))
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
        """Select; fold or unfold."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._toggle()
            self.picked.emit()
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
        if self.hasFocus() or self._selected:
            painter.setPen(QPen(QColor(shown.accent), 2 if self._selected else 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(frame, 7, 7)
        painter.end()
