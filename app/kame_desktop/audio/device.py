"""Microphone and loudspeaker through PortAudio, for as long as a conversation lasts.

Two separate streams (one duplex stream glitches on PulseAudio's host API), each at its device's own default rate, in
blocks of 20 ms (80 ms blocks gave a round trip of 321 ms); see ``streams``.

Playback begins with ``PREFILL_MS`` of silence, which covers the 20 ms grain of the callbacks and the resampler's 10 ms.
When the queue has grown (the clocks of two devices differ, an underrun delayed it), silent frames are shortened until
it is back. Measured on PulseAudio null sinks (``tests/audio/test_device_pulse.py`` prints it): from ``write_frame`` to
the same sound at the head of a read frame 170 ms, of which the output stream's three blocks 60 ms, this module's queue
40 ms, resamplers 15 ms; no underruns.

What was played is paired with what was captured in order of arrival, and in time with the two clocks (``clock_drift``).
On PulseAudio that puts the reference a constant 100 ms before its echo (40 to 115 ms in other runs), and AEC3 finds any
constant lead: with 5, 30, 60, 100, 160 and 250 ms it removed the same 43-47 dB. A jump costs it: from 10 ms on, one to
three seconds without cancellation. The streams' own times (converter time less current time) say 80 ms out and 32 ms
in, give or take 3 ms, once the streams have run for three seconds; before that they are off by 400 ms, and after an
underrun the way of the sound was 20 ms shorter by them, too. So they would prevent no jump, and aren't used.

Devices come and go. A stream that ends, or delivers nothing for ``STALL_S``, is lost: ``take_events`` says so, and from
then on frames of silence are read at the pace of real time and what is written is dropped, while ``DeviceKeeper`` opens
the chosen devices again, or else the default ones. A half that can't be had (no loudspeaker, or no microphone any more)
stays silent. When a missed device is there again, or the system's default device is another, the streams are opened
anew at the next quiet moment. On Linux a stream on the default device is moved by the sound server itself.

Threads: PortAudio's callbacks and the keeper have theirs; frame thread: all here, but for ``interrupt`` (any).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from kame_desktop.audio.base import DeviceEvent, DeviceInfo, DeviceStats
from kame_desktop.audio.clock_drift import ReferencePacer
from kame_desktop.audio.device_events import lost_event, missing_events, opened_event, replaced_events
from kame_desktop.audio.device_keeper import DeviceKeeper
from kame_desktop.audio.device_watch import SilenceWatch, StallWatch, silence_event
from kame_desktop.audio.portaudio import Kind, close_streams, look_again
from kame_desktop.audio.ring import SampleRing
from kame_desktop.audio.streams import DeviceWish, Half, Playback, Streams, open_streams
from kame_desktop.core.audio_types import (
    FRAME_MS,
    FRAME_SAMPLES,
    MODEL_RATE_HZ,
    Pcm,
    PcmFrame,
    level_dbfs,
    silence_frame,
)
from kame_desktop.core.errors import DeviceError
from kame_desktop.core.settings import DeviceChoice

MOST_OWED_S = 2.0
"""So much silence is delivered at once after a loss, to keep frames and real time together; a longer gap is skipped."""
_LOOK_S = 0.25
_TOGETHER_S = 0.05
"""When a sound server goes, both streams end within this time."""
_QUIET_DBFS = -50.0
_QUIET_FRAMES = 6
_LONGEST_NOISE_FRAMES = 62
_KEEPER_END_S = 0.4
_EVENTS = 32


def _take(source: SampleRing, most: int, scratch: Pcm) -> Pcm:
    """Up to ``most`` samples that a callback left, in ``scratch``."""
    part = scratch[: min(source.available, most)]
    source.read_into(part)
    return part


class PortAudioLoudspeaker:
    """Only the output half: ``Loudspeaker`` on hardware. Raises DeviceError in the constructor."""

    def __init__(self, output: DeviceChoice | None = None) -> None:
        look_again()
        playback = Playback(output, threading.Event())
        self.name = playback.name
        self._playback: Playback | None = playback
        try:
            playback.start()
        except DeviceError:
            close_streams(playback.stream)
            raise

    def write(self, frame: PcmFrame) -> None:
        """Queue a frame (float32 at 24 kHz); dropped when the device went away or the queue is full."""
        if self._playback is not None:
            self._playback.write(frame)

    def close(self) -> None:
        """Stop at once; idempotent, at most 1 s."""
        playback, self._playback = self._playback, None
        if playback is not None:
            close_streams(playback.stream)


class PortAudioDevice:
    """AudioDevice on hardware. ``None``: the system's default. See the module's text.

    Args:
        input: The microphone; the default one is used, and told, when it can't be had.
        output: The loudspeaker, likewise; without any the conversation goes on in writing.
        make_keeper: Makes what opens again.

    Bounds: rings of ``streams``; 32 events, the oldest go first.
    """

    def __init__(
        self,
        input: DeviceChoice | None = None,  # noqa: A002 - the microphone
        output: DeviceChoice | None = None,
        *,
        make_keeper: Callable[[DeviceWish, threading.Event], DeviceKeeper] = DeviceKeeper,
    ) -> None:
        self._wake = threading.Event()
        self._wish = DeviceWish(input, output)
        self._keeper = make_keeper(self._wish, self._wake)
        self._info = DeviceInfo(
            input.name if input is not None else "default", output.name if output is not None else "default", True
        )
        self._interrupted = False
        self._streams = Streams()
        self._opened = False
        self._watched: list[tuple[Half, StallWatch]] = []
        self._lost: frozenset[Kind] = frozenset()
        self._gone_s = float("-inf")
        """When the devices were last seen whole."""
        self._silence = SilenceWatch(MODEL_RATE_HZ)
        self._events: deque[DeviceEvent] = deque(maxlen=_EVENTS)
        self._due_s = 0.0
        """When the next frame is due while there is no microphone."""
        self._heard = SampleRing(8 * FRAME_SAMPLES)
        self._pacer = ReferencePacer(MODEL_RATE_HZ)
        self._losses = 0
        self._reference = silence_frame()
        self._scratch = np.zeros(0, dtype=np.float32)
        self._quiet_frames = 0
        self._noise_frames = 0
        self._closed_stats = DeviceStats()
        """What streams that are closed had lost, less what was lost before ``start``, when nobody listened yet."""

    @property
    def info(self) -> DeviceInfo:
        """Names as asked for before ``open``, real ones after it."""
        return self._info

    @property
    def stats(self) -> DeviceStats:
        """Silence played because nothing was queued, sound lost because it wasn't fetched (also by PortAudio)."""
        now, before = self._streams.stats(), self._closed_stats
        return DeviceStats(
            underrun_samples=now.underrun_samples + before.underrun_samples,
            overrun_samples=now.overrun_samples + before.overrun_samples,
        )

    def open(self) -> None:
        """Open both halves. Raises DeviceError when there is no microphone."""
        look_again()
        streams = open_streams(self._wish, self._wake)
        if streams.capture is None:
            streams.close()
            assert streams.input_error is not None
            raise streams.input_error
        self._use(streams)
        self._opened = True
        self._events.extend([*replaced_events(streams), *missing_events(streams)])

    def start(self) -> None:
        capture = self._streams.capture
        if capture is None:
            return
        stall = next(stall for half, stall in self._watched if half is capture)
        while not self._interrupted and capture.alive:
            self._wake.clear()
            if capture.ring.available:
                break
            if stall.stalled(capture.delivered, time.monotonic()):
                raise DeviceError(
                    f"The microphone '{capture.name}' delivers no sound.",
                    "Plug it in again, or choose another one.",
                    component="microphone",
                )
            self._wake.wait(_LOOK_S)
        capture.ring.discard(capture.ring.available)
        self._pair_anew()
        lost = self._streams.stats()
        self._closed_stats = DeviceStats(-lost.underrun_samples, -lost.overrun_samples)
        self._keeper.watch(self._streams)
        self._due_s = time.monotonic() + FRAME_MS / 1e3

    def read_frame(self) -> PcmFrame | None:
        """The next 80 ms; silence in real time while there is no microphone. None after ``interrupt`` or ``stop``."""
        while not self._interrupted and self._opened:
            self._wake.clear()
            self._mind_streams()
            frame = self._captured() if self._streams.capture is not None else self._silent()
            if frame is not None:
                self._take_reference()
                return frame
            wait_s = _LOOK_S if self._streams.capture is not None else self._due_s - time.monotonic()
            self._wake.wait(min(max(wait_s, 0.0), _LOOK_S))
        return None

    def _captured(self) -> PcmFrame | None:
        capture = self._streams.capture
        assert capture is not None
        if self._heard.available < FRAME_SAMPLES:
            part = _take(capture.ring, capture.rate // 10, self._scratch)
            self._heard.write(capture.to_model.process(part))
            if self._silence.hear(part):
                self._events.append(silence_event(capture.name, self._silence.silent))
        if self._heard.available < FRAME_SAMPLES:
            return None
        frame = silence_frame()
        self._heard.read_into(frame)
        self._due_s = time.monotonic() + FRAME_MS / 1e3
        quiet = level_dbfs(frame) < _QUIET_DBFS
        self._quiet_frames = self._quiet_frames + 1 if quiet else 0
        return frame

    def _silent(self) -> PcmFrame | None:
        now_s = time.monotonic()
        if now_s < self._due_s:
            return None
        if now_s - self._due_s > MOST_OWED_S:
            self._due_s = now_s
        self._due_s += FRAME_MS / 1e3
        self._quiet_frames += 1
        return silence_frame()

    # Life ----------------------------------------------------------------------------------------------------------

    def _mind_streams(self) -> None:
        """Take what was opened anew, let go what died, change to what is better."""
        fresh = self._keeper.take()
        if fresh is not None:
            before = self._info
            self._use(fresh)
            self._fill_gap()
            self._events.append(opened_event(before, self._lost, fresh, self._info))
            self._events.extend(missing_events(fresh))
            self._lost = frozenset()
        now_s = time.monotonic()
        gone = [half for half, stall in self._watched if stall.stalled(half.delivered, now_s) or not half.alive]
        if not gone:
            self._gone_s = now_s
        if gone and (len(gone) == len(self._watched) or now_s - self._gone_s > _TOGETHER_S):
            self._lost = frozenset(half.kind for half in gone)
            self._events.extend(lost_event(half.kind, half.name) for half in gone)
            self._let_go()
        elif self._watched and not gone and self._keeper.better_known and self._quiet():
            self._let_go()

    def _use(self, streams: Streams) -> None:
        now_s = time.monotonic()
        self._streams = streams
        halves = [half for half in (streams.capture, streams.playback) if half is not None]
        self._watched = [(half, StallWatch(half.rate, now_s)) for half in halves]
        self._scratch = np.zeros(max(half.rate for half in halves), dtype=np.float32)
        if streams.capture is not None:
            self._silence = SilenceWatch(streams.capture.rate)
        self._info = DeviceInfo(*streams.names, realtime=True, has_microphone=streams.capture is not None)
        self._heard.discard(self._heard.available)
        self._pair_anew()
        self._noise_frames = 0

    def _pair_anew(self) -> None:
        """What was played up to now has nothing to do with what is captured next."""
        playback = self._streams.playback
        if playback is not None:
            playback.played.discard(playback.played.available)
            self._pacer = ReferencePacer(playback.rate, timed=True)

    def _fill_gap(self) -> None:
        """Begin with this moment's sound, after silence up to it, so that frames go on in real time."""
        capture = self._streams.capture
        if capture is not None:
            capture.ring.discard(capture.ring.available)
            since_s = time.monotonic() - (self._due_s - FRAME_MS / 1e3)
            owed = int(min(max(since_s, 0.0), FRAME_MS / 1e3) * MODEL_RATE_HZ)
            self._heard.write(np.zeros(owed, dtype=np.float32))

    def _let_go(self) -> None:
        """Hand the streams to the keeper."""
        self._closed_stats = self.stats
        streams, self._streams, self._watched = self._streams, Streams(), []
        self._keeper.replace(streams)

    def _quiet(self) -> bool:
        """Nobody has spoken for half a second; or it has been noisy for so long that nobody can tell."""
        self._noise_frames += 1
        return self._quiet_frames >= _QUIET_FRAMES or self._noise_frames >= _LONGEST_NOISE_FRAMES

    # Playback ------------------------------------------------------------------------------------------------------

    def _take_reference(self) -> None:
        """Pair what was played with what was captured; see ``clock_drift``."""
        capture, playback = self._streams.capture, self._streams.playback
        self._reference = silence_frame()
        if playback is None:
            return
        losses = playback.late + (capture.lost if capture is not None else 0)
        if losses != self._losses:  # some of what was played was never heard: what is counted so far is worth nothing
            self._losses = losses
            self._pair_anew()
        while len(part := _take(playback.played, playback.rate // 10, self._scratch)):
            self._pacer.play(part)
        if capture is not None:
            since_ms = (capture.called_s - playback.called_s) * 1e3
            self._reference = self._pacer.frame(self.backlog_ms(), since_ms)

    def write_frame(self, frame: PcmFrame) -> None:
        """Queue a frame; dropped while there is no loudspeaker."""
        if level_dbfs(frame) >= _QUIET_DBFS:
            self._quiet_frames = 0
        if self._streams.playback is not None:
            self._streams.playback.write(frame)

    def reference_frame(self) -> PcmFrame:
        """What the loudspeaker took while the latest frame was captured."""
        return self._reference.copy()

    @property
    def input_ended(self) -> bool:
        return False

    def next_input(self) -> bool:
        return False

    def backlog_ms(self) -> float:
        capture = self._streams.capture
        if capture is None:
            return 0.0
        return (capture.ring.available / capture.rate + self._heard.available / MODEL_RATE_HZ) * 1e3

    def queued_ms(self) -> float:
        return self._streams.playback.queued_ms() if self._streams.playback is not None else 0.0

    def skip_playback(self, samples: int) -> None:
        if self._streams.playback is not None:
            self._streams.playback.skip(samples)

    def hush(self) -> None:
        if self._streams.playback is not None:
            self._streams.playback.hush()

    def take_events(self) -> Sequence[DeviceEvent]:
        events = tuple(self._events)
        self._events.clear()
        return events

    def interrupt(self) -> None:
        self._interrupted = True
        self._wake.set()

    def stop(self) -> None:
        self.interrupt()
        self._closed_stats = self.stats
        streams, self._streams, self._watched = self._streams, Streams(), []
        streams.close()
        self._keeper.end(_KEEPER_END_S)
