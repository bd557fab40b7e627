"""The dialog as a whole: pages, search, saving, reset, closing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from kame_desktop.core.settings import Settings, SettingsStore
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.settings_dialog.audio_page import AudioPage
from kame_desktop.ui.settings_dialog.models_page import ModelsPage
from tests.ui.settings_dialog.conftest import GatedServices, OpenDialog


def audio(dialog: SettingsDialog) -> AudioPage:
    page = dialog.pages["audio"]
    assert isinstance(page, AudioPage)
    return page


def saved(tmp_path: Path) -> Settings:
    text = (tmp_path / "settings" / "settings.json").read_text(encoding="utf-8")
    return Settings.model_validate(json.loads(text))


def shown_pages(dialog: SettingsDialog) -> list[str]:
    keys = list(dialog.pages)
    return [key for row, key in enumerate(keys) if not dialog.list.item(row).isHidden()]


def test_a_change_is_told_at_once_and_saved_soon(
    qtbot: QtBot, open_dialog: OpenDialog, store: SettingsStore, tmp_path: Path
):
    dialog = open_dialog("audio")
    with qtbot.waitSignal(dialog.changed) as told:
        audio(dialog).headphones.click()
    assert told.args == ["audio"]
    assert store.settings.audio.headphones
    qtbot.waitUntil((tmp_path / "settings" / "settings.json").exists)
    assert saved(tmp_path).audio.headphones


def test_closing_saves_what_waits(qtbot: QtBot, open_dialog: OpenDialog, tmp_path: Path):
    dialog = open_dialog("audio")
    audio(dialog).noise.click()
    with qtbot.waitSignal(dialog.finished):
        dialog.close_button.click()
    assert saved(tmp_path).audio.noise_suppression


def test_a_file_that_cannot_be_written_is_said_inside(
    qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog, unwritable: Path, store: SettingsStore
):
    store._path = unwritable
    dialog = open_dialog("audio")
    audio(dialog).noise.click()
    qtbot.waitUntil(lambda: bool(dialog.error_bar.lines))
    assert "could not be saved" in dialog.error_bar.lines["settings"].text
    assert store.settings.audio.noise_suppression
    dialog.error_bar.lines["settings"].close_button.click()
    assert not dialog.error_bar.lines


def test_reset_is_for_the_shown_page_only(open_dialog: OpenDialog, store: SettingsStore):
    dialog = open_dialog("audio")
    audio(dialog).noise.click()
    audio(dialog).volume.setValue(40)
    store.settings.llm.speculate = False
    dialog.reset_button.click()
    assert not store.settings.audio.noise_suppression
    assert store.settings.audio.volume == 1.0
    assert not audio(dialog).noise.isChecked()
    assert audio(dialog).volume.value() == 100
    assert not store.settings.llm.speculate


@pytest.mark.parametrize("key", ["models", "keys", "privacy"])
def test_a_page_without_defaults_has_no_reset(open_dialog: OpenDialog, key: str):
    assert open_dialog(key).reset_button.isHidden()


def test_search_finds_settings_by_label_and_keyword(qtbot: QtBot, open_dialog: OpenDialog):
    dialog = open_dialog("privacy")
    qtbot.keyClicks(dialog.search, "agc")
    assert shown_pages(dialog) == ["audio"]
    assert dialog.page is audio(dialog)
    assert [row.label.text() for row in dialog.page.rows if row.marked] == ["Automatic &gain"]
    qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    assert audio(dialog).gain.hasFocus()


def test_search_finds_models_by_name(qtbot: QtBot, open_dialog: OpenDialog):
    dialog = open_dialog()
    qtbot.keyClicks(dialog.search, "opus")
    assert shown_pages(dialog) == ["models"]


def test_search_without_a_match_says_so_and_escape_goes_back(qtbot: QtBot, open_dialog: OpenDialog):
    dialog = open_dialog("audio")
    qtbot.keyClicks(dialog.search, "teleport")
    assert shown_pages(dialog) == []
    assert "teleport" in dialog.nothing.text()
    assert dialog.nothing.isVisible()
    qtbot.keyClick(dialog.search, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert shown_pages(dialog) == list(dialog.pages)
    assert dialog.page.isVisible()
    assert not dialog.nothing.isVisible()
    assert not any(row.marked for page in dialog.pages.values() for row in page.rows)
    qtbot.keyClick(dialog.search, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_enter_never_closes_it(qtbot: QtBot, open_dialog: OpenDialog):
    dialog = open_dialog("models")
    page = dialog.pages["models"]
    assert isinstance(page, ModelsPage)
    for widget in (dialog.search, page.filter, dialog.list):
        qtbot.keyClick(widget, Qt.Key.Key_Return)
        assert dialog.isVisible()


def test_ctrl_f_goes_to_the_search(qtbot: QtBot, open_dialog: OpenDialog):
    dialog = open_dialog("audio")
    audio(dialog).gain.setFocus()
    qtbot.keyClick(audio(dialog).gain, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert dialog.search.hasFocus()


def test_refresh_shows_what_was_changed_elsewhere(open_dialog: OpenDialog, store: SettingsStore):
    dialog = open_dialog("audio")
    store.settings.audio.volume = 0.25
    store.settings.audio.push_to_talk = True
    dialog.refresh()
    assert audio(dialog).volume.value() == 25
    assert audio(dialog).push_to_talk.isChecked()


def test_closing_while_something_runs_is_quick_and_quiet(
    qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog
):
    services.gate.clear()
    dialog = open_dialog("audio")
    audio(dialog).test.record.click()
    assert not dialog.idle
    dialog.close()  # would hang here if it waited for the recording
    assert not dialog.isVisible()
    assert dialog.idle
    services.gate.set()
    qtbot.wait(50)
    assert audio(dialog).test.numbers.isHidden()


def test_an_unknown_page_is_ignored(open_dialog: OpenDialog):
    dialog = open_dialog("audio")
    dialog.show_page("teleport")
    assert dialog.page is audio(dialog)


def test_all_pages_are_made_soon_after_it_opens(qtbot: QtBot, open_dialog: OpenDialog):
    dialog = open_dialog("audio")
    places = [dialog.stack.widget(row) for row in range(dialog.list.count())]
    qtbot.waitUntil(lambda: all(isinstance(place, QScrollArea) and place.widget() is not None for place in places))
    assert [dialog.list.item(row).text() for row in range(7)] == [page.title for page in dialog.pages.values()]
