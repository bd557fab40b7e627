"""Streaming speech-to-text: frames in, a growing transcript out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from kame_desktop.core.audio_types import PcmFrame, UserActivity


@dataclass(frozen=True, slots=True)
class SttFrame:
    """One frame for speech-to-text: cleaned sound, what the turn detector says of it, its end on the session clock."""

    pcm: PcmFrame
    user: UserActivity
    end_ms: float


@dataclass(frozen=True, slots=True)
class Transcription:
    """What one pass made of an utterance.

    Attributes:
        utterance: The utterance's number.
        rev: Counts the passes over it, from 1.
        text: All of it so far.
        stable_words: Leading words that the latest two passes agree on.
        final: Nothing more comes for this utterance.
        audio_ms: How much sound of it the pass had heard.
        heard_until_ms: Session time of the newest sample that it had heard.
    """

    utterance: int
    rev: int
    text: str
    stable_words: int
    final: bool
    audio_ms: float
    heard_until_ms: float


class StreamingStt(Protocol):
    """Speech-to-text over one session. All methods belong to the asyncio thread; decoding runs on its executor.

    Bound: at most one pass runs at a time and none is queued; sound is never kept without bound.
    """

    @property
    def name(self) -> str: ...

    async def load(self) -> None:
        """Load the model off the event loop. Raises MissingPackageError, ModelFileError."""
        ...

    def start(self, emit: Callable[[Transcription], None], on_error: Callable[[BaseException], None]) -> None:
        """Begin a session; results are handed to ``emit`` on the event loop."""
        ...

    def feed(self, frame: SttFrame) -> None:
        """Take the next frame; never blocks."""
        ...

    async def stop(self) -> None:
        """End the session: no result comes after this returns. At most the rest of the running pass, bounded by 1 s."""
        ...

    async def close(self) -> None:
        """Free the model; implies ``stop``."""
        ...
