"""Start and stop, what to listen to, which engine and which language model."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from kame_desktop.core.settings import AudioSettings
from kame_desktop.frontends.registry import EngineInfo
from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.sources import MICROPHONE, Source
from kame_desktop.ui.widgets.device_menu import DeviceMenus
from kame_desktop.ui.widgets.elided import ElidedCombo, MenuField
from kame_desktop.ui.widgets.labels import RoleLabel
from kame_desktop.ui.widgets.model_combo import ModelCombo

CONTROL_HEIGHT = 34


class ControlBar(QWidget):
    """The controls at the top.

    Signals:
        toggled: Start or stop.
        source_chosen: Listen to this (``Source``).
        file_wanted: Ask for a sound file.
        engine_chosen: Use the engine of this name.
        menu_wanted: The input menu is about to open: is the microphone there now?

    Attributes:
        model: The language models; it has signals of its own.
        devices: The menus of sound devices; they have signals of their own.
    """

    toggled = Signal()
    source_chosen = Signal(object)
    file_wanted = Signal()
    engine_chosen = Signal(str)
    menu_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("controlBar")
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
        self.devices = DeviceMenus(self)
        self.engine = ElidedCombo(self)
        self.engine.activated.connect(lambda index: self.engine_chosen.emit(self.engine.itemData(index)))
        self.model = ModelCombo(self)
        self._more = QPushButton(self)
        self._more.setObjectName("iconButton")
        self._more.setAccessibleName(self.tr("More"))
        self._more.setToolTip(self.tr("More actions"))
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
        self._fit()
        self.show_state(running=False, stopping=False)

    def set_menu(self, menu: QMenu) -> None:
        """What the last button opens."""
        self._more.setMenu(menu)

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

    def show_sources(
        self, samples: Sequence[Source], microphone_problem: str | None, source: Source, audio: AudioSettings
    ) -> None:
        """Fill the input menu and show what is chosen."""
        self._source = source
        menu = self.input_menu
        menu.clear()
        for old in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
            old.setParent(None)
            old.deleteLater()
        microphone = menu.addAction(self.tr("Microphone"), lambda: self.source_chosen.emit(MICROPHONE))
        microphone.setEnabled(microphone_problem is None)
        microphone.setToolTip(translated(microphone_problem or "") or self.tr("Speak to the assistant"))
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
        menu.addSeparator()
        self.devices.add_to(menu, audio)
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
            self.engine.addItem(translated(info.label), info.name)
            tip = translated(info.hint or info.label)
            self.engine.setItemData(self.engine.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.engine.setCurrentIndex(max(0, self.engine.findData(chosen)))
        self.engine.setToolTip(self.tr("What speaks with you. Another one begins a new conversation (Alt+E)"))

    def _recolour(self) -> None:
        shown = theme.current()
        stop = self._running or self._stopping
        self.start.setIcon(icon("stop", shown.bad) if stop else icon("play", shown.on_accent))
        picture = "microphone" if self._source.wav is None else "question" if self._source.sample else "file"
        self.input.setIcon(icon(picture, shown.accent))
        self._more.setIcon(icon("more", shown.muted))

    def _fit(self) -> None:
        """All of one height, and room for the text at every size."""
        height = max(CONTROL_HEIGHT, self.fontMetrics().height() + 14)
        for control in (self.start, self.input, self.engine, self.model, self._more):
            control.setFixedHeight(height)
        self._more.setFixedWidth(CONTROL_HEIGHT)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme, or another size of the text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_more"):
            self._recolour()
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and hasattr(self, "_more"):
            self._fit()
