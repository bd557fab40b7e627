"""The front-end thread: one turn of the loop every 80 ms, driven by the device.

Owns the device, the echo canceller, the turn detector, the front end and the oracle feed; publishes events; never waits
for anything but the device. When frames fall behind, it says so and skips playback, so that delay doesn't accumulate.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kame_desktop.audio.base import AudioDevice, EchoCanceller, TurnDetector
from kame_desktop.backend.stt.base import SttFrame
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import (
    FRAME_MS,
    FRAME_SAMPLES,
    MODEL_RATE_HZ,
    PcmFrame,
    UserActivity,
    level_dbfs,
)
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import AppError, Cancelled, as_app_error, stack_of
from kame_desktop.core.events import (
    AgentSpeechEnded,
    AgentSpeechStarted,
    AgentText,
    ContextUsed,
    DeviceChanged,
    Event,
    FrameLate,
    FrameTiming,
    FreshStart,
    Interrupted,
    Notice,
    OracleApplied,
    OracleCurrent,
    OracleFailed,
    OracleRequested,
    OracleRevision,
    SttFinal,
    SttPartial,
    UserSpeechEnded,
    UserSpeechStarted,
)
from kame_desktop.frontends.base import Capabilities, FrontendInput, FrontendOutput, LoadProgress, SpeechFrontend
from kame_desktop.session.bus import Bus
from kame_desktop.session.frame_clock import FrameClock
from kame_desktop.session.oracle_feed import OracleFeed

_log = logging.getLogger(__name__)

_TIMING_EVERY_FRAMES = 2
_TIMING_WINDOW_FRAMES = 250
_CONTEXT_EVERY_FRAMES = 12
_CONTEXT_WARNING = 5 / 6
_LATE_MS = 2 * FRAME_MS
_SETTLED_FRAMES = 6
_LONGEST_TAIL_MS = 45_000.0


@dataclass(slots=True)
class FrameParts:
    """What the loop drives. Made on the frame thread by the session's factory, used and closed there."""

    frontend: SpeechFrontend
    device: AudioDevice
    turns: TurnDetector
    echo: EchoCanceller


class FrameLoop:
    """One session's frame thread.

    ``start`` begins to load; ``go`` lets it run; ``stop`` ends it, also in the middle of a load as soon as that
    returns. All three belong to the session. ``on_ready`` (loaded), ``on_running`` (sound flows) and ``on_end`` are
    called on the frame thread.
    """

    def __init__(
        self,
        *,
        make_parts: Callable[[], FrameParts],
        stt_sink: Callable[[SttFrame], None],
        stt_dropped: Callable[[], int],
        bus: Bus,
        clock: Clock,
        activity: Activity,
        on_progress: Callable[[float, str], None],
        on_ready: Callable[[Capabilities], None],
        on_running: Callable[[], None],
        on_end: Callable[[AppError | None], None],
    ) -> None:
        self._make_parts = make_parts
        self._stt_sink = stt_sink
        self._stt_dropped = stt_dropped
        self._bus = bus
        self._clock = clock
        self._activity = activity
        self._on_progress = on_progress
        self._on_ready = on_ready
        self._on_running = on_running
        self._on_end = on_end
        self._go = threading.Event()
        self._stopping = threading.Event()
        self._fresh_start = threading.Event()
        self._thread = threading.Thread(target=self._main, name="frame", daemon=True)
        self._device: AudioDevice | None = None
        self._oracle_box = bus.subscribe(
            OracleRevision, OracleCurrent, OracleRequested, OracleFailed, SttPartial, SttFinal, name="frame loop"
        )
        self._frame_clock = FrameClock()
        self._step_ms: deque[float] = deque(maxlen=_TIMING_WINDOW_FRAMES)
        self._late_frames = 0
        self._latest_utterance = 0
        self._last_speech_ms = 0.0
        self._answering = 0
        self._speaking = False
        self._oracle_floor = 0
        self._backend_down = False
        self._current: OracleCurrent | None = None
        self._empty_final = 0
        self._context_frames = 0
        self._settled_frames = 0
        self._tail_frames = 0

    def start(self) -> None:
        """Start the thread: it loads the front end, calls ``on_ready`` and waits for ``go``."""
        self._thread.start()

    def go(self) -> None:
        """Let it run."""
        self._go.set()

    def stop(self) -> None:
        """Ask it to end; returns at once."""
        self._stopping.set()
        self._go.set()
        device = self._device
        if device is not None:
            device.interrupt()

    def fresh_start(self) -> None:
        """Clear the front end's memory before the next frame; returns at once. Any thread."""
        self._fresh_start.set()

    def join(self, timeout_s: float) -> bool:
        """Wait for the thread; say whether it ended."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    # The thread ----------------------------------------------------------------------------------------------------

    def _main(self) -> None:
        error: AppError | None = None
        parts: FrameParts | None = None
        try:
            parts = self._make_parts()
            self._device = parts.device
            parts.device.open()  # hardware may take two seconds to wake up: it does while the front end loads
            parts.frontend.load(self._progress())
            for note in parts.frontend.notes:
                self._publish(Notice(at_ms=self._clock.now_ms(), component="front end", text=note))
            parts.turns.reset()
            parts.frontend.reset()
            self._on_ready(parts.frontend.capabilities)
            self._go.wait()
            if not self._stopping.is_set():
                self._run(parts)
        except Cancelled:
            pass
        except BaseException as raised:  # noqa: BLE001 - handed to on_end
            if not isinstance(raised, AppError):
                _log.error("The frame thread failed: %s", stack_of(raised))
            error = as_app_error(raised, "front end")
        finally:
            self._close(parts)
        self._on_end(error)

    def _progress(self) -> LoadProgress:
        def progress(done: float, what: str) -> None:
            if self._stopping.is_set():
                raise Cancelled("Loading was stopped.")
            self._on_progress(done, what)

        return progress

    def _run(self, parts: FrameParts) -> None:
        capabilities = parts.frontend.capabilities
        feed = OracleFeed(
            parts.frontend.tokenizer,
            tokens_per_frame=capabilities.oracle_tokens_per_frame,
            min_start_tokens=capabilities.min_start_tokens,
        )
        parts.device.start()
        if self._stopping.is_set():
            return
        self._on_running()
        info = parts.device.info
        self._publish(
            DeviceChanged(at_ms=self._clock.now_ms(), input_name=info.input_name, output_name=info.output_name)
        )
        frame = 0
        output: FrontendOutput | None = None
        while not self._stopping.is_set():
            captured = parts.device.read_frame()
            if captured is None or self._conversation_over(parts.device, output):
                break
            began_s = time.perf_counter()
            now_ms = self._frame_clock.end_ms(frame, self._clock.now_ms())
            self._mind_context(parts.frontend, feed, frame, now_ms)
            output = self._one_frame(parts, feed, captured, frame, now_ms)
            self._step_ms.append((time.perf_counter() - began_s) * 1e3)
            self._keep_up(parts.device, frame, now_ms)
            if frame % _TIMING_EVERY_FRAMES == 0:
                self._publish_timing(parts.device, frame, now_ms, captured, output.pcm)
            frame += 1
        feed.clear(frame)
        self._publish_accounts(feed, self._clock.now_ms())

    def _one_frame(
        self, parts: FrameParts, feed: OracleFeed, captured: PcmFrame, frame: int, now_ms: float
    ) -> FrontendOutput:
        cleaned = parts.echo.process(captured, parts.device.reference_frame())
        user = parts.turns.process(cleaned)
        self._publish_user(user, now_ms)
        self._stt_sink(SttFrame(cleaned, user, now_ms))
        self._hear_back_end(feed, frame, now_ms)
        output = parts.frontend.step(
            FrontendInput(
                frame=frame,
                pcm=cleaned,
                oracle=feed.pop(frame),
                user=user,
                oracle_current=self._oracle_is_current(feed, user),
                backend_down=self._backend_down,
                nothing_heard=self._empty_final == user.utterance and user.utterance > 0,
            )
        )
        parts.device.write_frame(output.pcm)
        self._publish_output(feed, output, user, frame, now_ms)
        self._publish_accounts(feed, now_ms)
        return output

    def _mind_context(self, frontend: SpeechFrontend, feed: OracleFeed, frame: int, now_ms: float) -> None:
        """Count the front end's memory, and clear it when that was asked for."""
        if self._fresh_start.is_set():
            self._fresh_start.clear()
            frontend.reset()
            feed.clear(frame)
            self._context_frames = 0
            self._publish(FreshStart(at_ms=now_ms))
            if self._speaking:
                self._speaking = False
                self._publish(AgentSpeechEnded(at_ms=now_ms, utterance=self._answering, interrupted=True))
        limit = frontend.capabilities.context_frames
        if limit is not None and self._context_frames % _CONTEXT_EVERY_FRAMES == 0:
            self._publish(
                ContextUsed(
                    at_ms=now_ms,
                    used_ms=self._context_frames * FRAME_MS,
                    limit_ms=limit * FRAME_MS,
                    running_out=self._context_frames >= limit * _CONTEXT_WARNING,
                )
            )
        self._context_frames += 1

    def _hear_back_end(self, feed: OracleFeed, frame: int, now_ms: float) -> None:
        for event in self._oracle_box.drain():
            match event:
                case OracleRevision() if event.utterance >= self._oracle_floor:
                    feed.offer(event, frame, now_ms)
                case OracleCurrent():
                    self._current = event
                case OracleRequested():
                    self._backend_down = False
                case OracleFailed(superseded=False, will_retry=False):
                    self._backend_down = True
                case SttPartial() if event.text.strip():
                    # A noise opens an utterance too; only words make the old question's answer unwanted.
                    self._oracle_floor = max(self._oracle_floor, event.utterance)
                case SttFinal() if not event.text.strip():
                    self._empty_final = event.utterance
                case _:
                    pass

    def _oracle_is_current(self, feed: OracleFeed, user: UserActivity) -> bool:
        """Whether the revision that is fed was asked with all that the user has said."""
        current = self._current
        return (
            current is not None
            and current.utterance == user.utterance
            and current.generation == feed.generation
            and current.heard_until_ms >= self._last_speech_ms
        )

    def _conversation_over(self, device: AudioDevice, output: FrontendOutput | None) -> bool:
        """At the end of a recording: everybody has been idle for a while (or it lasts too long) and none follows."""
        if output is None or not device.input_ended:
            return False
        self._tail_frames += 1
        busy = output.holding_turn or self._speaking or self._activity.in_flight > 0
        self._settled_frames = 0 if busy else self._settled_frames + 1
        if self._settled_frames < _SETTLED_FRAMES and self._tail_frames * FRAME_MS < _LONGEST_TAIL_MS:
            return False
        self._settled_frames = self._tail_frames = 0
        return not device.next_input()

    def _keep_up(self, device: AudioDevice, frame: int, now_ms: float) -> None:
        behind_ms = device.backlog_ms()
        if behind_ms <= _LATE_MS:
            return
        self._late_frames += 1
        device.skip_playback(int((behind_ms - FRAME_MS) / 1e3 * MODEL_RATE_HZ))
        self._publish(FrameLate(at_ms=now_ms, frame=frame, behind_ms=behind_ms))

    def _close(self, parts: FrameParts | None) -> None:
        self._bus.unsubscribe(self._oracle_box)
        if parts is None:
            return
        for close in (parts.device.stop, parts.frontend.close):
            try:
                close()
            except Exception as raised:  # noqa: BLE001 - the other part is closed all the same
                _log.error("A part of the frame thread did not close cleanly: %s", stack_of(raised))

    # Events --------------------------------------------------------------------------------------------------------

    def _publish(self, event: Event) -> None:
        self._bus.publish(event)

    def _publish_user(self, user: UserActivity, now_ms: float) -> None:
        if user.started:
            resumed = user.utterance == self._latest_utterance
            self._publish(UserSpeechStarted(at_ms=now_ms, utterance=user.utterance, resumed=resumed))
        if user.paused:
            self._publish(
                UserSpeechEnded(at_ms=now_ms, utterance=user.utterance, last_speech_ms=now_ms - user.silence_ms)
            )
        if user.speaking or user.paused:
            self._last_speech_ms = now_ms - user.silence_ms
        self._latest_utterance = user.utterance

    def _publish_output(
        self, feed: OracleFeed, output: FrontendOutput, user: UserActivity, frame: int, now_ms: float
    ) -> None:
        if output.speech_started:
            self._answering = user.utterance
            self._speaking = True
            self._publish(AgentSpeechStarted(at_ms=now_ms + output.onset_ms, utterance=self._answering))
        onset_ms = output.onset_ms if output.speech_started else 0.0
        for word in output.words:
            self._publish(
                AgentText(
                    at_ms=now_ms + onset_ms,
                    utterance=self._answering,
                    text=word.text,
                    frame=frame,
                    generation=word.generation,
                    kind=word.kind,
                )
            )
        if output.interrupted:
            feed.clear(frame)
            self._oracle_floor = max(self._oracle_floor, user.utterance)
            self._publish(Interrupted(at_ms=now_ms, utterance=self._answering))
        if output.speech_ended or output.interrupted:
            self._speaking = False
            end_ms = now_ms + FRAME_MS
            self._publish(AgentSpeechEnded(at_ms=end_ms, utterance=self._answering, interrupted=output.interrupted))

    def _publish_accounts(self, feed: OracleFeed, now_ms: float) -> None:
        for account in feed.take_accounts():
            self._publish(
                OracleApplied(
                    at_ms=now_ms,
                    generation=account.generation,
                    frame=account.frame,
                    tokens_fed=account.tokens_fed,
                    tokens_missed=account.tokens_missed,
                    ended=account.ended,
                )
            )

    def _publish_timing(
        self, device: AudioDevice, frame: int, now_ms: float, heard: PcmFrame, spoken: PcmFrame
    ) -> None:
        p50, p95 = np.percentile(self._step_ms, (50, 95))
        stats = device.stats
        self._publish(
            FrameTiming(
                at_ms=now_ms,
                frame=frame + 1,
                step_p50_ms=float(p50),
                step_p95_ms=float(p95),
                late_frames=self._late_frames,
                input_dbfs=level_dbfs(heard),
                output_dbfs=level_dbfs(spoken),
                stt_dropped_frames=self._stt_dropped(),
                audio_underruns=stats.underrun_samples // FRAME_SAMPLES,
                audio_overruns=stats.overrun_samples // FRAME_SAMPLES,
            )
        )
