"""Plain text: who said what, and when."""

from __future__ import annotations

from kame_desktop.recordings.export.model import Conversation, Facts


def clock_text(ms: float, decimals: int = 0) -> str:
    """A time as minutes and seconds ("1:02"), with hours when there are any."""
    unit = 10**decimals
    total = max(0, round(ms * unit / 1e3))
    seconds, part = divmod(total, unit)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    tail = f"{seconds:02}" + (f".{part:0{decimals}}" if decimals else "")
    return f"{hours}:{minutes:02}:{tail}" if hours else f"{minutes}:{tail}"


def facts_line(facts: Facts) -> str:
    """When, how long, and with what, in one line."""
    when = facts.started_at.replace("T", " ")[:16]
    engine = f"engine {facts.engine}" if facts.engine else ""
    cut = "" if facts.complete else "cut off"
    return " · ".join(part for part in (when, clock_text(facts.duration_ms), engine, facts.model, cut) if part)


def as_text(conversation: Conversation) -> str:
    """The conversation as plain text, for a mail or the clipboard."""
    facts = conversation.facts
    lines = [facts.title or "Conversation", facts_line(facts), ""]
    for turn in conversation.turns:
        if turn.user:
            lines.append(f"{_stamp(turn.user_start_ms)}You: {' '.join(turn.user.split())}")
        if turn.words:
            cut = " — interrupted" if turn.interrupted else ""
            lines.append(f"{_stamp(turn.words[0].at_ms)}Assistant: {turn.spoken}{cut}")
        if turn.user or turn.words:
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _stamp(ms: float | None) -> str:
    return "" if ms is None else f"[{clock_text(ms, 1)}] "
