"""Says that a part crashed, or that the last run did, and offers the diagnostics."""

from __future__ import annotations

import contextlib

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from kame_desktop.core.crash import CrashLog, CrashReport
from kame_desktop.core.errors import AppError, ErrorCategory
from kame_desktop.core.last_run import LastRun
from kame_desktop.ui.doctor_dialog import DoctorServices
from kame_desktop.ui.errors_model import ShownError
from kame_desktop.ui.settings_dialog.workers import Worker
from kame_desktop.ui.widgets.error_bar import ErrorLine


class CrashWatch(QObject):
    """Brings crash reports of any thread to the GUI thread. ``close`` ends that.

    Signals:
        crashed: A part crashed (``CrashReport``).
        _posted: From the thread that the error came from.
    """

    crashed = Signal(object)
    _posted = Signal(object)

    def __init__(self, log: CrashLog, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._posted.connect(self.crashed, Qt.ConnectionType.QueuedConnection)
        self._end = log.listen(self._post)

    def _post(self, report: CrashReport) -> None:
        with contextlib.suppress(RuntimeError):  # the window is gone
            self._posted.emit(report)

    def close(self) -> None:
        """Hear no more. Idempotent."""
        self._end()


class CrashLine(ErrorLine):
    """One line of trouble with a button that copies the diagnostics."""

    def __init__(self, error: ShownError, parent: QWidget | None = None) -> None:
        super().__init__(error, parent)
        self.copy = QPushButton(self.tr("Copy diagnostics"), self)
        self.copy.setToolTip(self.tr("Copy a text about it to pass on: without keys, your name and your words"))
        self.copy.setAutoDefault(False)
        row = self.layout()
        assert row is not None
        row.removeWidget(self.close_button)
        row.addWidget(self.copy)
        row.addWidget(self.close_button)


class CrashBar(QWidget):
    """Nothing, or one line: the newest crash, how many there were, "Copy diagnostics" and a button that puts it away.

    GUI thread only; the text is made on a worker that ends with ``close_down``.
    """

    def __init__(self, services: DoctorServices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._worker = Worker(self)
        self._count = 0
        self.line: CrashLine | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 8)
        self.hide()

    @property
    def idle(self) -> bool:
        """Nothing is being copied."""
        return self._worker.idle

    def show_crash(self, report: CrashReport) -> None:
        """A part crashed."""
        self._count += 1
        what = self.tr("Something went wrong inside the program ({kind} in {where}); it goes on as well as it can.")
        remedy = self.tr("If something doesn't work any more, stop and start the conversation, or the program.")
        self._say(what.format(kind=report.kind, where=report.where), remedy)

    def show_last_run(self, last: LastRun) -> None:
        """The last run ended unexpectedly."""
        if last.stack:
            what = self.tr("The last run ended unexpectedly: it crashed.")
        else:
            what = self.tr("The last run ended unexpectedly: it was ended from outside, or the memory was full.")
        self._say(what, self.tr("If it happens again, please report it with the diagnostics."))

    def _say(self, what: str, remedy: str) -> None:
        error = ShownError("crash", ErrorCategory.INTERNAL.value, what, remedy, max(1, self._count))
        if self.line is None:
            self.line = CrashLine(error, self)
            self.line.dismissed.connect(self.dismiss)
            self.line.copy.clicked.connect(self._copy)
            self._column.addWidget(self.line)
        else:
            self.line.show_error(error)
        self.show()

    def dismiss(self) -> None:
        """The user has read it."""
        line, self.line = self.line, None
        self._count = 0
        self.hide()
        if line is not None:
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()

    def _copy(self) -> None:
        if self.line is not None:
            self.line.copy.setEnabled(False)
        self._worker.submit(lambda tell: self._services.diagnostics(()), self._on_text, self._on_failed)

    def _on_text(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._enable(self.tr("Copied"))

    def _on_failed(self, error: AppError) -> None:
        self._enable(self.tr("Not copied: try again"))

    def _enable(self, word: str) -> None:
        if self.line is not None:
            self.line.copy.setText(word)
            self.line.copy.setEnabled(True)

    def close_down(self) -> None:
        """Drop what is still awaited; returns at once. Idempotent."""
        self._worker.close()
