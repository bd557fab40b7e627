"""Qt offscreen. Missing system libraries are an error, never a skip; so is anything that Qt warns of."""

from __future__ import annotations

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui import theme
from kame_desktop.ui.app import prepare_application
from kame_desktop.ui.main_window import MainWindow
from tests.fakes.session import FakeServices

_HERE = Path(__file__).parent

OpenWindow = Callable[..., MainWindow]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
            # The offscreen platform says so of every window with a smallest size; desktops' platforms have them.
            item.add_marker(pytest.mark.qt_log_ignore("does not support propagateSizeHints"))


@pytest.fixture
def styled(qapp: QApplication) -> Iterator[QApplication]:
    """The application in its own style; afterwards nothing of a window is left."""
    prepare_application(qapp)
    theme.choose_theme(qapp, "system")
    theme.apply_theme(qapp, theme.LIGHT)
    yield qapp
    theme.set_contrast(qapp, strong=False)
    theme.set_font_scale(qapp, 1.0)
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    qapp.processEvents()
    assert [thread.name for thread in threading.enumerate() if thread.name == "wait-stopped"] == []


@pytest.fixture
def services(tmp_path: Path) -> FakeServices:
    """Two sample questions, of which one has known words."""
    samples = [tmp_path / "question_1.wav", tmp_path / "question_2.wav"]
    (tmp_path / "questions.tsv").write_text("question_1.wav\tWhat is the capital of France?\n", encoding="utf-8")
    return FakeServices(samples)


@pytest.fixture
def store(tmp_path: Path) -> SettingsStore:
    """Settings in a file of their own."""
    return SettingsStore(tmp_path / "settings" / "settings.json")


@pytest.fixture
def open_window(
    styled: QApplication, qtbot: QtBot, services: FakeServices, store: SettingsStore
) -> Iterator[OpenWindow]:
    """Opens windows; ends their sessions afterwards."""
    opened: list[MainWindow] = []

    def make(width: int = 1000, height: int = 680) -> MainWindow:
        window = MainWindow(services, store)
        qtbot.addWidget(window)
        window.resize(width, height)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        opened.append(window)
        return window

    yield make
    for window in opened:
        window.shut_down()
