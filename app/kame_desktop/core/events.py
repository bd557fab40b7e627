"""What happened, as frozen values with a session time: the only thing that threads tell each other.

``at_ms`` is the session clock (monotonic, 0 at session start). Texts are cumulative, never deltas, so that an event of
delivery ``LATEST`` may replace an unread older one with the same key and nothing is lost; ``LOSSLESS`` events are all
delivered.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import ClassVar

from kame_desktop.core.errors import AppError


class Delivery(Enum):
    """How a mailbox may treat an unread event."""

    LOSSLESS = "lossless"
    LATEST = "latest"


class SessionState(StrEnum):
    """States of a session; every transition happens in ``Session._transition``."""

    IDLE = "idle"
    LOADING = "loading"
    READY = "ready"
    RUNNING = "running"
    STOPPING = "stopping"
    FAILED = "failed"


class AskReason(StrEnum):
    """Why the scheduler asked the language model."""

    WORDS_CHANGED = "words_changed"
    TRAILING = "trailing"
    SPEECH_ENDED = "speech_ended"
    FINAL = "final"
    RETRY = "retry"
    MODEL_CHANGED = "model_changed"


class SpokenKind(StrEnum):
    """What a spoken word is part of."""

    OPENER = "opener"
    CONNECTOR = "connector"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Base of all events."""

    delivery: ClassVar[Delivery] = Delivery.LOSSLESS

    at_ms: float

    def key(self) -> object:
        """Events with an equal key replace each other under ``LATEST``."""
        return type(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStateChanged(Event):
    """The session moved to ``state``; ``detail`` is for the state line, ``progress`` in 0..1 while loading."""

    state: SessionState
    detail: str = ""
    progress: float | None = None
    category: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SttPartial(Event):
    """The unfinished sentence as heard so far.

    Attributes:
        rev: Counts the passes over this utterance, from 1.
        text: The whole utterance so far.
        stable_words: How many leading words the latest two passes agree on.
        audio_ms: How much of the utterance the pass had heard.
        heard_until_ms: Session time of the newest sample that the pass had heard.
        lag_ms: Age of the newest sample the pass had heard, when its text arrived.
    """

    delivery: ClassVar[Delivery] = Delivery.LATEST

    utterance: int
    rev: int
    text: str
    stable_words: int
    audio_ms: float = 0.0
    heard_until_ms: float = 0.0
    lag_ms: float = 0.0

    def key(self) -> object:
        return (SttPartial, self.utterance)


@dataclass(frozen=True, slots=True, kw_only=True)
class SttFinal(Event):
    """The utterance is over; ``text`` won't change. Empty when no words were in it."""

    utterance: int
    text: str
    audio_ms: float = 0.0
    heard_until_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleRequested(Event):
    """The language model was asked.

    Attributes:
        heard_words: How many words of the user the question held.
        chosen_because: Why this model, when rules chose it ("Auto: reasoning") or another one failed; else "".
    """

    generation: int
    utterance: int
    model: str
    prompt_tokens: int
    because: AskReason
    heard_words: int = 0
    chosen_because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleRevision(Event):
    """What generation ``generation`` has answered so far.

    Attributes:
        first_token_ms: From request to first token.
        word_count: Words of ``text_so_far``.
    """

    delivery: ClassVar[Delivery] = Delivery.LATEST

    generation: int
    utterance: int
    model: str
    text_so_far: str
    complete: bool
    first_token_ms: float = 0.0
    word_count: int = 0

    def key(self) -> object:
        return (OracleRevision, self.generation)


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleCurrent(Event):
    """The answer of ``generation`` was asked with all the words that were heard up to ``heard_until_ms``."""

    delivery: ClassVar[Delivery] = Delivery.LATEST

    utterance: int
    generation: int
    heard_until_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleApplied(Event):
    """The feed's account of one generation: sent when it starts to be fed and when it is used up or replaced.

    Attributes:
        frame: The frame of the latest fed token.
        tokens_fed: How many of its tokens the front end was given.
        tokens_missed: How many were replaced or cleared before their turn.
        ended: Nothing of this generation follows.
    """

    generation: int
    frame: int
    tokens_fed: int
    tokens_missed: int
    ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleFailed(Event):
    """A request ended without (all of) its answer. ``superseded``: dropped for a newer one, which is no fault."""

    generation: int
    model: str
    category: str
    what: str
    remedy: str = ""
    will_retry: bool = False
    superseded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentText(Event):
    """A word that is being played from frame ``frame`` on; ``generation`` is the revision that fed it, or None."""

    utterance: int
    text: str
    frame: int
    generation: int | None
    kind: SpokenKind = SpokenKind.ANSWER


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSpeechStarted(Event):
    """The user began to speak, or went on after a pause of the same utterance (``resumed``)."""

    utterance: int
    resumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSpeechEnded(Event):
    """The user fell silent; ``last_speech_ms`` is the session time of the last sample with speech."""

    utterance: int
    last_speech_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpeechStarted(Event):
    """The first sound of an answer to ``utterance`` is played (``at_ms`` is when it leaves the loop)."""

    utterance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpeechEnded(Event):
    """The answer to ``utterance`` is over; ``interrupted``: the user cut it short."""

    utterance: int
    interrupted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted(Event):
    """The user spoke over the assistant, which fell silent."""

    utterance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameTiming(Event):
    """Health and levels of the frame thread, about six times a second."""

    delivery: ClassVar[Delivery] = Delivery.LATEST

    frame: int
    step_p50_ms: float
    step_p95_ms: float
    late_frames: int
    input_dbfs: float
    output_dbfs: float
    stt_dropped_frames: int = 0
    audio_underruns: int = 0
    audio_overruns: int = 0
    input_peak_dbfs: float = -120.0
    output_peak_dbfs: float = -120.0


PEAK_BINS_PER_FRAME = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioPeaks(Event):
    """The sound of one frame as pictures show it: the largest sample of each 20 ms, in 0..1.

    Attributes:
        frame: Its number; ``at_ms`` is its end.
        heard: Of the cleaned microphone sound, ``PEAK_BINS_PER_FRAME`` values.
        spoken: Of what is played, as many.
    """

    frame: int
    heard: tuple[float, ...]
    spoken: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameLate(Event):
    """Frames fell behind real time by ``behind_ms``; playback was skipped to catch up."""

    frame: int
    behind_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextUsed(Event):
    """How much of its memory the front end has used, about once a second; ``running_out`` from five sixths on."""

    delivery: ClassVar[Delivery] = Delivery.LATEST

    used_ms: float
    limit_ms: float
    running_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshStart(Event):
    """The front end's memory was cleared; conversation and transcript go on."""


class MicrophoneClosed(StrEnum):
    """Why the microphone isn't live."""

    MUTED = "muted"
    KEY_NOT_HELD = "key_not_held"
    ASSISTANT_SPEAKS = "assistant_speaks"
    NO_DEVICE = "no_device"


@dataclass(frozen=True, slots=True, kw_only=True)
class MicrophoneState(Event):
    """Whether what is said now is listened to; ``closed``: why not, None while it is live."""

    delivery: ClassVar[Delivery] = Delivery.LATEST

    closed: MicrophoneClosed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceChanged(Event):
    """The session now uses this input and output device; ``because``: what led to a change, for the user."""

    input_name: str
    output_name: str
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLost(Event):
    """A device went away; the session goes on without it and looks for it, or for another one.

    Attributes:
        component: "microphone" or "loudspeaker".
        name: What the device called itself.
        what: What happened, for the user.
        remedy: What the user can do.
    """

    component: str
    name: str
    what: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageUpdated(Event):
    """Calls, tokens and estimated cost so far.

    A cost is None when no price is known; with ``unpriced_calls`` it is at least what it says.

    Attributes:
        calls: Requests of this session; ``prompt_tokens``, ``completion_tokens`` and ``cost_usd`` belong to them.
        unpriced_calls: How many of them the cost leaves out, since their price isn't known.
        today_calls: Requests of all sessions of this day, and what they took.
        budget_usd: What this session may cost; None: no bound.
        speculating: Unfinished sentences are asked too (a spent budget and the user's switch end that).
    """

    delivery: ClassVar[Delivery] = Delivery.LATEST

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    today_calls: int = 0
    today_prompt_tokens: int = 0
    today_completion_tokens: int = 0
    today_cost_usd: float | None = 0.0
    budget_usd: float | None = None
    speculating: bool = True
    unpriced_calls: int = 0
    today_unpriced_calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChanged(Event):
    """The language model in use, at start and after a switch; ``label`` is what the user sees."""

    model: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(Event):
    """Something that the user should know of a component; it is no trouble."""

    component: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingChanged(Event):
    """The conversation is being recorded from here on, or no more.

    Attributes:
        folder: Where the recording lies; "" when it could not begin.
        what: Why it ended, or didn't begin, when the user hasn't asked for that; else "".
        remedy: What the user can do then.
    """

    recording: bool
    folder: str = ""
    what: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentError(Event):
    """A component is in trouble; the conversation goes on where it can.

    ``made_up_for``: it surely does, for another one does the work instead.
    """

    component: str
    category: str
    what: str
    remedy: str
    made_up_for: bool = False

    @classmethod
    def of(cls, error: AppError, at_ms: float) -> ComponentError:
        """What the user is told of ``error``."""
        return cls(
            at_ms=at_ms,
            component=error.component,
            category=error.category.value,
            what=error.what,
            remedy=error.remedy,
            made_up_for=error.made_up_for,
        )
