"""The list of recordings as a table."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QDate,
    QDateTime,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTime,
    Signal,
)

from kame_desktop.recordings.format import clean_title
from kame_desktop.recordings.library import Entry
from kame_desktop.ui.widgets.timeline_scale import clock_text
from kame_desktop.weights.words import size_text

TITLE, DATE, LENGTH, SIZE, ENGINE, LLM = range(6)

Index = QModelIndex | QPersistentModelIndex


def moment_text(moment: dt.datetime) -> str:
    """A date and time as clocks showed it there, in the user's way of writing."""
    when = QDateTime(QDate(moment.year, moment.month, moment.day), QTime(moment.hour, moment.minute))
    return QLocale().toString(when, QLocale.FormatType.ShortFormat)


class HistoryModel(QAbstractTableModel):
    """Rows of ``Entry``; the title can be edited. GUI thread.

    Signals:
        renamed: The user gave a recording another title (its name, the title).
    """

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Entry] = []
        self._sort = (DATE, Qt.SortOrder.DescendingOrder)

    @property
    def entries(self) -> Sequence[Entry]:
        """What is listed, from the top."""
        return tuple(self._rows)

    def entry(self, row: int) -> Entry:
        """What a row shows."""
        return self._rows[row]

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """List these instead."""
        self.beginResetModel()
        self._rows = self._sorted(entries)
        self.endResetModel()

    def replace(self, entry: Entry) -> None:
        """This is how a listed recording is now."""
        for row, known in enumerate(self._rows):
            if known.name == entry.name:
                self._rows[row] = entry
                self.dataChanged.emit(self.index(row, 0), self.index(row, LLM))

    # -- what views ask ----

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """How many recordings."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Title, date, length, size, engine, model."""
        return 0 if parent.isValid() else LLM + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The columns' names."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (
                self.tr("Title"),
                self.tr("Date"),
                self.tr("Length"),
                self.tr("Size"),
                self.tr("Engine"),
                self.tr("Model"),
            )[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        if not index.isValid():
            return None
        entry, column = self._rows[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(entry, column)
            case Qt.ItemDataRole.EditRole if column == TITLE:
                return entry.title
            case Qt.ItemDataRole.ToolTipRole:
                cut = self.tr("It was cut off; the last second may be missing.")
                return entry.problem or (self._text(entry, column) if entry.complete else cut)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(column)
            case _:
                return None

    def _text(self, entry: Entry, column: int) -> str:
        match column:
            case 0:
                return self.tr("(can't be opened)") if entry.problem else entry.title or self.tr("(no title)")
            case 1:
                return moment_text(entry.started_at)
            case 2:
                return "" if entry.problem else clock_text(entry.duration_ms)
            case 3:
                return size_text(entry.size_bytes)
            case 4:
                return entry.engine
            case _:
                return entry.llm

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """The user has typed another title; it is shown when it is kept."""
        if role != Qt.ItemDataRole.EditRole or index.column() != TITLE:
            return False
        entry, title = self._rows[index.row()], clean_title(str(value))
        if not title or title == entry.title:
            return False
        self.replace(dataclasses.replace(entry, title=title))
        self.renamed.emit(entry.name, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Titles of what can be opened are editable."""
        flags = super().flags(index)
        if index.isValid() and index.column() == TITLE and not self._rows[index.row()].problem:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """By a column."""
        self._sort = (column, order)
        self.show_entries(self._rows)

    def _sorted(self, entries: Sequence[Entry]) -> list[Entry]:
        column, order = self._sort
        keys = (
            lambda entry: entry.title.casefold(),
            lambda entry: entry.started_at,
            lambda entry: entry.duration_ms,
            lambda entry: entry.size_bytes,
            lambda entry: entry.engine.casefold(),
            lambda entry: entry.llm.casefold(),
        )
        return sorted(entries, key=keys[column], reverse=order == Qt.SortOrder.DescendingOrder)


def _alignment(column: int) -> int:
    side = Qt.AlignmentFlag.AlignRight if column in (LENGTH, SIZE) else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
