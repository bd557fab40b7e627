"""A hub with a small checkpoint, an empty cache, and no environment of the developer's."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kame_desktop.weights.download import Downloader
from kame_desktop.weights.plan import DownloadOptions
from kame_desktop.weights.store import WeightStore
from tests.fakes.hub import FakeHub, HubRepo
from tests.weights.sets import checkpoint_files

MakeDownloader = Callable[..., Downloader]


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy, no token, not offline, whatever the developer has set."""
    for name in list(os.environ):
        if name.casefold().endswith("_proxy") or name.startswith("HF_HUB_OFFLINE"):
            monkeypatch.delenv(name)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_TOKEN", "")
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", "/nonexistent/token")


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    """``SakanaAI/kame`` and ``someone/moshi``."""
    repos = {"SakanaAI/kame": HubRepo(checkpoint_files()), "someone/moshi": HubRepo(checkpoint_files(seed=1))}
    with FakeHub(repos).running() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> WeightStore:
    """Not there yet."""
    return WeightStore(tmp_path / "cache" / "hub")


@pytest.fixture
def make(hub: FakeHub, store: WeightStore) -> MakeDownloader:
    """A downloader against the hub: no waiting, no second try unless asked for."""

    def make_downloader(**options: object) -> Downloader:
        chosen: dict[str, object] = {"endpoint": hub.endpoint, "retries": 0, "backoff_s": 0.0, "stall_s": 5.0}
        chosen |= {"report_s": 0.0, "reserve_bytes": 0, **options}
        return Downloader(store, DownloadOptions(**chosen))  # pyright: ignore[reportArgumentType]

    return make_downloader
