"""What the user sets for the sound while talking: mute, push-to-talk, volume; and the key that is held to talk."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from kame_desktop.audio.base import AudioControls
from kame_desktop.core.settings import SettingsStore

_TAKES_TEXT = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)


class SoundControls(QObject):
    """The present ``AudioControls``: the settings, and what lasts only as long as the window (mute, the held key).

    Signals:
        changed: New controls (``AudioControls``).
    """

    changed = Signal(object)

    def __init__(self, store: SettingsStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._controls = AudioControls()
        self.take_settings()

    @property
    def controls(self) -> AudioControls:
        """The present ones."""
        return self._controls

    def take_settings(self) -> None:
        """The settings have changed."""
        audio = self._store.settings.audio
        self._set(
            push_to_talk=audio.push_to_talk,
            mute_while_speaking=audio.mute_while_speaking,
            volume=audio.volume,
            headphones=audio.headphones,
            echo_cancellation=audio.echo_cancellation,
            noise_suppression=audio.noise_suppression,
            automatic_gain=audio.automatic_gain,
        )

    def set_muted(self, muted: bool) -> None:
        """Listen to nothing, or listen again."""
        self._set(muted=muted)

    def hold(self, held: bool) -> None:
        """The key to talk is held, or let go."""
        self._set(talk_held=held)

    def set_volume(self, volume: float) -> None:
        """How loud the assistant is, 0 to 1; kept in the settings, which are saved by whoever owns them."""
        self._store.settings.audio.volume = volume
        self._set(volume=volume)

    def _set(self, **fields: bool | float) -> None:
        controls = dataclasses.replace(self._controls, **fields)
        if not controls.push_to_talk and controls.talk_held:
            controls = dataclasses.replace(controls, talk_held=False)
        if controls != self._controls:
            self._controls = controls
            self.changed.emit(controls)


class TalkKey(QObject):
    """Space, while push-to-talk is on and nobody types: it talks for as long as it is held.

    Then it watches the whole application, because the key belongs to whatever has the focus.
    """

    def __init__(self, window: QWidget, sound: SoundControls) -> None:
        super().__init__(window)
        self._window = window
        self._sound = sound
        self._held = False
        self._watching = False
        sound.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        """Every event of the application passes a filter: there is one only while it is needed."""
        wanted = self._sound.controls.push_to_talk
        application = QApplication.instance()
        if wanted == self._watching or application is None:
            return
        self._watching = wanted
        if wanted:
            application.installEventFilter(self)
        else:
            self._let_go()
            application.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Space before a button does."""
        kind = event.type()
        if kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease) and isinstance(event, QKeyEvent):
            return self._key(event, pressed=kind == QEvent.Type.KeyPress)
        if kind == QEvent.Type.WindowDeactivate and watched is self._window:
            self._let_go()
        return False

    def _key(self, event: QKeyEvent, *, pressed: bool) -> bool:
        if event.key() != Qt.Key.Key_Space or not self._sound.controls.push_to_talk:
            return False
        if self._held and not pressed:
            if not event.isAutoRepeat():
                self._let_go()
            return True
        if not self._window.isActiveWindow() or event.modifiers() or self._typing():
            return self._held
        if pressed and not self._held:
            self._held = True
            self._sound.hold(True)
        return True

    def _let_go(self) -> None:
        if self._held:
            self._held = False
            self._sound.hold(False)

    def _typing(self) -> bool:
        """The key belongs to a field of text, or to an open list."""
        if QApplication.activePopupWidget() is not None:
            return True
        focus = QApplication.focusWidget()
        return isinstance(focus, _TAKES_TEXT) or (isinstance(focus, QComboBox) and focus.isEditable())
