"""The key to talk from anywhere, while the settings want it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal

from kame_desktop.core.errors import AppError
from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui.global_key.base import GlobalKey
from kame_desktop.ui.global_key.choice import make_global_key
from kame_desktop.ui.sound_controls import SoundControls


class GlobalTalkKey(QObject):
    """Owns the ``GlobalKey``: there is one while push-to-talk and ``global_talk_key`` are on. GUI thread.

    One that turned out to be impossible isn't tried again until the user switches it off and on.

    Signals:
        failed: Why it isn't possible (``AppError``); never before the event loop runs.
        _changed: From the key's thread: which key, and whether it is held.
        _refused: Likewise: which key, and why.
    """

    failed = Signal(object)
    _changed = Signal(int, bool)
    _refused = Signal(int, object)

    def __init__(
        self,
        sound: SoundControls,
        store: SettingsStore,
        make: Callable[[], GlobalKey] = make_global_key,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._sound = sound
        self._store = store
        self._make = make
        self._key: GlobalKey | None = None
        self._number = 0
        self._held = False
        self._closed = False
        self._changed.connect(self._on_changed, Qt.ConnectionType.QueuedConnection)
        self._refused.connect(self._on_refused, Qt.ConnectionType.QueuedConnection)
        self.take_settings()

    def take_settings(self) -> None:
        """The settings may have changed."""
        audio = self._store.settings.audio
        wanted = audio.push_to_talk and audio.global_talk_key and not self._closed
        if wanted and self._key is None:
            self._begin()
        elif not wanted:
            self._end()

    def close(self) -> None:
        """Give the key back for good; bounded, idempotent."""
        self._closed = True
        self._end()

    def _begin(self) -> None:
        self._number += 1
        number = self._number
        self._key = self._make()

        def on_change(held: bool) -> None:
            with contextlib.suppress(RuntimeError):  # the window is gone
                self._changed.emit(number, held)

        def on_problem(error: AppError) -> None:
            with contextlib.suppress(RuntimeError):
                self._refused.emit(number, error)

        self._key.start(on_change, on_problem)

    def _end(self) -> None:
        key, self._key = self._key, None
        if key is not None:
            key.stop()
            self._hold(False)

    def _on_changed(self, number: int, held: bool) -> None:
        if self._key is not None and number == self._number:  # one that has ended since may have left something behind
            self._hold(held)

    def _on_refused(self, number: int, error: AppError) -> None:
        if self._key is not None and number == self._number:
            self.failed.emit(error)

    def _hold(self, held: bool) -> None:
        if held != self._held:
            self._held = held
            self._sound.hold(held)
