"""Theme and text size; what leaves this computer."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui import theme
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.settings_dialog.appearance_page import AppearancePage
from kame_desktop.ui.settings_dialog.privacy_page import PrivacyPage
from tests.ui.settings_dialog.conftest import GatedServices, OpenDialog


def looks(dialog: SettingsDialog) -> AppearancePage:
    page = dialog.pages["appearance"]
    assert isinstance(page, AppearancePage)
    return page


def words(dialog: SettingsDialog) -> str:
    page = dialog.pages["privacy"]
    assert isinstance(page, PrivacyPage)
    return page.text.text


def test_the_theme_changes_at_once(qtbot: QtBot, open_dialog: OpenDialog, store: SettingsStore):
    dialog = open_dialog("appearance")
    with qtbot.waitSignal(dialog.changed, check_params_cb=lambda section: section == "appearance"):
        looks(dialog).theme.pick("dark")
    assert theme.current() is theme.DARK
    assert store.settings.appearance.theme == "dark"
    looks(dialog).theme.pick("light")
    assert theme.current() is theme.LIGHT


def test_text_grows_everywhere_and_comes_back(styled: QApplication, open_dialog: OpenDialog, store: SettingsStore):
    dialog = open_dialog("appearance")
    row = looks(dialog).rows[0]
    before, plain = row.label.font().pointSizeF(), styled.font().pointSizeF()
    looks(dialog).scale.pick(1.5)
    assert store.settings.appearance.font_scale == 1.5
    assert row.label.font().pointSizeF() == before * 1.5
    assert styled.font().pointSizeF() == plain * 1.5
    dialog.reset_button.click()
    assert row.label.font().pointSizeF() == before
    assert styled.font().pointSizeF() == plain


def test_words_stay_here_with_the_starter(open_dialog: OpenDialog):
    assert "stay on this computer" in words(open_dialog("privacy"))


def test_words_go_to_the_provider_that_is_chosen(open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.model = "gpt-4.1"
    text = words(open_dialog("privacy"))
    assert "OpenAI" in text
    assert "Anthropic" not in text


def test_the_fallback_counts_too(open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.fallback_model = "claude-opus-4-1"
    assert "Anthropic" in words(open_dialog("privacy"))


def test_a_service_on_this_computer_keeps_words_here_and_another_does_not(
    services: GatedServices, open_dialog: OpenDialog, store: SettingsStore
):
    services.models += [
        LlmModel("here", "Here", api_base="http://127.0.0.1:1234/v1"),
        LlmModel("there", "There", api_base="http://192.168.1.20:8000/v1"),
    ]
    store.settings.llm.model = "here"
    dialog = open_dialog("privacy")
    assert "stay on this computer" in words(dialog)
    store.settings.llm.model = "there"
    dialog.refresh()
    assert "192.168.1.20" in words(dialog)


def test_auto_names_everyone_who_may_be_asked(open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.model = "auto"
    store.settings.llm.auto_default = "claude-opus-4-1"
    text = words(open_dialog("privacy"))
    assert "Anthropic" in text
    assert "OpenAI" in text


def test_it_follows_the_choice_of_another_page(open_dialog: OpenDialog, store: SettingsStore):
    dialog = open_dialog("models")
    page = dialog.pages["models"]
    page.context.use_model(LlmModel("gpt-4.1", "GPT-4.1", provider="openai"))
    assert "OpenAI" in words(dialog)
