"""The window: controls above, the state, three live columns, and the numbers below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QFrame, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import AppError, ErrorCategory
from kame_desktop.core.events import Event, SessionState, SessionStateChanged
from kame_desktop.core.settings import SettingsStore
from kame_desktop.session.services import Services, SessionRequest
from kame_desktop.ui.controller import SessionController
from kame_desktop.ui.icons import app_icon
from kame_desktop.ui.rows import Phase
from kame_desktop.ui.sources import MICROPHONE, Source, sample_sources
from kame_desktop.ui.view_models import ConversationModel
from kame_desktop.ui.widgets.control_bar import ControlBar
from kame_desktop.ui.widgets.conversation_view import ColumnHeads, ConversationView
from kame_desktop.ui.widgets.download_dialog import DownloadDialog
from kame_desktop.ui.widgets.empty_state import EmptyState
from kame_desktop.ui.widgets.error_bar import ErrorBar
from kame_desktop.ui.widgets.labels import RoleLabel
from kame_desktop.ui.widgets.model_dialog import ModelDialog
from kame_desktop.ui.widgets.state_line import FootLine, StateLine


class MainWindow(QMainWindow):
    """Shows a ``ConversationModel`` and turns what the user does into calls of the ``SessionController``.

    Attributes:
        model: What is shown.
        controller: Owns the session.
    """

    def __init__(self, services: Services, store: SettingsStore) -> None:
        super().__init__()
        self._services = services
        self._store = store
        self._closing = False
        self._samples = sample_sources(services.sample_questions())
        self._microphone_problem = services.microphone_problem()
        works_at_once = self._microphone_problem is None or not self._samples
        self._source = MICROPHONE if works_at_once else self._samples[0]
        self._engine = self._remembered_engine()
        self._llms = list(services.llm_models())
        self._llm = self._remembered_model()
        self.model = ConversationModel()
        self.controller = SessionController(services, self)
        self._download: DownloadDialog | None = None
        self._build()
        self._connect()
        self._fill()
        if store.warning:
            self.model.errors.add("settings", ErrorCategory.BAD_INPUT.value, store.warning, "")
        self._show_all()

    # -- building ----

    def _build(self) -> None:
        self.setWindowTitle("Kame Desktop")
        self.setWindowIcon(app_icon())
        self.setMinimumSize(760, 520)
        screen = QGuiApplication.primaryScreen().availableGeometry()
        self.resize(min(1220, screen.width() - 40), min(780, screen.height() - 60))
        self.controls = ControlBar(self)
        self.state_line = StateLine(self)
        self.error_bar = ErrorBar(self)
        self.heads = ColumnHeads(self)
        self.conversation = ConversationView(self)
        self.empty = EmptyState(self)
        self.foot = FootLine(self)
        self._stack = QStackedWidget(self)
        self.waiting = RoleLabel(role="words", colour="muted", parent=self)
        self.waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.waiting.setWordWrap(True)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.waiting)
        self._stack.addWidget(self.conversation)
        panel = QFrame(self)
        panel.setObjectName("panel")
        inside = QVBoxLayout(panel)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.setSpacing(0)
        inside.addWidget(self.heads)
        inside.addWidget(self._stack, 1)
        middle = QVBoxLayout()
        middle.setContentsMargins(16, 0, 16, 0)
        middle.setSpacing(0)
        middle.addWidget(self.error_bar)
        middle.addWidget(panel, 1)
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

    def _connect(self) -> None:
        self.controller.began.connect(self._on_began)
        self.controller.events.connect(self._on_events)
        self.controller.changed.connect(self._on_changed)
        self.controller.failed.connect(self._on_failed)
        self.controller.over.connect(self._on_over)
        self.controls.toggled.connect(self.toggle)
        self.controls.source_chosen.connect(self.choose_source)
        self.controls.file_wanted.connect(self._ask_file)
        self.controls.engine_chosen.connect(self.choose_engine)
        self.controls.model_chosen.connect(self.choose_model)
        self.controls.other_wanted.connect(self._ask_model)
        self.controls.menu_wanted.connect(self._look_for_microphone)
        self.controls.copy_wanted.connect(self._copy)
        self.controls.quit_wanted.connect(self.close)
        self.empty.chosen.connect(self.begin)
        self.state_line.fresh_start_wanted.connect(self.controller.fresh_start)
        self.error_bar.dismissed.connect(self._on_dismissed)
        self.conversation.inset_changed.connect(self.heads.set_right_inset)

    def _fill(self) -> None:
        self.controls.show_engines(self._services.engines(), self._engine)
        self.controls.show_models(self._llms, self._llm)
        self._show_sources()

    def _remembered_engine(self) -> str:
        """The engine of the settings if this installation has it, else the first there is."""
        names = [info.name for info in self._services.engines()]
        wanted = self._store.settings.engine
        return wanted if wanted in names or not names else names[0]

    def _remembered_model(self) -> LlmModel | None:
        """The model of the settings, else the first there is."""
        wanted = self._store.settings.llm
        known = {model.name for model in self._llms}
        for name in [*wanted.custom_models, wanted.model]:
            if name not in known:
                try:
                    model = self._services.resolve_llm(name, wanted.api_base)
                except AppError:
                    continue  # a name of another installation; the list shows what there is
                self._llms.append(model)
                known |= {name, model.name}
        for model in self._llms:
            if model.name == wanted.model:
                return model
        return self._llms[0] if self._llms else None

    # -- what the user does ----

    @Slot()
    def toggle(self) -> None:
        """Start, or stop what is running."""
        if self.controller.active:
            self.controller.stop()
        else:
            self.begin(self._source)

    @Slot(object)
    def begin(self, source: Source) -> None:
        """Begin a new conversation with this input."""
        self._source = source
        self._show_sources()
        if self._llm is None:
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
            self._get_weights(weights)
            return
        self.controller.start(
            SessionRequest(engine=self._engine, llm=self._llm, wav=source.wav, monitor=source.wav is not None)
        )

    @Slot(object)
    def choose_source(self, source: Source) -> None:
        """Listen to something else: a recording is asked at once, the microphone waits for Start."""
        if source.wav is not None or self.controller.active:
            self.begin(source)
        else:
            self._source = source
            self._show_sources()

    @Slot(str)
    def choose_engine(self, name: str) -> None:
        """Use another engine; a running conversation begins anew."""
        if name == self._engine:
            return
        self._engine = name
        self._store.settings.engine = name
        self._save()
        if self.controller.active:
            self.begin(self._source)

    @Slot(object)
    def choose_model(self, model: LlmModel) -> None:
        """Use another language model, at once."""
        self._llm = model
        self._store.settings.llm.model = model.name
        if model.api_base is not None:
            self._store.settings.llm.api_base = model.api_base
        self._save()
        self.controller.switch_llm(model)

    def _use_other(self, model: LlmModel) -> None:
        if all(known.name != model.name for known in self._llms):
            customs = self._store.settings.llm.custom_models
            self._store.settings.llm.custom_models = [*customs, model.name]
        self._llms = [known for known in self._llms if known.name != model.name] + [model]
        self.controls.show_models(self._llms, model)
        self.choose_model(model)

    def _ask_model(self) -> None:
        dialog = ModelDialog(self._services.resolve_llm, self._store.settings.llm.api_base, self)
        dialog.chosen.connect(self._use_other)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _get_weights(self, name: str) -> None:
        """Ask whether the engine's weights may be downloaded; the conversation begins when they are there."""
        if self._download is not None:
            self._download.raise_()
            return
        dialog = DownloadDialog(name, self._services.weights(), self)
        dialog.ready.connect(self._on_weights)
        dialog.finished.connect(self._on_download_closed)
        self._download = dialog
        dialog.open()

    def _on_weights(self, folder: Path) -> None:
        if self._services.weights_to_get(self._engine) is not None:  # a folder of the user's own, not the cache
            checkpoints = {**self._store.settings.checkpoints, self._engine: str(folder)}
            self._store.settings.checkpoints = checkpoints
            self._save()
        self.begin(self._source)

    def _on_download_closed(self) -> None:
        dialog, self._download = self._download, None
        if dialog is not None:
            dialog.deleteLater()

    def _ask_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Open a spoken question"), filter=self.tr("Sound files (*.wav)"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.choose_source(Source(Path(path))))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _look_for_microphone(self) -> None:
        problem = self._services.microphone_problem()
        if problem != self._microphone_problem:
            self._microphone_problem = problem
            self._show_sources()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.model.as_text())

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

    def _on_began(self) -> None:
        self.model.reset()
        self.conversation.clear()
        self._show_all()

    def _on_events(self, batch: Sequence[Event]) -> None:
        changes = self.model.apply(batch)
        self.conversation.show_changes(self.model, changes)
        self._show_all()

    def _on_changed(self) -> None:
        self.controls.show_state(running=self.controller.active, stopping=self.controller.stopping)

    def _on_over(self) -> None:
        if self.model.session_state not in (SessionState.IDLE, SessionState.FAILED):
            self._on_events([SessionStateChanged(at_ms=self.model.now_ms, state=SessionState.IDLE)])
        if self._closing:
            self.close()
            return
        self._look_for_microphone()
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

    def _show_sources(self) -> None:
        self.controls.show_sources(self._samples, self._microphone_problem, self._source)
        self.empty.show_choices(self._samples, self._microphone_problem)

    def _show_all(self) -> None:
        model = self.model
        self.state_line.show_model(model)
        self.foot.show_model(model)
        self.error_bar.show_errors(model.errors.shown)
        self.heads.input_level.set_level(model.health.input_dbfs)
        self.heads.output_level.set_level(model.health.output_dbfs)
        if self.conversation.rows:
            self._stack.setCurrentWidget(self.conversation)
        elif self.controller.active:
            self.waiting.setText(self._what_to_do_now())
            self._stack.setCurrentWidget(self.waiting)
        else:
            self._stack.setCurrentWidget(self.empty)

    def _what_to_do_now(self) -> str:
        phase = self.model.phase
        if phase in (Phase.STOPPING, Phase.FAILED):
            return ""
        if phase in (Phase.IDLE, Phase.LOADING):
            return self.tr("Getting ready. This takes a few seconds.")
        if self._source.wav is not None:
            return self.tr("The recorded question is being played to the assistant.")
        return self.tr("Go ahead, ask something.")

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the session first; the window closes by itself when nothing of it is left."""
        if self._download is not None:
            self._download.shut_down()
        if not self.controller.active:
            event.accept()
            return
        event.ignore()
        self._closing = True
        self.controller.stop()
