"""What can be done with the selected language model."""

from __future__ import annotations

from urllib.parse import urlsplit

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from kame_desktop.backend.llm.base import KeySource, LlmChoice, LlmTest
from kame_desktop.backend.llm.catalog import AUTO_NAME
from kame_desktop.core.errors import AppError
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.settings_dialog.context import Context
from kame_desktop.ui.settings_dialog.parts import Note, Spinner
from kame_desktop.ui.settings_dialog.workers import Job
from kame_desktop.ui.widgets.labels import RoleLabel


class ModelPanel(QFrame):
    """Use, test, give a key, remove. One test at a time; a cancelled one is not listened to.

    Attributes:
        tests: Outcomes so far, by model name.

    Signals:
        use_wanted / key_wanted / remove_wanted: With the ``LlmChoice``.
        tested: ``tests`` changed.
    """

    use_wanted = Signal(object)
    key_wanted = Signal(object)
    remove_wanted = Signal(object)
    tested = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._choice: LlmChoice | None = None
        self._job: Job | None = None
        self._testing = ""
        self.tests: dict[str, LlmTest] = {}
        self.name = RoleLabel(bold=True, parent=self)
        self.name.setWordWrap(True)
        self.about = RoleLabel(role="caption", colour="muted", parent=self)
        self.about.setWordWrap(True)
        self.outcome = Note(parent=self)
        self.use = self._button(self.tr("&Use this model"))
        self.use.setObjectName("primary")
        self.enter_key = self._button(self.tr("Enter &key…"))
        self.test = self._button(self.tr("&Test"))
        self.remove = self._button(self.tr("R&emove"))
        self.spinner = Spinner(self)
        self.use.setToolTip(self.tr("It answers from the next question on"))
        self.enter_key.setToolTip(self.tr("Goes to the keys"))
        self.remove.setToolTip(self.tr("Takes it from the list"))
        self.use.clicked.connect(lambda: self.use_wanted.emit(self._choice))
        self.enter_key.clicked.connect(lambda: self.key_wanted.emit(self._choice))
        self.remove.clicked.connect(lambda: self.remove_wanted.emit(self._choice))
        self.test.clicked.connect(self._on_test)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for widget in (self.use, self.enter_key, self.test, self.spinner):
            buttons.addWidget(widget)
        buttons.addStretch(1)
        buttons.addWidget(self.remove)
        column = QVBoxLayout(self)
        column.setContentsMargins(17, 10, 14, 12)
        column.setSpacing(4)
        column.addWidget(self.name)
        column.addWidget(self.about)
        column.addWidget(self.outcome)
        column.addSpacing(6)
        column.addLayout(buttons)
        self.show_choice(None, in_use=False, own=False)

    def _button(self, text: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        return button

    def show_choice(self, choice: LlmChoice | None, *, in_use: bool, own: bool) -> None:
        """Show the selected model. ``own``: the user added it."""
        self._choice = choice
        self.name.setText(translated(choice.model.label) if choice is not None else self.tr("No model is selected"))
        self.about.setText(self._about(choice) if choice is not None else "")
        self.about.setVisible(choice is not None)
        ready = choice is not None and choice.ready
        self.use.setVisible(choice is None or ready)
        self.use.setEnabled(ready and not in_use)
        self.use.setText(self.tr("In use") if in_use else self.tr("&Use this model"))
        self.enter_key.setVisible(choice is not None and not ready)
        self.remove.setVisible(own)
        self._show_test()

    def _about(self, choice: LlmChoice) -> str:
        model = choice.model
        if model.api_base is not None:
            place = self.tr("Runs at {address}").format(address=urlsplit(model.api_base).netloc)
        elif model.name == AUTO_NAME:
            return self.tr("The rules of the page “Auto” choose a model for each question.")
        elif model.starter:
            place = self.tr("Runs on this computer")
        else:
            place = self.tr("Runs at {name}").format(name=translated(choice.group))
        key = {
            KeySource.NOT_NEEDED: self.tr("no key needed"),
            KeySource.ENVIRONMENT: self.tr("key from the environment"),
            KeySource.KEYRING: self.tr("key from this computer's keyring"),
            KeySource.SESSION: self.tr("key kept until you quit"),
            KeySource.MISSING: self.tr("needs a key"),
        }[choice.key]
        return f"{model.name}  ·  {place}  ·  {key}"

    # -- the test ----

    def _on_test(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._end_test()
            return
        if self._choice is None:
            return
        model, services = self._choice.model, self._context.services
        self.tests.pop(model.name, None)
        self._testing = model.name
        self._job = self._context.worker.submit(
            lambda tell: services.test_llm(model),
            self._on_tested,
            lambda error: self._on_tested(LlmTest(model, error=error)),
        )
        if self._job.over:  # refused at once
            self._job = None
        self._show_test()
        self.tested.emit()

    def _on_tested(self, outcome: LlmTest) -> None:
        self.tests[outcome.model.name] = outcome
        self._end_test()

    def _end_test(self) -> None:
        self._job, self._testing = None, ""
        self._show_test()
        self.tested.emit()

    def _show_test(self) -> None:
        choice = self._choice
        running = self._job is not None
        self.test.setText(self.tr("Cancel &test") if running else self.tr("&Test"))
        askable = choice is not None and choice.ready and choice.model.name != AUTO_NAME
        self.test.setEnabled(running or askable)
        self.test.setToolTip(
            self.tr("Don't wait for the answer any longer")
            if running
            else self.tr("One real call; it may cost a little")
        )
        self.spinner.setVisible(running)
        outcome = self.tests.get(choice.model.name) if choice is not None else None
        if running:
            label = translated(self._context.llms.model(self._testing).label)
            self.outcome.show_note(self.tr("Asking {name}…").format(name=label), "info")
        elif outcome is None:
            self.outcome.show_note("")
        elif outcome.first_token_ms is not None and outcome.error is None:
            words = self.tr("It works: first word after {ms} ms.").format(ms=round(outcome.first_token_ms))
            self.outcome.show_note(words, "check")
        else:
            error = outcome.error or AppError(self.tr("It gave no answer."), self.tr("Try again, or choose another."))
            self.outcome.show_note(str(error), "alert")
