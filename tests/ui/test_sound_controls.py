"""Mute, push-to-talk and volume, by mouse and by key."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from kame_desktop.core import events as ev
from kame_desktop.core.events import MicrophoneClosed, SessionState
from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.rows import Phase
from tests.fakes.session import FakeServices
from tests.ui.happenings import tick

OpenWindow = Callable[..., MainWindow]


@pytest.fixture
def talking(qtbot: QtBot, open_window: OpenWindow) -> MainWindow:
    """A window with a running conversation."""
    window = open_window()
    window.toggle()
    qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
    return window


class TestMute:
    def test_by_key(self, qtbot: QtBot, talking: MainWindow, services: FakeServices):
        qtbot.keyClick(talking, Qt.Key.Key_M)
        assert services.session.controls[-1].muted
        assert talking.heads.microphone.text() != ""
        services.session.publish(ev.MicrophoneState(at_ms=1.0, closed=MicrophoneClosed.MUTED))
        qtbot.waitUntil(lambda: talking.heads.microphone.text() == "Muted")
        qtbot.keyClick(talking, Qt.Key.Key_M)
        assert not services.session.controls[-1].muted
        services.session.publish(ev.MicrophoneState(at_ms=2.0, closed=None))
        qtbot.waitUntil(lambda: talking.heads.microphone.text() == "Live")

    def test_before_the_start_it_holds_for_the_conversation(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        window.heads.microphone.click()
        assert window.heads.microphone.text() == "Muted"
        window.toggle()
        qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
        assert services.session.controls[0].muted

    def test_a_field_of_text_keeps_its_letters(self, qtbot: QtBot, talking: MainWindow, services: FakeServices):
        field = QLineEdit(talking)
        field.show()
        field.setFocus()
        before = len(services.session.controls)
        qtbot.keyClicks(field, "mum ")
        assert field.text() == "mum "
        assert len(services.session.controls) == before

    @pytest.mark.parametrize(
        ("closed", "words"),
        [
            (MicrophoneClosed.ASSISTANT_SPEAKS, "Waiting"),
            (MicrophoneClosed.NO_DEVICE, "No device"),
            (MicrophoneClosed.KEY_NOT_HELD, "Hold to talk"),
        ],
        ids=str,
    )
    def test_why_it_is_not_live(
        self, qtbot: QtBot, talking: MainWindow, services: FakeServices, closed: MicrophoneClosed, words: str
    ):
        services.session.publish(ev.MicrophoneState(at_ms=1.0, closed=closed))
        qtbot.waitUntil(lambda: talking.heads.microphone.text() == words)
        services.session.go(SessionState.IDLE)
        qtbot.waitUntil(lambda: talking.heads.microphone.text() == "Mute")


class TestPushToTalk:
    @pytest.fixture
    def pushing(self, talking: MainWindow, store: SettingsStore) -> MainWindow:
        """Push-to-talk was switched on in the settings."""
        store.settings.audio.push_to_talk = True
        talking.sound.take_settings()
        return talking

    def test_space_talks_while_it_is_held(self, qtbot: QtBot, pushing: MainWindow, services: FakeServices):
        held = lambda: [controls.talk_held for controls in services.session.controls[-2:]]  # noqa: E731
        qtbot.keyPress(pushing, Qt.Key.Key_Space)
        assert services.session.controls[-1].talk_held
        qtbot.keyPress(pushing, Qt.Key.Key_Space)
        qtbot.keyRelease(pushing, Qt.Key.Key_Space)
        assert held() == [True, False]

    def test_space_does_not_press_the_focused_button(self, qtbot: QtBot, pushing: MainWindow, services: FakeServices):
        pushing.controls.start.setFocus()
        qtbot.keyClick(pushing.controls.start, Qt.Key.Key_Space)
        assert services.session.stops == 0
        assert not services.session.controls[-1].talk_held

    def test_another_window_in_front_lets_go(self, qtbot: QtBot, pushing: MainWindow, services: FakeServices):
        qtbot.keyPress(pushing, Qt.Key.Key_Space)
        QApplication.sendEvent(pushing, QEvent(QEvent.Type.WindowDeactivate))
        assert not services.session.controls[-1].talk_held

    def test_typing_a_space(self, qtbot: QtBot, pushing: MainWindow, services: FakeServices):
        field = QLineEdit(pushing)
        field.show()
        field.setFocus()
        qtbot.keyClick(field, Qt.Key.Key_Space)
        assert field.text() == " "
        assert not any(controls.talk_held for controls in services.session.controls)

    def test_the_button_is_held_too(self, qtbot: QtBot, pushing: MainWindow, services: FakeServices):
        button = pushing.heads.microphone
        qtbot.mousePress(button, Qt.MouseButton.LeftButton)
        assert services.session.controls[-1].talk_held
        qtbot.mouseRelease(button, Qt.MouseButton.LeftButton)
        assert not services.session.controls[-1].talk_held
        assert not services.session.controls[-1].muted

    def test_switched_off_while_held(
        self, qtbot: QtBot, pushing: MainWindow, services: FakeServices, store: SettingsStore
    ):
        qtbot.keyPress(pushing, Qt.Key.Key_Space)
        store.settings.audio.push_to_talk = False
        pushing.sound.take_settings()
        assert not services.session.controls[-1].talk_held
        qtbot.keyRelease(pushing, Qt.Key.Key_Space)


class TestVolume:
    def test_is_heard_at_once_and_kept(
        self, qtbot: QtBot, talking: MainWindow, services: FakeServices, store: SettingsStore
    ):
        talking.heads.volume.slider.setValue(40)
        assert services.session.controls[-1].volume == pytest.approx(0.4)
        talking.heads.volume.settled.emit()
        assert SettingsStore(store._path).load().audio.volume == pytest.approx(0.4)

    def test_is_shown_at_the_start(self, open_window: OpenWindow, store: SettingsStore):
        store.settings.audio.volume = 0.25
        assert open_window().heads.volume.slider.value() == 25


class TestMeters:
    def test_peak_is_held_then_falls(self, qtbot: QtBot, talking: MainWindow):
        meter = talking.heads.input_level
        meter.set_level(-30.0, -12.0)
        meter.set_level(-50.0, -48.0)
        assert meter.fraction == pytest.approx(1 / 6)
        assert meter.peak_fraction == pytest.approx(0.8)
        for _ in range(30):
            meter.set_level(-50.0, -48.0)
        assert meter.peak_fraction == pytest.approx(0.2)

    def test_peak_comes_with_the_level(self, qtbot: QtBot, talking: MainWindow, services: FakeServices):
        services.session.publish(tick(100.0, -30.0))
        qtbot.waitUntil(lambda: talking.heads.input_level.fraction == pytest.approx(0.5))


class TestDevices:
    def test_lost_and_back(self, qtbot: QtBot, talking: MainWindow, services: FakeServices):
        services.session.publish(
            ev.DeviceLost(
                at_ms=1.0,
                component="microphone",
                name="Headset",
                what="The microphone 'Headset' went away.",
                remedy="Plug it in again.",
            )
        )
        qtbot.waitUntil(lambda: "microphone" in talking.error_bar.lines)
        services.session.publish(
            ev.DeviceChanged(at_ms=2.0, input_name="Desk", output_name="Desk", because="'Desk' is used instead.")
        )
        qtbot.waitUntil(lambda: "microphone" not in talking.error_bar.lines)
        assert "'Desk' is used instead." in talking.error_bar.lines["sound"].text
        assert "Desk → Desk" in talking.foot.text
