"""Light or dark, how large the text is, and in which language."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtWidgets import QApplication, QWidget

from kame_desktop.core.settings import AppearanceSettings
from kame_desktop.ui import theme, translation
from kame_desktop.ui.settings_dialog.context import Context, reset_fields
from kame_desktop.ui.settings_dialog.page import SettingsPage
from kame_desktop.ui.settings_dialog.parts import Picker, SettingRow

_SCALES = (0.85, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0)


def show_appearance(settings: AppearanceSettings) -> None:
    """Put theme and text size on the application."""
    app = QApplication.instance()
    if isinstance(app, QApplication):
        theme.set_font_scale(app, settings.font_scale)
        theme.choose_theme(app, settings.theme)


class AppearancePage(SettingsPage):
    """The section "appearance" of the settings."""

    key = "appearance"
    name = QT_TRANSLATE_NOOP("SettingsPage", "Appearance")
    picture = "palette"

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.set_intro(self.tr("How the window looks, and which language it speaks."))
        card = self.card()
        self.theme = Picker(self)
        self.theme.picked.connect(self._on_theme)
        card.add(SettingRow(self.tr("&Theme"), self.theme, "", self.tr("dark light colours mode night"), wide=True))
        self.scale = Picker(self)
        self.scale.picked.connect(self._on_scale)
        card.add(
            SettingRow(self.tr("Te&xt size"), self.scale, "", self.tr("font scale large small zoom letters"), wide=True)
        )
        self.language = Picker(self)
        self.language.picked.connect(self._on_language)
        card.add(
            SettingRow(
                self.tr("&Language of the window"),
                self.language,
                self.tr(
                    "The window changes at once; while a conversation is running, as soon as it is over. You still"
                    " speak English with the assistant."
                ),
                self.tr("language translation English Spanish"),
                wide=True,
            )
        )
        self.column.addStretch(1)
        self.show_settings()

    @property
    def _look(self) -> AppearanceSettings:
        return self.context.store.settings.appearance

    def show_settings(self) -> None:
        """Show what the settings have."""
        themes: list[tuple[str, object]] = [
            (self.tr("As the desktop"), "system"),
            (self.tr("Light"), "light"),
            (self.tr("Dark"), "dark"),
        ]
        self.theme.show_items(themes, self._look.theme)
        scales = sorted({*_SCALES, self._look.font_scale})
        self.scale.show_items([(f"{round(100 * scale)} %", scale) for scale in scales], self._look.font_scale)

        own = translation.name_of(translation.system_language())
        languages: list[tuple[str, object]] = [(self.tr("As the desktop ({language})").format(language=own), None)]
        languages += [(translation.name_of(code), code) for code in translation.languages()]
        self.language.show_items(languages, self._look.language)

    def reset(self) -> None:
        """All of "appearance"."""
        reset_fields(self._look)
        self.show_settings()
        self._apply()

    def _on_theme(self, value: object) -> None:
        if value in ("system", "light", "dark"):
            self._look.theme = value
            self._apply()

    def _on_scale(self, value: object) -> None:
        if isinstance(value, float):
            self._look.font_scale = value
            self._apply()

    def _on_language(self, value: object) -> None:
        self._look.language = value if isinstance(value, str) else None
        self.context.changed("appearance")

    def _apply(self) -> None:
        show_appearance(self._look)
        self.context.changed("appearance")
