"""A long conversation: what is in sight stays where it is, and only that costs anything."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kame_desktop.core.events import Event
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.selection import Selection
from tests.ui.happenings import answered, asked, failed, final, said

OpenWindow = Callable[..., MainWindow]
TURNS = 300


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow) -> MainWindow:
    """300 turns of different heights."""
    window = open_window()
    events: list[Event] = []
    for utterance in range(1, TURNS + 1):
        events += [
            final(utterance, "why is that so " * (1 + utterance % 7)),
            asked(2 * utterance, utterance, 2),
            answered(2 * utterance, "No.", utterance),
            failed(2 * utterance, superseded=True),
            asked(2 * utterance + 1, utterance, 4),
            answered(2 * utterance + 1, "Because it is " * (1 + utterance % 3), utterance, done=True),
            *said("Because it is.", 2 * utterance + 1, utterance=utterance),
        ]
    window._on_events(events)
    settle()
    return window


def settle() -> None:
    for _ in range(6):
        QApplication.processEvents()


def in_sight(window: MainWindow) -> dict[int, int]:
    """Rows that can be seen, and where their tops are in the viewport."""
    view = window.conversation
    height = view.viewport().height()
    tops = {utterance: row.mapTo(view.viewport(), QPoint(0, 0)).y() for utterance, row in view.rows.items()}
    return {one: top for one, top in sorted(tops.items()) if top < height and top + view.rows[one].height() > 0}


def test_only_what_is_near_is_a_widget(window: MainWindow):
    assert len(window.conversation.turns) == TURNS
    assert TURNS in window.conversation.rows
    assert len(window.conversation.rows) < 40
    window.conversation.verticalScrollBar().setValue(0)
    settle()
    assert 1 in window.conversation.rows
    assert len(window.conversation.rows) < 60


def test_no_gaps_and_no_overlaps_anywhere(window: MainWindow):
    bar = window.conversation.verticalScrollBar()
    for place in (0.0, 0.21, 0.5, 0.73, 1.0):
        bar.setValue(int(place * bar.maximum()))
        settle()
        rows = window.conversation.rows
        seen = list(in_sight(window))
        assert seen == list(range(seen[0], seen[-1] + 1))
        for upper, lower in itertools.pairwise(seen):
            assert rows[upper].geometry().bottom() + 1 == rows[lower].y()
            assert rows[upper].height() == rows[upper].sizeHint().height()


def test_scrolling_back_through_unknown_heights_jumps_nowhere(window: MainWindow):
    bar = window.conversation.verticalScrollBar()
    for _ in range(30):
        before = in_sight(window)
        bar.setValue(bar.value() - 60)
        settle()
        after = in_sight(window)
        both = before.keys() & after.keys()
        assert both
        assert {after[one] - before[one] for one in both} == {60}


def test_new_words_do_not_move_what_is_read(window: MainWindow):
    bar = window.conversation.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    settle()
    before = in_sight(window)
    window._on_events([final(TURNS + 1, "One more?"), *said("Yes. " * 50, None, utterance=TURNS)])
    settle()
    assert in_sight(window) == before
    window.conversation.follow()
    settle()
    assert TURNS + 1 in in_sight(window)


def test_reveal(window: MainWindow):
    for utterance in (7, 250, 120, 1, TURNS):
        window.conversation.reveal(utterance)
        settle()
        assert utterance in in_sight(window)


def test_narrower_window_measures_anew(window: MainWindow):
    window.conversation.reveal(140)
    settle()
    window.resize(760, 560)
    settle()
    rows, page = window.conversation.rows, window.conversation.widget()
    assert page is not None
    for utterance in in_sight(window):
        assert rows[utterance].height() == rows[utterance].sizeHint().height()
        assert rows[utterance].width() == page.width()


def test_what_the_user_unfolded_stays_unfolded(qtbot: QtBot, window: MainWindow):
    row = window.conversation.rows[TURNS]
    card = row.oracle.views[2 * TURNS]
    qtbot.mouseClick(card, Qt.MouseButton.LeftButton, pos=QPoint(30, 8))
    assert not card.folded
    window.conversation.verticalScrollBar().setValue(0)
    settle()
    window.conversation.follow()
    settle()
    assert window.conversation.rows[TURNS] is row
    assert not card.folded


def test_selection_ties_the_columns_together(qtbot: QtBot, window: MainWindow):
    row = window.conversation.rows[TURNS]
    generation = 2 * TURNS + 1
    row.oracle.views[generation].picked.emit()
    assert window.page.selection.current == Selection(TURNS, generation)
    assert [run.text for run in row.user.runs if run.marked] == ["why is that so"]
    assert [run.text for run in row.answer.runs if run.marked] == ["Because it is."]
    window.page.selection.select(TURNS, 2 * TURNS)
    assert [run.text for run in row.user.runs if run.marked] == ["why is"]
    assert not [run for run in row.answer.runs if run.marked]
    window.page.selection.clear()
    assert not [run for run in row.user.runs if run.marked]


def test_click_on_a_spoken_word_selects_its_answer(qtbot: QtBot, window: MainWindow):
    answer = window.conversation.rows[TURNS].answer
    qtbot.mouseClick(answer, Qt.MouseButton.LeftButton, pos=QPoint(60, 10))
    assert window.page.selection.current == Selection(TURNS, 2 * TURNS + 1)


def test_changes_are_marked_and_can_be_hidden(window: MainWindow):
    window._on_events([asked(9_000, TURNS, 4), answered(9_000, "Because it was that way.", TURNS, done=True)])
    card = window.conversation.rows[TURNS].oracle.views[9_000]
    looks = {run.text: (run.strike, run.underline) for run in card._text.runs if run.text.strip()}
    assert looks["was that way."] == (False, True)
    window.conversation.mark_changes(False)
    assert [run.text for run in card._text.runs] == ["Because it was that way."]
