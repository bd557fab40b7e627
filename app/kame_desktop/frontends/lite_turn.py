"""What the lite front end remembers of one user utterance and its answer. Owner: the frame thread."""

from __future__ import annotations

from dataclasses import dataclass

from kame_desktop.core.audio_types import FRAME_MS, UserActivity
from kame_desktop.core.backchannel import is_backchannel
from kame_desktop.frontends.base import FrontendInput, OracleSlot
from kame_desktop.frontends.lite_backchannel import LONGEST_FILLER_MS
from kame_desktop.frontends.lite_endpoint import words_cover_speech
from kame_desktop.frontends.lite_plan import AnswerPlan
from kame_desktop.frontends.lite_policy import (
    FILLER,
    FILLER_AFTER_MS,
    GIVE_UP_AFTER_MS,
    MIN_OPENER_SPEECH_MS,
    STALE_PATIENCE_MS,
    LitePolicy,
    Phrase,
)
from kame_desktop.frontends.word_tokens import WordTokenizer


@dataclass(slots=True)
class Turn:
    """One utterance of the user and the answer to it.

    Attributes:
        utterance: Its number.
        plan: What there is to say.
        speech_ms: How much the user said.
        paused: The user has stopped, at least tentatively.
        finished: The user has stopped for good.
        started: Sound of the answer was played and its end hasn't been told.
        fillers: How many openers and fillers were said.
        phrase: A fixed phrase that waits to be played.
        apologised: The apology was said, or waits: nothing else follows.
        cut_short: The rest of the answer was given up: the apology follows what is known of it.
        pointless: The user said no words, and no answer was begun.
        answer_ms: How much of the answer was played.
        silent_ms: For how long there has been neither sound nor news.
        dry_ms: For how long there has been neither answer nor news.
        current: The newest revision was asked with all that the user has said.
        paused_ms: For how long the user has paused.
        lead_in: The latest words lead into what follows ("Well,", "or rather,").
        taken: The assistant took the turn after the user's latest speech.
        over_answer: It began while the assistant was speaking, so it may be a filler, which isn't answered.
    """

    utterance: int
    plan: AnswerPlan
    speech_ms: float = 0.0
    paused: bool = False
    finished: bool = False
    started: bool = False
    fillers: int = 0
    phrase: Phrase | None = None
    apologised: bool = False
    cut_short: bool = False
    pointless: bool = False
    answer_ms: float = 0.0
    silent_ms: float = 0.0
    dry_ms: float = 0.0
    current: bool = False
    paused_ms: float = 0.0
    lead_in: bool = False
    taken: bool = False
    over_answer: bool = False

    @property
    def may_answer(self) -> bool:
        """Going on is always right; beginning only with an answer to the whole question, or when none came in time.

        Until then a better answer is probably on its way, and what is said can't be taken back.
        """
        return self.current or self.answer_ms > 0.0 or self.paused_ms >= STALE_PATIENCE_MS

    @property
    def worth_a_word(self) -> bool:
        """It was speech, not a cough: something may be said before there is an answer."""
        return self.speech_ms >= MIN_OPENER_SPEECH_MS or self.plan.begun

    def hear(self, user: UserActivity) -> None:
        """Take what the turn detector says of this utterance."""
        self.speech_ms = user.speech_ms
        if user.started or user.speaking:
            self.paused = self.finished = self.taken = False
            self.paused_ms = 0.0
        elif self.paused:
            self.paused_ms += FRAME_MS
        self.paused |= user.paused or user.finished
        self.finished |= user.finished

    def grow_older(self) -> None:
        """A newer utterance is what is heard: no better answer to this one will come for ever."""
        self.paused_ms += FRAME_MS

    def settle(self, given: FrontendInput) -> None:
        """The answer that it was said over has ended before it was clear what was said: find out."""
        words = given.heard_text
        if self.speech_ms > LONGEST_FILLER_MS or (words.strip() and words_cover_speech(given)):
            self.over_answer = is_backchannel(words)

    def feed(self, slot: OracleSlot, tokenizer: WordTokenizer) -> None:
        """Take what the oracle brings."""
        words: list[str] = []
        for token_id in slot.ids:
            if token_id == tokenizer.start_id:
                self.plan.begin(slot.generation)
                words.clear()
            elif (word := tokenizer.decode(token_id)) is not None:
                words.append(word)
        if any(token_id != tokenizer.pad_id for token_id in slot.ids):
            self.silent_ms = self.dry_ms = 0.0
            self.cut_short = False
        if slot.generation in (None, self.plan.generation):
            self.plan.add(words)
            if slot.ends:
                self.plan.finish()

    def take(self) -> None:
        """The assistant takes the turn: its patience begins."""
        self.taken = True
        self.phrase = None
        self.fillers = 0
        self.apologised = self.cut_short = self.pointless = False
        self.answer_ms = self.silent_ms = self.dry_ms = 0.0
        self.lead_in = False

    def give_back(self) -> None:
        """The user goes on with the same utterance: listen, then answer from the beginning."""
        self.plan.restart()
        self.paused = self.started = False
        self.phrase = None

    def drop_answer(self, plan: AnswerPlan) -> None:
        """The answer was interrupted: nothing of it, nor what may still come of it, is said."""
        self.plan = plan
        self.paused = self.started = False
        self.phrase = None

    def wait(self, policy: LitePolicy, sounding: bool, backend_down: bool, nothing_heard: bool) -> None:
        """Count a frame; when patience ends, set a filler or the apology as ``phrase``.

        ``nothing_heard``: the utterance held no words, so the turn ends unless an answer has been begun.
        """
        self.silent_ms = 0.0 if sounding else self.silent_ms + FRAME_MS
        self.dry_ms += FRAME_MS
        self.pointless = nothing_heard and not self.plan.spoken
        if sounding or self.pointless or self.apologised or self.phrase is not None:
            return
        if self.plan.upcoming(1) or (self.plan.exhausted and not self.cut_short):
            return
        if self.cut_short or ((backend_down or self.dry_ms >= GIVE_UP_AFTER_MS) and self.worth_a_word):
            if self.plan.begun and not self.plan.complete:
                self.plan.finish()  # what is known of the answer is said before the apology
                self.cut_short = True
                if self.plan.upcoming(1):
                    return
            self.phrase = policy.apology
            self.apologised = True
        elif policy.openers and self.fillers == 1 and not self.plan.spoken and self.silent_ms >= FILLER_AFTER_MS:
            self.phrase = FILLER
            self.fillers += 1

    def over(self, sounding: bool) -> bool:
        """Nothing is being played and nothing more is to be said."""
        if sounding or self.phrase is not None:
            return False
        if self.apologised or self.pointless or (self.plan.exhausted and not self.cut_short):
            return True
        return not self.worth_a_word and self.dry_ms >= FILLER_AFTER_MS
