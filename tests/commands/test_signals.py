"""Ctrl+C, a polite kill, a reader that goes, standard streams that are closed: the command ends cleanly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.backend.llm.catalog import starter_installed
from kame_desktop.commands.output import OutputError, ReaderGone, printing
from kame_desktop.commands.runner import run_to_end
from kame_desktop.commands.signals import StoppedBySignal, stop_signals
from kame_desktop.core.paths import sample_questions
from kame_desktop.session.services import SessionRequest
from tests.fakes.session import FakeSession

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
real_models = pytest.mark.skipif(not starter_installed(), reason="the starter pack isn't installed")
QUESTION = sample_questions()[1]
STOPPED = "kame-desktop: stopped.\n"


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command in a process of its own, killed at the end if it is still there."""
    process = subprocess.Popen(
        [sys.executable, "-m", "kame_desktop", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)},
    )
    try:
        with process:
            yield process
    finally:
        process.kill()


def until(process: subprocess.Popen[str], happened: Callable[[], bool]) -> None:
    """Look every 20 ms, as long as the process lives."""
    while not happened():
        with suppress(subprocess.TimeoutExpired):
            raise AssertionError(f"it has ended: {process.wait(0.02)}")


def ask(folder: Path) -> list[str]:
    """Arguments: a question, and both files to write."""
    return ["run", str(QUESTION), "--out", str(folder / "o.wav"), "--events", str(folder / "e.jsonl")]


def left_in(folder: Path) -> set[str]:
    """Names of all files under a folder; what the day's requests cost is kept on purpose."""
    return {path.name for path in folder.rglob("*") if path.is_file()}


@posix
@real_models
@pytest.mark.parametrize(
    ("number", "code", "when"),
    [(signal.SIGINT, 130, "loading"), (signal.SIGTERM, 143, "loading"), (signal.SIGINT, 130, "running")],
)
def test_a_signal_ends_it_and_nothing_is_left(tmp_path: Path, number: signal.Signals, code: int, when: str) -> None:
    with running(tmp_path, *ask(tmp_path)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        if when == "running":
            assert any("listening" in line for line in process.stdout)
        until(process, lambda: bool(psutil.Process(process.pid).children()))
        children = psutil.Process(process.pid).children()
        process.send_signal(number)
        assert process.wait(10.0) == code
        assert process.stderr.read() == STOPPED
        gone, alive = psutil.wait_procs(children, timeout=5.0)
        assert gone
        assert not alive
    assert left_in(tmp_path) <= {"usage.json"}, "a scrap was left, or a library wrote into the user's home"


@posix
@real_models
def test_a_reader_that_goes_ends_it_in_silence(tmp_path: Path) -> None:
    with running(tmp_path, *ask(tmp_path)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(10.0) == 1
        assert process.stderr.read() == ""
    assert left_in(tmp_path) <= {"usage.json"}


@posix
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&- <&-", "2>/dev/full"])
def test_standard_streams_may_be_closed(tmp_path: Path, closed: str) -> None:
    shell = f'exec "$0" -m kame_desktop run missing.wav {closed}'
    result = subprocess.run(["sh", "-c", shell, sys.executable], cwd=tmp_path, capture_output=True, check=False)
    assert result.returncode == 2
    assert b"Traceback" not in result.stderr


@posix
def test_without_a_display_it_says_so_and_runs_the_demo(tmp_path: Path) -> None:
    # A demo that has nowhere to write ends at once: enough to see that it began.
    (tmp_path / "kame-desktop").write_text("in the way")
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "settings")}
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        environment.pop(name, None)
    result = subprocess.run(
        [sys.executable, "-m", "kame_desktop"], env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    said, refused = result.stderr.splitlines()
    assert "no display" in said
    assert "demo in the terminal" in said
    assert "can't be made" in refused


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_run_is_stopped_before_the_signal_is_passed_on(number: signal.Signals, code: int) -> None:
    # Whoever runs the tests may ignore the signal (nohup does), and an ignored one stays ignored.
    before = signal.signal(number, signal.default_int_handler)
    try:
        session = FakeSession(SessionRequest("lite", LlmModel("m", "M")))
        with stop_signals, pytest.raises(StoppedBySignal) as caught:
            run_to_end(session, lambda events: signal.raise_signal(number))
        assert caught.value.exit_code == code
        assert session.stops
        assert session.wait_stopped(0.0)
        assert signal.getsignal(number) is signal.default_int_handler
        assert stop_signals.received is None
    finally:
        signal.signal(number, before)


@posix
def test_outside_of_a_run_a_signal_is_raised_at_once_and_an_ignored_one_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_signals:
            signal.raise_signal(signal.SIGHUP)
            with pytest.raises(StoppedBySignal):
                signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGHUP, before)


@posix
def test_an_exception_that_got_lost_is_not_forgotten() -> None:
    session = FakeSession(SessionRequest("lite", LlmModel("m", "M")))
    with stop_signals:
        with suppress(KeyboardInterrupt):  # as Python does in a destructor
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(StoppedBySignal):
            run_to_end(session, lambda events: None)
    assert session.stops


def test_output_that_cannot_be_written_is_one_error() -> None:
    with pytest.raises(OutputError, match=r"could not be written \(No space left on device\)\.") as caught, printing():
        raise OSError(28, "No space left on device")
    assert not isinstance(caught.value, ReaderGone)
    with pytest.raises(ReaderGone), printing():
        raise BrokenPipeError
