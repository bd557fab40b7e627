"""The real downloader against a scripted hub: what it fetches, how it goes on, how it stops, what it says."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from huggingface_hub import hf_hub_download, snapshot_download

from kame_desktop.core.errors import BadInputError, ErrorCategory
from kame_desktop.weights import checking, errors
from kame_desktop.weights.download import Downloader
from kame_desktop.weights.plan import Phase, Progress
from kame_desktop.weights.store import Presence, WeightStore
from tests.fakes.hub import FakeHub, Fault, HubRepo, Trouble
from tests.weights.conftest import MakeDownloader
from tests.weights.sets import CONFIG, MIMI, MODEL, MODEL_BYTES, TOKENIZER, WANTED, checkpoint_files

REPO = "SakanaAI/kame"


def part_of(store: WeightStore, hub: FakeHub, path: str = MODEL) -> Path:
    return store.part(REPO, hub.repos[REPO].digest(path))


def get_all(downloader: Downloader, name: str = "kame") -> Path:
    return downloader.get(downloader.plan(name))


class TestPlan:
    def test_says_what_will_happen(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        plan = make().plan("kame")
        assert (plan.name, plan.repo, plan.licence) == ("kame", REPO, "cc-by-4.0")
        assert {file.path for file in plan.manifest.files} == WANTED
        assert plan.total_bytes == sum(len(hub.repos[REPO].files[path]) for path in WANTED)
        assert plan.present_bytes == 0
        assert plan.missing_bytes == plan.need_bytes == plan.total_bytes
        assert plan.free_bytes > 0
        assert plan.fits
        assert plan.page == f"{hub.endpoint}/{REPO}"
        assert plan.folder == store.cache_dir
        assert not store.cache_dir.exists()

    def test_a_licence_that_is_not_stated(self, make: MakeDownloader, hub: FakeHub):
        hub.repos[REPO].licence = None
        assert make().plan("kame").licence is None

    def test_a_base_model_in_another_repository(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        files = {CONFIG: checkpoint_files(moshi_name=f"hf://{REPO}/{MODEL}", lora_name="lora.safetensors")[CONFIG]}
        files |= {"lora.safetensors": b"x" * 20_000, MIMI: b"y" * 9, "mimi_config.json": b"{}", TOKENIZER: b"z"}
        hub.repos["someone/lora"] = HubRepo(files, licence="mit")
        plan = make().plan("someone/lora")
        assert plan.licence == f"mit; {REPO}: cc-by-4.0"
        folder = make().get(plan)
        assert store.resolve("someone/lora") == folder
        named = store.files(folder)
        assert named["moshi_name"] == folder / MODEL, "beside the others"
        assert named["moshi_name"].stat().st_size == MODEL_BYTES
        assert all(check.good for check in checking.verify(store, "someone/lora"))
        assert named["lora_name"] == folder / "lora.safetensors"
        store.remove("kame")
        assert store.find("someone/lora") is None

    def test_two_files_of_one_name(self, make: MakeDownloader, hub: FakeHub):
        hub.repos[REPO].files[CONFIG] = checkpoint_files(mimi_name=f"hf://someone/moshi/{MODEL}")[CONFIG]
        with pytest.raises(errors.UnusableRepositoryError, match="same name"):
            make().plan("kame")

    def test_a_repository_from_before_config_json(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        old = {"model.safetensors": b"a" * 11_000, "tokenizer-e351c8d8-checkpoint125.safetensors": b"b"}
        hub.repos["kyutai/moshiko-pytorch-bf16"] = HubRepo({**old, "tokenizer_spm_32k_3.model": b"c"})
        folder = get_all(make(), "moshi")
        assert store.resolve("moshi") == folder
        assert set(store.files(folder)) == {"moshi_name", "mimi_name", "tokenizer_name"}

    def test_a_folder_needs_no_download(self, make: MakeDownloader, tmp_path: Path):
        with pytest.raises(BadInputError, match="nothing to download"):
            make().plan(str(tmp_path))

    @pytest.mark.parametrize("lacking", [MODEL, TOKENIZER, CONFIG])
    def test_a_repository_that_lacks_a_file(self, make: MakeDownloader, hub: FakeHub, lacking: str):
        del hub.repos[REPO].files[lacking]
        with pytest.raises(errors.UnusableRepositoryError, match=lacking):
            make().plan("kame")

    def test_pickled_weights(self, make: MakeDownloader, hub: FakeHub):
        hub.repos[REPO].files[CONFIG] = checkpoint_files(moshi_name="pytorch_model.bin")[CONFIG]
        with pytest.raises(errors.DamagedConfigError, match=r"pytorch_model\.bin.*not a \.safetensors"):
            make().plan("kame")
        assert not hub.gets("pytorch_model.bin")

    def test_a_config_that_is_not_the_stated_one(self, make: MakeDownloader, hub: FakeHub):
        hub.fault(CONFIG, Fault(Trouble.CORRUPT))
        with pytest.raises(errors.ChecksumError):
            make().plan("kame")

    def test_an_answer_that_is_not_a_hubs(self, make: MakeDownloader, hub: FakeHub):
        hub.fault("info", Fault(Trouble.CORRUPT))
        with pytest.raises(errors.HubTroubleError, match="not a hub's"):
            make().plan("kame")

    def test_too_little_room_is_said_before(self, make: MakeDownloader, store: WeightStore, hub: FakeHub):
        downloader = make(reserve_bytes=10**18)
        plan = downloader.plan("kame")
        assert not plan.fits
        with pytest.raises(errors.NoSpaceError, match="are needed") as caught:
            downloader.get(plan)
        assert caught.value.category is ErrorCategory.RESOURCE
        assert not hub.gets(MODEL)
        assert not store.repo_folder(REPO).exists()


class TestGet:
    def test_fetches_what_the_config_names_and_nothing_else(
        self, make: MakeDownloader, hub: FakeHub, store: WeightStore
    ):
        seen: list[Progress] = []
        downloader = make()
        folder = downloader.get(downloader.plan("kame"), seen.append)
        assert {path.name for path in folder.iterdir()} == WANTED
        for path in WANTED:
            assert (folder / path).read_bytes() == hub.repos[REPO].files[path]
        assert not hub.gets("pytorch_model.bin")
        assert not hub.gets("optimizer.pt")
        assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)
        assert seen[-1].done == seen[-1].total == downloader.plan("kame").total_bytes
        assert seen[-1].fraction == 1.0
        assert any(progress.file == MODEL and progress.rate > 0 and progress.left_s is not None for progress in seen)
        assert not list(store.cache_dir.rglob("*.incomplete"))

    def test_once_here_nothing_asks_the_network(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        folder = get_all(make())
        calls = len(hub.calls)
        assert store.resolve("kame") == store.find("SakanaAI/kame") == folder
        assert store.sets()[0].presence is Presence.READY
        assert len(hub.calls) == calls

    def test_huggingface_hub_finds_it_too(
        self, make: MakeDownloader, hub: FakeHub, store: WeightStore, monkeypatch: pytest.MonkeyPatch
    ):
        folder = get_all(make())
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        found = snapshot_download(REPO, cache_dir=store.cache_dir, local_files_only=True, allow_patterns=list(WANTED))
        assert Path(found) == folder
        for path in WANTED:
            assert Path(hf_hub_download(REPO, path, cache_dir=store.cache_dir)) == folder / path

    def test_finds_what_huggingface_hub_fetched(
        self, hub: FakeHub, store: WeightStore, monkeypatch: pytest.MonkeyPatch, make: MakeDownloader
    ):
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
        for path in sorted(WANTED):
            assert store.find("kame") is None
            hf_hub_download(REPO, path, cache_dir=store.cache_dir, endpoint=hub.endpoint)
        assert store.resolve("kame").name == hub.repos[REPO].commit
        before = len(hub.gets(MODEL))
        plan = make().plan("kame")
        assert plan.missing_bytes == plan.need_bytes == 0
        make().get(plan)
        assert len(hub.gets(MODEL)) == before

    def test_the_same_commit_again_moves_nothing(self, make: MakeDownloader, hub: FakeHub):
        get_all(make())
        sent = len(hub.gets(MODEL))
        get_all(make())
        assert len(hub.gets(MODEL)) == sent

    def test_a_new_commit_fetches_only_what_changed(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        old = get_all(make())
        hub.repos[REPO].files[TOKENIZER] = b"t" * 11_000
        plan = make().plan("kame")
        assert plan.missing_bytes == 11_000
        new = make().get(plan)
        assert new != old
        assert store.resolve("kame") == new
        assert len(hub.gets(MODEL)) == 1

    def test_links_that_cannot_be_made(
        self, make: MakeDownloader, hub: FakeHub, store: WeightStore, monkeypatch: pytest.MonkeyPatch
    ):
        def refuse(*_: object, **__: object) -> None:
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr(Path, "symlink_to", refuse)
        folder = get_all(make())
        assert store.resolve("kame") == folder
        assert not (folder / MODEL).is_symlink()
        get_all(make())
        assert len(hub.gets(MODEL)) == 1
        assert store.remove("kame") > MODEL_BYTES

    def test_an_empty_file(self, make: MakeDownloader, hub: FakeHub):
        hub.repos[REPO].files["mimi_config.json"] = b""
        assert (get_all(make()) / "mimi_config.json").read_bytes() == b""


class TestResume:
    def test_goes_on_after_a_cut(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        hub.fault(MODEL, Fault(Trouble.CUT, after=120_000))
        with pytest.raises(errors.ConnectionCutError, match="cut"):
            get_all(make())
        kept = part_of(store, hub).stat().st_size
        assert 0 < kept <= 120_000
        assert store.find("kame") is None
        entry = store.state(REPO)
        assert (entry.presence, entry.total_bytes) == (Presence.PARTIAL, make().plan("kame").total_bytes)
        plan = make().plan("kame")
        assert plan.present_bytes >= kept
        phases: list[Phase] = []
        folder = make().get(plan, lambda progress: phases.append(progress.phase))
        assert Phase.CHECKING in phases
        assert [call.start for call in hub.gets(MODEL)] == [0, kept]
        assert (folder / MODEL).read_bytes() == hub.repos[REPO].files[MODEL]

    def test_tries_again_by_itself_as_long_as_something_comes(self, make: MakeDownloader, hub: FakeHub):
        hub.fault(MODEL, *[Fault(Trouble.CUT, after=60_000)] * 4)
        folder = get_all(make(retries=1))
        assert (folder / MODEL).read_bytes() == hub.repos[REPO].files[MODEL]
        assert len(hub.gets(MODEL)) == 5

    def test_gives_up_when_nothing_comes(self, make: MakeDownloader, hub: FakeHub):
        hub.fault(MODEL, *[Fault(Trouble.CUT)] * 9)
        with pytest.raises(errors.ConnectionCutError):
            get_all(make(retries=2))
        assert len(hub.gets(MODEL)) == 3

    def test_a_server_without_ranges_begins_anew(self, make: MakeDownloader, hub: FakeHub):
        hub.fault(MODEL, Fault(Trouble.CUT, after=100_000), Fault(Trouble.IGNORE_RANGE))
        downloader = make(retries=1)
        plan = downloader.plan("kame")
        seen: list[Progress] = []
        folder = downloader.get(plan, seen.append)
        assert (folder / MODEL).read_bytes() == hub.repos[REPO].files[MODEL]
        assert seen[-1].done == plan.total_bytes

    def test_a_partial_file_that_is_too_long(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        part = part_of(store, hub)
        part.parent.mkdir(parents=True)
        part.write_bytes(b"x" * (MODEL_BYTES + 1))
        assert (get_all(make()) / MODEL).read_bytes() == hub.repos[REPO].files[MODEL]

    def test_a_partial_file_that_is_damaged(self, make: MakeDownloader, hub: FakeHub, store: WeightStore):
        part = part_of(store, hub)
        part.parent.mkdir(parents=True)
        part.write_bytes(b"x" * 1000)
        with pytest.raises(errors.ChecksumError):
            get_all(make())
        assert not part.exists()
        assert (get_all(make()) / MODEL).read_bytes() == hub.repos[REPO].files[MODEL]

    def test_a_busy_hub_is_asked_again(self, make: MakeDownloader, hub: FakeHub):
        busy = Fault(Trouble.STATUS, status=503)
        limited = Fault(Trouble.STATUS, status=429, headers={"Retry-After": "0"})
        hub.fault(MODEL, busy, limited)
        get_all(make(retries=2))
        hub.fault("info", busy)
        with pytest.raises(errors.HubTroubleError, match="503"):
            make().plan("kame")
        hub.fault("info", Fault(Trouble.STATUS, status=429, headers={"Retry-After": "7"}))
        with pytest.raises(errors.HubTroubleError, match="too many requests") as caught:
            make().plan("kame")
        assert caught.value.retry_after_s == 7.0
