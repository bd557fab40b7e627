"""The list of models: use, test, keys, discovery, models of one's own."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from kame_desktop.backend.llm.base import LlmModel, LlmTest
from kame_desktop.core.errors import LlmError
from kame_desktop.core.settings import CustomModel, SettingsStore
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.settings_dialog.keys_page import KeysPage
from kame_desktop.ui.settings_dialog.models_page import ModelsPage
from kame_desktop.ui.widgets.model_dialog import ModelDialog
from tests.ui.settings_dialog.conftest import GatedServices, OpenDialog


def page_of(dialog: SettingsDialog) -> ModelsPage:
    page = dialog.pages["models"]
    assert isinstance(page, ModelsPage)
    return page


def select(page: ModelsPage, name: str) -> None:
    page.tree.setCurrentItem(page.tree.items[name])


def state(page: ModelsPage, name: str) -> str:
    return page.tree.items[name].text(1)


def test_each_model_says_how_it_stands(open_dialog: OpenDialog):
    page = page_of(open_dialog("models"))
    assert state(page, "starter") == "In use, ready"
    assert state(page, "gpt-4.1") == "Ready"
    assert state(page, "claude-opus-4-1") == "Needs a key"
    for name in ("gpt-4.1", "claude-opus-4-1"):
        assert not page.tree.items[name].icon(1).isNull()


def test_selecting_changes_nothing_and_using_does(qtbot: QtBot, open_dialog: OpenDialog, store: SettingsStore):
    dialog = open_dialog("models")
    page = page_of(dialog)
    select(page, "gpt-4.1")
    assert store.settings.llm.model == "starter"
    with qtbot.waitSignal(dialog.model_chosen) as told:
        page.panel.use.click()
    assert told.args is not None
    assert told.args[0].name == "gpt-4.1"
    assert store.settings.llm.model == "gpt-4.1"
    assert state(page, "gpt-4.1") == "In use, ready"
    assert not page.panel.use.isEnabled()


def test_enter_uses_the_selected_model(qtbot: QtBot, open_dialog: OpenDialog, store: SettingsStore):
    page = page_of(open_dialog("models"))
    select(page, "gpt-4.1")
    qtbot.keyClick(page.tree, Qt.Key.Key_Return)
    assert store.settings.llm.model == "gpt-4.1"


def test_a_model_without_a_key_asks_for_it(qtbot: QtBot, open_dialog: OpenDialog, store: SettingsStore):
    dialog = open_dialog("models")
    page = page_of(dialog)
    select(page, "claude-opus-4-1")
    assert not page.panel.use.isVisible()
    assert not page.panel.test.isEnabled()
    page.panel.enter_key.click()
    qtbot.waitUntil(lambda: dialog.idle)
    keys = dialog.pages["keys"]
    assert isinstance(keys, KeysPage)
    assert dialog.page is keys
    assert keys.key_rows["anthropic"].field.isVisible()
    assert store.settings.llm.model == "starter"


def test_a_test_tells_the_time_to_the_first_word(qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog):
    services.gate.clear()
    dialog = open_dialog("models")
    page = page_of(dialog)
    select(page, "gpt-4.1")
    page.panel.test.click()
    assert page.panel.spinner.isVisible()
    assert "GPT-4.1" in page.panel.outcome.text
    services.gate.set()
    qtbot.waitUntil(lambda: dialog.idle)
    assert page.panel.outcome.text == "It works: first word after 412 ms."
    assert not page.panel.spinner.isVisible()
    assert state(page, "gpt-4.1") == "Ready, 412 ms"


def test_a_failed_test_tells_why(qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog):
    refused = LlmError("The service refused the key.", "Check the key.")
    services.tests["gpt-4.1"] = LlmTest(LlmModel("gpt-4.1", "GPT-4.1"), error=refused)
    dialog = open_dialog("models")
    page = page_of(dialog)
    select(page, "gpt-4.1")
    page.panel.test.click()
    qtbot.waitUntil(lambda: dialog.idle)
    assert page.panel.outcome.text == "The service refused the key. Check the key."
    assert state(page, "gpt-4.1") == "Test failed"


def test_a_test_can_be_cancelled_and_another_one_begun(qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog):
    services.gate.clear()
    dialog = open_dialog("models")
    page = page_of(dialog)
    select(page, "gpt-4.1")
    page.panel.test.click()
    qtbot.waitUntil(lambda: services.asked == ["gpt-4.1"])
    page.panel.test.click()
    assert not page.panel.spinner.isVisible()
    assert page.panel.outcome.text == ""
    select(page, "starter")
    page.panel.test.click()
    services.gate.set()
    qtbot.waitUntil(lambda: dialog.idle)
    assert set(page.panel.tests) == {"starter"}
    assert state(page, "gpt-4.1") == "Ready"


def test_what_is_found_on_this_computer_joins_the_list(
    qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog, store: SettingsStore
):
    services.local_models = [LlmModel("ollama/llama3.2", "llama3.2 (Ollama)", api_base="http://localhost:11434")]
    dialog = open_dialog("models")
    page = page_of(dialog)
    page.find_button.click()
    qtbot.waitUntil(lambda: dialog.idle)
    assert "One model was found" in page.notice.text
    select(page, "ollama/llama3.2")
    page.panel.use.click()
    assert store.settings.llm.model == "ollama/llama3.2"
    assert store.settings.llm.custom_models == [CustomModel(name="ollama/llama3.2", api_base="http://localhost:11434")]


def test_nothing_found_says_what_to_do(qtbot: QtBot, open_dialog: OpenDialog):
    dialog = open_dialog("models")
    page = page_of(dialog)
    page.find_button.click()
    qtbot.waitUntil(lambda: dialog.idle)
    assert "Start Ollama" in page.notice.text


def test_the_filter_narrows_the_list(qtbot: QtBot, open_dialog: OpenDialog):
    page = page_of(open_dialog("models"))
    qtbot.keyClicks(page.filter, "anthropic opus")
    assert list(page.tree.items) == ["claude-opus-4-1"]
    page.filter.clear()
    assert "gpt-4.1" in page.tree.items


def test_a_model_of_ones_own_is_added_and_removed(
    qtbot: QtBot, services: GatedServices, open_dialog: OpenDialog, store: SettingsStore
):
    dialog = open_dialog("models")
    page = page_of(dialog)
    page.add_own.click()
    asked = dialog.findChild(ModelDialog)
    assert asked is not None
    asked.name.setText("not a name")
    asked.accept()
    assert "not a model name" in asked.problem.text()
    asked.name.setText("openai/qwen")
    asked.api_base.setText("http://192.168.1.20:8000/v1")
    services.models.append(LlmModel("openai/qwen", "qwen", api_base="http://192.168.1.20:8000/v1"))
    with qtbot.waitSignal(dialog.changed, check_params_cb=lambda section: section == "models"):
        asked.accept()
    qtbot.waitUntil(lambda: dialog.idle)
    entry = CustomModel(name="openai/qwen", api_base="http://192.168.1.20:8000/v1")
    assert store.settings.llm.custom_models == [entry]
    assert page.tree.selected is not None
    assert page.tree.selected.model.name == "openai/qwen"
    assert page.panel.remove.isVisible()
    services.models.pop()
    page.panel.remove.click()
    qtbot.waitUntil(lambda: dialog.idle)
    assert store.settings.llm.custom_models == []
    assert "openai/qwen" not in page.tree.items


def test_a_model_of_the_catalogue_cannot_be_removed(open_dialog: OpenDialog):
    page = page_of(open_dialog("models"))
    select(page, "gpt-4.1")
    assert not page.panel.remove.isVisible()
