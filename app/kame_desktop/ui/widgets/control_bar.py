"""Start and stop, what to listen to, which engine and which language model."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QIcon, QKeySequence, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStylePainter,
    QVBoxLayout,
    QWidget,
)

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.frontends.registry import EngineInfo
from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.sources import MICROPHONE, Source
from kame_desktop.ui.widgets.labels import RoleLabel

CONTROL_HEIGHT = 34


class MenuField(QPushButton):
    """A button that shows a choice and opens a menu; a long choice ends in an ellipsis."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("menuField")
        self._choice = ""

    @property
    def choice(self) -> str:
        """What is chosen."""
        return self._choice

    def set_choice(self, text: str) -> None:
        """Show what is chosen."""
        self._choice = text
        self.setAccessibleDescription(text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame as the style does, then the picture and as much of the choice as fits."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.icon = QIcon()  # pyright: ignore[reportAttributeAccessIssue]
        option.text = ""  # pyright: ignore[reportAttributeAccessIssue]
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        size = 18
        self.icon().paint(painter, QRect(10, (self.height() - size) // 2, size, size))
        room = self.rect().adjusted(35, 0, -30, 0)
        shown = self.fontMetrics().elidedText(self._choice, Qt.TextElideMode.ElideRight, room.width())
        painter.setPen(self.palette().color(QPalette.ColorRole.ButtonText))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown)
        painter.end()


class ElidedCombo(QComboBox):
    """A combo box that ends a long choice in an ellipsis instead of cutting it."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame and arrow as the style does, then as much of the choice as fits."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = ""  # pyright: ignore[reportAttributeAccessIssue]
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        room = self.rect().adjusted(11, 0, -30, 0)
        shown = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room.width())
        painter.setPen(self.palette().color(QPalette.ColorRole.ButtonText))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown)
        painter.end()


class ControlBar(QWidget):
    """The controls at the top.

    Signals:
        toggled: Start or stop.
        source_chosen: Listen to this (``Source``).
        file_wanted: Ask for a sound file.
        engine_chosen: Use the engine of this name.
        model_chosen: Use this ``LlmModel``.
        other_wanted: Ask for another model's name.
        menu_wanted: The input menu is about to open: is the microphone there now?
        copy_wanted: Copy the conversation.
        quit_wanted: Close the window.
    """

    toggled = Signal()
    source_chosen = Signal(object)
    file_wanted = Signal()
    engine_chosen = Signal(str)
    model_chosen = Signal(object)
    other_wanted = Signal()
    menu_wanted = Signal()
    copy_wanted = Signal()
    quit_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("controlBar")
        self._models: list[LlmModel] = []
        self._model_index = -1
        self._source = MICROPHONE
        self._running = self._stopping = False
        self.start = QPushButton(self)
        self.start.setObjectName("primary")
        self.start.setMinimumWidth(112)
        self.start.setShortcut(QKeySequence("Ctrl+Return"))
        self.start.clicked.connect(self.toggled)
        self.input = MenuField(self)
        self.input_menu = QMenu(self.input)
        self.input_menu.setToolTipsVisible(True)
        self.input_menu.aboutToShow.connect(self._before_menu)
        self.input.setMenu(self.input_menu)
        self.engine = ElidedCombo(self)
        self.engine.activated.connect(lambda index: self.engine_chosen.emit(self.engine.itemData(index)))
        self.model = ElidedCombo(self)
        self.model.activated.connect(self._on_model)
        self._more = QPushButton(self)
        self._more.setObjectName("iconButton")
        self._more.setAccessibleName(self.tr("More"))
        self._more.setToolTip(self.tr("More actions"))
        self._more.setMenu(self._more_menu())
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 12, 12)
        row.setSpacing(12)
        row.addWidget(self.start, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self._field(self.tr("&Input"), self.input, 320), 9)
        row.addWidget(self._field(self.tr("&Engine"), self.engine, 260), 8)
        row.addWidget(self._field(self.tr("&Language model"), self.model, 360), 11)
        row.addStretch(1)
        row.addWidget(self._more, 0, Qt.AlignmentFlag.AlignBottom)
        self.input.setAccessibleName(self.tr("Input"))
        self.engine.setAccessibleName(self.tr("Engine"))
        self.model.setAccessibleName(self.tr("Language model"))
        self.input.setToolTip(self.tr("Microphone, a sample question or a sound file (Alt+I)"))
        for control in (self.start, self.input, self.engine, self.model, self._more):
            control.setFixedHeight(CONTROL_HEIGHT)
        self._more.setFixedWidth(CONTROL_HEIGHT)
        self.show_state(running=False, stopping=False)

    def _field(self, caption: str, control: QWidget, widest: int) -> QWidget:
        field = QWidget(self)
        field.setMaximumWidth(widest)
        label = RoleLabel(caption, "caption", "muted", parent=field)
        label.setBuddy(control)
        control.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        column = QVBoxLayout(field)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addWidget(label)
        column.addWidget(control)
        return field

    def _more_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.addAction(self.tr("Open a WAV…"), QKeySequence("Ctrl+O"), self.file_wanted.emit)
        menu.addAction(self.tr("Copy conversation"), QKeySequence("Ctrl+Shift+C"), self.copy_wanted.emit)
        menu.addSeparator()
        menu.addAction(self.tr("Quit"), QKeySequence("Ctrl+Q"), self.quit_wanted.emit)
        self.addActions(menu.actions())
        return menu

    def show_state(self, *, running: bool, stopping: bool) -> None:
        """Start, Stop or Stopping."""
        self._running, self._stopping = running, stopping
        if stopping:
            text, tip = self.tr("Stopping…"), self.tr("The conversation is being stopped")
        elif running:
            text, tip = self.tr("Stop"), self.tr("End this conversation (Ctrl+Return)")
        else:
            text, tip = self.tr("Start"), self.tr("Begin a new conversation (Ctrl+Return)")
        self.start.setText(text)
        self.start.setShortcut(QKeySequence("Ctrl+Return"))  # setText drops it
        self.start.setToolTip(tip)
        self.start.setAccessibleName(text)
        self.start.setEnabled(not stopping)
        name = "stop" if running or stopping else "primary"
        if self.start.objectName() != name:
            self.start.setObjectName(name)
            self.start.style().polish(self.start)
        self._recolour()

    def show_sources(self, samples: Sequence[Source], microphone_problem: str | None, source: Source) -> None:
        """Fill the input menu and show what is chosen."""
        self._source = source
        menu = self.input_menu
        menu.clear()
        microphone = menu.addAction(self.tr("Microphone"), lambda: self.source_chosen.emit(MICROPHONE))
        microphone.setEnabled(microphone_problem is None)
        microphone.setToolTip(microphone_problem or self.tr("Speak to the assistant"))
        if samples:
            ask = QMenu(self.tr("Ask a sample question"), menu)
            menu.addMenu(ask)
            for sample in samples:
                ask.addAction(
                    self.source_text(sample).replace("&", "&&"),
                    lambda sample=sample: self.source_chosen.emit(sample),
                )
        menu.addSeparator()
        menu.addAction(self.tr("Open a WAV…"), self.file_wanted.emit)
        self.input.set_choice(self.source_text(source))
        self._recolour()

    def _before_menu(self) -> None:
        self.input_menu.setMinimumWidth(self.input.width())
        self.menu_wanted.emit()

    def source_text(self, source: Source) -> str:
        """What the window calls an input."""
        if source.wav is None:
            return self.tr("Microphone")
        if source.sample:
            return source.question or self.tr("Sample question {number}").format(number=source.number)
        return source.wav.name

    def show_engines(self, engines: Sequence[EngineInfo], chosen: str) -> None:
        """Fill the engines."""
        self.engine.clear()
        for info in engines:
            self.engine.addItem(info.label, info.name)
            tip = info.hint or info.label
            self.engine.setItemData(self.engine.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.engine.setCurrentIndex(max(0, self.engine.findData(chosen)))
        self.engine.setToolTip(self.tr("What speaks with you. Another one begins a new conversation (Alt+E)"))

    def show_models(self, models: Sequence[LlmModel], chosen: LlmModel | None) -> None:
        """Fill the language models."""
        self._models = list(models)
        self.model.clear()
        for model in self._models:
            text = f"{model.label} ({model.hint})" if model.hint else model.label
            self.model.addItem(text)
            self.model.setItemData(self.model.count() - 1, f"{text}\n{model.name}", Qt.ItemDataRole.ToolTipRole)
        if self._models:
            self.model.insertSeparator(self.model.count())
        self.model.addItem(self.tr("Other…"))
        names = [model.name for model in self._models]
        self._model_index = names.index(chosen.name) if chosen is not None and chosen.name in names else -1
        self.model.setCurrentIndex(self._model_index)
        self.model.setToolTip(
            self.tr("What thinks. It can be changed in the middle of a conversation (Alt+L)")
            + f"\n{self.model.currentText()}"
        )

    def _on_model(self, index: int) -> None:
        if index >= len(self._models):
            self.model.setCurrentIndex(self._model_index)
            self.other_wanted.emit()
        elif index != self._model_index:
            self._model_index = index
            self.model_chosen.emit(self._models[index])

    def _recolour(self) -> None:
        shown = theme.current()
        stop = self._running or self._stopping
        self.start.setIcon(icon("stop", shown.bad) if stop else icon("play", shown.on_accent))
        picture = "microphone" if self._source.wav is None else "question" if self._source.sample else "file"
        self.input.setIcon(icon(picture, shown.accent))
        self._more.setIcon(icon("more", shown.muted))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_more"):
            self._recolour()
