"""The sets of weights that are known by a short name, and what a name given by the user means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from kame_desktop.weights.errors import UnknownNameError

_REPO = re.compile(r"(?P<owner>[A-Za-z0-9][\w.-]{0,95})/(?P<name>[A-Za-z0-9][\w.-]{0,95})")
_ADDRESS = re.compile(r"^(?:hf://|https://(?:huggingface\.co|hf\.co)/)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class KnownSet:
    """One set that the program offers.

    Attributes:
        name: Its short name, also that of the engine that uses it.
        repo: Where it lies on the hub.
        what: One sentence.
        approx_bytes: About how large it is, for lists; the hub's own numbers are used before a download.
    """

    name: str
    repo: str
    what: str
    approx_bytes: int


KNOWN = (
    KnownSet("kame", "SakanaAI/kame", "KAME, speech to speech steered by the oracle (8 B parameters)", 16_100_000_000),
    KnownSet(
        "moshi", "kyutai/moshiko-pytorch-bf16", "Moshi (Moshiko), speech to speech (8 B parameters)", 15_800_000_000
    ),
)


@dataclass(frozen=True, slots=True)
class Reference:
    """What a name means: a repository on the hub, or a folder on this computer (exactly one of them).

    Attributes:
        name: As it was given, or the short name of the known set.
    """

    name: str
    repo: str | None = None
    folder: Path | None = None


def known(name: str) -> KnownSet | None:
    """The known set with this short name or repository."""
    for entry in KNOWN:
        if name.casefold() in (entry.name, entry.repo.casefold()):
            return entry
    return None


def is_repository(text: str) -> bool:
    """``owner/name`` as the hub writes it; never a way out of a folder."""
    found = _REPO.fullmatch(text)
    return found is not None and ".." not in text and "--" not in text and not text.endswith((".", "-", ".git"))


def parse(name: str) -> Reference:
    """Say what a name means: a known set, ``owner/name`` (also as a hub's address), or a folder.

    A folder is meant when the name is absolute, begins with ``.`` or ``~``, or is a folder with a ``config.json``.

    Raises:
        UnknownNameError: None of these.
    """
    text = name.strip()
    entry = known(text)
    if entry is not None:
        return Reference(entry.name, repo=entry.repo)
    path = Path(text).expanduser()
    if text and (path.is_absolute() or text.startswith((".", "~")) or (path / "config.json").is_file()):
        return Reference(text, folder=path.resolve())
    repo = _ADDRESS.sub("", text).rstrip("/")
    entry = known(repo)
    if entry is not None:
        return Reference(entry.name, repo=entry.repo)
    if is_repository(repo):
        return Reference(repo, repo=repo)
    raise UnknownNameError(text, [entry.name for entry in KNOWN])
