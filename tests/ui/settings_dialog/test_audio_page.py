"""Devices, switches, volume, and the microphone test."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from kame_desktop.audio.base import DeviceChoiceInfo, DeviceList
from kame_desktop.core.errors import DeviceError
from kame_desktop.core.settings import DeviceChoice, SettingsStore
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.settings_dialog.audio_page import AudioPage
from kame_desktop.ui.settings_dialog.parts import Picker, SettingRow
from tests.ui.settings_dialog.conftest import GatedServices, OpenDialog


def page_of(dialog: SettingsDialog) -> AudioPage:
    page = dialog.pages["audio"]
    assert isinstance(page, AudioPage)
    return page


def texts(picker: Picker) -> list[str]:
    return [picker.itemText(index) for index in range(picker.count())]


def test_devices_are_offered_with_their_host_api(open_dialog: OpenDialog, store: SettingsStore):
    page = page_of(open_dialog())
    assert texts(page.output) == ["System default (Speakers)", "Speakers (ALSA)", "Headset (ALSA)"]
    assert page.output.value is None
    page.output.pick(DeviceChoice(name="Headset", host_api="ALSA"))
    assert store.settings.audio.output_device == DeviceChoice(name="Headset", host_api="ALSA")
    page.output.pick(None)
    assert store.settings.audio.output_device is None


def test_a_remembered_device_that_is_gone_stays_chosen_and_says_so(open_dialog: OpenDialog, store: SettingsStore):
    gone = DeviceChoice(name="Yeti Nano", host_api="ALSA")
    store.settings.audio.input_device = gone
    page = page_of(open_dialog())
    assert page.input.currentText() == "Yeti Nano (not connected)"
    assert store.settings.audio.input_device == gone


def test_a_remembered_device_of_any_host_api_is_found(open_dialog: OpenDialog, store: SettingsStore):
    store.settings.audio.output_device = DeviceChoice(name="Headset")
    assert page_of(open_dialog()).output.currentText() == "Headset (ALSA)"


def test_rescan_looks_again(qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog, store: SettingsStore):
    store.settings.audio.input_device = DeviceChoice(name="Yeti Nano", host_api="ALSA")
    dialog = open_dialog()
    page = page_of(dialog)
    services.devices = DeviceList(inputs=(DeviceChoiceInfo("Yeti Nano", "ALSA", 48_000, 2, default=True),))
    page.rescan.click()
    assert not page.rescan.isEnabled()
    qtbot.waitUntil(lambda: dialog.idle)
    assert services.rescans == 1
    assert page.rescan.isEnabled()
    assert page.input.currentText() == "Yeti Nano (ALSA)"


def test_no_devices_is_said_with_a_remedy(services: GatedServices, open_dialog: OpenDialog):
    services.devices = DeviceList(problem="PortAudio isn't installed. Install it.")
    page = page_of(open_dialog())
    assert page.problem.text == "PortAudio isn't installed. Install it."
    assert texts(page.input) == ["System default"]


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("headphones", "headphones"),
        ("echo", "echo_cancellation"),
        ("noise", "noise_suppression"),
        ("gain", "automatic_gain"),
        ("push_to_talk", "push_to_talk"),
        ("mute_while_speaking", "mute_while_speaking"),
    ],
)
def test_a_switch_is_its_setting(open_dialog: OpenDialog, store: SettingsStore, name: str, field: str):
    switch = getattr(page_of(open_dialog()), name)
    before = getattr(store.settings.audio, field)
    assert switch.isChecked() == before
    switch.click()
    assert getattr(store.settings.audio, field) is not before
    switch.click()
    assert getattr(store.settings.audio, field) is before


def test_headphones_put_echo_cancellation_out_of_use_without_changing_it(open_dialog: OpenDialog, store: SettingsStore):
    page = page_of(open_dialog())
    page.headphones.click()
    row = page.echo.parent()
    assert isinstance(row, SettingRow)
    assert not page.echo.isEnabled()
    assert "headphones" in row.hint.text()
    assert store.settings.audio.echo_cancellation
    page.headphones.click()
    assert page.echo.isEnabled()


def test_volume(open_dialog: OpenDialog, store: SettingsStore):
    page = page_of(open_dialog())
    page.volume.setValue(35)
    assert store.settings.audio.volume == 0.35
    assert page.volume_text.text() == "35 %"


def test_microphone_test_shows_level_then_verdict_and_plays_back(
    qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog
):
    services.gate.clear()
    dialog = open_dialog()
    test = page_of(dialog).test
    assert not test.play.isEnabled()
    test.record.click()
    qtbot.waitUntil(lambda: test.meter.fraction > 0)
    assert not test.record.isEnabled()
    services.gate.set()
    qtbot.waitUntil(lambda: dialog.idle)
    assert test.verdict.text == "Good."
    assert "-61 dBFS" in test.numbers.text()
    assert test.meter.fraction == 0
    test.play.click()
    qtbot.waitUntil(lambda: dialog.idle)
    assert services.played == [services.mic_result]
    assert test.record.isEnabled()


def test_a_failing_microphone_is_said(qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog):
    services.mic_result = DeviceError("The microphone is in use.", "Close the other program.")
    dialog = open_dialog()
    test = page_of(dialog).test
    test.record.click()
    qtbot.waitUntil(lambda: dialog.idle)
    assert test.verdict.text == "The microphone is in use. Close the other program."
    assert test.record.isEnabled()
    assert not test.play.isEnabled()
