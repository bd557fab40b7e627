"""The cache: finding, checking, listing, removing. No network anywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kame_desktop.core.errors import BadInputError, Cancelled, ErrorCategory, ModelFileError
from kame_desktop.weights import checking, errors
from kame_desktop.weights.cancel import CancelFlag
from kame_desktop.weights.checking import FileState
from kame_desktop.weights.store import Presence, WeightStore
from tests.fakes.hub import FakeHub, Fault, Trouble
from tests.weights.conftest import MakeDownloader
from tests.weights.sets import CONFIG, MODEL, MODEL_BYTES, TOKENIZER, WANTED, checkpoint_files, config

REPO = "SakanaAI/kame"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint in a folder of the user's own."""
    place = tmp_path / "my model"
    place.mkdir()
    for path, data in checkpoint_files().items():
        if path in WANTED:
            (place / path).write_bytes(data)
    return place


class TestFind:
    def test_a_local_folder(self, store: WeightStore, folder: Path):
        assert store.resolve(str(folder)) == store.find(str(folder)) == folder
        assert store.files(folder)["moshi_name"] == folder / MODEL

    def test_a_folder_that_lacks_files(self, store: WeightStore, folder: Path):
        (folder / MODEL).unlink()
        assert store.find(str(folder)) is None
        with pytest.raises(errors.IncompleteFolderError, match=MODEL):
            store.resolve(str(folder))
        with pytest.raises(errors.IncompleteFolderError, match=MODEL):
            store.files(folder)

    def test_a_folder_that_is_no_checkpoint(self, store: WeightStore, tmp_path: Path):
        with pytest.raises(errors.IncompleteFolderError, match=r"config\.json"):
            store.resolve(str(tmp_path))
        (tmp_path / CONFIG).write_text("no json")
        with pytest.raises(errors.DamagedConfigError):
            store.resolve(str(tmp_path))
        (tmp_path / CONFIG).write_bytes(b" " * 2_000_000)
        with pytest.raises(errors.DamagedConfigError, match="too large"):
            store.resolve(str(tmp_path))

    def test_a_local_pickle_is_refused(self, store: WeightStore, folder: Path):
        (folder / CONFIG).write_bytes(config(moshi_name="weights.pt"))
        (folder / "weights.pt").write_bytes(b"")
        with pytest.raises(errors.DamagedConfigError, match=r"weights\.pt"):
            store.resolve(str(folder))

    def test_what_is_not_here(self, store: WeightStore):
        assert store.find("kame") is None
        with pytest.raises(errors.NotHereError, match="models get kame") as caught:
            store.resolve("kame")
        assert caught.value.category is ErrorCategory.MISSING
        assert isinstance(caught.value, ModelFileError)

    def test_the_default_cache_is_the_hubs(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
        assert WeightStore().cache_dir == tmp_path / "hub"


class TestSets:
    def test_lists_known_sets_and_downloads(self, make: MakeDownloader, store: WeightStore, hub: FakeHub):
        kame, moshi = store.sets()
        assert (kame.name, kame.presence, moshi.presence) == ("kame", Presence.ABSENT, Presence.ABSENT)
        assert kame.size_bytes > 10_000_000_000
        (store.cache_dir / "models--someone--whisper" / "snapshots").mkdir(parents=True)
        downloader = make()
        downloader.get(downloader.plan("someone/moshi"))
        *_, other = store.sets()
        assert (other.name, other.presence, other.licence) == ("someone/moshi", Presence.READY, "cc-by-4.0")
        assert [entry.repo for entry in store.sets()].count("someone/whisper") == 0

    def test_a_broken_note_is_not_believed(self, make: MakeDownloader, store: WeightStore, hub: FakeHub):
        folder = make().get(make().plan("kame"))
        note = store.notes(REPO, folder.name)
        raw = json.loads(note.read_text())
        raw["files"][0]["path"] = "../../../etc/passwd"
        note.write_text(json.dumps(raw))
        assert store.manifest(REPO, folder.name) is None
        assert store.resolve("kame") == folder


class TestVerify:
    def test_a_sound_set(self, make: MakeDownloader, store: WeightStore, hub: FakeHub):
        downloader = make()
        downloader.get(downloader.plan("kame"))
        calls = len(hub.calls)
        seen: list[tuple[int, int]] = []
        checks = checking.verify(store, "kame", lambda done, total: seen.append((done, total)))
        assert {check.name: check.state for check in checks} == dict.fromkeys(WANTED, FileState.OK)
        assert seen[-1][0] == seen[-1][1] == sum(check.size for check in checks)
        assert len(hub.calls) == calls

    def test_damage_is_found_and_mended(self, make: MakeDownloader, store: WeightStore, hub: FakeHub):
        downloader = make()
        folder = downloader.get(downloader.plan("kame"))
        with (folder / MODEL).open("r+b") as stream:
            stream.write(b"\0\0\0\0")
        (folder / TOKENIZER).write_bytes(b"short")
        (folder / "mimi_config.json").unlink()
        checks = checking.verify(store, "kame")
        states = {check.name: check.state for check in checks}
        assert states[MODEL] is FileState.DAMAGED
        assert states[TOKENIZER] is FileState.WRONG_SIZE
        assert states["mimi_config.json"] is FileState.MISSING
        checking.discard(store, checks)
        assert store.find("kame") is None
        before = len(hub.gets("mimi.safetensors"))
        downloader.get(downloader.plan("kame"))
        assert all(check.state is FileState.OK for check in checking.verify(store, "kame"))
        assert len(hub.gets("mimi.safetensors")) == before

    def test_a_set_that_another_program_fetched(self, make: MakeDownloader, store: WeightStore, hub: FakeHub):
        downloader = make()
        folder = downloader.get(downloader.plan("kame"))
        store.notes(REPO, folder.name).unlink()
        assert all(check.state is FileState.OK for check in checking.verify(store, "kame"))
        with (folder / MODEL).open("r+b") as stream:
            stream.write(b"\0\0\0\0")
        states = {check.name: check.state for check in checking.verify(store, "kame")}
        assert states.pop(MODEL) is FileState.DAMAGED
        assert set(states.values()) == {FileState.OK}

    def test_a_folder_of_ones_own_has_no_checksums(self, store: WeightStore, folder: Path):
        checks = checking.verify(store, str(folder))
        assert {check.state for check in checks} == {FileState.UNKNOWN}
        checking.discard(store, checks)
        (folder / MODEL).unlink()
        states = {check.name: check.state for check in checking.verify(store, str(folder))}
        assert states[MODEL] is FileState.MISSING
        (folder / CONFIG).unlink()
        with pytest.raises(errors.IncompleteFolderError):
            checking.verify(store, str(folder))

    def test_never_throws_away_what_is_not_in_the_cache(self, store: WeightStore, folder: Path):
        damaged = checking.FileCheck(MODEL, folder / MODEL, 1, FileState.DAMAGED)
        checking.discard(store, [damaged])
        assert (folder / MODEL).exists()

    def test_can_be_stopped(self, make: MakeDownloader, store: WeightStore):
        downloader = make()
        downloader.get(downloader.plan("kame"))
        flag = CancelFlag()
        with pytest.raises(Cancelled):
            checking.verify(store, "kame", lambda done, total: flag.cancel(), flag)

    def test_what_is_not_here(self, store: WeightStore):
        with pytest.raises(errors.NotHereError):
            checking.verify(store, "kame")


class TestRemove:
    def test_removes_everything(self, make: MakeDownloader, store: WeightStore, hub: FakeHub):
        downloader = make()
        downloader.get(downloader.plan("kame"))
        downloader.get(downloader.plan("someone/moshi"))
        hub.repos[REPO].files[TOKENIZER] = b"t" * 11_000
        downloader.get(downloader.plan("kame"))
        repo, place, size = store.removable("kame")
        assert (repo, place.exists()) == (REPO, True)
        assert store.remove("kame") == size
        assert size > MODEL_BYTES
        assert not place.exists()
        assert store.find("someone/moshi") is not None
        with pytest.raises(errors.NotHereError):
            store.remove("kame")

    def test_removes_what_a_stop_left(self, make: MakeDownloader, store: WeightStore, hub: FakeHub):
        hub.fault(MODEL, Fault(Trouble.CUT, after=100_000))
        downloader = make()
        with pytest.raises(errors.ConnectionCutError):
            downloader.get(downloader.plan("kame"))
        assert store.remove("kame") > 0
        assert not [path for path in store.cache_dir.rglob("*") if path.is_file()]

    def test_a_duplicate_with_the_same_commit_stays(self, make: MakeDownloader, store: WeightStore, hub: FakeHub):
        hub.repos["someone/copy"] = hub.repos[REPO]
        downloader = make()
        downloader.get(downloader.plan("kame"))
        copy = downloader.get(downloader.plan("someone/copy"))
        store.remove("kame")
        assert store.resolve("someone/copy") == copy

    def test_a_folder_of_ones_own_is_not_ours_to_remove(self, store: WeightStore, folder: Path):
        with pytest.raises(BadInputError, match="of your own"):
            store.remove(str(folder))
        assert (folder / MODEL).exists()

    def test_not_while_it_is_downloaded(self, make: MakeDownloader, store: WeightStore):
        downloader = make()
        downloader.get(downloader.plan("kame"))
        with store.locked(REPO), pytest.raises(errors.BusyError):
            store.remove("kame")

    def test_what_cannot_be_removed(self, make: MakeDownloader, store: WeightStore):
        (store.repo_folder(REPO) / "snapshots").mkdir(parents=True)
        (store.cache_dir / ".locks").write_bytes(b"")
        with pytest.raises(errors.NotWritableError, match="can't be written to"):
            store.remove("kame")
