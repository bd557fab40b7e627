"""Reading a set through and comparing it with what the hub stated when it was downloaded. Never asks the network."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from kame_desktop.weights.cancel import CancelFlag
from kame_desktop.weights.catalog import Reference, parse
from kame_desktop.weights.checkpoint import CONFIG, NamedFile, named_files
from kame_desktop.weights.digests import is_digest, matches
from kame_desktop.weights.errors import IncompleteFolderError, NotHereError
from kame_desktop.weights.store import WeightStore, config_of


class FileState(StrEnum):
    """What checking a file found."""

    OK = "ok"
    MISSING = "missing"
    WRONG_SIZE = "wrong size"
    DAMAGED = "damaged"
    UNKNOWN = "no checksum known"


@dataclass(frozen=True, slots=True)
class FileCheck:
    """One checked file.

    Attributes:
        name: What its repository calls it.
        path: Where it lies.
        size: Stated bytes; of a file that nothing is known of, its own.
    """

    name: str
    path: Path
    size: int
    state: FileState

    @property
    def good(self) -> bool:
        """Nothing speaks against it."""
        return self.state in (FileState.OK, FileState.UNKNOWN)


@dataclass(frozen=True, slots=True)
class _Wanted:
    name: str
    path: Path
    size: int
    digest: str | None


def verify(
    store: WeightStore,
    name: str,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    cancel: CancelFlag | None = None,
) -> list[FileCheck]:
    """Check every file of a set by size and digest. Blocks as long as the disk takes: on a worker thread only.

    A set that another program has fetched is checked by the digests that the cache's file names are. For a folder of
    the user's own no digest is known.

    Args:
        store: The cache.
        name: As for ``WeightStore.resolve``; a partly downloaded set is checked, too.
        on_progress: Told of bytes read and bytes in all.
        cancel: Stops it within one piece (4 MB).

    Raises:
        Cancelled, NotHereError, IncompleteFolderError, UnknownNameError, DamagedConfigError
    """
    flag = cancel or CancelFlag()
    reference = parse(name)
    folder = reference.folder or store.find_repo(reference.repo or "", whole=False)
    if folder is None:
        raise NotHereError(reference.name, reference.repo or "")
    wanted = _wanted(store, folder, reference)
    total = sum(file.size for file in wanted)
    done = 0

    def on_bytes(count: int) -> None:
        nonlocal done
        flag.check()
        done += count
        on_progress(done, total)

    checks: list[FileCheck] = []
    for file in wanted:
        flag.check()
        checks.append(FileCheck(file.name, file.path, file.size, _state(file, on_bytes)))
    return checks


def discard(store: WeightStore, checks: Iterable[FileCheck]) -> None:
    """Throw bad files of the cache away, so that the next download fetches them anew. Raises OSError."""
    for check in checks:
        if not check.good and store.cache_dir in check.path.parents:
            blob = check.path.resolve()
            check.path.unlink(missing_ok=True)
            if store.cache_dir in blob.parents:
                blob.unlink(missing_ok=True)


def _wanted(store: WeightStore, folder: Path, reference: Reference) -> list[_Wanted]:
    manifest = store.manifest(reference.repo, folder.name) if reference.repo else None
    if manifest is not None:
        return [_Wanted(file.path, folder / file.path, file.size, file.digest) for file in manifest.files]
    config = config_of(folder)
    if config is None and reference.repo is None:
        raise IncompleteFolderError(folder, [CONFIG])
    found: list[_Wanted] = []
    for named in (*([] if config is None else [NamedFile("config", CONFIG)]), *named_files(config)):
        path = folder / named.path
        blob = path.resolve()
        digest = blob.name if reference.repo and is_digest(blob.name) else None
        found.append(_Wanted(named.path, path, blob.stat().st_size if blob.is_file() else 0, digest))
    return found


def _state(file: _Wanted, on_bytes: Callable[[int], None]) -> FileState:
    try:
        if file.path.stat().st_size != file.size:
            return FileState.WRONG_SIZE
        if file.digest is None:
            return FileState.UNKNOWN
        return FileState.OK if matches(file.path, file.digest, file.size, on_bytes) else FileState.DAMAGED
    except FileNotFoundError:
        return FileState.MISSING
    except OSError:
        return FileState.DAMAGED
