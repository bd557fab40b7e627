"""The language models to choose from, under the names of who runs them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QWidget

from kame_desktop.backend.llm.base import KeySource, LlmChoice, LlmModel
from kame_desktop.ui import theme
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.widgets.elided import ElidedCombo

_CHOICE = Qt.ItemDataRole.UserRole
_COMMAND = Qt.ItemDataRole.UserRole + 1
_OTHER, _KEYS = "other", "keys"


class ModelCombo(ElidedCombo):
    """A grouped list of models. One that lacks a key says so, and asks for it when it is chosen.

    Signals:
        chosen: Use this ``LlmModel``.
        key_wanted: This ``LlmChoice`` was picked, and its provider has no key yet.
        other_wanted: Ask for another model's name.
        keys_wanted: Show keys and tests.
    """

    chosen = Signal(object)
    key_wanted = Signal(object)
    other_wanted = Signal()
    keys_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices: list[LlmChoice] = []
        self._current: LlmModel | None = None
        self._items = QStandardItemModel(self)
        self.setModel(self._items)
        self.setMaxVisibleItems(24)
        self.activated.connect(self._on_activated)

    @property
    def choices(self) -> list[LlmChoice]:
        """What is offered."""
        return list(self._choices)

    def show_choices(self, choices: Sequence[LlmChoice], current: LlmModel | None) -> None:
        """Fill the list, and show which one is in use. One that isn't in the list is added under its own name."""
        self._choices = list(choices)
        if current is not None and all(choice.model.name != current.name for choice in choices):
            self._choices.append(LlmChoice(current, self.tr("Your own")))
        self._current = current
        self._items.clear()
        for group, members in _grouped(self._choices).items():
            if group:
                self._items.appendRow(self._heading(group))
            for choice in members:
                self._items.appendRow(self._item(choice))
        self.insertSeparator(self._items.rowCount())
        self._items.appendRow(self._command(self.tr("Other model…"), _OTHER))
        self._items.appendRow(self._command(self.tr("Keys and tests…"), _KEYS))
        self._show_current()

    def _heading(self, group: str) -> QStandardItem:
        item = QStandardItem(translated(group))
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setFont(theme.scaled_font("caption", bold=True))
        return item

    def _item(self, choice: LlmChoice) -> QStandardItem:
        model = choice.model
        label = translated(model.label)
        text = f"{label} ({translated(model.hint)})" if model.hint else label
        note = self._note(choice)
        item = QStandardItem(f"{text}  –  {note}" if not choice.ready else text)
        item.setData(choice, _CHOICE)
        item.setData("\n".join(part for part in (text, model.name, note) if part), Qt.ItemDataRole.ToolTipRole)
        return item

    def _note(self, choice: LlmChoice) -> str:
        return {
            KeySource.NOT_NEEDED: "",
            KeySource.ENVIRONMENT: self.tr("ready, key from the environment"),
            KeySource.KEYRING: self.tr("ready, key from the keyring"),
            KeySource.SESSION: self.tr("ready, key until you quit"),
            KeySource.MISSING: self.tr("needs a key"),
        }[choice.key]

    def _command(self, text: str, command: str) -> QStandardItem:
        item = QStandardItem(text)
        item.setData(command, _COMMAND)
        return item

    def _show_current(self) -> None:
        index = -1
        for row in range(self._items.rowCount()):
            choice = self.itemData(row, _CHOICE)
            if choice is not None and self._current is not None and choice.model.name == self._current.name:
                index = row
        self.setCurrentIndex(index)
        self.setToolTip(
            self.tr("What thinks. It can be changed in the middle of a conversation (Alt+L)")
            + (f"\n{self.itemText(index)}" if index >= 0 else "")
        )

    def _on_activated(self, row: int) -> None:
        choice, command = self.itemData(row, _CHOICE), self.itemData(row, _COMMAND)
        if choice is not None and choice.ready:
            if self._current is None or choice.model.name != self._current.name:
                self._current = choice.model
                self.chosen.emit(choice.model)
            self._show_current()
            return
        self._show_current()
        if choice is not None:
            self.key_wanted.emit(choice)
        elif command == _OTHER:
            self.other_wanted.emit()
        elif command == _KEYS:
            self.keys_wanted.emit()


def _grouped(choices: Sequence[LlmChoice]) -> dict[str, list[LlmChoice]]:
    """Choices by group, groups in the order of their first member."""
    groups: dict[str, list[LlmChoice]] = {}
    for choice in choices:
        groups.setdefault(choice.group, []).append(choice)
    return groups
