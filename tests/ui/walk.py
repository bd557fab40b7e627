"""What a window says and offers, gathered from its widgets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDockWidget,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from kame_desktop.ui.widgets.flow_text import FlowText

_MNEMONIC = re.compile(r"&([^&\s])")
_INNER = ("qt_spinbox_lineedit", "qt_toolbar_ext_button", "ScrollLeftButton", "ScrollRightButton")


def texts(root: QWidget, *, hidden: bool = True) -> Iterator[tuple[str, str]]:
    """Every text of a window, its menus too, with where it stands. ``hidden``: also of what isn't shown now."""
    for widget in [root, *root.findChildren(QWidget)]:
        if not hidden and not widget.isVisible():
            continue
        place = f"{type(widget).__name__}#{widget.objectName()}"
        yield from ((f"{place}.{kind}", text) for kind, text in _of(widget) if text)
    for action in root.findChildren(QAction):
        yield from ((f"action.{kind}", text) for kind, text in (("text", action.text()), ("tip", action.toolTip())))


def _of(widget: QWidget) -> Iterator[tuple[str, str]]:
    yield "tip", widget.toolTip()
    yield "name", widget.accessibleName()
    yield "description", widget.accessibleDescription()
    if widget.isWindow() or isinstance(widget, QDockWidget):
        yield "title", widget.windowTitle()
    if isinstance(widget, (QLabel, QAbstractButton)):
        yield "text", widget.text()
    if isinstance(widget, FlowText):
        yield "flow", widget.text
    if isinstance(widget, QGroupBox):
        yield "title", widget.title()
    if isinstance(widget, (QLineEdit, QPlainTextEdit)):
        yield "placeholder", widget.placeholderText()
    if isinstance(widget, QMenu):
        yield "title", widget.title()
    if isinstance(widget, QTabBar):
        for index in range(widget.count()):
            yield "tab", widget.tabText(index)
    if isinstance(widget, QComboBox):
        for index in range(widget.count()):
            yield "item", widget.itemText(index)
            yield "item tip", str(widget.itemData(index, Qt.ItemDataRole.ToolTipRole) or "")


def controls(root: QWidget) -> list[QWidget]:
    """What the keyboard can reach now."""
    found = [widget for widget in root.findChildren(QWidget) if widget.focusPolicy() & Qt.FocusPolicy.TabFocus]
    return [
        widget
        for widget in found
        if widget.isVisible() and widget.window() is root.window() and widget.objectName() not in _INNER
    ]


def described(widget: QWidget) -> str:
    """A control for a message of a test."""
    return f"{type(widget).__name__}#{widget.objectName()} in {type(widget.parentWidget()).__name__}"


def has_label(widget: QWidget) -> bool:
    """Something that can be seen says what it is: its own text, a label that belongs to it, or a tooltip."""
    if widget.toolTip().strip():
        return True
    if isinstance(widget, QAbstractButton) and widget.text().strip():
        return True
    if isinstance(widget, (QLineEdit, QPlainTextEdit)) and widget.placeholderText().strip():
        return True
    labels = widget.window().findChildren(QLabel)
    return any(label.buddy() is widget and label.isVisible() and label.text().strip() for label in labels)


def mnemonics(root: QWidget) -> dict[str, list[str]]:
    """Letter -> the texts that are reached by Alt and that letter, as things are shown now."""
    found: dict[str, list[str]] = {}
    for widget in root.findChildren(QWidget):
        if not isinstance(widget, (QLabel, QAbstractButton)) or widget.window() is not root.window():
            continue
        if not widget.isVisible() or (isinstance(widget, QLabel) and widget.buddy() is None):
            continue
        for letter in _MNEMONIC.findall(widget.text().replace("&&", "")):
            found.setdefault(letter.casefold(), []).append(widget.text())
    return found


def shortcuts(root: QWidget) -> dict[str, list[str]]:
    """Keys -> what they do, in the whole window."""
    found: dict[str, list[str]] = {}

    def note(keys: QKeySequence, what: str) -> None:
        text = keys.toString(QKeySequence.SequenceFormat.PortableText)
        if text and what not in found.setdefault(text, []):
            found[text].append(what)

    for action in root.findChildren(QAction):
        for keys in action.shortcuts():
            note(keys, f"action {action.text()}")
    for shortcut in root.findChildren(QShortcut):
        if shortcut.context() is not Qt.ShortcutContext.WidgetWithChildrenShortcut:
            note(shortcut.key(), f"shortcut of {type(shortcut.parent()).__name__}")
    for button in root.findChildren(QAbstractButton):
        if not _MNEMONIC.search(button.text()) or button.shortcut().toString().startswith("Ctrl"):
            note(button.shortcut(), f"button {button.text() or button.accessibleName()}")
    return found


def walked(root: QWidget, first: QWidget) -> list[QWidget]:
    """The controls in the order in which Tab visits them, beginning at ``first``."""
    wanted = controls(root)
    order: list[QWidget] = []
    widget: QWidget | None = first
    for _ in range(5_000):
        if widget is None or (order and widget is first):
            return order
        if widget in wanted and widget not in order:
            order.append(widget)
        widget = widget.nextInFocusChain()
    raise AssertionError("the focus goes in circles")


def centre(widget: QWidget) -> tuple[int, int]:
    """Its middle, in pixels of the window."""
    place = widget.mapTo(widget.window(), QPoint(widget.width() // 2, widget.height() // 2))
    return place.x(), place.y()
