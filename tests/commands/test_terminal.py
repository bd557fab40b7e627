"""The three columns, live in a terminal of any width and as plain lines elsewhere."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from kame_desktop.commands.terminal import LiveColumns, TurnPrinter, columns_for
from kame_desktop.core.events import (
    AgentSpeechEnded,
    AgentText,
    ComponentError,
    Event,
    OracleRequested,
    OracleRevision,
    SessionState,
    SessionStateChanged,
    SpokenKind,
    SttFinal,
    SttPartial,
    UserSpeechStarted,
)
from kame_desktop.core.events import AskReason as Because

CONVERSATION: list[Event] = [
    SessionStateChanged(at_ms=0.0, state=SessionState.RUNNING, detail="listening"),
    UserSpeechStarted(at_ms=80.0, utterance=1, resumed=False),
    SttPartial(at_ms=500.0, utterance=1, rev=1, text="What is [bold]the", stable_words=0),
    OracleRequested(
        at_ms=510.0,
        generation=1,
        utterance=1,
        model="starter",
        prompt_tokens=9,
        because=Because.WORDS_CHANGED,
        heard_words=3,
    ),
    OracleRevision(
        at_ms=700.0,
        generation=1,
        utterance=1,
        model="starter",
        text_so_far="It is [1] Paris.",
        complete=True,
        first_token_ms=190.0,
    ),
    SttFinal(at_ms=900.0, utterance=1, text="What is [bold]the capital?"),
    AgentText(at_ms=950.0, utterance=1, text="Well,", frame=11, generation=0, kind=SpokenKind.OPENER),
    AgentText(at_ms=1_200.0, utterance=1, text="Paris.", frame=15, generation=1, kind=SpokenKind.ANSWER),
    AgentSpeechEnded(at_ms=1_500.0, utterance=1),
]


@pytest.mark.parametrize("width", [60, 100, 200])
def test_a_terminal_shows_all_of_it_whatever_its_width(width: int) -> None:
    out = io.StringIO()
    with LiveColumns(Console(file=out, width=width, height=40, force_terminal=True, color_system=None)) as columns:
        columns.take(CONVERSATION)
    last = out.getvalue().rpartition("You")[2]
    for text in ("[bold]the", "[1] Paris.", "Well,", "Paris."):
        assert text in last
    assert all(len(line) <= width for line in last.splitlines()[1:-1] if not line.startswith("\x1b"))


def test_a_remedy_keeps_its_brackets() -> None:
    out = io.StringIO()
    error = ComponentError(
        at_ms=0.0,
        component="llm",
        category="missing",
        what="It is missing.",
        remedy="pip install 'kame-desktop[starter]'",
    )
    with LiveColumns(Console(file=out, width=200, force_terminal=True, color_system=None)) as columns:
        columns.take([error])
    assert "'kame-desktop[starter]'" in out.getvalue()


def test_each_thing_that_loads_is_named_once_and_before_the_clock_runs() -> None:
    out = io.StringIO()
    loading = [
        SessionStateChanged(at_ms=0.0, state=SessionState.LOADING, detail=detail, progress=progress)
        for detail, progress in (
            ("Loading the voice", 0.2),
            ("Loading the voice", 0.4),
            ("Loading the recogniser", 0.5),
        )
    ]
    columns_for(out).take([*loading, CONVERSATION[0]])
    assert [line.strip() for line in out.getvalue().splitlines()] == [
        "loading the voice",
        "loading the recogniser",
        "0.00 s  listening",
    ]


def test_elsewhere_it_is_plain_lines_and_what_ends_the_run_is_left_to_the_end() -> None:
    out = io.StringIO()
    columns = columns_for(out)
    assert isinstance(columns, TurnPrinter)
    passing, fatal = (
        ComponentError(at_ms=0.0, component="llm", category=category, what=f"{category}.", remedy="Wait.")
        for category in ("transient", "permanent")
    )
    survived = replace(fatal, what="no key.", remedy="Starter answers instead.", made_up_for=True)
    with columns:
        columns.take([*CONVERSATION, passing, fatal, survived])
    lines = [line.partition(" s  ")[2] for line in out.getvalue().splitlines()]
    assert lines == [
        "listening",
        "you     … What is [bold]the",
        "oracle 1: It is [1] Paris.  (starter, first token 190 ms)",
        "you       What is [bold]the capital?",
        "spoken    Well, Paris.",
        "problem   transient. Wait.",
        "problem   no key. Starter answers instead.",
    ]
