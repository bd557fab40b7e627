"""Three seconds of the microphone: how loud, how noisy, and to be heard again."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from kame_desktop.audio.base import MicTestResult
from kame_desktop.core.errors import AppError
from kame_desktop.ui.settings_dialog.context import Context
from kame_desktop.ui.settings_dialog.parts import Note, SettingRow
from kame_desktop.ui.widgets.labels import RoleLabel
from kame_desktop.ui.widgets.level_meter import LevelMeter

_QUIET_DBFS = -120.0


class MicTest(QFrame):
    """Records, shows the level while it does, then says how it was; the recording stays in memory until the next."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._result: MicTestResult | None = None
        self.record = QPushButton(self.tr("&Record 3 seconds"), self)
        self.record.setAutoDefault(False)
        self.record.clicked.connect(self._record)
        self.play = QPushButton(self.tr("Play &back"), self)
        self.play.setAutoDefault(False)
        self.play.setToolTip(self.tr("Hear what was recorded"))
        self.play.setEnabled(False)
        self.play.clicked.connect(self._play)
        self.meter = LevelMeter(self.tr("Microphone level"), self)
        self.meter.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.meter.setMinimumWidth(80)
        side = QWidget(self)
        buttons = QHBoxLayout(side)
        buttons.setContentsMargins(0, 0, 0, 0)
        buttons.setSpacing(8)
        buttons.addWidget(self.record)
        buttons.addWidget(self.play)
        self.row = SettingRow(
            self.tr("Say something as you would to the assistant"),
            side,
            self.tr("It is kept in memory only, until you close this window."),
            self.tr("try record check level noise"),
            buddy=self.record,
            parent=self,
        )
        self.verdict = Note(parent=self)
        self.numbers = RoleLabel(role="caption", colour="muted", parent=self)
        self.numbers.setWordWrap(True)
        self.numbers.hide()
        inside = QVBoxLayout()
        inside.setContentsMargins(17, 0, 14, 14)
        inside.setSpacing(6)
        inside.addWidget(self.meter)
        inside.addWidget(self.verdict)
        inside.addWidget(self.numbers)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.row)
        column.addLayout(inside)

    def _record(self) -> None:
        self._busy(True)
        self.verdict.show_note(self.tr("Recording… speak now."), "info")
        self.numbers.hide()
        services = self._context.services
        self._context.worker.submit(services.test_microphone, self.show_result, self._on_failed, self.meter.set_level)

    def show_result(self, result: MicTestResult) -> None:
        """Say how it was; it can be played back."""
        self._result = result
        self._busy(False)
        self.meter.set_level(_QUIET_DBFS)
        self.verdict.show_note(result.verdict, "info")
        self.numbers.setText(
            self.tr("{name}: voice {level} dBFS, loudest {peak} dBFS, noise {noise} dBFS").format(
                name=result.name,
                level=round(result.level_dbfs),
                peak=round(result.peak_dbfs),
                noise=round(result.noise_dbfs),
            )
        )
        self.numbers.show()

    def _play(self) -> None:
        result = self._result
        if result is None:
            return
        self._busy(True)
        services = self._context.services
        self._context.worker.submit(lambda tell: services.play(result), lambda _: self._busy(False), self._on_failed)

    def _on_failed(self, error: AppError) -> None:
        self._busy(False)
        self.meter.set_level(_QUIET_DBFS)
        self.verdict.show_note(str(error), "alert")

    def _busy(self, busy: bool) -> None:
        self.record.setEnabled(not busy)
        self.play.setEnabled(not busy and self._result is not None)
