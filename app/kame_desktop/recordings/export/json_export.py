"""JSON of a documented shape: docs/recording-format.md, and a JSON schema in assets/schemas/export.schema.json."""

from __future__ import annotations

import json
from typing import Any

from kame_desktop.recordings.export.model import Conversation, Revision, Turn

FORMAT = "kame-desktop conversation"
VERSION = 1


def as_json(conversation: Conversation) -> str:
    """The whole conversation as one JSON object; times are session milliseconds."""
    return json.dumps(as_object(conversation), ensure_ascii=False, indent=2) + "\n"


def as_object(conversation: Conversation) -> dict[str, Any]:
    """The same as Python values."""
    facts = conversation.facts
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": facts.title,
        "started_at": facts.started_at,
        "app_version": facts.app_version,
        "engine": facts.engine,
        "model": facts.model,
        "stt": facts.stt,
        "duration_ms": round(facts.duration_ms, 3),
        "audio_start_ms": round(facts.audio_start_ms, 3),
        "complete": facts.complete,
        "turns": [_turn(turn) for turn in conversation.turns],
    }


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        "utterance": turn.utterance,
        "user": {
            "text": turn.user,
            "final": turn.final,
            "start_ms": _ms(turn.user_start_ms),
            "end_ms": _ms(turn.user_end_ms),
            "heard": [
                {"at_ms": _ms(heard.at_ms), "text": heard.text, "stable_words": heard.stable_words}
                for heard in turn.heard
            ],
        },
        "oracle": [answer_object(revision) for revision in turn.revisions],
        "assistant": {
            "text": turn.spoken,
            "start_ms": _ms(turn.agent_start_ms),
            "end_ms": _ms(turn.agent_end_ms),
            "interrupted": turn.interrupted,
            "words": [
                {
                    "at_ms": _ms(word.at_ms),
                    "text": word.text,
                    "kind": word.kind.value,
                    "generation": word.generation,
                    "answer": word.number,
                    "correction": word.correction,
                }
                for word in turn.words
            ],
        },
    }


def answer_object(revision: Revision) -> dict[str, Any]:
    """One answer of the language model."""
    return {
        "number": revision.number,
        "generation": revision.generation,
        "model": revision.model,
        "label": revision.label,
        "asked_at_ms": _ms(revision.asked_at_ms),
        "because": revision.because.value if revision.because is not None else None,
        "chosen_because": revision.chosen_because,
        "prompt_tokens": revision.prompt_tokens,
        "heard_words": revision.heard_words,
        "based_on": revision.based_on,
        "first_token_ms": _ms(revision.first_token_ms),
        "ended_at_ms": _ms(revision.ended_at_ms),
        "text": revision.text,
        "complete": revision.complete,
        "superseded": revision.superseded,
        "failure": revision.failure,
        "tokens_fed": revision.tokens_fed,
        "tokens_missed": revision.tokens_missed,
    }


def _ms(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
