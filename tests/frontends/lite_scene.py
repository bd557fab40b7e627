"""Drives a ``LiteFrontend`` by a script: the user speaks and pauses, the oracle brings revisions, frames go by."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, UserActivity, silence_frame
from kame_desktop.core.events import SpokenKind
from kame_desktop.frontends.base import NO_ORACLE, FrontendInput, FrontendOutput, OracleSlot
from kame_desktop.frontends.lite import LiteFrontend
from kame_desktop.frontends.lite_policy import TANDEM, LitePolicy
from kame_desktop.frontends.voice import SynthesizerFactory, Voice
from tests.fakes.voice import FakeVoice, inline


@dataclass(slots=True)
class Scene:
    """A loaded front end, its frames so far, and a user."""

    policy: LitePolicy = TANDEM
    synthesizer: SynthesizerFactory = field(default_factory=inline)
    voice: Voice = field(default_factory=FakeVoice)
    activity: Activity = field(default_factory=Activity)
    outputs: list[FrontendOutput] = field(default_factory=list)
    backend_down: bool = False
    nothing_heard: bool = False
    oracle_current: bool = True
    heard_text: str = ""
    heard_final: bool = False
    heard_until_ms: float = 0.0
    unplayed_ms: float = 0.0
    utterance: int = 0
    speech_ms: float = 0.0
    silence_ms: float = 0.0
    speaking: bool = False
    ended: bool = True
    frontend: LiteFrontend = field(init=False)

    def __post_init__(self) -> None:
        self.frontend = LiteFrontend(self.policy, lambda: self.voice, self.activity, self.synthesizer)
        self.frontend.load(lambda share, text: None)
        self.frontend.reset()

    # --- the user -------------------------------------------------------------------------------------------------

    def speak(self, ms: float) -> None:
        """The user speaks for ``ms``."""
        for _ in range(round(ms / FRAME_MS)):
            started = not self.speaking
            if self.ended and started:
                self.utterance += 1
                self.speech_ms = 0.0
                self.heard_text, self.heard_final, self.heard_until_ms = "", False, 0.0
            self.speaking, self.ended, self.silence_ms = True, False, 0.0
            self.speech_ms += FRAME_MS
            self.frame(started=started)

    def pause(self) -> FrontendOutput:
        """The tentative end of the user's speech."""
        self.silence_ms = 160.0
        self.frame()
        self.speaking = False
        return self.frame(paused=True)

    def finish(self) -> None:
        """The user's silence gets so long that the utterance is final."""
        while self.silence_ms < 500.0:
            self.frame()
        self.ended = True
        self.frame(finished=True)

    def recognise(self, text: str, *, behind_ms: float = 0.0, final: bool = False) -> None:
        """Speech-to-text knows ``text`` by now, made of all but the newest ``behind_ms`` of the speech."""
        self.heard_text, self.heard_final = text, final
        silence_ms = 0.0 if self.speaking else self.silence_ms
        self.heard_until_ms = len(self.outputs) * FRAME_MS - silence_ms - behind_ms

    # --- the oracle -----------------------------------------------------------------------------------------------

    def oracle(self, text: str, generation: int, *, start: bool = True, ends: bool = True) -> FrontendOutput:
        """A revision, or (without ``start``) more of one, in one frame."""
        tokenizer = self.frontend.tokenizer
        ids = ([tokenizer.start_id] if start else []) + list(tokenizer.encode(text))
        return self.frame(OracleSlot(tuple(ids), generation, ends))

    # --- time -----------------------------------------------------------------------------------------------------

    def frame(
        self,
        oracle: OracleSlot = NO_ORACLE,
        *,
        started: bool = False,
        paused: bool = False,
        finished: bool = False,
    ) -> FrontendOutput:
        """One frame goes by."""
        if not self.speaking:
            self.silence_ms += FRAME_MS
        user = UserActivity(
            utterance=self.utterance,
            speaking=self.speaking,
            started=started,
            paused=paused,
            finished=finished,
            speech_ms=self.speech_ms,
            silence_ms=self.silence_ms,
        )
        output = self.frontend.step(
            FrontendInput(
                frame=len(self.outputs),
                pcm=silence_frame(),
                oracle=oracle,
                user=user,
                oracle_current=self.oracle_current,
                backend_down=self.backend_down,
                nothing_heard=self.nothing_heard,
                heard_text=self.heard_text,
                heard_final=self.heard_final,
                heard_until_ms=self.heard_until_ms,
                now_ms=(len(self.outputs) + 1) * FRAME_MS,
                unplayed_ms=self.unplayed_ms,
            )
        )
        self.outputs.append(output)
        assert self.activity.wait_idle(5.0)
        return output

    def run(self, ms: float) -> list[FrontendOutput]:
        """``ms`` of frames in which nothing new happens."""
        return [self.frame() for _ in range(round(ms / FRAME_MS))]

    def run_until_word(self, word: str, limit_ms: float = 20_000.0) -> None:
        """Until ``word`` begins to sound."""
        for _ in range(round(limit_ms / FRAME_MS)):
            if word in [spoken.text for spoken in self.frame().words]:
                return
        raise AssertionError(f"{word} was never said; said: {self.said()}")

    def run_until_end(self, limit_ms: float = 30_000.0) -> FrontendOutput:
        """Until the answer is over."""
        for _ in range(round(limit_ms / FRAME_MS)):
            if (output := self.frame()).speech_ended:
                return output
        raise AssertionError(f"the answer never ended; said: {self.said()}")

    # --- what was heard -------------------------------------------------------------------------------------------

    def said(self, *kinds: SpokenKind) -> str:
        """All words so far (of these kinds)."""
        words = (word for output in self.outputs for word in output.words)
        return " ".join(word.text for word in words if not kinds or word.kind in kinds)

    def answer(self) -> str:
        """The words of the answer so far."""
        return self.said(SpokenKind.ANSWER)

    def sound(self) -> np.ndarray:
        """Everything played so far."""
        return np.concatenate([output.pcm for output in self.outputs])

    def heard(self) -> np.ndarray:
        """What is left of ``sound`` by a device that holds back ``unplayed_ms`` and is hushed."""
        sound = self.sound()
        for number, output in enumerate(self.outputs):
            if output.hushed:
                at = number * FRAME_SAMPLES
                sound[max(0, at - round(self.unplayed_ms * 24)) : at + FRAME_SAMPLES] = 0.0
        return sound

    def close(self) -> None:
        self.frontend.close()
