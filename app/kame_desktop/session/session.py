"""One conversation: its threads and its state machine.

A session is one object: nothing of it survives into the next. Every method may be called on any thread, and all but
``wait_stopped`` return at once; of wishes (a model, speculation, controls) the newest wins. Stop order: device and
frame thread, then the asyncio side. A stop ends within 2 s whatever is loading or hanging.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from kame_desktop.audio.base import AudioControls
from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.backend.stt.base import StreamingStt
from kame_desktop.core.activity import Activity
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import AppError, ResourceError, as_app_error
from kame_desktop.core.events import ComponentError, SessionState, SessionStateChanged
from kame_desktop.frontends.base import Capabilities
from kame_desktop.recordings.format import RecordingOptions
from kame_desktop.session.async_host import AsyncHost
from kame_desktop.session.back_end import BackEnd
from kame_desktop.session.bus import Bus
from kame_desktop.session.frame_loop import FrameLoop, FrameParts
from kame_desktop.session.inbox import SttInbox
from kame_desktop.session.oracle_options import OracleOptions, SchedulerOptions
from kame_desktop.session.recorder import Recorder
from kame_desktop.session.usage_ledger import UsageLedger

_log = logging.getLogger(__name__)

_STOP_FRAME_S = 1.0
_STOP_ASYNC_S = 1.0

_WAITING = {"front end": "Preparing the voice", "back end": "Loading the language model"}
"""What both have to be there for a session to run, and what the state line says while one is waited for."""

_ALLOWED: dict[SessionState, frozenset[SessionState]] = {
    SessionState.IDLE: frozenset({SessionState.LOADING, SessionState.FAILED}),
    SessionState.LOADING: frozenset({SessionState.READY, SessionState.STOPPING, SessionState.FAILED}),
    SessionState.READY: frozenset({SessionState.RUNNING, SessionState.STOPPING, SessionState.FAILED}),
    SessionState.RUNNING: frozenset({SessionState.STOPPING, SessionState.FAILED}),
    SessionState.STOPPING: frozenset({SessionState.IDLE, SessionState.FAILED}),
    SessionState.FAILED: frozenset(),
}


@dataclass(frozen=True, slots=True)
class SessionParts:
    """How a session gets its parts; each factory is called on the thread that will own what it makes.

    Attributes:
        frame_parts: Device, front end, turn detector, echo canceller (frame thread).
        stt: Speech-to-text (asyncio thread).
        llm: Client of language models (asyncio thread).
        clock: The session's time.
        activity: The count of work in flight.
        ledger: Where each day's usage is kept; None: nowhere.
    """

    frame_parts: Callable[[], FrameParts]
    stt: Callable[[], StreamingStt]
    llm: Callable[[], StreamingLlm]
    clock: Clock
    activity: Activity
    ledger: UsageLedger | None = None


@dataclass(frozen=True, slots=True)
class SessionConfig:
    """The user's choices for one conversation."""

    model: LlmModel
    scheduler: SchedulerOptions = field(default_factory=SchedulerOptions)
    oracle: OracleOptions = field(default_factory=OracleOptions)
    controls: AudioControls = field(default_factory=AudioControls)


class Session:
    """See the module's text.

    Attributes:
        bus: Where everything that happens is told.
    """

    def __init__(self, config: SessionConfig, parts: SessionParts) -> None:
        self.bus = Bus()
        self._clock = parts.clock
        self._lock = threading.Lock()
        self._state = SessionState.IDLE
        self._waiting_for = set(_WAITING)
        self._frontend_done = 0.0
        self._used = False
        self._closing = False
        self._launched = threading.Event()
        self._stopped = threading.Event()
        self._stopped.set()
        self._host = AsyncHost()
        self._inbox = SttInbox(self._host, parts.activity)
        self._back_end = BackEnd(
            host=self._host,
            inbox=self._inbox,
            bus=self.bus,
            clock=parts.clock,
            activity=parts.activity,
            make_stt=parts.stt,
            make_llm=parts.llm,
            model=config.model,
            scheduler=config.scheduler,
            oracle=config.oracle,
            ledger=parts.ledger,
            on_ready=lambda: self._on_ready("back end"),
        )
        self._frames = FrameLoop(
            make_parts=parts.frame_parts,
            stt_sink=self._inbox.put,
            stt_dropped=lambda: self._inbox.dropped_frames,
            bus=self.bus,
            clock=self._clock,
            activity=parts.activity,
            on_progress=self._on_progress,
            on_ready=self._on_frontend_ready,
            on_running=self._on_running,
            on_end=self._on_frames_end,
            controls=config.controls,
        )
        self._recorder = Recorder(
            host=self._host, bus=self.bus, clock=self._clock, activity=parts.activity, frames=self._frames
        )

    @property
    def state(self) -> SessionState:
        """The present state."""
        with self._lock:
            return self._state

    def start(self) -> None:
        """Begin to load, then run; returns at once. A session can be started once."""
        with self._lock:
            if self._used:
                return
            self._used = True
            self._stopped.clear()
        self._transition(SessionState.LOADING, "loading", progress=0.0)
        try:
            self._host.start(self._back_end.serve, self._on_host_end)
            self._recorder.open()
            self._frames.start()
        except (OSError, RuntimeError):  # no more files or threads to be had
            self._fail(
                ResourceError(
                    "This computer can't give the conversation the threads and files that it needs.",
                    "Close other programs, then start again.",
                    component="session",
                )
            )
        finally:
            self._launched.set()

    def request_stop(self) -> None:
        """Begin to stop; returns at once, and again when already stopping."""
        if self._transition(SessionState.STOPPING, "stopping"):
            self._close_soon()

    def wait_stopped(self, timeout_s: float) -> bool:
        """Block until the session's threads are gone; say whether they are. Not for the GUI thread."""
        return self._stopped.wait(timeout_s)

    def fresh_start(self) -> None:
        """Clear the front end's memory; conversation and transcript go on. Returns at once."""
        self._frames.fresh_start()

    def switch_llm(self, model: LlmModel) -> None:
        """Answer with another model from the next request on (made ready first, the old one answers meanwhile)."""
        self._back_end.switch(model)

    def set_speculation(self, on: bool) -> None:
        """Ask while the user still speaks, or only finished sentences; at once.

        ``UsageUpdated.speculating`` tells what holds: an engine that waits for finals and a budget that is nearly
        spent have the last word.
        """
        self._back_end.set_speculation(on)

    def set_controls(self, controls: AudioControls) -> None:
        """Mute, push-to-talk, volume and the like, from the next frame on."""
        self._frames.set_controls(controls)

    def start_recording(self, options: RecordingOptions) -> None:
        """Begin to record; ``RecordingChanged`` tells whether, and where. Returns at once."""
        self._recorder.start(options)

    def stop_recording(self) -> None:
        """End the recording, if there is one. Returns at once."""
        self._recorder.stop()

    # State machine -------------------------------------------------------------------------------------------------

    def _transition(
        self,
        state: SessionState,
        detail: str = "",
        *,
        progress: float | None = None,
        category: str | None = None,
    ) -> bool:
        """The one place where the state changes. False: not allowed from here, nothing happened."""
        with self._lock:
            if state not in _ALLOWED[self._state]:
                return False
            self._state = state
            # Published under the lock, so that subscribers see the states in their order.
            self.bus.publish(
                SessionStateChanged(
                    at_ms=self._clock.now_ms(),
                    state=state,
                    detail=detail,
                    progress=progress,
                    category=category,
                )
            )
        return True

    def _on_progress(self, done: float, what: str) -> None:
        """The front end has loaded ``done`` of itself, which is half of all."""
        with self._lock:
            if self._state is not SessionState.LOADING:
                return
            self._frontend_done = max(self._frontend_done, done)
            progress = self._frontend_done / 2 + (0.0 if "back end" in self._waiting_for else 0.5)
            self.bus.publish(
                SessionStateChanged(
                    at_ms=self._clock.now_ms(), state=SessionState.LOADING, detail=what, progress=progress
                )
            )

    def _on_frontend_ready(self, capabilities: Capabilities) -> None:
        self._back_end.serve_front_end(capabilities)
        self._on_ready("front end")

    def _on_ready(self, part: str) -> None:
        with self._lock:
            self._waiting_for.discard(part)
            waiting = sorted(self._waiting_for)
            loading = self._state is SessionState.LOADING
        self._on_progress(0.0, _WAITING[waiting[0]] if waiting else "Waiting for the sound")
        if loading and not waiting:
            self._clock.start()
            self._frames.go()

    def _on_running(self) -> None:
        if self._transition(SessionState.READY, "ready"):
            self._transition(SessionState.RUNNING, "listening")

    def _fail(self, error: AppError) -> None:
        self.bus.publish(ComponentError.of(error, self._clock.now_ms()))
        self._transition(SessionState.FAILED, error.what, category=error.category.value)
        self._close_soon()

    def _on_frames_end(self, error: AppError | None) -> None:
        if error is None:
            self.request_stop()
        elif not self._is_closing():
            self._fail(error)

    def _on_host_end(self, error: BaseException | None) -> None:
        if error is not None and not self._is_closing():
            self._fail(as_app_error(error, "back end"))

    def _is_closing(self) -> bool:
        """What fails now fails because of the stop, or after it: nobody wants to hear of it."""
        with self._lock:
            return self._closing or self._state in (SessionState.STOPPING, SessionState.IDLE)

    def _close_soon(self) -> None:
        with self._lock:
            if self._closing:
                return
            self._closing = True
        threading.Thread(target=self._close, name="session-close", daemon=True).start()

    def _close(self) -> None:
        self._launched.wait()  # a part may fail before the other has been started
        self._frames.stop()
        frames_ended = self._frames.join(_STOP_FRAME_S)
        self._inbox.close()
        host_ended = self._host.stop(_STOP_ASYNC_S)
        if not (frames_ended and host_ended):
            # A library's load can't be cut short; the thread ends with it and touches nothing of ours any more.
            _log.warning("A part was still loading when the conversation was stopped.")
        self._transition(SessionState.IDLE, "stopped")
        self._stopped.set()
