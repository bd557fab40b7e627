"""Records a session: what the frame loop heard and played, and all events, as they happen.

The frame thread only hands its frames over; the session's loop collects them with the events; a worker of the
recorder's own writes them as soon as they are there and the piece before is written (about one frame a piece, more when
the disk is slow). So neither a slow nor a full disk holds anybody up: the recording ends with a message, the
conversation goes on. The worker isn't one of the loop's: models load on those, and hold them for minutes.

A recorder that crashes goes on in a new folder after a pause; the second crash within a minute leaves it off.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar, TypeVarTuple

from kame_desktop.core.activity import Activity
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import AppError, ResourceError
from kame_desktop.core.events import (
    ContextUsed,
    DeviceChanged,
    Event,
    MicrophoneState,
    ModelChanged,
    RecordingChanged,
    SessionStateChanged,
    UsageUpdated,
)
from kame_desktop.recordings.format import RecordedFrame, RecordingOptions, begun_now
from kame_desktop.recordings.writer import PackedFrame, RecordingWriter, pack
from kame_desktop.session.async_host import AsyncHost
from kame_desktop.session.bus import Bus, Mailbox
from kame_desktop.session.supervisor import Supervisor

_log = logging.getLogger(__name__)

COMPONENT = "recording"
MOST_FRAMES = 375
"""Half a minute: a disk that takes longer for a piece isn't one to record on."""
_MOST_EVENTS = 16_384
_STATE = (SessionStateChanged, ModelChanged, DeviceChanged, MicrophoneState, UsageUpdated, ContextUsed)
_NO_ROOM = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)})
T = TypeVar("T")
Ts = TypeVarTuple("Ts")

FrameSink: TypeAlias = Callable[[RecordedFrame], None]


class FrameSource(Protocol):
    """The frame loop, as a recorder sees it."""

    def set_recording(self, sink: FrameSink | None) -> None:
        """Call ``sink`` with every frame from the next one on; None: with none. Any thread; the newest wins."""
        ...


class FrameQueue:
    """Frames on their way to the worker. Producer: the frame thread; consumer: the loop.

    Bound: ``MOST_FRAMES``; a frame more than that is refused, and so is all that follows (``overflowed``): a recording
    has no holes.
    """

    def __init__(self, wake: Callable[[], None], activity: Activity, *, raw: bool) -> None:
        self.overflowed = False
        self._wake = wake
        self._activity = activity
        self._raw = raw
        self._lock = threading.Lock()
        self._frames: list[PackedFrame] = []
        self._closed = False

    def put(self, frame: RecordedFrame) -> None:
        """Queue a copy of a frame; never waits for anything but a list."""
        if self._closed:
            return
        packed = pack(frame, raw=self._raw)
        with self._lock:
            self.overflowed = self.overflowed or len(self._frames) >= MOST_FRAMES
            if self._closed or self.overflowed:
                return
            self._activity.begin()
            self._frames.append(packed)
        self._wake()

    def drain(self) -> list[PackedFrame]:
        """Take all. The caller answers with ``done`` once they are written."""
        with self._lock:
            frames, self._frames = self._frames, []
        return frames

    def done(self, count: int) -> None:
        """``count`` drained frames were dealt with."""
        for _ in range(count):
            self._activity.end()

    def close(self) -> None:
        """Take no more and forget what is queued."""
        with self._lock:
            self._closed = True
            left, self._frames = len(self._frames), []
        self.done(left)


class Recorder:
    """Starts and ends the recordings of one session; what becomes of a wish is told by ``RecordingChanged``.

    ``start``, ``stop`` and ``open`` may be called on any thread and return at once; the newest wish wins. The rest
    belongs to the loop of ``host``; a recording that is under way when the loop ends is ended in order.

    Args:
        host: Where it runs.
        frames: Where the sound comes from.
        make_writer: Opens a recording, given the session time of its beginning; called on the worker. Raises OSError.
    """

    def __init__(
        self,
        *,
        host: AsyncHost,
        bus: Bus,
        clock: Clock,
        activity: Activity,
        frames: FrameSource,
        make_writer: Callable[[RecordingOptions, float], RecordingWriter] = RecordingWriter,
    ) -> None:
        self._host = host
        self._bus = bus
        self._clock = clock
        self._activity = activity
        self._source = frames
        self._make_writer = make_writer
        self._wishes: deque[RecordingOptions | None] = deque(maxlen=1)
        self._task: asyncio.Task[None] | None = None
        self._run: _Run | None = None
        self._again: RecordingOptions | None = None
        self._crashes: deque[AppError] = deque(maxlen=1)
        self._supervisor = Supervisor(COMPONENT, "The recorder", clock, self._crashes.append)
        self._latest: dict[type[Event], Event] = {}
        self._state_box = bus.subscribe(*_STATE, name="recorder state", wake=self._state_changed)

    def open(self) -> None:
        """The loop runs: fulfil a wish that came before."""
        self._host.call(self._fulfil)

    def start(self, options: RecordingOptions) -> None:
        """Record from now on. Nothing happens when it does already."""
        self._wishes.append(options)
        self._host.call(self._fulfil)

    def stop(self) -> None:
        """End the recording, if there is one. What was heard and said until now is in it."""
        self._wishes.append(None)
        self._host.call(self._fulfil)

    def _state_changed(self) -> None:
        self._host.call(self._note_state)

    # The loop ------------------------------------------------------------------------------------------------------

    def _note_state(self) -> None:
        for event in self._state_box.drain():
            self._latest[type(event)] = event

    def _fulfil(self) -> None:
        self._note_state()
        run = self._run
        if run is None:
            options = self._wishes.pop() if self._wishes else self._again
            self._again = None
            if options is not None:
                self._run = run = _Run(self._bus, self._activity, raw=options.raw_microphone)
                self._task = asyncio.get_running_loop().create_task(self._live(run, options), name="recorder")
                self._task.add_done_callback(self._ended)
        elif run.ending.is_set():
            run.hurry.set()  # the wish waits for the end of the one before
        elif self._wishes and self._wishes.pop() is None:
            run.end()

    def _ended(self, task: asyncio.Task[None]) -> None:
        run, self._task, self._run = self._run, None, None
        if run is None or not run.cancelled:
            self._fulfil()

    async def _live(self, run: _Run, options: RecordingOptions) -> None:
        """One recording; after a crash the pause before the next one, too, unless there is another wish."""
        pause_ms = await self._record(run, options)
        if pause_ms is None or run.cancelled:
            return
        waits = {
            asyncio.ensure_future(self._clock.sleep_until(self._clock.now_ms() + pause_ms)),
            asyncio.ensure_future(run.hurry.wait()),
        }
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if not run.hurry.is_set():
            self._again = replace(options, meta=begun_now(options.meta))

    async def _record(self, run: _Run, options: RecordingOptions) -> float | None:
        """Record until the end is wished for; after a crash, how long to wait before the next try."""
        start_ms = self._clock.now_ms()
        self._source.set_recording(run.frames.put)
        self._note_state()  # what is published from here on is in the mailbox of the run
        holds = [replace(event, at_ms=start_ms) for event in self._latest.values()]
        writer: RecordingWriter | None = None
        error: AppError | None = None
        pause_ms: float | None = None
        try:
            writer = await run.on_worker(self._make_writer, options, start_ms)
            self._publish(recording=True, folder=writer.folder)
            await run.on_worker(writer.append, holds, ())
            await run.write_until_end(writer)
            self._source.set_recording(None)
            await run.write_rest(writer)
        except OSError as raised:
            error = _disk_trouble(raised, began=writer is not None)
        except Exception as raised:  # noqa: BLE001 - a recording's trouble is no conversation's
            pause_ms = self._supervisor.crashed(raised)
            error = self._crashes.pop()
        finally:
            self._source.set_recording(None)
            run.close()
        if writer is not None:
            await run.on_worker(lambda: writer.close(complete=error is None))
        run.dismiss_worker()
        if error is not None:
            _log.warning("The recording ended early (%s).", error.category.value)
        self._publish(recording=False, folder=writer.folder if writer is not None else None, error=error)
        return pause_ms

    def _publish(self, *, recording: bool, folder: Path | None, error: AppError | None = None) -> None:
        self._bus.publish(
            RecordingChanged(
                at_ms=self._clock.now_ms(),
                recording=recording,
                folder="" if folder is None else str(folder),
                what="" if error is None else error.what,
                remedy="" if error is None else error.remedy,
            )
        )


class _Run:
    """What one recording needs on the loop: its queue, its mailbox, its worker.

    A cancellation (the loop is about to end) is taken for the wish to end; what is being written then is awaited.

    Attributes:
        ending: The end is wished for.
        hurry: Another wish waits for it to be over.
        cancelled: And nothing may follow.
    """

    def __init__(self, bus: Bus, activity: Activity, *, raw: bool) -> None:
        self._bus = bus
        self.cancelled = False
        self.ending = asyncio.Event()
        self.hurry = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._ready = asyncio.Event()
        self._box: Mailbox = bus.subscribe(
            name="recorder", wake=self._wake, capacity=_MOST_EVENTS, activity=activity, conflate=False
        )
        self.frames = FrameQueue(self._wake, activity, raw=raw)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="recorder")

    def end(self) -> None:
        """Let it end after what is there now."""
        self.ending.set()
        self._ready.set()

    def _cancel(self) -> None:
        self.cancelled = True
        self.end()

    def close(self) -> None:
        """Take no more of anything."""
        self.ending.set()
        self._bus.unsubscribe(self._box)
        self.frames.close()

    def dismiss_worker(self) -> None:
        """The worker ends with what it does."""
        self._worker.shutdown(wait=False)

    async def on_worker(self, function: Callable[[*Ts], T], *args: *Ts) -> T:
        """Have the worker do something, and wait for it whatever happens; it does one thing after the other."""
        work = self._loop.run_in_executor(self._worker, function, *args)
        while True:
            try:
                return await asyncio.shield(work)
            except asyncio.CancelledError:
                self._cancel()

    async def write_until_end(self, writer: RecordingWriter) -> None:
        """Write what comes until the end is wished for. Raises what ``append`` raises, ResourceError."""
        while not self.ending.is_set():
            try:
                await self._ready.wait()
            except asyncio.CancelledError:
                self._cancel()
            self._ready.clear()
            await self.write_rest(writer)

    async def write_rest(self, writer: RecordingWriter) -> None:
        """Write what is there now."""
        events, frames = self._box.drain(), self.frames.drain()
        try:
            if events or frames:
                await self.on_worker(writer.append, events, frames)
        finally:
            self._box.done(len(events))
            self.frames.done(len(frames))
        if self.frames.overflowed or self._box.overflowed:
            raise ResourceError(
                "The disk is too slow to keep up with the conversation: the recording has stopped. What was recorded "
                "before is kept.",
                "Start a new recording; if that happens again, close other programs that write to the disk.",
                component=COMPONENT,
            )

    def _wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._ready.set)


def _disk_trouble(error: OSError, *, began: bool) -> AppError:
    """What a failed write means to the user."""
    kept = "the recording has stopped. What was recorded before is kept." if began else "the recording can't begin."
    if error.errno in _NO_ROOM:
        return ResourceError(
            f"The disk is full: {kept}", "Free some space, then start a new recording.", component=COMPONENT
        )
    if error.errno == errno.EFBIG:
        return ResourceError(f"A recording can't be any longer: {kept}", "Start a new recording.", component=COMPONENT)
    reason = error.strerror or type(error).__name__
    return ResourceError(
        f"The disk refused to take it ({reason}): {kept}",
        "Check that the folder for recordings is there and may be written, then start a new recording.",
        component=COMPONENT,
    )
