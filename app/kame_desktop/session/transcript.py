"""Who said what, and what was really played. Pure; fed by events.

The language model's view of the conversation is the user's final words and the assistant's words as far as they were
played, openers left out: they are manners, not content.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from kame_desktop.core.backchannel import is_backchannel
from kame_desktop.core.events import (
    AgentSpeechEnded,
    AgentText,
    Event,
    SpokenKind,
    SttFinal,
    SttPartial,
)

_MAX_TURNS = 500


@dataclass(slots=True)
class Turn:
    """One utterance of the user and what was played in answer.

    Attributes:
        utterance: Its number.
        user: The user's words, the newest guess while unfinished.
        final: The user's words are final.
        words: What was played: text, kind and the generation that fed it.
        interrupted: The user cut the answer short.
    """

    utterance: int
    user: str = ""
    final: bool = False
    words: list[AgentText] = field(default_factory=list)
    interrupted: bool = False

    @property
    def spoken(self) -> str:
        """All that was played in this turn."""
        return " ".join(word.text for word in self.words)

    @property
    def answer(self) -> str:
        """What was played, openers left out."""
        return " ".join(word.text for word in self.words if word.kind is not SpokenKind.OPENER)


class Transcript:
    """The conversation so far. Owner: the asyncio thread; bound: the newest 500 turns."""

    def __init__(self) -> None:
        self._turns: OrderedDict[int, Turn] = OrderedDict()

    @property
    def turns(self) -> list[Turn]:
        """Turns in the order spoken."""
        return list(self._turns.values())

    def turn(self, utterance: int) -> Turn:
        """The turn of an utterance, made when it is new."""
        turn = self._turns.get(utterance)
        if turn is None:
            turn = self._turns[utterance] = Turn(utterance)
            while len(self._turns) > _MAX_TURNS:
                self._turns.popitem(last=False)
        return turn

    def take(self, event: Event) -> None:
        """Note an event; those that say nothing about words are ignored."""
        match event:
            case SttPartial():
                turn = self.turn(event.utterance)
                if not turn.final:
                    turn.user = event.text
            case SttFinal():
                turn = self.turn(event.utterance)
                turn.user, turn.final = event.text, True
            case AgentText():
                self.turn(event.utterance).words.append(event)
            case AgentSpeechEnded():
                self.turn(event.utterance).interrupted |= event.interrupted
            case _:
                pass

    def before(self, utterance: int) -> list[tuple[str, str]]:
        """Pairs (user, assistant as played) of the turns before ``utterance`` that have words of the user.

        A filler that nobody answered ("uh-huh") is no turn of the conversation.
        """
        earlier = [turn for number, turn in self._turns.items() if number < utterance and turn.user]
        return [(turn.user, turn.answer) for turn in earlier if turn.words or not is_backchannel(turn.user)]

    def spoken_answer(self, utterance: int) -> str:
        """What has been played in answer to ``utterance``, openers left out."""
        turn = self._turns.get(utterance)
        return turn.answer if turn is not None else ""
