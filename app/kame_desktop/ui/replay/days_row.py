"""After how many days recordings are deleted by themselves."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from kame_desktop.core.errors import AppError
from kame_desktop.core.settings import SettingsStore
from kame_desktop.recordings.library import Entry
from kame_desktop.ui.settings_dialog.parts import Picker
from kame_desktop.ui.widgets.labels import ElidedLabel, RoleLabel

_DAYS = (7, 30, 90, 365)
_PICKER_PX = 170


class DaysRow(QWidget):
    """The setting, and what it means for the present recordings. GUI thread.

    Attributes:
        days: What is chosen.
        note: What it means.

    Signals:
        failed: It could not be saved (``AppError``).
    """

    failed = Signal(object)

    def __init__(self, store: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._entries: Sequence[Entry] = ()
        self.days = Picker(self)
        self.days.setAccessibleName(self.tr("Delete recordings by themselves"))
        self.days.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.days.setFixedWidth(_PICKER_PX)
        self.days.picked.connect(self._on_picked)
        self.note = ElidedLabel("", "caption", "muted", parent=self)
        label = RoleLabel(self.tr("Delete &by themselves"), "body", parent=self)
        label.setBuddy(self.days)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(label)
        row.addWidget(self.days)
        row.addWidget(self.note, 1)
        self._show()

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """These recordings are there."""
        self._entries = entries
        self._show_note()

    def _show(self) -> None:
        chosen = self._store.settings.recording.delete_after_days
        days = sorted({*_DAYS, *([chosen] if chosen is not None else [])})
        items: list[tuple[str, object]] = [(self.tr("Never"), None)]
        items += [(self.tr("After {days} days").format(days=one), one) for one in days]
        self.days.show_items(items, chosen)

    def _on_picked(self, days: object) -> None:
        self._store.settings.recording.delete_after_days = days if isinstance(days, int) else None
        try:
            self._store.save()
        except OSError:
            error = AppError("The settings could not be saved.", "Check that your settings folder can be written to.")
            self.failed.emit(error)
        self._show_note()

    def _show_note(self) -> None:
        days = self._store.settings.recording.delete_after_days
        text = ""
        if days is not None:
            limit = dt.datetime.now(dt.UTC) - dt.timedelta(days=days)
            count = sum(entry.started_at < limit for entry in self._entries)
            if count == 1:
                text = self.tr("1 recording is older: it goes at the next start.")
            elif count:
                text = self.tr("{count} recordings are older: they go at the next start.").format(count=count)
        self.note.setText(text)
