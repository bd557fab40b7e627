"""A program for ``test_interruption_pulse.py``: the lite engine is interrupted on virtual hardware, again and again.

The voice is a row of tones, the user the first sample question, cut to its words and played into the microphone at
moments that have nothing to do with the frames. Prints, for each time, how long after 200 ms of the user's speech the
loudspeaker fell silent, and what of it passed before the decision.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np

from kame_desktop.audio.base import NoEchoCanceller
from kame_desktop.audio.device import PortAudioDevice
from kame_desktop.audio.file import read_wav
from kame_desktop.audio.turns import VadTurnDetector
from kame_desktop.audio.vad import SileroVad
from kame_desktop.bootstrap import Application
from kame_desktop.core.activity import Activity
from kame_desktop.core.clock import SystemClock
from kame_desktop.core.settings import DeviceChoice
from kame_desktop.frontends.base import NO_ORACLE, FrontendInput, FrontendOutput, OracleSlot
from kame_desktop.frontends.lite import LiteFrontend
from kame_desktop.frontends.lite_policy import TANDEM
from kame_desktop.session.bus import Bus
from kame_desktop.session.frame_loop import FrameLoop, FrameParts
from tests.audio.conversation_probe import Recorder, loud, say
from tests.fakes.voice import FakeVoice

TIMES = 6
HEARD_MS = 200.0
ANSWER = " ".join(["mountains hold many quiet lakes and forests where small brown birds sing all day"] * 4)
_SOUNDING_FRAMES = 10


class Storyteller(LiteFrontend):
    """Answers whatever is asked with a long story.

    Attributes:
        cuts: When it fell silent (``time.monotonic``).
        sounding: For how many frames it has been speaking.
    """

    def __init__(self) -> None:
        super().__init__(TANDEM, FakeVoice, Activity())
        self.cuts: list[float] = []
        self.sounding = 0
        self._answered = 0

    def step(self, given: FrontendInput) -> FrontendOutput:
        slot = NO_ORACLE
        if given.user.paused and given.user.utterance != self._answered:
            self._answered = given.user.utterance
            ids = (self.tokenizer.start_id, *self.tokenizer.encode(ANSWER))
            slot = OracleSlot(ids, self._answered, True, self._answered)
        output = super().step(replace(given, oracle=slot, oracle_current=True))
        if self.sounding and not output.pcm[-480:].any():
            self.cuts.append(time.monotonic())
            self.sounding = 0
        elif output.pcm.any():
            self.sounding += 1
        return output


def main() -> list[dict[str, Any]]:
    story = Storyteller()
    device = PortAudioDevice(DeviceChoice(name="ci_mic"), DeviceChoice(name="ci_speaker"))
    ready, ended = threading.Event(), threading.Event()
    loop = FrameLoop(
        make_parts=lambda: FrameParts(story, device, VadTurnDetector(SileroVad()), NoEchoCanceller()),
        stt_sink=lambda frame: None,
        stt_dropped=lambda: 0,
        bus=Bus(),
        clock=SystemClock(),
        activity=Activity(),
        on_progress=lambda done, what: None,
        on_ready=lambda capabilities: ready.set(),
        on_running=lambda: None,
        on_end=lambda error: ended.set(),
    )
    loop.start()
    assert ready.wait(30.0)
    loop.go()
    app = Application()
    question = read_wav(app.sample_questions()[0])
    app.close()
    words = np.flatnonzero(loud(question, -35.0))
    question = question[words[0] * 240 : (words[-1] + 1) * 240]
    speaker, mic = Recorder("ci_speaker.monitor"), Recorder("ci_micfeed.monitor")
    time.sleep(2.5)  # null sinks take their time to wake up
    say(question)
    seen: list[dict[str, Any]] = []
    for number in range(TIMES):
        give_up_s = time.monotonic() + 15.0
        while story.sounding < _SOUNDING_FRAMES:
            assert time.monotonic() < give_up_s, "nobody answers"
            time.sleep(0.01)
        time.sleep(0.013 * number)
        cut_s = time.monotonic()
        say(question)
        time.sleep(0.4)
        user_s = float(np.argmax(loud(mic.since(cut_s), -30.0))) * 0.01
        voice = loud(speaker.since(cut_s + user_s))
        silent = np.convolve(~voice, np.ones(20), mode="valid") >= 20
        cuts = [at_s for at_s in story.cuts if at_s > cut_s]
        seen.append(
            {
                "spoke": bool(voice[:5].any()),
                "silent_ms": float(np.argmax(silent)) * 10.0 - HEARD_MS if silent.any() else None,
                "decided_ms": round((cuts[0] - cut_s - user_s) * 1e3 - HEARD_MS) if cuts else None,
            }
        )
    speaker.stop()
    mic.stop()
    loop.stop()
    assert ended.wait(5.0)
    return seen


if __name__ == "__main__":
    print(json.dumps({"times": main()}))
    sys.stdout.flush()
    os._exit(0)
