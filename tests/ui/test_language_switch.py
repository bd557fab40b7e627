"""The window changes its language while it is there, and takes nothing away by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui import theme, translation
from kame_desktop.ui.rows import Phase
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.settings_dialog.appearance_page import AppearancePage
from kame_desktop.ui.window_keeper import WindowKeeper
from tests.fakes.session import FakeServices
from tests.recordings.folders import write_folder
from tests.ui.happenings import final, said


class TestSwitching:
    @pytest.fixture
    def keeper(
        self, styled: QApplication, services: FakeServices, store: SettingsStore, qtbot: QtBot
    ) -> Iterator[WindowKeeper]:
        """The window in English."""
        store.settings.appearance.language = "en"
        store.settings.window.set_up = True
        keeper = WindowKeeper(styled, services, store)
        with qtbot.waitExposed(keeper.window):
            keeper.window.show()
        yield keeper
        keeper.shut_down()
        keeper.window.close()
        keeper.window.deleteLater()
        keeper.deleteLater()
        translation.install(styled, "en")
        theme.choose_theme(styled, "system")

    @staticmethod
    def choose(keeper: WindowKeeper, store: SettingsStore, code: str | None) -> None:
        store.settings.appearance.language = code
        keeper.window.dialogs.settings_changed.emit("appearance")

    def test_the_window_speaks_the_new_language_and_shows_the_same_conversation(
        self, qtbot: QtBot, keeper: WindowKeeper, services: FakeServices, store: SettingsStore
    ):
        services.script = [final(1, "Why is the sky blue?"), *said("Because of the air.", None)]
        window = keeper.window
        window.toggle()
        qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
        window.toggle()
        qtbot.waitUntil(lambda: not window.controller.active)
        window.sound.set_muted(True)
        with qtbot.waitSignal(keeper.replaced):
            self.choose(keeper, store, "es")
        assert keeper.window is not window
        assert keeper.window.controls.start.text() == "Empezar"
        assert keeper.window.isVisible()
        assert not window.isVisible()
        assert keeper.window.model.as_text() == window.model.as_text() != ""
        assert list(keeper.window.conversation.rows) == [1]
        assert keeper.window.sound.controls.muted
        with qtbot.waitSignal(keeper.replaced):
            self.choose(keeper, store, "en")
        assert keeper.window.controls.start.text() == "Start"

    @pytest.mark.qt_log_ignore("does not support", extend=True)  # the offscreen platform can't raise a window
    def test_from_the_settings_which_stay_open(self, qtbot: QtBot, keeper: WindowKeeper, store: SettingsStore):
        keeper.window.dialogs.show_settings("appearance")
        page = keeper.window.findChild(AppearancePage)
        assert page is not None
        with qtbot.waitSignal(keeper.replaced):
            page.language.pick("es")
        assert store.settings.appearance.language == "es"
        dialog = keeper.window.findChild(SettingsDialog)
        assert dialog is not None
        assert (dialog.windowTitle(), dialog.page.key) == ("Ajustes", "appearance")
        again = keeper.window.findChild(AppearancePage)
        assert again is not None
        assert again.language.currentText() == "Español"

    def test_a_conversation_is_never_ended_for_it(
        self, qtbot: QtBot, keeper: WindowKeeper, services: FakeServices, store: SettingsStore
    ):
        window = keeper.window
        window.toggle()
        qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
        self.choose(keeper, store, "es")
        qtbot.waitUntil(lambda: keeper.waiting)
        assert keeper.window is window
        assert services.session.stops == 0
        with qtbot.waitSignal(keeper.replaced):
            window.toggle()
        assert not keeper.waiting
        assert keeper.window.controls.start.text() == "Empezar"

    def test_a_recording_that_is_open_stays_open(
        self, qtbot: QtBot, keeper: WindowKeeper, store: SettingsStore, tmp_path: Path
    ):
        window = keeper.window
        window.replay.open(write_folder(tmp_path / "recording", [final(1, "Why is the sky blue?")]))
        qtbot.waitUntil(lambda: window.replay.active)
        self.choose(keeper, store, "es")
        qtbot.waitUntil(lambda: keeper.waiting)
        assert keeper.window is window
        with qtbot.waitSignal(keeper.replaced):
            window.replay.close()

    def test_one_who_changes_their_mind_meanwhile_keeps_the_window(
        self, qtbot: QtBot, keeper: WindowKeeper, services: FakeServices, store: SettingsStore
    ):
        window = keeper.window
        window.toggle()
        qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
        self.choose(keeper, store, "es")
        qtbot.waitUntil(lambda: keeper.waiting)
        self.choose(keeper, store, "en")
        qtbot.waitUntil(lambda: not keeper.waiting)
        assert keeper.window is window

    def test_other_settings_leave_the_window_alone(self, qtbot: QtBot, keeper: WindowKeeper, store: SettingsStore):
        window = keeper.window
        store.settings.appearance.font_scale = 1.15
        with qtbot.assertNotEmitted(keeper.replaced, wait=50):
            keeper.window.dialogs.settings_changed.emit("appearance")
        assert keeper.window is window

    def test_closing_while_it_waits_ends_the_program_in_the_old_language(
        self, qtbot: QtBot, keeper: WindowKeeper, store: SettingsStore
    ):
        window = keeper.window
        window.toggle()
        qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
        self.choose(keeper, store, "es")
        qtbot.waitUntil(lambda: keeper.waiting)
        keeper.close()
        qtbot.waitUntil(lambda: not window.isVisible())
        assert keeper.window is window

    def test_the_program_goes_on(self, qtbot: QtBot, styled: QApplication, keeper: WindowKeeper, store: SettingsStore):
        styled.setQuitOnLastWindowClosed(True)
        with qtbot.assertNotEmitted(styled.aboutToQuit), qtbot.waitSignal(keeper.replaced):
            self.choose(keeper, store, "es")
        assert styled.quitOnLastWindowClosed()
        buttons = [button.text() for button in keeper.window.empty.findChildren(QPushButton)]
        assert " Empezar a hablar" in buttons
