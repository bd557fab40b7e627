"""The picture of what leaves this computer, and the switch beside it."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui import theme
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.settings_dialog.privacy_page import PrivacyPage
from tests.ui.settings_dialog.conftest import OpenDialog


def page_of(dialog: SettingsDialog) -> PrivacyPage:
    page = dialog.pages["privacy"]
    assert isinstance(page, PrivacyPage)
    return page


def test_nobody_is_drawn_elsewhere_with_a_model_on_this_computer(open_dialog: OpenDialog) -> None:
    drawing = page_of(open_dialog("privacy")).drawing
    assert drawing.elsewhere == []
    assert drawing.accessibleDescription() == "Nothing leaves this computer."


def test_whoever_gets_the_words_is_drawn_elsewhere(open_dialog: OpenDialog, store: SettingsStore) -> None:
    store.settings.llm.model = "gpt-4.1"
    store.settings.llm.fallback_model = "claude-opus-4-1"
    drawing = page_of(open_dialog("privacy")).drawing
    assert drawing.elsewhere == ["Anthropic", "OpenAI"]
    assert "Anthropic, OpenAI" in drawing.accessibleDescription()


def test_an_engine_that_asks_nobody_sends_nothing(open_dialog: OpenDialog, store: SettingsStore) -> None:
    store.settings.llm.model = "gpt-4.1"
    store.settings.engine = "moshi"
    page = page_of(open_dialog("privacy"))
    assert page.drawing.elsewhere == []
    assert "asks no language model" in page.text.text
    assert not page.unfinished_row.isVisible()


def test_unfinished_sentences_can_be_kept_here(open_dialog: OpenDialog, store: SettingsStore) -> None:
    page = page_of(open_dialog("privacy"))
    assert page.unfinished.isChecked()
    page.unfinished.click()
    assert not store.settings.llm.speculate


@pytest.mark.parametrize("model", ["starter", "gpt-4.1"])
@pytest.mark.parametrize(("width", "scale"), [(900, 1.0), (680, 1.5)])
def test_it_is_painted_whole_at_every_size(
    styled: QApplication, open_dialog: OpenDialog, store: SettingsStore, model: str, width: int, scale: float
) -> None:
    theme.set_font_scale(styled, scale)
    store.settings.llm.model = model
    dialog = open_dialog("privacy", width=width)
    drawing = page_of(dialog).drawing
    assert drawing.height() >= drawing.sizeHint().height()
    picture = drawing.grab().toImage()
    middle = picture.pixelColor(picture.width() // 4, picture.height() // 2)
    border = picture.pixelColor(2, picture.height() // 2)
    assert border != middle, "the border of this computer is drawn"
