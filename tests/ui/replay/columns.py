"""The three columns as JSON-ready values, for golden files."""

from __future__ import annotations

from typing import Any

from kame_desktop.ui.view_models import ConversationModel


def columns(model: ConversationModel) -> list[dict[str, Any]]:
    """Every visible turn with all that is shown of it."""
    return [
        {
            "utterance": turn.utterance,
            "user": {"text": turn.user.text, "stable": turn.user.stable_words, "final": turn.user.final},
            "oracle": [
                {
                    "generation": card.generation,
                    "number": card.number,
                    "model": card.model,
                    "status": card.status.value,
                    "based_on": card.based_on,
                    "first_token_ms": card.first_token_ms,
                    "text": card.text,
                    "failure": card.failure,
                    "tokens": [card.tokens_fed, card.tokens_missed],
                }
                for card in turn.cards
            ],
            "assistant": {
                "words": [[word.text, word.number, word.kind.value, word.correction] for word in turn.answer.words],
                "speaking": turn.answer.speaking,
                "interrupted": turn.answer.interrupted,
            },
        }
        for turn in model.visible_turns
    ]
