"""Another language for a test: the one that ships, or one that marks every text that can be translated."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QApplication

from kame_desktop.ui import phrases, translation

ROOT = Path(__file__).resolve().parents[2]
TS = ROOT / "assets" / "translations" / "kame_es.ts"


def translations_script() -> ModuleType:
    """``scripts/translations.py``."""
    spec = importlib.util.spec_from_file_location("translations_script", ROOT / "scripts" / "translations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def language(app: QApplication, code: str) -> Iterator[None]:
    """Everything that is made inside speaks this language; afterwards English again."""
    assert translation.install(app, code) == code
    try:
        yield
    finally:
        translation.install(app, "en")


class Marking(QTranslator):
    """Puts ⟦marks⟧ around every text that goes through it."""

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        return f"⟦{source}⟧" if source.strip() else source


@contextmanager
def marked(app: QApplication) -> Iterator[None]:
    """Every text of ours and of Qt's has marks around it."""
    translator = Marking()
    app.installTranslator(translator)
    phrases.forget()
    try:
        yield
    finally:
        app.removeTranslator(translator)
        phrases.forget()
