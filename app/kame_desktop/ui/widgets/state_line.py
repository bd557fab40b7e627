"""What the session is doing, in words, with the numbers that say how well."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QSizePolicy, QWidget

from kame_desktop.core.events import SessionState
from kame_desktop.ui import theme
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.rows import Phase
from kame_desktop.ui.view_models import ConversationModel
from kame_desktop.ui.widgets.labels import ElidedLabel, RoleLabel


class _Dot(QWidget):
    """A dot in the colour of the state."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.phase = Phase.IDLE
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(12, 12)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(theme.current().phases[self.phase]))
        painter.setPen(QColor(0, 0, 0, 0))
        painter.drawEllipse(self.rect().toRectF().adjusted(1, 1, -1, -1))
        painter.end()


class StateLine(QWidget):
    """The state line.

    Signals:
        fresh_start_wanted: The front end's memory should be cleared.
        recording_unwanted: The recording should end.
    """

    fresh_start_wanted = Signal()
    recording_unwanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stateLine")
        self._dot = _Dot(self)
        self._state = RoleLabel(role="body", bold=True, parent=self)
        self._progress = QProgressBar(self)
        self._progress.setTextVisible(False)
        self._progress.setFixedSize(120, 6)
        self._progress.setAccessibleName(self.tr("Loading"))
        self._progress.hide()
        self._detail = ElidedLabel(role="body", colour="muted", parent=self)
        self._numbers = RoleLabel(role="caption", colour="muted", parent=self)
        self.fresh_start = QPushButton(self.tr("&Fresh start"), self)
        self.fresh_start.setObjectName("inLine")
        self.fresh_start.setToolTip(
            self.tr("The front end's memory is nearly full. A fresh start clears it and keeps the conversation.")
        )
        self.fresh_start.setAccessibleName(self.tr("Fresh start"))
        self.fresh_start.clicked.connect(self.fresh_start_wanted)
        self.fresh_start.hide()
        self.recording = QPushButton(self.tr("● Recording"), self)
        self.recording.setObjectName("recording")
        self.recording.setToolTip(self.tr("This conversation is being recorded. Click to end the recording (Ctrl+R)"))
        self.recording.setAccessibleName(self.tr("Recording; end it"))
        self.recording.clicked.connect(self.recording_unwanted)
        self.recording.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 4, 18, 10)
        row.setSpacing(9)
        row.addWidget(self._dot)
        row.addWidget(self._state)
        row.addWidget(self.recording)
        row.addWidget(self._progress)
        row.addWidget(self._detail, 1)
        row.addWidget(self._numbers)
        row.addWidget(self.fresh_start)

    def sizeHint(self) -> QSize:
        """As high as with every button, so that one that appears moves nothing below."""
        return super().sizeHint().expandedTo(QSize(0, self._full_height()))

    def minimumSizeHint(self) -> QSize:
        """The layout asks for this one first."""
        return super().minimumSizeHint().expandedTo(QSize(0, self._full_height()))

    def _full_height(self) -> int:
        return max(button.sizeHint().height() for button in (self.recording, self.fresh_start)) + 4 + 10

    @property
    def text(self) -> str:
        """The state in words."""
        return self._state.text()

    @property
    def numbers(self) -> str:
        """The lag and the answer time in words."""
        return self._numbers.text()

    def show_model(self, model: ConversationModel) -> None:
        """Show the newest state."""
        phase = model.phase
        text = self._phase_text(phase, model.progress)
        if self._dot.phase is not phase:
            self._dot.phase = phase
            self._dot.update()
        if text != self._state.text():
            self._state.setText(text)
            self.setAccessibleName(self.tr("State: {state}").format(state=text))
        loading = phase is Phase.LOADING
        self._progress.setVisible(loading)
        if loading:
            known = model.progress is not None
            self._progress.setRange(0, 100 if known else 0)
            self._progress.setValue(round(100 * (model.progress or 0.0)))
        self.recording.setVisible(model.recording)
        self._detail.setText(self._detail_text(phase, model))
        self.fresh_start.setVisible(model.health.memory_running_out)
        numbers = self._numbers_text(model)
        if numbers != self._numbers.text():
            self._numbers.setText(numbers)
            self._numbers.setToolTip(
                self.tr(
                    "Lag: how old the newest recognised sound is. First sound: from the end of your speech"
                    " to the first sound of the answer."
                )
            )

    def _phase_text(self, phase: Phase, progress: float | None) -> str:
        if phase is Phase.LOADING and progress is not None:
            return self.tr("Loading {percent} %").format(percent=round(100 * progress))
        return {
            Phase.IDLE: self.tr("Idle"),
            Phase.LOADING: self.tr("Loading"),
            Phase.READY: self.tr("Ready"),
            Phase.LISTENING: self.tr("Listening"),
            Phase.THINKING: self.tr("Thinking"),
            Phase.SPEAKING: self.tr("Speaking"),
            Phase.ORACLE_LATE: self.tr("Oracle late"),
            Phase.OFFLINE: self.tr("Offline"),
            Phase.STOPPING: self.tr("Stopping"),
            Phase.FAILED: self.tr("Failed"),
        }[phase]

    def _detail_text(self, phase: Phase, model: ConversationModel) -> str:
        if model.frames_late:
            return self.tr("This computer fell {ms:.0f} ms behind; sound was skipped to catch up").format(
                ms=model.health.behind_ms
            )
        if phase is Phase.OFFLINE:
            return self.tr("the language model can't be asked; the assistant listens on")
        if phase is Phase.ORACLE_LATE:
            return self.tr("the language model has not answered yet")
        shown = phase in (Phase.LOADING, Phase.READY, Phase.STOPPING, Phase.FAILED)
        return translated(model.detail) if shown else ""

    def _numbers_text(self, model: ConversationModel) -> str:
        parts: list[str] = []
        if model.session_state is SessionState.RUNNING:
            parts.append(_clock(model.now_ms))
        if model.health.hearing_lag_ms is not None:
            parts.append(self.tr("lag {ms:.0f} ms").format(ms=model.health.hearing_lag_ms))
        if model.health.response_ms is not None:
            parts.append(self.tr("first sound after {ms:.0f} ms").format(ms=model.health.response_ms))
        if model.health.memory_limit_ms is not None:
            used, limit = _clock(model.health.memory_used_ms), _clock(model.health.memory_limit_ms)
            parts.append(self.tr("memory {used} of {limit}").format(used=used, limit=limit))
        return "   ·   ".join(parts)

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        self.update()


def _clock(ms: float) -> str:
    """Minutes and seconds."""
    minutes, seconds = divmod(round(ms / 1e3), 60)
    return f"{minutes}:{seconds:02}"


class FootLine(QWidget):
    """Engine room: frame timing on the left, what the language model has cost on the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footLine")
        self._timing = ElidedLabel(role="caption", colour="muted", parent=self)
        self._usage = RoleLabel(role="caption", colour="muted", parent=self)
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 8, 18, 9)
        row.addWidget(self._timing, 1)
        row.addWidget(self._usage)

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self._timing.text()} {self._usage.text()}"

    def show_model(self, model: ConversationModel) -> None:
        """Show the newest numbers."""
        self._timing.setText("   ·   ".join(self._timing_parts(model)))
        usage = self._usage_text(model)
        if usage != self._usage.text():
            self._usage.setText(usage)
            self._usage.setToolTip(self._usage_tip(model))

    def _timing_parts(self, model: ConversationModel) -> list[str]:
        health = model.health
        parts: list[str] = []
        if health.frame_p95_ms is not None:
            parts.append(self.tr("frame {ms:.1f} of 80 ms (p95)").format(ms=health.frame_p95_ms))
            parts.append(self.tr("{count} late").format(count=health.late_frames))
        if health.dropped_stt_frames:
            parts.append(self.tr("{count} frames not heard").format(count=health.dropped_stt_frames))
        if health.audio_glitches:
            gaps = health.audio_glitches
            parts.append(self.tr("1 sound gap") if gaps == 1 else self.tr("{count} sound gaps").format(count=gaps))
        if health.input_name:
            parts.append(f"{health.input_name} → {health.output_name}" if health.output_name else health.input_name)
        return parts

    def _usage_text(self, model: ConversationModel) -> str:
        usage = model.usage
        if usage is None:
            return ""
        requests = self.tr("1 request") if usage.calls == 1 else self.tr("{n} requests").format(n=usage.calls)
        tokens = self.tr("{n:,} tokens").format(n=usage.prompt_tokens + usage.completion_tokens)
        cost = self._cost_text(usage.cost_usd, usage.unpriced_calls)
        if usage.budget_usd is not None:
            cost = self.tr("{cost} of ${budget:.2f}").format(cost=cost, budget=usage.budget_usd)
        parts = [requests, tokens, cost]
        if usage.today_calls > usage.calls:
            parts.append(
                self.tr("today {cost}").format(cost=self._cost_text(usage.today_cost_usd, usage.today_unpriced_calls))
            )
        if not usage.speculating:
            parts.append(self.tr("finished sentences only"))
        return "   ·   ".join(parts)

    def _usage_tip(self, model: ConversationModel) -> str:
        usage = model.usage
        if usage is None:
            return ""
        return self.tr("Today: {calls:,} requests, {tokens:,} tokens, {cost} (prices are estimates)").format(
            calls=usage.today_calls,
            tokens=usage.today_prompt_tokens + usage.today_completion_tokens,
            cost=self._cost_text(usage.today_cost_usd, usage.today_unpriced_calls),
        )

    def _cost_text(self, cost_usd: float | None, unpriced_calls: int) -> str:
        if cost_usd is None:
            return self.tr("cost unknown")
        if unpriced_calls:
            return self.tr("at least ${cost:.4f}").format(cost=cost_usd)
        return self.tr("free") if cost_usd == 0 else f"${cost_usd:.4f}"
