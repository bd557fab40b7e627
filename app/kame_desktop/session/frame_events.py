"""What the frame loop tells: from what happened in a frame to events on the bus. Frame thread only."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import numpy as np

from kame_desktop.audio.base import DeviceEvent, DeviceInfo, DeviceStats
from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, PcmFrame, UserActivity, level_dbfs
from kame_desktop.core.events import (
    PEAK_BINS_PER_FRAME,
    AgentSpeechEnded,
    AgentSpeechStarted,
    AgentText,
    AudioPeaks,
    ContextUsed,
    DeviceChanged,
    DeviceLost,
    Event,
    FrameLate,
    FrameTiming,
    FreshStart,
    Interrupted,
    MicrophoneClosed,
    MicrophoneState,
    Notice,
    OracleApplied,
    UserSpeechEnded,
    UserSpeechStarted,
)
from kame_desktop.frontends.base import FrontendOutput
from kame_desktop.session.bus import Bus
from kame_desktop.session.oracle_feed import OracleFeed

_TIMING_EVERY_FRAMES = 2
_TIMING_WINDOW_FRAMES = 250
_CONTEXT_WARNING = 5 / 6
_SILENT_PEAK = 1e-6


class FrameEvents:
    """Keeps what the events need to know of the frames before.

    Attributes:
        speaking: The assistant is speaking.
        last_speech_ms: When the user was last heard to speak.
    """

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self.speaking = False
        self.last_speech_ms = 0.0
        self._answering = 0
        self._latest_utterance = 0
        self._late_frames = 0
        self._step_ms: deque[float] = deque(maxlen=_TIMING_WINDOW_FRAMES)
        self._input_peak = self._output_peak = 0.0
        self._closed: MicrophoneClosed | None = None
        self._microphone_told = False

    def tell(self, event: Event) -> None:
        """Publish anything."""
        self._bus.publish(event)

    def devices(self, info: DeviceInfo, now_ms: float, because: str = "") -> None:
        """Which devices are in use."""
        self.tell(
            DeviceChanged(at_ms=now_ms, input_name=info.input_name, output_name=info.output_name, because=because)
        )

    def hardware(self, happened: Iterable[DeviceEvent], now_ms: float) -> None:
        """What happened to the devices."""
        for event in happened:
            if event.lost:
                self.tell(
                    DeviceLost(
                        at_ms=now_ms,
                        component=event.component,
                        name=event.name,
                        what=event.text,
                        remedy=event.remedy,
                    )
                )
            elif event.info is not None:
                self.devices(event.info, now_ms, event.text)
            else:
                text = f"{event.text} {event.remedy}".strip()
                self.tell(Notice(at_ms=now_ms, component=event.component, text=text))

    def microphone(self, closed: MicrophoneClosed | None, now_ms: float) -> None:
        """Whether the microphone is live, when that has changed."""
        if closed is not self._closed or not self._microphone_told:
            self._closed, self._microphone_told = closed, True
            self.tell(MicrophoneState(at_ms=now_ms, closed=closed))

    def user(self, user: UserActivity, now_ms: float) -> None:
        """What the user does."""
        if user.started:
            resumed = user.utterance == self._latest_utterance
            self.tell(UserSpeechStarted(at_ms=now_ms, utterance=user.utterance, resumed=resumed))
        if user.paused:
            self.tell(UserSpeechEnded(at_ms=now_ms, utterance=user.utterance, last_speech_ms=now_ms - user.silence_ms))
        if user.speaking or user.paused:
            self.last_speech_ms = now_ms - user.silence_ms
        self._latest_utterance = user.utterance

    def answer(self, output: FrontendOutput, user: UserActivity, frame: int, now_ms: float) -> None:
        """What the assistant does."""
        if output.speech_started:
            self._answering = user.utterance if output.answers is None else output.answers
            self.speaking = True
            self.tell(AgentSpeechStarted(at_ms=now_ms + output.onset_ms, utterance=self._answering))
        onset_ms = output.onset_ms if output.speech_started else 0.0
        for word in output.words:
            self.tell(
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
            self.tell(Interrupted(at_ms=now_ms, utterance=self._answering))
        if output.speech_ended or output.interrupted:
            self._speech_ended(now_ms + FRAME_MS, interrupted=output.interrupted)

    def accounts(self, feed: OracleFeed, now_ms: float) -> None:
        """What the front end was fed."""
        for account in feed.take_accounts():
            self.tell(
                OracleApplied(
                    at_ms=now_ms,
                    generation=account.generation,
                    frame=account.frame,
                    tokens_fed=account.tokens_fed,
                    tokens_missed=account.tokens_missed,
                    ended=account.ended,
                )
            )

    def fresh_start(self, now_ms: float) -> None:
        """The front end's memory was cleared."""
        self.tell(FreshStart(at_ms=now_ms))
        if self.speaking:
            self._speech_ended(now_ms, interrupted=True)

    def context(self, used_frames: int, limit_frames: int, now_ms: float) -> None:
        """How full the front end's memory is."""
        self.tell(
            ContextUsed(
                at_ms=now_ms,
                used_ms=used_frames * FRAME_MS,
                limit_ms=limit_frames * FRAME_MS,
                running_out=used_frames >= limit_frames * _CONTEXT_WARNING,
            )
        )

    def late(self, frame: int, behind_ms: float, now_ms: float) -> None:
        """The loop has fallen behind."""
        self._late_frames += 1
        self.tell(FrameLate(at_ms=now_ms, frame=frame, behind_ms=behind_ms))

    def sound(self, frame: int, now_ms: float, captured: PcmFrame, heard: PcmFrame, spoken: PcmFrame) -> None:
        """What one frame sounded like: as captured, as listened to, and as played."""
        self._input_peak = max(self._input_peak, _peak(captured))
        self._output_peak = max(self._output_peak, _peak(spoken))
        self.tell(AudioPeaks(at_ms=now_ms, frame=frame, heard=_bins(heard), spoken=_bins(spoken)))

    def timing(
        self,
        frame: int,
        now_ms: float,
        captured: PcmFrame,
        spoken: PcmFrame,
        *,
        step_ms: float,
        stats: DeviceStats,
        stt_dropped_frames: int,
    ) -> None:
        """Count a frame's cost; every other frame tell how the loop fares, and how loud it is."""
        self._step_ms.append(step_ms)
        if frame % _TIMING_EVERY_FRAMES:
            return
        p50, p95 = np.percentile(self._step_ms, (50, 95))
        self.tell(
            FrameTiming(
                at_ms=now_ms,
                frame=frame + 1,
                step_p50_ms=float(p50),
                step_p95_ms=float(p95),
                late_frames=self._late_frames,
                input_dbfs=level_dbfs(captured),
                output_dbfs=level_dbfs(spoken),
                stt_dropped_frames=stt_dropped_frames,
                audio_underruns=stats.underrun_samples // FRAME_SAMPLES,
                audio_overruns=stats.overrun_samples // FRAME_SAMPLES,
                input_peak_dbfs=_dbfs(self._input_peak),
                output_peak_dbfs=_dbfs(self._output_peak),
            )
        )
        self._input_peak = self._output_peak = 0.0

    def _speech_ended(self, at_ms: float, *, interrupted: bool) -> None:
        self.speaking = False
        self.tell(AgentSpeechEnded(at_ms=at_ms, utterance=self._answering, interrupted=interrupted))


def _peak(frame: PcmFrame) -> float:
    return float(np.max(np.abs(frame), initial=0.0))


def _bins(frame: PcmFrame) -> tuple[float, ...]:
    return tuple(float(peak) for peak in np.max(np.abs(frame.reshape(PEAK_BINS_PER_FRAME, -1)), axis=1))


def _dbfs(peak: float) -> float:
    return 20.0 * float(np.log10(peak)) if peak > _SILENT_PEAK else -120.0
