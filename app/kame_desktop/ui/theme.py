"""Colours, type scale and style sheet, light and dark.

The style sheets in ``assets/`` paint the ordinary controls; the colours here are for what is drawn by hand and
for words. The two must agree. Every text colour has a contrast of at least 4.5:1 on ``surface``, and no state is
told by colour alone.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from kame_desktop.core.paths import assets_dir
from kame_desktop.ui.palette import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT, Theme

_SCALE = {"caption": 0.88, "body": 1.0, "words": 1.15, "title": 1.7}


class _Current:
    theme = LIGHT
    choice = "system"
    system: Qt.ColorScheme | None = None  # as it was told last; None: not told yet
    strong = False
    font: QFont | None = None
    scale = 1.0


def current() -> Theme:
    """The theme in use. A change reaches widgets as a palette or style change event."""
    return _Current.theme


def scaled_font(role: str, *, bold: bool = False) -> QFont:
    """The application's font at a step of the type scale: caption, body, words or title."""
    font = QFont(QGuiApplication.font())
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * _SCALE[role])
    else:
        font.setPixelSize(round(font.pixelSize() * _SCALE[role]))
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    colours = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.surface,
        role.AlternateBase: theme.raised,
        role.Text: theme.text,
        role.Button: theme.surface,
        role.ButtonText: theme.text,
        role.ToolTipBase: theme.surface,
        role.ToolTipText: theme.text,
        role.PlaceholderText: theme.faint,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.Link: theme.accent,
        role.Mid: theme.border,
    }
    for key, value in colours.items():
        palette.setColor(key, QColor(value))
    for key in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, QColor(theme.faint))
    return palette


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Put a theme on the whole application."""
    _Current.theme = theme
    folder = assets_dir()
    sheet = (folder / f"style_{theme.name}.qss").read_text(encoding="utf-8")
    app.setPalette(_palette(theme))
    app.setStyleSheet(sheet.replace("@icons@", (folder / "icons").as_posix()))


def _wanted(app: QApplication) -> Theme:
    """The theme that was chosen, or the one that goes with the desktop."""
    dark = _Current.choice == "dark"
    if _Current.choice == "system":
        dark = (_Current.system or app.styleHints().colorScheme()) == Qt.ColorScheme.Dark
    if _Current.strong:
        return HIGH_DARK if dark else HIGH_LIGHT
    return DARK if dark else LIGHT


def set_contrast(app: QApplication, *, strong: bool) -> None:
    """Use strong contrast from now on, or the usual one."""
    _Current.strong = strong
    choose_theme(app, _Current.choice)


def font_scale() -> float:
    """What ``set_font_scale`` was told last."""
    return _Current.scale


def choose_theme(app: QApplication, choice: str) -> None:
    """Use ``light`` or ``dark`` from now on, or follow the desktop (``system``)."""
    _Current.choice = choice
    theme = _wanted(app)
    if theme is not _Current.theme or not app.styleSheet():
        apply_theme(app, theme)


def set_font_scale(app: QApplication, scale: float) -> None:
    """Make all text larger or smaller; 1.0 is the size that the application started with.

    Widgets with a font of their own hear of it as a style change and take their step of the type scale anew.
    """
    _Current.scale = scale
    if _Current.font is None:
        _Current.font = QFont(app.font())
    font = QFont(_Current.font)
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * scale)
    else:
        font.setPixelSize(round(font.pixelSize() * scale))
    if font != app.font():
        app.setFont(font)
        apply_theme(app, _Current.theme)


def follow_system(app: QApplication) -> None:
    """Use the system's colour scheme, now and when it changes, unless another theme is chosen."""

    def on_changed(scheme: Qt.ColorScheme) -> None:
        _Current.system = scheme
        choose_theme(app, _Current.choice)

    app.styleHints().colorSchemeChanged.connect(on_changed)
    choose_theme(app, _Current.choice)
