"""The front end: the part that never waits. One ``step`` a frame, on the frame thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from kame_desktop.core.audio_types import PcmFrame, UserActivity
from kame_desktop.core.events import SpokenKind


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a front end can do; the session adapts to it.

    Attributes:
        name: The engine's name in settings, command line and window.
        label: What the user sees.
        steerable: It takes the oracle stream.
        speculates: It wants answers to unfinished sentences; otherwise only finals are answered (a cascade).
        oracle_tokens_per_frame: How many oracle ids one ``step`` takes (KAME: 1); None: as many as there are.
        min_start_tokens: How many ids the feed collects before it starts a revision (KAME knows no PAD inside one).
        context_frames: After how many frames its memory is full; None: never.
    """

    name: str
    label: str
    steerable: bool = True
    speculates: bool = True
    oracle_tokens_per_frame: int | None = None
    min_start_tokens: int = 1
    context_frames: int | None = None


class OracleTokenizer(Protocol):
    """Text <-> oracle ids of one front end. Frame thread only.

    ``pad_id`` and ``start_id`` never come out of ``encode``. Encoding must be word-local: the ids of a text up to a
    word boundary are the first ids of every longer text that begins with it.
    """

    @property
    def pad_id(self) -> int: ...

    @property
    def start_id(self) -> int: ...

    def encode(self, text: str) -> Sequence[int]:
        """Ids of the whole text, without start or pad."""
        ...


@dataclass(frozen=True, slots=True)
class OracleSlot:
    """What the oracle feed gives to one step.

    Attributes:
        ids: Oracle ids for this frame, START included; ``(pad_id,)`` (or ``()`` without a per-frame limit) when there
            is nothing.
        generation: The revision they belong to; None with nothing.
        ends: The last id of a complete revision is among them (or came earlier, when ``ids`` is empty).
        utterance: The user utterance that the revision answers; None: the current one.
    """

    ids: tuple[int, ...] = ()
    generation: int | None = None
    ends: bool = False
    utterance: int | None = None


NO_ORACLE = OracleSlot()


@dataclass(frozen=True, slots=True)
class FrontendInput:
    """One frame for the front end.

    Attributes:
        frame: Its number, from 0.
        pcm: Cleaned microphone sound.
        oracle: The oracle's part for this frame.
        user: What the user is doing at its end.
        oracle_current: The revision that is fed was asked with all the words that the user has said so far; otherwise a
            better one is probably on its way.
        backend_down: No answer will come: the back end gave up.
        nothing_heard: The latest utterance turned out to hold no words: there is nothing to answer.
        heard_text: What speech-to-text has made of the current utterance so far; some 100-500 ms behind the sound.
        heard_final: ``heard_text`` won't change any more.
        heard_until_ms: Session time of the newest sound that ``heard_text`` is made of.
        now_ms: Session time of the end of this frame.
        unplayed_ms: So much sound of earlier frames waits to be played.
        turn_taken: The user pressed the talk key in this frame: whatever is being said ends at once.
    """

    frame: int
    pcm: PcmFrame
    oracle: OracleSlot
    user: UserActivity
    oracle_current: bool = False
    backend_down: bool = False
    nothing_heard: bool = False
    heard_text: str = ""
    heard_final: bool = False
    heard_until_ms: float = 0.0
    now_ms: float = 0.0
    unplayed_ms: float = 0.0
    turn_taken: bool = False


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """A word that begins in the returned frame. ``generation``: the revision it came from, None if it needed none."""

    text: str
    generation: int | None
    kind: SpokenKind


@dataclass(frozen=True, slots=True)
class FrontendOutput:
    """What one step plays and says.

    Attributes:
        pcm: The frame to play next.
        words: Words whose sound begins in ``pcm``.
        speech_started: The first sound of an answer is in ``pcm``; ``onset_ms`` into it.
        speech_ended: The answer is over after ``pcm``.
        interrupted: The answer was cut short by the user.
        hushed: The voice breaks off, ``pcm`` fades out: what is still unplayed of it isn't to be heard either.
        holding_turn: The front end is answering, or means to: the loop should go on after the end of a file.
        answers: The utterance that the answer is to, when ``speech_started``; None: the user's latest one.
    """

    pcm: PcmFrame
    words: tuple[SpokenWord, ...] = ()
    speech_started: bool = False
    onset_ms: float = 0.0
    speech_ended: bool = False
    interrupted: bool = False
    hushed: bool = False
    holding_turn: bool = False
    answers: int | None = None


LoadProgress = Callable[[float, str], None]
"""Told of progress in 0..1 and a short text; raises ``Cancelled`` when the user stopped the load."""


class SpeechFrontend(Protocol):
    """A front end. Every method belongs to the frame thread and, but for ``load``, returns within a frame's time."""

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def tokenizer(self) -> OracleTokenizer: ...

    @property
    def notes(self) -> Sequence[str]:
        """What the user should know after ``load``, in plain sentences ("this model can't be steered")."""
        ...

    def load(self, progress: LoadProgress) -> None:
        """Load models and warm up. Raises MissingPackageError, ModelFileError, ResourceError, Cancelled."""
        ...

    def reset(self) -> None:
        """Begin a conversation: nothing of an earlier one survives."""
        ...

    def step(self, given: FrontendInput) -> FrontendOutput:
        """Hear one frame, speak one frame."""
        ...

    def close(self) -> None:
        """Free models and end its worker threads; idempotent, at most 1 s."""
        ...
