"""The recorded conversations: list, search, open, rename, export, delete."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from kame_desktop.core.activity import Activity
from kame_desktop.core.errors import AppError
from kame_desktop.core.settings import SettingsStore
from kame_desktop.recordings.library import Deleted, Entry, RecordingLibrary
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.replay.days_row import DaysRow
from kame_desktop.ui.replay.export_dialog import ExportDialog
from kame_desktop.ui.replay.history_model import DATE, ENGINE, LENGTH, LLM, SIZE, TITLE, HistoryModel
from kame_desktop.ui.replay.sure_bar import SureBar
from kame_desktop.ui.settings_dialog.parts import Note
from kame_desktop.ui.settings_dialog.workers import Job, Tell, Worker
from kame_desktop.ui.widgets.labels import RoleLabel
from kame_desktop.weights.words import size_text

_SEARCH_AFTER_MS = 250
_ROW_PX = 30
_LAST_CHANGE_S = 2.0
_WIDE_PX = 740
T = TypeVar("T")


class HistoryDialog(QDialog):
    """See the module's text. GUI thread; all that touches the disk happens on workers.

    Attributes:
        table: The list.
        model: What it shows.
        search: The field.
        sure: What asks before anything is deleted.

    Signals:
        opened: Replay this recording (``Path`` of its folder).
    """

    opened = Signal(object)

    def __init__(self, library: RecordingLibrary, store: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._store = store
        self._workers = Worker(self)
        self._changes = Activity()
        self._all: list[Entry] = []
        self._searching: tuple[Job, threading.Event] | None = None
        self._export: ExportDialog | None = None
        self._to_delete: Sequence[Entry] | None = None
        self.setObjectName("history")
        self.setWindowTitle(self.tr("Recorded conversations"))
        self.resize(900, 560)
        self.setMinimumSize(620, 360)
        self._make_parts()
        self._lay_out()
        self._connect()
        self._show_selection()
        self.reload()

    # -- building ----

    def _make_parts(self) -> None:
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search titles and what was said"))
        self.search.setAccessibleName(self.tr("Search recordings"))
        self.search.setClearButtonEnabled(True)
        self.total = RoleLabel("", "caption", "muted", parent=self)
        self.model = HistoryModel(self)
        self.table = QTableView(self)
        self.table.setObjectName("historyTable")
        self.table.setAccessibleName(self.tr("Recordings"))
        self.table.setModel(self.model)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.table.verticalHeader().setDefaultSectionSize(max(_ROW_PX, self.fontMetrics().height() + 12))
        self.table.sortByColumn(DATE, Qt.SortOrder.DescendingOrder)
        self.table.setSortingEnabled(True)
        self._size_columns()
        self.nothing = RoleLabel("", "words", "muted", parent=self)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setWordWrap(True)
        self.note = Note("", "alert", self)
        self.open_button = self._button(self.tr("&Open"), self.tr("Replay it (Return)"), "primary")
        self.rename_button = self._button(self.tr("&Rename"), self.tr("Give it another title (F2)"))
        self.export_button = self._button(self.tr("E&xport…"), self.tr("Text, subtitles, sound, a page for a report …"))
        self.delete_button = self._button(self.tr("&Delete…"), self.tr("Delete what is selected for good (Delete)"))
        self.all_button = self._button(self.tr("Delete &all…"), self.tr("Delete every recording for good"))
        self.sure = SureBar(self)
        self.days = DaysRow(self._store, self)

    def _button(self, text: str, tip: str, name: str = "") -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        button.setToolTip(tip)
        if name:
            button.setObjectName(name)
        return button

    def _size_columns(self) -> None:
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        letter = self.fontMetrics().averageCharWidth()
        for column, letters in ((DATE, 18), (LENGTH, 8), (SIZE, 9), (ENGINE, 13), (LLM, 17)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, letter * letters + 16)
        header.setMinimumSectionSize(50)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self.search, 1)
        top.addWidget(self.total)
        panel = QFrame(self)
        panel.setObjectName("panel")
        inside = QVBoxLayout(panel)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self.table)
        inside.addWidget(self.nothing)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.open_button, self.rename_button, self.export_button, self.delete_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.all_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addLayout(top)
        column.addWidget(panel, 1)
        column.addWidget(self.note)
        column.addWidget(self.sure)
        column.addLayout(buttons)
        column.addWidget(self.days)

    def _connect(self) -> None:
        self._delay = QTimer(self, interval=_SEARCH_AFTER_MS, singleShot=True)
        self._delay.timeout.connect(self._search_inside)
        self.search.textChanged.connect(self._on_search)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_selection())
        self.model.modelReset.connect(self._show_selection)
        self.table.doubleClicked.connect(lambda _: self.open_selected())
        self.model.renamed.connect(self._rename)
        self.open_button.clicked.connect(self.open_selected)
        self.rename_button.clicked.connect(self._begin_rename)
        self.export_button.clicked.connect(self._export_selected)
        self.delete_button.clicked.connect(lambda: self._ask_delete(self.selected))
        self.all_button.clicked.connect(lambda: self._ask_delete(None))
        self.sure.sure.connect(self._delete)
        self.sure.closed.connect(self.table.setFocus)
        self.days.failed.connect(self._complain)
        for keys, action in (
            (QKeySequence(Qt.Key.Key_Delete), lambda: self._ask_delete(self.selected)),
            (QKeySequence(Qt.Key.Key_Return), self.open_selected),
            (QKeySequence(Qt.Key.Key_Enter), self.open_selected),
        ):
            QShortcut(keys, self.table, action).setContext(Qt.ShortcutContext.WidgetShortcut)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self.search.setFocus)

    # -- the list ----

    @property
    def selected(self) -> list[Entry]:
        """What is selected, from the top."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [self.model.entry(row) for row in rows]

    def reload(self) -> None:
        """Read the list again."""
        self._work(self._library.entries, self._show_entries)

    def _show_entries(self, entries: Sequence[Entry]) -> None:
        self._all = list(entries)
        self._on_search(self.search.text())
        self._show_total()

    def _show_total(self) -> None:
        count = len(self._all)
        size = size_text(sum(entry.size_bytes for entry in self._all))
        text = self.tr("1 recording · {size}") if count == 1 else self.tr("{count} recordings · {size}")
        self.total.setText(text.format(count=count, size=size) if count else "")
        self.all_button.setEnabled(count > 0)
        self.days.show_entries(self._all)

    def _list(self, entries: Sequence[Entry]) -> None:
        """Show these; what is selected stays so."""
        names = {entry.name for entry in self.selected}
        bar = self.table.verticalScrollBar()
        place = bar.value()
        self.model.show_entries(entries)
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        for row, entry in enumerate(self.model.entries if names else ()):
            if entry.name in names:
                self.table.selectionModel().select(self.model.index(row, 0), flags)
        bar.setValue(place)
        if not self._all:
            text = self.tr("Nothing was recorded yet. Recording is off until you turn it on.")
        else:
            text = self.tr("Nothing was found.")
        self.nothing.setText(text)
        self.nothing.setVisible(not entries)
        self.table.setVisible(bool(entries))

    def _show_selection(self) -> None:
        chosen = self.selected
        one = len(chosen) == 1 and not chosen[0].problem
        for button in (self.open_button, self.rename_button, self.export_button):
            button.setEnabled(one)
        self.delete_button.setEnabled(bool(chosen))

    # -- search ----

    def _on_search(self, query: str) -> None:
        """What the titles say at once; what was said a little later."""
        self._end_search()
        words = query.casefold().split()
        self._list([entry for entry in self._all if all(word in entry.title.casefold() for word in words)])
        self._delay.stop()
        if words:
            self._delay.start()

    def _search_inside(self) -> None:
        query, stop = self.search.text(), threading.Event()

        def work(tell: Tell) -> list[Entry]:
            return list(self._library.search(query, stop=stop.is_set))

        def done(found: list[Entry]) -> None:
            self._searching = None
            names = {entry.name for entry in found}
            self._list([entry for entry in self._all if entry.name in names])

        self._searching = (self._workers.submit(work, done, self._complain), stop)

    def _end_search(self) -> None:
        if self._searching is not None:
            job, stop = self._searching
            stop.set()
            job.cancel()
            self._searching = None

    # -- what the user does ----

    def open_selected(self) -> None:
        """Replay what is selected."""
        chosen = self.selected
        if len(chosen) == 1 and not chosen[0].problem:
            self.opened.emit(chosen[0].folder)
            self.accept()

    def _begin_rename(self) -> None:
        chosen = self.selected
        if len(chosen) == 1:
            row = list(self.model.entries).index(chosen[0])
            self.table.setFocus()
            self.table.setCurrentIndex(self.model.index(row, TITLE))
            self.table.edit(self.model.index(row, TITLE))

    def _rename(self, name: str, title: str) -> None:
        def done(entry: Entry) -> None:
            self._all = [entry if known.name == name else known for known in self._all]
            self.model.replace(entry)

        def failed(error: AppError) -> None:
            self._complain(error)
            self.reload()

        self._change(lambda: self._library.rename(name, title), done, failed)

    def _export_selected(self) -> None:
        chosen = self.selected
        if len(chosen) != 1:
            return
        dialog = ExportDialog(chosen[0].folder, chosen[0].title, self)
        dialog.failed.connect(self._complain)
        dialog.ended.connect(self._on_export_ended)
        self._export = dialog
        dialog.open()

    def _on_export_ended(self) -> None:
        dialog, self._export = self._export, None
        if dialog is not None:
            dialog.deleteLater()

    # -- delete ----

    def _ask_delete(self, entries: Sequence[Entry] | None) -> None:
        """Ask before these are deleted; None: all."""
        wanted = self._all if entries is None else list(entries)
        if not wanted:
            return
        self._to_delete = None if entries is None else wanted
        size = size_text(sum(entry.size_bytes for entry in wanted))
        if entries is None:
            text = self.tr("Delete all {count} recordings ({size}) for good?")
        elif len(wanted) == 1:
            text = self.tr("Delete “{title}” ({size}) for good?")
        else:
            text = self.tr("Delete {count} recordings ({size}) for good?")
        title = wanted[0].title or wanted[0].name
        self.sure.ask(text.format(count=len(wanted), size=size, title=title))

    def _delete(self) -> None:
        entries, everything = self._to_delete, self._to_delete is None

        def work() -> Deleted:
            if everything:
                return self._library.delete_all()
            names = tuple(entry.name for entry in entries or ())
            return Deleted(names, sum(self._library.delete(name) for name in names))

        def done(deleted: Deleted) -> None:
            if deleted.kept:
                self.note.show_note(self.tr("What is being recorded was kept."), "info")
            self.reload()

        def failed(error: AppError) -> None:
            self._complain(error)
            self.reload()

        self._change(work, done, failed)

    # -- work ----

    def _work(
        self, work: Callable[[], T], done: Callable[[T], object], failed: Callable[[AppError], object] | None = None
    ) -> None:
        self._workers.submit(lambda _tell: work(), done, failed or self._complain)

    def _change(self, work: Callable[[], T], done: Callable[[T], object], failed: Callable[[AppError], object]) -> None:
        """Do something that must not be lost when the dialog closes."""
        self._changes.begin()

        def change() -> T:
            try:
                return work()
            finally:
                self._changes.end()

        self._work(change, done, failed)

    def _complain(self, error: AppError) -> None:
        self.note.show_note(f"{translated(error.what)} {translated(error.remedy)}".strip(), "alert")

    def shut_down(self) -> None:
        """It is going away: what still runs isn't listened to. Waits up to 2 s for a change to be made. Idempotent."""
        self._end_search()
        self._changes.wait_idle(_LAST_CHANGE_S)
        self._delay.stop()
        if self._export is not None:
            self._export.shut_down()
        self._workers.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrow list has no room for what is said of engine and model."""
        super().resizeEvent(event)
        for column in (ENGINE, LLM):
            self.table.setColumnHidden(column, event.size().width() < _WIDE_PX)

    def done(self, result: int) -> None:
        """It closes."""
        self.shut_down()
        super().done(result)
