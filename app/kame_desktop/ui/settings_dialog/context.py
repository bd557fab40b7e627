"""What every page of the settings works with, and the language models that several of them show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel
from PySide6.QtCore import QObject, Signal

from kame_desktop.backend.llm.base import LlmChoice, LlmModel, Provider
from kame_desktop.backend.llm.catalog import AUTO_NAME
from kame_desktop.core.errors import AppError
from kame_desktop.core.settings import LlmSettings, SettingsStore
from kame_desktop.session.services import Services
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.settings_dialog.workers import Job, Worker


class LlmList(QObject):
    """The language models to choose from, read beside the window; what was found on this computer is kept in it.

    Signals:
        changed: ``choices``, ``providers``, ``problem`` or ``searching`` changed.
    """

    changed = Signal()

    def __init__(self, services: Services, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._worker = worker
        self._listed: list[LlmChoice] = []
        self._found: list[LlmChoice] = []
        self._job: Job | None = None
        self.providers: list[Provider] = []
        self.problem: AppError | None = None
        self.loaded = False
        self.searching = False
        self.found_count: int | None = None

    @property
    def choices(self) -> list[LlmChoice]:
        """All of them, by group, without doubles."""
        known = {(choice.model.name, choice.model.api_base) for choice in self._listed}
        more = [choice for choice in self._found if (choice.model.name, choice.model.api_base) not in known]
        groups: dict[str, list[LlmChoice]] = {}
        for choice in [*self._listed, *more]:
            groups.setdefault(choice.group, []).append(choice)
        return [choice for members in groups.values() for choice in members]

    def choice(self, name: str) -> LlmChoice | None:
        """The model with this name."""
        return next((choice for choice in self.choices if choice.model.name == name), None)

    def model(self, name: str) -> LlmModel:
        """The model with this name; one that isn't in the list has nothing but the name."""
        choice = self.choice(name)
        return choice.model if choice is not None else LlmModel(name, name)

    @property
    def first_ready(self) -> LlmModel | None:
        """The first model that can be asked as things stand."""
        ready = (choice.model for choice in self.choices if choice.ready and choice.model.name != AUTO_NAME)
        return next(ready, None)

    def provider(self, model: LlmModel) -> Provider | None:
        """Who runs it; None: a service at an address, or unknown."""
        return next((provider for provider in self.providers if provider.name == model.provider), None)

    def load(self) -> None:
        """Read the list anew; an answer that is still awaited is not listened to."""
        if self._job is not None:
            self._job.cancel()
        self._job = self._worker.submit(
            lambda tell: (list(self._services.llm_choices()), list(self._services.llm_providers())),
            self._on_loaded,
            self._on_failed,
        )

    def discover(self) -> None:
        """Look for services on this computer."""
        if self.searching:
            return
        self.searching, self.problem, self.found_count = True, None, None
        self._worker.submit(lambda tell: list(self._services.discover_llms()), self._on_found, self._on_failed)
        self.changed.emit()

    def _on_loaded(self, answer: tuple[list[LlmChoice], list[Provider]]) -> None:
        self._listed, self.providers = answer
        self.loaded = True
        self.changed.emit()

    def _on_found(self, found: list[LlmChoice]) -> None:
        self._found, self.searching, self.found_count = found, False, len(found)
        self.changed.emit()

    def _on_failed(self, error: AppError) -> None:
        self.problem, self.searching, self.loaded = error, False, True
        self.changed.emit()


@dataclass(frozen=True, slots=True)
class Context:
    """What a page may use.

    Attributes:
        changed: Says that a section of the settings ("audio", "llm", "appearance") was changed, or what there is to
            choose from ("models", "keys").
        use_model: Answers with a model from now on.
        show_page: Goes to a page by its key, and to something on it ("" for none).
    """

    services: Services
    store: SettingsStore
    worker: Worker
    llms: LlmList
    changed: Callable[[str], None]
    use_model: Callable[[LlmModel], None]
    show_page: Callable[[str, str], None]

    @property
    def llm(self) -> LlmSettings:
        """The settings of the language model."""
        return self.store.settings.llm


def reset_fields(section: BaseModel, names: Iterable[str] | None = None) -> None:
    """Put fields (all of them) back to their defaults, in place."""
    fields = type(section).model_fields
    for name in names if names is not None else list(fields):
        setattr(section, name, fields[name].get_default(call_default_factory=True))


def model_items(choices: Sequence[LlmChoice], first: str, wanted: str | None, missing: str) -> list[tuple[str, object]]:
    """Items of a picker of models: ``first`` (None), the ready ones, and the wanted one whatever it is.

    Args:
        missing: What is said of a wanted model that isn't ready ("{name} (not ready)").
    """
    ready = [choice.model for choice in choices if choice.ready and choice.model.name != AUTO_NAME]
    items: list[tuple[str, object]] = [(first, None), *((translated(model.label), model.name) for model in ready)]
    if wanted is not None and all(model.name != wanted for model in ready):
        label = next((translated(choice.model.label) for choice in choices if choice.model.name == wanted), wanted)
        items.append((missing.format(name=label), wanted))
    return items
