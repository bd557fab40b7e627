"""How the lite front end behaves: its policies, phrases and times."""

from __future__ import annotations

from dataclasses import dataclass

from kame_desktop.frontends.base import Capabilities
from kame_desktop.frontends.lite_plan import SENTENCE_CONNECTORS, WORD_CONNECTORS
from kame_desktop.frontends.voice import ClauseEnd, ClipKey


@dataclass(frozen=True, slots=True)
class LitePolicy:
    """One way of taking turns.

    Attributes:
        name / label: The engine, as settings and window know it.
        speculates: It wants answers to unfinished sentences.
        openers: It begins at once, with an opener when the answer isn't there yet.
        whole_sentence_first: It says nothing before the first sentence is complete.
        steerable: It takes the oracle; otherwise it says that it can't answer by itself.
    """

    name: str
    label: str
    speculates: bool
    openers: bool
    whole_sentence_first: bool
    steerable: bool = True

    @property
    def capabilities(self) -> Capabilities:
        """As the session sees it."""
        return Capabilities(name=self.name, label=self.label, steerable=self.steerable, speculates=self.speculates)

    @property
    def apology(self) -> Phrase:
        """What is said when no answer will come."""
        return APOLOGY if self.steerable else ALONE_ANSWER


TANDEM = LitePolicy("lite", "Lite (no GPU)", speculates=True, openers=True, whole_sentence_first=False)
CASCADE = LitePolicy("cascade", "Cascade (for comparison)", speculates=False, openers=False, whole_sentence_first=True)
ALONE = LitePolicy(
    "alone",
    "Front end alone (for comparison)",
    speculates=False,
    openers=True,
    whole_sentence_first=False,
    steerable=False,
)

MIN_TURN_SPEECH_MS = 300.0
"""Less speech than this doesn't make the assistant take the turn before there are words to say."""
MIN_OPENER_SPEECH_MS = 400.0
"""Less speech than this may be a cough: no opener unless the back end heard words."""
INTERRUPT_SPEECH_MS = 140.0
"""The answer ends in the frame in which 200 ms of speech over it come nearest: of those the turn detector has seen 183
(it is 17 ms late, median of 43 words), and a frame may be 40 ms early or late."""
RESUME_ANSWER_MS = 1_000.0
"""While less of the answer than this was played, a user who goes on simply gets the turn back."""
STALE_PATIENCE_MS = 700.0
"""After a pause of this length an answer to a part of the question is begun with; a better one corrects it."""
FILLER_AFTER_MS = 2_500.0
GIVE_UP_AFTER_MS = 8_000.0

GAP_MS = {ClauseEnd.FLOW: 15.0, ClauseEnd.PAUSE: 80.0, ClauseEnd.SENTENCE: 250.0}
OPENER_GAP_MS = 80.0

Phrase = tuple[str, ...]

THINKING_OPENERS: tuple[Phrase, ...] = (("Let", "me", "think,"), ("Hmm,",), ("Let's", "see,"))
"""For when nothing of an answer is known yet."""
READY_OPENERS: tuple[Phrase, ...] = (("Well,",), ("So,",), ("Right,",))
"""For when an answer is on its way."""
FILLER: Phrase = ("One", "moment.")
ALONE_ANSWER: Phrase = ("I", "don't", "know", "that", "by", "myself.")
APOLOGY: Phrase = ("Sorry,", "I", "can't", "reach", "my", "language", "model", "right", "now.")


def phrase_key(phrase: Phrase) -> ClipKey:
    """The clip of a fixed phrase."""
    return ClipKey(phrase, ClauseEnd.SENTENCE if phrase[-1].endswith(".") else ClauseEnd.PAUSE)


def fixed_phrases() -> list[ClipKey]:
    """Everything that is synthesised at load."""
    phrases = [*THINKING_OPENERS, *READY_OPENERS, FILLER, APOLOGY, ALONE_ANSWER, *WORD_CONNECTORS, *SENTENCE_CONNECTORS]
    return [phrase_key(phrase) for phrase in phrases]
