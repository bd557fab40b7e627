"""The window: controls above, the state, three live columns, and the numbers below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from kame_desktop.audio.base import AudioControls
from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import AppError, BadInputError, ErrorCategory
from kame_desktop.core.events import Event, RecordingChanged, SessionState, SessionStateChanged
from kame_desktop.core.settings import SettingsStore
from kame_desktop.session.services import Services, SessionRequest
from kame_desktop.ui.background import Background
from kame_desktop.ui.controller import SessionController
from kame_desktop.ui.conversation_page import ConversationPage
from kame_desktop.ui.crash_notice import CrashBar, CrashWatch
from kame_desktop.ui.global_key import GlobalKey, GlobalTalkKey, make_global_key
from kame_desktop.ui.icons import app_icon
from kame_desktop.ui.input_choice import InputChoice
from kame_desktop.ui.llm_chooser import LlmChooser
from kame_desktop.ui.presenter import Presenter
from kame_desktop.ui.replay.controller import ReplayController
from kame_desktop.ui.rows import Phase
from kame_desktop.ui.sound_controls import SoundControls, TalkKey
from kame_desktop.ui.sources import Source
from kame_desktop.ui.view_models import ConversationModel
from kame_desktop.ui.widgets.activity_drawer import ActivityDrawer
from kame_desktop.ui.widgets.control_bar import ControlBar
from kame_desktop.ui.widgets.error_bar import ErrorBar
from kame_desktop.ui.widgets.state_line import FootLine, StateLine
from kame_desktop.ui.window_actions import WindowActions
from kame_desktop.ui.window_dialogs import WindowDialogs
from kame_desktop.ui.window_look import WindowLook

if TYPE_CHECKING:
    from kame_desktop.ui.setup_page import SetupPage


class MainWindow(QMainWindow):
    """Shows a ``ConversationModel`` and turns what the user does into calls of the ``SessionController``.

    Attributes:
        page: The columns and the timeline.
        controller: Owns the session.
        input: What is listened to.
        look: How the window is laid out.
        llms: The language models to choose from, and the one in use.
        sound: What the user has set for the sound.
    """

    def __init__(
        self,
        services: Services,
        store: SettingsStore,
        before: MainWindow | None = None,
        *,
        global_key: Callable[[], GlobalKey] = make_global_key,
    ) -> None:
        """``before``: a window without a session that this one takes the place of; its conversation is shown on."""
        super().__init__()
        self._services = services
        self._store = store
        self._closing = False
        self._engine = self._remembered_engine()
        self.controller = SessionController(services, self)
        self.sound = SoundControls(store, self)
        self._talk_key = TalkKey(self, self.sound)
        self._global_key = GlobalTalkKey(self.sound, store, global_key, self)
        self._background = Background("window-background", self)
        self.llms = LlmChooser(services, store.settings.llm, self._background, self)
        self.dialogs = WindowDialogs(services, store, self)
        self._setup: SetupPage | None = None
        self._crashes: CrashWatch | None = None
        self._build(before)
        self.input = InputChoice(services, store, self._background, self.controls, self.empty, self)
        self.look = WindowLook(self, store, self.page, self.presenter, self.actions_)
        self.replay = ReplayController(self.page, services, self)
        self._connect()
        self._watch_crashes()
        self._fill()
        if before is not None:
            self.input.use(before.input.source)
            self.sound.set_muted(before.sound.controls.muted)
        elif store.warning:
            self.model.errors.add("settings", ErrorCategory.BAD_INPUT.value, store.warning, "")
        self._show_all()

    # -- building ----

    @property
    def model(self) -> ConversationModel:
        """The conversation as it is."""
        return self.page.model

    def _build(self, before: MainWindow | None) -> None:
        self.setWindowTitle("Kame Desktop")
        self.setWindowIcon(app_icon())
        self.setMinimumSize(760, 520)
        screen = QGuiApplication.primaryScreen().availableGeometry()
        self.resize(min(1220, screen.width() - 40), min(780, screen.height() - 60))
        self.actions_ = WindowActions(self)
        self.controls = ControlBar(self)
        self.controls.set_menu(self.actions_.menu)
        self.state_line = StateLine(self)
        self.crash_bar = CrashBar(self._services, self)
        self.error_bar = ErrorBar(self)
        self.page = ConversationPage(self, before.page if before is not None else None)
        self.heads, self.conversation, self.empty = self.page.heads, self.page.conversation, self.page.empty
        self.foot = FootLine(self)
        self.activity = ActivityDrawer(self)
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.activity)
        self.activity.hide()
        middle = QVBoxLayout()
        middle.setContentsMargins(16, 0, 16, 0)
        middle.setSpacing(0)
        middle.addWidget(self.crash_bar)
        middle.addWidget(self.error_bar)
        middle.addWidget(self.page, 1)
        page = QWidget(self)
        page.setObjectName("page")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        column.addWidget(self.state_line)
        column.addLayout(middle, 1)
        column.addWidget(self.foot)
        self.setCentralWidget(page)
        self.presenter = Presenter(self, [self.controls, self.state_line, self.foot, self.activity])
        leave = QShortcut(QKeySequence("Esc"), self, self._on_escape)
        leave.setEnabled(False)  # Escape belongs to fields and menus otherwise
        self.presenter.changed.connect(leave.setEnabled)
        self.presenter.changed.connect(lambda _: self._show_state_line())

    def _connect(self) -> None:
        self.controller.began.connect(self._on_began)
        self.controller.events.connect(self._on_events)
        self.controller.changed.connect(self._on_changed)
        self.controller.failed.connect(self._on_failed)
        self.controller.over.connect(self._on_over)
        self.controls.toggled.connect(self.toggle)
        self.controls.source_chosen.connect(self.choose_source)
        self.controls.file_wanted.connect(self.dialogs.ask_file)
        self.controls.engine_chosen.connect(self.choose_engine)
        self.controls.model.chosen.connect(self.llms.use)
        self.controls.model.other_wanted.connect(self.dialogs.ask_model)
        self.controls.model.keys_wanted.connect(lambda: self.dialogs.show_settings("models"))
        self.controls.model.key_wanted.connect(self.dialogs.show_keys)
        self.input.changed.connect(self._on_input_changed)
        self.look.changed.connect(self._save)
        self.dialogs.settings_changed.connect(self._take_settings)
        self.dialogs.model_chosen.connect(self._use_model)
        self.dialogs.file_chosen.connect(lambda path: self.choose_source(Source(path)))
        self.dialogs.weights_ready.connect(self._on_weights)
        self.llms.listed.connect(self._show_models)
        self.llms.switched.connect(self._on_switched)
        self.sound.changed.connect(self._on_sound)
        self._global_key.failed.connect(self._complain)
        self.heads.microphone.mute_wanted.connect(self.sound.set_muted)
        self.heads.microphone.held.connect(self.sound.hold)
        self.heads.volume.volume_wanted.connect(self.sound.set_volume)
        self.heads.volume.settled.connect(self._save)
        self.empty.chosen.connect(self.begin)
        self.state_line.fresh_start_wanted.connect(self.controller.fresh_start)
        self.error_bar.dismissed.connect(self._on_dismissed)
        self._connect_actions()

    def _connect_actions(self) -> None:
        actions = self.actions_
        actions.open_file.connect(self.dialogs.ask_file)
        actions.copy.connect(self._copy)
        actions.find.connect(self.page.search_bar.open_search)
        actions.show_settings.connect(self.dialogs.show_settings)
        actions.present.connect(self.presenter.toggle)
        actions.compare.connect(self._show_compare)
        actions.check_system.connect(lambda: self.dialogs.check_system(lambda: not self.controller.active))
        actions.quit.connect(self.close)
        actions.show_activity.connect(self.activity.setVisible)
        self.activity.visibilityChanged.connect(lambda _: actions.activity.setChecked(not self.activity.isHidden()))
        actions.speculate.connect(self._set_speculation)
        actions.record.connect(self._set_recording)
        self.state_line.recording_unwanted.connect(lambda: self._set_recording(False))
        actions.pause.connect(lambda: self.replay.toggle() if self.replay.active else self.page.toggle_pause())
        actions.open_recording.connect(self.dialogs.ask_recording)
        actions.history.connect(self.dialogs.show_history)
        self.dialogs.recording_chosen.connect(self.open_recording)
        self.replay.failed.connect(self._complain)
        self.replay.opened.connect(lambda _: self._show_all())
        self.replay.closed.connect(self._show_all)
        self.page.moment_shown.connect(lambda _: self._show_state_line())
        actions.answer_before.connect(lambda: self.conversation.step_answer(-1))
        actions.answer_after.connect(lambda: self.conversation.step_answer(1))

    def _watch_crashes(self) -> None:
        care = self._services.crash_care()
        if care is None:
            return
        self._crashes = CrashWatch(care.log, self)
        self._crashes.crashed.connect(self.crash_bar.show_crash)
        if care.last_run is not None:
            self.crash_bar.show_last_run(care.last_run)

    def _fill(self) -> None:
        self.controls.show_engines(self._services.engines(), self._engine)
        self._show_models()
        self.input.show()
        self._take_settings()
        self.look.restore()

    def _remembered_engine(self) -> str:
        """The engine of the settings if this installation has it, else the first there is."""
        names = [info.name for info in self._services.engines()]
        wanted = self._store.settings.engine
        return wanted if wanted in names or not names else names[0]

    # -- what the user does ----

    def _on_escape(self) -> None:
        """The innermost first: the search, then presenter mode."""
        if self.page.search_bar.isVisible():
            self.page.search_bar.close_search()
        else:
            self.presenter.leave()

    @Slot()
    def toggle(self) -> None:
        """Start, or stop what is running."""
        if self.controller.active:
            self.controller.stop()
        else:
            self.begin(self.input.source)

    @Slot(object)
    def begin(self, source: Source) -> None:
        """Begin a new conversation with this input."""
        self._on_set_up()
        self.input.use(source)
        if self.llms.model is None:
            self._complain(
                AppError("There is no language model to ask.", "Choose “Other…” and name one.", component="llm")
            )
            return
        problem = self._services.engine_problem(self._engine)
        if problem is not None:
            self._complain(problem)
            return
        weights = self._services.weights_to_get(self._engine)
        if weights is not None:
            self.dialogs.get_weights(weights)
            return
        self.dialogs.end_comparison()
        self.controller.start(
            SessionRequest(engine=self._engine, llm=self.llms.model, wav=source.wav, monitor=source.wav is not None)
        )

    @Slot(object)
    def choose_source(self, source: Source) -> None:
        """Listen to something else: a recording is asked at once, the microphone waits for Start."""
        if source.wav is not None or self.controller.active:
            self.begin(source)
        else:
            self.input.use(source)

    @Slot(str)
    def choose_engine(self, name: str) -> None:
        """Use another engine; a running conversation begins anew."""
        if name == self._engine:
            return
        self._engine = name
        self._store.settings.engine = name
        self._save()
        if self.controller.active:
            self.begin(self.input.source)

    def show_setup(self) -> None:
        """The first run: what is worth looking at before the first conversation."""
        from kame_desktop.ui.setup_page import SetupPage

        if self._store.settings.window.set_up or self.controller.active or self._setup is not None:
            return
        self._setup = SetupPage(self._services, self._store, self.page)
        self._setup.finished.connect(self._on_set_up)
        self._setup.settings_wanted.connect(self.dialogs.show_settings)
        self._setup.changed.connect(self._take_settings)
        self.page.show_setup(self._setup)

    def _on_set_up(self) -> None:
        setup, self._setup = self._setup, None
        if setup is None:
            return
        setup.shut_down()
        self._store.settings.window.set_up = True
        self._save()
        self.page.show_setup(None)
        self._show_all()

    def _show_compare(self) -> None:
        """Ask several engines the same question; a running conversation ends."""
        sources = self.input.recorded
        if self.llms.model is None or not sources:
            self._complain(
                AppError("There is no recorded question to compare with.", "Open a WAV first.", component="compare")
            )
            return
        self.controller.stop()
        self.dialogs.compare(sources, self.llms.model)

    def _take_settings(self, section: str = "") -> None:
        """The settings have changed: what can follow at once does."""
        llm = self._store.settings.llm
        self.sound.take_settings()
        self._global_key.take_settings()
        self.heads.volume.show_volume(self.sound.controls.volume)
        self.actions_.speculates.setChecked(llm.speculate)
        self.controller.set_speculation(llm.speculate)
        if section in ("models", "keys"):
            self.llms.refresh()

    def _set_speculation(self, on: bool) -> None:
        self._store.settings.llm.speculate = on
        self._save()
        self.dialogs.refresh_settings()
        self.controller.set_speculation(on)

    def _set_recording(self, on: bool) -> None:
        """Record this conversation (or the next one, which is asked for beforehand)."""
        self.actions_.recording.setChecked(on)
        self.controller.set_recording(on)

    def _use_model(self, model: LlmModel) -> None:
        """Use a model by its name; when its provider has no key yet, that is asked for first."""
        asked = self.llms.choice_of(model)
        if asked.ready:
            self.llms.use(model)
        else:
            self.dialogs.show_keys(asked)

    def _on_input_changed(self) -> None:
        self._save()
        self.dialogs.refresh_settings()

    def _on_sound(self, controls: AudioControls) -> None:
        self.controller.set_controls(controls)
        self._show_sound()

    def _on_switched(self, model: LlmModel) -> None:
        self._save()
        self.dialogs.refresh_settings()
        self.controller.switch_llm(model)

    def _on_weights(self, folder: Path) -> None:
        if self._services.weights_to_get(self._engine) is not None:  # a folder of the user's own, not the cache
            checkpoints = {**self._store.settings.checkpoints, self._engine: str(folder)}
            self._store.settings.checkpoints = checkpoints
            self._save()
        self.begin(self.input.source)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.model.as_text(self.tr("You"), self.tr("Assistant")))

    def _save(self) -> None:
        try:
            self._store.save()
        except OSError:
            self._complain(
                AppError(
                    "The settings could not be saved.",
                    "Check that your settings folder can be written to.",
                    component="settings",
                    category=ErrorCategory.RESOURCE,
                )
            )

    # -- what the session does ----

    def open_recording(self, folder: Path) -> None:
        """Show a recorded conversation."""
        if self.controller.active:
            self._complain(
                BadInputError(
                    "A conversation is running.", "Stop it first, then open the recording.", component="replay"
                )
            )
            return
        self._on_set_up()
        self.replay.open(folder)

    def _on_began(self) -> None:
        self.replay.close()
        self.controller.set_controls(self.sound.controls)
        if self.actions_.recording.isChecked():
            self.controller.set_recording(True)
        self.page.begin()
        self.activity.clear()
        self._show_all()

    def _on_events(self, batch: Sequence[Event]) -> None:
        self.page.take(batch)
        self.activity.show_events(batch)
        if any(isinstance(event, RecordingChanged) for event in batch):
            self.actions_.recording.setChecked(self.model.recording)  # one that can't go on isn't shown as wanted
        self._show_all()

    def _on_changed(self) -> None:
        self.controls.show_state(running=self.controller.active, stopping=self.controller.stopping)

    def _on_over(self) -> None:
        if self.model.session_state not in (SessionState.IDLE, SessionState.FAILED):
            self._on_events([SessionStateChanged(at_ms=self.model.now_ms, state=SessionState.IDLE)])
        if self._closing:
            self.close()
            return
        self.actions_.recording.setChecked(False)  # each conversation is recorded only when that was asked for
        self.input.look_for_microphone()
        self._show_all()

    def _on_failed(self, error: AppError) -> None:
        self._complain(error)

    def _complain(self, error: AppError) -> None:
        self.model.errors.add(error.component, error.category.value, error.what, error.remedy)
        self._show_all()

    def _on_dismissed(self, component: str) -> None:
        self.model.errors.dismiss(component)
        self._show_all()

    # -- showing ----

    def _show_all(self) -> None:
        model = self.model
        self._show_state_line()
        self.foot.show_model(model)
        self.error_bar.show_errors(model.errors.shown)
        self._show_sound()
        self.page.show_state(active=self.controller.active, hint=self._what_to_do_now())

    def _show_state_line(self) -> None:
        model = self.page.moments.shown if self.replay.active else self.model
        self.state_line.show_model(model)
        self.state_line.setVisible(not self.presenter.on or model.recording)  # that it is recorded is never hidden

    def _show_models(self) -> None:
        self.controls.model.show_choices(self.llms.choices, self.llms.model)

    def _show_sound(self) -> None:
        controls = self.sound.controls
        self.heads.microphone.show_state(
            running=self.model.session_state is SessionState.RUNNING,
            muted=controls.muted,
            push_to_talk=controls.push_to_talk,
            closed=self.model.health.microphone_closed,
        )

    def _what_to_do_now(self) -> str:
        phase = self.model.phase
        if phase in (Phase.STOPPING, Phase.FAILED):
            return ""
        if phase in (Phase.IDLE, Phase.LOADING):
            return self.tr("Getting ready. This takes a few seconds.")
        if self.input.source.wav is not None:
            return self.tr("The recorded question is being played to the assistant.")
        return self.tr("Go ahead, ask something.")

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the session first; the window closes by itself when nothing of it is left."""
        self._global_key.close()
        self.dialogs.shut_down()
        self.replay.shut_down()
        self.crash_bar.close_down()
        if self._crashes is not None:
            self._crashes.close()
        if self._setup is not None:
            self._setup.shut_down()
        if not self.controller.active:
            self.look.remember()
            self._background.close()
            event.accept()
            return
        event.ignore()
        self._closing = True
        self.controller.stop()

    def shut_down(self) -> None:
        """The event loop is over: end what is left, blocking for at most the time that a stop takes."""
        self._global_key.close()
        self.controller.shut_down()
        self.replay.shut_down()
        self._background.close()
