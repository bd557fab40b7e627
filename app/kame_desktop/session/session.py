"""One conversation: its threads and its state machine.

A session is one object: nothing of it survives into the next. ``start``, ``request_stop``, ``switch_llm`` and
``wait_stopped`` may be called on any thread; all but the last return at once. Stop order: device and frame thread, then
the asyncio side. A stop ends within 2 s whatever is loading or hanging.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.backend.stt.base import StreamingStt, Transcription
from kame_desktop.core.activity import Activity
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import AppError, as_app_error
from kame_desktop.core.events import (
    AgentSpeechEnded,
    AgentText,
    ComponentError,
    Interrupted,
    SessionState,
    SessionStateChanged,
    SttFinal,
    SttPartial,
    UserSpeechEnded,
    UserSpeechStarted,
)
from kame_desktop.frontends.base import Capabilities
from kame_desktop.session.async_host import AsyncHost
from kame_desktop.session.bus import Bus
from kame_desktop.session.frame_loop import FrameLoop, FrameParts
from kame_desktop.session.inbox import SttInbox
from kame_desktop.session.oracle_driver import OracleDriver, OracleOptions
from kame_desktop.session.oracle_scheduler import OracleScheduler, SchedulerOptions
from kame_desktop.session.transcript import Transcript

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
    """

    frame_parts: Callable[[], FrameParts]
    stt: Callable[[], StreamingStt]
    llm: Callable[[], StreamingLlm]
    clock: Clock
    activity: Activity


@dataclass(frozen=True, slots=True)
class SessionConfig:
    """The user's choices for one conversation."""

    model: LlmModel
    scheduler: SchedulerOptions = field(default_factory=SchedulerOptions)
    oracle: OracleOptions = field(default_factory=OracleOptions)


class Session:
    """See the module's text.

    Attributes:
        bus: Where everything that happens is told.
    """

    def __init__(self, config: SessionConfig, parts: SessionParts) -> None:
        self.bus = Bus()
        self._config = config
        self._parts = parts
        self._clock = parts.clock
        self._activity = parts.activity
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
        self._inbox = SttInbox(self._host, self._activity)
        self._driver: OracleDriver | None = None
        self._llm: StreamingLlm | None = None
        self._switching: asyncio.Task[None] | None = None
        self._stt_problem = False
        self._steerable = True
        self._frames = FrameLoop(
            make_parts=parts.frame_parts,
            stt_sink=self._inbox.put,
            stt_dropped=lambda: self._inbox.dropped_frames,
            bus=self.bus,
            clock=self._clock,
            activity=self._activity,
            on_progress=self._on_progress,
            on_ready=self._on_frontend_ready,
            on_running=self._on_running,
            on_end=self._on_frames_end,
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
        self._host.start(self._serve, self._on_host_end)
        self._frames.start()
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
        self._host.call(self._start_switch, model)

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
        self._steerable = capabilities.steerable
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
        if error is not None:
            self._fail(error)
        else:
            self.request_stop()

    def _on_host_end(self, error: BaseException | None) -> None:
        if error is not None:
            self._fail(as_app_error(error, "back end"))

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

    # The asyncio side ----------------------------------------------------------------------------------------------

    async def _serve(self) -> None:
        stt = self._parts.stt()
        llm = self._parts.llm()
        transcript = Transcript()
        driver = OracleDriver(
            llm=llm,
            model=self._config.model,
            scheduler=OracleScheduler(self._config.scheduler),
            transcript=transcript,
            bus=self.bus,
            clock=self._clock,
            activity=self._activity,
            options=self._config.oracle,
        )
        self._llm = llm
        try:
            async with asyncio.TaskGroup() as loading:
                loading.create_task(stt.load(), name="load-stt")
                loading.create_task(llm.load(self._config.model), name="load-llm")
            driver.announce()
            self._driver = driver
            stt.start(self._on_transcription, self._on_stt_error)
            self._on_ready("back end")
            async with asyncio.TaskGroup() as group:
                group.create_task(self._feed_stt(stt), name="feed-stt")
                group.create_task(self._hear(transcript, driver), name="hear-bus")
        except BaseExceptionGroup as group_error:
            raise group_error.exceptions[0] from None
        finally:
            self._driver = None
            await driver.close()
            await stt.close()
            await llm.close()

    async def _feed_stt(self, stt: StreamingStt) -> None:
        while True:
            frame = await self._inbox.get()
            try:
                stt.feed(frame)
            finally:
                self._inbox.done()

    async def _hear(self, transcript: Transcript, driver: OracleDriver) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(ready.set)

        box = self.bus.subscribe(
            UserSpeechStarted,
            UserSpeechEnded,
            SttPartial,
            SttFinal,
            AgentText,
            AgentSpeechEnded,
            Interrupted,
            name="back end",
            wake=wake,
            activity=self._activity,
        )
        try:
            while True:
                await ready.wait()
                ready.clear()
                for event in box.drain():
                    try:
                        transcript.take(event)
                        if self._steerable:  # nobody listens to an answer otherwise
                            driver.take(event)
                    finally:
                        box.done(1)
        finally:
            self.bus.unsubscribe(box)

    def _on_transcription(self, heard: Transcription) -> None:
        now_ms = self._clock.now_ms()
        if heard.final:
            self.bus.publish(
                SttFinal(
                    at_ms=now_ms,
                    utterance=heard.utterance,
                    text=heard.text,
                    audio_ms=heard.audio_ms,
                    heard_until_ms=heard.heard_until_ms,
                )
            )
            return
        self.bus.publish(
            SttPartial(
                at_ms=now_ms,
                utterance=heard.utterance,
                rev=heard.rev,
                text=heard.text,
                stable_words=heard.stable_words,
                audio_ms=heard.audio_ms,
                heard_until_ms=heard.heard_until_ms,
                lag_ms=max(0.0, now_ms - heard.heard_until_ms),
            )
        )

    def _on_stt_error(self, error: BaseException) -> None:
        if self._stt_problem:
            return
        self._stt_problem = True
        problem = as_app_error(error, "speech-to-text")
        self.bus.publish(ComponentError.of(problem, self._clock.now_ms()))

    def _start_switch(self, model: LlmModel) -> None:
        if self._switching is not None:
            self._switching.cancel()
        self._switching = asyncio.get_running_loop().create_task(self._switch(model), name="switch-llm")

    async def _switch(self, model: LlmModel) -> None:
        driver, llm = self._driver, self._llm
        if driver is None or llm is None:
            return
        try:
            await llm.load(model)
        except AppError as error:
            self.bus.publish(ComponentError.of(error, self._clock.now_ms()))
            driver.announce()
            return
        driver.switch(model)
