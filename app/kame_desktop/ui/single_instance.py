"""One window a user: a second start brings the first one's window to the front and ends.

A lock that the system drops with its process decides who is first, so that nothing has to be guessed of one that died,
and two starts at once have one winner. The first one listens at a local socket, which only this user may open, and
writes its name beside the lock; the second one asks there for the window and waits for the answer.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import re
import sys
import time
from enum import Enum
from pathlib import Path

from filelock import FileLock, Timeout
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QWidget

_LOCK = "window.lock"
_ADDRESS = "window.address"
_ASK = b"show"
_ANSWER = b"shown"
_ACTIVATION = "XDG_ACTIVATION_TOKEN"
_TOKEN = re.compile(rb"[\x21-\x7e]{1,200}")
_LONGEST_LINE = 256
_PATIENCE_S = 5.0
_STEP_MS = 100


class Claim(Enum):
    """What came of a claim."""

    FIRST = "first"
    """There was no window; this start opens it."""
    SHOWN = "shown"
    """There is one, and it was brought to the front."""
    SILENT = "silent"
    """There is one that doesn't answer."""

    @property
    def line(self) -> str:
        """One line for the user; "" when there is nothing to say."""
        return {
            Claim.FIRST: "",
            Claim.SHOWN: "Kame Desktop is already open; its window was brought to the front.",
            Claim.SILENT: "Kame Desktop is already open, but doesn't answer; if it stays so, end that program.",
        }[self]


class SingleInstance(QObject):
    """The claim to be the one window. GUI thread only; needs a QApplication. ``close`` gives it up.

    Where no file can be locked (some network folders) every start counts as the first.

    Args:
        folder: The user's folder for logs; made when missing.

    Signals:
        wanted: Another start asks for the window.
    """

    wanted = Signal()

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._lock: FileLock | None = None
        self._server: QLocalServer | None = None

    def claim(self, patience_s: float = _PATIENCE_S) -> Claim:
        """Become the first, or ask the first for its window: blocks up to ``patience_s`` then."""
        deadline_s = time.monotonic() + patience_s
        while True:
            if self._acquire():
                self._listen()
                return Claim.FIRST
            left_s = deadline_s - time.monotonic()
            if left_s <= 0.0:
                return Claim.SILENT
            if self._ask(left_s):
                return Claim.SHOWN
            time.sleep(min(left_s, _STEP_MS / 1e3))  # it has the lock and doesn't listen yet, or it just ends

    def close(self) -> None:
        """Give the claim up. Idempotent."""
        if self._server is not None:
            self._server.close()
            self._server = None
            with contextlib.suppress(OSError):
                (self._folder / _ADDRESS).unlink()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _acquire(self) -> bool:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._folder / _LOCK, timeout=0)
            lock.acquire()
        except Timeout:
            return False
        except (OSError, NotImplementedError):
            return True
        self._lock = lock
        return True

    def _listen(self) -> None:
        name = f"kame-desktop-{hashlib.sha256(str(self._folder.absolute()).encode()).hexdigest()[:16]}"
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._on_connection)
        # Under the lock nobody else can be listening there: what is left of one that died may go.
        QLocalServer.removeServer(name)
        if not server.listen(name):
            server.deleteLater()
            return
        self._server = server
        with contextlib.suppress(OSError):
            (self._folder / _ADDRESS).write_text(server.fullServerName(), encoding="utf-8")

    def _ask(self, patience_s: float) -> bool:
        try:
            address = (self._folder / _ADDRESS).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            return False
        socket = QLocalSocket(self)
        try:
            socket.connectToServer(address)
            if not socket.waitForConnected(_STEP_MS):
                return False
            _let_it_come_to_the_front()
            token = os.environ.get(_ACTIVATION, "").encode()
            socket.write(_ASK + (b" " + token if _TOKEN.fullmatch(token) else b"") + b"\n")
            deadline_s = time.monotonic() + patience_s
            while not socket.canReadLine() and (left_s := deadline_s - time.monotonic()) > 0.0:
                if not socket.waitForReadyRead(max(1, int(left_s * 1e3))):
                    break
            return bytes(socket.readLine().data()).strip() == _ANSWER
        finally:
            socket.abort()
            socket.deleteLater()

    def _on_connection(self) -> None:
        while self._server is not None and (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(lambda socket=socket: self._on_line(socket))
            socket.disconnected.connect(socket.deleteLater)
            self._on_line(socket)

    def _on_line(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > _LONGEST_LINE:
                socket.abort()
            return
        verb, _, token = bytes(socket.readLine().data()).strip().partition(b" ")
        if verb != _ASK:
            socket.abort()
            return
        if _TOKEN.fullmatch(token):
            os.environ[_ACTIVATION] = token.decode("ascii")  # Wayland raises no window without one; Qt takes it
        self.wanted.emit()
        socket.write(_ANSWER + b"\n")
        socket.flush()
        socket.disconnectFromServer()


def bring_to_front(window: QWidget) -> None:
    """Show a window above the others, as far as the desktop allows it."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()


def _let_it_come_to_the_front() -> None:
    """Windows lets only the program that the user has just started put a window in front, unless it passes that on."""
    if sys.platform == "win32":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.windll.user32.AllowSetForegroundWindow(-1)
