"""The scrolled conversation: it follows the newest, or stays where the user looks."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QWidget

from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.rows import Changes
from kame_desktop.ui.selection import Selection, SelectionModel
from kame_desktop.ui.view_models import ConversationModel
from kame_desktop.ui.widgets.turn_list import TurnList
from kame_desktop.ui.widgets.turn_row import TurnRow

_AT_END_PX = 4


class ConversationView(QScrollArea):
    """Shows a ``ConversationModel``; follows the newest unless the user has scrolled back.

    Attributes:
        jump: The way back to the newest, shown while the user has scrolled away.

    Signals:
        inset_changed: The width that the scroll bar takes, for the headings.
    """

    inset_changed = Signal(int)

    def __init__(self, selection: SelectionModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("conversation")
        self.setAccessibleName(self.tr("Conversation"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._selection = selection
        self._model: ConversationModel | None = None
        self._marks_changes = True
        self._needle = ""
        self._list = TurnList(self._make_row, self._sight, self)
        self._list.moved.connect(self._on_moved)
        self._list.arranged.connect(self._keep_tab_order)
        self._stops: list[QWidget] = []
        self.setWidget(self._list)
        self._following = True
        self.jump = QPushButton(self.tr("Jump to now"), self)
        self.jump.setObjectName("jump")
        self.jump.setToolTip(self.tr("Follow the conversation again (Ctrl+End)"))
        self.jump.setAccessibleName(self.tr("Jump to now"))
        self.jump.clicked.connect(self.follow)
        self.jump.hide()
        QShortcut(QKeySequence("Ctrl+End"), self, self.follow)
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._on_range)
        bar.valueChanged.connect(self._on_value)
        selection.changed.connect(self._on_selection)
        self.viewport().installEventFilter(self)
        self._recolour()

    @property
    def following(self) -> bool:
        """The newest is kept in sight."""
        return self._following

    @property
    def empty(self) -> bool:
        """There is nothing to show."""
        return not self._list.order

    @property
    def turns(self) -> list[int]:
        """Utterances from the top."""
        return list(self._list.order)

    @property
    def rows(self) -> dict[int, TurnRow]:
        """Utterance -> its row, of those in sight and near it."""
        return self._list.rows

    def show_changes(self, model: ConversationModel, changes: Changes) -> None:
        """Touch only what changed and is in sight."""
        self._model = model
        self._list.remove(changes.removed)
        known = set(self._list.order)
        added = False
        for utterance in sorted(changes.turns):
            turn = model.turns.get(utterance)
            if turn is None or turn.empty:
                continue
            if utterance not in known:
                self._list.add(utterance)
                added = True
                continue
            row = self._list.rows.get(utterance)
            if row is None:
                continue
            if utterance in changes.user:
                row.show_user(turn)
            if utterance in changes.oracle:
                row.show_oracle(turn)
            if utterance in changes.answer or utterance in changes.oracle:
                row.show_answer(turn)
        if added:
            self._list.arrange()
        elif changes.turns:
            self._list.arrange_soon()

    def show_whole(self, model: ConversationModel) -> None:
        """Show another state of the conversation; rows that are in both stay where they are."""
        self._model = model
        turns = [turn.utterance for turn in model.visible_turns]
        if turns[: len(self._list.order)] != self._list.order:
            self._list.remove(set(self._list.order) - set(turns))
        if turns[: len(self._list.order)] != self._list.order:
            self._list.clear()
        for utterance in turns[len(self._list.order) :]:
            self._list.add(utterance)
        for utterance, row in self._list.rows.items():
            turn = model.turns[utterance]
            row.show_user(turn)
            row.show_oracle(turn)
            row.show_answer(turn)
        self._list.arrange()
        self.follow()

    def clear(self) -> None:
        """A new conversation begins."""
        self._list.clear()
        self.follow()

    def follow(self) -> None:
        """Show the newest and keep to it."""
        self._following = True
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())
        self.jump.hide()

    def reveal(self, utterance: int) -> None:
        """Scroll to a turn."""
        if utterance not in self._list.order:
            return
        self._following = False
        for _ in range(2):  # what is met on the way may turn out higher or lower than it was guessed
            self.verticalScrollBar().setValue(max(0, self._list.top(utterance) - 12))
            self._list.arrange()

    def step_answer(self, by: int) -> None:
        """Select the answer ``by`` places after the selected one and bring it into sight; at first the newest."""
        turns = self._model.visible_turns if self._model is not None else []
        answers = [Selection(turn.utterance, card.generation) for turn in turns for card in turn.cards]
        if not answers:
            return
        selected, place = self._selection.current, len(answers) - 1
        if selected is not None and selected in answers:
            place = min(max(0, answers.index(selected) + by), place)
        wanted = answers[place]
        if wanted != selected:
            self._selection.select(wanted.utterance, wanted.generation)
        self._show_answer(wanted.utterance, wanted.generation)

    def show_selected(self) -> None:
        """Bring what is selected into sight."""
        current = self._selection.current
        if current is not None and current.generation is not None:
            self._show_answer(current.utterance, current.generation)
        elif current is not None and current.utterance not in self._list.rows:
            self.reveal(current.utterance)

    def _show_answer(self, utterance: int, generation: int | None) -> None:
        if utterance not in self._list.rows:
            self.reveal(utterance)
        row = self._list.rows.get(utterance)
        view = row.oracle.reveal(generation) if row is not None and generation is not None else None
        if view is not None:
            self._list.arrange()
            self.ensureWidgetVisible(view, 0, 24)
            self.setAccessibleDescription(f"{view.accessibleName()}. {view.accessibleDescription()}")

    def _keep_tab_order(self) -> None:
        """From the conversation Tab goes through what can be unfolded, from the top to the bottom."""
        rows = [self._list.rows[utterance] for utterance in sorted(self._list.rows)]
        stops = [stop for row in rows for stop in row.oracle.tab_stops]
        if stops != self._stops:
            self._stops = stops
            for one, following in pairwise([self, *stops]):
                QWidget.setTabOrder(one, following)

    def mark_changes(self, on: bool) -> None:
        """Mark in each answer what differs from the one before it, or don't."""
        self._marks_changes = on
        for row in self._list.rows.values():
            row.oracle.mark_changes(on)

    def set_needle(self, needle: str) -> None:
        """Mark these letters wherever they stand."""
        self._needle = needle
        for row in self._list.rows.values():
            row.set_needle(needle)

    def _make_row(self, utterance: int, first: bool) -> TurnRow:
        row = TurnRow(first=first, parent=self._list)
        turn = self._model.turns.get(utterance) if self._model is not None else None
        row.oracle.mark_changes(self._marks_changes)
        if turn is not None:
            row.show_user(turn)
            row.show_oracle(turn)
            row.show_answer(turn)
            row.show_selection(self._selection.current)
        row.set_needle(self._needle)
        row.picked.connect(lambda generation: self._selection.select(utterance, generation))
        if utterance not in self._list.order[-2:]:
            row.settle()
        return row

    def _sight(self) -> tuple[int, int]:
        top = self.verticalScrollBar().value()
        return top, top + max(1, self.viewport().height())

    def _on_selection(self) -> None:
        for row in self._list.rows.values():
            row.show_selection(self._selection.current)

    def _on_moved(self, pixels: int) -> None:
        """Keep what is in sight where it is."""
        if not self._following:
            bar = self.verticalScrollBar()
            bar.setMaximum(max(bar.maximum(), bar.value() + pixels))
            bar.setValue(bar.value() + pixels)

    def _on_range(self, _minimum: int, maximum: int) -> None:
        if self._following:
            self.verticalScrollBar().setValue(maximum)
        self._show_jump()

    def _on_value(self, value: int) -> None:
        self._following = value >= self.verticalScrollBar().maximum() - _AT_END_PX
        self._list.arrange_soon()
        self._show_jump()

    def _show_jump(self) -> None:
        self.jump.setVisible(not self._following)
        if not self._following:
            self._place_jump()

    def _place_jump(self) -> None:
        self.jump.adjustSize()
        area = self.viewport().geometry()
        self.jump.move(area.center().x() - self.jump.width() // 2, area.bottom() - self.jump.height() - 14)
        self.jump.raise_()

    def _recolour(self) -> None:
        self.jump.setIcon(icon("down", theme.current().on_accent))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "jump"):
            self._recolour()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the button in its place."""
        super().resizeEvent(event)
        self._list.arrange_soon()
        if self.jump.isVisible():
            self._place_jump()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The viewport's width tells whether the scroll bar is there."""
        if watched is self.viewport() and event.type() == QEvent.Type.Resize:
            self.inset_changed.emit(self.width() - self.viewport().width())
        return super().eventFilter(watched, event)
