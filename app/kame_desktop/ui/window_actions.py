"""Everything that the window's menu and keys can do, in one place."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget


class WindowActions(QObject):
    """The actions, and the menu that shows them with their keys.

    Attributes:
        menu: All of them.

    Signals:
        open_file, open_recording, history, copy, find, show_settings, pause, present, compare, check_system, quit: What
            was asked for.
        answer_before, answer_after: Select it.
        larger, smaller, usual_size: Of the text.
        record, show_timeline, show_activity, mark_changes, speculate: Switched on or off.
    """

    open_file = Signal()
    copy = Signal()
    find = Signal()
    show_settings = Signal()
    pause = Signal()
    present = Signal()
    answer_before = Signal()
    answer_after = Signal()
    compare = Signal()
    open_recording = Signal()
    history = Signal()
    check_system = Signal()
    larger = Signal()
    smaller = Signal()
    usual_size = Signal()
    quit = Signal()
    record = Signal(bool)
    show_timeline = Signal(bool)
    show_activity = Signal(bool)
    mark_changes = Signal(bool)
    speculate = Signal(bool)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.menu = QMenu(window)
        self.menu.setToolTipsVisible(True)
        self._add(self.menu, self.tr("Open a WAV…"), "Ctrl+O", self.open_file)
        self._add(self.menu, self.tr("Open recording…"), "Ctrl+Shift+O", self.open_recording)
        self._add(self.menu, self.tr("Recorded conversations…"), "Ctrl+H", self.history)
        self.recording = self._switch(self.menu, self.tr("Record conversation"), "Ctrl+R", self.record)
        self.recording.setToolTip(self.tr("Sound, words and answers go to a folder that only you can read"))
        self._add(self.menu, self.tr("Copy conversation"), "Ctrl+Shift+C", self.copy)
        self._add(self.menu, self.tr("Find…"), "Ctrl+F", self.find)
        self.menu.addSeparator()
        view = self._submenu(self.tr("View"))
        self.timeline = self._switch(view, self.tr("Timeline"), "Ctrl+T", self.show_timeline)
        self.changes = self._switch(view, self.tr("Mark what changed"), "Ctrl+D", self.mark_changes)
        self.activity = self._switch(view, self.tr("Activity"), "Ctrl+Shift+A", self.show_activity)
        view.addSeparator()
        self._add(view, self.tr("Larger text"), "Ctrl++", self.larger, also="Ctrl+=")
        self._add(view, self.tr("Smaller text"), "Ctrl+-", self.smaller)
        self._add(view, self.tr("Usual text size"), "Ctrl+0", self.usual_size)
        view.addSeparator()
        self._add(view, self.tr("Select the answer before"), "Ctrl+Up", self.answer_before)
        self._add(view, self.tr("Select the answer after"), "Ctrl+Down", self.answer_after)
        self._add(self.menu, self.tr("Pause the view"), "P", self.pause)
        self._add(self.menu, self.tr("Presenter mode"), "F11", self.present)
        self._add(self.menu, self.tr("Compare engines…"), "Ctrl+Shift+E", self.compare)
        self.menu.addSeparator()
        self.speculates = self._switch(self.menu, self.tr("Ask while I speak"), "", self.speculate)
        self.speculates.setToolTip(self.tr("Off: only finished sentences are asked, which costs less and comes later"))
        self._add(self.menu, self.tr("Settings…"), "Ctrl+,", self.show_settings)
        self._add(self.menu, self.tr("Check my system…"), "F1", self.check_system)
        self.menu.addSeparator()
        self._add(self.menu, self.tr("Quit"), "Ctrl+Q", self.quit)

    def _submenu(self, text: str) -> QMenu:
        menu = QMenu(text, self.menu)
        menu.setToolTipsVisible(True)
        self.menu.addMenu(menu)
        return menu

    def _add(self, menu: QMenu, text: str, keys: str, signal: SignalInstance, *, also: str = "") -> QAction:
        action = QAction(text, self)
        shortcuts = [QKeySequence(one) for one in (keys, also) if one]
        action.setShortcuts(shortcuts)
        action.triggered.connect(lambda _checked, signal=signal: signal.emit())
        menu.addAction(action)
        self._window.addAction(action)  # so that its key works while the menu is closed
        return action

    def _switch(self, menu: QMenu, text: str, keys: str, signal: SignalInstance) -> QAction:
        action = QAction(text, self)
        action.setCheckable(True)
        if keys:
            action.setShortcut(QKeySequence(keys))
        action.triggered.connect(signal)
        menu.addAction(action)
        self._window.addAction(action)
        return action
