"""The window when much comes at once: many problems, signs that appear, answers that fail, large type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kame_desktop.core import events as ev
from kame_desktop.core.events import RecordingChanged, SessionState
from kame_desktop.ui import theme
from kame_desktop.ui.compare import CompareDialog
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.rows import CardStatus
from kame_desktop.ui.sources import Source
from kame_desktop.ui.widgets.error_bar import FEW
from tests.fakes.session import FakeServices
from tests.ui.happenings import answered, asked, failed, final, said, speaks, tick, trouble

OpenWindow = Callable[..., MainWindow]


def settle() -> None:
    for _ in range(6):
        QApplication.processEvents()


def test_a_sign_that_appears_moves_nothing(qtbot: QtBot, open_window: OpenWindow):
    window = open_window(900, 600)
    window._on_events([final(1, "Why?")])
    settle()
    top = window.page.y()
    window._on_events([RecordingChanged(at_ms=0.0, recording=True, folder="today")])
    settle()
    assert window.state_line.recording.isVisible()
    assert window.page.y() == top
    window._on_events([ev.ContextUsed(at_ms=0.0, used_ms=230_000.0, limit_ms=240_000.0, running_out=True)])
    settle()
    assert window.state_line.fresh_start.isVisible()
    assert window.page.y() == top


def test_a_recording_that_ended_by_itself_is_not_shown_as_on(open_window: OpenWindow):
    window = open_window()
    window.actions_.recording.trigger()
    assert window.actions_.recording.isChecked()
    window._on_events([RecordingChanged(at_ms=0.0, recording=False, what="The disk is full.", remedy="Make room.")])
    assert not window.actions_.recording.isChecked()
    window._on_events([RecordingChanged(at_ms=1.0, recording=True, folder="today")])
    assert window.actions_.recording.isChecked()


def test_presenter_mode_does_not_hide_that_it_is_recorded(open_window: OpenWindow):
    window = open_window()
    window.presenter.enter()
    settle()
    assert not window.state_line.isVisible()
    window._on_events([RecordingChanged(at_ms=0.0, recording=True, folder="today")])
    assert window.state_line.recording.isVisible()
    window._on_events([RecordingChanged(at_ms=0.0, recording=False, folder="today")])
    assert not window.state_line.isVisible()
    window.presenter.leave()
    assert window.state_line.isVisible()


def test_escape_ends_the_search_before_presenter_mode(qtbot: QtBot, open_window: OpenWindow):
    window = open_window()
    window._on_events([final(1, "Why is the sky blue?")])
    window.presenter.enter()
    settle()
    qtbot.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.page.search_bar.isVisible()
    qtbot.keyClick(window.page.search_bar.field, Qt.Key.Key_Escape)
    assert not window.page.search_bar.isVisible()
    assert window.presenter.on
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.presenter.on


def test_after_the_search_the_keys_belong_to_the_conversation(qtbot: QtBot, open_window: OpenWindow):
    window = open_window()
    window._on_events([final(1, "Why is the sky blue?")])
    qtbot.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(window.page.search_bar.field, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is window.conversation


def test_many_problems_in_a_low_window_are_whole_and_come_up_one_by_one(open_window: OpenWindow):
    window = open_window(760, 520)
    parts = ["llm", "stt", "microphone", "loudspeaker", "recorder"]
    what = "can't do what it should, which is explained here at some length so that it needs a second line"
    window._on_events([trouble(part, f"The part called {part} {what}.") for part in parts])
    settle()
    lines = window.error_bar.lines
    assert [part for part in parts if lines[part].isVisible()] == parts[-FEW:]
    assert window.error_bar.more.text() == "3 more problems"
    for part in parts[-FEW:]:
        assert lines[part].height() >= lines[part].heightForWidth(lines[part].width())
    lines["recorder"].close_button.click()
    assert [part for part in parts[:4] if lines[part].isVisible()] == parts[2:4]
    for part in parts[1:4]:
        lines[part].close_button.click()
    assert lines["llm"].isVisible()
    assert not window.error_bar.more.isVisible()


def test_what_failed_and_was_asked_again_is_put_away(open_window: OpenWindow):
    window = open_window()
    batch: list[ev.Event] = [final(1, "Why?")]
    for generation in range(1, 7):
        batch += [asked(generation, 1, 1), failed(generation, retry=generation < 6)]
    window._on_events(batch)
    settle()
    cell = window.conversation.rows[1].oracle
    assert [card.status for card in window.model.turns[1].cards] == [CardStatus.FAILED] * 6
    assert list(cell.views) == [5, 6]
    assert cell.earlier.text() == "4 earlier answers"
    cell.earlier.click()
    assert sorted(cell.views) == [1, 2, 3, 4, 5, 6]


def test_the_meters_are_empty_when_nothing_runs(qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
    window = open_window()
    window.begin(Source(Path("one.wav")))
    qtbot.waitUntil(lambda: bool(services.sessions))
    services.session.publish(tick(80.0, -12.0, -9.0))
    qtbot.waitUntil(lambda: window.heads.output_level.peak_fraction > 0.5)
    services.session.go(SessionState.IDLE)
    qtbot.waitUntil(lambda: not window.controller.active)
    assert window.heads.input_level.peak_fraction == window.heads.output_level.peak_fraction == 0.0


@pytest.mark.parametrize("scale", [0.75, 1.0, 2.0])
def test_controls_have_room_for_their_text(qtbot: QtBot, styled: QApplication, open_window: OpenWindow, scale: float):
    window = open_window(1280, 720)
    theme.set_font_scale(styled, scale)
    settle()
    controls = window.controls
    heights = {control.height() for control in (controls.start, controls.input, controls.engine, controls.model)}
    assert len(heights) == 1
    assert heights.pop() >= QFontMetrics(controls.start.font()).height() + 10


def test_selecting_in_the_time_line_shows_the_answer(qtbot: QtBot, open_window: OpenWindow):
    window = open_window(900, 600)
    batch: list[ev.Event] = []
    for turn in range(1, 9):
        at = 1_000.0 * turn
        batch += [final(turn, "Why is that so?", at), asked(turn, turn, 4, at)]
        batch += [
            answered(turn, "Because it is.", turn, at=at + 100),
            answered(turn, "Because it is.", turn, True, at + 500),
        ]
        batch += [speaks(turn, at + 500), *said("Because it is.", turn, utterance=turn)]
    window._on_events(batch)
    settle()
    assert window.conversation.verticalScrollBar().value() > 0
    line = window.page.timeline.timeline
    line.show_all()
    settle()
    for y in range(line.height()):
        qtbot.mouseClick(line, Qt.MouseButton.LeftButton, pos=QPoint(round(line.scale.x(1_300.0)), y))
        if window.page.selection.current is not None:
            break
    current = window.page.selection.current
    assert current is not None
    assert current.utterance == 1
    settle()
    row = window.conversation.rows[1]
    top = row.mapTo(window.conversation.viewport(), QPoint(0, 0)).y()
    assert 0 <= top < window.conversation.viewport().height()


@pytest.mark.qt_log_ignore("does not support (raise|propagateSizeHints)")
def test_a_conversation_ends_a_comparison(qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
    window = open_window()
    window.actions_.compare.emit()
    (dialog,) = window.findChildren(CompareDialog)
    dialog.start.click()
    qtbot.waitUntil(lambda: len(services.sessions) == 1)
    window.toggle()
    assert services.sessions[0].stops == 1
    qtbot.waitUntil(lambda: not dialog.runner.active)
    assert len(services.sessions) == 2
    assert window.controller.active
