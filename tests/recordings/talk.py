"""The part of a session that a recorder sees: a loop, a bus, a clock, and frames whose sound tells their number."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, PcmFrame
from kame_desktop.core.clock import ManualClock
from kame_desktop.core.events import AudioPeaks, Event, RecordingChanged
from kame_desktop.core.settings import Settings
from kame_desktop.recordings.format import RecordedFrame, RecordingMeta, RecordingOptions, meta_now
from kame_desktop.recordings.writer import RecordingWriter
from kame_desktop.session.async_host import AsyncHost
from kame_desktop.session.bus import Bus
from kame_desktop.session.recorder import FrameSink, Recorder

E = TypeVar("E", bound=Event)
STARTED = dt.datetime(2026, 12, 1, 15, 41, 7, tzinfo=dt.timezone(dt.timedelta(hours=2)))
PATIENCE_S = 20.0


def tone(number: int) -> PcmFrame:
    """One frame whose every sample is ``number`` in 16 bits."""
    return np.full(FRAME_SAMPLES, number / 32767.0, dtype=np.float32)


def frame(number: int, at_ms: float | None = None) -> RecordedFrame:
    """Frame ``number`` (from 0): the user sounds like ``number + 1``, the assistant like its negative."""
    end_ms = (number + 1) * FRAME_MS if at_ms is None else at_ms
    return RecordedFrame(number, end_ms, tone(number + 1001), tone(number + 1), tone(-number - 1))


def meta(**more: Any) -> RecordingMeta:
    """What is known of a recording that began at ``STARTED``."""
    given: dict[str, Any] = {
        "engine": {"name": "lite", "label": "Lite"},
        "llm": {"name": "first-model", "label": "First model"},
        "stt": "fake",
        "settings": Settings(),
        "now": STARTED,
    }
    described = meta_now(**{**given, **more})
    object.__setattr__(described, "started_at", STARTED)  # whatever zone the computer is in
    return described


class Frames:
    """Where the sound comes from."""

    def __init__(self) -> None:
        self.sink: FrameSink | None = None

    def set_recording(self, sink: FrameSink | None) -> None:
        self.sink = sink


class Talk:
    """A session with nothing but a recorder. The test's thread plays the frame thread.

    Attributes:
        count: Frames so far.
    """

    def __init__(
        self,
        root: Path,
        *,
        make_writer: Callable[[RecordingOptions, float], RecordingWriter] = RecordingWriter,
        raw_microphone: bool = False,
        runs: bool = True,
    ) -> None:
        self.options = RecordingOptions(root, meta(), raw_microphone)
        self.activity = Activity()
        self.clock = ManualClock()
        self.bus = Bus()
        self.host = AsyncHost()
        self.frames = Frames()
        self.count = 0
        self.recorder = Recorder(
            host=self.host,
            bus=self.bus,
            clock=self.clock,
            activity=self.activity,
            frames=self.frames,
            make_writer=make_writer,
        )
        self._changed = threading.Condition()
        self._told: list[RecordingChanged] = []
        self._box = self.bus.subscribe(RecordingChanged, name="test", wake=self._wake)
        if runs:
            self.run()

    def run(self) -> None:
        """The loop begins."""
        self.host.start(asyncio.Event().wait, lambda error: None)  # type: ignore[arg-type]
        self.recorder.open()

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.host.stop(PATIENCE_S)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def told(self, count: int) -> Sequence[RecordingChanged]:
        """Wait until ``count`` changes were told; all of them."""
        with self._changed:
            assert self._changed.wait_for(lambda: bool(self._read() or len(self._told) >= count), PATIENCE_S)
        return self._told

    def _read(self) -> None:
        self._told += [event for event in self._box.drain() if isinstance(event, RecordingChanged)]

    def start(self) -> Path:
        """Record, and wait until it is so; the folder."""
        self._read()
        before = len(self._told)
        self.recorder.start(self.options)
        return Path(self.told(before + 1)[before].folder)

    def stop(self) -> RecordingChanged:
        """End the recording; what was told of it."""
        self._read()
        before = len(self._told)
        self.recorder.stop()
        return self.told(before + 1)[before]

    def play(self, frames: int, *events: Event) -> None:
        """Let frames pass, each with an event of its own; ``events`` happen after them."""
        for _ in range(frames):
            number, self.count = self.count, self.count + 1
            self.clock.advance_to(self.count * FRAME_MS)
            if self.frames.sink is not None:
                self.frames.sink(frame(number))
            level = (number + 1) / 32767.0
            self.bus.publish(
                AudioPeaks(at_ms=self.count * FRAME_MS, frame=number, heard=(level,) * 4, spoken=(level,) * 4)
            )
        for event in events:
            self.bus.publish(event)

    def wait_for_sleeper(self) -> None:
        """Wait until somebody waits for a moment of the session."""
        give_up_s = time.monotonic() + PATIENCE_S
        while self.clock.next_deadline_ms() is None:
            assert time.monotonic() < give_up_s
            time.sleep(0.001)

    def settle(self) -> None:
        """Wait until all that happened is written."""
        assert self.activity.wait_idle(PATIENCE_S)
