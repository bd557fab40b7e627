"""Opens the window in a scene, and takes its picture."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication

from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui import theme
from kame_desktop.ui.gallery.scenes import SCENES
from kame_desktop.ui.gallery.services import NO_MICROPHONE, REMOTE, ScriptedServices
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.sources import MICROPHONE

SIZES = ((900, 600), (1280, 720), (2560, 1440))
README_SIZE = (1280, 720)
_AT_ONCE = 10


def _settle(app: QApplication) -> None:
    for _ in range(6):
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        app.processEvents()


def make_window(app: QApplication, scene: str, size: tuple[int, int], folder: Path) -> MainWindow:
    """Open the window in a scene."""
    services = ScriptedServices(NO_MICROPHONE if scene == "no-microphone" else None)
    store = SettingsStore(folder / "settings.json")
    store.settings.llm.model = REMOTE.name
    window = MainWindow(services, store)
    window.resize(*size)
    window.show()
    window.llms.choices = list(services.llm_choices())
    window.llms.listed.emit()
    _settle(app)
    if scene == "setup":
        window.show_setup()
    else:
        store.settings.window.set_up = True
    script = SCENES[scene]
    if script is not None:
        window.begin(MICROPHONE)
        for number, event in enumerate(script().out):
            services.session.bus.publish(event)
            if number % _AT_ONCE == 0:
                app.processEvents()
    _settle(app)
    _pose(window, scene, size)
    _settle(app)
    return window


def _pose(window: MainWindow, scene: str, size: tuple[int, int]) -> None:
    """What the user has done in this scene."""
    page = window.page
    if scene == "long":
        window.conversation.verticalScrollBar().setValue(120)
    elif scene == "selected":
        page.selection.select(2, 4)
    elif scene == "search":
        page.search_bar.open_search()
        page.search_bar.field.setText("three hundred")
    elif scene == "paused":
        page.show_moment(9_500)
    elif scene == "activity":
        window.activity.show()
        window.activity.show_events(page.moments.log.between(0, page.model.now_ms))
    elif scene == "presenter":
        window.presenter.enter()
        window.setWindowState(Qt.WindowState.WindowNoState)  # the picture's size instead of this screen's
        window.resize(*size)


def render(app: QApplication, out: Path, scenes: Sequence[str], sizes: Sequence[tuple[int, int]]) -> list[Path]:
    """Write one PNG a scene, size and theme."""
    made: list[Path] = []
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for shown in (theme.LIGHT, theme.DARK):
            theme.choose_theme(app, shown.name)
            for scene in scenes:
                for width, height in sizes:
                    window = make_window(app, scene, (width, height), Path(folder))
                    path = out / f"{scene}-{width}x{height}-{shown.name}.png"
                    window.grab().save(str(path))
                    made.append(path)
                    window.presenter.leave()
                    window.controller.stop()
                    while window.controller.active:
                        app.processEvents()
                    window.close()
                    window.shut_down()
                    window.deleteLater()
                    _settle(app)
    return made


def use_best_font(app: QApplication) -> None:
    """A bare build machine's default is not what desktops show: take a common interface font when there is one."""
    for family in ("Inter", "Cantarell", "Noto Sans"):
        if family in QFontDatabase.families():
            app.setFont(QFont(family, 10))
            return
