"""The application around the window: style, translation, Ctrl+C, exit code.

Importing this module imports Qt: ``ImportError`` means that PySide6 or one of its system libraries is
missing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication

from kame_desktop.core.display import x11_problem
from kame_desktop.core.errors import MissingError
from kame_desktop.core.paths import state_dir
from kame_desktop.core.settings import SettingsStore
from kame_desktop.session.services import Services
from kame_desktop.ui import theme
from kame_desktop.ui.icons import app_icon
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.single_instance import Claim, SingleInstance, bring_to_front
from kame_desktop.ui.window_keeper import WindowKeeper

_WARM_UP_AFTER_MS = 200
"""The window is painted by then."""


def _check_display() -> None:
    """Qt ends the whole process when it finds no display, so look first."""
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM") or os.environ.get("WAYLAND_DISPLAY"):
        return
    if not os.environ.get("DISPLAY"):
        raise MissingError(
            "There is no display to open a window on.",
            "Log in to a desktop, or use the command line with a sound file.",
            component="window",
        )
    problem = x11_problem()
    if problem is not None:
        raise MissingError(*problem, component="window")


@contextlib.contextmanager
def _interrupts(close: Callable[[], object]) -> Iterator[None]:
    """Close the window on Ctrl+C or a polite kill.

    Qt's loop runs no Python while nothing happens; a socket that the signal writes to wakes it.
    """
    reader, writer = socket.socketpair()
    reader.setblocking(False)
    writer.setblocking(False)
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read)

    def on_readable() -> None:
        with contextlib.suppress(BlockingIOError):
            reader.recv(64)

    notifier.activated.connect(on_readable)
    old_fd = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    caught = [signal.SIGINT, signal.SIGTERM]
    old = {number: signal.signal(number, lambda *_: close()) for number in caught}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(old_fd)
        notifier.setEnabled(False)
        reader.close()
        writer.close()


def prepare_application(app: QApplication) -> None:
    """Name, icon and style. The theme is put on separately."""
    app.setApplicationName("kame-desktop")
    app.setApplicationDisplayName("Kame Desktop")
    app.setDesktopFileName("kame-desktop")
    app.setStyle("Fusion")
    app.setWindowIcon(app_icon())


def _look_around(window: MainWindow) -> None:
    """What takes a moment to find out, beside the window."""
    window.llms.refresh()
    window.input.look_for_devices()


def run_window(services: Services, settings: SettingsStore, recording: Path | None = None) -> int:
    """Open the window and stay until it is closed. Main thread only. Raises MissingError without a display.

    Args:
        services: What the window asks of the program.
        settings: Loaded settings; the window saves what the user chooses.
        recording: Folder of a recording to open.

    Returns:
        The exit code.
    """
    existing = QApplication.instance()
    if existing is None:
        _check_display()
    app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    prepare_application(app)
    instance = SingleInstance(state_dir())
    claim = instance.claim()
    if claim is not Claim.FIRST:
        with contextlib.suppress(OSError):
            sys.stdout.write(f"{claim.line}\n")
        return 0 if claim is Claim.SHOWN else 1
    look = settings.settings.appearance
    theme.set_font_scale(app, look.font_scale)
    theme.choose_theme(app, look.theme)
    theme.follow_system(app)
    keeper = WindowKeeper(app, services, settings)
    window = keeper.window
    window.show()
    instance.wanted.connect(lambda: bring_to_front(keeper.window))
    warm_up = QTimer(keeper, singleShot=True)
    warm_up.timeout.connect(services.warm_up)
    warm_up.timeout.connect(lambda: _look_around(keeper.window))
    if recording is not None:
        window.open_recording(recording)
    else:
        QTimer.singleShot(0, window, window.show_setup)
    warm_up.start(_WARM_UP_AFTER_MS)
    with _interrupts(keeper.close):
        code = app.exec()
    warm_up.stop()
    keeper.shut_down()
    instance.close()
    return code
