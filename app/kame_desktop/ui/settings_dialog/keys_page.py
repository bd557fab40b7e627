"""The keys of the services: where each comes from, a place to give one, and a way to forget it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import KeySource, Provider
from kame_desktop.core.errors import AppError
from kame_desktop.ui.settings_dialog.context import Context
from kame_desktop.ui.settings_dialog.key_row import KeyRow
from kame_desktop.ui.settings_dialog.page import SettingsPage
from kame_desktop.ui.settings_dialog.parts import Card, Note
from kame_desktop.ui.settings_dialog.workers import Job


@dataclass(frozen=True, slots=True)
class KeyState:
    """What the page shows: sources by provider name, and why keys can't be kept."""

    providers: list[Provider]
    sources: dict[str, KeySource]
    problem: str | None


class KeysPage(SettingsPage):
    """Keys never reach the settings: the key store has them."""

    key = "keys"
    name = QT_TRANSLATE_NOOP("SettingsPage", "Keys")
    picture = "key"
    can_reset = False

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.set_intro(
            self.tr(
                "A service asks for a key (an API key) that you get on its website. Keys are kept in this computer's"
                " keyring, never in a file of this program."
            ),
        )
        self.key_rows: dict[str, KeyRow] = {}
        self._wanted = ""
        self._job: Job | None = None
        self.notice = Note(kind="info", parent=self)
        self.column.addWidget(self.notice)
        self._holder = QVBoxLayout()
        self.column.addLayout(self._holder)
        self._card: Card | None = None
        self.column.addStretch(1)
        self.notice.show_note(self.tr("Looking into the keyring…"))

    @property
    def words(self) -> str:
        """Also the variables' names."""
        keywords = self.tr("API key password secret token")
        return f"{super().words} {keywords}"

    def enter(self) -> None:
        """Look where the keys come from."""
        services = self.context.services
        addresses = {one.api_base for one in self.context.llm.custom_models if one.api_base}
        own = [catalog.service_provider(address) for address in sorted(addresses)]

        def look(_: object) -> KeyState:
            keys = services.keys()
            providers = list({one.name: one for one in [*services.llm_providers(), *own]}.values())
            return KeyState(providers, {one.name: keys.source(one) for one in providers}, keys.problem)

        if self._job is not None:
            self._job.cancel()  # what it brings may be older than the next answer
        self._job = self.context.worker.submit(look, self._on_state, self._on_failed)

    def show_item(self, item: str) -> None:
        """Ask for this provider's key, as soon as the provider is known."""
        self._wanted = item
        self._open_wanted()

    def _open_wanted(self) -> None:
        row = self.key_rows.get(self._wanted)
        if row is not None:
            self._wanted = ""
            row.edit()
            self.reveal(row)

    def _on_state(self, state: KeyState) -> None:
        providers = [provider for provider in state.providers if provider.key_variables]
        if [provider.name for provider in providers] != list(self.key_rows):
            self._fill(providers)
        for provider in providers:
            row = self.key_rows[provider.name]
            row.show_source(state.sources[provider.name])
            row.show_keeping(state.problem is None)
        self.notice.show_note(state.problem or "")
        self._open_wanted()

    def _fill(self, providers: list[Provider]) -> None:
        if self._card is not None:
            self._holder.removeWidget(self._card)
            self._card.hide()
            self._card.deleteLater()
        self._card = Card(parent=self)
        self._holder.addWidget(self._card)
        self.key_rows = {}
        for provider in providers:
            row = KeyRow(self.context, provider, self)
            row.changed.connect(self._on_changed)
            self._card.add(row)
            self.key_rows[provider.name] = row
        self._card.show()  # at once: what it holds may get the focus next

    def _on_changed(self) -> None:
        self.enter()
        self.context.changed("keys")

    def _on_failed(self, error: AppError) -> None:
        self.notice.show_note(str(error), "alert")
