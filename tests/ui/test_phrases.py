"""What the layers below say, in the user's language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from kame_desktop.ui import phrases, translation
from kame_desktop.ui.phrase_list import PHRASES
from tests.ui.languages import language

PACKAGE = Path(translation.__file__).resolve().parents[1]
_SLOT = re.compile(r"\{[^{}]*\}")


def source_templates() -> list[re.Pattern[str]]:
    """Every text in the package's sources as a pattern; what is filled in fits anything."""
    found: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        if path.name == "phrase_list.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [re.escape(str(v.value)) if isinstance(v, ast.Constant) else ".*" for v in node.values]
                if sum(len(part) for part in parts if part != ".*") > 4:
                    found.add("".join(parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(re.escape(node.value))
    return [re.compile(pattern, re.DOTALL) for pattern in found]


def test_no_phrase_is_one_that_nobody_says():
    patterns = source_templates()
    everything = "\n".join(pattern.pattern for pattern in patterns)
    stale = [
        str(phrase)
        for phrase in PHRASES
        if re.escape(str(phrase)) not in everything
        and not any(one.fullmatch(str(phrase)) or one.fullmatch(str(phrase).rstrip(".")) for one in patterns)
    ]
    assert stale == [], "the layer that said this says something else now"


class TestPhrases:
    @pytest.fixture(autouse=True)
    def spanish(self, qapp: QApplication) -> Iterator[None]:
        with language(qapp, "es"):
            yield

    def test_a_whole_sentence(self):
        assert phrases.translated("Nothing was heard.") == "No se oyó nada."

    def test_with_things_filled_in(self):
        text = "The microphone 'USB {headset} 2' went away."
        assert phrases.translated(text) == "El micrófono «USB {headset} 2» se ha desconectado."

    def test_two_sentences_that_were_put_together(self):
        text = "The starter model refused the key. Check the connection, or choose another model."
        assert phrases.translated(text) == "El modelo inicial rechazó la clave. Revisa la conexión o elige otro modelo."

    def test_what_is_unknown_stays_and_the_rest_is_translated(self):
        text = "Aliens landed. It is asked again."
        assert phrases.translated(text) == "Aliens landed. Se le vuelve a preguntar."

    def test_another_language_takes_effect_at_once(self, qapp: QApplication):
        assert phrases.translated("Warming up") == "Calentando"
        translation.install(qapp, "en")
        assert phrases.translated("Warming up") == "Warming up"

    @given(st.text("xyzXYZ0149 .!?'\n", max_size=200))
    def test_what_nobody_knows_stays_letter_for_letter(self, text: str):
        assert phrases.translated(text) == text

    @pytest.mark.parametrize("phrase", [str(one) for one in PHRASES if _SLOT.search(str(one))])
    def test_what_is_filled_in_arrives(self, phrase: str):
        names = {name: f"x{place}y" for place, name in enumerate(dict.fromkeys(re.findall(r"\{(\w+)\}", phrase)))}
        shown = phrases.translated(phrase.format(**names))
        assert all(value in shown for value in names.values())
        assert shown != phrase.format(**names)
