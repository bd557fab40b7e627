"""Compare: one question, several engines, one under the other."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialog, QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.session.services import Services
from kame_desktop.ui.compare.lane import Lane
from kame_desktop.ui.compare.model import Comparison
from kame_desktop.ui.compare.runner import CompareRunner
from kame_desktop.ui.icons import app_icon
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.sources import Source
from kame_desktop.ui.widgets.labels import RoleLabel

ENGINES = ("lite", "alone", "cascade")
"""In the order of the comparison: the tandem, its front end by itself, and the chain."""


class CompareDialog(QDialog):
    """Asks the same recorded question of every engine, aloud, and shows when each said what. Modeless.

    Attributes:
        runner: Runs the engines.
        comparison: What they said.
    """

    def __init__(
        self, services: Services, sources: Sequence[Source], llm: LlmModel, parent: QWidget | None = None
    ) -> None:
        """``sources``: recorded questions to choose from, at least one."""
        super().__init__(parent)
        self._llm = llm
        self._sources = [source for source in sources if source.wav is not None]
        labels = {info.name: translated(info.label) for info in services.engines()}
        self.comparison = Comparison([(name, labels[name]) for name in ENGINES if name in labels])
        self.runner = CompareRunner(services, self.comparison, self)
        self.setWindowTitle(self.tr("Compare engines"))
        self.setWindowIcon(app_icon())
        self.resize(900, 620)
        self.question = QComboBox(self)
        self.question.setAccessibleName(self.tr("Question"))
        self.question.setToolTip(self.tr("The recorded question that every engine is asked"))
        for source in self._sources:
            assert source.wav is not None
            self.question.addItem(source.question or source.wav.name)
        self.start = QPushButton(self)
        self.start.setObjectName("primary")
        self.start.clicked.connect(self._toggle)
        explanation = RoleLabel(
            self.tr("Time counts from the end of the question. Narrow: words to gain time. Red line: a correction."),
            "caption",
            "muted",
            parent=self,
        )
        explanation.setWordWrap(True)
        top = QHBoxLayout()
        label = RoleLabel(self.tr("&Question"), parent=self)
        label.setBuddy(self.question)
        top.addWidget(label)
        top.addWidget(self.question, 1)
        top.addWidget(self.start)
        self.lanes = [Lane(self) for _ in self.comparison.runs]
        page = QWidget(self)
        page.setObjectName("page")
        lanes = QVBoxLayout(page)
        lanes.setContentsMargins(0, 0, 6, 0)
        lanes.setSpacing(10)
        for lane in self.lanes:
            lanes.addWidget(lane)
        lanes.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 16)
        column.setSpacing(12)
        column.addLayout(top)
        column.addWidget(explanation)
        column.addWidget(scroll, 1)
        self.runner.changed.connect(self._show)
        self.runner.finished.connect(self._show)
        self._show()

    def _toggle(self) -> None:
        if self.runner.active:
            self.runner.stop()
            return
        wav = self._sources[self.question.currentIndex()].wav
        assert wav is not None
        self.runner.start(wav, self._llm)

    def _show(self) -> None:
        span_ms = self.comparison.span_ms
        for lane, run in zip(self.lanes, self.comparison.runs, strict=True):
            lane.show_run(run, span_ms)
        text = self.tr("&Stop") if self.runner.active else self.tr("&Ask all")
        self.start.setText(text)
        self.start.setAccessibleName(text.replace("&", ""))
        self.start.setToolTip(self.tr("Ask every engine, one after the other"))
        self.question.setEnabled(not self.runner.active)

    def done(self, result: int) -> None:
        """Closed, by whatever way: end the engine that is at work."""
        self.runner.shut_down()
        super().done(result)
