"""Runs the engines of a comparison one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import AppError
from kame_desktop.core.events import Event
from kame_desktop.session.services import Services, SessionRequest
from kame_desktop.ui.compare.model import Comparison, RunState
from kame_desktop.ui.controller import SessionController


class CompareRunner(QObject):
    """Owns the session of the engine that is at work. GUI thread.

    Signals:
        changed: The comparison has new things to show.
        finished: All engines have answered, or it was stopped.
    """

    changed = Signal()
    finished = Signal()

    def __init__(self, services: Services, comparison: Comparison, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._comparison = comparison
        self._controller = SessionController(services, self)
        self._wav: Path | None = None
        self._llm: LlmModel | None = None
        self._controller.events.connect(self._on_events)
        self._controller.failed.connect(self._on_failed)
        self._controller.over.connect(self._on_over)

    @property
    def active(self) -> bool:
        """An engine is at work."""
        return self._controller.active or self._wav is not None

    def start(self, wav: Path, llm: LlmModel) -> None:
        """Ask every engine this question."""
        if self.active:
            return
        self._comparison.reset()
        self._wav, self._llm = wav, llm
        self._next()

    def stop(self) -> None:
        """No further engine; the one at work ends."""
        self._wav = None
        self._comparison.stop()
        self._controller.stop()
        self.changed.emit()

    def shut_down(self) -> None:
        """End what is left; blocks for at most the time that a stop takes."""
        self._wav = None
        self._controller.shut_down()

    def _next(self) -> None:
        run = self._comparison.next() if self._wav is not None else None
        self.changed.emit()
        if run is None or self._wav is None or self._llm is None:
            self._wav = None
            self.finished.emit()
            return
        self._controller.start(SessionRequest(engine=run.engine, llm=self._llm, wav=self._wav, monitor=True))

    def _on_events(self, batch: Sequence[Event]) -> None:
        run = self._comparison.current
        if run is not None:
            run.take(batch)
            self.changed.emit()

    def _on_failed(self, error: AppError) -> None:
        run = self._comparison.current
        if run is not None:
            run.state, run.problem = RunState.FAILED, str(error)
            self.changed.emit()

    def _on_over(self) -> None:
        self._next()
