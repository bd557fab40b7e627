"""Keeps the one window, and makes it anew when another language is chosen.

The widgets take their words when they are made, so another language needs another window. It takes the place of the
old one: same size, same conversation on show. A conversation, a recording that is open, a download or a comparison is
never ended for that: the window changes when it is over.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from kame_desktop.core.settings import SettingsStore
from kame_desktop.session.services import Services
from kame_desktop.ui import translation
from kame_desktop.ui.main_window import MainWindow

_LOOK_AGAIN_MS = 500


class WindowKeeper(QObject):
    """Owns the window. GUI thread; end it with ``shut_down`` when the event loop is over.

    Attributes:
        window: The one that is there; another object after a change of language.

    Signals:
        replaced: ``window`` is another one.
    """

    replaced = Signal()

    def __init__(self, app: QApplication, services: Services, store: SettingsStore) -> None:
        """Install the language of the settings and make the window; show it with ``window.show()``."""
        super().__init__()
        self._app = app
        self._services = services
        self._store = store
        self._closing = False
        # A conversation ends with a signal, but a download and a comparison have dialogs that come and go.
        self._look_again = QTimer(self, interval=_LOOK_AGAIN_MS)
        self._look_again.timeout.connect(self._follow)
        translation.install(app, store.settings.appearance.language)
        self.window = self._made(None)

    @property
    def waiting(self) -> bool:
        """Another language was chosen, and something that is under way keeps the window as it is."""
        return self._look_again.isActive()

    def close(self) -> None:
        """Close the window, and with it the program."""
        self._closing = True
        self.window.close()

    def shut_down(self) -> None:
        """The event loop is over: end what is left, blocking for at most the time that a stop takes."""
        self._look_again.stop()
        self.window.shut_down()

    def _made(self, before: MainWindow | None) -> MainWindow:
        window = MainWindow(self._services, self._store, before)
        window.dialogs.settings_changed.connect(self._on_settings)
        return window

    def _on_settings(self, section: str) -> None:
        if section == "appearance":
            QTimer.singleShot(0, self, self._follow)  # the dialog that says so goes with the window

    def _follow(self) -> None:
        """Speak the language of the settings, now or as soon as that disturbs nothing."""
        language = self._store.settings.appearance.language
        if self._closing or translation.resolve(language) == translation.current():
            self._look_again.stop()
        elif self.window.controller.active or self.window.replay.active or self.window.dialogs.busy:
            self._look_again.start()
        elif self.window.isVisible():
            self._look_again.stop()
            self._replace(language)

    def _replace(self, language: str | None) -> None:
        old, settings_shown = self.window, self.window.dialogs.settings_shown
        quits = self._app.quitOnLastWindowClosed()
        self._app.setQuitOnLastWindowClosed(False)
        old.close()
        translation.install(self._app, language)
        self.window = self._made(old)
        self.window.show()
        self.window.llms.refresh()
        self.window.input.look_for_devices()
        if settings_shown:
            self.window.dialogs.show_settings("appearance")
        else:
            self.window.show_setup()
        old.shut_down()
        old.deleteLater()
        self._app.setQuitOnLastWindowClosed(quits)
        self.replaced.emit()
