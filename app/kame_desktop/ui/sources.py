"""Where the user's voice comes from: the microphone, a sample question or a sound file. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Source:
    """One input. ``wav`` is None for the microphone; ``question``: what a sample asks, when that is known."""

    wav: Path | None = None
    question: str = ""
    number: int = 0

    @property
    def sample(self) -> bool:
        """It ships with the program."""
        return self.number > 0


MICROPHONE = Source()


def sample_sources(paths: Sequence[Path]) -> list[Source]:
    """Samples with their words, which stand in ``questions.tsv`` beside them (file name, tab, words)."""
    known: dict[str, str] = {}
    for folder in {path.parent for path in paths}:
        try:
            lines = (folder / "questions.tsv").read_text(encoding="utf-8").splitlines()
        except OSError:
            continue
        for line in lines:
            name, _, words = line.partition("\t")
            known[name.strip()] = words.strip()
    return [Source(path, known.get(path.name, ""), number) for number, path in enumerate(paths, start=1)]
