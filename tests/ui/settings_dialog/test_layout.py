"""Nothing is cut off, at small sizes and with large text; everything has a name and a key."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QScrollArea,
    QSlider,
    QTreeWidget,
    QWidget,
)

from kame_desktop.core.settings import DeviceChoice, SettingsStore
from kame_desktop.ui import theme
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.settings_dialog.dialog import _PAGES
from tests.ui.settings_dialog.conftest import GatedServices, OpenDialog

PAGES = [page.key for page in _PAGES]
_CONTROLS = (QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit, QSlider, QTreeWidget, QListWidget, QAbstractSpinBox)


def area_of(dialog: SettingsDialog) -> QScrollArea:
    area = dialog.stack.currentWidget()
    assert isinstance(area, QScrollArea)
    return area


def controls(page: QWidget) -> list[QWidget]:
    found = [widget for widget in page.findChildren(QWidget) if isinstance(widget, _CONTROLS) and widget.isVisible()]
    return [widget for widget in found if widget.objectName() != "qt_spinbox_lineedit"]


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("key", PAGES)
def test_nothing_is_cut_off_at_900_by_600(
    styled: QApplication, services: GatedServices, store: SettingsStore, open_dialog: OpenDialog, key: str, scale: float
):
    theme.set_font_scale(styled, scale)
    store.settings.audio.input_device = DeviceChoice(name="A microphone with a long name", host_api="Windows WASAPI")
    services.key_store.problem = "There is no keyring here, so keys are kept until you quit; install one to keep them."
    dialog = open_dialog(key)
    if key == "keys":
        dialog.show_page("keys", "anthropic")
    styled.processEvents()
    assert (dialog.width(), dialog.height()) == (900, 600)
    viewport = area_of(dialog).viewport()
    for widget in dialog.page.findChildren(QWidget):
        if not widget.isVisible() or widget.window() is not dialog:
            continue
        right = widget.mapTo(viewport, QPoint(widget.width(), 0)).x()
        inside_a_list = any(isinstance(one, (QTreeWidget, QPlainTextEdit)) for one in ancestors(widget))
        if not inside_a_list:
            assert right <= viewport.width(), (key, widget, right)
        if isinstance(widget, QLabel) and widget.text():
            needed = widget.heightForWidth(widget.width()) if widget.wordWrap() else widget.sizeHint().height()
            assert widget.height() >= needed, (key, widget.text())
            if not widget.wordWrap():
                assert widget.width() >= widget.sizeHint().width(), (key, widget.text())
        if isinstance(widget, QAbstractButton) and widget.text():
            assert widget.width() >= widget.minimumSizeHint().width(), (key, widget.text())
    for button in (dialog.close_button, dialog.reset_button):
        if button.isVisible():
            assert button.width() >= button.sizeHint().width()


def ancestors(widget: QWidget) -> list[QWidget]:
    found: list[QWidget] = []
    parent = widget.parentWidget()
    while parent is not None:
        found.append(parent)
        parent = parent.parentWidget()
    return found


@pytest.mark.parametrize("key", PAGES)
def test_every_control_has_a_name_and_can_be_reached(open_dialog: OpenDialog, key: str):
    dialog = open_dialog(key)
    for control in controls(dialog.page):
        named = control.accessibleName() or (control.text() if isinstance(control, QAbstractButton) else "")
        assert named, (key, control)
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, (key, control)


@pytest.mark.parametrize("key", PAGES)
def test_no_letter_is_used_twice(open_dialog: OpenDialog, key: str):
    dialog = open_dialog(key)
    texts = [dialog.close_button.text(), dialog.reset_button.text()]
    widgets = [widget for widget in dialog.page.findChildren(QWidget) if widget.isVisible()]
    texts += [widget.text() for widget in widgets if isinstance(widget, (QLabel, QAbstractButton))]
    letters = Counter(letter.casefold() for text in texts for letter in re.findall(r"&([^&\s])", text))
    assert not [letter for letter, count in letters.items() if count > 1], letters


def test_tab_goes_from_top_to_bottom(open_dialog: OpenDialog):
    dialog = open_dialog("audio", 900, 1400)
    wanted = [control for control in controls(dialog.page) if control.isEnabled()]
    wanted.sort(key=lambda control: (control.mapTo(dialog, QPoint(0, control.height() // 2)).y(), control.x()))
    walked: list[QWidget] = []
    widget = dialog.list.nextInFocusChain()
    while widget is not dialog.list and widget is not None:
        if widget in wanted:
            walked.append(widget)
        widget = widget.nextInFocusChain()
    assert walked == wanted


@pytest.mark.parametrize("key", PAGES)
def test_a_change_of_theme_or_size_reaches_every_page(styled: QApplication, open_dialog: OpenDialog, key: str):
    dialog = open_dialog(key)
    before = dialog.grab().toImage()
    theme.choose_theme(styled, "dark")
    theme.set_font_scale(styled, 1.3)
    styled.processEvents()
    after = dialog.grab().toImage()
    assert before.pixelColor(2, 2).name() == theme.LIGHT.window
    assert after.pixelColor(2, 2).name() == theme.DARK.window
