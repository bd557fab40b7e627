"""Asks before weights are downloaded, shows how far it is, and lets it be stopped, resumed, or replaced by a folder."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from kame_desktop.core.errors import AppError, Cancelled, as_app_error
from kame_desktop.ui.download_model import Action, DownloadModel, DownloadState, WeightsService
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.widgets.download_parts import PlanFacts, ProblemLine
from kame_desktop.ui.widgets.labels import ElidedLabel, RoleLabel
from kame_desktop.weights.cancel import CancelFlag
from kame_desktop.weights.plan import DownloadPlan, Progress
from kame_desktop.weights.words import duration_text, rate_text, size_text

STOP_LIMIT_S = 2.0
_STEPS = 1000


class DownloadDialog(QDialog):
    """One set of weights. It asks the hub when it is shown; nothing is downloaded before the user agrees.

    GUI thread only; the work is done on a worker that a stop ends within a second. Closing the dialog stops the
    download, too; what came is kept, and the next dialog goes on from there.

    Args:
        name: The set: ``kame``, ``moshi`` or ``owner/name``.
        service: Plans and downloads.

    Attributes:
        model: What is shown.

    Signals:
        ready: The weights are in this folder (``Path``): downloaded, or chosen by the user.
        _progressed: Posted by the worker (number of its work, ``Progress``).
        _ended: Posted by the worker (number of its work, ``DownloadPlan``, ``Path`` or ``AppError``).
    """

    ready = Signal(object)
    _progressed = Signal(int, object)
    _ended = Signal(int, object)

    def __init__(self, name: str, service: WeightsService, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = DownloadModel(name)
        self._service = service
        self._flag = CancelFlag()
        self._number = 0
        self._workers: dict[int, threading.Thread] = {}
        self._closing = False
        self._begun = False
        self._build()
        self._progressed.connect(self._on_progressed, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)
        self.main.clicked.connect(self._on_main)
        self.second.clicked.connect(self._on_second)
        self.choose.clicked.connect(self._ask_folder)
        self._show_model()

    # -- building ----

    def _build(self) -> None:
        self.setObjectName("download")
        self.setWindowTitle(self.tr("Download weights"))
        self.setMinimumWidth(600)
        self.title = RoleLabel(role="words", bold=True, parent=self)
        self.what = RoleLabel(colour="muted", parent=self)
        self.what.setWordWrap(True)
        self.facts = PlanFacts(self)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setRange(0, _STEPS)
        self.bar.setAccessibleName(self.tr("Download"))
        self.status = ElidedLabel(colour="muted", parent=self)
        self.problem = ProblemLine(self)
        self.choose = QPushButton(self.tr("Choose a folder instead…"), self)
        self.choose.setToolTip(self.tr("Use weights that are on this computer: a folder with a config.json"))
        self.choose.setAutoDefault(False)
        self.second = QPushButton(self)
        self.second.setAutoDefault(False)
        self.main = QPushButton(self)
        self.main.setObjectName("primary")
        self.main.setDefault(True)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.choose)
        row.addStretch(1)
        row.addWidget(self.second)
        row.addWidget(self.main)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addWidget(self.title)
        column.addWidget(self.what)
        column.addWidget(self.facts)
        column.addWidget(self.bar)
        column.addWidget(self.status)
        column.addWidget(self.problem)
        column.addStretch(1)
        column.addLayout(row)

    # -- what the user does ----

    def showEvent(self, event: QShowEvent) -> None:
        """Ask the hub as soon as the dialog is there."""
        super().showEvent(event)
        if not self._begun:
            self._begun = True
            self._ask_hub()

    def _on_main(self) -> None:
        match self.model.action:
            case Action.DOWNLOAD | Action.RESUME | Action.TAKE:
                self._download()
            case Action.RETRY if self.model.plan is not None and self.model.plan.fits:
                self._download()
            case Action.RETRY:
                self._ask_hub()
            case Action.FINISH:
                self.accept()

    def _on_second(self) -> None:
        if self.model.can_stop:
            self.stop()
        else:
            self.reject()

    def stop(self) -> None:
        """Stop the work; it can be resumed."""
        if self.model.busy:
            self.model.stop()
            self._flag.cancel()
            self._show_model()

    def reject(self) -> None:
        """Close, once nothing runs any more."""
        self._closing = True
        self.stop()
        if not self._workers:
            super().reject()

    def use_folder(self, path: Path) -> None:
        """Take the weights of a folder, if they are there."""
        self._flag.cancel()
        self.model.look()
        self._run(lambda flag: self._service.folder(path))

    def _ask_folder(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose the folder of the weights"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda path: self.use_folder(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _ask_hub(self) -> None:
        self.model.ask()
        self._run(lambda flag: self._service.plan(self.model.name, flag))

    def _download(self) -> None:
        plan = self.model.plan
        if plan is None:
            return
        self.model.begin()
        number = self._number + 1

        def tell(progress: Progress) -> None:
            with contextlib.suppress(RuntimeError):  # the window is gone
                self._progressed.emit(number, progress)

        self._run(lambda flag: self._service.get(plan, tell, flag))

    # -- the worker ----

    def _run(self, work: Callable[[CancelFlag], object]) -> None:
        """Do ``work`` on a worker; what an earlier one still brings is not listened to."""
        self._number += 1
        number, flag = self._number, CancelFlag()
        self._flag = flag

        def run() -> None:
            try:
                result = work(flag)
            except Exception as error:  # noqa: BLE001 - shown in the dialog
                result = as_app_error(error, "weights")
            with contextlib.suppress(RuntimeError):  # the window is gone
                self._ended.emit(number, result)

        self._workers[number] = threading.Thread(target=run, name="weights", daemon=True)
        self._workers[number].start()
        self._show_model()

    def _on_progressed(self, number: int, progress: Progress) -> None:
        if number == self._number:
            self.model.progressed(progress)
            self._show_progress()

    def _on_ended(self, number: int, result: object) -> None:
        worker = self._workers.pop(number, None)
        if worker is not None:
            worker.join(STOP_LIMIT_S)  # it has nothing left to do
        if number == self._number:
            self._take(result)
        if self._closing and not self._workers:
            super().reject()

    def _take(self, result: object) -> None:
        chosen = self.model.state is DownloadState.LOOKING
        match result:
            case DownloadPlan():
                self.model.planned(result)
            case Path():
                self.model.done(result)
            case Cancelled():
                self.model.stopped()
            case AppError():
                self.model.failed(result)
        self._show_model()
        if isinstance(result, Path):
            self.ready.emit(result)
            if chosen:
                self.accept()

    def shut_down(self) -> None:
        """The window closes: end what runs, blocking for at most ``STOP_LIMIT_S``."""
        self._flag.cancel()
        self._number += 1
        for worker in self._workers.values():
            worker.join(STOP_LIMIT_S)
        self._workers.clear()

    # -- showing ----

    def _show_model(self) -> None:
        model = self.model
        plan = model.plan
        done = model.state is DownloadState.DONE
        title = self.tr("The “{name}” weights are ready") if done else self.tr("Download the “{name}” weights?")
        if model.state in (DownloadState.GETTING, DownloadState.STOPPING):
            title = self.tr("Downloading the “{name}” weights")
        self.title.setText(title.format(name=model.name))
        self.what.setText(translated(plan.what) if plan is not None else "")
        self.what.setVisible(bool(self.what.text()))
        self.facts.show_plan(plan)
        self.facts.setVisible(plan is not None or model.state is DownloadState.ASKING)
        self.problem.show_problem(model.problem)
        self.choose.setEnabled(model.can_choose)
        self.choose.setVisible(not done)
        self.second.setText(self._second_text())
        self.second.setEnabled(model.state is not DownloadState.STOPPING)
        self.second.setVisible(not done)
        self.main.setText(self._main_text())
        self.main.setEnabled(model.action is not Action.WAIT)
        self.main.setVisible(model.state not in (DownloadState.GETTING, DownloadState.STOPPING))
        (self.main if self.main.isEnabled() else self.second).setFocus()
        self._show_progress()

    def _show_progress(self) -> None:
        fraction = self.model.fraction
        self.bar.setVisible(fraction is not None)
        self.bar.setValue(round((fraction or 0.0) * _STEPS))
        self.status.setText(self._status_text())
        self.status.setVisible(bool(self.status.text()))

    def _second_text(self) -> str:
        if self.model.can_stop or self.model.state is DownloadState.STOPPING:
            return self.tr("Stop")
        return self.tr("Later") if self.model.state is DownloadState.STOPPED else self.tr("Cancel")

    def _main_text(self) -> str:
        left = size_text(self.model.left_bytes)
        match self.model.action:
            case Action.DOWNLOAD:
                return self.tr("Download {size}").format(size=left)
            case Action.RESUME:
                return self.tr("Resume, {size} left").format(size=left)
            case Action.TAKE:
                return self.tr("Use them")
            case Action.RETRY:
                return self.tr("Try again")
            case Action.FINISH:
                return self.tr("Done")
            case _:
                return self.tr("Download")

    def _status_text(self) -> str:
        model = self.model
        match model.state:
            case DownloadState.ASKING:
                return self.tr("Asking the model hub…")
            case DownloadState.LOOKING:
                return self.tr("Looking into the folder…")
            case DownloadState.STOPPING:
                return self.tr("Stopping…")
            case DownloadState.DONE:
                return self.tr("Everything is here, and its checksums are the ones that the hub states.")
            case _:
                pass
        if model.plan is None or model.fraction is None:
            return ""
        parts = [
            self.tr("{done} of {total}").format(
                done=size_text(model.present_bytes), total=size_text(model.plan.total_bytes)
            )
        ]
        progress = model.progress
        if model.state is DownloadState.GETTING and progress is not None:
            if model.checking:
                parts.append(self.tr("checking what is here"))
            elif progress.rate > 0:
                parts.append(rate_text(progress.rate))
                left_s = progress.left_s
                if left_s is not None and left_s < 360_000:
                    parts.append(self.tr("{time} left").format(time=translated(duration_text(left_s))))
            else:
                parts.append(self.tr("waiting for the hub"))
        elif model.state in (DownloadState.STOPPED, DownloadState.FAILED):
            parts.append(self.tr("kept for later"))
        elif model.state is DownloadState.CONSENT:
            parts.append(self.tr("here already"))
        return " · ".join(parts)
