"""Markdown: the conversation, and under each turn a table of the oracle's answers."""

from __future__ import annotations

import re

from kame_desktop.recordings.export.model import Conversation, Revision, Turn, Word
from kame_desktop.recordings.export.text import clock_text, facts_line

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!$])")
_LIST_START = re.compile(r"^(\d+)([.)])(?=\s|$)|^([-+=])")


def escaped(text: str) -> str:
    """Words as they are, whatever Markdown makes of their letters."""
    plain = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return _LIST_START.sub(lambda found: f"{found[1] or ''}\\{found[2] or found[3]}", plain)


def as_markdown(conversation: Conversation) -> str:
    """The conversation for a report."""
    facts = conversation.facts
    lines = [f"# {escaped(facts.title or 'Conversation')}", "", escaped(facts_line(facts)), ""]
    for number, turn in enumerate(conversation.turns, start=1):
        lines += _turn_lines(number, turn)
    return "\n".join(lines).rstrip("\n") + "\n"


def _turn_lines(number: int, turn: Turn) -> list[str]:
    start_ms = turn.user_start_ms if turn.user_start_ms is not None else turn.agent_start_ms
    lines = [f"## {number}" + ("" if start_ms is None else f" · {clock_text(start_ms, 1)}"), ""]
    if turn.user:
        lines += [f"**You:** {escaped(turn.user)}", ""]
    if turn.words:
        cut = " *— interrupted*" if turn.interrupted else ""
        lines += [f"**Assistant:** {_spoken(turn.words)}{cut}", ""]
    if turn.revisions:
        lines += ["| answer | asked at | model | after the words | first word | what |", "|---|---|---|---|---|---|"]
        lines += [_row(revision) for revision in turn.revisions]
        lines.append("")
    return lines


def _spoken(words: list[Word]) -> str:
    """Where another answer took over, its number stands before the first word of it."""
    parts: list[str] = []
    shown: int | None = None
    for word in words:
        if word.number is not None and word.number != shown:
            shown = word.number
            parts.append(f"\\[{shown}\\]")
        parts.append(escaped(word.text))
    return " ".join(parts)


def _row(revision: Revision) -> str:
    first = "" if revision.first_token_ms is None else f"{revision.first_token_ms:.0f} ms"
    what = escaped(revision.text)
    if revision.failure:
        what = f"{what} *{escaped(revision.failure)}*".strip()
    elif revision.superseded:
        what = f"{what} *(superseded)*".strip()
    cells = (
        str(revision.number),
        clock_text(revision.asked_at_ms, 1),
        escaped(revision.label or revision.model),
        escaped(revision.based_on),
        first,
        what,
    )
    return f"| {' | '.join(cells)} |"
