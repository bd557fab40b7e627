"""Which language models there are to choose from, and which one is in use."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import KeySource, LlmChoice, LlmModel
from kame_desktop.core.errors import AppError
from kame_desktop.core.settings import LlmSettings
from kame_desktop.session.services import Services
from kame_desktop.ui.background import Background


class LlmChooser(QObject):
    """Keeps the list and the choice, and the choice in the settings. GUI thread; what may block is done elsewhere.

    Attributes:
        choices: What is offered.
        model: The one in use; None when there is none at all.

    Signals:
        listed: ``choices`` changed.
        switched: Another model is in use (``LlmModel``); the settings have changed and want to be saved.
    """

    listed = Signal()
    switched = Signal(object)

    def __init__(
        self, services: Services, settings: LlmSettings, background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._settings = settings
        self._background = background
        self._found: list[LlmChoice] = []
        self.choices = [LlmChoice(model, "") for model in services.llm_models()]
        self.model = self._remembered()

    def refresh(self) -> None:
        """Look anew at keys, settings and this computer's services; the list follows when they have answered."""
        self._background.run(self._services.llm_choices, self._on_choices)
        self._background.run(self._services.discover_llms, self._on_found)

    def choice_of(self, model: LlmModel) -> LlmChoice:
        """The model as a choice: it lacks a key when the others of its provider do."""
        provider = catalog.provider_of(model)
        kin = [choice.key for choice in self.choices if provider and choice.model.provider == provider.name]
        missing = model.api_base is None and KeySource.MISSING in kin
        return LlmChoice(model, "", KeySource.MISSING if missing else KeySource.NOT_NEEDED)

    def use(self, model: LlmModel) -> None:
        """Use another model from now on; one with an address, or of no list, is kept as the user's own."""
        catalog.choose(self._settings, model)
        if all(choice.model.name != model.name for choice in self.choices):
            self.choices.append(LlmChoice(model, self.tr("Your own")))
        self.model = model
        self.listed.emit()
        self.switched.emit(model)

    def _on_choices(self, choices: Sequence[LlmChoice]) -> None:
        self.choices = list(choices)
        self._merge()

    def _on_found(self, found: Sequence[LlmChoice]) -> None:
        self._found = list(found)
        self._merge()

    def _merge(self) -> None:
        known = {choice.model.name for choice in self.choices}
        self.choices += [choice for choice in self._found if choice.model.name not in known]
        if self.model is None and self.choices:
            self.model = self.choices[0].model
        self.listed.emit()

    def _remembered(self) -> LlmModel | None:
        """The model of the settings, else the first there is."""
        wanted = self._settings.model
        known = {choice.model.name: choice.model for choice in self.choices}
        for name, address in [(own.name, own.api_base) for own in self._settings.custom_models] + [(wanted, None)]:
            if name not in known:
                try:
                    known[name] = self._services.resolve_llm(name, address)
                except AppError:
                    continue  # a name of another installation; the list shows what there is
                self.choices.append(LlmChoice(known[name], ""))
        return known.get(wanted) or (self.choices[0].model if self.choices else None)
