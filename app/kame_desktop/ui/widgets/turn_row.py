"""One turn of the conversation: the user's words, the oracle's answers and what was spoken, side by side."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from kame_desktop.core.events import SpokenKind
from kame_desktop.ui import theme
from kame_desktop.ui.rows import Answer, CardStatus, OracleCard, Turn, UserLine
from kame_desktop.ui.widgets.flow_text import FlowText, Run
from kame_desktop.ui.widgets.oracle_card import OracleCardView

COLUMN_STRETCH = (10, 14, 12)
ROW_MARGIN = 16
COLUMN_GAP = 24
FOLDED_SHOWN = 3
_NBSP = "\N{NO-BREAK SPACE}"


def user_runs(user: UserLine) -> list[Run]:
    """Stable words dark, the others grey."""
    stable, unstable = user.split()
    gap = " " if stable and unstable else ""
    return [Run(stable), Run(gap + unstable, "faint")]


def answer_runs(answer: Answer, interrupted_mark: str) -> list[Run]:
    """Words in the colour of the answer that fed them, its number before the first, openers italic."""
    runs: list[Run] = []
    looks: tuple[int | None, SpokenKind] | None = None
    tagged: int | None = None
    for word in answer.words:
        colour: str | int = "muted" if word.number is None else word.number
        if (word.number, word.kind) != looks:
            gap = " " if runs else ""
            looks = (word.number, word.kind)
            connector = word.kind is SpokenKind.CONNECTOR
            if gap:
                runs.append(Run(gap, "text"))
            if connector:
                runs.append(Run(f"↪{_NBSP}", colour, bold=True))
            elif word.number is not None and word.number != tagged and word.kind is SpokenKind.ANSWER:
                tagged = word.number
                runs.append(Run(f"{_NBSP}{word.number}{_NBSP}", word.number, tag=True))
                runs.append(Run(_NBSP, "text"))
            runs.append(Run(word.text, colour, italic=word.kind is not SpokenKind.ANSWER))
        else:
            last = runs[-1]
            runs[-1] = Run(f"{last.text} {word.text}", last.colour, last.italic)
    if answer.interrupted:
        runs.append(Run(f" {interrupted_mark}", "bad"))
    return runs


class OracleCell(QWidget):
    """The answers of one turn in order; of the replaced ones only the newest few are shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._views: dict[int, OracleCardView] = {}
        self._turn: Turn | None = None
        self._unfolded = False
        self.earlier = QPushButton(self)
        self.earlier.setObjectName("earlier")
        self.earlier.setFont(theme.scaled_font("caption"))
        self.earlier.setToolTip(self.tr("Show or hide the answers that were replaced"))
        self.earlier.clicked.connect(self._toggle)
        self.earlier.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self._column.addWidget(self.earlier, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addStretch(1)

    @property
    def views(self) -> dict[int, OracleCardView]:
        """Generation -> what shows it now."""
        return self._views

    def show_turn(self, turn: Turn) -> None:
        """Show the newest state."""
        self._turn = turn
        shown = self._to_show(turn)
        wanted = {card.generation for card in shown}
        for generation in [known for known in self._views if known not in wanted]:
            view = self._views.pop(generation)
            self._column.removeWidget(view)
            view.hide()
            view.deleteLater()
        for place, card in enumerate(shown, start=1):
            view = self._views.get(card.generation)
            if view is None:
                view = self._views[card.generation] = OracleCardView(card, self)
                self._column.insertWidget(place, view)
                view.show()
            else:
                view.show_card(card)
        hidden = turn.dropped_cards + len(turn.cards) - len(shown)
        self.earlier.setVisible(hidden > 0 or self._unfolded)
        if self._unfolded:
            text = self.tr("Hide earlier answers")
        elif hidden == 1:
            text = self.tr("1 earlier answer")
        else:
            text = self.tr("{count} earlier answers").format(count=hidden)
        self.earlier.setText(text)
        self.earlier.setAccessibleName(text)

    def _to_show(self, turn: Turn) -> list[OracleCard]:
        if self._unfolded:
            return list(turn.cards)
        folded = [card.generation for card in turn.cards if card.status is CardStatus.SUPERSEDED]
        hidden = set(folded[:-FOLDED_SHOWN])
        return [card for card in turn.cards if card.generation not in hidden]

    def _toggle(self) -> None:
        self._unfolded = not self._unfolded
        if self._turn is not None:
            self.show_turn(self._turn)


class TurnRow(QWidget):
    """A row of three columns.

    While its turn is the newest it never gets lower, so that a card that folds moves nothing.
    """

    def __init__(self, first: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first = first
        self._keeps_height = True
        self._floor = 0
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.user = FlowText("words", self)
        self.user.setAccessibleName(self.tr("You said"))
        self.oracle = OracleCell(self)
        self.answer = FlowText("words", self)
        self.answer.setAccessibleName(self.tr("The assistant said"))
        row = QHBoxLayout(self)
        row.setContentsMargins(ROW_MARGIN, ROW_MARGIN - 2, ROW_MARGIN, ROW_MARGIN - 2)
        row.setSpacing(COLUMN_GAP)
        for cell, stretch in zip((self.user, self.oracle, self.answer), COLUMN_STRETCH, strict=True):
            row.addWidget(cell, stretch, Qt.AlignmentFlag(0) if cell is self.oracle else Qt.AlignmentFlag.AlignTop)

    def show_user(self, turn: Turn) -> None:
        """Show the user's words."""
        self.user.set_runs(user_runs(turn.user))

    def show_oracle(self, turn: Turn) -> None:
        """Show the answers."""
        if self._keeps_height:
            self._floor = self.sizeHint().height()
        self.oracle.show_turn(turn)

    def show_answer(self, turn: Turn) -> None:
        """Show the spoken words."""
        self.answer.set_runs(answer_runs(turn.answer, self.tr("— interrupted")))

    def settle(self) -> None:
        """A newer turn has come: take only the room that is needed."""
        if self._keeps_height:
            self._keeps_height = False
            self._drop_floor()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width: the height that was kept means nothing any more."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._drop_floor()

    def _drop_floor(self) -> None:
        if self._floor:
            self._floor = 0
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """What the cells need, and no less than before."""
        return super().sizeHint().expandedTo(QSize(0, self._floor))

    def minimumSizeHint(self) -> QSize:
        """The scroll area makes the page as high as its minimum."""
        return super().minimumSizeHint().expandedTo(QSize(0, self._floor))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the line above the row."""
        if not self._first:
            painter = QPainter(self)
            painter.setPen(QColor(theme.current().border))
            painter.drawLine(ROW_MARGIN, 0, self.width() - ROW_MARGIN, 0)
            painter.end()
