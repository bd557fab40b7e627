"""The controls of a replay: play, position, speed, sound, another model's answers, export, the end."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QLocale, QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSlider,
    QStyle,
    QStyleOptionSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from kame_desktop.backend.llm.base import LlmChoice
from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.widgets.labels import ElidedLabel, RoleLabel
from kame_desktop.ui.widgets.oracle_card import OracleCardView
from kame_desktop.ui.widgets.timeline_scale import clock_text

SPEEDS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
_STEP_MS = 1_000
_PAGE_MS = 10_000
_SLIDER_PX = 24
_LOW_PX = 660


class _PositionSlider(QSlider):
    """A click goes straight there."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Put the handle under the pointer, then drag it."""
        if event.button() == Qt.MouseButton.LeftButton:
            option = QStyleOptionSlider()
            self.initStyleOption(option)
            handle = self.style().subControlRect(
                QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, self
            )
            if not handle.contains(event.position().toPoint()):
                span = max(1, self.width() - handle.width())
                at = round(event.position().x() - handle.width() / 2)
                value = QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), at, span)
                self.setValue(value)
                self.sliderMoved.emit(value)
        super().mousePressEvent(event)


class ReplayBar(QFrame):
    """Shown only while a recording is. GUI thread.

    Signals:
        toggled: Play or pause.
        seek_wanted: Go to this time after the beginning (ms).
        speed_wanted: Play at this speed.
        mute_wanted: Let nothing be heard, or everything.
        reask_wanted: Put the questions to this model (``LlmModel``).
        reask_stopped: Ask it nothing more.
        export_wanted, close_wanted: What was asked for.
    """

    toggled = Signal()
    seek_wanted = Signal(float)
    speed_wanted = Signal(float)
    mute_wanted = Signal(bool)
    reask_wanted = Signal(object)
    reask_stopped = Signal()
    export_wanted = Signal()
    close_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("replayBar")
        self._duration_ms = 0.0
        self._playing = False
        self._choices: Sequence[LlmChoice] = ()
        self._asking = ""
        self.title = ElidedLabel("", "body", parent=self)
        self.note = RoleLabel("", "caption", "warn", parent=self)
        self.play = QPushButton(self)
        self.play.setObjectName("iconButton")
        self.play.setFixedSize(34, 34)
        self.play.clicked.connect(self.toggled)
        self.time = RoleLabel("", "body", "muted", parent=self)
        self.slider = _PositionSlider(Qt.Orientation.Horizontal, self)
        self.slider.setMinimumHeight(_SLIDER_PX)
        self.slider.setSingleStep(_STEP_MS)
        self.slider.setPageStep(_PAGE_MS)
        self.slider.setAccessibleName(self.tr("Position"))
        self.slider.setToolTip(self.tr("Where the replay is. Arrow keys: one second"))
        self.slider.valueChanged.connect(lambda value: self.seek_wanted.emit(float(value)))
        self.speed = QComboBox(self)
        for speed in SPEEDS:
            self.speed.addItem(f"{QLocale().toString(speed, 'g', 3)}×", speed)
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.speed.setAccessibleName(self.tr("Speed"))
        self.speed.setToolTip(self.tr("How fast it plays; voices keep their pitch"))
        self.speed.activated.connect(lambda index: self.speed_wanted.emit(self.speed.itemData(index)))
        self.mute = QToolButton(self)
        self.mute.setObjectName("timelineButton")
        self.mute.setFixedSize(30, 30)
        self.mute.setCheckable(True)
        self.mute.toggled.connect(self._on_mute)
        self.ask = QPushButton(self)
        self.menu = QMenu(self.ask)
        self.menu.setToolTipsVisible(True)
        self.ask.clicked.connect(self._on_ask)
        self.export = QPushButton(self.tr("E&xport…"), self)
        self.export.setToolTip(self.tr("Text, Markdown, JSON, subtitles, sound, or a page for a report"))
        self.export.clicked.connect(self.export_wanted)
        self.end = QPushButton(self.tr("&Close"), self)
        self.end.setToolTip(self.tr("Close the recording"))
        self.end.clicked.connect(self.close_wanted)
        for button in (self.export, self.end):
            button.setAccessibleName(button.text().replace("&", ""))
        self._lay_out()
        self._space = QShortcut(QKeySequence(Qt.Key.Key_Space), self, self._on_space)
        self._space.setEnabled(False)
        self._on_mute(False)
        self.show_position(0.0, playing=False)
        self.show_asking("")
        self.set_ready(False)
        self.hide()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self.title, 1)
        head.addWidget(self.note)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.play)
        row.addWidget(self.time)
        row.addWidget(self.slider, 1)
        row.addWidget(self.speed)
        row.addWidget(self.mute)
        row.addSpacing(6)
        row.addWidget(self.ask)
        row.addWidget(self.export)
        row.addWidget(self.end)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 10, 8)
        column.setSpacing(4)
        column.addLayout(head)
        column.addLayout(row)

    # -- what is shown ----

    def show_recording(self, title: str, duration_ms: float, note: str = "") -> None:
        """A recording begins to be shown; until ``set_ready`` it is being opened."""
        self._duration_ms = max(0.0, duration_ms)
        self.title.setText(title)
        self.note.setText(note)
        self.note.setToolTip(note)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, max(1, round(self._duration_ms)))
        self.time.setMinimumWidth(self.time.fontMetrics().horizontalAdvance(self._time_text(self._duration_ms) + " "))
        self.show_position(0.0, playing=False)
        self.set_ready(False)
        self._arrange()
        self.show()

    def _arrange(self) -> None:
        """In a low window the columns need the room of the title."""
        low = self.window().height() < _LOW_PX
        self.title.setVisible(not low)
        self.note.setVisible(bool(self.note.text()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The window has another height."""
        if event.type() == QEvent.Type.Resize and watched is self.window():
            self._arrange()
        return super().eventFilter(watched, event)

    def set_ready(self, ready: bool) -> None:
        """It can be played."""
        for part in (self.play, self.slider, self.speed, self.mute, self.ask, self.export):
            part.setEnabled(ready)
        self._space.setEnabled(ready)

    def show_position(self, ms: float, *, playing: bool) -> None:
        """It is here, and moves on or not."""
        if not self.slider.isSliderDown():
            with QSignalBlocker(self.slider):
                self.slider.setValue(round(ms))
        text = self._time_text(ms)
        if text != self.time.text():
            self.time.setText(text)
        if playing != self._playing or not self.play.toolTip():
            self._playing = playing
            name = self.tr("Pause") if playing else self.tr("Play")
            self.play.setToolTip(self.tr("Pause (Space)") if playing else self.tr("Play (Space)"))
            self.play.setAccessibleName(name)
            self._recolour()

    def show_silent(self, silent: bool, note: str) -> None:
        """Nothing can be heard, and why."""
        if silent and not self.note.text():
            self.note.setText(note)
            self._arrange()

    def _time_text(self, ms: float) -> str:
        return f"{clock_text(ms)} / {clock_text(self._duration_ms)}"

    def show_models(self, choices: Sequence[LlmChoice]) -> None:
        """Whom the questions can be put to."""
        self._choices = choices
        self.menu.clear()
        group = ""
        for choice in choices:
            if choice.group != group:
                group = choice.group
                self.menu.addSection(group)
            action = self.menu.addAction(choice.model.label.replace("&", "&&"))
            action.setEnabled(choice.ready)
            if not choice.ready:
                action.setToolTip(self.tr("A key is missing: add it in the settings"))
            action.triggered.connect(lambda _checked, model=choice.model: self.reask_wanted.emit(model))

    def show_asking(self, label: str) -> None:
        """This model is being asked; "": none is."""
        self._asking = label
        self.ask.setText(self.tr("Stop asking") if label else self.tr("&Re-ask…"))
        self.ask.setAccessibleName(self.ask.text().replace("&", ""))
        self.ask.setToolTip(
            self.tr("{model} is being asked").format(model=label)
            if label
            else self.tr("Put the same questions to another language model and see its answers beside these")
        )

    # -- what the user does ----

    def _on_ask(self) -> None:
        if self._asking:
            self.reask_stopped.emit()
            return
        if not self._choices:
            return
        self.menu.popup(self.ask.mapToGlobal(QPoint(0, -self.menu.sizeHint().height())))

    def _on_mute(self, muted: bool) -> None:
        name = self.tr("Sound on") if muted else self.tr("Sound off")
        self.mute.setToolTip(name)
        self.mute.setAccessibleName(name)
        self._recolour()
        self.mute_wanted.emit(muted)

    def _on_space(self) -> None:
        """Space belongs to the button that has the focus, if one has."""
        focus = QApplication.focusWidget()
        if isinstance(focus, OracleCardView):
            none = Qt.KeyboardModifier.NoModifier
            QApplication.sendEvent(focus, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Space, none))
        elif isinstance(focus, QAbstractButton) and focus.isEnabled():
            focus.click()
        else:
            self.toggled.emit()

    def _recolour(self) -> None:
        shown = theme.current()
        self.play.setIcon(icon("pause" if self._playing else "play", shown.accent))
        self.mute.setIcon(icon("speaker_off" if self.mute.isChecked() else "speaker", shown.muted))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "mute"):
            self._recolour()
