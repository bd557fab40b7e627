"""The window's colours, light and dark, as plain values: also what an exported page is painted with. No Qt.

The style sheets in ``assets/`` must agree with them. Every text colour has a contrast of at least 4.5:1 on ``surface``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

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
    found: str
    on_found: str
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
    found="#ffe08a",
    on_found="#17211f",
    generations=("#1d5fd1", "#a24a00", "#7c3aed", "#0f7a3d", "#b0246e", "#0b7285"),
    phases={
        Phase.IDLE: "#8a9693",
        Phase.LOADING: "#0f766e",
        Phase.READY: "#15803d",
        Phase.LISTENING: "#1d5fd1",
        Phase.THINKING: "#a15c07",
        Phase.SPEAKING: "#0f766e",
        Phase.ORACLE_LATE: "#c2410c",
        Phase.OFFLINE: "#c2410c",
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
    found="#6b5200",
    on_found="#fff3c4",
    generations=("#82b4ff", "#f3b062", "#c4a4ff", "#7ad694", "#ff9ecb", "#5fd0dc"),
    phases={
        Phase.IDLE: "#72807d",
        Phase.LOADING: "#2dbfa9",
        Phase.READY: "#4ade80",
        Phase.LISTENING: "#82b4ff",
        Phase.THINKING: "#f0b352",
        Phase.SPEAKING: "#2dbfa9",
        Phase.ORACLE_LATE: "#fb923c",
        Phase.OFFLINE: "#fb923c",
        Phase.STOPPING: "#72807d",
        Phase.FAILED: "#ff8a80",
    },
)

HIGH_LIGHT = dataclasses.replace(
    LIGHT, window="#ffffff", text="#000000", muted="#2a3330", faint="#3a4441", border="#8f9a97"
)
HIGH_DARK = dataclasses.replace(
    DARK, window="#000000", surface="#0a0e0f", text="#ffffff", muted="#d3dedb", faint="#bccac6", border="#5b6a6b"
)
"""Strong contrast, for an audience."""
