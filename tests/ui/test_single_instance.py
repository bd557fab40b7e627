"""One window a user, with real processes: two starts at once, a first one that died, one that hangs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from kame_desktop.ui.single_instance import Claim, SingleInstance, bring_to_front

_SCRIPT = """
import os, sys, time
from pathlib import Path
from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QApplication
from kame_desktop.ui.single_instance import Claim, SingleInstance

app = QApplication(sys.argv[:1])
print("ready", flush=True)
sys.stdin.readline()
instance = SingleInstance(Path(sys.argv[1]))
claim = instance.claim(float(sys.argv[2]))
print(claim.value, flush=True)
if claim is Claim.FIRST:
    def wanted():
        print("wanted", os.environ.get("XDG_ACTIVATION_TOKEN", ""), flush=True)
    instance.wanted.connect(wanted)
    if len(sys.argv) > 3:
        time.sleep(60)
    notifier = QSocketNotifier(0, QSocketNotifier.Type.Read)
    notifier.activated.connect(app.quit)
    app.exec()
    instance.close()
    print("closed", flush=True)
"""


class Start:
    """One start of the program in a process of its own; it claims once it is told ``go``."""

    def __init__(self, folder: Path, *, patience_s: float = 20.0, hangs: bool = False, token: str = "") -> None:
        arguments = [sys.executable, "-c", _SCRIPT, str(folder), str(patience_s), *(["hang"] if hangs else [])]
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_ACTIVATION_TOKEN": token}
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self.read() == "ready"

    def read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def claim(self) -> str:
        self.go()
        return self.read()

    def end(self) -> list[str]:
        """Close it as a user does; what it still said."""
        with contextlib.suppress(OSError):  # a second start is over by itself
            self.go()
        assert self.process.stdout is not None
        said = [line.strip() for line in self.process.stdout]
        self.process.wait(timeout=60)
        return said

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Start]]:
    started: list[Start] = []

    def make(**options: object) -> Start:
        started.append(Start(tmp_path / "state", **options))  # type: ignore[arg-type]
        return started[-1]

    yield make
    for one in started:
        one.kill()


def test_a_second_start_brings_the_first_ones_window_to_the_front_and_ends(start: Callable[..., Start]) -> None:
    first = start()
    assert first.claim() == "first"
    second = start(token="token-of-the-desktop")
    assert second.claim() == "shown"
    assert second.end() == []
    assert second.process.returncode == 0
    assert first.read() == "wanted token-of-the-desktop"
    assert start().claim() == "shown"
    assert first.end() == ["wanted token-of-the-desktop", "closed"]
    assert start().claim() == "first"


def test_of_many_starts_at_the_same_moment_exactly_one_wins(start: Callable[..., Start]) -> None:
    for _ in range(3):
        starts = [start() for _ in range(4)]
        for one in starts:
            one.go()
        claims = [one.read() for one in starts]
        assert sorted(claims) == ["first", "shown", "shown", "shown"]
        winner = starts[claims.index("first")]
        assert winner.end() == ["wanted"] * 3 + ["closed"]
        for one in starts:
            if one is not winner:
                one.end()


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_one_that_was_killed_stands_in_nobodys_way(start: Callable[..., Start], tmp_path: Path) -> None:
    first = start()
    assert first.claim() == "first"
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    assert (tmp_path / "state" / "window.address").exists(), "it had no time to tidy up"
    second = start()
    assert second.claim() == "first"
    assert start().claim() == "shown"


def test_one_that_doesnt_answer_is_said_to(start: Callable[..., Start]) -> None:
    first = start(hangs=True)
    assert first.claim() == "first"
    began_s = time.monotonic()
    assert start(patience_s=0.5).claim() == "silent"
    assert time.monotonic() - began_s < 30.0


def test_a_start_while_the_first_one_ends_becomes_the_first(start: Callable[..., Start]) -> None:
    first = start(hangs=True)
    assert first.claim() == "first"
    second = start()
    second.go()
    first.kill()
    assert second.read() == "first"


def test_a_folder_that_cant_be_locked_stops_nobody(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for _ in range(2):
        instance = SingleInstance(tmp_path / "file" / "state")
        assert instance.claim(0.1) is Claim.FIRST
        instance.close()
        instance.close()


@pytest.mark.parametrize("line", [b"nonsense\n", b"show " + b"x" * 300, b"show \x01\xff\n", b"\n", b""])
def test_a_stranger_on_the_socket_does_no_harm(qapp: QApplication, qtbot: QtBot, tmp_path: Path, line: bytes) -> None:
    instance = SingleInstance(tmp_path)
    assert instance.claim() is Claim.FIRST
    wanted: list[bool] = []
    instance.wanted.connect(lambda: wanted.append(True))
    socket = QLocalSocket()
    socket.connectToServer((tmp_path / "window.address").read_text(encoding="utf-8"))
    assert socket.waitForConnected(5_000)
    socket.write(line)
    socket.flush()
    if line:
        qtbot.waitUntil(lambda: socket.state() is QLocalSocket.LocalSocketState.UnconnectedState, timeout=10_000)
    socket.abort()
    assert wanted == ([True] if line.startswith(b"show \x01") else [])
    assert os.environ.get("XDG_ACTIVATION_TOKEN", "") == ""
    instance.close()


@pytest.mark.qt_log_ignore("does not support", extend=True)
def test_a_window_that_is_minimised_comes_back(qapp: QApplication, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.showMinimized()
    bring_to_front(window)
    assert window.isVisible()
    assert not window.windowState() & Qt.WindowState.WindowMinimized


def test_every_outcome_but_the_first_has_one_line() -> None:
    assert Claim.FIRST.line == ""
    assert all("\n" not in claim.line and claim.line for claim in (Claim.SHOWN, Claim.SILENT))
