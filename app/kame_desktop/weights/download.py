"""Getting weights: first a plan to agree to, then the bytes, resumable and stoppable.

Both steps block: call them on a worker thread (or the command line's main thread, where Ctrl+C stops them).
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from kame_desktop.core.errors import AppError, BadInputError
from kame_desktop.weights import errors
from kame_desktop.weights.cancel import CancelFlag, run_cancellable
from kame_desktop.weights.catalog import known, parse
from kame_desktop.weights.checkpoint import CONFIG, CONFIG_LIMIT_BYTES, named_files, read_config
from kame_desktop.weights.digests import CHUNK_BYTES, Hasher, hasher_for
from kame_desktop.weights.hub import HubSession, RemoteRepository, is_offline
from kame_desktop.weights.manifest import Manifest, StatedFile, write_manifest
from kame_desktop.weights.plan import DownloadOptions, DownloadPlan, Meter, Phase, Progress
from kame_desktop.weights.store import WeightStore

_LONGEST_WAIT_S = 15.0
_TICK_S = 0.2
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Downloader:
    """Plans and runs downloads into a store. Any thread; one download at a time for each repository."""

    def __init__(self, store: WeightStore, options: DownloadOptions | None = None) -> None:
        self.store = store
        self._options = options or DownloadOptions()

    def folder(self, path: Path) -> Path:
        """A folder that the user has chosen instead, if it holds a checkpoint. Raises AppError."""
        return self.store.resolve(str(path.absolute()))

    def plan(self, name: str, cancel: CancelFlag | None = None) -> DownloadPlan:
        """Ask the hub what a set consists of. Nothing is written.

        Args:
            name: A known set or ``owner/name``.
            cancel: Stops it at once.

        Raises:
            AppError: UnknownNameError, BadInputError (a folder), OfflineError, a refusal of the hub, network trouble,
                a repository that can't be used, Cancelled.
        """
        reference = parse(name)
        repo = reference.repo
        if repo is None:
            raise BadInputError(
                f"{reference.folder} is a folder on this computer: there is nothing to download.",
                "Use it as it is.",
                component=errors.COMPONENT,
            )
        self._allowed(repo)
        main, others, manifest = run_cancellable(lambda: self._ask(repo), cancel or CancelFlag())
        present = sum(self._present(file) for file in manifest.files)
        entry = known(repo)
        try:
            free = self.store.free_bytes()
        except OSError:
            raise errors.NotWritableError(self.store.cache_dir) from None
        missing = manifest.total_bytes - present
        return DownloadPlan(
            name=reference.name,
            repo=repo,
            what=entry.what if entry is not None else "",
            licence=_licences(main, others),
            page=main.page,
            folder=self.store.cache_dir,
            manifest=manifest,
            present_bytes=present,
            need_bytes=missing + self._options.reserve_bytes if missing else 0,
            free_bytes=free,
        )

    def get(
        self,
        plan: DownloadPlan,
        on_progress: Callable[[Progress], None] = lambda progress: None,
        cancel: CancelFlag | None = None,
    ) -> Path:
        """Fetch what is missing, check every file, and return the set's folder.

        What came before a failure or a stop is kept: the same call goes on from there.

        Args:
            plan: From ``plan``.
            on_progress: Called on this thread, about every ``report_s``, also while nothing comes. Must not raise.
            cancel: Stops it at once, whatever it waits for.

        Raises:
            AppError: Cancelled, NoSpaceError, ChecksumError, StalledError, ConnectionCutError, NoNetworkError,
                HubTroubleError, BusyError, NotWritableError, OfflineError, a refusal of the hub.
        """
        self._allowed(plan.repo)
        store = self.store
        meter = Meter(plan.total_bytes, plan.present_bytes, self._options, on_progress)
        try:
            with store.locked(plan.repo):
                if plan.need_bytes > (free := store.free_bytes()):
                    raise errors.NoSpaceError(store.cache_dir, plan.need_bytes, free)
                write_manifest(store.notes(plan.repo, plan.manifest.commit), plan.manifest)
                run_cancellable(lambda: self._get_all(plan, meter), cancel or CancelFlag())
                for repo, commit in {file.repo: file.commit for file in plan.manifest.files}.items():
                    _write_ref(store.repo_folder(repo) / "refs" / "main", commit)
        except OSError as error:
            if error.errno in _FULL:
                raise errors.NoSpaceError(store.cache_dir) from None
            raise errors.NotWritableError(store.cache_dir) from None
        meter.report(force=True)
        return store.snapshot(plan.repo, plan.manifest.commit)

    def _allowed(self, repo: str) -> None:
        if is_offline(self._options.offline):
            raise errors.OfflineError(repo)

    # Planning ------------------------------------------------------------------------------------------------------

    async def _ask(self, repo: str) -> tuple[RemoteRepository, list[RemoteRepository], Manifest]:
        async with HubSession(self._options.endpoint, self._options.stall_s) as hub:
            main = await hub.repository(repo)
            config = None
            remote = main.files.get(CONFIG)
            if remote is not None:
                data = await hub.read_small(repo, main.commit, remote, CONFIG_LIMIT_BYTES)
                hasher = hasher_for(remote.digest, len(data))
                hasher.update(data)
                if hasher.hexdigest() != remote.digest:
                    raise errors.ChecksumError(CONFIG)
                config = read_config(data)
            named = named_files(config)
            repositories = {repo: main}
            for file in named:
                if file.repo is not None and file.repo not in repositories:
                    repositories[file.repo] = await hub.repository(file.repo)
        files = [] if config is None else [_stated(main, CONFIG)]
        for file in named:
            source = repositories[file.repo or repo]
            if file.path not in source.files:
                lacking = CONFIG if config is None else file.path
                raise errors.UnusableRepositoryError(source.repo, f"it has no {lacking}")
            files.append(_stated(source, file.path))
        files = list(dict.fromkeys(files))
        if len({file.path for file in files}) != len(files):
            raise errors.UnusableRepositoryError(repo, "two files that it needs have the same name")
        others = [other for other in repositories.values() if other is not main]
        return main, others, Manifest(repo, main.commit, _licences(main, others), tuple(files))

    def _present(self, file: StatedFile) -> int:
        """Bytes of a file that are here."""
        store = self.store
        for whole in (store.snapshot(file.repo, file.commit) / file.path, store.blob(file.repo, file.digest)):
            if _size(whole) == file.size:
                return file.size
        return min(_size(store.part(file.repo, file.digest)) or 0, file.size)

    # Getting -------------------------------------------------------------------------------------------------------

    async def _get_all(self, plan: DownloadPlan, meter: Meter) -> None:
        async with HubSession(self._options.endpoint, self._options.stall_s) as hub:
            ticking = asyncio.create_task(_tick(meter, max(self._options.report_s, _TICK_S)))
            try:
                for file in plan.manifest.files:
                    meter.file = file.path
                    await self._get_one(hub, file, meter)
                    if file.repo != plan.repo:
                        self._put_beside(file, self.store.snapshot(plan.repo, plan.manifest.commit) / file.path)
            finally:
                ticking.cancel()

    async def _get_one(self, hub: HubSession, file: StatedFile, meter: Meter) -> None:
        place = self.store.snapshot(file.repo, file.commit) / file.path
        if _size(place) == file.size:
            return
        blob = self.store.blob(file.repo, file.digest)
        _make_folders(blob.parent, place.parent)
        if _size(blob) != file.size:
            part = self.store.part(file.repo, file.digest)
            await self._fetch(hub, file, part, meter)
            part.replace(blob)
        if not _linked(blob, place):
            blob.replace(place)

    def _put_beside(self, file: StatedFile, place: Path) -> None:
        """Another repository's file gets a name in this one's snapshot, too."""
        if _size(place) == file.size:
            return
        _make_folders(place.parent)
        source = (self.store.snapshot(file.repo, file.commit) / file.path).resolve()
        if not _linked(source, place):
            try:
                place.hardlink_to(source)
            except OSError:
                shutil.copyfile(source, place)

    async def _fetch(self, hub: HubSession, file: StatedFile, part: Path, meter: Meter) -> None:
        """Make ``part`` the whole, checked file."""
        if (_size(part) or 0) > file.size:
            _remove(part)
        with self._options.opener(part) as stream:
            state = await self._begin(part, file, meter)
            failures = 0
            while state.have < file.size:
                before = state.have
                try:
                    await self._stream(hub, file, stream, state, meter)
                except AppError as trouble:
                    if not trouble.retryable or isinstance(trouble, errors.ChecksumError):
                        raise
                    failures = 1 if state.have > before else failures + 1
                    if failures > self._options.retries:
                        raise
                    await asyncio.sleep(self._wait_s(trouble, failures))
            stream.flush()
            await asyncio.to_thread(os.fsync, stream.fileno())
        if state.hasher.hexdigest() != file.digest:
            _remove(part)
            raise errors.ChecksumError(file.path)

    async def _begin(self, part: Path, file: StatedFile, meter: Meter) -> _State:
        """Take up what an earlier try left."""
        state = _State(hasher_for(file.digest, file.size))
        with part.open("rb", buffering=0) as stream:
            while chunk := stream.read(CHUNK_BYTES):
                meter.phase = Phase.CHECKING
                state.take(chunk)
                meter.report()
                await asyncio.sleep(0)  # a stop gets in here
        meter.phase = Phase.GETTING
        meter.report(force=True)
        return state

    async def _stream(self, hub: HubSession, file: StatedFile, stream: BinaryIO, state: _State, meter: Meter) -> None:
        """One try: append what comes. Raises AppError when less than the rest came."""
        async with hub.open(file.repo, file.commit, file.path, state.have) as body:
            if body.complete or body.offset != state.have:
                stream.truncate(0)
                meter.add(-state.have)
                state.restart(hasher_for(file.digest, file.size))
            async for chunk in body.chunks():
                if state.have + len(chunk) > file.size:
                    stream.truncate(0)
                    raise errors.ChecksumError(file.path)
                stream.write(chunk)
                state.take(chunk)
                meter.add(len(chunk))
        if state.have < file.size:
            raise errors.ConnectionCutError

    def _wait_s(self, trouble: AppError, failures: int) -> float:
        asked = trouble.retry_after_s if isinstance(trouble, errors.HubTroubleError) else None
        return min(_LONGEST_WAIT_S, asked if asked is not None else self._options.backoff_s * 2 ** (failures - 1))


@dataclass(slots=True)
class _State:
    """How much of a file is here, and its running digest."""

    hasher: Hasher
    have: int = 0

    def take(self, chunk: bytes) -> None:
        self.hasher.update(chunk)
        self.have += len(chunk)

    def restart(self, hasher: Hasher) -> None:
        self.hasher = hasher
        self.have = 0


async def _tick(meter: Meter, every_s: float) -> None:
    """Report also while nothing comes, so that a stall shows as one."""
    while True:
        await asyncio.sleep(every_s)
        meter.report()


def _stated(source: RemoteRepository, path: str) -> StatedFile:
    remote = source.files[path]
    return StatedFile(source.repo, source.commit, path, remote.size, remote.digest)


def _licences(main: RemoteRepository, others: list[RemoteRepository]) -> str | None:
    further = [f"{other.repo}: {other.licence or 'not stated'}" for other in others]
    return "; ".join([main.licence or "not stated", *further]) if further else main.licence


def _linked(source: Path, place: Path) -> bool:
    """Make ``place`` a relative link to ``source``, as huggingface_hub does; say whether links can be made here."""
    place.unlink(missing_ok=True)
    try:
        place.symlink_to(os.path.relpath(source, place.parent))
    except OSError:
        return False
    return True


def _make_folders(*folders: Path) -> None:
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)


def _write_ref(path: Path, commit: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.tmp")
    temporary.write_text(commit, encoding="utf-8")
    temporary.replace(path)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
