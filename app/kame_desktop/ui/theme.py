"""Colours, type scale and style sheet, light and dark.

The style sheets in ``assets/`` paint the ordinary controls; the colours here are for what is drawn by hand and
for words. The two must agree. Every text colour has a contrast of at least 4.5:1 on ``surface``, and no state is
told by colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from kame_desktop.core.paths import assets_dir
from kame_desktop.ui.rows import Phase


@dataclass(frozen=True, slots=True)
class Theme:
    """One set of colours.

    Attributes:
        generations: Colours of the oracle's answers in turn order, repeated when there are more.
        phases: Colour of the state's dot.
    """

    name: str
    dark: bool
    window: str
    surface: str
    raised: str
    border: str
    text: str
    muted: str
    faint: str
    accent: str
    on_accent: str
    good: str
    warn: str
    bad: str
    on_tag: str
    generations: tuple[str, ...]
    phases: dict[Phase, str]

    def generation(self, number: int | None) -> str:
        """Colour of the answer with this number; plain text colour for words that no answer fed."""
        return self.text if number is None else self.generations[(number - 1) % len(self.generations)]


LIGHT = Theme(
    name="light",
    dark=False,
    window="#f4f6f6",
    surface="#ffffff",
    raised="#f8faf9",
    border="#dde3e2",
    text="#17211f",
    muted="#52605d",
    faint="#66736f",
    accent="#0f766e",
    on_accent="#ffffff",
    good="#15803d",
    warn="#a15c07",
    bad="#b91c1c",
    on_tag="#ffffff",
    generations=("#1d5fd1", "#a24a00", "#7c3aed", "#0f7a3d", "#b0246e", "#0b7285"),
    phases={
        Phase.IDLE: "#8a9693",
        Phase.LOADING: "#0f766e",
        Phase.READY: "#15803d",
        Phase.LISTENING: "#1d5fd1",
        Phase.THINKING: "#a15c07",
        Phase.SPEAKING: "#0f766e",
        Phase.ORACLE_LATE: "#c2410c",
        Phase.STOPPING: "#8a9693",
        Phase.FAILED: "#b91c1c",
    },
)

DARK = Theme(
    name="dark",
    dark=True,
    window="#12181a",
    surface="#1a2123",
    raised="#20292b",
    border="#2f3a3c",
    text="#e6edeb",
    muted="#a5b3b0",
    faint="#8b9a96",
    accent="#2dbfa9",
    on_accent="#04211d",
    good="#4ade80",
    warn="#f0b352",
    bad="#ff8a80",
    on_tag="#10181a",
    generations=("#82b4ff", "#f3b062", "#c4a4ff", "#7ad694", "#ff9ecb", "#5fd0dc"),
    phases={
        Phase.IDLE: "#72807d",
        Phase.LOADING: "#2dbfa9",
        Phase.READY: "#4ade80",
        Phase.LISTENING: "#82b4ff",
        Phase.THINKING: "#f0b352",
        Phase.SPEAKING: "#2dbfa9",
        Phase.ORACLE_LATE: "#fb923c",
        Phase.STOPPING: "#72807d",
        Phase.FAILED: "#ff8a80",
    },
)

_SCALE = {"caption": 0.88, "body": 1.0, "words": 1.15, "title": 1.7}


class _Current:
    theme = LIGHT


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


def follow_system(app: QApplication) -> None:
    """Use the system's colour scheme, now and when it changes."""
    hints = app.styleHints()

    def use(scheme: Qt.ColorScheme) -> None:
        theme = DARK if scheme == Qt.ColorScheme.Dark else LIGHT
        if theme is not _Current.theme or not app.styleSheet():
            apply_theme(app, theme)

    hints.colorSchemeChanged.connect(use)
    use(hints.colorScheme())
