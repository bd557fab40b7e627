"""The language of the window: which ones ship, and which one is in use.

English is in the sources. Any other language is a file ``kame_CODE.qm`` in ``assets/translations``, made from
``kame_CODE.ts`` by ``scripts/translations.py``; Qt's own texts (the buttons of its dialogs) come from Qt's own file
when it is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from kame_desktop.core.paths import assets_dir
from kame_desktop.ui import phrases

SOURCE = "en"
_PREFIX = "kame_"
_QT_PREFIX = "qtbase_"


class _Installed:
    """What is installed: the application keeps no list of it. GUI thread only."""

    language = SOURCE
    translators: tuple[QTranslator, ...] = ()


def translations_dir() -> Path:
    """The folder of the languages that ship."""
    return assets_dir() / "translations"


def languages() -> list[str]:
    """Codes of the languages that ship, English first."""
    found = sorted(path.stem.removeprefix(_PREFIX) for path in translations_dir().glob(f"{_PREFIX}*.qm"))
    return [SOURCE, *(code for code in found if code != SOURCE)]


def name_of(code: str) -> str:
    """What a language calls itself: ``Español``."""
    if code == SOURCE:
        return "English"
    locale = QLocale(code)
    name = locale.nativeLanguageName().partition(" ")[0] or code
    return name[0].upper() + name[1:]


def preferred(wanted: Sequence[str], shipped: Sequence[str]) -> str:
    """The first of the languages that the user reads, in their order, that ships; English if none does.

    Args:
        wanted: Names of locales, the best first ("es-AR", "en-US").
        shipped: What there is to choose from.
    """
    for name in wanted:
        code = name.replace("_", "-").split("-")[0].casefold()
        if code in shipped:
            return code
    return SOURCE


def system_language() -> str:
    """What the window speaks when the user has chosen nothing."""
    return preferred(QLocale.system().uiLanguages(), languages())


def resolve(language: str | None) -> str:
    """The language that a setting means; None, or one that doesn't ship: the system's."""
    return language if language is not None and language in languages() else system_language()


def current() -> str:
    """Code of the language in use."""
    return _Installed.language


def install(app: QCoreApplication, language: str | None) -> str:
    """Use a language for every text that is made from now on; what is shown already keeps its words.

    Args:
        app: The application.
        language: A code of ``languages``; None, or one that doesn't ship: the system's.

    Returns:
        The code of the language in use now.
    """
    code = resolve(language)
    for translator in _Installed.translators:
        app.removeTranslator(translator)
        translator.deleteLater()
    made: list[QTranslator] = []
    if code != SOURCE:
        qt = QTranslator(app)
        if qt.load(f"{_QT_PREFIX}{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
            made.append(qt)
        own = QTranslator(app)
        if own.load(f"{_PREFIX}{code}", str(translations_dir())):
            made.append(own)
        else:
            code = SOURCE
            made.clear()
    for translator in made:
        app.installTranslator(translator)
    _Installed.language, _Installed.translators = code, tuple(made)
    phrases.forget()
    return code
