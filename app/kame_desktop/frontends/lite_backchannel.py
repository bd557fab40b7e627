"""The user speaks over the answer: does it end there? Pure.

After ``INTERRUPT_SPEECH_MS`` the voice is faded out, whatever was said: the words come too late to wait for them. If
what was said turns out to be a filler ("uh-huh") or no words at all (a cough), the answer goes on where it broke off;
otherwise the rest of it is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from kame_desktop.core.audio_types import FRAME_MS
from kame_desktop.core.backchannel import is_backchannel
from kame_desktop.frontends.base import FrontendInput
from kame_desktop.frontends.lite_endpoint import words_cover_speech
from kame_desktop.frontends.lite_player import Piece
from kame_desktop.frontends.voice import ClipKey

LONGEST_FILLER_MS = 700.0
"""Longer speech is a filler only while the words say so ..."""
LONGEST_FILLERS_MS = 1_500.0
"""... and never beyond this."""
WORDS_PATIENCE_MS = 1_500.0
"""Words that haven't come so long after the speech won't come."""


class Verdict(Enum):
    """What becomes of an answer that was talked over."""

    WAIT = auto()
    RESUME = auto()
    DROP = auto()


@dataclass(slots=True)
class Remainder:
    """What is left of the piece that was cut.

    Attributes:
        piece: Its sound from the beginning of the cut word on.
        key: The same words as a clip of their own, which sounds better; None: there is none.
    """

    piece: Piece
    key: ClipKey | None


@dataclass(slots=True)
class Overlap:
    """One utterance of the user over the answer.

    Attributes:
        utterance: Its number.
        spoken_before_ms: Speech of it that was judged before (it went on after a pause).
        remainder: What the answer goes on with; None: with the next clause.
        silent_ms: For how long the user has been silent since.
    """

    utterance: int
    spoken_before_ms: float
    remainder: Remainder | None = None
    silent_ms: float = 0.0

    def judge(self, given: FrontendInput) -> Verdict:
        """Take a frame; say whether it is clear by now what was said."""
        user = given.user
        if user.utterance != self.utterance:  # yet another one, before it was clear what this one was
            self.utterance = user.utterance
            self.spoken_before_ms = 0.0
        speech_ms = user.speech_ms - self.spoken_before_ms
        filler = is_backchannel(given.heard_text)
        if user.speaking:
            self.silent_ms = 0.0
            known_harmless = filler or (given.heard_until_ms > 0.0 and not given.heard_text.strip())
            limit_ms = LONGEST_FILLERS_MS if known_harmless else LONGEST_FILLER_MS
            return Verdict.DROP if speech_ms > limit_ms else Verdict.WAIT
        self.silent_ms += FRAME_MS
        harmless = filler or not given.heard_text.strip()
        if words_cover_speech(given):
            return Verdict.RESUME if harmless else Verdict.DROP
        if self.silent_ms < WORDS_PATIENCE_MS:
            return Verdict.WAIT
        return Verdict.RESUME if harmless and speech_ms <= LONGEST_FILLER_MS else Verdict.DROP
