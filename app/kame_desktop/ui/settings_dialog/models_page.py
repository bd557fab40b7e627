"""The language models: which one answers, whether it works, and those of the user's own."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import LlmChoice, LlmModel
from kame_desktop.core.settings import CustomModel
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.settings_dialog.context import Context
from kame_desktop.ui.settings_dialog.model_panel import ModelPanel
from kame_desktop.ui.settings_dialog.model_tree import ModelTree
from kame_desktop.ui.settings_dialog.page import SettingsPage
from kame_desktop.ui.settings_dialog.parts import Card, Note, SettingRow, Spinner
from kame_desktop.ui.widgets.model_dialog import ModelDialog


class ModelsPage(SettingsPage):
    """A list by provider; the panel below it acts on the selected one. Selecting alone changes nothing."""

    key = "models"
    name = QT_TRANSLATE_NOOP("SettingsPage", "Language models")
    picture = "spark"
    can_reset = False

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.set_intro(self.tr("What thinks. It can be changed in the middle of a conversation."))
        card = self.card()
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(self.tr("Filter by name"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setMinimumWidth(120)
        card.add(SettingRow(self.tr("F&ilter"), self.filter, "", self.tr("search filter models"), wide=True))
        self.tree = ModelTree(self)
        self.filter.textChanged.connect(self.tree.set_filter)
        self.tree.used.connect(self._use)
        card.add(self.tree)
        self.panel = ModelPanel(context, self)
        self.panel.use_wanted.connect(self._use)
        self.panel.key_wanted.connect(self._ask_key)
        self.panel.remove_wanted.connect(self.remove)
        self.panel.tested.connect(self._show_list)
        card.add(self.panel)
        self.tree.moved.connect(self._show_selected)
        self._build_more()
        self.column.setStretchFactor(card, 1)
        context.llms.changed.connect(self.show_settings)
        self.show_settings()

    def _build_more(self) -> None:
        card: Card = self.card(self.tr("More models"))
        self.find_button = QPushButton(self.tr("&Find"), self)
        self.find_button.setAutoDefault(False)
        self.find_button.setAccessibleName(self.tr("Find models on this computer"))
        self.find_button.clicked.connect(self.context.llms.discover)
        self.spinner = Spinner(self)
        side = QWidget(self)
        line = QHBoxLayout(side)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.spinner)
        line.addWidget(self.find_button)
        self.find_row = SettingRow(
            self.tr("On this computer"),
            side,
            self.tr("Looks for Ollama and LM Studio. Nothing leaves this computer."),
            self.tr("ollama lm studio local discover loopback"),
            buddy=self.find_button,
        )
        card.add(self.find_row)
        self.add_own = QPushButton(self.tr("&Add…"), self)
        self.add_own.setAutoDefault(False)
        self.add_own.setAccessibleName(self.tr("Add a model of your own"))
        self.add_own.clicked.connect(self._ask_own)
        card.add(
            SettingRow(
                self.tr("Your own"),
                self.add_own,
                self.tr("Any model by its litellm name, or an OpenAI-compatible service by its address."),
                self.tr("custom api base url address openai compatible vllm llama.cpp"),
                buddy=self.add_own,
            )
        )
        self.notice = Note(parent=self)
        card.add_plain(self.notice)

    @property
    def words(self) -> str:
        """Also the models' names."""
        names = " ".join(
            f"{translated(choice.group)} {translated(choice.model.label)} {choice.model.name}"
            for choice in self.context.llms.choices
        )
        keywords = self.tr("test use select choose")
        return f"{super().words} {keywords} {names}"

    def follows(self, section: str) -> bool:
        """It shows which model answers."""
        return section == "llm"

    def show_settings(self) -> None:
        """The list, and which model is in use."""
        llms = self.context.llms
        self._show_list()
        self.spinner.setVisible(llms.searching)
        self.find_button.setEnabled(not llms.searching)
        if llms.problem is not None:
            self.notice.show_note(str(llms.problem), "alert")
        elif llms.found_count is not None:
            self.notice.show_note(self._found_text(llms.found_count), "check" if llms.found_count else "info")
        else:
            self.notice.show_note("")

    def _found_text(self, count: int) -> str:
        if count == 0:
            return self.tr("No service was found. Start Ollama or LM Studio, then look again.")
        if count == 1:
            return self.tr("One model was found. It is in the list.")
        return self.tr("{count} models were found. They are in the list.").format(count=count)

    def _show_list(self) -> None:
        self.tree.show_choices(
            self.context.llms.choices, self.context.llm.model, self.panel.tests, loaded=self.context.llms.loaded
        )
        self._show_selected()

    def _show_selected(self) -> None:
        choice = self.tree.selected
        own = choice is not None and self._own(choice.model) is not None and _brought(choice)
        self.panel.show_choice(choice, in_use=self._in_use(choice), own=own)

    def _in_use(self, choice: LlmChoice | None) -> bool:
        return choice is not None and choice.model.name == self.context.llm.model

    def _own(self, model: LlmModel) -> CustomModel | None:
        """The entry of the settings that brought this model."""
        entries = self.context.llm.custom_models
        return next((one for one in entries if (one.name, one.api_base) == (model.name, model.api_base)), None)

    # -- what the user does ----

    def _use(self, choice: LlmChoice) -> None:
        if not choice.ready:
            self._ask_key(choice)
            return
        self.context.use_model(choice.model)
        self._show_list()

    def _ask_key(self, choice: LlmChoice) -> None:
        provider = catalog.provider_of(choice.model)
        self.context.show_page("keys", provider.name if provider is not None else "")

    def _ask_own(self) -> None:
        dialog = ModelDialog(self.context.services.resolve_llm, None, self.window())
        dialog.chosen.connect(self.add)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def add(self, model: LlmModel) -> None:
        """A model of the user's own: it is in the list from now on, and selected."""
        if self._own(model) is None and self.context.llms.choice(model.name) is None:
            self.context.llm.custom_models = [
                *self.context.llm.custom_models,
                CustomModel(name=model.name, api_base=model.api_base),
            ]
        self.tree.want(model.name)
        self.context.changed("models")

    def remove(self, choice: LlmChoice) -> None:
        """Take a model of the user's own from the list; one that is in use stays in use until another is chosen."""
        entry = self._own(choice.model)
        if entry is None:
            return
        self.context.llm.custom_models = [one for one in self.context.llm.custom_models if one != entry]
        self.context.changed("models")


def _brought(choice: LlmChoice) -> bool:
    """It is in the list only because the user added it."""
    return choice.group == catalog.GROUP_OWN or choice.model.api_base is not None
