"""What the download dialog shows, as plain values and without Qt: states, facts, what can be done next."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from kame_desktop.core.errors import AppError
from kame_desktop.weights.cancel import CancelFlag
from kame_desktop.weights.errors import NoSpaceError
from kame_desktop.weights.plan import DownloadPlan, Phase, Progress


class WeightsService(Protocol):
    """``weights.download.Downloader``, or a fake of it. Every method blocks: worker threads only."""

    def plan(self, name: str, cancel: CancelFlag | None = None) -> DownloadPlan:
        """Ask the hub what a set consists of. Raises AppError."""
        ...

    def get(
        self,
        plan: DownloadPlan,
        on_progress: Callable[[Progress], None] = ...,
        cancel: CancelFlag | None = None,
    ) -> Path:
        """Fetch what is missing; the set's folder. Raises AppError."""
        ...

    def folder(self, path: Path) -> Path:
        """A folder of the user's own, if it holds a checkpoint. Raises AppError."""
        ...


class DownloadState(StrEnum):
    """Where the dialog is."""

    ASKING = "asking"
    CONSENT = "consent"
    LOOKING = "looking"
    """A folder that the user has chosen is looked at."""
    GETTING = "getting"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"
    DONE = "done"


class Action(StrEnum):
    """What the main button does."""

    DOWNLOAD = "download"
    RESUME = "resume"
    TAKE = "take"
    """All bytes are here already; they only need to be put together."""
    RETRY = "retry"
    WAIT = "wait"
    FINISH = "finish"


class DownloadModel:
    """One download from the question to the end. Owner: the GUI thread.

    Attributes:
        name: The set, as its engine is called.
        plan: What the hub says it takes; None: not asked yet.
        progress: Of the download that runs, or was stopped.
        folder: Where the weights are, once they are.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.state = DownloadState.ASKING
        self.plan: DownloadPlan | None = None
        self.progress: Progress | None = None
        self.folder: Path | None = None
        self._error: AppError | None = None

    # What happens --------------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """The hub is asked."""
        self.state = DownloadState.ASKING
        self._error = None

    def planned(self, plan: DownloadPlan) -> None:
        """The hub has answered."""
        self.plan = plan
        self.progress = None
        self.state = DownloadState.CONSENT
        self._error = None

    def begin(self) -> None:
        """The user has agreed."""
        self.state = DownloadState.GETTING
        self._error = None

    def progressed(self, progress: Progress) -> None:
        """Bytes have come."""
        self.progress = progress

    def look(self) -> None:
        """A folder is looked at instead."""
        self.state = DownloadState.LOOKING
        self._error = None

    def stop(self) -> None:
        """The user wants it to stop."""
        self.state = DownloadState.STOPPING

    def stopped(self) -> None:
        """It has stopped; what came is kept."""
        self.state = DownloadState.STOPPED if self.plan is not None else DownloadState.FAILED

    def failed(self, error: AppError) -> None:
        """It went wrong: what can still be done stays possible."""
        looked = self.state is DownloadState.LOOKING
        self._error = error
        if looked and self.plan is not None:
            self.state = DownloadState.STOPPED if self.progress is not None else DownloadState.CONSENT
        else:
            self.state = DownloadState.FAILED

    def done(self, folder: Path) -> None:
        """The weights are here."""
        self.folder = folder
        self.state = DownloadState.DONE
        self._error = None

    # What is shown -------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """A worker is at it."""
        return self.state in (
            DownloadState.ASKING,
            DownloadState.LOOKING,
            DownloadState.GETTING,
            DownloadState.STOPPING,
        )

    @property
    def problem(self) -> AppError | None:
        """What is wrong: what happened, or that there is no room."""
        if self._error is not None:
            return self._error
        plan = self.plan
        if self.state is DownloadState.CONSENT and plan is not None and not plan.fits:
            return NoSpaceError(plan.folder, plan.need_bytes, plan.free_bytes)
        return None

    @property
    def present_bytes(self) -> int:
        """What is here of the set, in bytes."""
        if self.progress is not None:
            return self.progress.done
        return self.plan.present_bytes if self.plan is not None else 0

    @property
    def left_bytes(self) -> int:
        """What has to come, in bytes."""
        return self.plan.total_bytes - self.present_bytes if self.plan is not None else 0

    @property
    def fraction(self) -> float | None:
        """How much is here, between 0 and 1; None: nothing to show yet."""
        if self.state is DownloadState.DONE:
            return 1.0
        if self.plan is None or not (self.present_bytes or self.state is DownloadState.GETTING):
            return None
        return min(1.0, self.present_bytes / self.plan.total_bytes) if self.plan.total_bytes else 1.0

    @property
    def checking(self) -> bool:
        """What an earlier try left is read once more."""
        return self.progress is not None and self.progress.phase is Phase.CHECKING

    @property
    def action(self) -> Action:
        """What the main button does."""
        if self.busy:
            return Action.WAIT
        if self.state is DownloadState.DONE:
            return Action.FINISH
        if self.state is DownloadState.FAILED or self.plan is None or not self.plan.fits:
            return Action.RETRY
        if not self.left_bytes:
            return Action.TAKE
        return Action.RESUME if self.present_bytes else Action.DOWNLOAD

    @property
    def can_stop(self) -> bool:
        """The second button stops the download; else it closes the dialog."""
        return self.state is DownloadState.GETTING

    @property
    def can_choose(self) -> bool:
        """A folder can be chosen instead."""
        return self.state in (
            DownloadState.ASKING,
            DownloadState.CONSENT,
            DownloadState.STOPPED,
            DownloadState.FAILED,
        )
