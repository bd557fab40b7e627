"""The rows of the window's three columns, as plain values. No Qt. ``ConversationModel`` fills them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from kame_desktop.core.events import MicrophoneClosed, SpokenKind
from kame_desktop.core.series import series_of

SILENCE_DBFS = -120.0


class Phase(StrEnum):
    """What the state line says."""

    IDLE = "idle"
    LOADING = "loading"
    READY = "ready"
    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"
    ORACLE_LATE = "oracle_late"
    OFFLINE = "offline"
    STOPPING = "stopping"
    FAILED = "failed"


class CardStatus(StrEnum):
    """Where one answer of the language model stands."""

    ASKED = "asked"
    STREAMING = "streaming"
    COMPLETE = "complete"
    SUPERSEDED = "superseded"
    FAILED = "failed"


@dataclass(slots=True)
class UserLine:
    """The user's words of one turn; the first ``stable_words`` can't change any more."""

    text: str = ""
    stable_words: int = 0
    final: bool = False

    def split(self) -> tuple[str, str]:
        """The stable and the unstable part."""
        words = self.text.split()
        count = len(words) if self.final else min(self.stable_words, len(words))
        return " ".join(words[:count]), " ".join(words[count:])


@dataclass(slots=True)
class OracleCard:
    """One answer of the language model.

    Attributes:
        number: Its place among the answers of its turn, from 1: the tag on the card and on the spoken words.
        based_on: The user's words that the question held, as far as they are known.
        tokens_fed: How many of its tokens the front end was given.
        tokens_missed: How many were replaced before their turn.
        chosen_because: Why this model, when it isn't simply the chosen one.
        failure: What went wrong, and what to do (status FAILED).
    """

    generation: int
    utterance: int
    number: int
    model: str = ""
    chosen_because: str = ""
    heard_words: int = 0
    based_on: str = ""
    first_token_ms: float | None = None
    text: str = ""
    status: CardStatus = CardStatus.ASKED
    tokens_fed: int = 0
    tokens_missed: int = 0
    asked_at_ms: float = 0.0
    failure: str = ""
    will_retry: bool = False

    @property
    def series(self) -> int:
        """0: of the session itself; else which of the models that were asked the same again."""
        return series_of(self.generation)

    @property
    def word_count(self) -> int:
        """Words of the answer so far."""
        return len(self.text.split())

    @property
    def over(self) -> bool:
        """Nothing more is expected of it."""
        return self.status not in (CardStatus.ASKED, CardStatus.STREAMING)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A spoken word. ``number``: tag of the card that fed it; ``correction``: the first word of another answer."""

    text: str
    generation: int | None
    number: int | None
    kind: SpokenKind
    correction: bool = False


@dataclass(slots=True)
class Answer:
    """What the assistant said in one turn."""

    words: list[Spoken] = field(default_factory=list)
    speaking: bool = False
    interrupted: bool = False
    last_generation: int | None = None

    @property
    def corrected(self) -> bool:
        """The course changed at least once while speaking."""
        return any(word.correction for word in self.words)


@dataclass(slots=True)
class Turn:
    """One row of the three columns. ``dropped_cards``: how many old answers are not kept any more."""

    utterance: int
    user: UserLine = field(default_factory=UserLine)
    cards: list[OracleCard] = field(default_factory=list)
    answer: Answer = field(default_factory=Answer)
    dropped_cards: int = 0

    @property
    def empty(self) -> bool:
        """There is nothing to show."""
        return not (self.user.text or self.cards or self.answer.words)


@dataclass(slots=True)
class Changes:
    """Which utterances changed in which column since the last batch: only those widgets are touched."""

    user: set[int] = field(default_factory=set)
    oracle: set[int] = field(default_factory=set)
    answer: set[int] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)

    @property
    def turns(self) -> set[int]:
        """All changed turns that still exist."""
        return (self.user | self.oracle | self.answer) - self.removed


@dataclass(slots=True)
class Health:
    """Numbers for the state line and the footer; None until known."""

    input_dbfs: float = SILENCE_DBFS
    output_dbfs: float = SILENCE_DBFS
    input_peak_dbfs: float = SILENCE_DBFS
    output_peak_dbfs: float = SILENCE_DBFS
    microphone_closed: MicrophoneClosed | None = None
    hearing_lag_ms: float | None = None
    response_ms: float | None = None
    frame_p95_ms: float | None = None
    late_frames: int = 0
    dropped_stt_frames: int = 0
    audio_glitches: int = 0
    behind_ms: float = 0.0
    memory_used_ms: float = 0.0
    memory_limit_ms: float | None = None
    memory_running_out: bool = False
    input_name: str = ""
    output_name: str = ""
