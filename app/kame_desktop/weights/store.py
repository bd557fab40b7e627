"""Where weights lie: huggingface_hub's own cache, so that what other programs have fetched is used as it is.

    models--OWNER--NAME/blobs/DIGEST                 a file, under its SHA-256 or git SHA-1
                        blobs/DIGEST.kame.incomplete what there is of it after a stop
                        snapshots/COMMIT/PATH        a link to it (the file itself where links can't be made);
                                                     also to a file of another repository that config.json names
                        refs/main                    the commit
                        kame-desktop/COMMIT.json     ours: what the hub stated (files, sizes, digests, licence)

Nothing here asks the network. Any thread; two processes may read, and ``download`` holds a lock while it writes.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from kame_desktop.core.errors import BadInputError
from kame_desktop.weights import errors
from kame_desktop.weights.catalog import KNOWN, is_repository, known, parse
from kame_desktop.weights.checkpoint import CONFIG, CONFIG_LIMIT_BYTES, named_files, read_config
from kame_desktop.weights.manifest import Manifest, read_manifest

_MAIN = "refs/main"
_NOTES = "kame-desktop"


class Presence(StrEnum):
    """How much of a set is here."""

    READY = "ready"
    PARTIAL = "partial"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class StoredSet:
    """One line of the list.

    Attributes:
        size_bytes: On disk when (partly) here, else about what it will take.
        total_bytes: What the whole set takes; None: not known yet.
        folder: Where it is, when it is ready.
    """

    name: str
    repo: str
    what: str
    presence: Presence
    size_bytes: int
    total_bytes: int | None
    licence: str | None
    folder: Path | None


class WeightStore:
    """The cache.

    Args:
        cache_dir: None: huggingface_hub's (HF_HUB_CACHE, HF_HOME).
    """

    def __init__(self, cache_dir: Path | None = None) -> None:
        if cache_dir is None:
            from huggingface_hub import constants

            cache_dir = Path(constants.HF_HUB_CACHE)
        self.cache_dir = cache_dir.expanduser().resolve()

    # Places --------------------------------------------------------------------------------------------------------

    def repo_folder(self, repo: str) -> Path:
        """Where everything of a repository lies, whether it exists or not."""
        return self.cache_dir / f"models--{repo.replace('/', '--')}"

    def blob(self, repo: str, digest: str) -> Path:
        """A whole file under its digest."""
        return self.repo_folder(repo) / "blobs" / digest

    def part(self, repo: str, digest: str) -> Path:
        """The same file while it is incomplete."""
        return self.repo_folder(repo) / "blobs" / f"{digest}.kame.incomplete"

    def snapshot(self, repo: str, commit: str) -> Path:
        """The folder of one commit, with the files' own names."""
        return self.repo_folder(repo) / "snapshots" / commit

    def notes(self, repo: str, commit: str) -> Path:
        """What the hub stated about a commit."""
        return self.repo_folder(repo) / _NOTES / f"{commit}.json"

    def free_bytes(self) -> int:
        """Free space where the cache is, or will be. Raises OSError."""
        folder = self.cache_dir
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        return shutil.disk_usage(folder).free

    @contextmanager
    def locked(self, repo: str) -> Iterator[None]:
        """Only one program of ours writes a repository at a time. Raises BusyError, OSError."""
        from filelock import Timeout
        from huggingface_hub.utils import WeakFileLock

        lock = self.cache_dir / ".locks" / self.repo_folder(repo).name / "kame-desktop.lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as held:
            try:
                held.enter_context(WeakFileLock(lock, timeout=0.05))
            except Timeout:
                raise errors.BusyError(repo) from None
            yield

    # Finding -------------------------------------------------------------------------------------------------------

    def find(self, name: str) -> Path | None:
        """The folder of a whole set, or None. Raises UnknownNameError, DamagedConfigError (a local folder's)."""
        reference = parse(name)
        if reference.folder is not None:
            return None if self._missing(reference.folder) else reference.folder
        return self.find_repo(reference.repo or "")

    def resolve(self, name: str) -> Path:
        """The folder of a whole set. Never asks the network, never downloads.

        Args:
            name: A known set, ``owner/name``, or a folder.

        Raises:
            NotHereError: It has to be downloaded first.
            IncompleteFolderError: The local folder lacks files.
            UnknownNameError, DamagedConfigError
        """
        reference = parse(name)
        if reference.folder is not None:
            missing = self._missing(reference.folder)
            if missing:
                raise errors.IncompleteFolderError(reference.folder, missing)
            return reference.folder
        folder = self.find_repo(reference.repo or "")
        if folder is None:
            raise errors.NotHereError(reference.name, reference.repo or "")
        return folder

    def files(self, folder: Path) -> dict[str, Path]:
        """What the config.json of a found folder names: key (``moshi_name``, ``mimi_name``, ...) -> path of the file.

        Raises IncompleteFolderError, DamagedConfigError.
        """
        missing = self._missing(folder)
        if missing:
            raise errors.IncompleteFolderError(folder, missing)
        return {named.key: folder / named.path for named in named_files(config_of(folder))}

    def sets(self) -> list[StoredSet]:
        """The known sets, then every other repository that was downloaded with this program."""
        repos = [entry.repo for entry in KNOWN]
        with suppress(OSError):
            for folder in sorted(self.cache_dir.glob(f"models--*/{_NOTES}")):
                repo = folder.parent.name.removeprefix("models--").replace("--", "/")
                if repo not in repos and is_repository(repo):
                    repos.append(repo)
        return [self.state(repo) for repo in repos]

    def state(self, repo: str) -> StoredSet:
        """One repository's line of the list."""
        entry = known(repo)
        folder = self.find_repo(repo)
        manifest = self.manifest(repo, folder.name if folder is not None else None)
        on_disk = _size_of(self.repo_folder(repo))
        total = manifest.total_bytes if manifest is not None else None
        if folder is not None:
            presence, size = Presence.READY, on_disk
        elif manifest is not None:
            presence, size = Presence.PARTIAL, on_disk
        else:
            presence, size = Presence.ABSENT, entry.approx_bytes if entry is not None else 0
        return StoredSet(
            name=entry.name if entry is not None else repo,
            repo=repo,
            what=entry.what if entry is not None else "",
            presence=presence,
            size_bytes=size,
            total_bytes=total,
            licence=manifest.licence if manifest is not None else None,
            folder=folder,
        )

    def manifest(self, repo: str, commit: str | None = None) -> Manifest | None:
        """What the hub stated about a commit (None: the newest download)."""
        folder = self.repo_folder(repo) / _NOTES
        if commit is not None:
            return read_manifest(folder / f"{commit}.json")
        try:
            newest = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        except OSError:
            return None
        return read_manifest(newest[-1]) if newest else None

    # Removing ------------------------------------------------------------------------------------------------------

    def removable(self, name: str) -> tuple[str, Path, int]:
        """Repository, folder and bytes of what ``remove`` would remove. Raises NotHereError, BadInputError."""
        reference = parse(name)
        if reference.repo is None:
            raise BadInputError(
                f"{reference.folder} is a folder of your own, not a download.",
                "Remove it with your file manager.",
                component=errors.COMPONENT,
            )
        folder = self.repo_folder(reference.repo)
        if not folder.exists():
            raise errors.NotHereError(reference.name, reference.repo)
        return reference.repo, folder, _size_of(folder)

    def remove(self, name: str) -> int:
        """Remove a downloaded set: every revision, its files, what a stopped download left, and our notes.

        Files that other repositories share (huggingface_hub's shared store) stay while one still uses them.

        Returns:
            Bytes that are free now.

        Raises:
            NotHereError, BadInputError, BusyError, NotWritableError
        """
        from huggingface_hub import scan_cache_dir

        repo, folder, size = self.removable(name)
        try:
            with self.locked(repo):
                info = scan_cache_dir(self.cache_dir)
                own = frozenset(entry for entry in info.repos if entry.repo_path == folder)
                # Two repositories can have the same commit (a duplicate): only this one may be looked at.
                strategy = dataclasses.replace(info, repos=own).delete_revisions(
                    *(revision.commit_hash for entry in own for revision in entry.revisions)
                )
                strategy.execute()
                if folder.exists():
                    shutil.rmtree(folder)
            shutil.rmtree(self.cache_dir / ".locks" / folder.name, ignore_errors=True)
        except OSError:
            raise errors.NotWritableError(folder) from None
        return max(size, strategy.expected_freed_size)

    # Inside --------------------------------------------------------------------------------------------------------

    def find_repo(self, repo: str, *, whole: bool = True) -> Path | None:
        """The snapshot that ``refs/main`` names, else the newest; only one with all files when ``whole``."""
        folder = self.repo_folder(repo)
        try:
            snapshots = sorted(folder.glob("snapshots/*"), key=lambda path: path.stat().st_mtime, reverse=True)
        except OSError:
            return None
        with suppress(OSError):
            main = folder / "snapshots" / (folder / _MAIN).read_text(encoding="utf-8").strip()
            snapshots.sort(key=lambda path: path != main)
        for snapshot in snapshots:
            if not whole:
                return snapshot
            with suppress(errors.DamagedConfigError):
                if not self._missing(snapshot, self.manifest(repo, snapshot.name)):
                    return snapshot
        return None

    def _missing(self, folder: Path, manifest: Manifest | None = None) -> list[str]:
        """Names of files that a checkpoint lacks or that have another size than stated. Raises DamagedConfigError."""
        if manifest is not None:
            return [file.path for file in manifest.files if _size(folder / file.path) != file.size]
        config = config_of(folder)
        missing = [named.path for named in named_files(config) if not (folder / named.path).is_file()]
        if config is None and (missing or self.cache_dir not in folder.parents):
            return [CONFIG, *missing]
        return missing


def config_of(folder: Path) -> dict[str, Any] | None:
    """A checkpoint's parsed config.json; None when it has none. Raises DamagedConfigError."""
    path = folder / CONFIG
    try:
        if path.stat().st_size > CONFIG_LIMIT_BYTES:
            raise errors.DamagedConfigError(f"{path} is too large.")
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError:
        raise errors.DamagedConfigError(f"{path} can't be read.") from None
    return read_config(data)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _size_of(folder: Path) -> int:
    """Bytes of all files in a folder, each once: links don't count."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                path = Path(place, name)
                total += 0 if path.is_symlink() else path.stat().st_size
    return total
