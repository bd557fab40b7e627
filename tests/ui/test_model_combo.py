"""The list of language models."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core import events as ev
from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.rows import Phase
from kame_desktop.ui.widgets.model_combo import ModelCombo
from tests.fakes.session import FakeServices
from tests.ui.happenings import answered, final

OpenWindow = Callable[..., MainWindow]


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow, services: FakeServices) -> MainWindow:
    """Its list has been refreshed: OpenAI has a key, Anthropic hasn't."""
    services.models = [
        LlmModel("starter", "Starter model", starter=True),
        LlmModel("gpt-4.1", "GPT-4.1", provider="openai"),
        LlmModel("claude-opus-4-1", "Claude Opus 4.1", provider="anthropic"),
    ]
    services.local_models = [LlmModel("llama3.2", "Llama 3.2", api_base="http://127.0.0.1:11434/v1")]
    services.key_store.environment["openai"] = "sk-1"
    window = open_window()
    window.llms.refresh()
    qtbot.waitUntil(lambda: window.controls.model.findText("Llama 3.2") >= 0)
    return window


def lines(combo: ModelCombo) -> list[str]:
    return [combo.itemText(row) for row in range(combo.count()) if combo.itemText(row)]


def pick(combo: ModelCombo, text: str) -> None:
    row = combo.findText(text, Qt.MatchFlag.MatchStartsWith)
    combo.setCurrentIndex(row)
    combo.activated.emit(row)


def test_groups_and_what_is_missing(window: MainWindow):
    assert lines(window.controls.model) == [
        "On this computer",
        "Starter model",
        "Llama 3.2",
        "OpenAI",
        "GPT-4.1",
        "Anthropic",
        "Claude Opus 4.1  –  needs a key",
        "Other model…",
        "Keys and tests…",
    ]


def test_headings_cannot_be_chosen(window: MainWindow):
    combo = window.controls.model
    row = combo.findText("OpenAI")
    assert not combo.model().index(row, 0).flags() & Qt.ItemFlag.ItemIsEnabled


def test_a_model_without_a_key_is_not_used(qtbot: QtBot, window: MainWindow):
    combo = window.controls.model
    combo.key_wanted.disconnect()
    with qtbot.waitSignal(combo.key_wanted) as wanted:
        pick(combo, "Claude")
    assert wanted.args is not None
    assert wanted.args[0].model.name == "claude-opus-4-1"
    assert combo.currentText() == "Starter model"


def test_found_service_is_kept_once_it_was_used(
    qtbot: QtBot, window: MainWindow, services: FakeServices, store: SettingsStore
):
    pick(window.controls.model, "Llama 3.2")
    assert window.llms.model is not None
    assert window.llms.model.api_base == "http://127.0.0.1:11434/v1"
    assert SettingsStore(store._path).load().llm.model == "llama3.2"


def test_usage_of_today_and_budget(qtbot: QtBot, window: MainWindow, services: FakeServices):
    window.toggle()
    qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
    services.session.publish(
        ev.UsageUpdated(
            at_ms=1.0,
            calls=4,
            prompt_tokens=400,
            completion_tokens=80,
            cost_usd=0.012,
            today_calls=9,
            today_prompt_tokens=900,
            today_completion_tokens=200,
            today_cost_usd=0.034,
            budget_usd=0.5,
            speculating=False,
        )
    )
    qtbot.waitUntil(lambda: "$0.0120 of $0.50" in window.foot.text)
    assert "today $0.0340" in window.foot.text
    assert "finished sentences only" in window.foot.text


def test_why_a_model_was_chosen_stands_on_the_card(qtbot: QtBot, window: MainWindow, services: FakeServices):
    window.toggle()
    qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
    services.session.publish(
        final(1, "Why is the sky blue?"),
        ev.OracleRequested(
            at_ms=1.0,
            generation=1,
            utterance=1,
            model="gpt-4.1",
            prompt_tokens=9,
            because=ev.AskReason.FINAL,
            heard_words=5,
            chosen_because="Auto: science",
        ),
        answered(1, "Because air scatters it.", done=True),
    )
    qtbot.waitUntil(lambda: 1 in window.conversation.rows)
    (card,) = window.conversation.rows[1].oracle.views.values()
    assert "Auto: science" in card.accessibleDescription()
    assert "4\N{NO-BREAK SPACE}words" in card.accessibleDescription()


def test_asking_finished_sentences_only(window: MainWindow, services: FakeServices, store: SettingsStore, qtbot: QtBot):
    window.toggle()
    qtbot.waitUntil(lambda: window.model.phase is Phase.READY)
    window.actions_.speculates.trigger()
    assert services.session.speculation[-1] is False
    assert SettingsStore(store._path).load().llm.speculate is False


def test_a_model_by_name_without_a_key_leads_to_the_keys(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
):
    asked: list[str] = []
    monkeypatch.setattr(window.dialogs, "show_keys", lambda choice: asked.append(choice.model.name))
    window.dialogs.model_chosen.emit(LlmModel("claude-haiku-4-5", "Claude Haiku", provider="anthropic"))
    assert asked == ["claude-haiku-4-5"]
    assert window.controls.model.currentText() == "Starter model"
    window.dialogs.model_chosen.emit(LlmModel("gpt-4.1", "GPT-4.1", provider="openai"))
    assert window.controls.model.currentText() == "GPT-4.1"
