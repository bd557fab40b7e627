"""What the download dialog shows and offers, without Qt."""

from __future__ import annotations

from pathlib import Path

from kame_desktop.ui.download_model import Action, DownloadModel, DownloadState
from kame_desktop.weights import errors
from tests.ui.weights_plans import TOTAL, plan_of, progress_of


class TestModel:
    def test_asks_before_it_downloads(self):
        model = DownloadModel("kame")
        assert (model.state, model.action, model.busy) == (DownloadState.ASKING, Action.WAIT, True)
        model.planned(plan_of())
        assert (model.state, model.action, model.busy) == (DownloadState.CONSENT, Action.DOWNLOAD, False)
        assert model.fraction is None
        assert model.left_bytes == TOTAL

    def test_downloads(self):
        model = DownloadModel("kame")
        model.planned(plan_of())
        model.begin()
        assert (model.action, model.can_stop, model.can_choose, model.fraction) == (Action.WAIT, True, False, 0.0)
        model.progressed(progress_of(TOTAL // 4, 1e6))
        assert model.fraction == 0.25
        model.done(Path("/there"))
        assert (model.state, model.action, model.fraction) == (DownloadState.DONE, Action.FINISH, 1.0)
        assert model.folder == Path("/there")

    def test_stop_and_resume(self):
        model = DownloadModel("kame")
        model.planned(plan_of())
        model.begin()
        model.progressed(progress_of(TOTAL // 4))
        model.stop()
        assert (model.busy, model.can_stop) == (True, False)
        model.stopped()
        assert (model.action, model.can_choose, model.fraction) == (Action.RESUME, True, 0.25)
        assert model.left_bytes == TOTAL * 3 // 4

    def test_what_an_earlier_try_left(self):
        model = DownloadModel("kame")
        model.planned(plan_of(present=TOTAL // 2))
        assert (model.action, model.fraction) == (Action.RESUME, 0.5)
        model.planned(plan_of(present=TOTAL))
        assert model.action is Action.TAKE

    def test_no_room(self):
        model = DownloadModel("kame")
        model.planned(plan_of(free=1000))
        assert isinstance(model.problem, errors.NoSpaceError)
        assert (model.action, model.can_choose) == (Action.RETRY, True)

    def test_a_failure_can_be_tried_again(self):
        model = DownloadModel("kame")
        model.failed(errors.NoNetworkError("hub"))
        assert (model.action, model.can_choose) == (Action.RETRY, True)
        model.ask()
        assert model.problem is None
        model.stopped()
        assert (model.state, model.action) == (DownloadState.FAILED, Action.RETRY)

    def test_a_wrong_folder_takes_nothing_away(self):
        model = DownloadModel("kame")
        model.planned(plan_of())
        model.look()
        assert model.busy
        model.failed(errors.IncompleteFolderError(Path("/x"), ["config.json"]))
        assert (model.state, model.action) == (DownloadState.CONSENT, Action.DOWNLOAD)
        assert isinstance(model.problem, errors.IncompleteFolderError)
        model.begin()
        model.progressed(progress_of(5))
        model.stopped()
        model.look()
        model.failed(errors.IncompleteFolderError(Path("/x"), ["config.json"]))
        assert model.state is DownloadState.STOPPED
