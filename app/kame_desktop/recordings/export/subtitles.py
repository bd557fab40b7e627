"""SRT and WebVTT with speakers.

Cue times are those of the recording's sound, so that the file fits the exported WAV. Of the user's words no times are
known but the beginning and the end of the speech: they are spread over it by their letters. The two speakers may
overlap, as they did; the cues of one never do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from kame_desktop.recordings.export.model import Conversation, Turn

LINE_LETTERS = 42
LINES = 2
LONGEST_MS = 6_000.0
SHORTEST_MS = 400.0
_PAUSE_MS = 900.0
_LETTER_MS = 60.0
_WORD_MS = 180.0
_UNKNOWN_SPEECH_MS = 2_000.0
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]+")


class Speaker(StrEnum):
    """Who speaks, as it is written."""

    USER = "You"
    ASSISTANT = "Assistant"


@dataclass(frozen=True, slots=True)
class Cue:
    """What is shown from ``start_ms`` to ``end_ms`` (whole milliseconds): at most ``LINES`` lines."""

    start_ms: int
    end_ms: int
    speaker: Speaker
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Timed:
    start_ms: float
    end_ms: float
    text: str


def cues_of(conversation: Conversation) -> list[Cue]:
    """All cues by the time they begin."""
    offset_ms = conversation.facts.audio_start_ms
    cues: list[Cue] = []
    for speaker, words_of in ((Speaker.USER, _user_words), (Speaker.ASSISTANT, _assistant_words)):
        phrases = [phrase for turn in conversation.turns for phrase in _phrases(words_of(turn), speaker)]
        phrases.sort(key=lambda phrase: phrase[0].start_ms)
        cues += _cues(phrases, speaker, offset_ms)
    return sorted(cues, key=lambda cue: (cue.start_ms, cue.speaker is Speaker.ASSISTANT))


def as_srt(conversation: Conversation) -> str:
    """SubRip: the speaker's name before the words."""
    blocks: list[str] = []
    for number, cue in enumerate(cues_of(conversation), start=1):
        body = "\n".join(line.replace("-->", "->") for line in (f"{cue.speaker.value}: {cue.lines[0]}", *cue.lines[1:]))
        blocks.append(f"{number}\n{_stamp(cue.start_ms, ',')} --> {_stamp(cue.end_ms, ',')}\n{body}\n")
    return "\n".join(blocks)


def as_vtt(conversation: Conversation) -> str:
    """WebVTT: the speakers as voices."""
    blocks = ["WEBVTT\n"]
    for cue in cues_of(conversation):
        body = "\n".join(_vtt_text(line) for line in cue.lines)
        stamps = f"{_stamp(cue.start_ms, '.')} --> {_stamp(cue.end_ms, '.')}"
        blocks.append(f"{stamps}\n<v {cue.speaker.value}>{body}\n")
    return "\n".join(blocks)


def _vtt_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _stamp(ms: int, point: str) -> str:
    seconds, part = divmod(ms, 1_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}{point}{part:03}"


def _split(text: str) -> list[str]:
    """Words that fit a line; what no line holds is cut."""
    most = LINE_LETTERS - len(f"{Speaker.ASSISTANT.value}: ")
    words = _CONTROL.sub(" ", text).split()
    return [word[at : at + most] for word in words for at in range(0, len(word), most)]


def _user_words(turn: Turn) -> list[_Timed]:
    words = _split(turn.user)
    if not words:
        return []
    start_ms, end_ms = turn.user_start_ms, turn.user_end_ms
    if start_ms is None:
        start_ms = turn.heard[0].at_ms if turn.heard else 0.0
    if end_ms is None or end_ms <= start_ms:
        end_ms = max((heard.at_ms for heard in turn.heard), default=start_ms)
    if end_ms <= start_ms:
        end_ms = start_ms + min(_UNKNOWN_SPEECH_MS, _WORD_MS * len(words))
    letters = sum(len(word) + 1 for word in words)
    timed: list[_Timed] = []
    at = 0
    for word in words:
        begin, at = at, at + len(word) + 1
        span_ms = end_ms - start_ms
        timed.append(_Timed(start_ms + span_ms * begin / letters, start_ms + span_ms * at / letters, word))
    return timed


def _assistant_words(turn: Turn) -> list[_Timed]:
    timed: list[_Timed] = []
    words = sorted(turn.words, key=lambda word: word.at_ms)
    for index, word in enumerate(words):
        end_ms = word.at_ms + _WORD_MS + _LETTER_MS * len(word.text)
        if index + 1 < len(words):
            end_ms = min(end_ms, words[index + 1].at_ms)
        elif turn.agent_end_ms is not None and turn.agent_end_ms > word.at_ms:
            end_ms = min(end_ms, turn.agent_end_ms)
        timed += [_Timed(word.at_ms, max(end_ms, word.at_ms), piece) for piece in _split(word.text)]
    return timed


def _phrases(words: Sequence[_Timed], speaker: Speaker) -> list[list[_Timed]]:
    """Words that are shown together: as many as fit, no longer than is pleasant, not across a pause."""
    phrases: list[list[_Timed]] = []
    for word in words:
        current = phrases[-1] if phrases else None
        if (
            current is None
            or word.start_ms - current[-1].end_ms > _PAUSE_MS
            or word.end_ms - current[0].start_ms > LONGEST_MS
            or len(_wrapped([*current, word], speaker)) > LINES
        ):
            phrases.append([word])
        else:
            current.append(word)
    return phrases


def _wrapped(words: Sequence[_Timed], speaker: Speaker) -> list[str]:
    """Lines of at most ``LINE_LETTERS``, with room for the speaker's name in the first."""
    lines: list[str] = []
    room = LINE_LETTERS - len(f"{speaker.value}: ")
    for word in words:
        if lines and len(lines[-1]) + 1 + len(word.text) <= room:
            lines[-1] += f" {word.text}"
        else:
            if lines:
                room = LINE_LETTERS
            lines.append(word.text)
    return lines


def _cues(phrases: Sequence[list[_Timed]], speaker: Speaker, offset_ms: float) -> list[Cue]:
    """Phrases of one speaker as cues that begin after one another and never overlap."""
    cues: list[Cue] = []
    earliest = 0
    for index, phrase in enumerate(phrases):
        start = max(earliest, round(phrase[0].start_ms - offset_ms))
        end = max(round(phrase[-1].end_ms - offset_ms), start + round(SHORTEST_MS))
        if index + 1 < len(phrases):
            end = min(end, round(phrases[index + 1][0].start_ms - offset_ms))
        end = max(end, start + 1)
        cues.append(Cue(start, end, speaker, tuple(_wrapped(phrase, speaker))))
        earliest = end
    return cues
