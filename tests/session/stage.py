"""A whole session with fakes for its models: real threads, the file device's fast clock, no hardware, no network."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from kame_desktop.audio.base import AudioControls, AudioDevice, NoEchoCanceller
from kame_desktop.audio.wav_device import WavDevice
from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_SAMPLES
from kame_desktop.core.clock import ManualClock
from kame_desktop.core.events import Event, SessionState, SessionStateChanged
from kame_desktop.frontends.base import FrontendInput, FrontendOutput
from kame_desktop.session.frame_loop import FrameParts
from kame_desktop.session.oracle_options import OracleOptions, SchedulerOptions
from kame_desktop.session.session import Session, SessionConfig, SessionParts
from tests.fakes.frontend import FakeFrontend
from tests.fakes.llm import Answer, FakeLlm
from tests.fakes.stt import FakeStt
from tests.fakes.turns import ScriptedTurns

E = TypeVar("E", bound=Event)
MODEL = LlmModel("first-model", "First model")
OTHER_MODEL = LlmModel("second-model", "Second model")


@dataclass
class NumberedFrontend(FakeFrontend):
    """Plays the number of each frame (counted from 1, in ten thousandths), and tells when a frame begins."""

    on_frame: Callable[[int], None] = lambda frame: None

    def step(self, given: FrontendInput) -> FrontendOutput:
        self.on_frame(given.frame)
        output = super().step(given)
        number = np.full(FRAME_SAMPLES, (given.frame + 1) / 10_000, dtype=np.float32)
        return dataclasses.replace(output, pcm=number)


@dataclass
class Stage:
    """Builds one session and keeps all that happened.

    Attributes:
        frames: Length of the recording.
        script: What the language model answers.
        llm_options: More of what ``FakeLlm`` is told.
        leaps: Time leaps while only the language model waits, so that a busy computer changes nothing; else it runs at
            wall pace then, as with a real one.
    """

    frames: int = 30
    script: Callable[[str], Answer] | Answer | str = "It is Paris."
    frontend: FakeFrontend = field(default_factory=FakeFrontend)
    stt: FakeStt = field(default_factory=FakeStt)
    turns: ScriptedTurns = field(default_factory=ScriptedTurns)
    scheduler: SchedulerOptions = field(default_factory=SchedulerOptions)
    llm_load_error: Exception | None = None
    model: LlmModel = MODEL
    oracle: OracleOptions = field(default_factory=OracleOptions)
    llm_options: dict[str, Any] = field(default_factory=dict)
    leaps: bool = True
    controls: AudioControls = field(default_factory=AudioControls)

    def __post_init__(self) -> None:
        self.activity = Activity()
        self.clock = ManualClock(self.activity.begin, self.activity.end)
        self.llm = FakeLlm(
            self.clock,
            self.script,
            load_error=self.llm_load_error,  # type: ignore[arg-type]
            idle=self.activity if self.leaps else None,
            **self.llm_options,
        )
        pcm = np.zeros(self.frames * FRAME_SAMPLES, dtype=np.float32)
        self.device: AudioDevice = WavDevice(pcm, clock=self.clock, activity=self.activity)
        parts = SessionParts(
            frame_parts=lambda: FrameParts(self.frontend, self.device, self.turns, NoEchoCanceller()),
            stt=lambda: self.stt,
            llm=lambda: self.llm,
            clock=self.clock,
            activity=self.activity,
        )
        self.session = Session(SessionConfig(self.model, self.scheduler, self.oracle, self.controls), parts)
        self._changed = threading.Condition()
        self._box = self.session.bus.subscribe(name="test", wake=self._wake, capacity=100_000)
        self.events: list[Event] = []

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def run(self, timeout_s: float = 30.0) -> Stage:
        """Run to the end of the recording."""
        self.session.start()
        assert self.session.wait_stopped(timeout_s)
        self._read()
        return self

    def start_and_wait_for(self, kind: type[E]) -> E:
        """Start, and block until an event of this kind was published."""
        self.session.start()
        return self.wait_for(kind)

    def wait_for(self, kind: type[E]) -> E:
        """Block until an event of this kind is there; the first one."""
        with self._changed:
            assert self._changed.wait_for(lambda: bool(self._read() or self.of(kind)), 10.0), f"no {kind.__name__}"
        return self.of(kind)[0]

    def wait_for_state(self, state: SessionState) -> None:
        """Block until the session reaches ``state``."""
        with self._changed:
            assert self._changed.wait_for(lambda: bool(self._read() or state in self.states()), 10.0)

    def _read(self) -> None:
        self.events += self._box.drain()

    def of(self, kind: type[E]) -> list[E]:
        """All events of one kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    def states(self) -> Sequence[SessionState]:
        """States in order, repeats left out."""
        states = [event.state for event in self.of(SessionStateChanged)]
        return [state for index, state in enumerate(states) if index == 0 or states[index - 1] is not state]

    def assert_nothing_left(self) -> None:
        """No thread, stream or work of this session survives."""
        names = {thread.name for thread in threading.enumerate()}
        assert not names & {"frame", "asyncio", "session-close"}
        assert self.llm.open_streams == 0
        assert self.activity.in_flight == 0
        assert self.llm.closed
        assert self.stt.closed
        assert self.frontend.closed
