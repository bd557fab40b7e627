"""A program for ``test_conversation_pulse.py``: a conversation on virtual hardware, with the starter pack's models.

A question is played into the virtual microphone, what the virtual loudspeaker plays is recorded. The loudspeaker is
heard by the microphone, 20 dB quieter and 150 ms late. Prints what it saw as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from kame_desktop.audio.file import read_wav
from kame_desktop.audio.resample import resample_all
from kame_desktop.backend.stt.whisper import WhisperDecoder
from kame_desktop.bootstrap import Application
from kame_desktop.core.audio_types import MODEL_RATE_HZ, Pcm
from kame_desktop.core.events import (
    AgentSpeechEnded,
    AgentSpeechStarted,
    AgentText,
    ComponentError,
    DeviceChanged,
    DeviceLost,
    Event,
    FrameTiming,
    Interrupted,
    SessionState,
    SessionStateChanged,
    SttFinal,
    UserSpeechStarted,
)
from kame_desktop.session.services import SessionRequest
from kame_desktop.session.session import Session
from tests.audio.pulse_probe import ask

E = TypeVar("E", bound=Event)
FORMAT = ("--raw", "--format=s16le", f"--rate={MODEL_RATE_HZ}", "--channels=1", "--latency-msec=20")
SETTLED_S = 1.5


class Recorder:
    """Records a source, and knows when each sample was heard (to some 10 ms)."""

    def __init__(self, source: str) -> None:
        self._program = subprocess.Popen(
            ["parec", *FORMAT, f"--device={source}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._parts: list[Pcm] = []
        self._samples = 0
        self._began_s = float("inf")
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._program.stdout is not None
        while data := os.read(self._program.stdout.fileno(), 960):
            sound = (np.frombuffer(data[: len(data) // 2 * 2], dtype="<i2") / 32_768.0).astype(np.float32)
            self._parts.append(sound)
            self._samples += len(sound)
            self._began_s = min(self._began_s, time.monotonic() - self._samples / MODEL_RATE_HZ)

    def since(self, at_s: float) -> Pcm:
        """What was heard from a moment of ``time.monotonic`` on."""
        sound = np.concatenate([np.zeros(0, dtype=np.float32), *self._parts])
        return sound[max(0, int((at_s - self._began_s) * MODEL_RATE_HZ)) :]

    def stop(self) -> None:
        self._program.kill()
        self._program.wait()
        self._thread.join(5.0)
        assert self._program.stdout is not None
        self._program.stdout.close()


def say(pcm: Pcm) -> None:
    """Play into the microphone, to the end."""
    data = (np.clip(pcm, -1.0, 1.0) * 32_767).astype("<i2").tobytes()
    subprocess.run(["pacat", "--playback", *FORMAT, "--device=ci_micfeed"], input=data, check=True, timeout=30)


def bring_the_loudspeaker_near() -> None:
    """From now on the microphone hears the loudspeaker, 20 dB quieter and 150 ms late."""
    loop = ("module-loopback", "source=ci_speaker.monitor", "sink=ci_micfeed", "latency_msec=150")
    subprocess.run(["pactl", "load-module", *loop], check=True, stdout=subprocess.DEVNULL)
    inputs = subprocess.run(["pactl", "list", "short", "sink-inputs"], check=True, capture_output=True, text=True)
    for line in inputs.stdout.splitlines():
        number, _, client, *_ = line.split("\t")
        if client == "-":  # a module's, not a program's
            subprocess.run(["pactl", "set-sink-input-volume", number, "-20dB"], check=True)


class Conversation:
    """A session and what it told, each event with the moment it came."""

    def __init__(self, app: Application) -> None:
        self.session: Session = app.open_session(SessionRequest("lite", app.chosen_llm()))
        self._changed = threading.Condition()
        self._box = self.session.bus.subscribe(name="probe", wake=self._wake, capacity=100_000)
        self.told: list[tuple[float, Event]] = []

    def _wake(self) -> None:
        with self._changed:
            self.told += [(time.monotonic(), event) for event in self._box.drain()]
            self._changed.notify_all()

    def of(self, kind: type[E], since_s: float = 0.0) -> list[tuple[float, E]]:
        """Events of a kind, with their moments."""
        return [(at_s, event) for at_s, event in list(self.told) if isinstance(event, kind) and at_s >= since_s]

    def wait(self, what: str, until: Callable[[], bool], timeout_s: float = 30.0) -> None:
        """Block until something has come true."""
        with self._changed:
            come = self._changed.wait_for(until, timeout_s)
        errors = [event.what for _, event in self.of(ComponentError)]
        assert come, f"waited for {what} in vain; {errors}; {[type(event).__name__ for _, event in self.told[-20:]]}"

    def answered(self, since_s: float) -> bool:
        """Something of substance was said, and it has been quiet for a while."""
        ended = self.of(AgentSpeechEnded, since_s)
        started = self.of(AgentSpeechStarted, since_s)
        return (
            bool(ended)
            and bool(started)
            and ended[-1][0] > started[-1][0]
            and time.monotonic() - ended[-1][0] > SETTLED_S
        )

    def said(self, since_s: float) -> str:
        """The assistant's words."""
        return " ".join(event.text.strip() for _, event in self.of(AgentText, since_s))


def loud(sound: Pcm, dbfs: float = -45.0) -> np.ndarray[Any, Any]:
    """Which 10 ms blocks hold sound."""
    blocks = sound[: len(sound) // 240 * 240].reshape(-1, 240)
    return np.sqrt(np.mean(np.square(blocks), axis=1)) > 10 ** (dbfs / 20)


def recognise(sound: Pcm) -> str:
    """What a listener understands."""
    decoder = WhisperDecoder()
    decoder.load()
    return decoder.decode(resample_all(sound, MODEL_RATE_HZ, 16_000)).text


def main(settings: Path) -> dict[str, Any]:
    app = Application(settings)
    first, second = (read_wav(path) for path in app.sample_questions())
    talk = Conversation(app)
    talk.session.start()

    def states() -> list[SessionState]:
        return [event.state for _, event in talk.of(SessionStateChanged)]

    talk.wait("running", lambda: SessionState.RUNNING in states(), 60.0)
    bring_the_loudspeaker_near()
    speaker, mic = Recorder("ci_speaker.monitor"), Recorder("ci_micfeed.monitor")
    time.sleep(2.5)  # null sinks take their time to wake up

    # A question is answered; the answer is heard by the microphone, too.
    began_s = time.monotonic()
    say(first)
    spoken_s = time.monotonic()
    talk.wait("an answer", lambda: talk.answered(began_s))
    seen: dict[str, Any] = {
        "heard": talk.of(SttFinal, began_s)[0][1].text,
        "said": talk.said(began_s),
        "recognised": recognise(speaker.since(spoken_s - 0.5)),
        "false_starts": len(talk.of(UserSpeechStarted, spoken_s + 0.3)),
        "self_interruptions": len(talk.of(Interrupted, began_s)),
    }

    # An answer is interrupted by another question.
    began_s = time.monotonic()
    say(second)
    talk.wait("the second answer", lambda: len(talk.of(AgentText, began_s)) >= 4)
    cut_s = time.monotonic()
    say(first)
    talk.wait("the third answer", lambda: talk.answered(cut_s))
    user_s = float(np.argmax(loud(mic.since(cut_s), -30.0))) * 0.01
    after = loud(speaker.since(cut_s))[round(user_s * 100) :]
    quiet_runs = np.convolve(~after, np.ones(20), mode="valid") >= 20
    silent_after_ms = float(np.argmax(quiet_runs)) * 10.0
    decided = [(at_s - cut_s - user_s) * 1e3 for at_s, _ in talk.of(Interrupted, cut_s)]
    seen |= {
        "interrupted": len(decided),
        "silent_after_ms": silent_after_ms,
        "silent_after_decision_ms": silent_after_ms - decided[0] if decided else None,
        "spoke_when_cut": bool(after[:5].any()),
    }

    # The sound server dies in mid-session.
    speaker.stop()
    mic.stop()
    began_s = time.monotonic()
    ask("kill")
    time.sleep(1.0)
    ask("start")
    up_s = time.monotonic()
    speaker = Recorder("ci_speaker.monitor")
    time.sleep(6.0)
    seen |= {
        "states_after": [state.value for state in states()[-1:]],
        "lost": sorted(event.component for _, event in talk.of(DeviceLost, began_s)),
        "changed": [event.because for _, event in talk.of(DeviceChanged, began_s)],
    }
    asked_s = time.monotonic()
    say(first)
    talk.wait("an answer after the pause", lambda: talk.answered(asked_s))
    seen |= {
        "said_after": talk.said(asked_s),
        "heard_after": [event.text for _, event in talk.of(SttFinal, asked_s)],
        "recognised_after": recognise(speaker.since(asked_s)),
        "restart_s": asked_s - up_s,
        "late_frames": talk.of(FrameTiming)[-1][1].late_frames,
        "errors": [event.what for _, event in talk.of(ComponentError)],
    }
    speaker.stop()
    stop_s = -time.monotonic()
    talk.session.request_stop()
    assert talk.session.wait_stopped(5.0)
    app.close()
    return seen | {"stop_s": stop_s + time.monotonic()}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
    sys.stdout.flush()
    os._exit(0)
