"""The three columns: their headings, the rows and the way back to the newest."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QKeySequence, QPainter, QPaintEvent, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.rows import Changes
from kame_desktop.ui.view_models import ConversationModel
from kame_desktop.ui.widgets.labels import ElidedLabel, RoleLabel
from kame_desktop.ui.widgets.level_meter import LevelMeter
from kame_desktop.ui.widgets.turn_row import COLUMN_GAP, COLUMN_STRETCH, ROW_MARGIN, TurnRow

_AT_END_PX = 4


class ColumnHeads(QWidget):
    """The headings, with the level meters of the two who speak.

    Attributes:
        input_level: The user's level.
        output_level: The assistant's level.
        columns: The three headings.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("columnHeads")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.input_level = LevelMeter(self.tr("Input level"), self)
        self.output_level = LevelMeter(self.tr("Output level"), self)
        self.columns: list[QWidget] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(ROW_MARGIN, 10, ROW_MARGIN, 10)
        self._row.setSpacing(COLUMN_GAP)
        heads = (
            (self.tr("You"), self.tr("what is heard"), self.input_level),
            (self.tr("Oracle"), self.tr("answers to the unfinished sentence"), None),
            (self.tr("Assistant"), self.tr("what is spoken"), self.output_level),
        )
        for (title, explanation, meter), stretch in zip(heads, COLUMN_STRETCH, strict=True):
            head = self._head(title, explanation, meter)
            self.columns.append(head)
            self._row.addWidget(head, stretch)

    def _head(self, title: str, explanation: str, meter: LevelMeter | None) -> QWidget:
        head = QWidget(self)
        head.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(head)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(RoleLabel(title, "body", bold=True, parent=head))
        row.addWidget(ElidedLabel(explanation, "caption", "muted", whole=True, parent=head), 1)
        if meter is not None:
            row.addWidget(meter)
        return head

    def set_right_inset(self, width: int) -> None:
        """Leave room for the scroll bar below, so that the headings stand over their columns."""
        self._row.setContentsMargins(ROW_MARGIN, 10, ROW_MARGIN + width, 10)


class _Rows(QWidget):
    """The scrolled page: rows from the top, and the lines between the columns."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rows")
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 8)
        self.column.setSpacing(0)
        self.column.addStretch(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QColor(theme.current().border))
        inner = self.width() - 2 * ROW_MARGIN - 2 * COLUMN_GAP
        left = float(ROW_MARGIN)
        for stretch in COLUMN_STRETCH[:-1]:
            left += inner * stretch / sum(COLUMN_STRETCH)
            painter.drawLine(round(left + COLUMN_GAP / 2), 0, round(left + COLUMN_GAP / 2), self.height())
            left += COLUMN_GAP
        painter.end()


class ConversationView(QScrollArea):
    """Shows a ``ConversationModel``; follows the newest unless the user has scrolled back.

    Attributes:
        jump: The way back to the newest, shown while the user has scrolled away.

    Signals:
        inset_changed: The width that the scroll bar takes, for the headings.
    """

    inset_changed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("conversation")
        self.setAccessibleName(self.tr("Conversation"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._page = _Rows(self)
        self.setWidget(self._page)
        self._views: dict[int, TurnRow] = {}
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
        self.viewport().installEventFilter(self)
        self._recolour()

    @property
    def following(self) -> bool:
        """The newest is kept in sight."""
        return self._following

    @property
    def rows(self) -> dict[int, TurnRow]:
        """Utterance -> its row."""
        return self._views

    def show_changes(self, model: ConversationModel, changes: Changes) -> None:
        """Touch only what changed."""
        for utterance in changes.removed & self._views.keys():
            row = self._views.pop(utterance)
            self._page.column.removeWidget(row)
            row.hide()
            row.deleteLater()
        for utterance in sorted(changes.turns):
            turn = model.turns.get(utterance)
            if turn is None or turn.empty:
                continue
            row = self._views.get(utterance)
            if row is None:
                row = self._new_row(utterance)
                row.show_user(turn)
                row.show_oracle(turn)
                row.show_answer(turn)
                continue
            if utterance in changes.user:
                row.show_user(turn)
            if utterance in changes.oracle:
                row.show_oracle(turn)
            if utterance in changes.answer or utterance in changes.oracle:
                row.show_answer(turn)

    def _new_row(self, utterance: int) -> TurnRow:
        for row in list(self._views.values())[-2:]:
            row.settle()
        row = TurnRow(first=not self._views, parent=self._page)
        self._views[utterance] = row
        self._page.column.insertWidget(self._page.column.count() - 1, row)
        row.show()
        return row

    def clear(self) -> None:
        """A new conversation begins."""
        for row in self._views.values():
            self._page.column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._views.clear()
        self.follow()

    def follow(self) -> None:
        """Show the newest and keep to it."""
        self._following = True
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())
        self.jump.hide()

    def _on_range(self, _minimum: int, maximum: int) -> None:
        if self._following:
            self.verticalScrollBar().setValue(maximum)
        self._show_jump()

    def _on_value(self, value: int) -> None:
        self._following = value >= self.verticalScrollBar().maximum() - _AT_END_PX
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
        if self.jump.isVisible():
            self._place_jump()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The viewport's width tells whether the scroll bar is there."""
        if watched is self.viewport() and event.type() == QEvent.Type.Resize:
            self.inset_changed.emit(self.width() - self.viewport().width())
        return super().eventFilter(watched, event)
