"""Keys: where they come from, giving one, forgetting it, and never showing it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from kame_desktop.core.settings import CustomModel, SettingsStore
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.settings_dialog.key_row import KeyRow
from kame_desktop.ui.settings_dialog.keys_page import KeysPage
from tests.ui.settings_dialog.conftest import GatedServices, OpenDialog

PLANTED = "sk-planted-9f8e7d6c5b4a3210"


def page_of(dialog: SettingsDialog) -> KeysPage:
    page = dialog.pages["keys"]
    assert isinstance(page, KeysPage)
    return page


def row_of(dialog: SettingsDialog, provider: str) -> KeyRow:
    return page_of(dialog).key_rows[provider]


def everything_said(dialog: SettingsDialog) -> str:
    said: list[str] = []
    for widget in dialog.findChildren(QWidget):
        said += [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription()]
        if isinstance(widget, (QLabel, QLineEdit)):
            said.append(widget.text())
    return "\n".join(said)


def test_sources_are_said_in_words(services: GatedServices, open_dialog: OpenDialog, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", PLANTED)
    services.key_store.environment["anthropic"] = PLANTED
    dialog = open_dialog("keys")
    assert row_of(dialog, "openai").source.text == "Ready: kept in this computer's keyring"
    outside = row_of(dialog, "anthropic")
    assert outside.source.text == "Ready: from the environment (ANTHROPIC_API_KEY)"
    assert not outside.enter_button.isEnabled()
    assert "ANTHROPIC_API_KEY" in outside.enter_button.toolTip()
    assert not outside.forget_button.isVisible()
    assert PLANTED not in everything_said(dialog)


def test_a_key_is_given_and_never_shown_or_saved(
    qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog, tmp_path: Path
):
    dialog = open_dialog("keys")
    row = row_of(dialog, "anthropic")
    assert row.source.text == "No key yet"
    row.enter_button.click()
    assert row.field.echoMode() is QLineEdit.EchoMode.Password
    assert row.field.hasFocus()
    qtbot.keyClicks(row.field, PLANTED)
    with qtbot.waitSignal(dialog.changed, check_params_cb=lambda section: section == "keys"):
        qtbot.keyClick(row.field, Qt.Key.Key_Return)
        assert row.field.text() == ""
    qtbot.waitUntil(lambda: dialog.idle)
    assert services.key_store.stored["anthropic"] == PLANTED
    assert row.source.text == "Ready: kept in this computer's keyring"
    assert not row.editor.isVisible()
    choice = dialog.llms.choice("claude-opus-4-1")
    assert choice is not None
    assert choice.ready
    assert PLANTED not in everything_said(dialog)
    dialog.close()
    assert PLANTED not in (tmp_path / "settings" / "settings.json").read_text(encoding="utf-8")


def test_a_key_that_is_none_is_refused_beside_the_field(qtbot: QtBot, open_dialog: OpenDialog):
    dialog = open_dialog("keys")
    row = row_of(dialog, "anthropic")
    row.edit()
    qtbot.keyClicks(row.field, "two words")
    row.save_button.click()
    qtbot.waitUntil(lambda: dialog.idle)
    assert "doesn't look like a key" in row.problem.text
    assert row.field.isVisible()
    assert row.field.text() == ""
    assert "two words" not in everything_said(dialog)


def test_forget_removes_it(qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog):
    dialog = open_dialog("keys")
    row_of(dialog, "openai").forget_button.click()
    qtbot.waitUntil(lambda: dialog.idle)
    assert "openai" not in services.key_store.stored
    assert row_of(dialog, "openai").source.text == "No key yet"
    assert not row_of(dialog, "openai").forget_button.isVisible()


def test_without_a_keyring_it_is_said_plainly(qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog):
    services.key_store.problem = "There is no keyring; keys are kept until you quit."
    dialog = open_dialog("keys")
    assert page_of(dialog).notice.text == services.key_store.problem
    row = row_of(dialog, "anthropic")
    row.edit()
    assert not row.keep.isEnabled()
    assert row.keep.text() == "Kept until you quit"
    assert row_of(dialog, "openai").source.text == "Ready: kept until you quit"


def test_escape_closes_the_field_not_the_dialog(qtbot: QtBot, open_dialog: OpenDialog):
    dialog = open_dialog("keys")
    row = row_of(dialog, "anthropic")
    row.edit()
    qtbot.keyClicks(row.field, PLANTED)
    qtbot.keyClick(row.field, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert not row.editor.isVisible()
    assert row.field.text() == ""


def test_where_to_get_a_key(open_dialog: OpenDialog, monkeypatch: pytest.MonkeyPatch):
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    dialog = open_dialog("keys")
    row_of(dialog, "anthropic").link.click()
    assert opened == [QUrl("https://example.org/anthropic")]
    assert not row_of(dialog, "openai").link.isVisible()


def test_a_service_of_ones_own_can_have_a_key(open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.custom_models = [CustomModel(name="openai/qwen", api_base="http://192.168.1.20:8000/v1")]
    dialog = open_dialog("keys")
    row = row_of(dialog, "http://192.168.1.20:8000/v1")
    assert row.label.text() == "192.168.1.20:8000"
    assert row.source.text.startswith("No key;")
