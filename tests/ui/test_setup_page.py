"""The first run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from kame_desktop.core.errors import MissingError
from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.settings_dialog.parts import Note
from kame_desktop.ui.setup_page import SetupPage
from tests.fakes.session import FakeServices

OpenWindow = Callable[..., MainWindow]


@pytest.fixture
def setup(open_window: OpenWindow) -> SetupPage:
    """Of a window that was never set up."""
    window = open_window(900, 600)
    window.show_setup()
    page = window.findChild(SetupPage)
    assert isinstance(page, SetupPage)
    return page


def notes(page: SetupPage) -> list[str]:
    return [note.text for note in page.findChildren(Note) if note.text]


def test_stands_before_the_first_conversation(setup: SetupPage):
    assert setup.isVisible()
    assert setup.done.isVisible()
    assert setup.area.verticalScrollBar().maximum() < 400


def test_microphone_test(qtbot: QtBot, setup: SetupPage):
    setup.mic_test.record.click()
    qtbot.waitUntil(lambda: setup.mic_test.verdict.text == "Good.")


def test_headphones_hold_at_once(setup: SetupPage, store: SettingsStore):
    setup.headphones.setChecked(True)
    window = setup.window()
    assert isinstance(window, MainWindow)
    assert window.sound.controls.headphones


def test_says_which_engines_run_here(open_window: OpenWindow, services: FakeServices):
    services.engine_problems["cascade"] = MissingError("The package 'torch' is not installed.", "Install it.")
    window = open_window()
    window.show_setup()
    page = window.findChild(SetupPage)
    assert isinstance(page, SetupPage)
    assert "Ready on this computer: Lite." in notes(page)
    assert any(text.startswith("Cascade: not here. The package 'torch'") for text in notes(page))


def test_key_leads_to_the_settings(qtbot: QtBot, setup: SetupPage):
    setup.settings_wanted.disconnect()
    with qtbot.waitSignal(setup.settings_wanted) as wanted:
        setup.key.click()
    assert wanted.args == ["keys"]


@pytest.mark.parametrize("button", ["skip", "done"])
def test_never_comes_again(
    button: str, setup: SetupPage, open_window: OpenWindow, store: SettingsStore, services: FakeServices
):
    window = setup.window()
    assert isinstance(window, MainWindow)
    getattr(setup, button).click()
    assert window.empty.isVisible()
    store.load()
    assert store.settings.window.set_up
    again = open_window()
    again.show_setup()
    assert again.findChild(SetupPage) is None


def test_a_first_question_is_answer_enough(qtbot: QtBot, setup: SetupPage, services: FakeServices):
    window = setup.window()
    assert isinstance(window, MainWindow)
    window.toggle()
    qtbot.waitUntil(lambda: window.controller.active)
    assert window.page.waiting.isVisible()
