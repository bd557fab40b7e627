"""What the assistant listens to: the microphone, a sample question or a file, and which devices are used."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from kame_desktop.audio.base import DeviceList
from kame_desktop.core.settings import DeviceChoice, SettingsStore
from kame_desktop.session.services import Services
from kame_desktop.ui.background import Background
from kame_desktop.ui.sources import MICROPHONE, Source, sample_sources
from kame_desktop.ui.widgets.control_bar import ControlBar
from kame_desktop.ui.widgets.empty_state import EmptyState


class InputChoice(QObject):
    """Keeps the choice, and shows it in the controls and in the empty window. GUI thread.

    Attributes:
        samples: Spoken sample questions.
        source: What is chosen.

    Signals:
        changed: A device was chosen; the settings have changed and want to be saved.
    """

    changed = Signal()

    def __init__(
        self,
        services: Services,
        store: SettingsStore,
        background: Background,
        controls: ControlBar,
        empty: EmptyState,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._store = store
        self._background = background
        self._controls = controls
        self._empty = empty
        self.samples = sample_sources(services.sample_questions())
        self._problem = services.microphone_problem()
        works_at_once = self._problem is None or not self.samples
        self.source = MICROPHONE if works_at_once else self.samples[0]
        controls.menu_wanted.connect(self.look_for_microphone)
        controls.devices.chosen.connect(self._choose_device)
        controls.devices.rescan_wanted.connect(lambda: self.look_for_devices(rescan=True))

    @property
    def recorded(self) -> list[Source]:
        """Questions that can be asked of several engines: the samples, and a file of the user's own."""
        own = [self.source] if self.source.wav is not None and not self.source.sample else []
        return [*self.samples, *own]

    def use(self, source: Source) -> None:
        """Listen to this from now on."""
        self.source = source
        self.show()

    def show(self) -> None:
        """Show what there is and what is chosen."""
        self._controls.show_sources(self.samples, self._problem, self.source, self._store.settings.audio)
        self._empty.show_choices(self.samples, self._problem)

    def look_for_microphone(self) -> None:
        """Can the microphone be used now?"""
        problem = self._services.microphone_problem()
        if problem != self._problem:
            self._problem = problem
            self.show()

    def look_for_devices(self, *, rescan: bool = False) -> None:
        """Read which sound devices there are, beside the window."""
        self._background.run(lambda: self._services.audio_devices(rescan=rescan), self._on_devices)

    def _on_devices(self, devices: DeviceList) -> None:
        self._controls.devices.show_devices(devices)
        self.show()

    def _choose_device(self, field: str, choice: DeviceChoice | None) -> None:
        setattr(self._store.settings.audio, field, choice)
        self.changed.emit()
        self.show()
