"""Which words of the user are meant as a question: not the fillers that are said over an answer. Pure; fed by events.

Both the frame loop and the asyncio thread ask, each with a gate of its own.
"""

from __future__ import annotations

from kame_desktop.core.backchannel import is_backchannel
from kame_desktop.core.events import AgentSpeechEnded, AgentText, Event, SttFinal, SttPartial, UserSpeechStarted


class BackchannelGate:
    """Tells fillers over an answer ("uh-huh") from what asks for one. One thread.

    A filler over the answer changes nothing: the answer goes on, its stream stays open and nobody is asked about the
    filler. Said in silence, or right after a question of the assistant, the same words count. An utterance may begin
    like a filler and become a question ("Yeah, but why?"): it counts as soon as its words do.
    """

    def __init__(self) -> None:
        self._speaking = False
        self._last_word = ""
        self._over_answer = 0

    def counts(self, event: Event) -> bool:
        """Take every event, in order; False of words that are fillers over an answer."""
        match event:
            case AgentText():
                self._speaking = True
                self._last_word = event.text
            case AgentSpeechEnded():
                self._speaking = False
            case UserSpeechStarted(resumed=False):
                self._over_answer = event.utterance if self._speaking and not self._last_word.endswith("?") else 0
            case SttPartial() | SttFinal() if event.utterance == self._over_answer:
                return not is_backchannel(event.text)
            case _:
                pass
        return True
