"""What the oracle scheduler tells the driver to do."""

from __future__ import annotations

from dataclasses import dataclass

from kame_desktop.core.events import AskReason


@dataclass(frozen=True, slots=True)
class Ask:
    """Start request ``generation`` with this question."""

    generation: int
    utterance: int
    text: str
    because: AskReason
    unfinished: bool


@dataclass(frozen=True, slots=True)
class Adopt:
    """``generation`` has its first token: from now on its text is the oracle."""

    generation: int


@dataclass(frozen=True, slots=True)
class Drop:
    """Close the stream of ``generation``: a newer one counts, or nobody waits for it any more."""

    generation: int


@dataclass(frozen=True, slots=True)
class Expire:
    """Close the stream of ``generation``: it missed a deadline. ``what`` is for the user."""

    generation: int
    what: str
    will_retry: bool


@dataclass(frozen=True, slots=True)
class WillRetry:
    """The failure of ``generation`` is dealt with: it will be asked again in ``after_ms``."""

    generation: int
    after_ms: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    """No answer will come for this question as things stand; ``permanent``: nor for any until the model is changed."""

    generation: int
    permanent: bool


Action = Ask | Adopt | Drop | Expire | WillRetry | GiveUp
