"""What goes wrong with a download, each with its own message; and how it is stopped."""

from __future__ import annotations

import errno
import io
import logging
import socket
import threading
import time
from pathlib import Path
from typing import Any, cast

import pytest

from kame_desktop.core.errors import AppError, Cancelled, ErrorCategory
from kame_desktop.weights import errors
from kame_desktop.weights.cancel import CancelFlag
from kame_desktop.weights.download import Downloader
from kame_desktop.weights.plan import DownloadOptions, Progress
from kame_desktop.weights.store import Presence, WeightStore
from tests.fakes.hub import SIGNATURE, FakeHub, Fault, Trouble
from tests.weights.conftest import MakeDownloader
from tests.weights.sets import CONFIG, MODEL

REPO = "SakanaAI/kame"


def part_of(store: WeightStore, hub: FakeHub, path: str = MODEL) -> Path:
    return store.part(REPO, hub.repos[REPO].digest(path))


def get_all(downloader: Downloader, name: str = "kame") -> Path:
    return downloader.get(downloader.plan(name))


class TestTrouble:
    def test_a_stall(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        hub.fault(MODEL, Fault(Trouble.STALL, after=50_000))
        with pytest.raises(errors.StalledError, match="no byte came") as caught:
            get_all(make(stall_s=0.2))
        assert caught.value.retryable
        assert part_of(store, hub).stat().st_size > 0

    def test_a_stall_shows_while_it_lasts(self, make: MakeDownloader, hub: FakeHub):
        hub.fault(MODEL, Fault(Trouble.STALL, after=50_000))
        seen: list[Progress] = []
        downloader = make(stall_s=0.9)
        with pytest.raises(errors.StalledError):
            downloader.get(downloader.plan("kame"), seen.append)
        assert [progress.done for progress in seen[-3:]] == [seen[-1].done] * 3
        assert seen[-1].rate < seen[-3].rate

    def test_damage_on_the_way(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        hub.fault(MODEL, Fault(Trouble.CORRUPT))
        with pytest.raises(errors.ChecksumError, match=MODEL):
            get_all(make(retries=3))
        assert not part_of(store, hub).exists()
        assert store.find("kame") is None
        assert len(hub.gets(MODEL)) == 1
        get_all(make())
        assert len(hub.gets(CONFIG)) == 3, "two plans and one download"

    def test_a_file_that_is_longer_than_stated(self, make: MakeDownloader, hub: FakeHub):
        downloader = make()
        plan = downloader.plan("kame")
        hub.repos[REPO].stated[MODEL] = hub.repos[REPO].digest(MODEL)
        hub.repos[REPO].files[MODEL] += b"more"
        plan_commit = plan.manifest.commit
        assert plan_commit != hub.repos[REPO].commit
        with pytest.raises(errors.UnusableRepositoryError):
            downloader.get(plan)

    def test_no_network(self, store: WeightStore):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        downloader = Downloader(store, DownloadOptions(endpoint=f"http://127.0.0.1:{port}", retries=0))
        with pytest.raises(errors.NoNetworkError, match="can't be reached") as caught:
            downloader.plan("kame")
        assert caught.value.retryable

    def test_no_network_in_the_middle(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        plan = make().plan("kame")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            elsewhere = f"http://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(errors.NoNetworkError):
            make(endpoint=elsewhere).get(plan)
        assert store.state(REPO).presence is Presence.PARTIAL

    def test_a_missing_repository(self, make: MakeDownloader):
        with pytest.raises(errors.MissingRepositoryError, match="no repository someone/nothing") as caught:
            make().plan("someone/nothing")
        assert caught.value.category is ErrorCategory.PERMANENT

    def test_a_gated_repository(self, make: MakeDownloader, hub: FakeHub, monkeypatch: pytest.MonkeyPatch):
        hub.repos[REPO].gated = True
        hub.token = "hf_sesame"
        with pytest.raises(errors.GatedRepositoryError, match="gated") as caught:
            make().plan("kame")
        assert f"{hub.endpoint}/{REPO}" in caught.value.remedy
        monkeypatch.setenv("HF_TOKEN", "hf_wrong")
        with pytest.raises(errors.GatedRepositoryError):
            make().plan("kame")
        monkeypatch.setenv("HF_TOKEN", "hf_sesame")
        get_all(make())

    def test_a_refused_token(self, make: MakeDownloader, hub: FakeHub):
        hub.fault("info", Fault(Trouble.STATUS, status=403))
        with pytest.raises(errors.TokenRefusedError, match="token"):
            make().plan("kame")

    def test_the_token_goes_to_the_hub_alone_and_into_no_log(
        self, make: MakeDownloader, hub: FakeHub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ):
        hub.repos[REPO].private = True
        hub.token = "hf_secret4711"
        monkeypatch.setenv("HF_TOKEN", hub.token)
        with caplog.at_level(logging.DEBUG):
            get_all(make())
        stores = [call for call in hub.calls if call.path.startswith("/store/")]
        assert stores
        assert all(call.token is None for call in stores)
        assert all(call.token == hub.token for call in hub.calls if call not in stores)
        assert hub.token not in caplog.text
        assert SIGNATURE not in caplog.text

    @pytest.mark.parametrize("how", ["setting", "environment", "huggingface_hub"])
    def test_offline_never_asks(self, make: MakeDownloader, hub: FakeHub, how: str, monkeypatch: pytest.MonkeyPatch):
        plan = make().plan("kame")
        calls = len(hub.calls)
        if how == "environment":
            monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        elif how == "huggingface_hub":
            monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        downloader = make(offline=how == "setting")
        with pytest.raises(errors.OfflineError, match="offline mode"):
            downloader.plan("kame")
        with pytest.raises(errors.OfflineError):
            downloader.get(plan)
        assert len(hub.calls) == calls

    def test_a_disk_that_fills_up(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        with pytest.raises(errors.NoSpaceError, match="is full") as caught:
            get_all(make(opener=lambda path: _SmallDisk(path, room=100_000)))
        assert "kept" in caught.value.remedy
        kept = part_of(store, hub).stat().st_size
        assert kept == 100_000
        folder = get_all(make())
        assert hub.gets(MODEL)[-1].start == kept
        assert (folder / MODEL).read_bytes() == hub.repos[REPO].files[MODEL]

    def test_a_cache_that_cannot_be_made(self, hub: FakeHub, tmp_path: Path):
        (tmp_path / "file").write_bytes(b"")
        downloader = Downloader(WeightStore(tmp_path / "file" / "hub"), DownloadOptions(endpoint=hub.endpoint))
        with pytest.raises(errors.NotWritableError):
            get_all(downloader)

    def test_only_one_at_a_time(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        plan = make().plan("kame")
        with store.locked(REPO), pytest.raises(errors.BusyError) as caught:
            make().get(plan)
        assert caught.value.retryable
        make().get(plan)

    def test_each_trouble_has_a_remedy(self):
        troubles: list[AppError] = [errors.StalledError(3), errors.ConnectionCutError(), errors.NoNetworkError("hub")]
        troubles += [errors.BusyError("a/b"), errors.ChecksumError("m"), errors.OfflineError("a/b"), errors.stopped()]
        troubles += [errors.UntrustedConnectionError("hub"), errors.NotWritableError(Path("/x"))]
        for trouble in troubles:
            assert trouble.what
            assert trouble.remedy
            assert trouble.component == "weights"
        assert len({trouble.what for trouble in troubles}) == len(troubles)


class _SmallDisk(io.BufferedWriter):
    """A file on a disk with room for so many bytes."""

    def __init__(self, path: Path, room: int) -> None:
        super().__init__(cast(io.RawIOBase, path.open("ab", buffering=0)))
        self._room = room

    def write(self, data: Any, /) -> int:
        fits = bytes(data)[: self._room]
        self._room -= super().write(fits)
        if len(fits) < len(data):
            raise OSError(errno.ENOSPC, "No space left on device")
        return len(fits)


class TestCancel:
    def run(self, downloader: Downloader, hub: FakeHub, *, some_bytes: int = 0, planning: bool = False) -> float:
        """Cancel once so much has come and the hub has fallen silent; seconds from there to the end of the work."""
        flag = CancelFlag()
        plan = None if planning else downloader.plan("kame")
        ended: list[object] = []
        came = threading.Event()

        def on_progress(progress: Progress) -> None:
            if progress.done >= some_bytes:
                came.set()

        def work() -> None:
            try:
                done = downloader.plan("kame", flag) if plan is None else downloader.get(plan, on_progress, flag)
                ended.append(done)
            except AppError as error:
                ended.append(error)

        worker = threading.Thread(target=work, name="download")
        worker.start()
        assert hub.stalled.wait(10)
        assert planning or came.wait(10)
        begin_s = time.perf_counter()
        flag.cancel()
        worker.join(10)
        took_s = time.perf_counter() - begin_s
        assert not worker.is_alive()
        assert isinstance(ended[0], Cancelled)
        return took_s

    def test_in_a_silent_stream(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        hub.fault(MODEL, Fault(Trouble.STALL, after=80_000))
        assert self.run(make(stall_s=60.0), hub, some_bytes=80_000) < 1.0
        kept = part_of(store, hub).stat().st_size
        assert kept > 0
        get_all(make())
        assert hub.gets(MODEL)[-1].start == kept

    def test_before_the_answer(self, make: MakeDownloader, hub: FakeHub):
        hub.fault("info", Fault(Trouble.STALL))
        assert self.run(make(stall_s=60.0), hub, planning=True) < 1.0

    def test_while_waiting_to_try_again(self, make: MakeDownloader, hub: FakeHub):
        hub.fault(MODEL, Fault(Trouble.CUT))
        flag = CancelFlag()
        downloader = make(retries=9, backoff_s=60.0, stall_s=60.0)
        plan = downloader.plan("kame")
        failures: list[AppError] = []

        def work() -> None:
            try:
                downloader.get(plan, cancel=flag)
            except AppError as error:
                failures.append(error)

        worker = threading.Thread(target=work, name="download")
        worker.start()
        deadline_s = time.monotonic() + 10
        while not hub.gets(MODEL) and time.monotonic() < deadline_s:
            worker.join(0.01)
        flag.cancel()
        worker.join(10)
        assert isinstance(failures[0], Cancelled)

    def test_before_it_begins(self, make: MakeDownloader, hub: FakeHub):
        downloader = make()
        plan = downloader.plan("kame")
        calls = len(hub.calls)
        flag = CancelFlag()
        flag.cancel()
        with pytest.raises(Cancelled, match="stopped"):
            downloader.get(plan, cancel=flag)
        assert len(hub.calls) == calls

    def test_from_within_the_progress(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        flag = CancelFlag()
        downloader = make()

        def on_progress(progress: Progress) -> None:
            if progress.done > 100_000:
                flag.cancel()

        with pytest.raises(Cancelled):
            downloader.get(downloader.plan("kame"), on_progress, flag)
        assert part_of(store, hub).stat().st_size >= 0
