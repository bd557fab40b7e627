"""Check my system, and the line that says that something crashed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest
from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from kame_desktop.core import crash
from kame_desktop.core.checks import Check, CheckState
from kame_desktop.core.crash import CrashLog, CrashReport
from kame_desktop.core.errors import AppError
from kame_desktop.core.last_run import LastRun
from kame_desktop.ui import theme
from kame_desktop.ui.crash_notice import CrashBar, CrashWatch
from kame_desktop.ui.doctor_dialog import DoctorDialog, FoundCheck

PATIENCE_S = 10.0
FINE: FoundCheck = ("Computer", Check("memory", CheckState.OK, "Enough."))
NOTE: FoundCheck = ("Computer", Check("disk", CheckState.WARN, "Little.", "Free some space."))
BAD: FoundCheck = ("Sound", Check("microphones", CheckState.FAIL, "No microphone was found.", "Plug one in."))


class Doctor:
    """Finds what it is told to. ``gate``: held, the last finding waits."""

    def __init__(self, *found: FoundCheck) -> None:
        self.found = list(found)
        self.sound: list[bool] = []
        self.error: Exception | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.asked: list[Sequence[FoundCheck]] = []

    def check_system(self, found: Callable[[str, Check], None], *, sound: bool) -> Sequence[FoundCheck]:
        self.sound.append(sound)
        if self.error is not None:
            raise self.error
        for number, one in enumerate(self.found):
            if number == len(self.found) - 1:
                assert self.gate.wait(PATIENCE_S)
            found(*one)
        return self.found

    def diagnostics(self, checks: Sequence[FoundCheck] = ()) -> str:
        self.asked.append(checks)
        if self.error is not None:
            raise self.error
        return f"diagnostics of {len(checks)}"


Open = Callable[..., DoctorDialog]


@pytest.fixture
def open_dialog(styled: QApplication, qtbot: QtBot) -> Iterator[Open]:
    opened: list[tuple[DoctorDialog, Doctor]] = []

    def make(doctor: Doctor, *, free: bool = True, wait: bool = True, width: int = 720) -> DoctorDialog:
        dialog = DoctorDialog(doctor, lambda: free)
        opened.append((dialog, doctor))
        dialog.resize(width, 500)
        with qtbot.waitExposed(dialog):
            dialog.show()
        if wait:
            qtbot.waitUntil(lambda: dialog.idle)
        return dialog

    yield make
    for dialog, doctor in opened:
        doctor.gate.set()
        dialog.close()
        dialog.deleteLater()
    styled.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def words(dialog: DoctorDialog) -> list[str]:
    return [row.word.text() for row in dialog.rows]


@pytest.mark.parametrize(
    ("found", "summary"),
    [
        ([FINE], "All 1 checks are fine."),
        ([FINE, NOTE], "No problem was found; 1 of 2 checks have a note."),
        ([FINE, NOTE, BAD], "1 of 3 checks found a problem."),
    ],
)
def test_each_finding_has_a_word_and_the_whole_a_sentence(
    open_dialog: Open, found: list[FoundCheck], summary: str
) -> None:
    dialog = open_dialog(Doctor(*found))
    assert words(dialog) == ["OK", "Note", "Problem"][: len(found)]
    assert dialog.summary.text == summary
    assert dialog.rows[-1].accessibleName().startswith(("OK", "Note", "Problem"))
    shown = {label.text() for label in dialog.findChildren(QLabel)}
    assert {found[-1][0], found[-1][1].what} <= shown


def test_findings_are_shown_as_they_come_and_nothing_can_be_begun_meanwhile(qtbot: QtBot, open_dialog: Open) -> None:
    doctor = Doctor(FINE, BAD)
    doctor.gate.clear()
    dialog = open_dialog(doctor, wait=False)
    qtbot.waitUntil(lambda: len(dialog.rows) == 1)
    assert not dialog.again.isEnabled()
    assert not dialog.copy.isEnabled()
    assert dialog.spinner.isVisible()
    dialog.begin()
    doctor.gate.set()
    qtbot.waitUntil(lambda: dialog.idle)
    assert words(dialog) == ["OK", "Problem"]
    assert len(doctor.sound) == 1
    assert not dialog.spinner.isVisible()


def test_it_looks_again_when_it_is_told_to(qtbot: QtBot, open_dialog: Open) -> None:
    doctor = Doctor(FINE, BAD)
    dialog = open_dialog(doctor)
    doctor.found = [FINE]
    dialog.again.click()
    qtbot.waitUntil(lambda: dialog.idle)
    assert words(dialog) == ["OK"]
    assert dialog.found == [FINE]


def test_the_sound_is_left_alone_while_a_conversation_runs(open_dialog: Open) -> None:
    doctor = Doctor(FINE)
    dialog = open_dialog(doctor, free=False)
    assert doctor.sound == [False]
    assert "conversation" in dialog.summary.text


def test_what_was_found_is_copied(qtbot: QtBot, open_dialog: Open) -> None:
    doctor = Doctor(FINE, NOTE)
    dialog = open_dialog(doctor)
    dialog.copy.click()
    qtbot.waitUntil(lambda: dialog.idle and dialog.copy.isEnabled())
    assert QGuiApplication.clipboard().text() == "diagnostics of 2"
    assert doctor.asked == [[FINE, NOTE]]


def test_a_check_that_fails_as_a_whole_is_said_and_can_be_tried_again(qtbot: QtBot, open_dialog: Open) -> None:
    doctor = Doctor(FINE)
    doctor.error = AppError("It broke.", "Try again.")
    dialog = open_dialog(doctor)
    assert dialog.summary.text == "It broke. Try again."
    dialog.copy.click()
    qtbot.waitUntil(lambda: dialog.idle)
    doctor.error = None
    dialog.again.click()
    qtbot.waitUntil(lambda: dialog.idle)
    assert words(dialog) == ["OK"]


def test_closing_it_in_the_middle_drops_the_rest(qtbot: QtBot, open_dialog: Open) -> None:
    doctor = Doctor(FINE, BAD)
    doctor.gate.clear()
    dialog = open_dialog(doctor, wait=False)
    qtbot.waitUntil(lambda: len(dialog.rows) == 1)
    dialog.close()
    doctor.gate.set()
    assert dialog.idle
    assert len(dialog.rows) == 1


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_nothing_is_cut_off(styled: QApplication, open_dialog: Open, scale: float) -> None:
    theme.set_font_scale(styled, scale)
    long = Check("a thing of a long name", CheckState.FAIL, "A long sentence. " * 12, "A long remedy. " * 12)
    dialog = open_dialog(Doctor(FINE, ("Sound", long)), width=480)
    theme.apply_theme(styled, theme.DARK)
    styled.processEvents()
    for label in dialog.rows[1].findChildren(QLabel):
        if label.wordWrap() and label.isVisible():
            assert label.height() >= label.heightForWidth(label.width())
    assert dialog.rows[0].word.fontMetrics().horizontalAdvance("Problem") <= dialog.rows[0].word.width()


# Crashes ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def bar(styled: QApplication, qtbot: QtBot) -> Iterator[tuple[CrashBar, Doctor]]:
    doctor = Doctor()
    made = CrashBar(doctor)
    qtbot.addWidget(made)
    yield made, doctor
    made.close_down()


def report(where: str = "frame") -> CrashReport:
    return CrashReport("t", where, "ValueError", "")


def test_a_crash_is_said_counted_and_put_away(bar: tuple[CrashBar, Doctor]) -> None:
    shown, _ = bar
    assert not shown.isVisible()
    shown.show_crash(report())
    shown.show_crash(report("asyncio loop"))
    assert shown.isVisible()
    assert shown.line is not None
    assert "ValueError in asyncio loop" in shown.line.text
    assert "2 times" in shown.line.text
    shown.line.close_button.click()
    assert not shown.isVisible()
    shown.show_crash(report())
    assert shown.line is not None
    assert "times" not in shown.line.text


@pytest.mark.parametrize(("stack", "says"), [("Fatal Python error", "it crashed"), ("", "ended from outside")])
def test_the_last_runs_end_is_said(bar: tuple[CrashBar, Doctor], stack: str, says: str) -> None:
    bar[0].show_last_run(LastRun("t", "1", stack))
    assert bar[0].line is not None
    assert "ended unexpectedly" in bar[0].line.text
    assert says in bar[0].line.text


def test_the_diagnostics_are_copied_from_the_line(qtbot: QtBot, bar: tuple[CrashBar, Doctor]) -> None:
    shown, doctor = bar
    shown.show_crash(report())
    line = shown.line
    assert line is not None
    doctor.error = AppError("No.")
    line.copy.click()
    qtbot.waitUntil(lambda: shown.idle)
    assert line.copy.isEnabled()
    doctor.error = None
    line.copy.click()
    qtbot.waitUntil(lambda: shown.idle)
    assert line.copy.text() == "Copied"
    assert QGuiApplication.clipboard().text() == "diagnostics of 0"


@pytest.mark.logs_errors
def test_a_crash_of_any_thread_reaches_the_window(styled: QApplication, qtbot: QtBot) -> None:
    log, told = CrashLog(), []
    watch = CrashWatch(log)
    watch.crashed.connect(lambda one: told.append((one, threading.current_thread())))
    thread = threading.Thread(target=log.add, args=(ValueError("words"), "frame"))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: len(told) == 1)
    assert told[0][0].where == "frame"
    assert told[0][1] is threading.main_thread()
    watch.close()
    watch.close()
    log.add(ValueError("words"), "other")
    styled.processEvents()
    assert len(told) == 1


class Button(QObject):
    pressed = Signal(str)


@pytest.mark.logs_errors
def test_an_error_in_a_slot_is_a_crash(
    styled: QApplication, qtbot: QtBot, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    log, button = CrashLog(), Button()
    before = sys.excepthook
    put_back = crash.install(log)

    def slot(words: str) -> None:
        raise ValueError(words)

    button.pressed.connect(slot)
    try:
        button.pressed.emit("words of the user")
    finally:
        put_back()
    assert sys.excepthook is before
    (one,) = log.reports
    assert one.kind == "ValueError"
    assert "in slot" in one.stack
    out, err = capfd.readouterr()
    assert "words of the user" not in f"{one}{caplog.text}{out}{err}"
