"""The states of the window, as events."""

from __future__ import annotations

from kame_desktop.core import events as ev
from kame_desktop.core.events import SessionState, SpokenKind
from kame_desktop.ui.gallery.script import Script
from kame_desktop.ui.gallery.services import REMOTE


def _first_turn(script: Script) -> Script:
    """A finished turn, so that the columns have a past."""
    script.hear(1, "What is the", 0).later(500).ask(1, 1, 3).answer(1, 1, "Could you tell me", 212)
    script.later(400).hear(1, "What is the capital of France", 5).ask(2, 1, 6)
    script.answer(2, 1, "The capital of France is Paris, on the river Seine.", 236).fed(2, 13)
    script.later(300).end(1, "What is the capital of France?").later(90).begin_speech(1)
    return script.say(1, "The capital of France is Paris, on the river Seine.", 2).hush(1)


def _listening() -> Script:
    script = _first_turn(Script()).later(1500)
    script.hear(2, "how many", 0).later(700).ask(3, 2, 2).answer(3, 2, "How many of what?", 204)
    script.later(400).hear(2, "how many days are there in a lead", 6, 190).ask(4, 2, 8)
    return script.answer(4, 2, "There are three hundred and", 228, done=False).health(-21, -120, 5)


def _thinking() -> Script:
    script = _first_turn(Script()).later(1500)
    script.hear(2, "how many", 0).ask(3, 2, 2).answer(3, 2, "How many of what?", 204)
    script.later(350).hear(2, "how many days are there", 4).ask(4, 2, 5)
    script.answer(4, 2, "There are seven days in a week.", 218)
    script.later(350).hear(2, "how many days are there in a year", 7).ask(5, 2, 8)
    script.answer(5, 2, "There are three hundred and sixty-five days in a year.", 231)
    script.later(350).hear(2, "how many days are there in a leap year", 8, 170).ask(6, 2, 9)
    script.answer(6, 2, "There are three hundred and sixty-six days in", 225, done=False)
    script.later(200).end(2, "How many days are there in a leap year?").ask(7, 2, 9)
    return script.later(120).health(-58, -120, 7)


def _speaking() -> Script:
    script = _first_turn(Script()).later(1500)
    script.hear(2, "how many", 0).ask(3, 2, 2).answer(3, 2, "How many of what?", 204)
    script.later(350).hear(2, "how many days are there in a", 5).ask(4, 2, 7)
    script.answer(4, 2, "There are three hundred and sixty-five days in a year.", 218).fed(4, 14)
    script.later(600).end(2, "How many days are there in a leap year?").ask(5, 2, 9)
    script.later(90).begin_speech(2).say(2, "Well,", None, SpokenKind.OPENER)
    script.later(300).say(2, "there are three hundred and sixty-five", 4)
    full = "There are three hundred and sixty-six days in a leap year; the extra day is the 29th of February."
    script.later(140).answer(5, 2, full, 243).fed(4, 9, 5).fed(5, 18)
    script.later(400).say(2, "or rather,", 5, SpokenKind.CONNECTOR)
    return script.later(300).say(2, "three hundred and sixty-six days in a leap", 5).health(-54, -17, 6)


def _error() -> Script:
    script = _first_turn(Script()).later(1500)
    script.hear(2, "who wrote", 0).ask(3, 2, 2).answer(3, 2, "Who wrote what?", 219)
    script.later(600).end(2, "Who wrote Romeo and Juliet?").ask(4, 2, 5)
    what, remedy = (
        "The service refused the key for GPT-4.1 mini.",
        "Check the key, or choose another language model.",
    )
    script.out.append(
        ev.OracleFailed(
            at_ms=script.now, generation=4, model=REMOTE.name, category="permanent", what=what, remedy=remedy
        )
    )
    script.out.append(
        ev.ComponentError(at_ms=script.now, component="llm", category="permanent", what=what, remedy=remedy)
    )
    return script.health(-60, -120, 4)


def _late() -> Script:
    script = _speaking().later(400).say(2, "year.", 5).hush(2).later(1500)
    script.hear(3, "and why is that", 0).later(500).end(3, "And why is that?").ask(6, 3, 4)
    script.later(200).begin_speech(3).say(3, "Let me think,", None, SpokenKind.OPENER)
    return script.later(1900).health(-60, -31, 7)


def _long() -> Script:
    script = _first_turn(Script())
    questions = ("Why is the sky blue?", "Who wrote Romeo and Juliet?", "What is seven times eight?")
    replies = (
        "Air scatters blue light much more than red light, so blue reaches us from everywhere.",
        "William Shakespeare wrote it, around the year 1595.",
        "Seven times eight is fifty-six.",
    )
    for utterance in range(2, 14):
        question, reply = questions[utterance % 3], replies[utterance % 3]
        script.later(900).hear(utterance, question, 0).ask(10 * utterance, utterance, 2)
        script.answer(10 * utterance, utterance, "I don't know yet.", 200)
        script.later(500).end(utterance, question).ask(10 * utterance + 1, utterance, 5)
        script.answer(10 * utterance + 1, utterance, reply, 240).fed(10 * utterance + 1, 12).begin_speech(utterance)
        script.say(utterance, " ".join(reply.split()[: 4 if utterance == 5 else 99]), 10 * utterance + 1)
        script.hush(utterance, interrupted=utterance == 5)
    return script.health(-60, -120, 31)


def _loading() -> Script:
    return Script().state(SessionState.LOADING, 0.42, "voice: 3 of 5 parts")


SCENES = {
    "setup": None,
    "empty": None,
    "no-microphone": None,
    "loading": _loading,
    "listening": _listening,
    "thinking": _thinking,
    "speaking": _speaking,
    "late": _late,
    "error": _error,
    "long": _long,
    "selected": _speaking,
    "search": _speaking,
    "paused": _speaking,
    "activity": _speaking,
    "presenter": _speaking,
}
