"""Every text goes through the translator, the Spanish one is whole, and the window changes to it while it is there."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialogButtonBox, QLabel, QWidget
from pytestqt.qtbot import QtBot

from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui import translation
from kame_desktop.ui.gallery import render
from kame_desktop.ui.settings_dialog import SettingsDialog
from kame_desktop.ui.widgets.elided import MenuField
from kame_desktop.ui.widgets.labels import ElidedLabel
from tests.fakes.session import FakeServices
from tests.ui.languages import TS, language, marked, translations_script
from tests.ui.walk import texts

SCRIPT = translations_script()
MESSAGES: list[tuple[str, str, str]] = SCRIPT.messages(TS)
PACKAGE = Path(translation.__file__).resolve().parents[1]
_SLOT = re.compile(r"\{[^{}]*\}")
_LETTERS = re.compile(r"&(?=[^&\s])")


# -- the file ----


def test_nothing_is_open():
    assert [message for message in MESSAGES if not message[2]] == []


def fields(text: str) -> list[str]:
    """What is filled in, with how it is written."""
    return sorted(f"{name}:{spec}" for _, name, spec, _ in string.Formatter().parse(text) if name is not None)


def tail(text: str) -> str:
    """The sign at the end, if it means something."""
    last = text.rstrip()[-1:]
    return last if last in "…:?!." else ""


def faults(source: str, spanish: str) -> Iterator[str]:
    """What in a translation would disturb the program, or a reader."""
    if fields(spanish) != fields(source):
        yield "other things are filled in"
    if tail(spanish) != tail(source) and {tail(spanish), tail(source)} != {"", "."}:
        yield "it ends otherwise"
    if len(_LETTERS.findall(spanish)) != len(_LETTERS.findall(source)):
        yield "a letter for the keyboard is missing, or one too many"
    if (spanish[0] == " ", spanish[-1] == " ") != (source[0] == " ", source[-1] == " "):
        yield "spaces around it"
    if "  " in spanish and "  " not in source:
        yield "two spaces"
    if re.search(r"[“”]", spanish):
        yield "Spanish quotes are « »"
    if source.endswith("?") and spanish != source and "¿" not in spanish:  # examples of what is said stay English
        yield "a Spanish question opens with ¿"
    if spanish.endswith("!") and "¡" not in spanish:
        yield "a Spanish exclamation opens with ¡"


def test_every_translation_keeps_what_the_program_relies_on():
    done = [(source, spanish) for _, source, spanish in MESSAGES if spanish]
    assert [(fault, source, spanish) for source, spanish in done for fault in faults(source, spanish)] == []


@pytest.mark.parametrize(
    ("source", "spanish"),
    [
        ("{n} words", "{m} palabras"),
        ("{ms:.0f} ms", "{ms} ms"),
        ("Open…", "Abrir"),
        ("&Close", "Cerrar"),
        (" and ", "y"),
        ("Ready?", "Listo?"),
        ("the “{name}” weights", "los pesos “{name}”"),
    ],
)
def test_a_faulty_translation_is_found(source: str, spanish: str):
    assert list(faults(source, spanish)) != []


def test_what_ships_compiled_says_the_same(qapp: QApplication):
    compiled = QTranslator()
    assert compiled.load("kame_es", str(translation.translations_dir()))
    assert [(c, s) for c, s, spanish in MESSAGES if compiled.translate(c, s) != (spanish or None)] == []


def test_it_has_every_text_of_the_sources(tmp_path: Path):
    if not SCRIPT.tool("lupdate").exists():
        pytest.skip("pyside6-lupdate is not beside this Python")
    assert SCRIPT.check(TS) == [], "run: .venv/bin/python scripts/translations.py"


# -- the sources ----


def called_texts(tree: ast.AST) -> Iterator[tuple[str, int, str | None]]:
    """Context, line and text of each call of ``tr`` and ``translate``; a text that is no literal is None."""

    def walk(node: ast.AST, context: str) -> Iterator[tuple[str, int, str | None]]:
        for child in ast.iter_child_nodes(node):
            inside = child.name if isinstance(child, ast.ClassDef) else context
            if isinstance(child, ast.Call):
                name = child.func.attr if isinstance(child.func, ast.Attribute) else getattr(child.func, "id", "")
                args = [_literal(arg) for arg in child.args]
                if name == "tr":  # of another object, lupdate takes the variable's name for the context
                    own = isinstance(child.func, ast.Attribute) and ast.unparse(child.func.value) == "self"
                    yield inside, child.lineno, args[0] if own else None
                elif name in ("translate", "QT_TRANSLATE_NOOP"):
                    yield str(args[0]), child.lineno, args[1]
            yield from walk(child, inside)

    yield from walk(tree, "")


def _literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


_FROM_TABLES = {("page.py", "SettingsPage"), ("phrases.py", "Phrases")}
"""Calls that look up what QT_TRANSLATE_NOOP has listed."""


def test_every_text_in_the_sources_is_in_the_file():
    known = {(context, source) for context, source, _ in MESSAGES}
    lost = []
    for path in SCRIPT.sources():
        for context, line, text in called_texts(ast.parse(path.read_text(encoding="utf-8"))):
            listed = (context, text) in known or (text is None and (path.name, context) in _FROM_TABLES)
            if not listed:
                lost.append(f"{path.relative_to(PACKAGE)}:{line} {context}: {text!r}")
    assert lost == [], "not extracted (a tr() inside an f-string isn't seen), or run scripts/translations.py"


_DATA = re.compile(
    r"https?://\S+|\[[^\]]*\]|Kame Desktop|dBFS|\bms\b|\bUSB headset\b|\bDesk microphone\b|\bSpeakers\b|\bHeadset\b"
    r"|GPT-[\w.]+( mini| nano)?|Claude [\w .]+|gpt-[\w.-]+|claude-[\w-]+|anthropic/[\w-]+|ollama/[\w.]+"
    r"|OpenAI|Anthropic|\(ALSA\)|OPENAI_API_KEY|ANTHROPIC_API_KEY|English|Español|question_2|\bwav\b|starter"
)
_SPEAKING = re.compile(r"[A-Za-z]{2,}")


def unmarked(text: str) -> str:
    """The words of a text that didn't go through the translator and are no data."""
    bare = re.sub(r"⟦[^⟦⟧]*⟧", " ", text)
    while "⟦" in bare and bare != (bare := re.sub(r"⟦[^⟦⟧]*⟧", " ", bare)):
        pass
    return " ".join(_SPEAKING.findall(_DATA.sub(" ", bare.replace("⟦", " ").replace("⟧", " "))))


class TestEveryTextIsTranslated:
    """Under a translator that marks what goes through it, nothing is left without a mark."""

    @pytest.fixture
    def strange(self, styled: QApplication) -> Iterator[QApplication]:
        with marked(styled):
            yield styled

    @pytest.mark.parametrize("scene", ["empty", "setup", "no-microphone", "loading"])
    def test_of_the_window(self, strange: QApplication, qtbot: QtBot, tmp_path: Path, scene: str):
        window = render.make_window(strange, scene, (900, 600), tmp_path)
        qtbot.addWidget(window)
        window.dialogs.shut_down()
        data = {info.label for info in window._services.engines()} | {info.hint for info in window._services.engines()}
        data |= {choice.model.label for choice in window._services.llm_choices()}
        data |= {choice.model.hint for choice in window._services.llm_choices()}
        data |= {choice.model.name for choice in window._services.llm_choices()}
        data |= {choice.group for choice in window._services.llm_choices()}
        data |= {source.question for source in window.input.samples}
        data |= {*render.NO_MICROPHONE.split(". "), render.NO_MICROPHONE, "voice: 3 of 5 parts"}
        found = [(place, text) for place, text in texts(window) if _left(text, data)]
        assert found == []
        window.controller.shut_down()
        window.shut_down()

    @pytest.mark.parametrize("page", ["audio", "models", "keys", "answers", "appearance", "privacy"])
    def test_of_the_settings(
        self, strange: QApplication, qtbot: QtBot, services: FakeServices, store: SettingsStore, page: str
    ):
        dialog = SettingsDialog(services, store)
        qtbot.addWidget(dialog)
        dialog.show()
        dialog.show_page(page)
        qtbot.waitUntil(lambda: dialog.idle)
        data = {"Lite", "no GPU needed", "Cascade", "Starter model", "small, often wrong", *dialog.pages}
        data |= {"Starter model – small, often wrong"}
        found = [(place, text) for place, text in texts(dialog.pages[page]) if _left(text, data)]
        assert found == []
        dialog.close()


def _left(text: str, data: set[str]) -> str:
    for known in sorted(data, key=len, reverse=True):
        if known:
            text = text.replace(known, " ")
    return unmarked(text)


# -- which language ----


class TestWhichLanguage:
    def test_the_first_that_the_user_reads_and_that_ships(self):
        assert translation.preferred(["fr-FR", "es-AR", "en-US"], ["en", "es"]) == "es"
        assert translation.preferred(["en-GB", "es"], ["en", "es"]) == "en"  # Spanish is only the second choice
        assert translation.preferred(["de_DE"], ["en", "es"]) == "en"
        assert translation.preferred([], ["en", "es"]) == "en"

    @given(st.lists(st.text(max_size=8), max_size=4))
    def test_whatever_the_system_says(self, wanted: list[str]):
        assert translation.preferred(wanted, ["en", "es"]) in ("en", "es")

    def test_english_and_spanish_ship_under_their_own_names(self):
        assert translation.languages()[:2] == ["en", "es"]
        assert [translation.name_of(code) for code in ("en", "es")] == ["English", "Español"]

    def test_install_and_back(self, qapp: QApplication):
        with language(qapp, "es"):
            assert translation.current() == "es"
            assert qapp.translate("ControlBar", "Start") == "Empezar"
        assert translation.current() == "en"
        assert qapp.translate("ControlBar", "Start") == "Start"

    def test_a_language_that_does_not_ship_is_the_systems(self, qapp: QApplication, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(translation, "system_language", lambda: "es")
        try:
            assert translation.install(qapp, "tlh") == "es"
            assert translation.install(qapp, None) == "es"
        finally:
            translation.install(qapp, "en")

    def test_qts_own_buttons_speak_it_too(self, styled: QApplication, qtbot: QtBot):
        with language(styled, "es"):
            box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
            qtbot.addWidget(box)
            assert box.button(QDialogButtonBox.StandardButton.Cancel).text().replace("&", "") == "Cancelar"


# -- room ----


@pytest.mark.parametrize("size", [(900, 600), (1280, 720)], ids=["900x600", "1280x720"])
@pytest.mark.parametrize("scene", ["empty", "setup", "speaking", "late", "paused", "search", "error"])
def test_spanish_has_room_in_the_window(
    styled: QApplication, qtbot: QtBot, tmp_path: Path, scene: str, size: tuple[int, int]
):
    with language(styled, "es"):
        window = render.make_window(styled, scene, size, tmp_path)
        qtbot.addWidget(window)
        assert (window.width(), window.height()) == size
        assert list(cut_off(window)) == []
        window.controller.shut_down()
        window.shut_down()


@pytest.mark.parametrize("page", ["audio", "models", "keys", "answers", "auto", "appearance", "privacy"])
def test_spanish_has_room_in_the_settings(
    styled: QApplication, qtbot: QtBot, services: FakeServices, store: SettingsStore, page: str
):
    with language(styled, "es"):
        dialog = SettingsDialog(services, store)
        qtbot.addWidget(dialog)
        dialog.resize(900, 600)
        dialog.show()
        dialog.show_page(page)
        qtbot.waitUntil(lambda: dialog.idle)
        assert list(cut_off(dialog)) == []
        dialog.close()


def cut_off(root: QWidget) -> Iterator[str]:
    """Texts that have less room than they need; those that are made to be shortened have their whole text in a tip."""
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or widget.window() is not root or isinstance(widget, ElidedLabel):
            continue
        if isinstance(widget, QLabel) and widget.text():
            needed = widget.heightForWidth(widget.width()) if widget.wordWrap() else widget.sizeHint().height()
            if widget.height() < needed or (not widget.wordWrap() and widget.width() < widget.sizeHint().width()):
                yield widget.text()
        shortened = isinstance(widget, MenuField) or not isinstance(widget, QAbstractButton) or not widget.text()
        if not shortened and widget.width() < widget.minimumSizeHint().width():
            yield str(widget.property("text"))


def test_filling_in_touches_only_what_is_open(tmp_path: Path):
    message = "<message><source>{}</source><translation{}>{}</translation></message>"
    done, open_ = message.format("Stop", "", "Detener"), message.format("Start", ' type="unfinished"', "")
    path = tmp_path / "kame_es.ts"
    path.write_text(f"<TS><context><name>A</name>{done}{open_}</context></TS>", encoding="utf-8")
    SCRIPT.fill(path, {"Stop": "Parar", "Start": "Empezar", "Go": "Ir"})
    assert SCRIPT.messages(path) == [("A", "Stop", "Detener"), ("A", "Start", "Empezar")]
