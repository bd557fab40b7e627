"""The same question through several engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kame_desktop.core.errors import DeviceError
from kame_desktop.core.events import SessionState, SpokenKind
from kame_desktop.frontends.registry import EngineInfo
from kame_desktop.ui.compare import CompareDialog
from kame_desktop.ui.compare.model import Comparison, Run, RunState
from kame_desktop.ui.sources import Source
from tests.fakes.session import FakeServices
from tests.ui.happenings import asked, ended, running, said, silent, speaks, state

ENGINES = [("lite", "Tandem"), ("cascade", "Cascade")]


class TestRun:
    def test_times_count_from_the_end_of_the_question(self):
        run = Run("lite", "Tandem")
        run.take([*running(), asked(1), asked(2), ended(1, at=2_160, last_speech=2_000), speaks(at=2_230)])
        run.take(said("Well,", None, SpokenKind.OPENER, at=2_230))
        run.take([*said("it is", 1, at=2_600), *said("was", 2, at=2_900), silent(at=4_000)])
        assert (run.first_sound_ms, run.first_word_ms, run.end_ms) == (230, 600, 2_000)
        assert (run.text, run.requests, run.corrections) == ("Well, it is was", 2, 1)
        run.take([state(SessionState.IDLE)])
        assert run.state is RunState.DONE

    def test_failure_keeps_its_reason(self):
        run = Run("lite", "Tandem")
        run.take([state(SessionState.FAILED, detail="The voice is missing."), state(SessionState.IDLE)])
        assert (run.state, run.problem) == (RunState.FAILED, "The voice is missing.")


def test_comparison_goes_through_its_engines():
    comparison = Comparison(ENGINES)
    assert comparison.current is None
    assert [comparison.next() for _ in range(3)] == [*comparison.runs, None]
    comparison.runs[0].take([ended(1, 0, 0), *said("Yes.", 1, at=5_000)])
    assert comparison.span_ms == 5_300
    comparison.reset()
    assert [run.text for run in comparison.runs] == ["", ""]


class TestDialog:
    @pytest.fixture
    def services(self) -> FakeServices:
        services = FakeServices()
        services.script = [ended(1, 160, 0), speaks(at=230), *said("Paris.", 1, at=600), silent(at=900)]
        return services

    @pytest.fixture
    def dialog(self, styled: QApplication, qtbot: QtBot, services: FakeServices) -> Iterator[CompareDialog]:
        sources = [Source(Path("one.wav"), "What is it?", 1), Source(Path("two.wav"))]
        dialog = CompareDialog(services, sources, services.models[0])
        qtbot.addWidget(dialog)
        dialog.show()
        yield dialog
        dialog.close()

    def test_asks_one_after_the_other(self, qtbot: QtBot, dialog: CompareDialog, services: FakeServices):
        dialog.question.setCurrentIndex(1)
        dialog.start.click()
        qtbot.waitUntil(lambda: dialog.lanes[0].text == "Paris.")
        assert len(services.sessions) == 1
        services.session.go(SessionState.IDLE)
        qtbot.waitUntil(lambda: len(services.sessions) == 2)
        qtbot.waitUntil(lambda: dialog.lanes[1].text == "Paris.")
        services.session.go(SessionState.IDLE)
        qtbot.waitUntil(lambda: not dialog.runner.active)
        assert [session.request.engine for session in services.sessions] == ["lite", "cascade"]
        assert {session.request.wav for session in services.sessions} == {Path("two.wav")}
        assert "first sound 230 ms" in dialog.lanes[0].numbers
        assert "answer 600 ms" in dialog.lanes[1].numbers

    def test_stop_asks_nobody_else(self, qtbot: QtBot, dialog: CompareDialog, services: FakeServices):
        dialog.start.click()
        qtbot.waitUntil(lambda: dialog.lanes[0].text == "Paris.")
        dialog.start.click()
        qtbot.waitUntil(lambda: not dialog.runner.active)
        assert len(services.sessions) == 1
        assert services.session.stops == 1

    def test_an_engine_that_cannot_begin_does_not_stop_the_others(
        self, qtbot: QtBot, dialog: CompareDialog, services: FakeServices
    ):
        services.refuses = DeviceError("There is no loudspeaker.", "Plug one in.", component="loudspeaker")
        dialog.start.click()
        qtbot.waitUntil(lambda: not dialog.runner.active)
        assert [lane.text for lane in dialog.lanes] == ["There is no loudspeaker. Plug one in."] * 2

    def test_closing_ends_the_engine(self, qtbot: QtBot, dialog: CompareDialog, services: FakeServices):
        dialog.start.click()
        qtbot.waitUntil(lambda: bool(services.sessions))
        dialog.close()
        assert services.session.state is SessionState.IDLE

    def test_escape_ends_the_engine(self, qtbot: QtBot, dialog: CompareDialog, services: FakeServices):
        dialog.start.click()
        qtbot.waitUntil(lambda: bool(services.sessions))
        with qtbot.waitSignal(dialog.finished):
            qtbot.keyClick(dialog, Qt.Key.Key_Escape)
        assert services.session.state is SessionState.IDLE
        assert not dialog.runner.active

    def test_every_engine_that_there_is(self, styled: QApplication, qtbot: QtBot, services: FakeServices):
        names = ["cascade", "alone", "kame", "lite"]
        services.engines = lambda: [EngineInfo(name, name.title()) for name in names]  # type: ignore[method-assign]
        dialog = CompareDialog(services, [Source(Path("one.wav"))], services.models[0])
        qtbot.addWidget(dialog)
        assert [run.engine for run in dialog.comparison.runs] == ["lite", "alone", "cascade"]
