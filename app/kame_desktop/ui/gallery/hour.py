"""How the window bears a long conversation: ``python -m kame_desktop.ui.gallery.hour [MINUTES] [TIMES]``.

An hour of talk (some 5,000 answers and 20,000 words) is published from another thread at 60 times its speed. What is
reported is how long the GUI thread was busy at a stretch, which is what a user would feel, how much of that it really
computed (the rest belongs to other programs), and how memory has grown.
"""

from __future__ import annotations

import gc
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import psutil
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from kame_desktop.core import events as ev
from kame_desktop.core.audio_types import FRAME_MS
from kame_desktop.core.events import Event, SessionState, SpokenKind
from kame_desktop.core.settings import SettingsStore
from kame_desktop.ui import theme
from kame_desktop.ui.app import prepare_application
from kame_desktop.ui.gallery.render import use_best_font
from kame_desktop.ui.gallery.services import REMOTE, ScriptedServices
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.sources import MICROPHONE

_TURN_FRAMES = 100
_ASKED_FRAMES = (6, 12, 18, 22, 26, 30, 34, 38, 42, 46, 50)
_SPOKEN_FRAMES = range(54, 98)
_SENTENCE = (
    "there are three hundred and sixty-five days in a year of which the last one is celebrated everywhere with music "
    "while the river runs quietly through the city under old bridges that were built long before anybody remembers"
)
_VOCABULARY = tuple(_SENTENCE.split())


def conversation(minutes: float, seed: int = 5) -> Iterator[tuple[float, list[Event]]]:
    """A talk of so many minutes: for every frame its time and what happens in it."""
    chance = random.Random(seed)
    generation = 0
    latest: dict[int, str] = {}
    words: list[str] = []
    for frame in range(int(minutes * 60_000 / FRAME_MS)):
        at_ms = (frame + 1) * FRAME_MS
        utterance, place = 1 + frame // _TURN_FRAMES, frame % _TURN_FRAMES
        talking, speaking = 2 <= place < 50, place in _SPOKEN_FRAMES
        peaks = [tuple(chance.random() * loud for _ in range(4)) for loud in (0.5 * talking, 0.6 * speaking)]
        out: list[Event] = [ev.AudioPeaks(at_ms=at_ms, frame=frame, heard=peaks[0], spoken=peaks[1])]
        if place == 2:
            words = []
            out.append(ev.UserSpeechStarted(at_ms=at_ms, utterance=utterance))
        if talking and place % 4 == 0:
            words.append(chance.choice(_VOCABULARY))
            text = " ".join(words)
            out.append(ev.SttPartial(at_ms=at_ms, utterance=utterance, rev=1, text=text, stable_words=len(words) - 1))
        if place in _ASKED_FRAMES:
            generation += 1
            latest[generation] = " ".join(chance.choice(_VOCABULARY) for _ in range(chance.randint(8, 24)))
            out.append(
                ev.OracleRequested(
                    at_ms=at_ms,
                    generation=generation,
                    utterance=utterance,
                    model=REMOTE.name,
                    prompt_tokens=90,
                    because=ev.AskReason.WORDS_CHANGED,
                    heard_words=len(words),
                )
            )
        out += _streaming(at_ms, utterance, generation, latest, place)
        if place == 50:
            out.append(ev.UserSpeechEnded(at_ms=at_ms, utterance=utterance, last_speech_ms=at_ms - 160))
            out.append(ev.SttFinal(at_ms=at_ms, utterance=utterance, text=" ".join(words)))
        if place == _SPOKEN_FRAMES.start:
            out.append(ev.AgentSpeechStarted(at_ms=at_ms, utterance=utterance))
        if speaking:
            spoken = generation - (1 if place < 70 else 0)
            for text in (chance.choice(_VOCABULARY),):
                out.append(
                    ev.AgentText(
                        at_ms=at_ms,
                        utterance=utterance,
                        text=text,
                        frame=frame,
                        generation=spoken,
                        kind=SpokenKind.ANSWER,
                    )
                )
        if place == _SPOKEN_FRAMES.stop:
            out.append(ev.AgentSpeechEnded(at_ms=at_ms, utterance=utterance))
        if frame % 2 == 0:
            out.append(
                ev.FrameTiming(
                    at_ms=at_ms,
                    frame=frame,
                    step_p50_ms=2.0,
                    step_p95_ms=6.0,
                    late_frames=0,
                    input_dbfs=-20.0 if talking else -70.0,
                    output_dbfs=-18.0 if speaking else -120.0,
                )
            )
        yield at_ms, out


def _streaming(at_ms: float, utterance: int, generation: int, latest: dict[int, str], place: int) -> list[Event]:
    """The answer that is coming in, two words a frame, and the end of the one before it."""
    asked = [frame for frame in _ASKED_FRAMES if frame <= place]
    if not asked or generation not in latest:
        return []
    words = latest[generation].split()
    count = 2 * (place - asked[-1] - 2)
    if not 0 < count <= len(words) + 2:
        return []
    out: list[Event] = []
    if count == 2 and len(asked) > 1:
        out.append(
            ev.OracleFailed(
                at_ms=at_ms,
                generation=generation - 1,
                model=REMOTE.name,
                category="superseded",
                what="",
                superseded=True,
            )
        )
    out.append(
        ev.OracleRevision(
            at_ms=at_ms,
            generation=generation,
            utterance=utterance,
            model=REMOTE.name,
            text_so_far=" ".join(words[:count]),
            complete=count >= len(words),
            first_token_ms=240.0,
            word_count=min(count, len(words)),
        )
    )
    return out


def measure(minutes: float, times: float, *, size: tuple[int, int] = (1280, 720)) -> dict[str, object]:
    """Show the conversation at ``times`` its speed; what was found, as JSON-ready values."""
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    prepare_application(app)
    use_best_font(app)
    theme.apply_theme(app, theme.LIGHT)
    services = ScriptedServices(None)
    with tempfile.TemporaryDirectory() as folder:
        window = MainWindow(services, SettingsStore(Path(folder) / "settings.json"))
        window.resize(*size)
        window.show()
        window.begin(MICROPHONE)
        services.session.bus.publish(ev.SessionStateChanged(at_ms=0.0, state=SessionState.RUNNING))
        script = list(conversation(minutes))
        gc.collect()
        process = psutil.Process()
        before = process.memory_info().rss
        busy: list[tuple[float, float]] = []
        last = (time.perf_counter(), time.thread_time())

        def beat() -> None:
            nonlocal last
            now = (time.perf_counter(), time.thread_time())
            busy.append(((now[0] - last[0]) * 1e3, (now[1] - last[1]) * 1e3))
            last = now

        heart = QTimer(window, interval=0)
        heart.timeout.connect(beat)
        heart.start()

        def publish() -> None:
            began = time.perf_counter()
            for at_ms, batch in script:
                ahead = at_ms / 1e3 / times - (time.perf_counter() - began)
                if ahead > 0:
                    time.sleep(ahead)
                for event in batch:
                    services.session.bus.publish(event)

        feeder = threading.Thread(target=publish, name="feeder", daemon=True)
        feeder.start()
        while feeder.is_alive():
            app.processEvents()
        for _ in range(20):
            app.processEvents()
        heart.stop()
        grown = process.memory_info().rss - before
        answers = sum(isinstance(event, ev.OracleRequested) for _, batch in script for event in batch)
        spoken = sum(isinstance(event, ev.AgentText) for _, batch in script for event in batch)
        rows = len(window.conversation.turns)
        window.controller.stop()
        while window.controller.active:
            app.processEvents()
        window.close()
        window.shut_down()
    wall, cpu = np.asarray(busy).T
    return {
        "minutes": minutes,
        "times": times,
        "answers": answers,
        "words": spoken,
        "turns_shown": rows,
        "longest_busy_ms": round(float(wall.max()), 1),
        "over_50_ms": int((wall > 50).sum()),
        "p99_busy_ms": round(float(np.percentile(wall, 99)), 2),
        "longest_cpu_ms": round(float(cpu.max()), 1),
        "cpu_over_50_ms": int((cpu > 50).sum()),
        "memory_growth_mb": round(grown / 1e6, 1),
    }


def main(arguments: Sequence[str]) -> int:
    """Measure, and print one JSON object."""
    minutes = float(arguments[0]) if arguments else 60.0
    times = float(arguments[1]) if len(arguments) > 1 else 60.0
    sys.stdout.write(json.dumps(measure(minutes, times), indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
