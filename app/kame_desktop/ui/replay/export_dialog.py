"""Asks where to write a recording, and as what, and writes it beside the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from kame_desktop.core.errors import AppError, as_app_error
from kame_desktop.recordings.reader import open_recording
from kame_desktop.ui.background import Background
from kame_desktop.ui.replay.exports import FORMATS, ExportFormat, file_name, form_of, write_export


def _write(folder: Path, form: ExportFormat, target: Path) -> AppError | None:
    """Write it; what went wrong. Blocks on the disk."""
    try:
        write_export(open_recording(folder), form, target, replace=True)  # the dialog has asked
    except Exception as error:  # noqa: BLE001 - shown in the window
        return as_app_error(error, "export")
    return None


class ExportDialog(QFileDialog):
    """One export, from the question to the file. GUI thread; the writing happens on a worker of its own.

    Signals:
        written: The file is there (``Path``).
        failed: It isn't (``AppError``).
        ended: Nothing follows; delete it now.
    """

    written = Signal(object)
    failed = Signal(object)
    ended = Signal()

    def __init__(self, folder: Path, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._title = title
        self._background = Background("export", self)
        names = {
            "html": self.tr("Web page"),
            "text": self.tr("Text"),
            "markdown": self.tr("Markdown"),
            "json": self.tr("JSON"),
            "srt": self.tr("Subtitles (SRT)"),
            "vtt": self.tr("Subtitles (WebVTT)"),
            "wav": self.tr("Sound (WAV, two channels)"),
        }
        self._filters = {f"{names[form.name]} (*{form.suffix})": form for form in FORMATS.values()}
        self.setWindowTitle(self.tr("Export the recording"))
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setFileMode(QFileDialog.FileMode.AnyFile)
        self.setNameFilters(list(self._filters))
        self.filterSelected.connect(self._take_filter)
        self.fileSelected.connect(lambda path: self.write(Path(path)))
        self.rejected.connect(self._end)
        self._take_filter(next(iter(self._filters)))

    @property
    def form(self) -> ExportFormat:
        """The form that is chosen."""
        return self._filters[self.selectedNameFilter()]

    def _take_filter(self, name: str) -> None:
        form = self._filters[name]
        self.setDefaultSuffix(form.suffix.removeprefix("."))
        self.selectFile(file_name(self._title, form))

    def write(self, target: Path) -> None:
        """Write it; the name's ending decides what it is when it is one of a known form."""
        form = form_of(target, self.form)

        def then(problem: AppError | None) -> None:
            if problem is None:
                self.written.emit(target)
            else:
                self.failed.emit(problem)
            self._end()

        self._background.run(lambda: _write(self._folder, form, target), then)

    def _end(self) -> None:
        self._background.close()
        self.ended.emit()

    def shut_down(self) -> None:
        """The window is closing."""
        self._background.close()
