"""Which microphone and which loudspeaker, as two short menus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from kame_desktop.audio.base import DeviceChoiceInfo, DeviceList
from kame_desktop.core.settings import AudioSettings, DeviceChoice


class DeviceMenus(QObject):
    """Fills a menu with the devices there are. A choice holds from the next conversation on.

    Signals:
        chosen: ``"input_device"`` or ``"output_device"``, and a ``DeviceChoice`` or None (the system's default).
        rescan_wanted: Look for devices again.
    """

    chosen = Signal(str, object)
    rescan_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._devices = DeviceList()

    def show_devices(self, devices: DeviceList) -> None:
        """These are there now; menus that are made from here on show them."""
        self._devices = devices

    def add_to(self, menu: QMenu, audio: AudioSettings) -> None:
        """Append both menus."""
        known = self._devices
        self._add(menu, self.tr("Microphone used"), "input_device", known.inputs, audio.input_device)
        self._add(menu, self.tr("Loudspeaker used"), "output_device", known.outputs, audio.output_device)

    def _add(
        self,
        menu: QMenu,
        title: str,
        field: str,
        devices: Sequence[DeviceChoiceInfo],
        wanted: DeviceChoice | None,
    ) -> None:
        shown = QMenu(title, menu)
        menu.addMenu(shown)
        group = QActionGroup(shown)
        default = next((one.name for one in devices if one.default), "")
        text = self.tr("System default ({name})").format(name=default) if default else self.tr("System default")
        self._item(shown, group, text, field, None, checked=wanted is None)
        matched = wanted is None
        for one in devices:
            checked = wanted is not None and one.name == wanted.name and wanted.host_api in (None, one.host_api)
            matched |= checked
            choice = DeviceChoice(name=one.name, host_api=one.host_api)
            self._item(shown, group, f"{one.name} ({one.host_api})", field, choice, checked=checked)
        if wanted is not None and not matched:
            gone = self.tr("{name} (not connected)").format(name=wanted.name)
            self._item(shown, group, gone, field, wanted, checked=True)
        shown.addSeparator()
        shown.addAction(self.tr("Look again"), self.rescan_wanted.emit)

    def _item(
        self, menu: QMenu, group: QActionGroup, text: str, field: str, choice: DeviceChoice | None, *, checked: bool
    ) -> None:
        action = menu.addAction(text.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(checked)
        group.addAction(action)
        action.triggered.connect(lambda _checked: self.chosen.emit(field, choice))
