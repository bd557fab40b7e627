"""A program that records until somebody kills it, and what is to be found then.

``python -m tests.recordings.killed ROOT PROGRESS [PACE_S]``: the frames of a talk pass as fast as they are written, or
every PACE_S, whatever the recorder does; how many there were is noted in PROGRESS, which outlives the program.
"""

from __future__ import annotations

import mmap
import os
import random
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES
from kame_desktop.core.events import AgentText, AudioPeaks, Event, OracleRevision, SttFinal, SttPartial
from kame_desktop.recordings.reader import open_recording

_NOTE = struct.Struct("<q")
_START_S = 60.0


@dataclass(frozen=True, slots=True)
class Loss:
    """What a killed recording lacks of what had happened by then, in session time."""

    happened_ms: float
    sound_ms: float
    events_ms: float
    torn_line: bool
    header_behind_ms: float


def kill_at(root: Path, delay_s: float, pace_s: float | None = None) -> Loss:
    """Record, kill after so long, open, and compare. Raises AssertionError when something is wrong in what is there."""
    progress = root.parent / f"{root.name}.progress"
    progress.write_bytes(bytes(mmap.PAGESIZE))
    pace = [] if pace_s is None else [str(pace_s)]
    program = subprocess.Popen([sys.executable, "-m", "tests.recordings.killed", str(root), str(progress), *pace])
    try:
        give_up_s = time.monotonic() + _START_S
        while _noted(progress) == 0:
            assert program.poll() is None
            assert time.monotonic() < give_up_s, "it didn't begin"
            time.sleep(0.005)
        time.sleep(delay_s)
    finally:
        program.send_signal(signal.SIGKILL)
        program.wait()
    happened_ms = _noted(progress) * FRAME_MS
    (folder,) = root.iterdir()
    recording = open_recording(folder)
    sound = recording.audio()
    frames = sound[: len(sound) // FRAME_SAMPLES * FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES, 2)
    assert (frames[:, :, 0] == frames[:, :, 1] * -1).all()
    assert [int(value) for value in frames[:, 0, 0]] == [number % 30_000 + 1 for number in range(len(frames))]
    peaks = [event.frame for event in recording.events() if isinstance(event, AudioPeaks)]
    assert peaks == list(range(len(peaks)))
    stated = struct.unpack("<I", (folder / "audio.wav").read_bytes()[40:44])[0] // 4 if len(sound) else 0
    lines = (folder / "events.jsonl").read_bytes()
    return Loss(
        happened_ms=happened_ms,
        sound_ms=happened_ms - len(sound) / 24.0,
        events_ms=happened_ms - len(peaks) * FRAME_MS,
        torn_line=not lines.endswith(b"\n"),
        header_behind_ms=(len(sound) - stated) / 24.0,
    )


def delays(count: int, longest_s: float, seed: int) -> Sequence[float]:
    """Random moments."""
    draw = random.Random(seed)
    return [draw.uniform(0.0, longest_s) for _ in range(count)]


def _noted(progress: Path) -> int:
    return _NOTE.unpack_from(progress.read_bytes())[0]


def _words(number: int) -> Sequence[Event]:
    """What is said and answered around a frame."""
    at_ms = (number + 1) * FRAME_MS
    utterance, step = divmod(number, 50)
    text = " ".join(f"word{index}" for index in range(step))
    if step < 25:
        return [SttPartial(at_ms=at_ms, utterance=utterance, rev=step + 1, text=text, stable_words=step)]
    if step == 25:
        return [SttFinal(at_ms=at_ms, utterance=utterance, text=text)]
    return [
        OracleRevision(
            at_ms=at_ms, generation=utterance, utterance=utterance, model="m", text_so_far=text, complete=step == 49
        ),
        AgentText(at_ms=at_ms, utterance=utterance, text=f"word{step}", frame=number, generation=utterance),
    ]


def main(root: Path, progress: Path, pace_s: float | None = None) -> None:
    """Record for ever."""
    from kame_desktop.recordings.format import RecordedFrame
    from tests.recordings.talk import Talk, tone

    talk = Talk(root)
    talk.start()
    with progress.open("r+b") as stream, mmap.mmap(stream.fileno(), mmap.PAGESIZE) as note:
        number = 0
        while True:
            at_ms = (number + 1) * FRAME_MS
            talk.clock.advance_to(at_ms)
            level = number % 30_000 + 1
            sink = talk.frames.sink
            assert sink is not None
            sink(RecordedFrame(number, at_ms, tone(level), tone(level), tone(-level)))
            for event in _words(number):
                talk.bus.publish(event)
            talk.bus.publish(AudioPeaks(at_ms=at_ms, frame=number, heard=(0.5,) * 4, spoken=(0.5,) * 4))
            number += 1
            _NOTE.pack_into(note, 0, number)
            if pace_s is None:
                talk.activity.wait_idle(1.0)
            else:
                time.sleep(pace_s)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(Path(sys.argv[1]), Path(sys.argv[2]), *map(float, sys.argv[3:]))
