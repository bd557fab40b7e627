"""A recording in the window's page."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from kame_desktop.core.errors import AppError
from kame_desktop.core.series import SERIES
from kame_desktop.ui.conversation_page import ConversationPage
from kame_desktop.ui.replay.controller import ReplayController
from kame_desktop.ui.rows import CardStatus
from tests.fakes.llm import Answer
from tests.recordings.folders import write_folder
from tests.recordings.talks import corrected_talk
from tests.ui.replay.conftest import LOCKED, OTHER, ReplayHall

END_MS = 13_050.0
WAIT_MS = 20_000


def opened(qtbot: QtBot, replay: ReplayController, folder: Path) -> ConversationPage:
    """Open it and wait until it can be played."""
    replay.open(folder)
    qtbot.waitUntil(lambda: replay.position_ms is not None and replay.bar.play.isEnabled(), timeout=WAIT_MS)
    return replay._page


def spoken(page: ConversationPage) -> str:
    turns = page.moments.shown.visible_turns
    return " ".join(word.text for turn in turns for word in turn.answer.words)


def test_it_shows_the_whole_conversation_first(qtbot: QtBot, replay: ReplayController, folder: Path) -> None:
    with qtbot.waitSignal(replay.opened, timeout=WAIT_MS):
        replay.open(folder)
    page = opened(qtbot, replay, folder)
    assert replay.bar.isVisible()
    assert "Capitals" in replay.bar.title.text()
    assert replay.bar.time.text() == "0:13 / 0:13"
    assert page.conversation.turns == [1, 2, 3]
    assert replay.position_ms == END_MS
    assert not page.moment_bar.isVisible()


def test_a_click_on_the_position_shows_that_moment(qtbot: QtBot, replay: ReplayController, folder: Path) -> None:
    page = opened(qtbot, replay, folder)
    replay.bar.slider.setValue(3_000)
    qtbot.waitUntil(lambda: page.moments.at_ms == 3_000.0, timeout=WAIT_MS)
    assert spoken(page) == "The capital of France"
    assert page.conversation.turns == [1]
    assert page.timeline.timeline.cursor_ms == 3_000.0
    assert replay.bar.time.text() == "0:03 / 0:13"


def test_a_click_on_the_timeline_goes_there(qtbot: QtBot, replay: ReplayController, folder: Path) -> None:
    page = opened(qtbot, replay, folder)
    page.timeline.timeline.moment_picked.emit(8_700.0)
    qtbot.waitUntil(lambda: page.moments.at_ms == 8_700.0, timeout=WAIT_MS)
    assert spoken(page).endswith("sixty-five or")
    assert replay.bar.slider.value() == 8_700
    assert not page.moment_bar.isVisible()


def test_space_plays_and_pauses(qtbot: QtBot, replay: ReplayController, folder: Path, window: QWidget) -> None:
    page = opened(qtbot, replay, folder)
    window.activateWindow()
    replay.bar.slider.setFocus()
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: (page.moments.at_ms or 0.0) > 300.0, timeout=WAIT_MS)
    assert replay.bar.play.accessibleName() == "Pause"
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: replay.bar.play.accessibleName() == "Play", timeout=WAIT_MS)
    held = replay.position_ms
    assert held is not None
    assert held < END_MS
    assert page.moments.at_ms == held


def test_space_belongs_to_a_button_that_has_the_focus_and_to_a_field(
    qtbot: QtBot, replay: ReplayController, folder: Path, window: QWidget
) -> None:
    opened(qtbot, replay, folder)
    replay.bar.mute.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    replay.bar.mute.setFocus()
    QTest.keyClick(window, Qt.Key.Key_Space)
    assert replay.bar.mute.isChecked()
    field = QLineEdit(window)
    field.show()
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Space)
    assert field.text() == " "
    assert replay.bar.play.accessibleName() == "Play"


def test_play_to_the_end_shows_everything_again(qtbot: QtBot, replay: ReplayController, folder: Path) -> None:
    page = opened(qtbot, replay, folder)
    replay.bar.speed.setCurrentIndex(replay.bar.speed.count() - 1)
    replay.bar.speed.activated.emit(replay.bar.speed.count() - 1)
    replay.bar.slider.setValue(12_700)
    replay.toggle()
    qtbot.waitUntil(lambda: replay.position_ms == END_MS and not page.paused, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: replay.bar.play.accessibleName() == "Play", timeout=WAIT_MS)
    assert page.conversation.turns == [1, 2, 3]
    assert "Nothing can be heard" in replay.bar.note.text()


def test_closing_leaves_an_empty_page(qtbot: QtBot, replay: ReplayController, folder: Path) -> None:
    page = opened(qtbot, replay, folder)
    replay.toggle()
    with qtbot.waitSignal(replay.closed):
        replay.bar.end.click()
    assert not replay.active
    assert not replay.bar.isVisible()
    assert page.conversation.empty
    assert not page.paused
    page.timeline.timeline.moment_picked.emit(1.0)
    replay.toggle()
    replay.close()


def test_another_recording_takes_its_place(qtbot: QtBot, replay: ReplayController, folder: Path) -> None:
    page = opened(qtbot, replay, folder)
    cut = [event for event in corrected_talk() if event.at_ms < 4_500.0]
    other = write_folder(folder.parent / "two", cut, title="Only one", complete=False)
    with qtbot.waitSignal(replay.opened, timeout=WAIT_MS):
        replay.open(other)
    opened(qtbot, replay, other)
    assert page.conversation.turns == [1]
    assert "Only one" in replay.bar.title.text()
    assert "ended in order" in replay.bar.note.text()


@pytest.mark.parametrize("broken", ["missing", "newer"])
def test_what_can_not_be_opened_says_so_and_changes_nothing(
    qtbot: QtBot, replay: ReplayController, folder: Path, broken: str
) -> None:
    page = opened(qtbot, replay, folder)
    path = folder.parent / "nowhere"
    if broken == "newer":
        path = write_folder(folder.parent / "newer", [], version=99)
    with qtbot.waitSignal(replay.failed, timeout=WAIT_MS) as failed:
        replay.open(path)
    assert failed.args is not None
    assert isinstance(failed.args[0], AppError)
    assert page.conversation.turns == [1, 2, 3]


def test_a_recording_that_goes_away_meanwhile_is_an_error(qtbot: QtBot, replay: ReplayController, folder: Path) -> None:
    shutil.rmtree(folder)
    with qtbot.waitSignal(replay.failed, timeout=WAIT_MS):
        replay.open(folder)
    assert not replay.active


# Other models ---------------------------------------------------------------------------------------------------------


def test_another_models_answers_come_beside_the_old_ones(
    qtbot: QtBot, replay: ReplayController, folder: Path, hall: ReplayHall
) -> None:
    page = opened(qtbot, replay, folder)
    before = [[card.generation for card in turn.cards] for turn in page.model.visible_turns]
    replay.reask(OTHER)
    assert replay.asking
    assert replay.bar.ask.text() == "Stop asking"
    qtbot.waitUntil(lambda: not replay.asking, timeout=WAIT_MS)
    turns = page.model.visible_turns
    for turn, old in zip(turns, before, strict=True):
        cards = turn.cards
        assert [card.generation for card in cards[: len(old)]] == old
        new = cards[len(old) :]
        assert new
        assert {card.model for card in new} == {OTHER.label}
        assert new[-1].text == "It is Lyon."
        assert new[-1].status is CardStatus.COMPLETE
        assert [card.number for card in new] == list(range(1, len(new) + 1))
        assert all(card.series == 1 for card in new)
    kept = turns[0].cards[1]
    assert kept.status is CardStatus.COMPLETE
    assert len(page._timeline_model.bars) == 5
    row = page.conversation.rows[1].oracle
    assert {generation >= SERIES for generation in row.views} == {True, False}


def test_at_an_earlier_moment_later_answers_are_not_there_yet(
    qtbot: QtBot, replay: ReplayController, folder: Path
) -> None:
    page = opened(qtbot, replay, folder)
    replay.bar.slider.setValue(4_000)
    qtbot.waitUntil(lambda: page.moments.at_ms == 4_000.0, timeout=WAIT_MS)
    replay.reask(OTHER)
    qtbot.waitUntil(lambda: not replay.asking, timeout=WAIT_MS)
    shown = page.moments.shown.visible_turns
    assert [turn.utterance for turn in shown] == [1]
    assert any(card.series == 1 for card in shown[0].cards)
    assert page.moments.at_ms == 4_000.0


def test_a_second_model_gets_a_series_of_its_own(qtbot: QtBot, replay: ReplayController, folder: Path) -> None:
    page = opened(qtbot, replay, folder)
    for _ in range(2):
        replay.reask(OTHER)
        qtbot.waitUntil(lambda: not replay.asking, timeout=WAIT_MS)
    series = [card.series for card in page.model.visible_turns[1].cards]
    assert series == sorted(series)
    assert set(series) == {0, 1, 2}


def test_asking_can_be_stopped(qtbot: QtBot, replay: ReplayController, folder: Path, hall: ReplayHall) -> None:
    hall.answer = Answer("Never.", hangs=True)
    opened(qtbot, replay, folder)
    replay.reask(OTHER)
    replay.bar.ask.click()
    assert not replay.asking
    assert replay.bar.ask.text() == "&Re-ask…"
    qtbot.waitUntil(lambda: hall.started[0].stop(5.0), timeout=WAIT_MS)


def test_what_goes_wrong_is_told(qtbot: QtBot, replay: ReplayController, folder: Path, hall: ReplayHall) -> None:
    from kame_desktop.core.errors import ErrorCategory, LlmError

    hall.answer = Answer(error=LlmError("The key was refused.", "Check it.", category=ErrorCategory.PERMANENT))
    opened(qtbot, replay, folder)
    with qtbot.waitSignal(replay.failed, timeout=WAIT_MS) as failed:
        replay.reask(OTHER)
    assert failed.args is not None
    assert failed.args[0].what == "The key was refused."
    assert not replay.asking


def test_models_without_a_key_can_not_be_chosen(qtbot: QtBot, replay: ReplayController, folder: Path) -> None:
    opened(qtbot, replay, folder)
    qtbot.waitUntil(lambda: len(replay.bar.menu.actions()) >= 3, timeout=WAIT_MS)
    actions = {action.text(): action.isEnabled() for action in replay.bar.menu.actions() if not action.isSeparator()}
    assert actions == {"Other && Co": True, LOCKED.label: False}


def test_the_window_may_close_at_any_moment(
    qtbot: QtBot, replay: ReplayController, folder: Path, hall: ReplayHall, styled: QApplication
) -> None:
    hall.answer = Answer("Never.", hangs=True)
    opened(qtbot, replay, folder)
    replay.toggle()
    replay.reask(OTHER)
    replay.shut_down()
    styled.processEvents()
    replay.shut_down()
