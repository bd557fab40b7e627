"""A whole run under crash care: hooks, the file of reports, the next run."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from kame_desktop.core.crash_care import CrashCare

pytestmark = pytest.mark.logs_errors
WORDS = "words of the user"


def fail() -> None:
    raise ValueError(WORDS)


def crash_in_a_thread(name: str) -> None:
    thread = threading.Thread(target=fail, name=name)
    thread.start()
    thread.join()


def test_a_crash_is_in_this_runs_reports_and_in_those_of_the_next(tmp_path: Path) -> None:
    before = sys.excepthook, threading.excepthook
    with CrashCare(tmp_path) as care:
        assert care.last_run is None
        crash_in_a_thread("worker")
        assert [one.where for one in care.reports] == ["worker"]
    assert (sys.excepthook, threading.excepthook) == before
    with CrashCare(tmp_path) as again:
        assert again.last_run is None
        crash_in_a_thread("other")
        assert [one.where for one in again.reports] == ["worker", "other"]
        assert again.log.reports == again.reports[1:]
    kept = (tmp_path / "crashes.json").read_text(encoding="utf-8")
    assert WORDS not in kept
    assert (tmp_path / "crashes.json").stat().st_mode & 0o077 == 0


def test_what_is_kept_is_redacted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "zebulon")
    with CrashCare(tmp_path):
        crash_in_a_thread("zebulon's worker")
    assert "zebulon" not in (tmp_path / "crashes.json").read_text(encoding="utf-8")


def test_a_command_writes_nothing() -> None:
    with CrashCare() as care:
        crash_in_a_thread("worker")
        assert len(care.reports) == 1


def test_a_folder_that_cant_be_written_to_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with CrashCare(tmp_path / "file" / "state") as care:
        crash_in_a_thread("worker")
        assert len(care.reports) == 1
