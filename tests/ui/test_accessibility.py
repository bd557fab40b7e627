"""Everything has a name, a key and a place in the order; no key does two things; no colour says something alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from kame_desktop.core.checks import Check, CheckState
from kame_desktop.core.events import MicrophoneClosed
from kame_desktop.core.settings import SettingsStore
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.ui import theme
from kame_desktop.ui.compare import CompareDialog
from kame_desktop.ui.compare.model import Run, RunState
from kame_desktop.ui.doctor_dialog import DoctorDialog, FoundCheck
from kame_desktop.ui.gallery import render
from kame_desktop.ui.history_dialog import HistoryDialog
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.palette import Theme
from kame_desktop.ui.rows import CardStatus, OracleCard, Phase
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.sources import Source
from kame_desktop.ui.view_models import ConversationModel
from kame_desktop.ui.widgets.model_dialog import ModelDialog
from kame_desktop.ui.widgets.oracle_card import OracleCardView
from kame_desktop.ui.widgets.sound_buttons import MicrophoneButton
from kame_desktop.ui.widgets.state_line import StateLine
from kame_desktop.ui.widgets.timeline import Timeline
from tests.fakes.session import FakeServices
from tests.ui.languages import language
from tests.ui.walk import centre, controls, described, has_label, mnemonics, shortcuts, walked

THEMES = (theme.LIGHT, theme.DARK, theme.HIGH_LIGHT, theme.HIGH_DARK)
LANGUAGES = ("en", "es")
SCENES = ("empty", "setup", "speaking", "search", "paused", "error", "activity", "presenter")
PAGES = ("audio", "models", "keys", "answers", "auto", "appearance", "privacy")

OpenScene = Callable[[str], MainWindow]


def speaking(app: QApplication, code: str) -> AbstractContextManager[None]:
    return language(app, code) if code != "en" else nullcontext()


@pytest.fixture(params=LANGUAGES)
def spoken(styled: QApplication, request: pytest.FixtureRequest) -> Iterator[str]:
    """The language of the test."""
    with speaking(styled, request.param):
        yield request.param


@pytest.fixture
def open_scene(styled: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenScene]:
    """The window in a scene of the gallery, wide enough for all of it."""
    opened: list[MainWindow] = []

    def make(scene: str) -> MainWindow:
        window = render.make_window(styled, scene, (1280, 900), tmp_path)
        qtbot.addWidget(window)
        opened.append(window)
        return window

    yield make
    for window in opened:
        window.presenter.leave()
        window.controller.shut_down()
        window.close()
        window.shut_down()


class Findings:
    """A check of the system that finds one thing of each kind."""

    def check_system(self, found: Callable[[str, Check], None], *, sound: bool) -> Sequence[FoundCheck]:
        checks = [("Computer", Check("memory", state, "Enough.", "Nothing.")) for state in CheckState]
        for part, check in checks:
            found(part, check)
        return checks

    def diagnostics(self, checks: Sequence[FoundCheck] = ()) -> str:
        return ""


@pytest.fixture
def dialogs(
    styled: QApplication, qtbot: QtBot, services: FakeServices, store: SettingsStore, tmp_path: Path
) -> Iterator[Callable[[str], QDialog]]:
    """The dialogs by name: a page of the settings, or one of ``OTHERS``."""
    opened: list[QDialog] = []

    def make(name: str) -> QDialog:
        if name == "compare":
            dialog: QDialog = CompareDialog(services, [Source(Path("one.wav"), "What is it?", 1)], services.models[0])
        elif name == "model":
            dialog = ModelDialog(services.resolve_llm, None)
        elif name == "doctor":
            dialog = DoctorDialog(Findings(), lambda: True)
        elif name == "history":
            dialog = HistoryDialog(RecordingLibrary(tmp_path / "recordings"), store)
        else:
            dialog = SettingsDialog(services, store)
        qtbot.addWidget(dialog)
        dialog.resize(1000, 900)
        dialog.show()
        if isinstance(dialog, SettingsDialog):
            dialog.show_page(name)
        if isinstance(dialog, (SettingsDialog, DoctorDialog)):
            qtbot.waitUntil(lambda: dialog.idle)
        opened.append(dialog)
        return dialog

    yield make
    for dialog in opened:
        dialog.close()


OTHERS = ("compare", "model", "doctor", "history")
DIALOGS = (*PAGES, *OTHERS)


def nameless(root: QWidget) -> list[str]:
    """Controls that a screen reader would call nothing."""
    found: list[str] = []
    for control in controls(root):
        said = control.accessibleName() or (control.text() if isinstance(control, QAbstractButton) else "")
        if not said.strip() and not isinstance(control, QScrollArea):
            found.append(described(control))
    return found


def unlabelled(root: QWidget) -> list[str]:
    """Controls that say nothing of themselves to someone who looks."""
    skipped = (QScrollArea, Timeline)  # the time line's rows are named beside it
    return [described(one) for one in controls(root) if not isinstance(one, skipped) and not has_label(one)]


# -- names ----


@pytest.mark.parametrize("scene", SCENES)
def test_every_control_of_the_window_has_a_name_and_says_what_it_is(open_scene: OpenScene, scene: str):
    window = open_scene(scene)
    assert controls(window) != []
    assert nameless(window) == []
    assert unlabelled(window) == []


@pytest.mark.parametrize("name", DIALOGS)
def test_every_control_of_a_dialog_has_a_name(dialogs: Callable[[str], QDialog], name: str):
    dialog = dialogs(name)
    assert controls(dialog) != []
    assert nameless(dialog) == []


def test_every_control_of_the_window_can_be_reached_by_tab(open_scene: OpenScene):
    window = open_scene("speaking")
    kinds = (QAbstractButton, QComboBox)
    shown = [one for one in window.findChildren(QWidget) if isinstance(one, kinds) and one.isVisible()]
    unreachable = [described(one) for one in shown if not one.focusPolicy() & Qt.FocusPolicy.TabFocus]
    by_key = ("timelineButton",)  # beside the time line, which has the focus and their keys
    assert [one for one in unreachable if not any(key in one for key in by_key)] == []


# -- order ----


def test_tab_follows_the_eye_from_the_top_to_the_bottom(open_scene: OpenScene):
    window = open_scene("empty")
    order = walked(window, window.controls.start)
    assert set(order) == set(controls(window))
    bar = [one for one in order if window.controls.isAncestorOf(one)]
    assert [centre(one)[0] for one in bar] == sorted(centre(one)[0] for one in bar)
    parts = [window.controls, window.page.heads, window.page.empty]
    places = [next(number for number, part in enumerate(parts) if part.isAncestorOf(one)) for one in order]
    assert places == sorted(places)


def test_tab_goes_through_the_first_run_in_order(open_scene: OpenScene):
    window = open_scene("setup")
    inside = [one for one in walked(window, window.controls.start) if window.page.isAncestorOf(one)]
    heights = [centre(one)[1] for one in inside if not isinstance(one, QScrollArea)]
    assert heights == sorted(heights)


@pytest.mark.parametrize("scene", ["speaking", "thinking", "long"])
def test_tab_goes_through_the_answers_before_it_goes_on_to_the_time_line(open_scene: OpenScene, scene: str):
    window = open_scene(scene)
    order = walked(window, window.controls.start)
    cards = [one for one in order if isinstance(one, OracleCardView)]
    assert len(cards) > 1
    heights = [centre(one)[1] for one in cards]
    assert heights == sorted(heights)
    places = [order.index(one) for one in cards]
    assert order.index(window.conversation) == places[0] - 1
    assert places == list(range(places[0], places[0] + len(cards)))
    assert order.index(window.page.timeline.timeline) > places[-1]


def test_answers_can_be_selected_without_a_mouse(qtbot: QtBot, open_scene: OpenScene):
    window = open_scene("long")
    conversation = window.conversation
    answers = [(turn.utterance, card.generation) for turn in window.model.visible_turns for card in turn.cards]
    keys = Qt.KeyboardModifier.ControlModifier

    def selected() -> tuple[int, int | None] | None:
        current = window.page.selection.current
        return (current.utterance, current.generation) if current is not None else None

    qtbot.keyClick(window, Qt.Key.Key_Up, keys)
    for wanted in reversed(answers):
        assert selected() == wanted
        view = conversation.rows[wanted[0]].oracle.views[wanted[1]]
        top = view.mapTo(conversation.viewport(), QPoint(0, 0)).y()
        assert view.isVisible()
        assert 0 <= top < conversation.viewport().height()
        assert view.accessibleName() in conversation.accessibleDescription()
        qtbot.keyClick(window, Qt.Key.Key_Up, keys)
    assert selected() == answers[0]  # it ends there
    qtbot.keyClick(window, Qt.Key.Key_Down, keys)
    assert selected() == answers[1]


@pytest.mark.parametrize("name", OTHERS)
def test_tab_follows_the_eye_in_a_dialog(dialogs: Callable[[str], QDialog], name: str):
    dialog = dialogs(name)
    found = [one for one in controls(dialog) if not isinstance(one, QScrollArea)]
    order = [one for one in walked(dialog, found[0]) if one in found]
    rows = [centre(one)[1] // 8 for one in order]
    assert rows == sorted(rows)


# -- keys ----


@pytest.mark.parametrize("scene", SCENES)
def test_no_letter_of_the_window_is_used_twice(spoken: str, open_scene: OpenScene, scene: str):
    found = mnemonics(open_scene(scene))
    assert {letter: texts for letter, texts in found.items() if len(texts) > 1} == {}
    if scene != "presenter":  # which has only columns and time line
        assert len(found) >= 3


@pytest.mark.parametrize("name", DIALOGS)
def test_no_letter_of_a_dialog_is_used_twice(spoken: str, dialogs: Callable[[str], QDialog], name: str):
    found = mnemonics(dialogs(name))
    assert {letter: texts for letter, texts in found.items() if len(texts) > 1} == {}


def test_no_key_does_two_things(spoken: str, open_scene: OpenScene):
    found = shortcuts(open_scene("speaking"))
    assert {keys: what for keys, what in found.items() if len(what) > 1} == {}
    assert {"Ctrl+Return", "M", "F11", "Ctrl+F", "P"} <= set(found)


def test_every_action_is_in_the_menu(open_scene: OpenScene):
    window = open_scene("empty")
    listed: set[QAction] = set()
    menus = [window.actions_.menu]
    while menus:
        for action in menus.pop().actions():
            listed.add(action)
            if (inner := action.menu()) is not None:
                menus.append(inner)  # pyright: ignore[reportArgumentType] - a QMenu, declared as QObject
    ours = [action for action in window.actions() if action.text()]
    assert ours != []
    assert [action.text() for action in ours if action not in listed] == []


def test_tooltips_name_the_letters_that_work(spoken: str, open_scene: OpenScene):
    """Alt+I in a tooltip is the letter that is underlined in the label."""
    window = open_scene("empty")
    letters = mnemonics(window)
    for field in (window.controls.input, window.controls.engine, window.controls.model):
        tip = field.toolTip()
        letter = tip[tip.index("(Alt+") + 5].casefold()
        label = next(one for one in window.findChildren(QWidget) if getattr(one, "buddy", lambda: None)() is field)
        assert label.property("text") in letters[letter]


# -- not by colour alone ----


def told(texts: list[str]) -> None:
    """Each state has words of its own."""
    assert all(texts)
    assert len(set(texts)) == len(texts), texts


def test_every_state_of_the_conversation_has_words(spoken: str, qtbot: QtBot):
    class Posed(ConversationModel):
        posed = Phase.IDLE

        @property
        def phase(self) -> Phase:
            return self.posed

    line, model, texts = StateLine(), Posed(), []
    qtbot.addWidget(line)
    for phase in Phase:
        model.posed = phase
        line.show_model(model)
        texts.append(line.text)
        assert line.text in line.accessibleName()
    told(texts)


def test_every_state_of_an_answer_has_words(spoken: str, qtbot: QtBot):
    texts: list[str] = []
    for status in CardStatus:
        card = OracleCard(generation=1, number=1, utterance=1, model="m", status=status)
        view = OracleCardView(card)
        qtbot.addWidget(view)
        texts.append(view.accessibleName())
    told(texts)


def test_every_state_of_the_microphone_has_words(spoken: str, styled: QApplication, qtbot: QtBot):
    button = MicrophoneButton()
    qtbot.addWidget(button)
    texts: list[str] = []
    for closed in (None, *MicrophoneClosed):
        button.show_state(running=True, muted=closed is MicrophoneClosed.MUTED, push_to_talk=False, closed=closed)
        texts.append(button.text())
    told(texts)


def test_every_finding_of_the_system_check_has_words(spoken: str, dialogs: Callable[[str], QDialog]):
    dialog = dialogs("doctor")
    assert isinstance(dialog, DoctorDialog)
    told([row.word.text() for row in dialog.rows])


def test_every_state_of_a_compared_engine_has_words(spoken: str, dialogs: Callable[[str], QDialog]):
    dialog = dialogs("compare")
    assert isinstance(dialog, CompareDialog)
    texts: list[str] = []
    for state in RunState:
        dialog.lanes[0].show_run(Run("lite", "Lite", state), 2_000.0)
        texts.append(dialog.lanes[0].accessibleName())
    told(texts)


# -- contrast ----


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("shown", THEMES, ids=["light", "dark", "strong light", "strong dark"])
def test_every_text_can_be_read(shown: Theme):
    words = (shown.text, shown.muted, shown.faint, shown.accent, shown.good, shown.warn, shown.bad)
    for colour in (*words, *shown.generations):
        for ground in (shown.surface, shown.raised):
            assert contrast(colour, ground) >= 4.5, (colour, ground)
    assert contrast(shown.on_accent, shown.accent) >= 4.5
    assert contrast(shown.on_found, shown.found) >= 4.5
    for colour in shown.generations:
        assert contrast(shown.on_tag, colour) >= 4.5


@pytest.mark.parametrize("shown", THEMES, ids=["light", "dark", "strong light", "strong dark"])
def test_every_dot_can_be_seen(shown: Theme):
    """A sign needs 3:1 (WCAG 2.2, 1.4.11), unless the words beside it say the same."""
    for phase, colour in shown.phases.items():
        quiet = phase in (Phase.IDLE, Phase.STOPPING)
        assert contrast(colour, shown.window) >= (2.5 if quiet else 3.0), phase


@pytest.mark.parametrize(
    ("usual", "strong"), [(theme.LIGHT, theme.HIGH_LIGHT), (theme.DARK, theme.HIGH_DARK)], ids=["light", "dark"]
)
def test_strong_contrast_is_stronger(usual: Theme, strong: Theme):
    for name in ("text", "muted", "faint"):
        before, after = getattr(usual, name), getattr(strong, name)
        assert contrast(after, strong.surface) > contrast(before, usual.surface)
        assert contrast(after, strong.surface) >= 7.0


# -- the audit itself ----


def test_the_audit_finds_what_it_looks_for(styled: QApplication, qtbot: QtBot):
    root = QWidget()
    qtbot.addWidget(root)
    column = QVBoxLayout(root)
    first, second, field = QPushButton("&Save", root), QPushButton("&Send", root), QLineEdit(root)
    for widget in (field, first, second):
        column.addWidget(widget)
    QShortcut(QKeySequence("Ctrl+K"), root)
    action = QAction("Knit", root)
    action.setShortcut("Ctrl+K")
    root.addAction(action)
    root.show()
    assert nameless(root) == ["QLineEdit# in QWidget"]
    assert unlabelled(root) == ["QLineEdit# in QWidget"]
    assert mnemonics(root) == {"s": ["&Save", "&Send"]}
    assert shortcuts(root)["Ctrl+K"] == ["action Knit", "shortcut of QWidget"]
    assert walked(root, first) == [first, second, field]
    with pytest.raises(AssertionError):
        told(["Ready", "Ready"])
