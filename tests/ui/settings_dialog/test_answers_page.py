"""Asking, budget, fallback and the system prompt."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from kame_desktop.backend.prompt import DEFAULT_SYSTEM_PROMPT
from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.settings_dialog.answers_page import AnswersPage
from tests.ui.settings_dialog.conftest import OpenDialog


def page_of(dialog: SettingsDialog) -> AnswersPage:
    page = dialog.pages["answers"]
    assert isinstance(page, AnswersPage)
    return page


def test_only_finished_sentences(open_dialog: OpenDialog, store: SettingsStore):
    page = page_of(open_dialog("answers"))
    page.speculate.click()
    assert not store.settings.llm.speculate
    assert not page.spacing.isEnabled()


def test_spacing(open_dialog: OpenDialog, store: SettingsStore):
    page_of(open_dialog("answers")).spacing.setValue(800)
    assert store.settings.llm.min_spacing_ms == 800.0


def test_a_budget_is_none_until_it_is_wanted(open_dialog: OpenDialog, store: SettingsStore):
    page = page_of(open_dialog("answers"))
    assert not page.limit.isChecked()
    assert not page.budget.isEnabled()
    page.limit.click()
    assert store.settings.llm.budget_usd == page.budget.value()
    page.budget.setValue(2.25)
    assert store.settings.llm.budget_usd == 2.25
    page.limit.click()
    assert store.settings.llm.budget_usd is None


def test_fallback_offers_what_is_ready(open_dialog: OpenDialog, store: SettingsStore):
    page = page_of(open_dialog("answers"))
    assert None in page.fallback.values
    assert "gpt-4.1" in page.fallback.values
    assert "claude-opus-4-1" not in page.fallback.values
    page.fallback.pick("gpt-4.1")
    assert store.settings.llm.fallback_model == "gpt-4.1"
    page.fallback.pick(None)
    assert store.settings.llm.fallback_model is None


def test_a_fallback_that_is_not_ready_stays_chosen_and_says_so(open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.fallback_model = "claude-opus-4-1"
    page = page_of(open_dialog("answers"))
    assert page.fallback.currentText() == "Claude Opus 4.1 (not ready)"
    assert store.settings.llm.fallback_model == "claude-opus-4-1"


def test_the_prompt_is_taken_after_a_pause(qtbot: QtBot, open_dialog: OpenDialog, store: SettingsStore):
    page = page_of(open_dialog("answers"))
    assert page.prompt.toPlainText() == DEFAULT_SYSTEM_PROMPT
    page.prompt.setPlainText("Talk like a pirate.")
    assert "19 characters" in page.length.text()
    qtbot.waitUntil(lambda: store.settings.llm.system_prompt == "Talk like a pirate.")


def test_a_prompt_that_was_typed_last_is_taken_at_the_end(open_dialog: OpenDialog, store: SettingsStore):
    dialog = open_dialog("answers")
    page_of(dialog).prompt.setPlainText("Talk like a pirate.")
    dialog.close()
    assert store.settings.llm.system_prompt == "Talk like a pirate."


def test_the_original_text_is_no_prompt_of_ones_own(open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.system_prompt = "Talk like a pirate."
    dialog = open_dialog("answers")
    page = page_of(dialog)
    assert page.prompt.toPlainText() == "Talk like a pirate."
    page.restore.click()
    assert page.prompt.toPlainText() == DEFAULT_SYSTEM_PROMPT
    assert not page.restore.isEnabled()
    dialog.close()
    assert store.settings.llm.system_prompt is None


def test_an_empty_prompt_means_the_original(open_dialog: OpenDialog, store: SettingsStore):
    dialog = open_dialog("answers")
    page_of(dialog).prompt.setPlainText("  \n")
    assert "original text is used" in page_of(dialog).length.text()
    dialog.close()
    assert store.settings.llm.system_prompt is None


def test_a_prompt_that_is_too_long_is_said(open_dialog: OpenDialog):
    page = page_of(open_dialog("answers"))
    page.prompt.setPlainText("word " * 20_000)
    assert "too long" in page.length.text()


def test_reset_leaves_the_model_alone(open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.model = "gpt-4.1"
    store.settings.llm.system_prompt = "Talk like a pirate."
    store.settings.llm.budget_usd = 3.0
    dialog = open_dialog("answers")
    page_of(dialog).speculate.click()
    dialog.reset_button.click()
    assert store.settings.llm.speculate
    assert store.settings.llm.budget_usd is None
    assert store.settings.llm.system_prompt is None
    assert page_of(dialog).prompt.toPlainText() == DEFAULT_SYSTEM_PROMPT
    assert store.settings.llm.model == "gpt-4.1"
