"""What leaves this computer with the engine and the language models that are chosen: a picture, words and a switch."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtWidgets import QWidget

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.backend.llm.catalog import AUTO_NAME
from kame_desktop.session.what_leaves import ASKS_NOBODY, UNKNOWN, Flow, Matter, what_leaves
from kame_desktop.ui.settings_dialog.context import Context
from kame_desktop.ui.settings_dialog.page import SettingsPage
from kame_desktop.ui.settings_dialog.parts import Card, Note, SettingRow, Switch, set_checked
from kame_desktop.ui.settings_dialog.privacy_picture import PrivacyPicture
from kame_desktop.ui.widgets.labels import RoleLabel


class PrivacyPage(SettingsPage):
    """Follows the choices of the other pages."""

    key = "privacy"
    name = QT_TRANSLATE_NOOP("SettingsPage", "Privacy")
    picture = "shield"
    can_reset = False

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.set_intro(self.tr("What leaves this computer with what is chosen now."))
        self.drawing = PrivacyPicture(self)
        self.column.addWidget(self.drawing)
        _, self.sound = self._topic(self.tr("Your voice"))
        self.sound.show_note(
            self.tr(
                "Sound never leaves this computer. Speech is recognised, and the answer spoken, by the engine"
                " “{engine}” here."
            ).format(engine=self._engine()),
            "check",
        )
        words, self.text = self._topic(self.tr("Your words"))
        self.unfinished = Switch(self)
        self.unfinished.toggled.connect(self._on_unfinished)
        self.unfinished_row = SettingRow(
            self.tr("Send &unfinished sentences"),
            self.unfinished,
            self.tr("The language model is asked while you still speak. Off: only finished sentences are sent."),
            self.tr("speculate partials"),
        )
        words.add(self.unfinished_row)
        _, self.keys = self._topic(self.tr("Your keys"))
        self.keys.show_note(
            self.tr(
                "A key goes to the service that it belongs to and nowhere else. It is kept in this computer's keyring,"
                " in the environment, or in memory; never in the settings."
            )
        )
        _, self.files = self._topic(self.tr("Downloads"))
        self.files.show_note(self.tr("An engine that needs large files asks before it downloads them."))
        self.column.addStretch(1)
        context.llms.changed.connect(self.show_settings)
        self.show_settings()

    @property
    def words(self) -> str:
        """What one may look for here."""
        said = " ".join(note.text for note in (self.sound, self.text, self.keys, self.files))
        keywords = self.tr("data cloud network local")
        return f"{super().words} {keywords} {said}"

    def _topic(self, title: str) -> tuple[Card, Note]:
        card: Card = self.card()
        heading = RoleLabel(title, bold=True, parent=card)
        heading.setContentsMargins(17, 11, 14, 0)
        card.layout().addWidget(heading)  # pyright: ignore[reportOptionalMemberAccess]
        note = Note(parent=card)
        card.add_plain(note)
        return card, note

    def _engine(self) -> str:
        wanted = self.context.store.settings.engine
        engines = {info.name: info.label for info in self.context.services.engines()}
        return engines.get(wanted, wanted)

    def follows(self, section: str) -> bool:
        """It shows which model answers."""
        return section == "llm"

    def show_settings(self) -> None:
        """Say and draw where the words go."""
        settings = self.context.store.settings
        models = self._models()
        flows = what_leaves(
            settings.engine, settings.stt, models, self.context.llms.provider, known=self.context.llms.loaded
        )
        asks = settings.engine not in ASKS_NOBODY
        own = self.context.llms.model(self.context.llm.model).label
        self.drawing.show_flows(flows, speaks=self._engine(), thinks=own if asks else "")
        set_checked(self.unfinished, self.context.llm.speculate)
        self.unfinished_row.setVisible(asks)
        self._say(flows, own, asks=asks)

    def _say(self, flows: list[Flow], own: str, *, asks: bool) -> None:
        receivers = [self._named(flow) for flow in flows if flow.what is Matter.WORDS and flow.goes]
        if not asks:
            self.text.show_note(self.tr("They stay on this computer: this engine asks no language model."), "check")
        elif not receivers:
            self.text.show_note(
                self.tr("They stay on this computer: the language model “{model}” runs here.").format(model=own),
                "check",
            )
        else:
            self.text.show_note(
                self.tr(
                    "What you say goes, as text, to {receivers}, together with the conversation so far and the system"
                    " prompt; also unfinished sentences, if it is asked while you speak."
                ).format(receivers=self.tr(" and ").join(receivers)),
                "info",
            )

    def _models(self) -> list[LlmModel]:
        """All that may be asked as things are set."""
        llm = self.context.llm
        names = {llm.model, llm.fallback_model}
        if llm.model == AUTO_NAME:
            names |= {llm.auto_default, *(rule.model for rule in llm.auto_rules or ())}
            if llm.auto_default is None or llm.auto_rules is None:
                names |= {choice.model.name for choice in self.context.llms.choices if choice.ready}
        return [self.context.llms.model(name) for name in sorted(filter(None, names)) if name != AUTO_NAME]

    def _named(self, flow: Flow) -> str:
        """A receiver in a sentence of the user's language."""
        service, quote = "the service of “", "”"
        if flow.to != UNKNOWN and flow.to.startswith(service):
            return self.tr("the service of “{model}”").format(model=flow.to.removeprefix(service).removesuffix(quote))
        return flow.to

    def _on_unfinished(self, on: bool) -> None:
        self.context.llm.speculate = on
        self.context.changed("llm")
