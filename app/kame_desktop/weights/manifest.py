"""What the hub stated about a download, kept beside it: for checks and lists that don't ask again."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from kame_desktop.weights.catalog import is_repository
from kame_desktop.weights.checkpoint import safe_path
from kame_desktop.weights.digests import is_digest

_VERSION = 1


@dataclass(frozen=True, slots=True)
class StatedFile:
    """One file.

    Attributes:
        path: Relative, with slashes, in ``repo`` at ``commit``.
        size: Bytes.
        digest: SHA-256 or git's blob SHA-1.
    """

    repo: str
    commit: str
    path: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """All files of a set, also those of other repositories, and the licence as the hub stated it (None: it didn't)."""

    repo: str
    commit: str
    licence: str | None
    files: tuple[StatedFile, ...]

    @property
    def total_bytes(self) -> int:
        """The size of the whole set."""
        return sum(file.size for file in self.files)


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write it atomically. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump({"version": _VERSION, **asdict(manifest)}, stream, indent=1)
        Path(temporary).replace(path)
    except OSError:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def read_manifest(path: Path) -> Manifest | None:
    """Read it; None when it is absent or not to be trusted."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        files = tuple(StatedFile(**file) for file in raw["files"])
        manifest = Manifest(raw["repo"], raw["commit"], raw["licence"], files)
        good = raw["version"] == _VERSION and all(_plausible(file) for file in files)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return manifest if good and files else None


def _plausible(file: StatedFile) -> bool:
    return (
        is_repository(file.repo)
        and len(file.commit) == 40
        and is_digest(file.commit)
        and safe_path(file.path)
        and isinstance(file.size, int)
        and is_digest(file.digest)
    )
