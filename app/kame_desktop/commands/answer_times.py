"""What a conversation's answers took, collected over several of them; parts that the benchmarks share."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from kame_desktop.session.metrics import Metrics, percentile


@dataclass(slots=True)
class AnswerTimes:
    """From the end of the user's speech, in milliseconds; one value a turn, in the order of the turns.

    Attributes:
        missing: Turns without a sound or without a word of an answer.
    """

    first_sound: list[float] = field(default_factory=list)
    first_content_word: list[float] = field(default_factory=list)
    missing: int = 0

    def add(self, metrics: Metrics) -> None:
        """Add the turns of one conversation."""
        for turn in metrics.summary()["turns"]:
            if turn["first_sound_ms"] is None or turn["first_content_word_ms"] is None:
                self.missing += 1
            if turn["first_sound_ms"] is not None:
                self.first_sound.append(turn["first_sound_ms"])
            if turn["first_content_word_ms"] is not None:
                self.first_content_word.append(turn["first_content_word_ms"])


def spread(values: Sequence[float]) -> dict[str, float | None]:
    """JSON-ready median and 90th percentile."""
    median, p90 = percentile(values, 50), percentile(values, 90)
    return {
        "median": None if median is None else round(median, 1),
        "p90": None if p90 is None else round(p90, 1),
    }


def cell(value: float | None) -> str:
    """A time in a table."""
    return "—" if value is None else f"{value:.0f} ms"


def note(text: str, *, quiet: bool) -> None:
    """A line of progress for whoever sits at the terminal."""
    if not quiet and sys.stderr.isatty():
        sys.stderr.write(text + "\n")
