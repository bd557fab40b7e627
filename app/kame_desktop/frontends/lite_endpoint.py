"""How long the user may be silent before the lite front end takes the turn, given the words so far. Pure.

The words are 100-500 ms behind the sound. So a complete question is answered at the pause even if its last words are
still missing, and an open end ("the capital of") only holds the turn back when it is known to be the end: otherwise the
missing word probably completes it. Where it can't ("If it rains"), one or two frames are given for newer words to come.
"""

from __future__ import annotations

from kame_desktop.core.utterance_end import Ending, ending_of, lacks_main_clause
from kame_desktop.frontends.base import FrontendInput

NEWER_WORDS_MS = 320.0
_PATIENCE_MS = {
    Ending.COMPLETE: 0.0,
    Ending.UNSURE: 400.0,
    Ending.LIKELY_OPEN: 600.0,
    Ending.OPEN: 1_000.0,
}
_WORD_MS = 250.0
"""So much sound without its text holds another word."""
_HEARD_MS = 80.0
_SHORT_SPEECH_MS = 700.0


def words_cover_speech(given: FrontendInput) -> bool:
    """``heard_text`` is made of all that the user has said of this utterance."""
    return given.heard_final or given.nothing_heard or _unheard_ms(given) <= _HEARD_MS


def patience_ms(given: FrontendInput) -> float:
    """From how much silence of the user on the turn may be taken; 0: at the tentative end of the speech."""
    if not given.heard_text.strip():
        waits = given.user.speech_ms < _SHORT_SPEECH_MS or words_cover_speech(given)
        return NEWER_WORDS_MS if waits and not given.heard_final else 0.0
    ending = ending_of(given.heard_text)
    if given.heard_final or _unheard_ms(given) < _WORD_MS:
        return _PATIENCE_MS[ending]
    waits = ending is Ending.UNSURE or lacks_main_clause(given.heard_text)
    return NEWER_WORDS_MS if waits else 0.0


def _unheard_ms(given: FrontendInput) -> float:
    """How much speech the words don't know of."""
    if not given.heard_until_ms:
        return given.user.speech_ms
    return given.now_ms - given.user.silence_ms - given.heard_until_ms
