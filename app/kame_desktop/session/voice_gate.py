"""Whether the microphone is live, and what the talk key does to turns. Pure; frame thread only."""

from __future__ import annotations

from dataclasses import replace

from kame_desktop.audio.base import AudioControls
from kame_desktop.core.audio_types import PcmFrame, UserActivity, silence_frame
from kame_desktop.core.events import MicrophoneClosed
from kame_desktop.session.ducking import ramp

_RAMP_MS = 20.0
_RELEASE_FRAMES = 1
"""The frame in which a release is noticed was recorded before it, and the canceller still holds 9 ms of that sound."""
_SPEAKING_TAIL_FRAMES = 4
"""The voice is heard so much later than it is made, and rings in the room."""


class VoiceGate:
    """Lets the microphone's sound through, or silence.

    Attributes:
        closed: Why it is closed; None: it is open.
    """

    def __init__(self) -> None:
        self.closed: MicrophoneClosed | None = None
        self._gain: float | None = None
        self._since_held = _RELEASE_FRAMES
        self._since_speaking = _SPEAKING_TAIL_FRAMES

    def process(
        self, frame: PcmFrame, controls: AudioControls, *, assistant_speaks: bool, device_there: bool
    ) -> PcmFrame:
        """The next frame as it may be heard; opens and closes within 20 ms, without a click."""
        self._since_held = 0 if controls.talk_held else self._since_held + 1
        self._since_speaking = 0 if assistant_speaks else self._since_speaking + 1
        self.closed = self._why_closed(controls, device_there)
        before, self._gain = self._gain, float(self.closed is None)
        if before is None or before == self._gain:
            return frame if self._gain else silence_frame()
        return frame * ramp(before, self._gain, _RAMP_MS)

    def _why_closed(self, controls: AudioControls, device_there: bool) -> MicrophoneClosed | None:
        if not device_there:
            return MicrophoneClosed.NO_DEVICE
        if controls.muted:
            return MicrophoneClosed.MUTED
        if controls.push_to_talk:
            return MicrophoneClosed.KEY_NOT_HELD if self._since_held > _RELEASE_FRAMES else None
        if controls.mute_while_speaking and self._since_speaking <= _SPEAKING_TAIL_FRAMES:
            return MicrophoneClosed.ASSISTANT_SPEAKS
        return None


class TalkKey:
    """Turns by push-to-talk: an utterance lasts as long as the key is held, whatever pauses it has.

    Without push-to-talk the turn detector's word goes; its utterances are only numbered anew, so that both ways of
    talking count on.

    Attributes:
        pressed: The key went down in the latest frame: the user takes the turn.
        released: It went up, the utterance is over: the turn detector begins anew.
    """

    def __init__(self) -> None:
        self.pressed = self.released = False
        self._by_key = False
        self._live = False
        self._latest = 0
        self._before = 0
        """What was counted before the detector counted from 1."""
        self._open = False
        self._speech_ms = 0.0
        self._judged_ms = 0.0

    def process(self, user: UserActivity, *, by_key: bool, live: bool) -> UserActivity:
        """Take what the turn detector says of a frame, and whether the key lets the user be heard in it."""
        was_live = self._by_key and self._live
        self._by_key, self._live = by_key, live
        self.pressed = by_key and live and not was_live
        self.released = ((was_live or self._open) and by_key and not live) or (was_live and not by_key)
        if by_key or self.released:
            return self._held(user)
        self._latest = self._before + user.utterance
        self._open = user.speaking or (self._open and not user.finished)
        return replace(user, utterance=self._latest)

    def _held(self, user: UserActivity) -> UserActivity:
        started = user.speaking and not self._open and not self.released
        if started:
            self._open = True
            self._latest += 1
            self._speech_ms = 0.0
        new_ms = user.speech_ms - self._judged_ms
        self._speech_ms += new_ms if new_ms >= 0.0 else user.speech_ms
        self._judged_ms = user.speech_ms
        over = self._open and self.released
        if self.released:
            self._open = False
            self._before = self._latest
            self._judged_ms = 0.0
        return UserActivity(
            utterance=self._latest,
            speaking=self._open,
            started=started,
            paused=over,
            finished=over,
            speech_ms=self._speech_ms,
            silence_ms=user.silence_ms,
            last_speech_ms=user.last_speech_ms,
        )
