"""Sound devices, what is done to the sound, and how the microphone is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QT_TRANSLATE_NOOP, Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from kame_desktop.audio.base import DeviceChoiceInfo, DeviceList
from kame_desktop.core.errors import AppError
from kame_desktop.core.settings import AudioSettings, DeviceChoice
from kame_desktop.ui.global_key import KEYS, make_global_key
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.settings_dialog.context import Context, reset_fields
from kame_desktop.ui.settings_dialog.mic_test import MicTest
from kame_desktop.ui.settings_dialog.page import SettingsPage
from kame_desktop.ui.settings_dialog.parts import (
    CalmSlider,
    Card,
    Note,
    Picker,
    SettingRow,
    Spinner,
    Switch,
    set_checked,
)
from kame_desktop.ui.widgets.labels import RoleLabel

DeviceField = Literal["input_device", "output_device"]


class AudioPage(SettingsPage):
    """The section "audio" of the settings, and a test of the microphone."""

    key = "audio"
    name = QT_TRANSLATE_NOOP("SettingsPage", "Audio")
    picture = "microphone"

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.set_intro(self.tr("What listens, what speaks, and how."))
        self._devices: DeviceList | None = None
        self._looking = False
        self._no_global_key = make_global_key().problem
        self._build_devices()
        self._build_talking()
        self._build_sound()
        test = self.card(self.tr("Microphone test"))
        self.test = MicTest(context, self)
        test.add(self.test)
        self.column.addStretch(1)
        self.show_settings()

    @property
    def _audio(self) -> AudioSettings:
        return self.context.store.settings.audio

    # -- building ----

    def _build_devices(self) -> None:
        card = self.card(self.tr("Devices"))
        self.input, self.output = Picker(self), Picker(self)
        self.input.picked.connect(lambda value: self._choose("input_device", value))
        self.output.picked.connect(lambda value: self._choose("output_device", value))
        card.add(SettingRow(self.tr("&Microphone"), self.input, "", self.tr("input device headset"), wide=True))
        card.add(SettingRow(self.tr("&Loudspeaker"), self.output, "", self.tr("output device headset"), wide=True))
        self.rescan = QPushButton(self.tr("Re&scan"), self)
        self.rescan.setAutoDefault(False)
        self.rescan.setToolTip(self.tr("Look for devices again"))
        self.rescan.clicked.connect(self._rescan)
        self.spinner = Spinner(self)
        side = QWidget(self)
        line = QHBoxLayout(side)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.spinner)
        line.addWidget(self.rescan)
        row = SettingRow(
            self.tr("Plugged something in?"),
            side,
            self.tr("Looks for devices again. It waits until no conversation is running."),
            self.tr("refresh missing device"),
            buddy=self.rescan,
        )
        card.add(row)
        self.problem = Note(kind="alert", parent=self)
        card.add_plain(self.problem)

    def _build_talking(self) -> None:
        card = self.card(self.tr("Talking"))
        self.volume = CalmSlider(self)
        self.volume.setRange(0, 100)
        self.volume.setPageStep(10)
        self.volume.setMinimumWidth(120)
        self.volume.valueChanged.connect(self._on_volume)
        self.volume_text = RoleLabel(parent=self)
        self.volume_text.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.volume_text.setMinimumWidth(self.volume_text.fontMetrics().horizontalAdvance("100 %") + 6)
        both = QWidget(self)
        line = QHBoxLayout(both)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.volume, 1)
        line.addWidget(self.volume_text)
        self.volume.setAccessibleName(self.tr("Volume of the voice"))
        row = SettingRow(self.tr("&Volume of the voice"), both, "", self.tr("loud quiet"), buddy=self.volume, wide=True)
        card.add(row)
        self.headphones = self._switch(
            card,
            "headphones",
            self.tr("I wear &headphones"),
            self.tr("The microphone can't hear the voice then: no echo cancellation is needed, and none is used."),
            self.tr("headset earphones echo"),
        )
        self.push_to_talk = self._switch(
            card,
            "push_to_talk",
            self.tr("Push &to talk"),
            self.tr("The microphone is live only while you hold the Space key."),
            self.tr("hold space key hotkey"),
        )
        self.talk_anywhere = self._switch(
            card,
            "global_talk_key",
            self.tr("Talk from any&where with {keys}").format(keys=KEYS),
            "",
            self.tr("global hotkey shortcut background"),
        )
        self.mute_while_speaking = self._switch(
            card,
            "mute_while_speaking",
            self.tr("M&ute the microphone while the assistant speaks"),
            self.tr("You can't interrupt it then."),
            self.tr("interruption barge in deaf"),
        )

    def _build_sound(self) -> None:
        card = self.card(self.tr("Cleaning up what is heard"))
        self.echo = self._switch(
            card, "echo_cancellation", self.tr("&Echo cancellation"), "", self.tr("feedback loudspeaker hears itself")
        )
        self.noise = self._switch(
            card,
            "noise_suppression",
            self.tr("&Noise suppression"),
            self.tr("Removes steady noise such as a fan."),
            self.tr("fan hum background"),
        )
        self.gain = self._switch(
            card,
            "automatic_gain",
            self.tr("Automatic &gain"),
            self.tr("Raises a quiet voice."),
            self.tr("level loud quiet agc"),
        )

    def _switch(self, card: Card, name: str, label: str, hint: str, keywords: str) -> Switch:
        switch = Switch(self)
        switch.toggled.connect(lambda on: self._set(name, on))
        card.add(SettingRow(label, switch, hint, keywords))
        return switch

    # -- the settings ----

    def _set(self, name: str, value: object) -> None:
        setattr(self._audio, name, value)
        self._show_echo()
        self._show_talk_anywhere()
        self.context.changed("audio")

    def _on_volume(self, percent: int) -> None:
        self.volume_text.setText(f"{percent} %")
        self._set("volume", percent / 100)

    def _choose(self, name: DeviceField, value: object) -> None:
        if isinstance(value, DeviceChoice) or value is None:
            self._set(name, value)

    def show_settings(self) -> None:
        """Show what the settings have."""
        audio = self._audio
        self.volume.blockSignals(True)
        self.volume.setValue(round(audio.volume * 100))
        self.volume.blockSignals(False)
        self.volume_text.setText(f"{round(audio.volume * 100)} %")
        set_checked(self.headphones, audio.headphones)
        set_checked(self.push_to_talk, audio.push_to_talk)
        set_checked(self.talk_anywhere, audio.global_talk_key)
        set_checked(self.mute_while_speaking, audio.mute_while_speaking)
        set_checked(self.echo, audio.echo_cancellation)
        set_checked(self.noise, audio.noise_suppression)
        set_checked(self.gain, audio.automatic_gain)
        self._show_echo()
        self._show_talk_anywhere()
        self._show_devices()

    def reset(self) -> None:
        """All of "audio"."""
        reset_fields(self._audio)
        self.show_settings()
        self.context.changed("audio")

    def _show_echo(self) -> None:
        row = self.echo.parent()
        if isinstance(row, SettingRow):
            worn = self._audio.headphones
            row.set_enabled(not worn)
            row.set_hint(
                self.tr("Not used while you wear headphones.")
                if worn
                else self.tr("Keeps the assistant from hearing its own voice through the loudspeaker.")
            )

    def _show_talk_anywhere(self) -> None:
        row = self.talk_anywhere.parent()
        if isinstance(row, SettingRow):
            problem = self._no_global_key
            can_change = problem is None or self._audio.global_talk_key  # what can't work can be switched off
            row.set_enabled(self._audio.push_to_talk and can_change)
            row.set_hint(
                translated(str(problem))
                if problem is not None
                else self.tr("Hold these keys while another program is in front. Needs “Push to talk”.")
            )

    # -- devices ----

    def enter(self) -> None:
        """Look for devices, the first time."""
        if self._devices is None:
            self._look(rescan=False)

    def _rescan(self) -> None:
        self._look(rescan=True)

    def _look(self, *, rescan: bool) -> None:
        if self._looking:
            return
        self._show_looking(True)
        services = self.context.services
        self.context.worker.submit(
            lambda tell: services.audio_devices(rescan=rescan), self._on_devices, self._on_no_devices
        )

    def _on_devices(self, devices: DeviceList) -> None:
        self._devices = devices
        self._show_looking(False)
        self.problem.show_note(devices.problem or "", "alert")
        self._show_devices()

    def _on_no_devices(self, error: AppError) -> None:
        self._devices = self._devices or DeviceList()
        self._show_looking(False)
        self.problem.show_note(str(error), "alert")
        self._show_devices()

    def _show_looking(self, looking: bool) -> None:
        self._looking = looking
        self.spinner.setVisible(looking)
        self.rescan.setEnabled(not looking)

    def _show_devices(self) -> None:
        found = self._devices or DeviceList()
        for picker, devices, chosen in (
            (self.input, found.inputs, self._audio.input_device),
            (self.output, found.outputs, self._audio.output_device),
        ):
            items, value = self._items(devices, chosen)
            picker.show_items(items, value)

    def _items(
        self, devices: Sequence[DeviceChoiceInfo], chosen: DeviceChoice | None
    ) -> tuple[list[tuple[str, object]], object]:
        """What a picker shows, and which of it is chosen."""
        default = next((device.name for device in devices if device.default), "")
        first = self.tr("System default ({name})").format(name=default) if default else self.tr("System default")
        items: list[tuple[str, object]] = [(first, None)]
        value: object = None
        for device in devices:
            choice = DeviceChoice(name=device.name, host_api=device.host_api)
            items.append((f"{device.name} ({device.host_api})", choice))
            if value is None and chosen is not None and _fits(device, chosen):
                value = choice
        if chosen is not None and value is None:
            gone = self.tr("{name} (not connected)") if self._devices is not None else "{name}"
            items.append((gone.format(name=chosen.name), chosen))
            value = chosen
        return items, value


def _fits(device: DeviceChoiceInfo, chosen: DeviceChoice) -> bool:
    """The device is the one that the settings remember."""
    return device.name == chosen.name and chosen.host_api in (None, device.host_api)
