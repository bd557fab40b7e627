"""Moments, search, the activity drawer and presenter mode, in the window."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kame_desktop.core import events as ev
from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui import theme
from kame_desktop.ui.event_log import MOST_EVENTS, EventLog
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.search import Search
from kame_desktop.ui.view_models import ConversationModel
from kame_desktop.ui.widgets.activity_drawer import event_line
from tests.fakes.session import FakeServices
from tests.ui.happenings import answered, asked, final, heard, said, started, tick

OpenWindow = Callable[..., MainWindow]
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow, services: FakeServices) -> MainWindow:
    """A conversation whose question grows from 1 s on, and whose answer is changed at 4 s."""
    window = open_window()
    window.toggle()
    qtbot.waitUntil(lambda: window.controller.active)
    services.session.publish(
        started(1, at=1_000),
        heard(1, "how many", at=1_500),
        asked(1, words=2, at=1_500),
        answered(1, "Many.", done=True, at=1_800),
        final(1, "How many days?", at=2_500),
        asked(2, words=3, at=2_500),
        answered(2, "There are seven days.", done=True, at=3_000),
        *said("There are", 2, at=3_200),
        *said("seven days.", 2, at=4_000),
        final(2, "Thank you.", at=9_000),
        tick(10_000),
    )
    qtbot.waitUntil(lambda: window.model.now_ms == 10_000)
    return window


class TestMoments:
    def test_earlier_moment_is_shown_as_it_was(self, window: MainWindow):
        window.page.toggle_pause()
        assert window.page.paused
        assert window.page.moment_bar.isVisible()
        window.page.show_moment(1_900)
        row = window.conversation.rows[1]
        assert window.conversation.turns == [1]
        assert row.user.text == "how many"
        assert row.answer.text == ""
        assert window.page.moment_bar.text == "Paused at 0:01.9"
        window.page.show_moment(3_500)
        assert row.user.text == "How many days?"
        assert "There are" in row.answer.text
        assert "seven" not in row.answer.text

    def test_the_conversation_goes_on_meanwhile(self, qtbot: QtBot, window: MainWindow, services: FakeServices):
        window.page.toggle_pause()
        services.session.publish(final(3, "And now?", at=11_000))
        qtbot.waitUntil(lambda: 3 in window.model.turns)
        assert window.conversation.turns == [1, 2]
        window.page.moment_bar.live.click()
        assert window.conversation.turns == [1, 2, 3]
        assert not window.page.moment_bar.isVisible()
        assert window.page.timeline.timeline.following

    def test_by_keys(self, qtbot: QtBot, window: MainWindow):
        qtbot.keyClick(window, Qt.Key.Key_P)
        qtbot.keyClick(window, Qt.Key.Key_Left, CONTROL)
        assert window.page.moments.at_ms == 9_000
        qtbot.keyClick(window, Qt.Key.Key_Left, CONTROL | SHIFT)
        assert window.page.moments.at_ms == 8_920
        assert window.conversation.turns == [1]
        qtbot.keyClick(window, Qt.Key.Key_P)
        assert not window.page.paused

    def test_a_click_on_the_timeline_scrubs_only_while_paused(self, qtbot: QtBot, window: MainWindow):
        timeline = window.page.timeline.timeline
        timeline.show_all()
        where = QPoint(int(timeline.scale.x(2_000)), 5)
        qtbot.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=where)
        assert not window.page.paused
        window.page.toggle_pause()
        qtbot.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=where)
        assert window.page.moments.at_ms == pytest.approx(2_000, abs=50)
        assert timeline.cursor_ms == window.page.moments.at_ms

    def test_a_new_conversation_is_live(self, qtbot: QtBot, window: MainWindow, services: FakeServices):
        window.page.toggle_pause()
        window.controller.stop()
        qtbot.waitUntil(lambda: not window.controller.active)
        window.toggle()
        qtbot.waitUntil(lambda: len(services.sessions) == 2)
        assert not window.page.paused
        assert window.conversation.empty


class TestSearch:
    def test_finds_and_steps(self, qtbot: QtBot, window: MainWindow):
        qtbot.keyClick(window, Qt.Key.Key_F, CONTROL)
        bar = window.page.search_bar
        assert bar.isVisible()
        qtbot.keyClicks(bar.field, "A")
        assert bar.count.text() == "turn 2 of 2"
        qtbot.keyClick(bar.field, Qt.Key.Key_Return)
        assert bar.count.text() == "turn 1 of 2"
        qtbot.keyClicks(bar.field, "zebra")
        assert bar.count.text() == "nothing found"
        qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
        assert not bar.isVisible()

    def test_marks_the_letters(self, qtbot: QtBot, window: MainWindow):
        answer = window.conversation.rows[1].answer
        plain = answer.grab().toImage()
        window.page.search_bar.wanted.emit("SEVEN")
        found = answer.grab().toImage()
        assert found != plain
        window.page.search_bar.close_search()
        assert answer.grab().toImage() == plain

    def test_what_is_found(self):
        model = ConversationModel()
        model.apply([final(1, "Why?"), *said("Because.", None), asked(7, 2), answered(7, "Why not", 2), final(2, "X")])
        search = Search()
        search.begin(model.turns.values(), "why")
        assert (search.found, search.current, search.place) == ([1, 2], 2, 2)
        search.step(1)
        assert search.current == 1
        search.begin(model.turns.values(), "because.")
        assert search.found == [1]
        search.begin(model.turns.values(), "  ")
        assert (search.found, search.current) == ([], None)


class TestActivity:
    def test_shows_events_while_it_is_open(self, qtbot: QtBot, window: MainWindow, services: FakeServices):
        window.actions_.activity.trigger()
        assert window.activity.isVisible()
        services.session.publish(final(3, "And now?", at=61_000), tick(61_500))
        qtbot.waitUntil(lambda: "SttFinal" in window.activity.lines.toPlainText())
        assert "1:01.00" in window.activity.lines.toPlainText()
        assert "FrameTiming" not in window.activity.lines.toPlainText()
        window.activity.close()
        assert not window.actions_.activity.isChecked()

    def test_line(self):
        line = event_line(asked(3, words=2, at=1_234))
        assert line.split() == [
            "0:01.23",
            "OracleRequested",
            "generation=3",
            "utterance=1",
            "model=m",
            "prompt_tokens=10",
            "because=words_changed",
            "heard_words=2",
        ]


class TestPresenter:
    def test_there_and_back(self, qtbot: QtBot, styled: QApplication, window: MainWindow):
        size, shown = styled.font().pointSizeF(), theme.current()
        qtbot.keyClick(window, Qt.Key.Key_F11)
        assert window.isFullScreen()
        assert not window.controls.isVisible()
        assert not window.foot.isVisible()
        assert window.conversation.isVisible()
        assert window.page.timeline.isVisible()
        assert styled.font().pointSizeF() == pytest.approx(1.5 * size, rel=0.05)
        assert theme.current() is theme.HIGH_LIGHT
        qtbot.keyClick(window, Qt.Key.Key_Escape)
        assert not window.isFullScreen()
        assert window.controls.isVisible()
        assert styled.font().pointSizeF() == pytest.approx(size)
        assert theme.current() is shown

    def test_pause_works_in_it(self, qtbot: QtBot, window: MainWindow):
        window.presenter.enter()
        qtbot.keyClick(window, Qt.Key.Key_P)
        assert window.page.moment_bar.isVisible()
        window.presenter.leave()

    def test_words_grow_with_the_font(self, qtbot: QtBot, window: MainWindow):
        before = window.conversation.rows[1].user.height()
        window.presenter.enter()
        qtbot.waitUntil(lambda: window.conversation.rows[1].user.height() > 1.2 * before)
        window.presenter.leave()
        qtbot.waitUntil(lambda: window.conversation.rows[1].user.height() == before)


class TestLayout:
    def test_survives_a_restart(self, qtbot: QtBot, open_window: OpenWindow, store: SettingsStore):
        window = open_window()
        window.resize(780, 641)
        window.actions_.timeline.trigger()
        window.actions_.changes.trigger()
        window.close()
        again = MainWindow(FakeServices(), SettingsStore(store._path))
        again._store.load()
        third = MainWindow(FakeServices(), again._store)
        qtbot.addWidget(again)
        qtbot.addWidget(third)
        assert (third.width(), third.height()) == (780, 641)
        assert not third.actions_.timeline.isChecked()
        assert not third.actions_.changes.isChecked()

    def test_text_size_by_keys(self, qtbot: QtBot, styled: QApplication, window: MainWindow, store: SettingsStore):
        size = styled.font().pointSizeF()
        qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
        assert styled.font().pointSizeF() > size
        assert SettingsStore(store._path).load().appearance.font_scale == pytest.approx(1.1)
        qtbot.keyClick(window, Qt.Key.Key_0, CONTROL)
        assert styled.font().pointSizeF() == pytest.approx(size)


class TestEventLog:
    def test_between(self):
        log = EventLog()
        log.append([final(1, "a", at=100), tick(150), final(2, "b", at=200), final(3, "c", at=180)])
        assert [event.at_ms for event in log.between(100, 180)] == [100, 180]
        assert [event.at_ms for event in log.between(0, 999)] == [100, 180, 200]

    def test_is_bounded(self):
        log = EventLog()
        log.append([ev.FreshStart(at_ms=float(place)) for place in range(MOST_EVENTS + 1)])
        assert len(log) < MOST_EVENTS
        assert log.between(MOST_EVENTS, MOST_EVENTS)
