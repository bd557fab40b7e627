"""The rows of the conversation: only those in sight, and a little around them, are widgets.

Everything else is a height: measured once when the row was shown, guessed before. So a long conversation costs no more
than a short one. A height that turns out to be another moves what stands above the sight, never what is in it.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from kame_desktop.ui import theme
from kame_desktop.ui.widgets.turn_row import COLUMN_GAP, COLUMN_STRETCH, ROW_MARGIN, TurnRow

FOOT_PX = 8
_GUESS_PX = 150
_MEASURES = 4
_BUSY_ROWS = 40


class TurnList(QWidget):
    """The scrolled page of rows. GUI thread.

    Args:
        make: Makes and fills the row of an utterance.
        sight: Top and bottom of what can be seen, in this widget's pixels.

    Signals:
        moved: What stands above the sight has become higher or lower by so many pixels.
        arranged: Places may have changed.
    """

    moved = Signal(int)
    arranged = Signal()

    def __init__(
        self,
        make: Callable[[int, bool], TurnRow],
        sight: Callable[[], tuple[int, int]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("rows")
        self._make = make
        self._sight = sight
        self._order: list[int] = []
        self._tops: list[int] = [0]
        self._heights: dict[int, int] = {}
        self._rows: dict[int, TurnRow] = {}
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self.arrange)

    @property
    def order(self) -> list[int]:
        """Utterances from the top."""
        return self._order

    @property
    def rows(self) -> dict[int, TurnRow]:
        """Utterance -> its row, of those that are widgets."""
        return self._rows

    def top(self, utterance: int) -> int:
        """Where its row begins."""
        return self._tops[self._order.index(utterance)]

    def add(self, utterance: int) -> None:
        """A row at the end."""
        for other in self._order[-2:]:
            if other in self._rows:
                self._rows[other].settle()
        self._order.append(utterance)
        self._heights[utterance] = _GUESS_PX
        self._tops.append(self._tops[-1] + _GUESS_PX)

    def remove(self, utterances: Iterable[int]) -> None:
        """These rows are gone."""
        gone = {utterance for utterance in utterances if utterance in self._heights}
        if not gone:
            return
        top, _ = self._sight()
        above = sum(self._heights[one] for one in gone if self.top(one) < top)
        for utterance in gone:
            self._heights.pop(utterance)
            self._drop(utterance)
        self._order = [one for one in self._order if one not in gone]
        self._place_all()
        if above:
            self.moved.emit(-above)

    def clear(self) -> None:
        """No rows."""
        for utterance in list(self._rows):
            self._drop(utterance)
        self._order.clear()
        self._heights.clear()
        self._place_all()

    def arrange_soon(self) -> None:
        """Arrange once whatever happens now is over."""
        if not self._later.isActive():
            self._later.start()

    def arrange(self) -> None:
        """Make what is in sight, measure it, put it in its place, and let go of what is far away."""
        self._later.stop()
        for _ in range(_MEASURES):
            top, bottom = self._sight()
            if not self._show_between(top, bottom):
                break
        top, bottom = self._sight()
        reach = max(1, bottom - top)
        self._let_go(top - 2 * reach, bottom + 2 * reach)
        self.arranged.emit()

    def _show_between(self, top: int, bottom: int) -> bool:
        """Say whether a height has changed, so that others may be in sight now."""
        first = max(0, bisect.bisect_right(self._tops, top) - 1)
        last = bisect.bisect_left(self._tops, bottom)
        changed = above = 0
        for utterance in self._order[first:last]:
            row = self._rows.get(utterance)
            fresh = row is None
            if row is None:
                row = self._rows[utterance] = self._make(utterance, utterance == self._order[0])
                row.installEventFilter(self)
            height, place = self._measure(row), self.top(utterance)
            grown = height - self._heights[utterance]
            if grown:
                changed += 1
                # One that was only guessed grows upward when its end is in sight, one that is read grows downward.
                if place < top if fresh else place + self._heights[utterance] <= top:
                    above += grown
                self._heights[utterance] = height
        # Rows that are widgets but out of sight may have grown too.
        for utterance, row in self._rows.items():
            if utterance not in self._order[first:last] and row.sizeHint().height() != self._heights[utterance]:
                grown = self._measure(row) - self._heights[utterance]
                above += grown if self.top(utterance) < top else 0
                self._heights[utterance] += grown
                changed += bool(grown)
        self._place_all()
        if above:
            self.moved.emit(above)
        return bool(changed)

    def _measure(self, row: TurnRow) -> int:
        """The height that a row needs at this width. Texts learn their width only when they are laid out."""
        if row.isHidden():
            row.show()
        for _ in range(_MEASURES):
            height = row.sizeHint().height()
            if (row.width(), row.height()) == (self.width(), height):
                break
            row.resize(self.width(), height)
            layout = row.layout()
            if layout is not None:
                layout.activate()
        return row.sizeHint().height()

    def _place_all(self) -> None:
        tops = [0]
        for utterance in self._order:
            tops.append(tops[-1] + self._heights[utterance])
        self._tops = tops
        total = tops[-1] + FOOT_PX
        if self.minimumHeight() != total:
            self.setMinimumHeight(total)
            viewport = self.parentWidget()
            self.resize(self.width(), max(total, viewport.height() if viewport is not None else 0))
        for utterance, row in self._rows.items():
            place = tops[self._order.index(utterance)]
            row.setGeometry(0, place, self.width(), self._heights[utterance])

    def _let_go(self, top: int, bottom: int) -> None:
        """Rows out of reach are no longer widgets, unless the user is at work in them."""
        far = [
            utterance
            for utterance in self._rows
            if self.top(utterance) + self._heights[utterance] < top or self.top(utterance) > bottom
        ]
        busy = [utterance for utterance in far if self._rows[utterance].busy]
        for utterance in far:
            if utterance not in busy[-_BUSY_ROWS:]:
                self._drop(utterance)

    def _drop(self, utterance: int) -> None:
        row = self._rows.pop(utterance, None)
        if row is not None:
            row.removeEventFilter(self)
            row.hide()
            row.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A row needs another height."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.arrange_soon()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width: rows in sight are measured anew, the others keep what is known until they are."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.arrange_soon()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines between the columns."""
        painter = QPainter(self)
        painter.setPen(QColor(theme.current().border))
        inner = self.width() - 2 * ROW_MARGIN - 2 * COLUMN_GAP
        left = float(ROW_MARGIN)
        for stretch in COLUMN_STRETCH[:-1]:
            left += inner * stretch / sum(COLUMN_STRETCH)
            x = round(left + COLUMN_GAP / 2)
            painter.drawLine(x, event.rect().top(), x, event.rect().bottom())
            left += COLUMN_GAP
        painter.end()
