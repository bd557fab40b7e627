"""The rules of Auto."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from kame_desktop.backend.llm.routing import built_in_rules
from kame_desktop.core.settings import AutoRule, SettingsStore
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.settings_dialog.auto_page import AutoPage
from tests.ui.settings_dialog.conftest import OpenDialog

SPACE = AutoRule(topic="Space", keywords=["planet*", "black hole"], model="gpt-4.1")
FOOD = AutoRule(topic="Food", keywords=["soup", "bread"], model=None)


def page_of(dialog: SettingsDialog) -> AutoPage:
    page = dialog.pages["auto"]
    assert isinstance(page, AutoPage)
    return page


def topics(page: AutoPage) -> list[str]:
    return [row.rule.topic for row in page.rule_rows]


def test_built_in_rules_are_shown_and_not_stored(open_dialog: OpenDialog, store: SettingsStore):
    page = page_of(open_dialog("auto"))
    assert [row.rule for row in page.rule_rows] == built_in_rules()
    assert store.settings.llm.auto_rules is None


def test_auto_is_switched_on_and_back_to_the_model_before(qtbot: QtBot, open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.model = "gpt-4.1"
    dialog = open_dialog("auto")
    page = page_of(dialog)
    with qtbot.waitSignal(dialog.model_chosen):
        page.on.click()
    assert store.settings.llm.model == "auto"
    with qtbot.waitSignal(dialog.model_chosen) as told:
        page.on.click()
    assert told.args is not None
    assert told.args[0].name == "gpt-4.1"
    assert store.settings.llm.model == "gpt-4.1"


def test_a_rule_is_edited(qtbot: QtBot, open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.auto_rules = [SPACE]
    row = page_of(open_dialog("auto")).rule_rows[0]
    row.topic.setFocus()
    row.topic.selectAll()
    qtbot.keyClicks(row.topic, "Astronomy")
    row.words.setPlainText("comet ,  black   hole,,\nmoon*")
    wanted = AutoRule(topic="Astronomy", keywords=["comet", "black hole", "moon*"], model="gpt-4.1")
    qtbot.waitUntil(lambda: store.settings.llm.auto_rules == [wanted])
    row.weak.click()
    assert store.settings.llm.auto_rules == [wanted.model_copy(update={"weak": True})]
    row.model.pick(None)
    assert store.settings.llm.auto_rules == [wanted.model_copy(update={"weak": True, "model": None})]


def test_rules_are_moved(open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.auto_rules = [SPACE, FOOD]
    page = page_of(open_dialog("auto"))
    assert not page.rule_rows[0].up.isEnabled()
    assert not page.rule_rows[1].down.isEnabled()
    page.rule_rows[0].down.click()
    assert store.settings.llm.auto_rules == [FOOD, SPACE]
    assert topics(page) == ["Food", "Space"]
    page.rule_rows[1].up.click()
    assert store.settings.llm.auto_rules == [SPACE, FOOD]
    assert page.rule_rows[0].y() < page.rule_rows[1].y() or not page.rule_rows[0].isVisible()


def test_rules_are_removed_and_added(qtbot: QtBot, open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.auto_rules = [SPACE, FOOD]
    dialog = open_dialog("auto")
    page = page_of(dialog)
    page.rule_rows[0].remove.click()
    assert store.settings.llm.auto_rules == [FOOD]
    page.add_button.click()
    assert store.settings.llm.auto_rules == [FOOD]  # an empty rule is none yet
    row = page.rule_rows[-1]
    assert row.topic.hasFocus()
    qtbot.keyClicks(row.topic, "Music")
    dialog.close()
    assert store.settings.llm.auto_rules == [FOOD, AutoRule(topic="Music")]


def test_reset_brings_the_built_in_rules_back(open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.auto_rules = [SPACE]
    store.settings.llm.auto_default = "gpt-4.1"
    dialog = open_dialog("auto")
    dialog.reset_button.click()
    assert store.settings.llm.auto_rules is None
    assert store.settings.llm.auto_default is None
    assert [row.rule for row in page_of(dialog).rule_rows] == built_in_rules()


def test_no_rules_at_all_is_a_choice(open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.auto_rules = [SPACE]
    page = page_of(open_dialog("auto"))
    page.rule_rows[0].remove.click()
    assert store.settings.llm.auto_rules == []
    assert page.add_button.hasFocus()


def test_a_question_is_tried(qtbot: QtBot, open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.auto_rules = [SPACE, FOOD]
    page = page_of(open_dialog("auto"))
    qtbot.keyClicks(page.question, "Which planets are big?")
    assert page.answer.text.startswith("GPT-4.1 is asked.")
    assert "Space" in page.answer.text
    page.question.clear()
    qtbot.keyClicks(page.question, "Who was he?")
    assert page.answer.text.startswith("Starter model is asked.")
    page.other.pick("gpt-4.1")
    assert store.settings.llm.auto_default == "gpt-4.1"
    assert page.answer.text.startswith("GPT-4.1 is asked.")


def test_the_try_field_uses_rules_as_they_are_typed(qtbot: QtBot, open_dialog: OpenDialog, store: SettingsStore):
    store.settings.llm.auto_rules = [SPACE]
    page = page_of(open_dialog("auto"))
    qtbot.keyClicks(page.question, "Is soup good?")
    assert "Space" not in page.answer.text
    page.rule_rows[0].words.setPlainText("soup")
    assert "Space" in page.answer.text
