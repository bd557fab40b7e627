"""How the window is laid out: what is shown, how large its text is, where it stands. Kept in the settings."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QObject, Signal
from PySide6.QtWidgets import QApplication, QMainWindow

from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui import theme
from kame_desktop.ui.conversation_page import ConversationPage
from kame_desktop.ui.presenter import Presenter
from kame_desktop.ui.window_actions import WindowActions

_STEP = 1.1
_SMALLEST, _LARGEST = 0.75, 2.0


class WindowLook(QObject):
    """Follows the actions of the view menu. GUI thread.

    Signals:
        changed: The settings have changed and want to be saved.
    """

    changed = Signal()

    def __init__(
        self,
        window: QMainWindow,
        store: SettingsStore,
        page: ConversationPage,
        presenter: Presenter,
        actions: WindowActions,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._store = store
        self._page = page
        self._presenter = presenter
        self._actions = actions
        actions.show_timeline.connect(self._show_timeline)
        actions.mark_changes.connect(self._mark_changes)
        actions.larger.connect(lambda: self._scale_text(_STEP))
        actions.smaller.connect(lambda: self._scale_text(1 / _STEP))
        actions.usual_size.connect(lambda: self._scale_text(None))

    def restore(self) -> None:
        """As it was when the window was closed."""
        kept = self._store.settings.window
        self._actions.timeline.setChecked(kept.timeline)
        self._actions.changes.setChecked(kept.mark_changes)
        self._page.set_timeline(kept.timeline)
        self._page.conversation.mark_changes(kept.mark_changes)
        self._window.restoreGeometry(QByteArray.fromBase64(kept.geometry.encode()))
        self._window.restoreState(QByteArray.fromBase64(kept.layout.encode()))

    def remember(self) -> None:
        """The window closes: keep where it stands."""
        self._presenter.leave()
        kept = self._store.settings.window
        geometry = bytes(self._window.saveGeometry().toBase64().data()).decode()
        layout = bytes(self._window.saveState().toBase64().data()).decode()
        if (kept.geometry, kept.layout) != (geometry, layout):
            kept.geometry, kept.layout = geometry, layout
            self.changed.emit()

    def _show_timeline(self, shown: bool) -> None:
        self._store.settings.window.timeline = shown
        self._page.set_timeline(shown)
        self.changed.emit()

    def _mark_changes(self, on: bool) -> None:
        self._store.settings.window.mark_changes = on
        self._page.conversation.mark_changes(on)
        self.changed.emit()

    def _scale_text(self, factor: float | None) -> None:
        """Larger or smaller; None: the usual size. An audience's size isn't kept."""
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        scale = 1.0 if factor is None else min(_LARGEST, max(_SMALLEST, theme.font_scale() * factor))
        theme.set_font_scale(app, scale)
        if not self._presenter.on:
            self._store.settings.appearance.font_scale = scale
            self.changed.emit()
