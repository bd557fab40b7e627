"""One turn of the conversation: the user's words, the oracle's answers and what was spoken, side by side."""

from __future__ import annotations

import dataclasses
import itertools

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from kame_desktop.core.events import SpokenKind
from kame_desktop.ui import theme
from kame_desktop.ui.rows import Answer, CardStatus, OracleCard, Turn, UserLine
from kame_desktop.ui.selection import Selection
from kame_desktop.ui.widgets.flow_text import FlowText, Run
from kame_desktop.ui.widgets.oracle_card import OracleCardView

COLUMN_STRETCH = (10, 14, 12)
ROW_MARGIN = 16
COLUMN_GAP = 24
FOLDED_SHOWN = 3
_NBSP = "\N{NO-BREAK SPACE}"


def user_runs(user: UserLine, marked_words: int = 0) -> list[Run]:
    """Stable words dark, the others grey; the first ``marked_words`` on a tinted ground."""
    words = user.text.split()
    stable = len(words) if user.final else min(user.stable_words, len(words))
    marked = min(marked_words, len(words))
    runs: list[Run] = []
    edges = sorted({0, stable, marked, len(words)})
    for first, last in itertools.pairwise(edges):
        text = (" " if first else "") + " ".join(words[first:last])
        runs.append(Run(text, "text" if last <= stable else "faint", marked=last <= marked))
    return runs


def answer_runs(answer: Answer, interrupted_mark: str, marked: int | None = None) -> list[Run]:
    """Words in the colour of the answer that fed them, its number before the first, openers italic.

    Args:
        answer: What was said.
        interrupted_mark: What is written after an answer that was cut short.
        marked: Generation whose words stand on a tinted ground.
    """
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
            tinted = marked is not None and word.generation == marked
            italic = word.kind is not SpokenKind.ANSWER
            runs.append(Run(word.text, colour, italic=italic, marked=tinted, key=word.generation))
        else:
            last = runs[-1]
            runs[-1] = dataclasses.replace(last, text=f"{last.text} {word.text}")
    if answer.interrupted:
        runs.append(Run(f" {interrupted_mark}", "bad"))
    return runs


class OracleCell(QWidget):
    """The answers of one turn in order; of the replaced ones only the newest few are shown.

    Signals:
        picked: An answer was clicked (its generation).
    """

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._views: dict[int, OracleCardView] = {}
        self._turn: Turn | None = None
        self._unfolded = False
        self._marks_changes = True
        self._selected: int | None = None
        self._needle = ""
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

    @property
    def unfolded(self) -> bool:
        """The user has unfolded something that was replaced."""
        return self._unfolded or any(view.unfolded for view in self._views.values())

    @property
    def tab_stops(self) -> list[QWidget]:
        """What the keyboard can unfold, from the top."""
        cards = sorted(self._views.items())
        return [self.earlier, *(view for _, view in cards if view.focusPolicy() is not Qt.FocusPolicy.NoFocus)]

    def reveal(self, generation: int) -> OracleCardView | None:
        """What shows this answer; one that is put away is unfolded. None: there is no such answer."""
        known = self._turn is not None and any(card.generation == generation for card in self._turn.cards)
        if known and generation not in self._views:
            self._toggle()
        return self._views.get(generation)

    def mark_changes(self, on: bool) -> None:
        """Mark what changed from answer to answer, or don't."""
        if on != self._marks_changes:
            self._marks_changes = on
            if self._turn is not None:
                self.show_turn(self._turn)

    def set_needle(self, needle: str) -> None:
        """Mark these letters."""
        self._needle = needle
        for view in self._views.values():
            view.set_needle(needle)

    def select(self, generation: int | None) -> None:
        """Show that this answer is selected."""
        self._selected = generation
        for known, view in self._views.items():
            view.set_selected(known == generation)

    def show_turn(self, turn: Turn) -> None:
        """Show the newest state."""
        self._turn = turn
        shown = self._to_show(turn)
        before = _texts_before(turn) if self._marks_changes else {}
        wanted = {card.generation for card in shown}
        for generation in [known for known in self._views if known not in wanted]:
            view = self._views.pop(generation)
            self._column.removeWidget(view)
            view.hide()
            view.deleteLater()
        for place, card in enumerate(shown, start=1):
            view = self._views.get(card.generation)
            if view is None:
                view = self._new_view(card)
                self._column.insertWidget(place, view)
                view.show()
            view.show_card(card, before.get(card.generation, ""))
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

    def _new_view(self, card: OracleCard) -> OracleCardView:
        view = self._views[card.generation] = OracleCardView(card, self)
        view.picked.connect(lambda: self.picked.emit(card.generation))
        view.set_selected(card.generation == self._selected)
        view.set_needle(self._needle)
        return view

    def _to_show(self, turn: Turn) -> list[OracleCard]:
        if self._unfolded:
            return list(turn.cards)
        folded = [card.generation for card in turn.cards if card.status is CardStatus.SUPERSEDED]
        # Of those that were asked again the newest says what is wrong.
        retried = [card.generation for card in turn.cards[:-1] if card.status is CardStatus.FAILED and card.will_retry]
        hidden = {*folded[:-FOLDED_SHOWN], *retried[:-1]}
        return [card for card in turn.cards if card.generation not in hidden]

    def changeEvent(self, event: QEvent) -> None:
        """Take the text size of a new style."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "earlier"):
            self.earlier.setFont(theme.scaled_font("caption"))

    def _toggle(self) -> None:
        self._unfolded = not self._unfolded
        if self._turn is not None:
            self.show_turn(self._turn)


def _texts_before(turn: Turn) -> dict[int, str]:
    """For each answer the one before it, of the same model's series, that has words."""
    before: dict[int, str] = {}
    latest, series = "", 0
    for card in turn.cards:
        if card.series != series:
            latest, series = "", card.series
        before[card.generation] = latest
        latest = card.text or latest
    return before


class TurnRow(QWidget):
    """A row of three columns.

    While its turn is the newest it never gets lower, so that a card that folds moves nothing.

    Signals:
        picked: Something of this turn was clicked (generation, or None: the turn).
    """

    picked = Signal(object)

    def __init__(self, first: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first = first
        self._turn: Turn | None = None
        self._selection: Selection | None = None
        self._keeps_height = True
        self._floor = 0
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.user = FlowText("words", self)
        self.user.setAccessibleName(self.tr("You said"))
        self.oracle = OracleCell(self)
        self.answer = FlowText("words", self)
        self.answer.setAccessibleName(self.tr("The assistant said"))
        self.user.clicked.connect(lambda _: self.picked.emit(None))
        self.oracle.picked.connect(self.picked)
        self.answer.clicked.connect(self.picked)
        row = QHBoxLayout(self)
        row.setContentsMargins(ROW_MARGIN, ROW_MARGIN - 2, ROW_MARGIN, ROW_MARGIN - 2)
        row.setSpacing(COLUMN_GAP)
        for cell, stretch in zip((self.user, self.oracle, self.answer), COLUMN_STRETCH, strict=True):
            row.addWidget(cell, stretch, Qt.AlignmentFlag(0) if cell is self.oracle else Qt.AlignmentFlag.AlignTop)

    @property
    def busy(self) -> bool:
        """The user is at work in it: something is unfolded, or selected with the mouse."""
        marked = self.user.selected_text or self.answer.selected_text
        return self.oracle.unfolded or bool(marked)

    def set_needle(self, needle: str) -> None:
        """Mark these letters wherever they stand."""
        for cell in (self.user, self.oracle, self.answer):
            cell.set_needle(needle)

    def show_selection(self, selection: Selection | None) -> None:
        """Mark what is tied to the selection."""
        mine = (
            selection if selection is not None and self._turn and selection.utterance == self._turn.utterance else None
        )
        if mine == self._selection:
            return
        self._selection = mine
        self.oracle.select(mine.generation if mine is not None else None)
        if self._turn is not None:
            self.show_user(self._turn)
            self.show_answer(self._turn)

    def show_user(self, turn: Turn) -> None:
        """Show the user's words; those that the selected answer was based on are marked."""
        self._turn = turn
        marked = 0
        if self._selection is not None:
            heard = {card.generation: card.heard_words for card in turn.cards}
            generation = self._selection.generation
            marked = len(turn.user.text.split()) if generation is None else heard.get(generation, 0)
        self.user.set_runs(user_runs(turn.user, marked))

    def show_oracle(self, turn: Turn) -> None:
        """Show the answers."""
        self._turn = turn
        if self._keeps_height:
            self._floor = self.sizeHint().height()
        self.oracle.show_turn(turn)

    def show_answer(self, turn: Turn) -> None:
        """Show the spoken words."""
        self._turn = turn
        marked = self._selection.generation if self._selection is not None else None
        self.answer.set_runs(answer_runs(turn.answer, self.tr("— interrupted"), marked))

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
