"""The buttons of the sound: the microphone with its state, and the loudspeaker's volume."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy, QSlider, QWidget, QWidgetAction

from kame_desktop.core.events import MicrophoneClosed
from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.widgets.labels import RoleLabel

_LEAST_PX = 28


class _FlatButton(QPushButton):
    """A button as high as its text needs."""

    def sizeHint(self) -> QSize:
        """Never lower than the others in its row."""
        hint = super().sizeHint()
        return QSize(hint.width(), max(_LEAST_PX, self.fontMetrics().height() + 10))


class MicrophoneButton(_FlatButton):
    """Mutes the microphone, and says whether it is live.

    With push-to-talk it is held down instead, like the key.

    Signals:
        mute_wanted: Listen to nothing, or listen again.
        held: Pressed or let go, with push-to-talk.
    """

    mute_wanted = Signal(bool)
    held = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("micButton")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._running = self._push_to_talk = self._muted = False
        self._closed: MicrophoneClosed | None = None
        # A shortcut of the button's own would wait for the animation of its click.
        QShortcut(QKeySequence("M"), self, lambda: self.mute_wanted.emit(not self._muted))
        self.clicked.connect(self._on_clicked)
        self.pressed.connect(lambda: self._on_held(True))
        self.released.connect(lambda: self._on_held(False))
        self._describe()

    def show_state(self, *, running: bool, muted: bool, push_to_talk: bool, closed: MicrophoneClosed | None) -> None:
        """Show whether what is said is listened to, and why not."""
        if not running:
            closed = MicrophoneClosed.MUTED if muted else None
        state = (running, muted, push_to_talk, closed)
        if state != (self._running, self._muted, self._push_to_talk, self._closed):
            self._running, self._muted, self._push_to_talk, self._closed = state
            self._describe()

    def _on_clicked(self) -> None:
        if not self._push_to_talk or self._muted:
            self.mute_wanted.emit(not self._muted)

    def _on_held(self, down: bool) -> None:
        if self._push_to_talk and not self._muted:
            self.held.emit(down)

    def _describe(self) -> None:
        if self._push_to_talk and not self._muted:
            tip = self.tr("Hold this button, or Space, while you talk")
        elif self._muted:
            tip = self.tr("Let the assistant hear you again (M)")
        else:
            tip = self.tr("Mute the microphone (M)")
        text = self._text()
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(text)
        self.setAccessibleDescription(tip)
        live = self._running and self._closed is None
        name = "micLive" if live else "micOff" if self._muted or self._closed else "micButton"
        if self.objectName() != name:
            self.setObjectName(name)
            self.style().polish(self)
        self._recolour()

    def _text(self) -> str:
        if self._closed is None:
            return self.tr("Live") if self._running else self.tr("Mute")
        return {
            MicrophoneClosed.MUTED: self.tr("Muted"),
            MicrophoneClosed.KEY_NOT_HELD: self.tr("Hold to talk"),
            MicrophoneClosed.ASSISTANT_SPEAKS: self.tr("Waiting"),
            MicrophoneClosed.NO_DEVICE: self.tr("No device"),
        }[self._closed]

    def _recolour(self) -> None:
        shown = theme.current()
        live = self._running and self._closed is None
        colour = shown.good if live else shown.bad if self._muted else shown.muted
        self.setIcon(icon("microphone" if self._closed is None else "microphone_off", colour))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_closed"):
            self._recolour()


class VolumeButton(_FlatButton):
    """Opens the volume of the assistant's voice.

    Signals:
        volume_wanted: 0 to 1.
        settled: The slider was let go: the volume may be saved.
    """

    volume_wanted = Signal(float)
    settled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("iconButton")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, 100)
        self.slider.setPageStep(10)
        self.slider.setFixedWidth(150)
        self.slider.setAccessibleName(self.tr("Volume of the assistant's voice"))
        self._number = RoleLabel("", "caption", "muted", parent=self)
        self._number.setMinimumWidth(40)
        self._number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        box = QWidget(self)
        row = QHBoxLayout(box)
        row.setContentsMargins(12, 8, 12, 8)
        row.addWidget(self.slider)
        row.addWidget(self._number)
        menu = QMenu(self)
        action = QWidgetAction(menu)
        action.setDefaultWidget(box)
        menu.addAction(action)
        menu.aboutToShow.connect(self.slider.setFocus)
        menu.aboutToHide.connect(self.settled)
        self.setMenu(menu)
        self.slider.valueChanged.connect(self._on_value)
        self.slider.setValue(100)
        self._show(100)

    def show_volume(self, volume: float) -> None:
        """Show how loud the voice is, 0 to 1."""
        value = round(100 * volume)
        if value != self.slider.value():
            blocked = self.slider.blockSignals(True)
            self.slider.setValue(value)
            self.slider.blockSignals(blocked)
        self._show(value)

    def _on_value(self, value: int) -> None:
        self._show(value)
        self.volume_wanted.emit(value / 100)

    def _show(self, value: int) -> None:
        text = self.tr("{percent} %").format(percent=value)
        self._number.setText(text)
        self.setAccessibleName(self.tr("Volume {percent}").format(percent=text))
        self.setToolTip(self.tr("Volume of the assistant's voice: {percent}").format(percent=text))
        self._recolour()

    def _recolour(self) -> None:
        name = "speaker" if self.slider.value() else "speaker_off"
        self.setIcon(icon(name, theme.current().muted))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_number"):
            self._recolour()
