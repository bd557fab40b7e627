"""Single widgets."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kame_desktop.core import events as ev
from kame_desktop.core.events import SpokenKind
from kame_desktop.ui import theme
from kame_desktop.ui.rows import Answer, CardStatus, OracleCard, Spoken, Turn, UserLine
from kame_desktop.ui.view_models import ConversationModel
from kame_desktop.ui.widgets.flow_text import FlowText, Run
from kame_desktop.ui.widgets.labels import ElidedLabel
from kame_desktop.ui.widgets.level_meter import LevelMeter
from kame_desktop.ui.widgets.oracle_card import OracleCardView
from kame_desktop.ui.widgets.state_line import StateLine
from kame_desktop.ui.widgets.turn_row import FOLDED_SHOWN, OracleCell, TurnRow, answer_runs, user_runs

pytestmark = pytest.mark.usefixtures("styled")


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("shown", [theme.LIGHT, theme.DARK], ids=lambda shown: shown.name)
def test_every_word_can_be_read(shown: theme.Theme):
    words = {shown.text, shown.muted, shown.faint, shown.accent, shown.good, shown.warn, shown.bad}
    for colour in words | set(shown.generations):
        for ground in (shown.surface, shown.raised):
            assert contrast(colour, ground) >= 4.5, (colour, ground)
    for colour in shown.generations:
        assert contrast(shown.on_tag, colour) >= 4.5
    for colour in (shown.text, shown.muted):
        assert contrast(colour, shown.window) >= 4.5
    assert contrast(shown.on_accent, shown.accent) >= 4.5


class TestFlowText:
    def make(self, qtbot: QtBot, width: int = 200) -> FlowText:
        text = FlowText()
        qtbot.addWidget(text)
        text.resize(width, 20)
        text.show()
        return text

    def test_grows_downward(self, qtbot: QtBot):
        text = self.make(qtbot)
        text.set_runs([Run("one")])
        low = text.height()
        text.set_runs([Run("one " * 60)])
        assert text.height() > 5 * low
        text.set_runs([])
        assert text.height() <= low

    def test_arriving_words_keep_the_selection(self, qtbot: QtBot):
        text = self.make(qtbot)
        text.set_runs([Run("How many", "text"), Run(" daze", "faint")])
        qtbot.mouseDClick(text, Qt.MouseButton.LeftButton, pos=QPoint(4, 8))
        assert text.selected_text == "How"
        text.set_runs([Run("How many", "text"), Run(" days are", "faint")])
        text.set_runs([Run("How many days", "text"), Run(" are there", "faint")])
        assert text.selected_text == "How"
        assert text.text == "How many days are there"

    def test_drag_and_copy(self, qtbot: QtBot):
        text = self.make(qtbot)
        text.set_runs([Run("How many days")])
        qtbot.mousePress(text, Qt.MouseButton.LeftButton, pos=QPoint(0, 8))
        qtbot.mouseMove(text, QPoint(199, 8))
        qtbot.mouseRelease(text, Qt.MouseButton.LeftButton, pos=QPoint(199, 8))
        qtbot.keyClick(text, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        qtbot.keyClick(text, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text() == "How many days"

    @pytest.mark.parametrize(
        "steps",
        [
            [["a"], ["a b"], ["a b c"]],
            [["a", " b"], ["a b"], ["a b", " c"]],
            [["a", " b", " c"], ["a"], []],
            [["x y"], ["x z"], ["q"]],
        ],
    )
    def test_shows_what_it_was_last_told(self, qtbot: QtBot, steps: list[list[str]]):
        text = self.make(qtbot)
        for step in steps:
            text.set_runs([Run(part, "text" if place % 2 else "faint") for place, part in enumerate(step)])
            assert text.text == "".join(step)
            assert "".join(run.text for run in text.runs) == "".join(step)

    def test_recolours_with_the_theme(self, qtbot: QtBot, styled: QApplication):
        text = self.make(qtbot)
        text.set_runs([Run(" 1 ", 1, tag=True), Run("word", 1)])
        theme.apply_theme(styled, theme.DARK)
        assert text.text.strip().startswith("1")
        text.grab()


class TestRuns:
    def test_user_words(self):
        runs = user_runs(UserLine("how many days", 2))
        assert [(run.text, run.colour) for run in runs] == [("how many", "text"), (" days", "faint")]

    def test_answer(self):
        answer = Answer(
            [
                Spoken("Well,", None, None, SpokenKind.OPENER),
                Spoken("there", 4, 1, SpokenKind.ANSWER),
                Spoken("are", 4, 1, SpokenKind.ANSWER),
                Spoken("or", 5, 2, SpokenKind.CONNECTOR, correction=True),
                Spoken("rather,", 5, 2, SpokenKind.CONNECTOR),
                Spoken("none", 5, 2, SpokenKind.ANSWER),
            ],
            interrupted=True,
        )
        runs = answer_runs(answer, "— interrupted")
        text = "".join(run.text for run in runs).replace("\N{NO-BREAK SPACE}", " ")
        assert " ".join(text.split()) == "Well, 1 there are ↪ or rather, 2 none — interrupted"
        looks = {run.text.strip(): run for run in runs if run.text.strip()}
        assert looks["Well,"].italic
        assert looks["or rather,"].italic
        assert not looks["there are"].italic
        assert [run.colour for run in runs if run.tag] == [1, 2]

    def test_words_only_ever_append(self):
        """What was shown stays where it is when a word is added: the runs so far are a prefix, but for the last."""
        answer = Answer()
        before: list[Run] = []
        for word in (
            Spoken("Well,", None, None, SpokenKind.OPENER),
            Spoken("it", 1, 1, SpokenKind.ANSWER),
            Spoken("is", 1, 1, SpokenKind.ANSWER),
            Spoken("or", 2, 2, SpokenKind.CONNECTOR),
            Spoken("was", 2, 2, SpokenKind.ANSWER),
        ):
            answer.words.append(word)
            after = answer_runs(answer, "")
            assert after[: len(before) - 1] == before[:-1]
            if before:
                assert after[len(before) - 1].text.startswith(before[-1].text)
            before = after


def card(number: int, status: CardStatus, text: str = "There are many.") -> OracleCard:
    return OracleCard(number, 1, number, model="GPT", text=text, status=status, first_token_ms=210.0)


class TestOracleCard:
    def test_superseded_folds_to_a_line_and_unfolds_by_key(self, qtbot: QtBot):
        view = OracleCardView(card(1, CardStatus.STREAMING, "many words " * 20))
        qtbot.addWidget(view)
        view.resize(300, 200)
        view.show()
        qtbot.waitUntil(lambda: view.sizeHint().height() > 100)
        view.show_card(card(1, CardStatus.SUPERSEDED, "many words " * 20))
        assert view.folded
        qtbot.waitUntil(lambda: view.sizeHint().height() < 40)
        qtbot.keyClick(view, Qt.Key.Key_Space)
        assert not view.folded
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton)
        assert view.folded
        view.grab()

    @pytest.mark.parametrize("status", list(CardStatus))
    def test_status_is_in_words(self, qtbot: QtBot, status: CardStatus):
        view = OracleCardView(card(3, status))
        qtbot.addWidget(view)
        words = {
            CardStatus.ASKED: "Asked",
            CardStatus.STREAMING: "Streaming",
            CardStatus.COMPLETE: "Complete",
            CardStatus.SUPERSEDED: "Superseded",
            CardStatus.FAILED: "Failed",
        }
        assert words[status] in view.accessibleName()
        assert "3" in view.accessibleName()

    def test_says_time_and_tokens_and_words(self, qtbot: QtBot):
        shown = card(1, CardStatus.COMPLETE)
        shown.based_on, shown.tokens_fed, shown.tokens_missed = "how many", 5, 2
        view = OracleCardView(shown)
        qtbot.addWidget(view)
        said = view.accessibleDescription().replace("\N{NO-BREAK SPACE}", " ")
        for part in ("GPT", "first token 210 ms", "“how many”", "5 tokens fed", "2 not needed"):
            assert part in said


class TestOracleCell:
    def test_old_superseded_cards_hide_behind_a_button(self, qtbot: QtBot):
        turn = Turn(1, cards=[card(n, CardStatus.SUPERSEDED) for n in range(1, 8)] + [card(8, CardStatus.STREAMING)])
        cell = OracleCell()
        qtbot.addWidget(cell)
        cell.show_turn(turn)
        assert list(cell.views) == [5, 6, 7, 8][-FOLDED_SHOWN - 1 :]
        assert cell.earlier.text() == "4 earlier answers"
        cell.earlier.click()
        assert sorted(cell.views) == list(range(1, 9))
        cell.earlier.click()
        assert len(cell.views) == FOLDED_SHOWN + 1

    def test_cards_are_kept_not_rebuilt(self, qtbot: QtBot):
        cell = OracleCell()
        qtbot.addWidget(cell)
        turn = Turn(1, cards=[card(1, CardStatus.STREAMING)])
        cell.show_turn(turn)
        view = cell.views[1]
        turn.cards[0].text += " More."
        turn.cards.append(card(2, CardStatus.ASKED))
        cell.show_turn(turn)
        assert cell.views[1] is view


def test_row_never_gets_lower_while_it_is_the_newest(qtbot: QtBot):
    row = TurnRow(first=True)
    qtbot.addWidget(row)
    row.resize(900, 300)
    row.show()
    turn = Turn(1, cards=[card(1, CardStatus.STREAMING, "many words " * 40)])
    row.show_oracle(turn)
    qtbot.waitUntil(lambda: row.sizeHint().height() > 150)
    high = row.sizeHint().height()
    turn.cards[0].status = CardStatus.SUPERSEDED
    row.show_oracle(turn)
    assert row.sizeHint().height() == high
    row.settle()
    qtbot.waitUntil(lambda: row.sizeHint().height() < high)


@pytest.mark.parametrize(("dbfs", "fraction"), [(-120.0, 0.0), (-60.0, 0.0), (-30.0, 0.5), (0.0, 1.0), (3.0, 1.0)])
def test_meter(qtbot: QtBot, dbfs: float, fraction: float):
    meter = LevelMeter("Input level")
    qtbot.addWidget(meter)
    meter.set_level(dbfs)
    assert meter.fraction == pytest.approx(fraction)
    assert meter.accessibleDescription()
    meter.grab()


def test_elided_label_tells_all_in_its_tooltip(qtbot: QtBot):
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setText("a very long text " * 9)
    label.resize(50, 20)
    label.grab()
    assert label.toolTip() == label.text()
    assert label.minimumSizeHint().width() == 0


class TestMemory:
    def test_a_fresh_start_is_offered_when_the_memory_runs_out(self, qtbot):
        line = StateLine()
        qtbot.addWidget(line)
        line.show()
        model = ConversationModel()
        model.apply([ev.ContextUsed(at_ms=0.0, used_ms=65_000.0, limit_ms=240_000.0, running_out=False)])
        line.show_model(model)
        assert "memory 1:05 of 4:00" in line.numbers
        assert not line.fresh_start.isVisible()
        model.apply([ev.ContextUsed(at_ms=0.0, used_ms=205_000.0, limit_ms=240_000.0, running_out=True)])
        line.show_model(model)
        with qtbot.waitSignal(line.fresh_start_wanted, timeout=1_000):
            line.fresh_start.click()
