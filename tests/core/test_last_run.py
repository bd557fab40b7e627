"""A run that ended without saying so is found at the next start; real processes die for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kame_desktop.core.crash import CrashReport
from kame_desktop.core.last_run import LastRun, ReportFile, RunWatch

START = """
import os, sys, pathlib
from kame_desktop.core.last_run import RunWatch
watch = RunWatch(pathlib.Path(sys.argv[1]))
watch.begin()
secret_words = "planted words"
def dive():
{how}
dive()
"""


def a_run_that(how: str, folder: Path) -> int:
    """Begins a run in a process of its own and ends it so."""
    script = START.format(how="\n".join(f"    {line}" for line in how.splitlines()))
    done = subprocess.run([sys.executable, "-c", script, str(folder)], check=False, capture_output=True, timeout=60)
    return done.returncode


def last(folder: Path) -> LastRun | None:
    watch = RunWatch(folder)
    try:
        return watch.begin()
    finally:
        watch.end()


def test_the_first_run_knows_of_none_and_an_orderly_end_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    assert last(folder) is None
    assert last(folder) is None
    assert list(folder.iterdir()) == []


def test_a_crash_in_native_code_is_found_with_its_place_and_told_once(tmp_path: Path) -> None:
    assert a_run_that("import faulthandler\nfaulthandler._sigsegv()", tmp_path) != 0
    found = last(tmp_path)
    assert found is not None
    assert "Segmentation fault" in found.stack
    assert "in dive" in found.stack
    assert "planted words" not in found.text
    assert last(tmp_path) is None


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_a_run_that_was_killed_is_found_without_a_place(tmp_path: Path) -> None:
    assert a_run_that("import signal\nos.kill(os.getpid(), signal.SIGKILL)", tmp_path) != 0
    found = last(tmp_path)
    assert found is not None
    assert found.stack == ""
    assert "ended from outside" in found.text


def test_a_run_that_ended_in_order_is_none(tmp_path: Path) -> None:
    assert a_run_that("watch.end()\nwatch.end()", tmp_path) == 0
    assert last(tmp_path) is None


def test_a_run_that_goes_on_is_left_alone(tmp_path: Path) -> None:
    script = START.format(how="    print('here', flush=True)\n    input()\n    watch.end()")
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "here\n"
        assert last(tmp_path) is None
        assert len(list(tmp_path.iterdir())) == 1
        other.communicate("\n", timeout=60)
    assert list(tmp_path.iterdir()) == []


def header(folder: Path, **values: object) -> None:
    (folder / f"run-{values['pid']}-1.log").write_text(json.dumps(values) + "\n", encoding="utf-8")


def test_a_computer_that_was_switched_off_is_no_crash(tmp_path: Path) -> None:
    header(tmp_path, pid=2_000_000_000, began_s=1_000_000.0, version="1")
    assert last(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_another_process_with_its_number_doesnt_hide_it(tmp_path: Path) -> None:
    import psutil

    header(tmp_path, pid=os.getpid(), began_s=psutil.boot_time() + 5.0, version="1")
    assert last(tmp_path) is not None


@pytest.mark.parametrize(
    "content", [b"", b"\xff\x00", b"[1]\nFatal", b'{"pid": "x"}\n', b'{"pid": -1, "began_s": []}\n']
)
def test_a_file_that_says_nothing_goes(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run-1-1.log").write_bytes(content)
    assert last(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cant_be_written_to_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert last(tmp_path / "file" / "state") is None


def test_reports_outlive_the_run_that_made_them(tmp_path: Path) -> None:
    file = ReportFile(tmp_path / "state")
    assert file.read() == []
    first = CrashReport("2026-01-01T00:00:00+00:00", "frame", "ValueError", "stack")
    again = CrashReport(first.at, first.where, first.kind, first.stack, count=2)
    file.add(first)
    file.add(again)
    assert ReportFile(tmp_path / "state").read() == [again]
    for number in range(30):
        file.add(CrashReport(f"{number}", "frame", "ValueError", "stack"))
    assert [one.at for one in file.read()] == [f"{number}" for number in range(10, 30)]
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["crashes.json"]


@pytest.mark.parametrize("content", ["", "{}", "[1]", '[{"at": 1}]', "[" * 50_000])
def test_reports_that_cant_be_read_are_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "crashes.json").write_text(content, encoding="utf-8")
    assert ReportFile(tmp_path).read() == []
