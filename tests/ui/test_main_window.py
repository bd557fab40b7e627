"""The window as its user sees it, on scripted sessions."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from kame_desktop.core.errors import DeviceError
from kame_desktop.core.events import RecordingChanged, SessionState, UsageUpdated
from kame_desktop.core.settings import CustomModel, SettingsStore
from kame_desktop.ui import app, theme
from kame_desktop.ui.gallery import render
from kame_desktop.ui.gallery.scenes import SCENES as SHOWN
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.rows import Phase
from kame_desktop.ui.sources import MICROPHONE, Source
from kame_desktop.ui.widgets.labels import ElidedLabel, RoleLabel
from kame_desktop.ui.widgets.model_dialog import ModelDialog
from tests.fakes.session import FakeServices
from tests.ui.happenings import answered, asked, ended, final, heard, said, speaks, started, tick, trouble

OpenWindow = Callable[..., MainWindow]
CONTROL = Qt.KeyboardModifier.ControlModifier


def until_phase(qtbot: QtBot, window: MainWindow, phase: Phase) -> None:
    qtbot.waitUntil(lambda: window.model.phase is phase)


def until_over(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.controller.active)


def pick(window: MainWindow, text: str) -> None:
    """Choose a line of the language models' list."""
    models = window.controls.model
    row = models.findText(text, Qt.MatchFlag.MatchStartsWith)
    models.setCurrentIndex(row)
    models.activated.emit(row)


def begun(qtbot: QtBot, window: MainWindow) -> None:
    window.toggle()
    until_phase(qtbot, window, Phase.READY)


class TestStartAndStop:
    def test_by_keyboard(self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
        window = open_window()
        qtbot.keyClick(window, Qt.Key.Key_Return, CONTROL)
        until_phase(qtbot, window, Phase.READY)
        assert window.controls.start.text() == "Stop"
        assert services.session.request.wav is None
        qtbot.keyClick(window, Qt.Key.Key_Return, CONTROL)
        until_over(qtbot, window)
        assert services.session.stops == 1
        assert window.controls.start.text() == "Start"
        assert window.state_line.text == "Idle"

    def test_conversation_stays_after_the_end_and_goes_at_the_next_start(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        services.script = [final(1, "Why?"), *said("Because.", None)]
        begun(qtbot, window)
        services.session.go(SessionState.IDLE)
        until_over(qtbot, window)
        assert list(window.conversation.rows) == [1]
        assert window.conversation.isVisible()
        services.script = []
        begun(qtbot, window)
        assert window.conversation.rows == {}
        assert len(services.sessions) == 2

    def test_nothing_of_the_last_session_arrives_in_the_next(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        begun(qtbot, window)
        old = services.session
        window.controller.stop()
        until_over(qtbot, window)
        begun(qtbot, window)
        old.publish(final(9, "A ghost."))
        services.session.publish(final(1, "Hello."))
        qtbot.waitUntil(lambda: bool(window.conversation.rows))
        assert list(window.conversation.rows) == [1]

    def test_refusal_is_shown_and_start_stays_possible(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        services.refuses = DeviceError("The microphone is in use.", "Close the other program.", component="microphone")
        window.toggle()
        line = window.error_bar.lines["microphone"]
        assert line.text == "The microphone is in use. Close the other program."
        services.refuses = None
        begun(qtbot, window)
        assert window.error_bar.lines == {}

    def test_failure_of_the_session(self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
        window = open_window()
        begun(qtbot, window)
        services.session.go(SessionState.FAILED, detail="The voice could not be loaded.")
        until_over(qtbot, window)
        assert window.state_line.text == "Failed"
        assert window.error_bar.lines["session"].text == "The voice could not be loaded."
        assert window.controls.start.text() == "Start"

    def test_samples_are_offered_when_the_microphone_has_gone(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        begun(qtbot, window)
        services.problem = "No microphone was found. Plug one in."
        services.session.go(SessionState.FAILED, detail="No microphone was found.")
        until_over(qtbot, window)
        assert window.empty.isVisible()
        window.empty.buttons[0].click()
        assert services.session.request.wav == services.samples[0]

    def test_session_that_does_not_stop_is_given_up(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        services.hangs = True
        begun(qtbot, window)
        window.toggle()
        until_over(qtbot, window)
        assert "did not stop in time" in window.error_bar.lines["session"].text
        assert window.state_line.text == "Idle"
        assert window.controls.start.isEnabled()


class TestRecording:
    def test_is_off_until_asked_for_and_visible_while_on(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        begun(qtbot, window)
        assert services.session.recordings == []
        assert not window.state_line.recording.isVisible()
        qtbot.keyClick(window, Qt.Key.Key_R, CONTROL)
        qtbot.waitUntil(window.state_line.recording.isVisible)
        assert services.session.recordings[0].meta.engine["name"] == "lite"
        window.state_line.recording.click()
        qtbot.waitUntil(lambda: not window.state_line.recording.isVisible())
        assert not window.actions_.recording.isChecked()

    def test_asked_for_beforehand_it_holds_for_one_conversation(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        qtbot.keyClick(window, Qt.Key.Key_R, CONTROL)
        begun(qtbot, window)
        assert len(services.session.recordings) == 1
        window.controller.stop()
        until_over(qtbot, window)
        begun(qtbot, window)
        assert services.session.recordings == []

    def test_a_full_disk_is_told_and_the_conversation_goes_on(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        begun(qtbot, window)
        qtbot.keyClick(window, Qt.Key.Key_R, CONTROL)
        qtbot.waitUntil(window.state_line.recording.isVisible)
        services.session.publish(
            RecordingChanged(at_ms=1.0, recording=False, what="The disk is full.", remedy="Make room.")
        )
        qtbot.waitUntil(lambda: "recording" in window.error_bar.lines)
        assert not window.state_line.recording.isVisible()
        assert window.controller.active


class TestClosing:
    def test_idle_window_closes_at_once(self, open_window: OpenWindow):
        assert open_window().close()

    def test_running_session_is_stopped_first(self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
        window = open_window()
        begun(qtbot, window)
        assert not window.close()
        qtbot.waitUntil(lambda: not window.isVisible())
        assert services.session.stops == 1

    def test_hanging_session_neither_freezes_nor_keeps_the_window(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        begun(qtbot, window)
        services.session.hangs = True
        ticks: list[float] = []
        timer = QTimer(window)
        timer.timeout.connect(lambda: ticks.append(time.monotonic()))
        timer.start(20)
        begin = time.monotonic()
        window.close()
        assert time.monotonic() - begin < 0.2
        qtbot.waitUntil(lambda: not window.isVisible())
        assert len(ticks) >= 5

    def test_ctrl_c(self, qtbot: QtBot, open_window: OpenWindow):
        window = open_window()
        begun(qtbot, window)
        with app._interrupts(window.close):
            signal.raise_signal(signal.SIGINT)
            qtbot.waitUntil(lambda: not window.isVisible())

    def test_run_window_returns_when_the_window_is_closed(
        self, styled: QApplication, services: FakeServices, store: SettingsStore
    ):
        def close() -> None:
            for widget in styled.topLevelWidgets():
                if isinstance(widget, MainWindow):
                    widget.toggle()
                    widget.close()

        QTimer.singleShot(0, close)
        assert app.run_window(services, store) == 0
        assert services.session.state is SessionState.IDLE

    def test_models_are_loaded_ahead_once_the_window_is_there(
        self, styled: QApplication, services: FakeServices, store: SettingsStore
    ):
        def close() -> None:
            (window,) = [one for one in styled.topLevelWidgets() if isinstance(one, MainWindow) and one.isVisible()]
            window.close()

        services.on_warm_up = close
        assert app.run_window(services, store) == 0


class TestChoices:
    def test_sample_question_is_asked_at_once(self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
        window = open_window()
        window.empty.buttons[1].click()
        until_phase(qtbot, window, Phase.READY)
        assert services.session.request.wav == services.samples[0]
        assert services.session.request.monitor
        assert window.controls.input.choice == "What is the capital of France?"

    def test_names_of_samples(self, open_window: OpenWindow):
        window = open_window()
        assert [button.text().strip() for button in window.empty.buttons] == [
            "Start talking",
            "What is the capital of France?",
            "Sample question 2",
        ]

    def test_choosing_the_microphone_waits_for_start(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        window.choose_source(Source(Path("talk.wav")))
        until_phase(qtbot, window, Phase.READY)
        assert window.controls.input.choice == "talk.wav"
        window.controller.stop()
        until_over(qtbot, window)
        window.choose_source(MICROPHONE)
        assert len(services.sessions) == 1
        assert window.controls.input.choice == "Microphone"

    def test_no_microphone(self, open_window: OpenWindow, services: FakeServices):
        services.problem = "No microphone was found. Plug one in."
        window = open_window()
        assert window.empty.notice == services.problem
        assert window.empty.buttons[0].objectName() == "primary"
        assert window.empty.buttons[0].text().strip().startswith("Ask a sample question")
        microphone = window.controls.input_menu.actions()[0]
        assert not microphone.isEnabled()
        assert microphone.toolTip() == services.problem
        window.toggle()
        assert services.session.request.wav == services.samples[0]

    def test_microphone_is_looked_for_again(self, open_window: OpenWindow, services: FakeServices):
        services.problem = "No microphone was found. Plug one in."
        window = open_window()
        services.problem = None
        window.controls.menu_wanted.emit()
        assert window.empty.notice == ""
        assert window.controls.input_menu.actions()[0].isEnabled()

    def test_engine_change_begins_anew(self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
        window = open_window()
        begun(qtbot, window)
        window.choose_engine("cascade")
        qtbot.waitUntil(lambda: len(services.sessions) == 2)
        assert [session.request.engine for session in services.sessions] == ["lite", "cascade"]
        assert services.sessions[0].stops == 1
        until_phase(qtbot, window, Phase.READY)

    def test_engine_change_while_idle_only_remembers(
        self, open_window: OpenWindow, services: FakeServices, store: SettingsStore
    ):
        window = open_window()
        window.choose_engine("cascade")
        assert services.sessions == []
        assert SettingsStore(store._path).load().engine == "cascade"

    def test_language_model_is_switched_while_talking(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices, store: SettingsStore
    ):
        window = open_window()
        begun(qtbot, window)
        pick(window, "GPT-4o mini")
        assert services.session.switched == [services.models[1]]
        assert len(services.sessions) == 1
        assert SettingsStore(store._path).load().llm.model == "gpt-4o-mini"

    def test_remembered_model(self, open_window: OpenWindow, services: FakeServices, store: SettingsStore):
        store.settings.llm.custom_models = [CustomModel(name="ollama/llama3.2"), CustomModel(name="not a name")]
        store.settings.llm.model = "ollama/llama3.2"
        window = open_window()
        assert window.controls.model.currentText() == "ollama/llama3.2"
        window.toggle()
        assert services.session.request.llm.name == "ollama/llama3.2"

    def test_unknown_model_falls_back_to_the_first(self, open_window: OpenWindow, store: SettingsStore):
        store.settings.llm.model = "not a name"
        assert open_window().controls.model.currentText() == "Starter model (small, often wrong)"

    def test_no_model_at_all(self, open_window: OpenWindow, services: FakeServices, store: SettingsStore):
        services.models, store.settings.llm.model = [], "not a name"
        window = open_window()
        window.toggle()
        assert services.sessions == []
        assert "no language model" in window.error_bar.lines["llm"].text

    def test_other_model(self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices, store: SettingsStore):
        window = open_window()
        begun(qtbot, window)
        pick(window, "Other model…")
        assert window.controls.model.currentText() == "Starter model (small, often wrong)"
        dialog = window.findChild(ModelDialog)
        assert isinstance(dialog, ModelDialog)
        assert not dialog.use.isEnabled()
        qtbot.keyClicks(dialog.name, "not a name")
        dialog.use.click()
        assert "is not a model name" in dialog.problem.text()
        dialog.name.setText("openai/local")
        dialog.api_base.setText("http://localhost:8080/v1")
        dialog.use.click()
        assert services.session.switched[-1].api_base == "http://localhost:8080/v1"
        assert window.controls.model.currentText() == "openai/local"
        saved = SettingsStore(store._path).load().llm
        own = CustomModel(name="openai/local", api_base="http://localhost:8080/v1")
        assert (saved.model, saved.custom_models) == ("openai/local", [own])

    def test_settings_that_cannot_be_saved(self, open_window: OpenWindow, tmp_path: Path, store: SettingsStore):
        (tmp_path / "settings").write_text("in the way")
        window = open_window()
        window.choose_engine("cascade")
        assert "could not be saved" in window.error_bar.lines["settings"].text

    def test_warning_of_the_settings(self, open_window: OpenWindow, store: SettingsStore):
        store.warning = "The settings could not be read."
        assert open_window().error_bar.lines["settings"].text == store.warning


class TestConversation:
    def test_columns(self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
        window = open_window()
        begun(qtbot, window)
        services.session.publish(started(1), heard(1, "how many", 1, lag=150), asked(1, words=2))
        until_phase(qtbot, window, Phase.LISTENING)
        services.session.publish(answered(1, "There are", done=True), final(1, "How many?"), ended(1, 900, 800))
        until_phase(qtbot, window, Phase.THINKING)
        services.session.publish(speaks(1, 1_040), *said("There are many.", 1), tick(1_050, -30, -20))
        until_phase(qtbot, window, Phase.SPEAKING)
        row = window.conversation.rows[1]
        assert row.user.text == "How many?"
        assert list(row.oracle.views) == [1]
        assert "There are many." in row.answer.text
        assert "first sound after 240 ms" in window.state_line.numbers
        assert "lag 150 ms" in window.state_line.numbers
        assert window.heads.input_level.fraction == pytest.approx(0.5)

    def test_columns_stand_under_their_headings(self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
        window = open_window()
        begun(qtbot, window)
        for utterance in range(1, 30):
            services.session.publish(final(utterance, "Why?"))
        qtbot.waitUntil(lambda: window.conversation.verticalScrollBar().maximum() > 0)

        def lefts() -> list[tuple[int, int]]:
            row = window.conversation.rows[29]
            cells = (row.user, row.oracle, row.answer)
            origin = window.rect().topLeft()
            pairs = zip(window.heads.columns, cells, strict=True)
            return [(head.mapTo(window, origin).x(), cell.mapTo(window, origin).x()) for head, cell in pairs]

        qtbot.waitUntil(lambda: all(abs(head - cell) <= 1 for head, cell in lefts()))

    def test_follows_unless_scrolled_back(self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
        window = open_window()
        begun(qtbot, window)
        view, bar = window.conversation, window.conversation.verticalScrollBar()
        for utterance in range(1, 40):
            services.session.publish(final(utterance, "Why is that so?"))
        qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
        bar.setValue(0)
        assert not view.following
        assert view.jump.isVisible()
        services.session.publish(final(40, "One more?"))
        qtbot.waitUntil(lambda: 40 in view.turns)
        assert bar.value() == 0
        assert 40 not in view.rows
        view.jump.click()
        assert view.following
        assert not view.jump.isVisible()
        services.session.publish(final(41, "And another?"))
        qtbot.waitUntil(lambda: 41 in view.rows and bar.value() == bar.maximum())

    def test_arriving_words_move_nothing_above_them(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        services.script = [final(1, "Why?"), asked(1), answered(1, "Because.", done=True), final(2, "And?")]
        begun(qtbot, window)
        qtbot.waitUntil(lambda: 2 in window.conversation.rows)
        first, second = window.conversation.rows[1], window.conversation.rows[2]
        seen: list[int] = []
        qtbot.waitUntil(lambda: seen.append(second.y()) or (seen[-3:] == [seen[-1]] * 3 and seen[-1] > 0))
        where = (first.geometry(), second.pos(), second.user.pos())
        services.session.publish(*said("word " * 30, 1, utterance=2))
        qtbot.waitUntil(lambda: second.answer.text.count("word") == 30)
        assert (first.geometry(), second.pos(), second.user.pos()) == where
        assert window.conversation.rows[2] is second

    def test_errors_are_dismissed_one_by_one(self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
        window = open_window()
        begun(qtbot, window)
        services.session.publish(trouble(), trouble(), trouble("llm", "Slow."))
        qtbot.waitUntil(lambda: len(window.error_bar.lines) == 2)
        line = window.error_bar.lines["microphone"]
        assert line.text == "It is gone. (reported 2 times) Plug it in again."
        line.close_button.click()
        assert list(window.error_bar.lines) == ["llm"]
        assert window.error_bar.isVisible()

    def test_oracle_late_and_loading_are_said(self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
        window = open_window()
        begun(qtbot, window)
        services.session.publish(heard(1, "why"), asked(1), ended(1), tick(4_000))
        qtbot.waitUntil(lambda: window.state_line.text == "Oracle late")
        services.session.go(SessionState.LOADING, progress=0.42)
        qtbot.waitUntil(lambda: window.state_line.text == "Loading 42 %")

    @pytest.mark.parametrize(("cost", "words"), [(None, "cost unknown"), (0.0, "free"), (0.00123, "$0.0012")], ids=str)
    def test_usage(
        self,
        qtbot: QtBot,
        open_window: OpenWindow,
        services: FakeServices,
        cost: float | None,
        words: str,
    ):
        window = open_window()
        begun(qtbot, window)
        services.session.publish(
            UsageUpdated(at_ms=0, calls=1, prompt_tokens=1_000, completion_tokens=500, cost_usd=cost)
        )
        qtbot.waitUntil(lambda: words in window.foot.text)
        assert "1 request" in window.foot.text
        assert "1,500 tokens" in window.foot.text

    def test_copy(self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices):
        window = open_window()
        services.script = [final(1, "Why?"), *said("Because.", None)]
        begun(qtbot, window)
        qtbot.waitUntil(lambda: bool(window.conversation.rows))
        qtbot.keyClick(window, Qt.Key.Key_C, CONTROL | Qt.KeyboardModifier.ShiftModifier)
        assert QGuiApplication.clipboard().text() == "You: Why?\nAssistant: Because."


class TestAccess:
    def test_every_control_has_a_name_a_tooltip_and_a_key(
        self, qtbot: QtBot, open_window: OpenWindow, services: FakeServices
    ):
        window = open_window()
        begun(qtbot, window)
        services.session.publish(trouble(), *[event for n in range(1, 9) for event in (asked(n), answered(n, "x"))])
        qtbot.waitUntil(lambda: bool(window.error_bar.lines) and bool(window.conversation.rows))
        controls = [
            widget
            for widget in window.findChildren(QWidget)
            if isinstance(widget, (QAbstractButton, QComboBox, QLineEdit))
            and not widget.objectName().startswith("qt_")
            and not isinstance(widget.parent(), QLineEdit)  # Qt's own, inside the field
        ]
        assert len(controls) >= 8
        for control in controls:
            assert control.accessibleName(), control
            assert control.toolTip(), control
            assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, control

    def test_tab_reaches_the_controls_in_order(self, qtbot: QtBot, open_window: OpenWindow):
        window = open_window()
        window.activateWindow()
        bar = window.controls
        bar.start.setFocus()
        order: list[QWidget] = [bar.start, bar.input, bar.engine, bar.model]
        for control, following in pairwise(order):
            qtbot.waitUntil(control.hasFocus)
            qtbot.keyClick(control, Qt.Key.Key_Tab)
            qtbot.waitUntil(following.hasFocus)


SCENES = list(SHOWN)


@pytest.mark.parametrize("size", [(900, 600), (1280, 720), (2560, 1440)], ids=str)
@pytest.mark.parametrize("scene", SCENES)
def test_no_text_is_clipped(qtbot: QtBot, styled: QApplication, tmp_path: Path, scene: str, size: tuple[int, int]):
    window = render.make_window(styled, scene, size, tmp_path)
    qtbot.addWidget(window)
    assert (window.width(), window.height()) == size
    for label in window.findChildren(QLabel):
        if not label.isVisible() or isinstance(label, ElidedLabel) or not label.text():
            continue
        needed = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
        assert label.height() >= needed, label.text()
        if isinstance(label, RoleLabel) and not label.wordWrap():
            assert label.width() >= label.sizeHint().width(), label.text()
    for button in window.findChildren(QAbstractButton):
        if button.isVisible() and button.text() and button is not window.controls.input:
            assert button.width() >= button.minimumSizeHint().width(), button.text()
    for row in window.conversation.rows.values():
        for cell in (row.user, row.oracle, row.answer):
            assert row.rect().contains(cell.geometry().bottomLeft()), scene
    window.controller.shut_down()


def test_gallery_writes_pictures(styled: QApplication, tmp_path: Path):
    made = render.render(styled, tmp_path, ["speaking"], [(900, 600)])
    assert [path.name for path in made] == ["speaking-900x600-light.png", "speaking-900x600-dark.png"]
    assert all(path.stat().st_size > 10_000 for path in made)
    assert theme.current() is theme.DARK


def test_follows_the_system_colours(qtbot: QtBot, styled: QApplication, open_window: OpenWindow):
    theme.follow_system(styled)
    window = open_window()
    styled.styleHints().setColorScheme(Qt.ColorScheme.Dark)
    styled.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme.current() is theme.DARK
    assert window.palette().color(window.backgroundRole()).name() == theme.DARK.window
    styled.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert theme.current() is theme.LIGHT
