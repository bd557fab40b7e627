"""What the frame loop knows of the back end: read from the bus once a frame. Frame thread only; never waits."""

from __future__ import annotations

from kame_desktop.core.audio_types import UserActivity
from kame_desktop.core.events import (
    AgentSpeechEnded,
    AgentText,
    OracleCurrent,
    OracleFailed,
    OracleRequested,
    OracleRevision,
    SttFinal,
    SttPartial,
    UserSpeechStarted,
)
from kame_desktop.session.backchannel import BackchannelGate
from kame_desktop.session.bus import Bus
from kame_desktop.session.oracle_feed import OracleFeed


class BackEndNews:
    """Owns a mailbox of the bus (its bound) until ``close``.

    Attributes:
        down: No answer will come: the back end gave up.
        heard_text / heard_final / heard_until_ms: What speech-to-text made of the utterance ``heard_utterance``.
    """

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._box = bus.subscribe(
            OracleRevision,
            OracleCurrent,
            OracleRequested,
            OracleFailed,
            SttPartial,
            SttFinal,
            AgentText,
            AgentSpeechEnded,
            UserSpeechStarted,
            name="frame loop",
        )
        self._fillers = BackchannelGate()
        self._floor = 0
        """Answers to earlier utterances are unwanted."""
        self._current: OracleCurrent | None = None
        self._empty_final = 0
        self.down = False
        self.heard_utterance = 0
        self.heard_text = ""
        self.heard_final = False
        self.heard_until_ms = 0.0

    def close(self) -> None:
        """Leave the bus; idempotent."""
        self._bus.unsubscribe(self._box)

    def hear(self, feed: OracleFeed, frame: int, now_ms: float) -> None:
        """Take what has happened since the last frame; revisions go into the feed."""
        for event in self._box.drain():
            counts = self._fillers.counts(event)
            match event:
                case OracleRevision() if event.utterance >= self._floor:
                    feed.offer(event, frame, now_ms)
                case OracleCurrent():
                    self._current = event
                case OracleRequested():
                    self.down = False
                case OracleFailed(superseded=False, will_retry=False):
                    self.down = True
                case SttPartial() | SttFinal():
                    self._hear_words(event, counts)
                case _:
                    pass

    def drop_answers_before(self, utterance: int) -> None:
        """The answer was interrupted by this utterance: what still comes of it is unwanted."""
        self._floor = max(self._floor, utterance)

    def oracle_is_current(self, feed: OracleFeed, user: UserActivity, last_speech_ms: float) -> bool:
        """Whether the revision that is fed was asked with all that the user has said."""
        current = self._current
        return (
            current is not None
            and current.utterance == user.utterance
            and current.generation == feed.generation
            and current.heard_until_ms >= last_speech_ms
        )

    def nothing_heard(self, user: UserActivity) -> bool:
        """The utterance turned out to hold no words."""
        return self._empty_final == user.utterance and user.utterance > 0

    def words_of(self, user: UserActivity) -> tuple[str, bool, float]:
        """The words of the current utterance so far, whether they are final, and of which sound they are made."""
        if self.heard_utterance != user.utterance:
            return "", False, 0.0
        return self.heard_text, self.heard_final, self.heard_until_ms

    def _hear_words(self, event: SttPartial | SttFinal, counts: bool) -> None:
        final = isinstance(event, SttFinal)
        has_words = bool(event.text.strip())
        if has_words and counts and not final:
            # A noise opens an utterance too; only words make the old question's answer unwanted.
            self._floor = max(self._floor, event.utterance)
        if final and not has_words:
            self._empty_final = event.utterance
        if event.utterance >= self.heard_utterance:
            self.heard_utterance = event.utterance
            self.heard_text, self.heard_final = event.text, final
            self.heard_until_ms = event.heard_until_ms
