"""A page, a controller, and a composition root for both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from kame_desktop.audio.base import Loudspeaker
from kame_desktop.backend.llm.base import KeySource, LlmChoice, LlmModel
from kame_desktop.core.errors import AppError
from kame_desktop.core.events import Event
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.session.reask import LeapingClock, Reasked, Reasking, reask
from kame_desktop.ui.conversation_page import ConversationPage
from kame_desktop.ui.replay.controller import ReplayController
from tests.fakes.llm import Answer, FakeLlm
from tests.recordings.folders import two_tones, write_folder
from tests.recordings.talks import corrected_talk

OTHER = LlmModel("demo/other", "Other & Co")
LOCKED = LlmModel("demo/locked", "Locked")


class ReplayHall:
    """``ReplayServices`` whose models answer at once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.answer = Answer("It is Lyon.", first_ms=1.0, gap_ms=1.0)
        self.started: list[Reasking] = []

    def recordings(self) -> RecordingLibrary:
        return RecordingLibrary(self.root)

    def loudspeaker(self) -> Loudspeaker | None:
        return None

    def reasking(
        self,
        events: Iterable[Event],
        model: LlmModel,
        *,
        series: int,
        tell: Callable[[Sequence[Event]], None],
        done: Callable[[Reasked | AppError], None],
    ) -> Reasking:
        made = Reasking(
            lambda: FakeLlm(LeapingClock(), self.answer),
            lambda llm, told: reask(events, llm, model, series=series, tell=told),
            tell=tell,
            done=done,
        )
        self.started.append(made)
        return made

    def llm_choices(self) -> Sequence[LlmChoice]:
        return [
            LlmChoice(OTHER, "Cloud"),
            LlmChoice(LOCKED, "Cloud", KeySource.MISSING),
        ]


@pytest.fixture
def hall(tmp_path: Path) -> ReplayHall:
    return ReplayHall(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recording of 13 seconds."""
    return write_folder(tmp_path / "one", corrected_talk(), sound=two_tones(13.0))


@pytest.fixture
def window(styled: QApplication, qtbot: QtBot) -> QWidget:
    made = QWidget()
    made.setObjectName("page")
    made.resize(1_100, 720)
    QVBoxLayout(made)
    qtbot.addWidget(made)
    return made


@pytest.fixture
def replay(window: QWidget, hall: ReplayHall) -> Iterator[ReplayController]:
    """A controller in a window of its own."""
    page = ConversationPage(window)
    made = ReplayController(page, hall, window)
    layout = window.layout()
    assert layout is not None
    layout.addWidget(page)
    window.show()
    page.show_state(active=False, hint="")
    yield made
    made.shut_down()
