"""Shows a recording in the window's own page: opens it, plays it, puts its questions to other models, closes it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import AppError, as_app_error
from kame_desktop.core.events import Event, SessionState, SessionStateChanged
from kame_desktop.recordings.export.model import facts_of
from kame_desktop.recordings.format import CHANNELS, RecordingError
from kame_desktop.recordings.reader import Recording, open_recording
from kame_desktop.recordings.wav import Pcm16, view_of_nothing
from kame_desktop.session.reask import Reasked, Reasking
from kame_desktop.ui.background import Background
from kame_desktop.ui.conversation_page import ConversationPage
from kame_desktop.ui.replay.export_dialog import ExportDialog
from kame_desktop.ui.replay.history_model import moment_text
from kame_desktop.ui.replay.player import Player
from kame_desktop.ui.replay.replay_bar import ReplayBar
from kame_desktop.ui.replay.services import ReplayServices

_TICK_MS = 33
_ANSWERS_EVERY_MS = 120
_AT_ONCE = 150
_HOLD_S = 0.02
"""So long the window waits at a stretch while a recording is taken in."""
_STOP_S = 2.0


@dataclass(frozen=True, slots=True)
class _Opened:
    """What was read of a recording. Not in its repr: what was said."""

    recording: Recording
    events: list[Event] = field(repr=False)
    sound: Pcm16 = field(repr=False)
    problems: tuple[str, ...] = ()


def _open(path: Path) -> _Opened | AppError:
    """Read a recording. Blocks on the disk."""
    try:
        recording = open_recording(path)
        events = list(recording.events())
        try:
            return _Opened(recording, events, recording.audio(), recording.problems)
        except RecordingError as error:
            return _Opened(recording, events, view_of_nothing(len(CHANNELS)), (*recording.problems, error.what))
    except Exception as error:  # noqa: BLE001 - shown in the window
        return as_app_error(error, "recording")


class ReplayController(QObject):
    """See the module's text. GUI thread; reading happens on a worker, sound and answers on threads of their own.

    Attributes:
        bar: The controls, below the page's timeline.
        recording: What is shown; None: nothing is.

    Signals:
        opened: A recording is shown (``Recording``).
        closed: It is shown no more.
        failed: Something went wrong (``AppError``).
        _told: Posted by the re-asking thread: what came.
        _reasked: Posted by it: the outcome.
    """

    opened = Signal(object)
    closed = Signal()
    failed = Signal(object)
    _told = Signal(object, object)
    _reasked = Signal(object, object)

    def __init__(self, page: ConversationPage, services: ReplayServices, window: QWidget) -> None:
        super().__init__(window)
        self._page = page
        self._services = services
        self._window = window
        self._background = Background("replay-background", self)
        self.bar = ReplayBar(window)
        page.add_bar(self.bar)
        window.installEventFilter(self.bar)
        self.recording: Recording | None = None
        self._opened: _Opened | None = None
        self._to_take: list[Event] = []
        self._taken = 0
        self._player: Player | None = None
        self._ending: list[Player] = []
        self._asking: Reasking | None = None
        self._series = 0
        self._answers: list[Event] = []
        self._export: ExportDialog | None = None
        self._feed = QTimer(self, interval=0)
        self._feed.timeout.connect(self._take_some)
        self._ticks = QTimer(self, interval=_TICK_MS)
        self._ticks.setTimerType(Qt.TimerType.PreciseTimer)
        self._ticks.timeout.connect(self._tick)
        self._flush = QTimer(self, interval=_ANSWERS_EVERY_MS, singleShot=True)
        self._flush.timeout.connect(self._show_answers)
        self._fit = QTimer(self, interval=0, singleShot=True)  # the timeline knows its width by then
        self._fit.timeout.connect(page.timeline.timeline.show_all)
        self._told.connect(self._on_told, Qt.ConnectionType.QueuedConnection)
        self._reasked.connect(self._on_reasked, Qt.ConnectionType.QueuedConnection)
        self._connect()

    def _connect(self) -> None:
        bar = self.bar
        bar.toggled.connect(self.toggle)
        bar.seek_wanted.connect(lambda ms: self._player and self.seek(self._player.start_ms + ms))
        bar.speed_wanted.connect(lambda speed: self._player and self._player.set_speed(speed))
        bar.mute_wanted.connect(lambda muted: self._player and self._player.set_muted(muted))
        bar.reask_wanted.connect(self.reask)
        bar.reask_stopped.connect(self.stop_asking)
        bar.export_wanted.connect(self.export)
        bar.close_wanted.connect(self.close)
        self._page.timeline.timeline.moment_picked.connect(self.seek)
        self._page.moment_shown.connect(self._on_moment_shown)

    @property
    def active(self) -> bool:
        """A recording is shown, or being opened."""
        return self.recording is not None

    @property
    def asking(self) -> bool:
        """Another model is being asked."""
        return self._asking is not None

    @property
    def position_ms(self) -> float | None:
        """Session time that is shown; None: no recording is."""
        return self._player.position_ms if self._player is not None else None

    # Open and close ------------------------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Show the recording in a folder; one that is shown goes when that one has been read."""
        if not self._background.run(lambda: _open(path), self._on_opened):
            self.failed.emit(AppError("Too much is going on at once.", "Wait a moment, then try again."))

    def close(self) -> None:
        """Show no recording; the page is empty then."""
        if self.recording is None:
            return
        self._leave()
        self._page.begin()
        self.closed.emit()

    def _leave(self) -> None:
        """End what goes on; the page keeps what it shows."""
        self.stop_asking()
        for timer in (self._feed, self._ticks, self._fit):
            timer.stop()
        self._to_take = []
        if self._player is not None:
            self._player.end()
            self._ending = [player for player in self._ending if player.alive] + [self._player]
        self._player = self._opened = self.recording = None
        self._page.set_replaying(False)
        self.bar.hide()
        self.bar.set_ready(False)

    def shut_down(self) -> None:
        """The window is closing: end all threads, blocking for at most the time that a loudspeaker takes to close."""
        if self._asking is not None:
            self._asking.stop(_STOP_S)
            self._asking = None
        self._leave()
        for player in self._ending:
            player.close()
        self._ending = []
        self._background.close()
        if self._export is not None:
            self._export.shut_down()

    def _on_opened(self, outcome: _Opened | AppError) -> None:
        if isinstance(outcome, AppError):
            self.failed.emit(outcome)
            return
        self._leave()
        self._opened, self.recording = outcome, outcome.recording
        self._series = 0
        self._to_take, self._taken = [*outcome.events, *_missing_end(outcome)], 0
        self._page.begin()
        self._page.set_replaying(True)
        self._page.show_moment(0.0)  # the columns are left alone while they fill
        self.bar.show_recording(
            _heading(outcome.recording), outcome.recording.duration_ms, outcome.problems[0] if outcome.problems else ""
        )
        self.opened.emit(outcome.recording)
        self._feed.start()

    def _take_some(self) -> None:
        """Take in what happened, a piece at a time, so that the window goes on."""
        until_s = time.perf_counter() + _HOLD_S
        while self._taken < len(self._to_take):
            self._page.take(self._to_take[self._taken : self._taken + _AT_ONCE])
            self._taken += _AT_ONCE
            if time.perf_counter() >= until_s:
                return
        if self._opened is None:
            return
        self._feed.stop()
        self._to_take = []
        recording = self._opened.recording
        start_ms = recording.meta.audio_start_ms
        end_ms = recording.start_ms + recording.duration_ms
        self._player = Player(
            self._opened.sound,
            sound_start_ms=recording.start_ms if start_ms is None else start_ms,
            start_ms=recording.start_ms,
            end_ms=end_ms,
            open_loudspeaker=self._services.loudspeaker,
        )
        self._player.set_muted(self.bar.mute.isChecked())
        self._player.set_speed(self.bar.speed.currentData())
        self._player.seek(end_ms)
        self.bar.set_ready(True)
        self._show_end()
        self._page.show_state(active=False, hint="")
        self._fit.start()
        self._background.run(self._services.llm_choices, self.bar.show_models)

    # Play ----------------------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Play, or pause."""
        player = self._player
        if player is None:
            return
        if player.playing:
            player.pause()
        else:
            player.play()
        self._ticks.start()

    def seek(self, ms: float) -> None:
        """Go to a session time; shown with the next picture."""
        if self._player is not None:
            self._player.seek(ms)
            self._ticks.start()

    def _tick(self) -> None:
        player = self._player
        if player is None:
            return
        playing, position_ms = player.playing, player.position_ms
        if position_ms >= player.end_ms:
            self._show_end()
        elif position_ms != self._page.moments.at_ms:
            self._page.advance(position_ms)
        self.bar.show_position(position_ms - player.start_ms, playing=playing)
        if playing:
            self.bar.show_silent(player.silent, self.tr("Nothing can be heard: no sound, or no loudspeaker."))
        else:
            self._ticks.stop()

    def _show_end(self) -> None:
        """The whole conversation, also what lies further back than the columns look in between."""
        if self._player is None:
            return
        self._page.show_now()
        self._page.timeline.timeline.show_cursor(self._player.end_ms)
        self.bar.show_position(self._player.end_ms - self._player.start_ms, playing=self._player.playing)

    def _on_moment_shown(self, ms: float | None) -> None:
        """Somebody else went to a moment (a search, say)."""
        player = self._player
        if player is not None and ms is not None and abs(ms - player.position_ms) > _TICK_MS * 8 and not player.playing:
            player.seek(ms)
            self._ticks.start()

    # Other models --------------------------------------------------------------------------------------------------

    def reask(self, model: LlmModel) -> None:
        """Put the questions to another model; its answers come beside the others."""
        if self._opened is None or self._asking is not None:
            return
        self._series += 1
        series = self._series

        def tell(events: Sequence[Event]) -> None:
            with contextlib.suppress(RuntimeError):  # the window is gone
                self._told.emit(series, list(events))

        def done(outcome: Reasked | AppError) -> None:
            with contextlib.suppress(RuntimeError):
                self._reasked.emit(series, outcome)

        try:
            self._asking = self._services.reasking(self._opened.events, model, series=series, tell=tell, done=done)
        except AppError as error:
            self.failed.emit(error)
            return
        self.bar.show_asking(model.label)
        self._asking.start()

    def stop_asking(self) -> None:
        """Ask nothing more; what came stays. The thread ends by itself."""
        asking, self._asking = self._asking, None
        if asking is not None:
            self._show_answers()
            self._background.run(lambda: asking.stop(_STOP_S), lambda ended: None)
        self.bar.show_asking("")

    def _on_told(self, series: int, events: list[Event]) -> None:
        if self._asking is None or series != self._series:
            return
        self._answers += events
        if not self._flush.isActive():
            self._flush.start()

    def _show_answers(self) -> None:
        answers, self._answers = self._answers, []
        if answers and self._opened is not None:
            self._page.take_answers(answers)

    def _on_reasked(self, series: int, outcome: Reasked | AppError) -> None:
        if self._asking is None or series != self._series:
            return
        self.stop_asking()
        if isinstance(outcome, AppError):
            self.failed.emit(outcome)
        elif outcome.error is not None:
            error = outcome.error
            self.failed.emit(AppError(error.what, error.remedy, component=error.component))

    # Export --------------------------------------------------------------------------------------------------------

    def export(self) -> None:
        """Ask where to write it, and as what."""
        if self.recording is None:
            return
        dialog = ExportDialog(self.recording.folder, facts_of(self.recording).title, self._window)
        dialog.failed.connect(self.failed)
        dialog.ended.connect(self._on_export_ended)
        self._export = dialog
        dialog.open()

    def _on_export_ended(self) -> None:
        dialog, self._export = self._export, None
        if dialog is not None:
            dialog.deleteLater()


def _missing_end(outcome: _Opened) -> list[Event]:
    """What says that the session is over, if the recording was cut off or stopped before that."""
    states = [event.state for event in outcome.events if isinstance(event, SessionStateChanged)]
    if states and states[-1] in (SessionState.IDLE, SessionState.FAILED):
        return []
    recording = outcome.recording
    return [SessionStateChanged(at_ms=recording.start_ms + recording.duration_ms, state=SessionState.IDLE)]


def _heading(recording: Recording) -> str:
    """Title, date and what spoke, in one line."""
    facts = facts_of(recording)
    when = moment_text(recording.meta.started_at)
    return " · ".join(part for part in (facts.title, when, facts.engine, facts.model) if part)
