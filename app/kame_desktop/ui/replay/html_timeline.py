"""The timeline of an exported page, as SVG: voices, answers, spoken words, corrections. No Qt."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kame_desktop.core.events import SpokenKind
from kame_desktop.recordings.export.text import clock_text
from kame_desktop.ui.palette import LIGHT
from kame_desktop.ui.rows import CardStatus
from kame_desktop.ui.timeline_model import LANES, MarkKind, PeakTrack, RevisionBar, Stretch, TimelineModel
from kame_desktop.ui.widgets.timeline_scale import TimeScale
from kame_desktop.ui.widgets.timeline_scale import clock_text as tick_text

LEAST_MS_PER_PX = 12.0
MOST_PX = 16_000
LEAST_PX = 1_060
_NAMES_PX = 84
_RULER_PX = 22
_WAVE_PX = 36
_LANE_PX = 14
_GAP_PX = 6
_LINE_PX = 16
_LETTER_PX = 6.4
_COLUMN_PX = 2
_QUIETEST = 0.02


def timeline_svg(model: TimelineModel, clean: Callable[[str], str]) -> str:
    """The whole session as one picture, at most ``MOST_PX`` wide; ``clean`` escapes words."""
    ms_per_px = max(LEAST_MS_PER_PX, model.now_ms / MOST_PX)
    drawing = _Drawing(model, TimeScale(0.0, ms_per_px), clean)
    return drawing.svg()


class _Drawing:
    def __init__(self, model: TimelineModel, scale: TimeScale, clean: Callable[[str], str]) -> None:
        self._model = model
        self._scale = scale
        self._clean = clean
        self._user = _RULER_PX
        self._lanes = self._user + _WAVE_PX + _GAP_PX
        self._agent = self._lanes + LANES * _LANE_PX + _GAP_PX
        self._words = self._agent + _WAVE_PX + 4
        self._height = self._words + 2 * _LINE_PX + 4
        self._width = max(LEAST_PX, _NAMES_PX + round(model.now_ms / scale.ms_per_px) + 60)

    def _x(self, ms: float) -> float:
        return round(_NAMES_PX + self._scale.x(ms), 1)

    def svg(self) -> str:
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self._width}" height="{self._height}" '
            f'viewBox="0 0 {self._width} {self._height}" font-size="11.5" role="img">',
            "<title>You, the answers and the assistant over time</title>",
            *self._ruler(),
            *self._stretches(self._model.user, self._user, "--user"),
            *self._stretches(self._model.agent, self._agent, "--accent"),
            self._wave(self._model.heard, self._user, "--user"),
            self._wave(self._model.spoken, self._agent, "--accent"),
            *(self._bar(bar) for bar in self._model.bars),
            *self._spoken(),
            *self._marks(),
            *self._names(),
            "</svg>",
        ]
        return "\n".join(part for part in parts if part)

    def _names(self) -> list[str]:
        edges = (self._user, self._lanes, self._agent, self._words, self._height)
        out = [f'<rect width="{_NAMES_PX - 6}" height="{self._height}" style="fill:var(--surface)"/>']
        for name, top, bottom in zip(("You", "Answers", "Assistant", "Words"), edges, edges[1:], strict=False):
            out.append(f'<text x="12" y="{(top + bottom) / 2 + 4:.1f}" style="fill:var(--muted)">{name}</text>')
        return out

    def _ruler(self) -> list[str]:
        step = self._scale.tick_ms(84)
        out: list[str] = []
        for number in range(int(self._model.now_ms // step) + 1):
            x = self._x(number * step)
            out.append(
                f'<path d="M{x} 0V{self._height}" style="stroke:var(--border)"/>'
                f'<text x="{x + 4}" y="14" style="fill:var(--muted)">{tick_text(number * step, step)}</text>'
            )
        return out

    def _stretches(self, stretches: list[Stretch], top: int, colour: str) -> list[str]:
        out: list[str] = []
        for stretch in stretches:
            left = self._x(stretch.start_ms)
            right = self._x(self._model.now_ms if stretch.end_ms is None else stretch.end_ms)
            out.append(
                f'<a href="#turn-{stretch.utterance}"><rect x="{left}" y="{top}" width="{max(1.0, right - left):.1f}" '
                f'height="{_WAVE_PX}" style="fill:var({colour})" opacity="0.12"/></a>'
            )
        return out

    def _wave(self, track: PeakTrack, top: int, colour: str) -> str:
        """The peaks as strokes around the middle; silence is left out."""
        count = int(track.duration_ms / (self._scale.ms_per_px * _COLUMN_PX)) + 1
        peaks = track.columns(0.0, self._scale.ms_per_px * _COLUMN_PX, count)
        middle = top + _WAVE_PX / 2
        reach = np.where(peaks < _QUIETEST, 0.0, np.sqrt(peaks)) * (_WAVE_PX / 2)
        strokes = [
            f"M{_NAMES_PX + _COLUMN_PX * int(index)} {middle - reach[index]:.1f}v{2 * reach[index]:.1f}"
            for index in np.flatnonzero(reach)
        ]
        if not strokes:
            return ""
        return f'<path d="{"".join(strokes)}" style="stroke:var({colour})" stroke-width="1.4" fill="none"/>'

    def _bar(self, bar: RevisionBar) -> str:
        left = self._x(bar.asked_ms)
        right = self._x(self._model.now_ms if bar.end_ms is None else bar.end_ms)
        filled = right if bar.adopted_ms is None else self._x(bar.adopted_ms)
        top = self._lanes + bar.lane * _LANE_PX
        middle = top + _LANE_PX / 2
        failed = bar.status is CardStatus.FAILED
        look = 'style="stroke:var(--bad);fill:var(--bad)"' if failed else f'class="{_colour_class(bar.number)}"'
        out = [f'<path d="M{left} {top + 3}v{_LANE_PX - 6}M{left} {middle}H{filled}" {look} stroke-dasharray="2 2"/>']
        if bar.adopted_ms is not None:
            faded = ' opacity="0.35"' if bar.status is CardStatus.SUPERSEDED else ""
            width = max(2.0, right - filled)
            out.append(
                f'<rect x="{filled}" y="{top + 1}" width="{width:.1f}" height="{_LANE_PX - 2}" rx="3" {look}'
                f'{faded} stroke-width="0"/>'
            )
            if width >= 16:
                fill = "--text" if bar.status is CardStatus.SUPERSEDED else "--on-tag"
                out.append(
                    f'<text x="{filled + 4:.1f}" y="{top + 11}" font-size="10" font-weight="600" '
                    f'style="fill:var({fill})">{bar.number}</text>'
                )
        title = f"<title>Answer {bar.number}, asked at {clock_text(bar.asked_ms, 1)}</title>"
        return f'<a href="#answer-{bar.generation}">{title}{"".join(out)}</a>'

    def _spoken(self) -> list[str]:
        """Words on two lines in turn; one without room is a stroke."""
        out: list[str] = []
        words = self._model.words
        for index, word in enumerate(words):
            x, top = self._x(word.at_ms), self._words + (index % 2) * _LINE_PX
            number = word.number if word.kind is SpokenKind.ANSWER else None
            look = f'class="{_colour_class(number)}"' if number is not None else 'style="fill:var(--muted)"'
            room = self._x(words[index + 2].at_ms) - x if index + 2 < len(words) else 160.0
            line = f'<rect x="{x}" y="{top + 2}" width="{2 if word.correction else 1}" height="12" {look}/>'
            letters = int((room - 6) / _LETTER_PX)
            if letters >= min(len(word.text), 4):
                shown = word.text if len(word.text) <= letters else word.text[: max(1, letters - 1)] + "…"
                line += f'<text x="{x + 4}" y="{top + 12}" {look} stroke-width="0">{self._clean(shown)}</text>'
            out.append(line)
        return out

    def _marks(self) -> list[str]:
        out: list[str] = []
        for mark in self._model.marks:
            x, y = self._x(mark.at_ms), self._agent - 2
            if mark.kind is MarkKind.CORRECTION:
                shape = f'<path d="M{x} {y - 6}l5 6l-5 6l-5 -6z" style="fill:var(--warn);stroke:var(--surface)"/>'
                name = "Changed course"
            else:
                shape = (
                    f'<path d="M{x} {self._user}V{self._words}" style="stroke:var(--bad)" stroke-dasharray="4 3"/>'
                    f'<rect x="{x - 4}" y="{y - 4}" width="8" height="8" style="fill:var(--bad)"/>'
                )
                name = "Interrupted"
            out.append(f"<g><title>{name} at {clock_text(mark.at_ms, 1)}</title>{shape}</g>")
        return out


def _colour_class(number: int | None) -> str:
    return "none" if number is None else f"g{(number - 1) % len(LIGHT.generations) + 1}"
