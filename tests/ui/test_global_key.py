"""The key to talk from anywhere: in the window, on a real X server, through a portal, and by Windows' rules."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kame_desktop.core.errors import AppError
from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui.global_key import GlobalKey, GlobalTalkKey, make_global_key
from kame_desktop.ui.global_key.base import OnChange, OnProblem, refused
from kame_desktop.ui.global_key.windows import ALREADY_REGISTERED, WindowsKey
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.rows import Phase
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.settings_dialog.audio_page import AudioPage
from kame_desktop.ui.settings_dialog.parts import SettingRow
from tests.fakes.session import FakeServices
from tests.ui.virtual_display import VirtualDisplay, needs_virtual_display

OpenWindow = Callable[..., MainWindow]
PATIENCE_S = 30.0
T = TypeVar("T")

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="a way to the key that only Linux has")


class FakeGlobalKey:
    """A key that tests press, from threads of their own as the real ones do."""

    def __init__(self) -> None:
        self.problem: AppError | None = None
        self.on_change: OnChange | None = None
        self.on_problem: OnProblem | None = None
        self.stops = 0

    def start(self, on_change: OnChange, on_problem: OnProblem) -> None:
        assert self.on_change is None, "started twice"
        self.on_change, self.on_problem = on_change, on_problem

    def stop(self) -> None:
        self.stops += 1

    def press(self, held: bool) -> None:
        """The key goes down or up."""
        assert self.on_change is not None
        _elsewhere(self.on_change, held)

    def refuse(self, error: AppError) -> None:
        """It isn't possible."""
        assert self.on_problem is not None
        _elsewhere(self.on_problem, error)


def _elsewhere(call: Callable[[T], None], value: T) -> None:
    thread = threading.Thread(target=call, args=(value,))
    thread.start()
    thread.join()


class Keys:
    """Makes fake keys; ``made`` has them all."""

    def __init__(self) -> None:
        self.made: list[FakeGlobalKey] = []

    def __call__(self) -> GlobalKey:
        self.made.append(FakeGlobalKey())
        return self.made[-1]


class TestInTheWindow:
    @pytest.fixture
    def keys(self) -> Keys:
        return Keys()

    @pytest.fixture
    def window(self, qtbot: QtBot, open_window: OpenWindow) -> MainWindow:
        """A running conversation."""
        window = open_window()
        window.toggle()
        qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
        return window

    @pytest.fixture
    def talk_key(self, window: MainWindow, keys: Keys, store: SettingsStore) -> Iterator[GlobalTalkKey]:
        """Both settings are on."""
        store.settings.audio.push_to_talk = True
        store.settings.audio.global_talk_key = True
        window.sound.take_settings()
        talk_key = GlobalTalkKey(window.sound, store, keys, window)
        yield talk_key
        talk_key.close()

    @pytest.mark.usefixtures("talk_key")
    def test_talks_while_it_is_held(self, qtbot: QtBot, keys: Keys, services: FakeServices):
        keys.made[0].press(True)
        qtbot.waitUntil(lambda: services.session.controls[-1].talk_held)
        keys.made[0].press(False)
        qtbot.waitUntil(lambda: not services.session.controls[-1].talk_held)

    @pytest.mark.parametrize("field", ["push_to_talk", "global_talk_key"])
    def test_there_is_none_unless_both_switches_are_on(
        self, window: MainWindow, keys: Keys, store: SettingsStore, talk_key: GlobalTalkKey, field: str
    ):
        setattr(store.settings.audio, field, False)
        talk_key.take_settings()
        assert keys.made[0].stops == 1
        GlobalTalkKey(window.sound, store, keys, window)
        assert len(keys.made) == 1

    def test_switched_off_while_held(
        self, qtbot: QtBot, keys: Keys, services: FakeServices, store: SettingsStore, talk_key: GlobalTalkKey
    ):
        keys.made[0].press(True)
        qtbot.waitUntil(lambda: services.session.controls[-1].talk_held)
        store.settings.audio.global_talk_key = False
        talk_key.take_settings()
        assert not services.session.controls[-1].talk_held

    def test_what_was_pressed_before_the_end_talks_no_more(
        self, qtbot: QtBot, keys: Keys, services: FakeServices, store: SettingsStore, talk_key: GlobalTalkKey
    ):
        keys.made[0].press(True)  # its signal waits for the event loop
        store.settings.audio.global_talk_key = False
        talk_key.take_settings()
        store.settings.audio.global_talk_key = True
        talk_key.take_settings()
        assert len(keys.made) == 2
        keys.made[1].press(False)
        qtbot.wait(1)
        assert not any(controls.talk_held for controls in services.session.controls)

    def test_a_refusal_is_told_once_and_tried_again_when_the_user_says_so(
        self, qtbot: QtBot, keys: Keys, store: SettingsStore, talk_key: GlobalTalkKey
    ):
        error = refused("Another program has it.")
        with qtbot.waitSignal(talk_key.failed) as told:
            keys.made[0].refuse(error)
        assert told.args == [error]
        talk_key.take_settings()
        assert len(keys.made) == 1
        for on in (False, True):
            store.settings.audio.global_talk_key = on
            talk_key.take_settings()
        assert len(keys.made) == 2

    def test_closing_gives_it_back_for_good(self, keys: Keys, talk_key: GlobalTalkKey):
        talk_key.close()
        talk_key.take_settings()
        talk_key.close()
        assert [key.stops for key in keys.made] == [1]


@on_linux
class TestInTheSettings:
    @pytest.fixture
    def open_page(
        self,
        qtbot: QtBot,
        monkeypatch: pytest.MonkeyPatch,
        styled: QApplication,
        services: FakeServices,
        store: SettingsStore,
    ) -> Iterator[Callable[..., AudioPage]]:
        """Opens the page about sound, on a desktop with this environment."""
        dialogs: list[SettingsDialog] = []

        def run(**environment: str) -> AudioPage:
            for name in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
                monkeypatch.delenv(name, raising=False)
            for name, value in environment.items():
                monkeypatch.setenv(name, value)
            dialog = SettingsDialog(services, store)
            qtbot.addWidget(dialog)
            dialogs.append(dialog)
            page = dialog.pages["audio"]
            assert isinstance(page, AudioPage)
            return page

        yield run
        for dialog in dialogs:
            dialog.shut_down()

    def test_it_belongs_to_push_to_talk(self, open_page: Callable[..., AudioPage], store: SettingsStore):
        page = open_page(DISPLAY=":0")
        assert not page.talk_anywhere.isEnabled()
        page.push_to_talk.click()
        page.talk_anywhere.click()
        assert store.settings.audio.global_talk_key
        page.push_to_talk.click()
        assert not page.talk_anywhere.isEnabled()

    def test_why_it_is_impossible_here(self, open_page: Callable[..., AudioPage], store: SettingsStore):
        store.settings.audio.push_to_talk = True
        page = open_page()
        row = page.talk_anywhere.parent()
        assert isinstance(row, SettingRow)
        assert (
            row.hint.text()
            == "There is no desktop here that a key could be had from. In the window, the Space key works."
        )
        assert not page.talk_anywhere.isEnabled()

    def test_what_became_impossible_can_be_switched_off(
        self, open_page: Callable[..., AudioPage], store: SettingsStore
    ):
        store.settings.audio.push_to_talk = store.settings.audio.global_talk_key = True
        page = open_page()
        page.talk_anywhere.click()
        assert not store.settings.audio.global_talk_key
        assert not page.talk_anywhere.isEnabled()


class Told:
    """What a key says, in order."""

    def __init__(self) -> None:
        self._said: queue.Queue[bool | AppError] = queue.Queue()

    def start(self, key: GlobalKey) -> None:
        key.start(self._said.put, self._said.put)

    def next(self, patience_s: float = PATIENCE_S) -> bool | AppError:
        return self._said.get(timeout=patience_s)

    def problem(self) -> str:
        said = self.next()
        assert isinstance(said, AppError), said
        assert said.remedy
        return said.what

    @property
    def empty(self) -> bool:
        return self._said.empty()


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def stopping() -> Iterator[list[GlobalKey]]:
    """Keys to end after the test."""
    keys: list[GlobalKey] = []
    yield keys
    for key in keys:
        key.stop()


class TestChoice:
    @pytest.mark.parametrize(
        ("platform", "environment", "words"),
        [
            ("darwin", {}, "Input Monitoring"),
            ("linux", {}, "no desktop"),
        ],
    )
    def test_where_it_is_impossible(self, told: Told, platform: str, environment: dict[str, str], words: str):
        key = make_global_key(platform, environment)
        assert key.problem is not None
        assert words in key.problem.what
        assert "Space key works" in key.problem.remedy
        told.start(key)
        assert words in told.problem()
        key.stop()

    @on_linux
    @pytest.mark.parametrize(
        ("environment", "kind"),
        [
            ({"DISPLAY": ":0"}, "X11Key"),
            ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "PortalKey"),
            ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"}, "PortalKey"),
        ],
    )
    def test_a_wayland_desktop_has_an_x_server_that_does_not_count(self, environment: dict[str, str], kind: str):
        key = make_global_key("linux", environment)
        assert type(key).__name__ == kind
        assert key.problem is None
        key.stop()


def press_until_told(display: VirtualDisplay, told: Told) -> None:
    """Press the key and let it go, again if it wasn't taken yet."""
    deadline_s = time.monotonic() + PATIENCE_S
    while True:
        display.keys("down ctrl", "down alt", "down space", "up space", "up alt", "up ctrl")
        try:
            assert told.next(1.0) is True
        except queue.Empty:
            assert time.monotonic() < deadline_s, "the key never came"
        else:
            assert told.next() is False
            return


@on_linux
@needs_virtual_display
class TestX11:
    @pytest.fixture
    def display(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[VirtualDisplay]:
        display = VirtualDisplay()
        monkeypatch.setenv("DISPLAY", display.name)
        yield display
        display.end()

    @pytest.fixture
    def start(self, told: Told, stopping: list[GlobalKey], display: VirtualDisplay) -> Callable[[], GlobalKey]:
        """Starts the key and presses it until the server has given it to it."""

        def run() -> GlobalKey:
            key = make_global_key("linux", {"DISPLAY": display.name})
            stopping.append(key)
            told.start(key)
            press_until_told(display, told)
            return key

        return run

    def test_a_key_that_repeats_itself_is_one_press_until_space_is_let_go(
        self, start: Callable[[], GlobalKey], display: VirtualDisplay, told: Told
    ):
        start()
        display.keys("down ctrl", "down alt", "down space")
        assert told.next() is True
        time.sleep(1.2)  # the server repeats a key after 660 ms, 25 times a second
        display.keys("up alt", "up ctrl")
        assert told.empty
        display.keys("up space")
        assert told.next() is False
        assert told.empty

    @pytest.mark.parametrize("lock", ["Num_Lock", "Caps_Lock"])
    def test_locks_make_no_difference(
        self, start: Callable[[], GlobalKey], display: VirtualDisplay, told: Told, lock: str
    ):
        start()
        display.keys(f"down {lock}", f"up {lock}", "down ctrl", "down alt", "down space", "up space")
        assert (told.next(), told.next()) == (True, False)

    def test_other_keys_are_not_taken(self, start: Callable[[], GlobalKey], display: VirtualDisplay, told: Told):
        start()
        display.keys("down space", "up space", "down ctrl", "down space", "up space", "down alt", "down a", "up a")
        display.keys("down space", "up space")
        assert (told.next(), told.next()) == (True, False)
        assert told.empty

    def test_another_program_has_it(self, start: Callable[[], GlobalKey], stopping: list[GlobalKey]):
        start()
        second, told = make_global_key("linux", {"DISPLAY": ":x"}), Told()
        stopping.append(second)
        told.start(second)
        assert "Another program uses Ctrl+Alt+Space" in told.problem()
        assert second.problem is not None

    def test_it_is_given_back(self, start: Callable[[], GlobalKey], stopping: list[GlobalKey]):
        start().stop()
        start()

    def test_a_layout_without_it(self, display: VirtualDisplay, tmp_path: Path, told: Told, stopping: list[GlobalKey]):
        display.relabel(tmp_path, SPCE="a")
        key = make_global_key("linux", {"DISPLAY": display.name})
        stopping.append(key)
        told.start(key)
        assert "no Space key" in told.problem()

    def test_a_layout_that_changes_while_it_is_ours(
        self, start: Callable[[], GlobalKey], display: VirtualDisplay, tmp_path: Path, told: Told
    ):
        start()
        display.relabel(tmp_path, SPCE="a", AC01="space")
        press_until_told(display, told)

    def test_a_layout_that_changes_while_it_is_held(
        self, start: Callable[[], GlobalKey], display: VirtualDisplay, tmp_path: Path, told: Told
    ):
        start()
        display.keys("down ctrl", "down alt", "down space")
        assert told.next() is True
        display.relabel(tmp_path, SPCE="a", AC01="space")
        assert told.next() is False
        assert told.empty

    def test_the_server_goes_away_while_it_is_held(
        self, start: Callable[[], GlobalKey], display: VirtualDisplay, told: Told
    ):
        start()
        display.keys("down ctrl", "down alt", "down space")
        assert told.next() is True
        display.end()
        assert told.next() is False
        assert "X server can't be reached" in told.problem()

    def test_there_is_no_server(self, monkeypatch: pytest.MonkeyPatch, told: Told, stopping: list[GlobalKey]):
        monkeypatch.setenv("DISPLAY", ":59999")
        key = make_global_key("linux", {"DISPLAY": ":59999"})
        stopping.append(key)
        told.start(key)
        assert "X server can't be reached" in told.problem()


class FakeHotKey:
    """The system's side. ``error``: what taking the keys answers."""

    def __init__(self, error: int = 0) -> None:
        self.error = error
        self.down = threading.Event()
        self.released = threading.Event()
        self._messages: queue.Queue[bool] = queue.Queue()

    def press(self) -> None:
        self.down.set()
        self._messages.put(True)

    def register(self) -> int:
        return self.error

    def wait(self) -> bool:
        return self._messages.get(timeout=PATIENCE_S)

    def is_down(self) -> bool:
        return self.down.is_set()

    def release(self) -> None:
        self.released.set()

    def wake(self) -> None:
        self._messages.put(False)


class TestWindows:
    def test_held_and_let_go(self, told: Told, stopping: list[GlobalKey]):
        hot_key = FakeHotKey()
        key = WindowsKey(hot_key)
        stopping.append(key)
        told.start(key)
        for _ in range(2):
            hot_key.press()
            assert told.next() is True
            hot_key.down.clear()
            assert told.next() is False

    def test_stopped_while_held(self, told: Told):
        hot_key = FakeHotKey()
        key = WindowsKey(hot_key)
        told.start(key)
        hot_key.press()
        assert told.next() is True
        key.stop()
        assert hot_key.released.wait(PATIENCE_S)
        key.stop()
        assert told.empty

    @pytest.mark.parametrize(("error", "words"), [(ALREADY_REGISTERED, "Another program"), (5, "(error 5)")])
    def test_refused(self, told: Told, stopping: list[GlobalKey], error: int, words: str):
        key = WindowsKey(FakeHotKey(error))
        stopping.append(key)
        told.start(key)
        assert words in told.problem()


class TestOfTheWindow:
    @pytest.fixture
    def keys(self) -> Keys:
        return Keys()

    @pytest.fixture
    def window(
        self, styled: QApplication, qtbot: QtBot, services: FakeServices, store: SettingsStore, keys: Keys
    ) -> Iterator[MainWindow]:
        """Both settings are on."""
        store.settings.audio.push_to_talk = store.settings.audio.global_talk_key = True
        window = MainWindow(services, store, global_key=keys)
        qtbot.addWidget(window)
        window.show()
        yield window
        window.shut_down()

    def test_it_talks(self, qtbot: QtBot, window: MainWindow, keys: Keys):
        keys.made[0].press(True)
        qtbot.waitUntil(lambda: window.sound.controls.talk_held)

    def test_the_settings_end_it(self, window: MainWindow, keys: Keys, store: SettingsStore):
        store.settings.audio.global_talk_key = False
        window.dialogs.settings_changed.emit("audio")
        assert keys.made[0].stops == 1

    def test_why_it_is_impossible_is_shown(self, qtbot: QtBot, window: MainWindow, keys: Keys):
        keys.made[0].refuse(refused("Another program has it."))
        qtbot.waitUntil(lambda: "talk-key" in window.error_bar.lines)
        assert "Another program has it." in window.error_bar.lines["talk-key"].text

    def test_it_ends_with_the_window(self, window: MainWindow, keys: Keys):
        window.close()
        assert keys.made[0].stops == 1
        assert len(keys.made) == 1
