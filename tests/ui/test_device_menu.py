"""Sound devices from the input menu, and what the state line says of clock and back end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from kame_desktop.core.settings import DeviceChoice, SettingsStore
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.rows import Phase
from tests.fakes.session import FakeServices
from tests.ui.happenings import answered, asked, failed, final, tick

OpenWindow = Callable[..., MainWindow]


def items(window: MainWindow, title: str) -> list[QAction]:
    (menu,) = [menu for menu in window.controls.input_menu.findChildren(QMenu) if menu.title() == title]
    return [action for action in menu.actions() if action.isCheckable()]


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow) -> MainWindow:
    """Its devices have been read."""
    window = open_window()
    window.input.look_for_devices()
    qtbot.waitUntil(lambda: len(items(window, "Loudspeaker used")) == 3)
    return window


def test_what_there_is(window: MainWindow):
    texts = [action.text() for action in items(window, "Loudspeaker used")]
    assert texts == ["System default (Speakers)", "Speakers (ALSA)", "Headset (ALSA)"]
    assert [action.isChecked() for action in items(window, "Loudspeaker used")] == [True, False, False]


def test_choice_is_kept_with_its_host_api(window: MainWindow, store: SettingsStore):
    items(window, "Loudspeaker used")[2].trigger()
    assert SettingsStore(store._path).load().audio.output_device == DeviceChoice(name="Headset", host_api="ALSA")
    assert [action.isChecked() for action in items(window, "Loudspeaker used")] == [False, False, True]
    items(window, "Loudspeaker used")[0].trigger()
    assert SettingsStore(store._path).load().audio.output_device is None


def test_one_that_is_not_there_is_named(qtbot: QtBot, open_window: OpenWindow, store: SettingsStore):
    store.settings.audio.input_device = DeviceChoice(name="USB desk & more", host_api="ALSA")
    window = open_window()
    window.input.look_for_devices()
    qtbot.waitUntil(lambda: len(items(window, "Microphone used")) == 3)
    shown = [action.text() for action in items(window, "Microphone used") if action.isChecked()]
    assert shown == ["USB desk && more (not connected)"]


def test_look_again(qtbot: QtBot, window: MainWindow, services: FakeServices):
    window.controls.devices.rescan_wanted.emit()
    qtbot.waitUntil(lambda: services.rescans == 1)


def test_offline_until_a_model_answers_again(qtbot: QtBot, window: MainWindow, services: FakeServices):
    window.toggle()
    qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
    services.session.publish(final(1, "Why?"), asked(1), failed(1), tick(65_000))
    qtbot.waitUntil(lambda: window.state_line.text == "Offline")
    assert "1:05" in window.state_line.numbers
    services.session.publish(asked(2), answered(2, "Because."))
    qtbot.waitUntil(lambda: window.state_line.text != "Offline")
