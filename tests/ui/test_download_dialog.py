"""The download dialog: consent, progress, stop, resume, a folder instead, and every trouble."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from kame_desktop.core.errors import AppError
from kame_desktop.ui import theme
from kame_desktop.ui.download_model import DownloadState
from kame_desktop.ui.widgets.download_dialog import DownloadDialog
from kame_desktop.weights import errors
from kame_desktop.weights.cancel import CancelFlag
from kame_desktop.weights.download import Downloader
from kame_desktop.weights.plan import DownloadOptions, DownloadPlan, Phase, Progress
from kame_desktop.weights.store import WeightStore
from tests.fakes.hub import FakeHub, Fault, HubRepo, Trouble
from tests.ui.weights_plans import REPO, plan_of, progress_of
from tests.weights.conftest import own_environment  # noqa: F401 - a fixture
from tests.weights.sets import MODEL, checkpoint_files

T = TypeVar("T")


class FakeWeights:
    """A hub without bytes: tests say what comes when.

    Attributes:
        plans: What ``plan`` answers in turn, or raises; the last one for good.
        results: The same for ``get``.
        folders: The same for ``folder``.
        steps: Progress that ``get`` reports before it waits.
        waits: ``get`` waits for ``go`` or a cancel.
    """

    def __init__(self) -> None:
        self.plans: list[DownloadPlan | AppError] = [plan_of()]
        self.results: list[Path | AppError] = [Path("/there")]
        self.folders: list[Path | AppError] = [Path("/mine")]
        self.steps: list[Progress] = []
        self.waits = False
        self.holds_plan = False
        self.go = threading.Event()
        self.asked: list[str] = []

    def plan(self, name: str, cancel: CancelFlag | None = None) -> DownloadPlan:
        self.asked.append(f"plan {name}")
        if self.holds_plan:
            self._wait(cancel)
        return _next(self.plans)

    def get(
        self,
        plan: DownloadPlan,
        on_progress: Callable[[Progress], None] = lambda progress: None,
        cancel: CancelFlag | None = None,
    ) -> Path:
        self.asked.append("get")
        for step in self.steps:
            on_progress(step)
        if self.waits:
            self._wait(cancel)
        return _next(self.results)

    def folder(self, path: Path) -> Path:
        self.asked.append(f"folder {path}")
        return _next(self.folders)

    def _wait(self, cancel: CancelFlag | None) -> None:
        assert cancel is not None
        with cancel.calling(self.go.set):
            assert self.go.wait(10)
        self.go.clear()
        cancel.check()


def _next(queue: list[T | AppError]) -> T:
    result = queue.pop(0) if len(queue) > 1 else queue[0]
    if isinstance(result, AppError):
        raise result
    return result


Open = Callable[..., DownloadDialog]


@pytest.fixture
def weights() -> FakeWeights:
    """A hub that has everything."""
    return FakeWeights()


@pytest.fixture
def open_dialog(styled: QApplication, qtbot: QtBot, weights: FakeWeights) -> Iterator[Open]:
    """Shows the dialog and waits until the hub has answered; ends its work afterwards."""
    opened: list[DownloadDialog] = []

    def make(service: object = None, *, wait: bool = True) -> DownloadDialog:
        dialog = DownloadDialog("kame", service or weights)  # pyright: ignore[reportArgumentType]
        qtbot.addWidget(dialog)
        opened.append(dialog)
        dialog.open()
        if wait:
            qtbot.waitUntil(lambda: not dialog.model.busy)
        return dialog

    yield make
    for dialog in opened:
        dialog.shut_down()


def press(qtbot: QtBot, button: object) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)  # pyright: ignore[reportArgumentType]


def words(dialog: DownloadDialog) -> str:
    facts = dialog.facts
    shown = [facts.size_fact, facts.licence, facts.free, facts.place, facts.source, dialog.status, dialog.title]
    return "\n".join(label.text() for label in shown)


class TestConsent:
    def test_says_what_it_takes(self, open_dialog: Open, weights: FakeWeights):
        dialog = open_dialog()
        shown = words(dialog)
        for wanted in ("16.0 GB (1 file)", "cc-by-4.0 (as the hub states it)", "160.0 GB", "/cache/hub"):
            assert wanted in shown
        assert 'href="https://huggingface.co/SakanaAI/kame"' in shown
        assert dialog.main.text() == "Download 16.0 GB"
        assert dialog.main.hasFocus()
        assert weights.asked == ["plan kame"], "nothing is downloaded before a yes"

    def test_no_licence_is_said(self, open_dialog: Open, weights: FakeWeights):
        weights.plans = [plan_of(licence=None)]
        assert "not stated by the hub" in words(open_dialog())

    def test_cancel_downloads_nothing(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot):
        dialog = open_dialog()
        press(qtbot, dialog.second)
        assert not dialog.isVisible()
        assert "get" not in weights.asked

    def test_cancel_while_the_hub_is_asked(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot):
        weights.holds_plan = True
        dialog = open_dialog(wait=False)
        assert "Asking the model hub…" in words(dialog)
        assert not dialog.main.isEnabled()
        press(qtbot, dialog.second)
        qtbot.waitUntil(lambda: not dialog.isVisible())

    def test_no_room(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot):
        weights.plans = [plan_of(free=1_000_000_000), plan_of()]
        dialog = open_dialog()
        assert "has 1.0 GB free, but 16.0 GB are needed" in dialog.problem.text
        assert dialog.main.text() == "Try again"
        press(qtbot, dialog.main)
        qtbot.waitUntil(lambda: dialog.main.text() == "Download 16.0 GB")
        assert dialog.problem.isHidden()


class TestDownload:
    def test_to_the_end(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot):
        weights.steps = [progress_of(4_000_000_000, 40_000_000)]
        weights.waits = True
        dialog = open_dialog()
        press(qtbot, dialog.main)
        qtbot.waitUntil(lambda: dialog.model.progress is not None)
        assert dialog.status.text() == "4.0 GB of 16.0 GB · 40.0 MB/s · about 5 minutes left"
        assert dialog.bar.value() == 250
        assert dialog.main.isHidden()
        assert not dialog.choose.isEnabled()
        with qtbot.waitSignal(dialog.ready) as ready:
            weights.go.set()
        assert ready.args == [Path("/there")]
        assert "ready" in dialog.title.text()
        assert "checksums" in dialog.status.text()
        press(qtbot, dialog.main)
        assert dialog.result() == DownloadDialog.DialogCode.Accepted

    def test_stop_and_resume(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot):
        weights.steps = [progress_of(4_000_000_000)]
        weights.waits = True
        dialog = open_dialog()
        press(qtbot, dialog.main)
        qtbot.waitUntil(lambda: dialog.model.progress is not None)
        assert "waiting for the hub" in dialog.status.text()
        press(qtbot, dialog.second)
        qtbot.waitUntil(lambda: dialog.model.state is DownloadState.STOPPED)
        assert dialog.main.text() == "Resume, 12.0 GB left"
        assert dialog.status.text() == "4.0 GB of 16.0 GB · kept for later"
        weights.waits = False
        weights.steps = [progress_of(4_000_000_000, phase=Phase.CHECKING)]
        with qtbot.waitSignal(dialog.ready):
            press(qtbot, dialog.main)

    def test_closing_stops_it(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot):
        weights.waits = True
        dialog = open_dialog()
        press(qtbot, dialog.main)
        qtbot.waitUntil(lambda: "get" in weights.asked)
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
        assert dialog.model.state is DownloadState.STOPPING
        qtbot.waitUntil(lambda: not dialog.isVisible())
        assert dialog.result() == DownloadDialog.DialogCode.Rejected

    def test_checking_what_is_here(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot):
        weights.plans = [plan_of(present=4_000_000_000)]
        weights.steps = [progress_of(4_000_000_000, phase=Phase.CHECKING)]
        weights.waits = True
        dialog = open_dialog()
        assert dialog.status.text() == "4.0 GB of 16.0 GB · here already"
        press(qtbot, dialog.main)
        qtbot.waitUntil(lambda: "checking what is here" in dialog.status.text())

    @pytest.mark.parametrize(
        "trouble",
        [
            errors.StalledError(30),
            errors.ConnectionCutError(),
            errors.ChecksumError("model.safetensors"),
            errors.NoSpaceError(Path("/cache")),
            errors.BusyError(REPO),
        ],
        ids=lambda trouble: type(trouble).__name__,
    )
    def test_trouble_is_said_and_can_be_tried_again(
        self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot, trouble: AppError
    ):
        weights.results = [trouble, Path("/there")]
        dialog = open_dialog()
        press(qtbot, dialog.main)
        qtbot.waitUntil(lambda: dialog.model.state is DownloadState.FAILED)
        assert dialog.problem.text == str(trouble)
        with qtbot.waitSignal(dialog.ready):
            press(qtbot, dialog.main)
        assert dialog.problem.isHidden()

    def test_a_defect_is_shown_too(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot):
        weights.plans = []
        dialog = open_dialog()
        assert "failed unexpectedly (IndexError)" in dialog.problem.text

    @pytest.mark.parametrize(
        "trouble",
        [
            errors.GatedRepositoryError(REPO, "https://hub/x"),
            errors.MissingRepositoryError(REPO),
            errors.NoNetworkError("hub"),
            errors.OfflineError(REPO),
        ],
        ids=lambda trouble: type(trouble).__name__,
    )
    def test_without_a_plan(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot, trouble: AppError):
        weights.plans = [trouble, plan_of()]
        dialog = open_dialog()
        assert dialog.problem.text == str(trouble)
        assert dialog.facts.isHidden()
        assert dialog.choose.isEnabled()
        press(qtbot, dialog.main)
        qtbot.waitUntil(lambda: dialog.model.state is DownloadState.CONSENT)

    def test_the_window_closes_in_the_middle(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot):
        weights.waits = True
        dialog = open_dialog()
        press(qtbot, dialog.main)
        qtbot.waitUntil(lambda: "get" in weights.asked)
        dialog.shut_down()
        assert not [thread for thread in threading.enumerate() if thread.name == "weights"]


class TestFolder:
    def test_a_folder_instead(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot):
        dialog = open_dialog()
        with qtbot.waitSignal(dialog.ready) as ready:
            dialog.use_folder(Path("/mine"))
        assert ready.args == [Path("/mine")]
        assert dialog.result() == DownloadDialog.DialogCode.Accepted
        assert weights.asked == ["plan kame", "folder /mine"]

    def test_while_the_hub_is_still_asked(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot):
        weights.holds_plan = True
        dialog = open_dialog(wait=False)
        with qtbot.waitSignal(dialog.ready):
            dialog.use_folder(Path("/mine"))

    def test_a_wrong_one(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot):
        weights.folders = [errors.IncompleteFolderError(Path("/x"), ["config.json"])]
        dialog = open_dialog()
        dialog.use_folder(Path("/x"))
        qtbot.waitUntil(lambda: not dialog.model.busy)
        assert "has no config.json" in dialog.problem.text
        assert dialog.main.text() == "Download 16.0 GB"

    def test_is_asked_for(self, open_dialog: Open, weights: FakeWeights, qtbot: QtBot, tmp_path: Path):
        dialog = open_dialog()
        press(qtbot, dialog.choose)
        chooser = dialog.findChild(QFileDialog)
        assert chooser is not None
        with qtbot.waitSignal(dialog.ready):
            chooser.fileSelected.emit(str(tmp_path))
            chooser.reject()
        assert weights.asked[-1] == f"folder {tmp_path}"


def test_follows_the_theme(open_dialog: Open, styled: QApplication):
    dialog = open_dialog()
    assert theme.LIGHT.accent in dialog.facts.source.text()
    theme.apply_theme(styled, theme.DARK)
    assert theme.DARK.accent in dialog.facts.source.text()
    dialog.grab()


def test_with_the_real_downloader(open_dialog: Open, qtbot: QtBot, tmp_path: Path):
    with FakeHub({REPO: HubRepo(checkpoint_files())}).running() as hub:
        store = WeightStore(tmp_path / "hub")
        options = DownloadOptions(endpoint=hub.endpoint, retries=0, reserve_bytes=0)
        hub.fault(MODEL, Fault(Trouble.STALL, after=100_000))
        dialog = open_dialog(Downloader(store, options))
        assert dialog.main.text() == "Download 362.2 kB"
        press(qtbot, dialog.main)
        qtbot.waitUntil(lambda: dialog.model.present_bytes >= 100_000)
        press(qtbot, dialog.second)
        qtbot.waitUntil(lambda: dialog.model.state is DownloadState.STOPPED, timeout=1000)
        with qtbot.waitSignal(dialog.ready) as ready:
            press(qtbot, dialog.main)
        assert ready.args == [store.resolve("kame")]
        assert hub.gets(MODEL)[-1].start > 0
