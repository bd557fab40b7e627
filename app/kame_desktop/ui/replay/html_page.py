"""A recording as one HTML page for a slide or a report: three columns and the timeline as in the window. No Qt.

The page needs nothing beside itself: no script, no picture, no address. It is well-formed XML too, so that any reader
finds its way; light or dark is the reader's choice. Every word is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from kame_desktop.core import events as ev
from kame_desktop.core.events import Event, SessionState, SpokenKind
from kame_desktop.recordings.export.model import Facts
from kame_desktop.recordings.export.text import clock_text, facts_line
from kame_desktop.ui.palette import DARK, LIGHT, Theme
from kame_desktop.ui.replay.html_timeline import timeline_svg
from kame_desktop.ui.rows import Answer, CardStatus, OracleCard, Phase, Turn, UserLine
from kame_desktop.ui.timeline_model import TimelineModel
from kame_desktop.ui.view_models import ConversationModel
from kame_desktop.ui.word_diff import Change, word_diff

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_STATUS = {
    CardStatus.ASKED: "Asked",
    CardStatus.STREAMING: "Streaming",
    CardStatus.COMPLETE: "Complete",
    CardStatus.SUPERSEDED: "Superseded",
    CardStatus.FAILED: "Failed",
}
_DIFF_TAGS = {Change.DROPPED: "del", Change.ADDED: "ins", Change.MOVED: "em"}

_STYLE = """
* { box-sizing: border-box; }
body { margin: 0; background: var(--window); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
main { max-width: 1280px; margin: 0 auto; padding: 24px 20px 40px; }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
header p { color: var(--muted); margin: 2px 0 18px; }
.panel { background: var(--surface); border: 1px solid var(--border); border-radius: 10px; }
.timeline { overflow-x: auto; margin-bottom: 18px; padding: 6px 0; }
.timeline svg { display: block; }
.row { display: grid; grid-template-columns: 10fr 14fr 12fr; gap: 24px; padding: 14px 16px;
  border-top: 1px solid var(--border); }
.row.heads { border-top: none; color: var(--muted); font-weight: 600; padding: 10px 16px; }
.row > div { min-width: 0; overflow-wrap: anywhere; }
.words { font-size: 1.1rem; }
.time { color: var(--faint); font-size: .8rem; display: block; }
.unsure { color: var(--faint); }
.card { background: var(--raised); border: 1px solid var(--border); border-left-width: 4px; border-radius: 8px;
  padding: 8px 12px; margin-bottom: 6px; }
.card p { margin: 4px 0; }
.card.superseded { border-left-color: var(--border); }
.card.superseded p, summary .preview { color: var(--faint); }
.card:target, .row:target { outline: 2px solid var(--accent); }
.head, summary { display: flex; gap: 8px; align-items: baseline; font-size: .88rem; color: var(--muted); }
summary { cursor: pointer; }
summary .preview { flex: 1; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; min-width: 0; }
.head .model { flex: 1; }
.state { font-weight: 600; white-space: nowrap; }
.state.complete { color: var(--good); } .state.failed { color: var(--bad); } .state.superseded { color: var(--faint); }
.details { font-size: .82rem; color: var(--muted); }
.failure { color: var(--bad); }
.tag { color: var(--on-tag); border-radius: 8px; padding: 0 7px; font-size: .8rem; font-weight: 600; }
.opener, .connector { font-style: italic; } .opener, .none { color: var(--muted); }
ins { text-decoration: underline; } del { color: var(--faint); }
.card em { font-style: normal; text-decoration: underline dotted; }
.cut { color: var(--bad); }
footer { color: var(--faint); font-size: .82rem; margin-top: 14px; }
@media (max-width: 760px) { .row { grid-template-columns: 1fr; gap: 10px; } .row.heads { display: none; } }
@media print { body { background: none; } .timeline { overflow: hidden; } .row, .card { break-inside: avoid; } }
"""


def as_html(facts: Facts, events: Iterable[Event]) -> str:
    """The page, for UTF-8."""
    model, timeline = ConversationModel(), TimelineModel()
    everything = list(events)
    last_ms = max((event.at_ms for event in everything), default=0.0)
    everything.append(ev.SessionStateChanged(at_ms=last_ms, state=SessionState.IDLE))
    model.apply(everything)
    timeline.apply(everything)
    title = clean(facts.title or "Conversation")
    began = _beginnings(everything)
    rows = "\n".join(_turn(turn, began.get(turn.utterance)) for turn in model.visible_turns)
    return f"""<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>{title}</title>
<style>{_colours()}{_STYLE}</style>
</head>
<body>
<main>
<header><h1>{title}</h1><p>{clean(facts_line(facts))}</p></header>
<div class="panel timeline" tabindex="0" role="group" aria-label="Timeline">
{timeline_svg(timeline, clean)}
</div>
<div class="panel">
<div class="row heads"><div>You</div><div>Oracle</div><div>Assistant</div></div>
{rows}
</div>
<footer>Recorded with Kame Desktop {clean(facts.app_version)}. Words of the assistant have the colour of the answer that
fed them; underlined is what is new in an answer, struck through what is gone.</footer>
</main>
</body>
</html>
"""


def clean(text: str) -> str:
    """Any text as text of the page."""
    return escape(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def _beginnings(events: list[Event]) -> dict[int, float]:
    """When each turn began."""
    began: dict[int, float] = {}
    for event in events:
        if isinstance(event, ev.UserSpeechStarted | ev.SttPartial | ev.SttFinal | ev.AgentSpeechStarted):
            began.setdefault(event.utterance, event.at_ms)
    return began


def _colours() -> str:
    dark = f"@media (prefers-color-scheme: dark) {{ {_variables(DARK)} {_classes(DARK)} }}"
    return f"\n{_variables(LIGHT)}\n{_classes(LIGHT)}\n{dark}"


def _variables(theme: Theme) -> str:
    names = ("window", "surface", "raised", "border", "text", "muted", "faint", "accent", "good", "warn", "bad")
    values = [f"--{name}: {getattr(theme, name)};" for name in names]
    values += [f"--on-tag: {theme.on_tag};", f"--user: {theme.phases[Phase.LISTENING]};"]
    return f":root {{ {' '.join(values)} }}"


def _classes(theme: Theme) -> str:
    """Colours of the answers, for words, tags, cards and the timeline."""
    rules: list[str] = []
    for place, colour in enumerate(theme.generations, start=1):
        rules.append(f".g{place} {{ color: {colour}; fill: {colour}; stroke: {colour}; }}")
        rules.append(f".tag.g{place} {{ color: {theme.on_tag}; background: {colour}; }}")
        rules.append(f".card.g{place} {{ color: inherit; border-left-color: {colour}; }}")
    return " ".join(rules)


def colour_class(number: int | None) -> str:
    """The class of an answer's colour; of words that no answer fed: none."""
    return "none" if number is None else f"g{(number - 1) % len(LIGHT.generations) + 1}"


def _turn(turn: Turn, began_ms: float | None) -> str:
    time = "" if began_ms is None else f'<span class="time">{clock_text(began_ms, 1)}</span>'
    return (
        f'<section class="row" id="turn-{turn.utterance}">\n<div class="words">{time}{_user(turn.user)}</div>\n'
        f"<div>{_cards(turn)}</div>\n"
        f'<div class="words">{_answer(turn.answer)}</div>\n</section>'
    )


def _user(user: UserLine) -> str:
    stable, unsure = user.split()
    tail = f' <span class="unsure">{clean(unsure)}</span>' if unsure else ""
    return clean(stable) + tail


def _cards(turn: Turn) -> str:
    parts: list[str] = []
    before = ""
    for card in turn.cards:
        parts.append(_card(card, before))
        before = card.text or before
    return "\n".join(parts)


def _card(card: OracleCard, before: str) -> str:
    tag = f'<span class="tag {colour_class(card.number)}">{card.number}</span>'
    model = f'<span class="model">{clean(card.model)}</span>'
    state = f'<span class="state {card.status.value}">{_STATUS[card.status]}</span>'
    body = f"<p>{_diff(before, card.text)}</p>" if card.text else ""
    if card.failure:
        body += f'<p class="failure">{clean(card.failure)}</p>'
    body += f'<p class="details">{clean(_details(card))}</p>'
    opening = f'class="card {colour_class(card.number)} {card.status.value}" id="answer-{card.generation}"'
    if card.status is not CardStatus.SUPERSEDED:
        return f'<div {opening}><div class="head">{tag}{model}{state}</div>{body}</div>'
    preview = f'<span class="preview">{clean(card.text or "no answer yet")}</span>'
    return f"<details {opening}><summary>{tag}{preview}{state}</summary><p>{model}</p>{body}</details>"


def _diff(before: str, text: str) -> str:
    pieces = word_diff(before, text)
    if len(pieces) == 1:
        return clean(text)
    out: list[str] = []
    for piece in pieces:
        tag = _DIFF_TAGS.get(piece.change)
        out.append(f"<{tag}>{clean(piece.text)}</{tag}>" if tag else clean(piece.text))
    return " ".join(out)


def _details(card: OracleCard) -> str:
    parts = [f"asked at {clock_text(card.asked_at_ms, 1)}"]
    if card.first_token_ms is not None:
        parts.append(f"first token {card.first_token_ms:.0f} ms")
    if card.text:
        parts.append("1 word" if card.word_count == 1 else f"{card.word_count} words")
    if card.chosen_because:
        parts.append(card.chosen_because)
    if card.based_on:
        parts.append(f"heard “{card.based_on}”")
    if card.tokens_fed or card.tokens_missed:
        parts.append(f"{card.tokens_fed} tokens fed")
    if card.tokens_missed:
        parts.append(f"{card.tokens_missed} not needed")
    return " · ".join(parts)


def _answer(answer: Answer) -> str:
    parts: list[str] = []
    looks: tuple[int | None, SpokenKind] | None = None
    tagged: int | None = None
    for word in answer.words:
        if (word.number, word.kind) == looks:
            parts[-1] += f" {clean(word.text)}"
            continue
        looks = (word.number, word.kind)
        colour = colour_class(word.number)
        mark = "↪\N{NO-BREAK SPACE}" if word.kind is SpokenKind.CONNECTOR else ""
        if word.number is not None and word.number != tagged and word.kind is SpokenKind.ANSWER:
            tagged = word.number
            parts.append(f'<span class="tag {colour}">{word.number}')
        parts.append(f'<span class="{colour} {word.kind.value}">{mark}{clean(word.text)}')
    spoken = " ".join(f"{part}</span>" for part in parts)
    return spoken + (' <span class="cut">— interrupted</span>' if answer.interrupted else "")
