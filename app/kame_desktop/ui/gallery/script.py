"""Writes the events of a conversation with a running clock."""

from __future__ import annotations

import random

from kame_desktop.core import events as ev
from kame_desktop.core.audio_types import FRAME_MS
from kame_desktop.core.events import Event, SessionState, SpokenKind
from kame_desktop.ui.gallery.services import REMOTE


class Script:
    """Writes events with a running clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.out: list[Event] = []
        self._random = random.Random(7)
        self._frame = 0
        self._talking = self._speaking = False
        self.state(SessionState.LOADING, 0.0)
        self.state(SessionState.RUNNING)
        self.out.append(ev.ModelChanged(at_ms=0, model=REMOTE.name, label=REMOTE.label))
        self.out.append(ev.DeviceChanged(at_ms=0, input_name="USB headset", output_name="USB headset"))

    def later(self, ms: float) -> Script:
        """Time passes, and is heard."""
        self.now += ms
        while (self._frame + 1) * FRAME_MS <= self.now:
            heard = self._peaks(0.55) if self._talking else self._peaks(0.006)
            spoken = self._peaks(0.7) if self._speaking else (0.0,) * ev.PEAK_BINS_PER_FRAME
            at_ms = (self._frame + 1) * FRAME_MS
            self.out.append(ev.AudioPeaks(at_ms=at_ms, frame=self._frame, heard=heard, spoken=spoken))
            self._frame += 1
        return self

    def _peaks(self, loudest: float) -> tuple[float, ...]:
        return tuple(loudest * self._random.random() ** 1.5 for _ in range(ev.PEAK_BINS_PER_FRAME))

    def state(self, state: SessionState, progress: float | None = None, detail: str = "") -> Script:
        """The session's state."""
        self.out.append(ev.SessionStateChanged(at_ms=self.now, state=state, progress=progress, detail=detail))
        return self

    def hear(self, utterance: int, text: str, stable: int, lag: float = 180.0) -> Script:
        """A partial; the first one begins the utterance."""
        if stable == 0:
            self._talking = True
            self.out.append(ev.UserSpeechStarted(at_ms=self.now, utterance=utterance))
        self.out.append(
            ev.SttPartial(at_ms=self.now, utterance=utterance, rev=1, text=text, stable_words=stable, lag_ms=lag)
        )
        return self

    def end(self, utterance: int, text: str) -> Script:
        """The user has finished."""
        self._talking = False
        self.out.append(ev.UserSpeechEnded(at_ms=self.now, utterance=utterance, last_speech_ms=self.now - 160))
        self.out.append(ev.SttFinal(at_ms=self.now, utterance=utterance, text=text))
        return self

    def ask(self, generation: int, utterance: int, heard: int) -> Script:
        """The language model is asked."""
        self.out.append(
            ev.OracleRequested(
                at_ms=self.now,
                generation=generation,
                utterance=utterance,
                model=REMOTE.name,
                prompt_tokens=90,
                because=ev.AskReason.WORDS_CHANGED,
                heard_words=heard,
            )
        )
        return self

    def answer(self, generation: int, utterance: int, text: str, ms: float, *, done: bool = True) -> Script:
        """The language model says something, ``ms`` after it was asked."""
        words = text.split()
        self.later(ms)
        for count in sorted({1, len(words) // 2, len(words)} - {0}):
            self.out.append(
                ev.OracleRevision(
                    at_ms=self.now,
                    generation=generation,
                    utterance=utterance,
                    model=REMOTE.name,
                    text_so_far=" ".join(words[:count]),
                    complete=done and count == len(words),
                    first_token_ms=ms,
                    word_count=count,
                )
            )
            self.later(20.0 * count)
        return self

    def fed(self, generation: int, tokens: int, missed: int = 0) -> Script:
        """The front end was given tokens."""
        self.out.append(
            ev.OracleApplied(at_ms=self.now, generation=generation, frame=1, tokens_fed=tokens, tokens_missed=missed)
        )
        return self

    def begin_speech(self, utterance: int) -> Script:
        """The assistant begins."""
        self._speaking = True
        self.out.append(ev.AgentSpeechStarted(at_ms=self.now, utterance=utterance))
        return self

    def say(self, utterance: int, text: str, generation: int | None, kind: SpokenKind = SpokenKind.ANSWER) -> Script:
        """Words are spoken, one after the other."""
        for word in text.split():
            self.out.append(
                ev.AgentText(at_ms=self.now, utterance=utterance, text=word, frame=1, generation=generation, kind=kind)
            )
            self.later(140.0 + 35.0 * len(word))
        return self

    def hush(self, utterance: int, *, interrupted: bool = False) -> Script:
        """The assistant falls silent."""
        self._speaking = False
        self.out.append(ev.AgentSpeechEnded(at_ms=self.now, utterance=utterance, interrupted=interrupted))
        return self

    def health(self, heard: float, spoken: float, calls: int) -> Script:
        """Levels, timing, usage."""
        self.out.append(
            ev.FrameTiming(
                at_ms=self.now,
                frame=1,
                step_p50_ms=2.1,
                step_p95_ms=6.4,
                late_frames=0,
                input_dbfs=heard,
                output_dbfs=spoken,
            )
        )
        self.out.append(
            ev.UsageUpdated(
                at_ms=self.now,
                calls=calls,
                prompt_tokens=96 * calls,
                completion_tokens=21 * calls,
                cost_usd=0.00004 * calls,
            )
        )
        return self
