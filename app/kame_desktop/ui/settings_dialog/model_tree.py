"""The list of language models under their providers' names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from kame_desktop.backend.llm.base import LlmChoice, LlmTest
from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.phrases import translated

_CHOICE = Qt.ItemDataRole.UserRole


class ModelTree(QTreeWidget):
    """Two columns: the model, and how it stands (in words, with a picture).

    Signals:
        used: The user wants this ``LlmChoice`` to answer (Enter or a double click).
        moved: Another model may be selected.
    """

    used = Signal(object)
    moved = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelTree")
        self.setAccessibleName(self.tr("Language models"))
        self.setColumnCount(2)
        self.setHeaderLabels([self.tr("Model"), self.tr("State")])
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setIndentation(14)
        self.setUniformRowHeights(False)
        self.setIconSize(QSize(16, 16))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsClickable(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.itemDoubleClicked.connect(self._on_activated)
        self.currentItemChanged.connect(lambda *_: self.moved.emit())
        self._choices: list[LlmChoice] = []
        self._in_use = ""
        self._tests: Mapping[str, LlmTest] = {}
        self._loaded = False
        self._filter = ""
        self._wanted: str | None = None

    def sizeHint(self) -> QSize:
        """Room for about eight rows."""
        return QSize(380, 9 * (self.fontMetrics().height() + 12))

    def minimumSizeHint(self) -> QSize:
        """Room for about five rows."""
        return QSize(200, 6 * (self.fontMetrics().height() + 12))

    @property
    def selected(self) -> LlmChoice | None:
        """What is selected."""
        item = self.currentItem()
        return item.data(0, _CHOICE) if item is not None else None

    @property
    def items(self) -> dict[str, QTreeWidgetItem]:
        """Model name -> its line, as far as they are shown."""
        found: dict[str, QTreeWidgetItem] = {}
        for place in range(self.topLevelItemCount()):
            group = self.topLevelItem(place)
            for index in range(group.childCount() if group is not None else 0):
                item = group.child(index) if group is not None else None
                choice = item.data(0, _CHOICE) if item is not None else None
                if item is not None and choice is not None:
                    found[choice.model.name] = item
        return found

    def want(self, name: str) -> None:
        """Select this model as soon as it is in the list."""
        self._wanted = name

    def set_filter(self, text: str) -> None:
        """Show the models with these words in their name or group."""
        self._filter = text
        self._fill()

    def show_choices(
        self, choices: Sequence[LlmChoice], in_use: str, tests: Mapping[str, LlmTest], *, loaded: bool
    ) -> None:
        """Fill the list anew, keeping the selection.

        Args:
            in_use: Name of the model that answers.
            tests: Outcomes so far, by model name.
            loaded: False: the list is still awaited.
        """
        self._choices, self._in_use, self._tests, self._loaded = list(choices), in_use, tests, loaded
        self._fill()

    def _fill(self) -> None:
        selected = self._wanted or (self.selected.model.name if self.selected is not None else self._in_use)
        place = self.verticalScrollBar().value()
        self.blockSignals(True)
        self.clear()
        words = self._filter.casefold().split()
        shown = [choice for choice in self._choices if _has(choice, words)]
        groups: dict[str, QTreeWidgetItem] = {}
        for choice in shown:
            if choice.group not in groups:
                groups[choice.group] = self._heading(translated(choice.group))
            self._add(groups[choice.group], choice)
        if not shown:
            self._heading(self._nothing())
        self.expandAll()
        item = self.items.get(selected) or next(iter(self.items.values()), None)
        if item is not None:
            self.setCurrentItem(item)
        if selected == self._wanted and item is not None:
            self._wanted = None
            self.scrollToItem(item)
        else:
            self.verticalScrollBar().setValue(place)
        self.blockSignals(False)
        self.moved.emit()

    def _nothing(self) -> str:
        if not self._loaded:
            return self.tr("Looking…")
        return self.tr("No model has these words in its name.") if self._choices else self.tr("There is no model.")

    def _heading(self, text: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self, [text])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        item.setFont(0, theme.scaled_font("caption", bold=True))
        item.setFirstColumnSpanned(True)
        return item

    def _add(self, group: QTreeWidgetItem, choice: LlmChoice) -> None:
        model = choice.model
        state, picture, colour = self._state(choice)
        label, hint = translated(model.label), translated(model.hint)
        label = f"{label} – {hint}" if hint and hint not in label else label
        item = QTreeWidgetItem(group, [label, state])
        item.setData(0, _CHOICE, choice)
        item.setIcon(1, icon(picture, getattr(theme.current(), colour)) if picture else QIcon())
        item.setToolTip(0, f"{label}\n{model.name}")
        item.setToolTip(1, state)
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{label}, {state}")
        if model.name == self._in_use:
            item.setFont(0, theme.scaled_font("body", bold=True))

    def _state(self, choice: LlmChoice) -> tuple[str, str, str]:
        """Words, picture and its colour."""
        test = self._tests.get(choice.model.name)
        if not choice.ready:
            words, picture, colour = self.tr("Needs a key"), "key", "warn"
        elif test is not None and test.error is not None:
            words, picture, colour = self.tr("Test failed"), "alert", "bad"
        elif test is not None and test.first_token_ms is not None:
            words = self.tr("Ready, {ms} ms").format(ms=round(test.first_token_ms))
            picture, colour = "check", "good"
        else:
            words, picture, colour = self.tr("Ready"), "check", "good"
        if choice.model.name == self._in_use:
            words = self.tr("In use, {state}").format(state=words.lower())
        return words, picture, colour

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        choice = item.data(0, _CHOICE)
        if choice is not None:
            self.used.emit(choice)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter uses the selected model."""
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self._on_activated(item)
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours and the text size of a new theme."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange) and hasattr(self, "_wanted"):
            self._fill()


def _has(choice: LlmChoice, words: Sequence[str]) -> bool:
    """All the words are in it."""
    text = f"{translated(choice.group)} {translated(choice.model.label)} {choice.model.name}".casefold()
    return all(word in text for word in words)
