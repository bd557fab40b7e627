"""The three columns in a terminal: user words, oracle revisions, spoken words.

``LiveColumns`` redraws a table in place (rich); ``TurnPrinter`` writes plain lines for pipes and logs. Both are fed
every event and keep no time of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, TextIO

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from kame_desktop.commands.output import printing
from kame_desktop.core.errors import ErrorCategory
from kame_desktop.core.events import (
    AgentSpeechEnded,
    AgentText,
    ComponentError,
    Event,
    OracleFailed,
    OracleRevision,
    SessionState,
    SessionStateChanged,
    SpokenKind,
    SttFinal,
    SttPartial,
)
from kame_desktop.ui.rows import Answer, CardStatus, OracleCard, Turn
from kame_desktop.ui.view_models import ConversationModel

_REVISION_STYLES = ("cyan", "magenta", "yellow", "green", "blue", "red")
_CARDS_SHOWN = 6


class ColumnsView(Protocol):
    """Shows a conversation while it runs."""

    def __enter__(self) -> ColumnsView: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def take(self, events: Sequence[Event]) -> None:
        """Show what these events changed."""
        ...


class TurnPrinter:
    """One plain line for each thing worth reading: changed words, finished answers, spoken turns."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._loading = ""
        self._heard: dict[int, str] = {}
        self._spoken: dict[int, list[str]] = {}

    def __enter__(self) -> TurnPrinter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def take(self, events: Sequence[Event]) -> None:
        for event in events:
            self._take(event)

    def _take(self, event: Event) -> None:
        match event:
            case SessionStateChanged(state=SessionState.LOADING) if event.detail != self._loading:
                self._loading = event.detail
                self._write(" " * 11 + event.detail.lower())  # the conversation's clock doesn't run yet
            case SessionStateChanged(state=SessionState.RUNNING):
                self._line(event, "listening")
            case SttPartial() if self._heard.get(event.utterance) != event.text and event.text:
                self._heard[event.utterance] = event.text
                self._line(event, f"you     … {event.text}")
            case SttFinal() if event.text:
                self._line(event, f"you       {event.text}")
            case OracleRevision(complete=True):
                self._line(
                    event,
                    f"oracle {event.generation}: {event.text_so_far.strip()}  "
                    f"({event.model}, first token {event.first_token_ms:.0f} ms)",
                )
            case OracleFailed(superseded=False):
                again = " It will be asked again." if event.will_retry else ""
                self._line(event, f"oracle {event.generation}: {event.what}{again}")
            case AgentText():
                self._spoken.setdefault(event.utterance, []).append(_marked(event.text, event.kind))
            case AgentSpeechEnded():
                words = " ".join(self._spoken.pop(event.utterance, []))
                cut = " — (interrupted)" if event.interrupted else ""
                self._line(event, f"spoken    {words}{cut}")
            case ComponentError(category=ErrorCategory.TRANSIENT) | ComponentError(made_up_for=True):
                # Any other ends the run, which says why.
                self._line(event, f"problem   {event.what} {event.remedy}")
            case _:
                pass

    def _line(self, event: Event, text: str) -> None:
        self._write(f"{event.at_ms / 1e3:7.2f} s  {text}")

    def _write(self, line: str) -> None:
        with printing():
            self._out.write(line + "\n")
            self._out.flush()


class LiveColumns:
    """A table that is redrawn in place: one row a turn."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._model = ConversationModel()
        self._live = Live(console=console, auto_refresh=False, vertical_overflow="visible")

    def __enter__(self) -> LiveColumns:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def take(self, events: Sequence[Event]) -> None:
        self._model.apply(events)
        self._live.update(self._table(), refresh=True)

    def _table(self) -> Table:
        table = Table(
            expand=True, show_lines=True, caption=Text(self._caption(), "table.caption"), caption_justify="left"
        )
        for title, ratio in (("You", 3), ("Oracle", 5), ("Assistant", 4)):
            table.add_column(title, ratio=ratio, vertical="top")
        for turn in self._model.visible_turns[-4:]:
            table.add_row(_user_cell(turn), _oracle_cell(turn.cards), _answer_cell(turn.answer))
        return table

    def _caption(self) -> str:
        model = self._model
        parts = [model.phase.value.replace("_", " ")]
        if model.progress is not None:
            parts.append(f"{model.progress:.0%} {model.detail}")
        if model.health.response_ms is not None:
            parts.append(f"answered after {model.health.response_ms:.0f} ms")
        parts += [f"{error.what} {error.remedy}" for error in model.errors.shown]
        return " · ".join(parts)


def _user_cell(turn: Turn) -> Text:
    stable, unstable = turn.user.split()
    return Text.assemble((stable, "bold" if turn.user.final else ""), " " if stable else "", (unstable, "dim"))


def _oracle_cell(cards: Sequence[OracleCard]) -> Text:
    cell = Text()
    shown = cards[-_CARDS_SHOWN:]
    if len(cards) > len(shown):
        cell.append(f"{len(cards) - len(shown)} earlier\n", "dim")
    for index, card in enumerate(shown):
        style = "dim" if card.status is CardStatus.SUPERSEDED else _style(card.number)
        timing = f", {card.first_token_ms:.0f} ms" if card.first_token_ms else ""
        cell.append(f"{card.number} ", "bold " + style)
        cell.append(card.failure or card.text.strip() or "…", style)
        cell.append(f" ({card.status.value}{timing})", "dim")
        if index + 1 < len(shown):
            cell.append("\n")
    return cell


def _answer_cell(answer: Answer) -> Text:
    cell = Text()
    for word in answer.words:
        style = "italic dim" if word.kind is SpokenKind.OPENER else _style(word.number)
        cell.append(_marked(word.text, word.kind) + " ", style)
    if answer.interrupted:
        cell.append("— (interrupted)", "dim")
    return cell


def _style(number: int | None) -> str:
    return "" if number is None else _REVISION_STYLES[(number - 1) % len(_REVISION_STYLES)]


def _marked(word: str, kind: SpokenKind) -> str:
    return f"↪ {word}" if kind is SpokenKind.CONNECTOR else word


def columns_for(out: TextIO) -> ColumnsView:
    """The view that fits ``out``: a live table in a terminal, plain lines elsewhere."""
    console = Console(file=out)
    return LiveColumns(console) if console.is_terminal else TurnPrinter(out)
