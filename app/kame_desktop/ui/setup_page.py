"""The first run: four things worth looking at, none of them a must."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from kame_desktop.core.settings import SettingsStore
from kame_desktop.session.services import Services
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.settings_dialog.context import Context, LlmList
from kame_desktop.ui.settings_dialog.mic_test import MicTest
from kame_desktop.ui.settings_dialog.parts import Card, Note, SettingRow, Switch
from kame_desktop.ui.settings_dialog.workers import Worker
from kame_desktop.ui.widgets.labels import RoleLabel

_WIDEST = 720


class SetupPage(QWidget):
    """Microphone, headphones, engine and language model. GUI thread; what blocks runs on a worker that ends with it.

    Signals:
        finished: The user has seen it.
        settings_wanted: Show this page of the settings.
        changed: A section of the settings was changed.
    """

    finished = Signal()
    settings_wanted = Signal(str)
    changed = Signal(str)

    def __init__(self, services: Services, store: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._store = store
        self._worker = Worker(self)
        context = Context(
            services=services,
            store=store,
            worker=self._worker,
            llms=LlmList(services, self._worker, self),
            changed=self.changed.emit,
            use_model=lambda model: None,
            show_page=lambda page, item: self.settings_wanted.emit(page),
        )
        self.setObjectName("setupPage")
        self.area = QScrollArea(self)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget(self.area)
        page.setObjectName("page")
        inner = QWidget(page)
        inner.setMaximumWidth(_WIDEST)
        inner.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        column = QVBoxLayout(inner)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(12)
        title = RoleLabel(self.tr("Before the first conversation"), "title", bold=True, parent=inner)
        intro = RoleLabel(
            self.tr("Everything works as it is. Look at what matters to you; all of it is in the settings too."),
            "body",
            "muted",
            parent=inner,
        )
        intro.setWordWrap(True)
        column.addWidget(title)
        column.addWidget(intro)
        column.addWidget(self._sound_card(context, inner))
        column.addWidget(self._engine_card(inner))
        column.addWidget(self._model_card(inner))
        column.addStretch(1)
        middle = QHBoxLayout(page)
        middle.setContentsMargins(0, 0, 0, 0)
        middle.addStretch(1)
        middle.addWidget(inner, 20)
        middle.addStretch(1)
        self.area.setWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.area, 1)
        whole.addLayout(self._buttons(self))

    def _sound_card(self, context: Context, parent: QWidget) -> Card:
        card = Card(self.tr("Sound"), parent)
        problem = self._services.microphone_problem()
        if problem is None:
            self.mic_test = MicTest(context, card)
            card.add(self.mic_test)
        else:
            card.add_plain(Note(problem, "alert", card))
        self.headphones = Switch(card)
        self.headphones.setChecked(self._store.settings.audio.headphones)
        self.headphones.toggled.connect(self._on_headphones)
        hint = self.tr("Then the microphone can't hear the assistant, and nothing has to be taken out of your voice.")
        card.add(SettingRow(self.tr("I wear &headphones"), self.headphones, hint, parent=card))
        return card

    def _engine_card(self, parent: QWidget) -> Card:
        card = Card(self.tr("What speaks with you"), parent)
        ready: list[str] = []
        for info in self._services.engines():
            label, problem = translated(info.label), self._services.engine_problem(info.name)
            missing = self._services.weights_to_get(info.name) if problem is None else None
            if problem is not None:
                text = self.tr("{engine}: not here. {why}").format(engine=label, why=translated(str(problem)))
            elif missing is not None:
                text = self.tr("{engine}: can be downloaded when you choose it.").format(engine=label)
            else:
                ready.append(label)
                continue
            card.add_plain(Note(text, "info", card))
        if ready:
            text = self.tr("Ready on this computer: {engines}.").format(engines=", ".join(ready))
            card.add_plain(Note(text, "check", card))
        return card

    def _model_card(self, parent: QWidget) -> Card:
        card = Card(self.tr("What thinks"), parent)
        starter = any(model.starter for model in self._services.llm_models())
        if starter:
            text = self.tr("The starter model is on this computer: no key, no network. It is small, and often wrong.")
            card.add_plain(Note(text, "check", card))
        self.key = QPushButton(self.tr("Enter a &key…"), card)
        self.key.setToolTip(self.tr("Of OpenAI, Anthropic, Google and others"))
        self.key.clicked.connect(lambda: self.settings_wanted.emit("keys"))
        hint = self.tr("Then your words go to that provider, while you speak. Sound never does.")
        card.add(SettingRow(self.tr("Have a better one answer"), self.key, hint, buddy=self.key, parent=card))
        return card

    def _buttons(self, parent: QWidget) -> QHBoxLayout:
        self.done = QPushButton(self.tr("&Done"), parent)
        self.done.setObjectName("primary")
        self.done.setToolTip(self.tr("Go on to the first question"))
        self.skip = QPushButton(self.tr("&Skip"), parent)
        self.skip.setToolTip(self.tr("Leave everything as it is"))
        row = QHBoxLayout()
        row.setContentsMargins(16, 10, 16, 12)
        row.setSpacing(8)
        row.addStretch(1)
        for button in (self.skip, self.done):
            button.setAccessibleName(button.text().replace("&", ""))
            button.clicked.connect(self.finished)
            row.addWidget(button)
        return row

    def _on_headphones(self, on: bool) -> None:
        self._store.settings.audio.headphones = on
        self.changed.emit("audio")

    def shut_down(self) -> None:
        """Nothing more is awaited; returns at once."""
        self._worker.close()
