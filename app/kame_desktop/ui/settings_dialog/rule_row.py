"""One rule of Auto: a topic, the words that tell it, and the model that gets its questions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QHBoxLayout, QLineEdit, QPlainTextEdit, QWidget

from kame_desktop.core.settings import AutoRule
from kame_desktop.ui.settings_dialog.parts import IconButton, Picker
from kame_desktop.ui.widgets.labels import RoleLabel

_LINES = 3
_FRAME_PX = 14
"""Border, padding and the document's upper margin."""


class RuleRow(QFrame):
    """Fields for one rule.

    Signals:
        edited: A field was typed in.
        picked: Another model was chosen, or when the rule counts.
        moved: Up (-1) or down (1) was asked for.
        removed: Away with it.
    """

    edited = Signal()
    picked = Signal()
    moved = Signal(int)
    removed = Signal()

    def __init__(self, rule: AutoRule, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("settingRow")
        self._extra = rule.model_extra or {}
        self.topic = QLineEdit(rule.topic, self)
        self.topic.setPlaceholderText(self.tr("Science"))
        self.topic.setAccessibleName(self.tr("Topic"))
        self.topic.setMaxLength(60)
        self.topic.setCursorPosition(0)
        self.words = QPlainTextEdit(", ".join(rule.keywords), self)
        self.words.setTabChangesFocus(True)
        self._fit()
        self.words.setPlaceholderText(self.tr("atom, planet, why does"))
        self.words.setAccessibleName(self.tr("Words of the topic"))
        self.words.setToolTip(
            self.tr("Words or phrases with commas between them; an asterisk stands for any ending (planet*)")
        )
        self.model = Picker(self)
        self.model.setAccessibleName(self.tr("Model"))
        self._wanted = rule.model
        self.up = IconButton("up", self.tr("Move up"), parent=self)
        self.down = IconButton("down", self.tr("Move down"), parent=self)
        self.remove = IconButton("trash", self.tr("Remove this rule"), parent=self)
        self.weak = QCheckBox(self.tr("Only if no other fits"), self)
        self.weak.setChecked(rule.weak)
        self.weak.setToolTip(self.tr("For small talk: a greeting before a question doesn't decide"))
        self.topic.textEdited.connect(lambda _: self.edited.emit())
        self.words.textChanged.connect(self.edited)
        self.weak.toggled.connect(lambda _: self.picked.emit())
        self.model.picked.connect(self._on_picked)
        self.up.clicked.connect(lambda: self.moved.emit(-1))
        self.down.clicked.connect(lambda: self.moved.emit(1))
        self.remove.clicked.connect(self.removed)
        buttons = QHBoxLayout()
        buttons.setSpacing(0)
        for button in (self.up, self.down, self.remove):
            buttons.addWidget(button)
        grid = QGridLayout(self)
        grid.setContentsMargins(14, 10, 14, 10)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.addWidget(self._caption(self.tr("About"), self.topic), 0, 0)
        grid.addWidget(self.topic, 0, 1, 1, 2)
        grid.addLayout(buttons, 0, 3)
        grid.addWidget(self._caption(self.tr("Words"), self.words), 1, 0)
        grid.addWidget(self.words, 1, 1, 1, 3)
        grid.addWidget(self._caption(self.tr("Goes to"), self.model), 2, 0)
        grid.addWidget(self.model, 2, 1)
        grid.addWidget(self.weak, 2, 2, 1, 2)
        grid.setColumnStretch(1, 1)

    def _fit(self) -> None:
        """Three whole lines of words."""
        self.words.setFixedHeight(_LINES * self.words.fontMetrics().lineSpacing() + _FRAME_PX)

    def changeEvent(self, event: QEvent) -> None:
        """Take the text size of a new style."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and hasattr(self, "words"):
            self._fit()

    def _caption(self, text: str, buddy: QWidget) -> RoleLabel:
        label = RoleLabel(text, colour="muted", parent=self)
        label.setBuddy(buddy)
        return label

    @property
    def fields(self) -> tuple[QWidget, ...]:
        """In the order of the Tab key."""
        return (self.topic, self.up, self.down, self.remove, self.words, self.model, self.weak)

    @property
    def rule(self) -> AutoRule:
        """What the fields say."""
        words = [" ".join(word.split()) for word in self.words.toPlainText().replace("\n", ",").split(",")]
        return AutoRule(
            topic=" ".join(self.topic.text().split()),
            keywords=[word for word in words if word],
            model=self._wanted,
            weak=self.weak.isChecked(),
            **self._extra,
        )

    def show_models(self, items: Sequence[tuple[str, object]]) -> None:
        """Fill the picker."""
        self.model.show_items(items, self._wanted)

    @property
    def wanted(self) -> str | None:
        """The model of the rule."""
        return self._wanted

    def show_place(self, *, first: bool, last: bool) -> None:
        """Whether it can move."""
        self.up.setEnabled(not first)
        self.down.setEnabled(not last)

    def _on_picked(self, value: object) -> None:
        self._wanted = str(value) if value is not None else None
        self.picked.emit()
