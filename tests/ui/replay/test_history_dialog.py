"""The list of recordings."""

from __future__ import annotations

import datetime as dt
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from kame_desktop.core.events import Event, SessionState, SttFinal
from kame_desktop.core.settings import SettingsStore
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.ui.history_dialog import HistoryDialog
from kame_desktop.ui.replay.history_model import DATE, LENGTH, SIZE, TITLE
from tests.recordings.folders import write_folder
from tests.recordings.talks import corrected_talk, state

WAIT_MS = 20_000
NOW = dt.datetime.now(dt.UTC)
DAYS = {"Capitals": 1, "Leap years": 3, "Poems": 40}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three recordings, 1, 3 and 40 days old; only the second one's words hold "leap"."""
    made = tmp_path / "recordings"
    for number, (title, days) in enumerate(DAYS.items()):
        words = "How many days are there in a leap year?" if number == 1 else "Who wrote it?"
        events: list[Event] = [SttFinal(at_ms=100.0, utterance=1, text=words), state(500.0, SessionState.IDLE)]
        write_folder(
            made / f"r{number}",
            events,
            title=title,
            started=NOW - dt.timedelta(days=days),
            duration_ms=60_000.0 * (number + 1),
        )
    return made


@pytest.fixture
def dialog(styled: QApplication, qtbot: QtBot, root: Path, store: SettingsStore) -> Iterator[HistoryDialog]:
    made = HistoryDialog(RecordingLibrary(root), store)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: len(made.model.entries) == 3, timeout=WAIT_MS)
    yield made
    made.shut_down()


def titles(dialog: HistoryDialog) -> list[str]:
    return [entry.title for entry in dialog.model.entries]


def cell(dialog: HistoryDialog, row: int, column: int) -> str:
    return dialog.model.data(dialog.model.index(row, column))


def test_the_newest_is_first(dialog: HistoryDialog) -> None:
    assert titles(dialog) == ["Capitals", "Leap years", "Poems"]
    assert cell(dialog, 1, TITLE) == "Leap years"
    assert cell(dialog, 1, LENGTH) == "2:00"
    assert cell(dialog, 1, SIZE).endswith("bytes") or cell(dialog, 1, SIZE).endswith("kB")
    assert dialog.total.text().startswith("3 recordings · ")
    assert not dialog.open_button.isEnabled()
    assert not dialog.delete_button.isEnabled()


def test_columns_sort(dialog: HistoryDialog) -> None:
    dialog.table.sortByColumn(TITLE, Qt.SortOrder.DescendingOrder)
    assert titles(dialog) == ["Poems", "Leap years", "Capitals"]
    dialog.table.sortByColumn(DATE, Qt.SortOrder.AscendingOrder)
    assert titles(dialog) == ["Poems", "Leap years", "Capitals"]
    dialog.table.sortByColumn(LENGTH, Qt.SortOrder.AscendingOrder)
    assert titles(dialog) == ["Capitals", "Leap years", "Poems"]


def test_search_finds_titles_at_once_and_words_soon(qtbot: QtBot, dialog: HistoryDialog) -> None:
    dialog.search.setText("POEM")
    assert titles(dialog) == ["Poems"]
    dialog.search.setText("leap days")
    assert titles(dialog) == []
    qtbot.waitUntil(lambda: titles(dialog) == ["Leap years"], timeout=WAIT_MS)
    dialog.search.setText("xylophone")
    qtbot.waitUntil(dialog.nothing.isVisible, timeout=WAIT_MS)
    dialog.search.clear()
    assert len(titles(dialog)) == 3


def test_open(qtbot: QtBot, dialog: HistoryDialog, root: Path) -> None:
    dialog.table.selectRow(1)
    with qtbot.waitSignal(dialog.opened) as opened:
        dialog.open_button.click()
    assert opened.args == [root / "r1"]
    assert not dialog.isVisible()


def test_return_opens_what_is_selected(qtbot: QtBot, dialog: HistoryDialog, root: Path) -> None:
    dialog.activateWindow()
    dialog.table.selectRow(2)
    dialog.table.setFocus()
    with qtbot.waitSignal(dialog.opened) as opened:
        QTest.keyClick(dialog.table, Qt.Key.Key_Return)
    assert opened.args == [root / "r2"]


def test_rename(qtbot: QtBot, dialog: HistoryDialog, root: Path) -> None:
    dialog.table.selectRow(0)
    dialog.rename_button.click()
    editor = dialog.table.findChild(QLineEdit)
    assert editor is not None
    assert editor.text() == "Capitals"
    editor.setText("  Capital \n cities ")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(
        lambda: json.loads((root / "r0" / "session.json").read_text(encoding="utf-8"))["title"] == "Capital cities",
        timeout=WAIT_MS,
    )
    assert titles(dialog)[0] == "Capital cities"
    assert dialog.isVisible()
    with qtbot.waitSignal(dialog.opened):
        dialog.open_selected()


def test_a_change_is_made_although_the_dialog_closes(dialog: HistoryDialog, root: Path) -> None:
    dialog.all_button.click()
    dialog.sure.yes.click()
    dialog.close()
    assert list(root.iterdir()) == []


def test_a_rename_that_fails_is_taken_back(qtbot: QtBot, dialog: HistoryDialog, root: Path) -> None:
    (root / "r0" / "session.json").write_text('{"format": "kame-desktop recording", "version": 9}', encoding="utf-8")
    index = dialog.model.index(0, TITLE)
    dialog.model.setData(index, "Other")
    qtbot.waitUntil(lambda: "newer version" in dialog.note.text, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "Other" not in titles(dialog), timeout=WAIT_MS)


def test_delete_asks_first_and_then_really_deletes(qtbot: QtBot, dialog: HistoryDialog, root: Path) -> None:
    dialog.table.selectRow(1)
    dialog.delete_button.click()
    assert dialog.sure.isVisible()
    assert "“Leap years”" in dialog.sure.question.text()
    dialog.sure.no.click()
    assert not dialog.sure.isVisible()
    assert (root / "r1").is_dir()
    dialog.delete_button.click()
    dialog.sure.yes.click()
    qtbot.waitUntil(lambda: titles(dialog) == ["Capitals", "Poems"], timeout=WAIT_MS)
    assert sorted(path.name for path in root.iterdir()) == ["r0", "r2"]


def test_the_question_is_about_what_was_selected_then(qtbot: QtBot, dialog: HistoryDialog, root: Path) -> None:
    dialog.table.selectRow(0)
    dialog.delete_button.click()
    dialog.table.selectRow(2)
    dialog.sure.yes.click()
    qtbot.waitUntil(lambda: titles(dialog) == ["Leap years", "Poems"], timeout=WAIT_MS)


def test_delete_all(qtbot: QtBot, dialog: HistoryDialog, root: Path) -> None:
    dialog.all_button.click()
    assert "all 3 recordings" in dialog.sure.question.text()
    dialog.sure.yes.click()
    qtbot.waitUntil(dialog.nothing.isVisible, timeout=WAIT_MS)
    assert list(root.iterdir()) == []
    assert "off until you turn it on" in dialog.nothing.text()
    assert not dialog.all_button.isEnabled()


def test_what_is_being_recorded_is_kept(qtbot: QtBot, dialog: HistoryDialog, root: Path) -> None:
    write_folder(root / "now", corrected_talk(), complete=False)
    dialog.all_button.click()
    dialog.sure.yes.click()
    qtbot.waitUntil(lambda: "was kept" in dialog.note.text, timeout=WAIT_MS)
    assert [path.name for path in root.iterdir()] == ["now"]


def test_a_recording_that_can_not_be_opened_is_listed_and_can_be_deleted(
    qtbot: QtBot, dialog: HistoryDialog, root: Path
) -> None:
    write_folder(root / "newer", [], version=99)
    dialog.reload()
    qtbot.waitUntil(lambda: len(dialog.model.entries) == 4, timeout=WAIT_MS)
    row = next(row for row, entry in enumerate(dialog.model.entries) if entry.problem)
    dialog.table.selectRow(row)
    assert cell(dialog, row, TITLE) == "(can't be opened)"
    assert "newer version" in dialog.model.data(dialog.model.index(row, TITLE), Qt.ItemDataRole.ToolTipRole)
    assert not dialog.open_button.isEnabled()
    assert not dialog.export_button.isEnabled()
    assert dialog.delete_button.isEnabled()


def test_days_are_kept_and_explained(dialog: HistoryDialog, store: SettingsStore) -> None:
    assert dialog.days.days.value is None
    assert dialog.days.note.text() == ""
    dialog.days.days.pick(30)
    assert store.settings.recording.delete_after_days == 30
    assert dialog.days.note.text() == "1 recording is older: it goes at the next start."
    assert SettingsStore(store._path).load().recording.delete_after_days == 30
    dialog.days.days.pick(None)
    assert store.settings.recording.delete_after_days is None


def test_a_thousand_recordings_are_listed_without_holding_the_window(
    styled: QApplication, qtbot: QtBot, tmp_path: Path, store: SettingsStore
) -> None:
    root = tmp_path / "many"
    for number in range(1_000):
        write_folder(root / f"r{number:04}", [], title=f"Number {number}", started=NOW - dt.timedelta(hours=number))
    began_s = time.perf_counter()
    made = HistoryDialog(RecordingLibrary(root), store)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: len(made.model.entries) == 1_000, timeout=WAIT_MS)
    print(f"listed in {(time.perf_counter() - began_s) * 1e3:.0f} ms")
    assert titles(made)[0] == "Number 0"
    made.shut_down()
