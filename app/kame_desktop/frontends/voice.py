"""What the lite front end asks of a text-to-speech voice, and of the thing that runs it beside the frame thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import Pcm


class ClauseEnd(StrEnum):
    """How a clause ends, which decides its melody and the gap after it."""

    FLOW = "flow"
    """In the middle of a phrase: the next clause follows without a pause."""
    PAUSE = "pause"
    """At a comma, a colon or a connector."""
    SENTENCE = "sentence"
    """At the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Clip:
    """A synthesised clause.

    Attributes:
        pcm: Mono sound at 24 kHz, shape ``[samples]``, float32 in [-1, 1], without silence before and after, zero at
            both ends. Empty when nothing of the text can be pronounced.
        onsets: Sample at which each word begins, not falling; as many as there were words.
    """

    pcm: Pcm
    onsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ClipKey:
    """What decides the sound of a clip: equal keys give equal clips, so clips may be reused over revisions."""

    words: tuple[str, ...]
    end: ClauseEnd


class Voice(Protocol):
    """A text-to-speech voice. Not thread-safe: one thread at a time."""

    def load(self) -> None:
        """Load the model. Raises MissingPackageError, ModelFileError."""
        ...

    def speak(self, key: ClipKey) -> Clip:
        """Synthesise a clause; deterministic."""
        ...

    def close(self) -> None:
        """Free the model; idempotent."""
        ...


VoiceFactory = Callable[[], Voice]
"""Makes a voice, not yet loaded."""


class Synthesizer(Protocol):
    """Runs a voice without making the frame thread wait. Every method belongs to the frame thread."""

    def want(self, keys: Sequence[ClipKey]) -> None:
        """Say which clips are wanted now, most urgent first. Replaces all earlier wishes that haven't been begun."""
        ...

    def poll(self) -> list[tuple[ClipKey, Clip]]:
        """Take the clips that are done."""
        ...

    def drop(self) -> None:
        """Forget every wish and every result, also of a job that is running."""
        ...

    def close(self) -> None:
        """End the worker; idempotent, at most 1 s."""
        ...


SynthesizerFactory = Callable[[Voice, Activity], Synthesizer]
"""Makes a running synthesizer for a loaded voice."""
