"""The settings dialog over fake services; what would block is held by gates that tests open."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kame_desktop.audio.base import MicTestResult
from kame_desktop.backend.llm.base import LlmModel, LlmTest
from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui import theme
from kame_desktop.ui.settings_dialog import SettingsDialog
from tests.fakes.session import FakeServices

PATIENCE_S = 10.0

OpenDialog = Callable[..., SettingsDialog]


class GatedServices(FakeServices):
    """Tests and recordings wait for ``gate``, which is open at first.

    Attributes:
        asked: Models that were tested, in order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.asked: list[str] = []
        self.models = [
            *self.models,
            LlmModel("gpt-4.1", "GPT-4.1", provider="openai"),
            LlmModel("claude-opus-4-1", "Claude Opus 4.1", provider="anthropic"),
        ]
        self.key_store.stored["openai"] = "sk-of-the-test-0123456789"

    def test_llm(self, model: LlmModel) -> LlmTest:
        self.asked.append(model.name)
        assert self.gate.wait(PATIENCE_S)
        return super().test_llm(model)

    def test_microphone(self, level: Callable[[float], None]) -> MicTestResult:
        level(-20.0)
        assert self.gate.wait(PATIENCE_S)
        return super().test_microphone(level)


@pytest.fixture
def services() -> Iterator[GatedServices]:
    """Four models of two providers; OpenAI's key is there."""
    made = GatedServices()
    yield made
    made.gate.set()


@pytest.fixture
def open_dialog(
    styled: QApplication, qtbot: QtBot, services: GatedServices, store: SettingsStore
) -> Iterator[OpenDialog]:
    """Opens the dialog at a page and waits until nothing is awaited; afterwards theme and text size are as before."""
    opened: list[SettingsDialog] = []

    def make(page: str = "audio", width: int = 900, height: int = 600) -> SettingsDialog:
        dialog = SettingsDialog(services, store)
        opened.append(dialog)
        dialog.resize(width, height)
        with qtbot.waitActive(dialog):
            dialog.show()
            dialog.activateWindow()
        dialog.show_page(page)
        qtbot.waitUntil(lambda: dialog.idle)
        return dialog

    yield make
    services.gate.set()
    for dialog in opened:
        dialog.close()
        dialog.deleteLater()
    styled.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    theme.set_font_scale(styled, 1.0)
    theme.choose_theme(styled, "system")


@pytest.fixture
def unwritable(tmp_path: Path) -> Path:
    """A settings file where a folder can't be made: its parent is a file."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    return tmp_path / "file" / "settings.json"
