"""The windows beside the window: each is made when it is asked for, is there once, and ends with the program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import LlmChoice, LlmModel
from kame_desktop.core.settings import SettingsStore
from kame_desktop.session.services import Services
from kame_desktop.ui.sources import Source

if TYPE_CHECKING:
    from kame_desktop.ui.compare import CompareDialog
    from kame_desktop.ui.doctor_dialog import DoctorDialog
    from kame_desktop.ui.history_dialog import HistoryDialog
    from kame_desktop.ui.settings_dialog import SettingsDialog
    from kame_desktop.ui.widgets.download_dialog import DownloadDialog


class WindowDialogs(QObject):
    """Owns them. They are imported when they are opened: the first picture of the window doesn't wait for them.

    Signals:
        settings_changed: A section of the settings was changed.
        model_chosen: Answer with this ``LlmModel``.
        file_chosen: Listen to this sound file (``Path``).
        weights_ready: An engine's weights are in this folder (``Path``).
        recording_chosen: Show this recording (folder, ``Path``).
    """

    settings_changed = Signal(str)
    model_chosen = Signal(object)
    file_chosen = Signal(object)
    weights_ready = Signal(object)
    recording_chosen = Signal(object)

    def __init__(self, services: Services, store: SettingsStore, window: QWidget) -> None:
        super().__init__(window)
        self._services = services
        self._store = store
        self._window = window
        self._settings: SettingsDialog | None = None
        self._download: DownloadDialog | None = None
        self._compare: CompareDialog | None = None
        self._doctor: DoctorDialog | None = None
        self._history: HistoryDialog | None = None

    def show_settings(self, page: str = "", item: str = "") -> None:
        """Show the settings, at a page ("audio", "models", "keys", ...) and at something on it."""
        from kame_desktop.ui.settings_dialog import SettingsDialog

        if self._settings is None:
            self._settings = SettingsDialog(self._services, self._store, self._window)
            self._settings.changed.connect(self.settings_changed)
            self._settings.model_chosen.connect(self.model_chosen)
            self._settings.finished.connect(self._on_settings_closed)
        self._settings.show()
        self._settings.raise_()
        if page:
            self._settings.show_page(page, item)

    @property
    def settings_shown(self) -> bool:
        """The settings are open."""
        return self._settings is not None

    @property
    def busy(self) -> bool:
        """A download or a comparison is under way, which would end with the window."""
        compared = self._compare is not None and self._compare.runner.active
        return self._download is not None or compared

    def show_keys(self, choice: LlmChoice) -> None:
        """Show where the key of a model is entered."""
        provider = catalog.provider_of(choice.model)
        self.show_settings("keys", provider.name if provider is not None else "")

    def refresh_settings(self) -> None:
        """An open dialog shows what was changed elsewhere."""
        if self._settings is not None:
            self._settings.refresh()

    def ask_model(self) -> None:
        """Ask for a model's name."""
        from kame_desktop.ui.widgets.model_dialog import ModelDialog

        dialog = ModelDialog(self._services.resolve_llm, None, self._window)
        dialog.chosen.connect(self.model_chosen)
        _open_once(dialog)

    def ask_file(self) -> None:
        """Ask for a sound file."""
        dialog = QFileDialog(self._window, self.tr("Open a spoken question"), filter=self.tr("Sound files (*.wav)"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.file_chosen.emit(Path(path)))
        _open_once(dialog)

    def ask_recording(self) -> None:
        """Ask for the folder of a recording."""
        root = self._services.recordings().root
        dialog = QFileDialog(self._window, self.tr("Open a recording"), str(root))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda path: self.recording_chosen.emit(Path(path)))
        _open_once(dialog)

    def show_history(self) -> None:
        """Show what was recorded."""
        from kame_desktop.ui.history_dialog import HistoryDialog

        if self._history is None:
            self._history = HistoryDialog(self._services.recordings(), self._store, self._window)
            self._history.opened.connect(self.recording_chosen)
            self._history.finished.connect(self._on_history_closed)
        self._history.show()
        self._history.raise_()

    def get_weights(self, name: str) -> None:
        """Ask whether an engine's weights may be downloaded."""
        from kame_desktop.ui.widgets.download_dialog import DownloadDialog

        if self._download is not None:
            self._download.raise_()
            return
        self._download = DownloadDialog(name, self._services.weights(), self._window)
        self._download.ready.connect(self.weights_ready)
        self._download.finished.connect(self._on_download_closed)
        self._download.open()

    def compare(self, sources: Sequence[Source], llm: LlmModel) -> None:
        """Ask several engines the same question."""
        from kame_desktop.ui.compare import CompareDialog

        if self._compare is None:
            self._compare = CompareDialog(self._services, sources, llm, self._window)
            self._compare.finished.connect(self._on_compare_closed)
        self._compare.show()
        self._compare.raise_()

    def end_comparison(self) -> None:
        """A conversation begins: two would speak at once otherwise."""
        if self._compare is not None and self._compare.runner.active:
            self._compare.runner.stop()

    def check_system(self, sound_is_free: Callable[[], bool]) -> None:
        """Look at what works here and what doesn't; the sound only when no conversation uses it."""
        from kame_desktop.ui.doctor_dialog import DoctorDialog

        if self._doctor is None:
            self._doctor = DoctorDialog(self._services, sound_is_free, self._window)
            self._doctor.finished.connect(self._on_doctor_closed)
        self._doctor.show()
        self._doctor.raise_()

    def shut_down(self) -> None:
        """End what they have begun; brief."""
        if self._download is not None:
            self._download.shut_down()
        if self._settings is not None:
            self._settings.shut_down()
        if self._compare is not None:
            self._compare.runner.shut_down()
        if self._doctor is not None:
            self._doctor.shut_down()
        if self._history is not None:
            self._history.shut_down()

    def _on_settings_closed(self) -> None:
        dialog, self._settings = self._settings, None
        _drop(dialog)

    def _on_download_closed(self) -> None:
        dialog, self._download = self._download, None
        _drop(dialog)

    def _on_history_closed(self) -> None:
        dialog, self._history = self._history, None
        _drop(dialog)

    def _on_doctor_closed(self) -> None:
        dialog, self._doctor = self._doctor, None
        _drop(dialog)

    def _on_compare_closed(self) -> None:
        dialog, self._compare = self._compare, None
        _drop(dialog)


def _open_once(dialog: QDialog) -> None:
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _drop(dialog: QDialog | None) -> None:
    if dialog is not None:
        dialog.deleteLater()
