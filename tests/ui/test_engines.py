"""Engines that need more than is here: said plainly, asked for with consent, then the conversation begins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from kame_desktop.core.errors import MissingPackageError
from kame_desktop.core.settings import SettingsStore
from kame_desktop.frontends.registry import EngineInfo
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.rows import Phase
from kame_desktop.ui.widgets.download_dialog import DownloadDialog
from tests.fakes.session import FakeServices
from tests.ui.test_download_dialog import FakeWeights

OpenWindow = Callable[..., MainWindow]


class BigEngine(FakeServices):
    """Has an engine ``kame`` besides, whose weights may be missing until the settings name a folder."""

    def __init__(self, store: SettingsStore) -> None:
        super().__init__()
        self.store = store
        self.given: Any = FakeWeights()

    def engines(self) -> list[EngineInfo]:
        return [*super().engines(), EngineInfo("kame", "KAME")]

    def weights_to_get(self, engine: str) -> str | None:
        return None if engine in self.store.settings.checkpoints else super().weights_to_get(engine)

    def weights(self) -> Any:
        return self.given


@pytest.fixture
def services(store: SettingsStore) -> BigEngine:
    return BigEngine(store)


@pytest.fixture
def window(open_window: OpenWindow) -> MainWindow:
    opened = open_window()
    opened.choose_engine("kame")
    return opened


def test_an_engine_that_lacks_a_package_says_so_and_nothing_starts(services: BigEngine, window: MainWindow) -> None:
    services.engine_problems["kame"] = MissingPackageError("torch is not installed.", "Run make gpu.")
    window.toggle()
    assert [error.remedy for error in window.model.errors.shown] == ["Run make gpu."]
    assert services.sessions == []


def test_missing_weights_are_asked_for_and_a_chosen_folder_is_remembered(
    qtbot: QtBot, services: BigEngine, window: MainWindow, store: SettingsStore
) -> None:
    services.missing_weights["kame"] = "kame"
    window.toggle()
    dialog = window.findChild(DownloadDialog)
    assert dialog is not None
    assert services.sessions == []
    dialog.use_folder(Path("/mine"))
    qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
    assert store.settings.checkpoints == {"kame": "/mine"}
    assert services.session.request.engine == "kame"


def test_weights_that_are_here_let_the_conversation_begin_at_once(
    qtbot: QtBot, services: BigEngine, window: MainWindow
) -> None:
    window.toggle()
    qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
    assert services.session.request.engine == "kame"


def test_the_window_closes_while_weights_are_asked_for(qtbot: QtBot, services: BigEngine, window: MainWindow) -> None:
    services.missing_weights["kame"] = "kame"
    services.given.holds_plan = True
    window.toggle()
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert services.sessions == []
