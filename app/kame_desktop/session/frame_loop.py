"""The front-end thread: one turn of the loop every 80 ms, driven by the device.

Owns the device, the echo canceller, the turn detector, the front end and the oracle feed; publishes events; never waits
for anything but the device. When frames fall behind, it says so and skips playback, so that delay doesn't accumulate.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kame_desktop.audio.base import AudioControls, AudioDevice, DeviceEvent, EchoCanceller, TurnDetector
from kame_desktop.backend.stt.base import SttFrame
from kame_desktop.core import crash
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_MS, MODEL_RATE_HZ, PcmFrame, UserActivity, level_dbfs, silence_frame
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import AppError, Cancelled, as_app_error
from kame_desktop.core.events import Notice
from kame_desktop.core.utterance_end import ends_openly
from kame_desktop.frontends.base import Capabilities, FrontendInput, FrontendOutput, LoadProgress, SpeechFrontend
from kame_desktop.recordings.format import RecordedFrame
from kame_desktop.session.back_end_news import BackEndNews
from kame_desktop.session.bus import Bus
from kame_desktop.session.ducking import DUCKED, Ducker, Loudness
from kame_desktop.session.frame_clock import FrameClock
from kame_desktop.session.frame_events import FrameEvents
from kame_desktop.session.oracle_feed import OracleFeed
from kame_desktop.session.voice_gate import TalkKey, VoiceGate

_log = logging.getLogger(__name__)

_CONTEXT_EVERY_FRAMES = 12
_LATE_MS = 2 * FRAME_MS
_SETTLED_FRAMES = 6
_LONGEST_TAIL_MS = 45_000.0
_PLAYED_DBFS = -50.0


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
        controls: AudioControls | None = None,
    ) -> None:
        self._make_parts = make_parts
        self._stt_sink = stt_sink
        self._stt_dropped = stt_dropped
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
        self._controls = controls or AudioControls()
        """Replaced whole by any thread, read once a frame: no lock."""
        self._news = BackEndNews(bus)
        self._tell = FrameEvents(bus)
        self._frame_clock = FrameClock()
        self._gate = VoiceGate()
        self._talk_key = TalkKey()
        self._ducker = Ducker()
        self._loudness = Loudness()
        self._microphone_there = True
        self._recording: Callable[[RecordedFrame], None] | None = None
        """Replaced by any thread, read once a frame."""
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

    def set_controls(self, controls: AudioControls) -> None:
        """What the user has set, from the next frame on; the newest counts. Any thread; returns at once."""
        self._controls = controls

    def set_recording(self, sink: Callable[[RecordedFrame], None] | None) -> None:
        """Hand every frame to ``sink`` from the next one on; None: to nobody. Any thread; the newest counts."""
        self._recording = sink

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
                self._tell.tell(Notice(at_ms=self._clock.now_ms(), component="front end", text=note))
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
                crash.report(raised, "frame thread")
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
        self._tell.devices(parts.device.info, self._clock.now_ms())
        frame = 0
        output: FrontendOutput | None = None
        while not self._stopping.is_set():
            captured = parts.device.read_frame()
            if captured is None or self._conversation_over(parts.device, output):
                break
            began_s = time.perf_counter()
            now_ms = self._frame_clock.end_ms(frame, self._clock.now_ms())
            self._mind_hardware(parts, now_ms)
            self._mind_context(parts.frontend, feed, frame, now_ms)
            output, played = self._one_frame(parts, feed, captured, frame, now_ms)
            step_ms = (time.perf_counter() - began_s) * 1e3
            self._keep_up(parts.device, frame, now_ms)
            self._tell.timing(
                frame,
                now_ms,
                captured,
                played,
                step_ms=step_ms,
                stats=parts.device.stats,
                stt_dropped_frames=self._stt_dropped(),
            )
            frame += 1
        feed.clear(frame)
        self._tell.accounts(feed, self._clock.now_ms())

    def _one_frame(
        self, parts: FrameParts, feed: OracleFeed, captured: PcmFrame, frame: int, now_ms: float
    ) -> tuple[FrontendOutput, PcmFrame]:
        """Hear and speak one frame; returns what the front end did and what is played of it."""
        controls = self._controls
        heard, user, reference = self._hear_user(parts, controls, captured, now_ms)
        self._record(frame, now_ms, captured, heard, reference)
        self._stt_sink(SttFrame(heard, user, now_ms))
        self._news.hear(feed, frame, now_ms)
        text, final, until_ms = self._news.words_of(user)
        parts.turns.expect_more(not final and bool(text.strip()) and ends_openly(text))
        output = parts.frontend.step(
            FrontendInput(
                frame=frame,
                pcm=heard,
                oracle=feed.pop(frame),
                user=user,
                oracle_current=self._news.oracle_is_current(feed, user, self._tell.last_speech_ms),
                backend_down=self._news.down,
                nothing_heard=self._news.nothing_heard(user),
                heard_text=text,
                heard_final=final,
                heard_until_ms=until_ms,
                now_ms=now_ms,
                unplayed_ms=parts.device.queued_ms(),
                turn_taken=self._talk_key.pressed,
            )
        )
        self._tell.answer(output, user, frame, now_ms)
        if output.interrupted:
            feed.clear(frame)
            self._news.drop_answers_before(user.utterance)
        played = self._loudness.play(output.pcm, self._gain(controls, output, user))
        parts.device.write_frame(played)
        if output.hushed:
            parts.device.hush()
        self._tell.sound(frame, now_ms, captured, heard, played)
        self._tell.accounts(feed, now_ms)
        return output, played

    def _hear_user(
        self, parts: FrameParts, controls: AudioControls, captured: PcmFrame, now_ms: float
    ) -> tuple[PcmFrame, UserActivity, PcmFrame]:
        """The sound that may be listened to, what the user is doing, and what was played meanwhile."""
        reference = parts.device.reference_frame()
        parts.echo.use(controls)
        cleaned = parts.echo.process(captured, reference)
        speaks = self._tell.speaking or level_dbfs(reference) > _PLAYED_DBFS
        heard = self._gate.process(cleaned, controls, assistant_speaks=speaks, device_there=self._microphone_there)
        self._tell.microphone(self._gate.closed, now_ms)
        live = self._gate.closed is None
        user = self._talk_key.process(parts.turns.process(heard), by_key=controls.push_to_talk, live=live)
        if self._talk_key.released:
            parts.turns.reset()
        self._tell.user(user, now_ms)
        return heard, user, reference

    def _record(self, frame: int, now_ms: float, captured: PcmFrame, heard: PcmFrame, reference: PcmFrame) -> None:
        """Hand the frame to the recording, if there is one; what was muted is never recorded."""
        sink = self._recording
        if sink is not None:
            raw = captured if self._gate.closed is None else silence_frame()
            sink(RecordedFrame(frame, now_ms, raw, heard, reference))

    def _gain(self, controls: AudioControls, output: FrontendOutput, user: UserActivity) -> float:
        """How loud the assistant is played. With headphones there is no echo that a softer voice would help against."""
        ducked = self._ducker.hear(
            assistant=self._tell.speaking and not controls.headphones,
            user=user.speaking,
            interrupted=output.interrupted,
        )
        return controls.volume * (DUCKED if ducked else 1.0)

    def _mind_hardware(self, parts: FrameParts, now_ms: float) -> None:
        """Tell what happened to the devices; a new one plays in another room."""
        happened: Sequence[DeviceEvent] = parts.device.take_events()
        self._tell.hardware(happened, now_ms)
        for event in happened:
            if event.info is not None:
                self._microphone_there = event.info.has_microphone
                parts.echo.reset()
            elif event.lost and event.component == "microphone":
                self._microphone_there = False

    def _mind_context(self, frontend: SpeechFrontend, feed: OracleFeed, frame: int, now_ms: float) -> None:
        """Count the front end's memory, and clear it when that was asked for."""
        if self._fresh_start.is_set():
            self._fresh_start.clear()
            frontend.reset()
            feed.clear(frame)
            self._context_frames = 0
            self._tell.fresh_start(now_ms)
        limit = frontend.capabilities.context_frames
        if limit is not None and self._context_frames % _CONTEXT_EVERY_FRAMES == 0:
            self._tell.context(self._context_frames, limit, now_ms)
        self._context_frames += 1

    def _conversation_over(self, device: AudioDevice, output: FrontendOutput | None) -> bool:
        """At the end of a recording: everybody has been idle for a while (or it lasts too long) and none follows."""
        if output is None or not device.input_ended:
            return False
        self._tail_frames += 1
        busy = output.holding_turn or self._tell.speaking or self._activity.in_flight > 0
        self._settled_frames = 0 if busy else self._settled_frames + 1
        if self._settled_frames < _SETTLED_FRAMES and self._tail_frames * FRAME_MS < _LONGEST_TAIL_MS:
            return False
        self._settled_frames = self._tail_frames = 0
        return not device.next_input()

    def _keep_up(self, device: AudioDevice, frame: int, now_ms: float) -> None:
        behind_ms = device.backlog_ms()
        if behind_ms <= _LATE_MS:
            return
        device.skip_playback(int((behind_ms - FRAME_MS) / 1e3 * MODEL_RATE_HZ))
        self._tell.late(frame, behind_ms, now_ms)

    def _close(self, parts: FrameParts | None) -> None:
        self._news.close()
        if parts is None:
            return
        for close in (parts.device.stop, parts.frontend.close):
            try:
                close()
            except Exception as raised:  # noqa: BLE001 - the other part is closed all the same
                crash.report(raised, "frame thread, closing")
