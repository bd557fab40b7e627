"""A frame loop alone, with fakes around it: every frame is scripted, nothing waits for anybody."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from kame_desktop.audio.base import AudioControls, DeviceEvent, TurnDetector
from kame_desktop.audio.turns import VadTurnDetector
from kame_desktop.backend.stt.base import SttFrame
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_SAMPLES, Pcm, PcmFrame
from kame_desktop.core.clock import ManualClock
from kame_desktop.core.events import Event
from kame_desktop.frontends.base import FrontendInput, FrontendOutput
from kame_desktop.session.bus import Bus
from kame_desktop.session.frame_loop import FrameLoop, FrameParts
from tests.fakes.audio import FakeDevice, FakeVad
from tests.fakes.frontend import FakeFrontend

E = TypeVar("E", bound=Event)
VOICE = 0.25


class Talker(FakeFrontend):
    """Speaks in the given frames, a constant sample value, whatever the user does; stops when the turn is taken."""

    def __init__(self, speaks: Sequence[tuple[int, int]] = ()) -> None:
        super().__init__()
        self.speaks = list(speaks)

    def step(self, given: FrontendInput) -> FrontendOutput:
        self.given.append(given)
        frame = given.frame
        inside = [(first, end) for first, end in self.speaks if first <= frame < end]
        pcm = np.full(FRAME_SAMPLES, VOICE if inside else 0.0, dtype=np.float32)
        if inside and given.turn_taken:
            self.speaks.remove(inside[0])
            return FrontendOutput(np.zeros_like(pcm), interrupted=True)
        return FrontendOutput(
            pcm,
            speech_started=any(frame == first for first, _ in self.speaks),
            speech_ended=any(frame == end - 1 for _, end in self.speaks),
        )


class EchoSpy:
    """Lets the microphone through, and keeps what it was told."""

    def __init__(self) -> None:
        self.used: list[AudioControls] = []
        self.references: list[PcmFrame] = []
        self.resets = 0

    def use(self, controls: AudioControls) -> None:
        self.used.append(controls)

    def process(self, near: PcmFrame, far: PcmFrame) -> PcmFrame:
        self.references.append(far)
        return near

    def reset(self) -> None:
        self.resets += 1


class HappeningDevice(FakeDevice):
    """A ``FakeDevice`` to which things happen: frame number -> what ``take_events`` tells with it."""

    happens: Mapping[int, Sequence[DeviceEvent]] = {}

    def take_events(self) -> Sequence[DeviceEvent]:
        return self.happens.get(self.frames_read - 1, ())


@dataclass
class FrameScene:
    """Runs a loop to the end of the microphone's frames.

    Attributes:
        microphone: What it hears.
        frontend: Who answers.
        turns: Who says when the user speaks; by default loud is speech.
        controls: Frame number -> what the user sets just before it; those of frame 0 are there from the start.
        before: Called with the number of each frame before it is read.
        happens: Frame number -> what happens to the hardware.
    """

    microphone: Pcm
    frontend: FakeFrontend = field(default_factory=Talker)
    turns: TurnDetector = field(default_factory=lambda: VadTurnDetector(FakeVad()))
    controls: Mapping[int, AudioControls] = field(default_factory=dict)
    before: Callable[[int], None] = lambda frame: None
    happens: Mapping[int, Sequence[DeviceEvent]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bus = Bus()
        self.echo = EchoSpy()
        self.fed: list[SttFrame] = []
        self.clock = ManualClock()
        frames = self.microphone[: len(self.microphone) // FRAME_SAMPLES * FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES)
        self.device = HappeningDevice(list(frames), clock=self.clock, before_read=self._before_read)
        self.device.happens = self.happens
        self._box = self.bus.subscribe(name="test", capacity=100_000)
        self._ended = threading.Event()
        self.error: Exception | None = None
        self.events: list[Event] = []
        self.loop = FrameLoop(
            make_parts=lambda: FrameParts(self.frontend, self.device, self.turns, self.echo),
            stt_sink=self.fed.append,
            stt_dropped=lambda: 0,
            bus=self.bus,
            clock=self.clock,
            activity=Activity(),
            on_progress=lambda done, what: None,
            on_ready=lambda capabilities: self.loop.go(),
            on_running=lambda: None,
            on_end=self._on_end,
            controls=self.controls.get(0),
        )

    def _before_read(self, frame: int) -> None:
        self.events += self._box.drain()  # each frame: of some kinds only the newest waits
        if frame in self.controls:
            self.loop.set_controls(self.controls[frame])
        self.before(frame)

    def _on_end(self, error: Exception | None) -> None:
        self.error = error
        self._ended.set()

    def run(self) -> FrameScene:
        """To the end; an error of the loop is raised here."""
        self.loop.start()
        assert self._ended.wait(30.0)
        assert self.loop.join(5.0)
        if self.error is not None:
            raise self.error
        self.events += self._box.drain()
        return self

    def of(self, kind: type[E]) -> list[E]:
        """All events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def heard(self) -> Pcm:
        """What the front end heard."""
        return np.concatenate([given.pcm for given in self.frontend.given])

    @property
    def written(self) -> Pcm:
        """What was given to the loudspeaker."""
        return np.concatenate(self.device.written)
