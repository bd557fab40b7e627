"""The timeline under mouse and keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kame_desktop.core import events as ev
from kame_desktop.ui import theme
from kame_desktop.ui.rows import Phase
from kame_desktop.ui.selection import Selection, SelectionModel
from kame_desktop.ui.timeline_model import TimelineModel
from kame_desktop.ui.widgets.timeline import Timeline
from kame_desktop.ui.widgets.timeline_panel import TimelinePanel
from tests.ui.happenings import answered, asked, said, speaks, started


def peaks(frame: int, heard: float, spoken: float = 0.0) -> ev.AudioPeaks:
    return ev.AudioPeaks(at_ms=(frame + 1) * 80.0, frame=frame, heard=(heard,) * 4, spoken=(spoken,) * 4)


@pytest.fixture
def timeline(styled: QApplication, qtbot: QtBot) -> Iterator[Timeline]:
    """60 s with one turn at 10 s; 1,000 pixels wide."""
    model, selection = TimelineModel(), SelectionModel()
    panel = TimelinePanel(model, selection)
    qtbot.addWidget(panel)
    model.apply([peaks(frame, 0.8 if 125 <= frame < 150 else 0.0) for frame in range(750)])
    model.apply([started(1, at=10_000), asked(1, at=10_800), answered(1, "Paris.", done=True, at=11_600)])
    model.apply([speaks(at=12_000), *said("Paris.", 1, at=12_000)])
    panel.resize(1_100, panel.sizeHint().height())
    panel.show()
    qtbot.waitExposed(panel)
    timeline = panel.timeline
    timeline.scale.ms_per_px = 10.0
    timeline.follow()
    yield timeline
    panel.close()


def look_at(timeline: Timeline, ms: float) -> None:
    """Put a time in the middle."""
    timeline._follow(False)
    timeline._show_from(ms - timeline.width() / 2 * timeline.scale.ms_per_px)


def picture(timeline: Timeline) -> QImage:
    return timeline.grab().toImage()


def wheel(timeline: Timeline, x: float, turned: int, *, shift: bool = False) -> None:
    where = QPointF(x, 20)
    modifiers = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(
        timeline,
        QWheelEvent(
            where,
            timeline.mapToGlobal(where),
            QPoint(),
            QPoint(0, turned),
            Qt.MouseButton.NoButton,
            modifiers,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        ),
    )


def test_follows_the_newest(timeline: Timeline):
    assert timeline.following
    assert timeline.scale.ms(0) < 60_000 < timeline.scale.end_ms
    since = timeline._model.apply([peaks(frame, 0.5) for frame in range(750, 800)])
    timeline.show_change(since)
    assert timeline.scale.ms(0) < 64_000 < timeline.scale.end_ms


def test_panned_away_it_stays(qtbot: QtBot, timeline: Timeline):
    with qtbot.waitSignal(timeline.following_changed):
        qtbot.keyClick(timeline, Qt.Key.Key_Left)
    kept = timeline.scale.start_ms
    timeline.show_change(timeline._model.apply([peaks(900, 0.5)]))
    assert timeline.scale.start_ms == kept
    qtbot.keyClick(timeline, Qt.Key.Key_End)
    assert timeline.following


def test_wheel_zooms_around_the_pointer_and_pans_with_shift(timeline: Timeline):
    look_at(timeline, 30_000)
    under = timeline.scale.ms(300)
    wheel(timeline, 300, 240)
    assert timeline.scale.ms_per_px == pytest.approx(10 / 1.25**2)
    assert timeline.scale.ms(300) == pytest.approx(under)
    before = timeline.scale.start_ms
    wheel(timeline, 300, -120, shift=True)
    assert timeline.scale.start_ms > before


def test_all_shows_beginning_and_end(qtbot: QtBot, timeline: Timeline):
    qtbot.keyClick(timeline, Qt.Key.Key_0)
    assert timeline.scale.start_ms <= 0
    assert timeline.scale.end_ms >= 60_000


def test_dragging_pans(qtbot: QtBot, timeline: Timeline):
    look_at(timeline, 30_000)
    before = timeline.scale.start_ms
    qtbot.mousePress(timeline, Qt.MouseButton.LeftButton, pos=QPoint(500, 30))
    for x in (480, 440, 400):
        qtbot.mouseMove(timeline, QPoint(x, 30))
    qtbot.mouseRelease(timeline, Qt.MouseButton.LeftButton, pos=QPoint(400, 30))
    assert timeline.scale.start_ms == pytest.approx(before + 1_000, abs=50)


def test_click_selects_and_tells_the_moment(qtbot: QtBot, timeline: Timeline):
    look_at(timeline, 11_000)
    where = QPoint(int(timeline.scale.x(11_000)), timeline.rows().lanes + 5)
    with qtbot.waitSignal(timeline.moment_picked) as moment:
        qtbot.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=where)
    assert moment.args is not None
    assert moment.args[0] == pytest.approx(11_000, abs=20)
    assert timeline._selection.current == Selection(1, 1)
    qtbot.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=QPoint(5, timeline.rows().lanes + 5))
    assert timeline._selection.current is None


def test_word_of_the_selected_answer_is_marked(timeline: Timeline):
    look_at(timeline, 12_000)
    plain = picture(timeline)
    timeline._selection.select(1, 1)
    assert picture(timeline) != plain


def test_waveform_is_where_the_sound_was(timeline: Timeline):
    look_at(timeline, 11_000)
    image = picture(timeline)
    listening = QColor(theme.current().phases[Phase.LISTENING])
    y = timeline.rows().user + 6  # well off the middle line
    loud, quiet = int(timeline.scale.x(11_000)), int(timeline.scale.x(13_500))
    assert image.pixelColor(loud, y) == listening
    assert image.pixelColor(quiet, y) != listening


def on_screen(timeline: Timeline) -> QImage:
    """What was painted so far, without painting anything anew."""
    QApplication.processEvents()
    window = timeline.window()
    screen = window.screen()
    assert screen is not None
    origin = timeline.mapTo(window, QPoint(0, 0))
    return screen.grabWindow(window.winId(), origin.x(), origin.y(), timeline.width(), timeline.height()).toImage()


def test_scrolled_picture_equals_one_painted_anew(timeline: Timeline):
    timeline.clearFocus()
    for frame in range(750, 800):
        batch = [peaks(frame, 0.3, 0.6), *said("and so on", 1, at=frame * 80.0)]
        timeline.show_change(timeline._model.apply(batch))
        QApplication.processEvents()
    scrolled = on_screen(timeline)
    timeline.update()
    assert on_screen(timeline) == scrolled


@pytest.mark.parametrize("shown", [theme.LIGHT, theme.DARK], ids=lambda one: one.name)
def test_every_zoom_paints(styled: QApplication, timeline: Timeline, shown: theme.Theme):
    theme.apply_theme(styled, shown)
    pictures = []
    for ms_per_px in (0.5, 2.0, 10.0, 100.0, 1_000.0, 8_000.0):
        timeline.scale.ms_per_px = ms_per_px
        look_at(timeline, 12_000)
        pictures.append(picture(timeline))
    assert len({image.cacheKey() for image in pictures}) == len(pictures)
