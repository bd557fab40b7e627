"""Pictures of the window in its states, from a scripted session: ``python -m kame_desktop.ui.gallery OUT/``.

Nothing is heard, asked or spoken: the events are written below. For the README and for eyes that look for ugliness.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core import events as ev
from kame_desktop.core import paths
from kame_desktop.core.errors import AppError
from kame_desktop.core.events import Event, SessionState, SpokenKind
from kame_desktop.core.settings import SettingsStore
from kame_desktop.frontends.registry import EngineInfo
from kame_desktop.session.bus import Bus
from kame_desktop.session.services import SessionRequest
from kame_desktop.ui import theme
from kame_desktop.ui.app import prepare_application
from kame_desktop.ui.main_window import MainWindow
from kame_desktop.ui.sources import MICROPHONE
from kame_desktop.weights.download import Downloader

SIZES = ((900, 600), (1280, 720), (2560, 1440))
README_SIZE = (1280, 720)
STARTER = LlmModel("starter", "Starter model", starter=True, hint="small, often wrong")
REMOTE = LlmModel("gpt-4o-mini", "GPT-4o mini")
LOCAL = LlmModel("ollama/llama3.2", "Llama 3.2 (Ollama)", api_base="http://localhost:11434")
NO_MICROPHONE = "No microphone was found. Plug one in, or install PortAudio: sudo apt install libportaudio2."


class ScriptedSession:
    """A session that only has a bus; the gallery publishes the events."""

    def __init__(self) -> None:
        self.bus = Bus()
        self.state = SessionState.IDLE

    def start(self) -> None:
        """Nothing begins by itself."""

    def request_stop(self) -> None:
        """Nothing has to end."""

    def wait_stopped(self, timeout_s: float) -> bool:
        """It is always stopped."""
        return True

    def switch_llm(self, model: LlmModel) -> None:
        """Nobody answers."""

    def fresh_start(self) -> None:
        """There is no front end."""


class ScriptedServices:
    """Choices to show."""

    def __init__(self, microphone_problem: str | None) -> None:
        self._microphone_problem = microphone_problem
        self.session = ScriptedSession()

    def engines(self) -> Sequence[EngineInfo]:
        """Three engines."""
        return [
            EngineInfo("lite", "Lite (no GPU needed)", "Small models on this computer's processor"),
            EngineInfo("cascade", "Cascade (waits)", "The same voice, but it waits for the whole answer"),
            EngineInfo("kame", "KAME (GPU)", "Speech to speech on the graphics card"),
        ]

    def llm_models(self) -> Sequence[LlmModel]:
        """Three models."""
        return [STARTER, REMOTE, LOCAL]

    def resolve_llm(self, name: str, api_base: str | None = None) -> LlmModel:
        """Any name will do."""
        return LlmModel(name, name, api_base)

    def warm_up(self) -> None:
        pass

    def engine_problem(self, engine: str) -> AppError | None:
        """All of them run here."""
        return None

    def weights_to_get(self, engine: str) -> str | None:
        """They are here."""
        return None

    def weights(self) -> Downloader:
        """Never asked for."""
        raise NotImplementedError

    def microphone_problem(self) -> str | None:
        """As the scene wants it."""
        return self._microphone_problem

    def sample_questions(self) -> Sequence[Path]:
        """The real ones."""
        return paths.sample_questions()

    def open_session(self, request: SessionRequest) -> ScriptedSession:
        """The one session."""
        return self.session


class Script:
    """Writes events with a running clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.out: list[Event] = []
        self.state(SessionState.LOADING, 0.0)
        self.state(SessionState.RUNNING)
        self.out.append(ev.ModelChanged(at_ms=0, model=REMOTE.name, label=REMOTE.label))
        self.out.append(ev.DeviceChanged(at_ms=0, input_name="USB headset", output_name="USB headset"))

    def later(self, ms: float) -> Script:
        """Time passes."""
        self.now += ms
        return self

    def state(self, state: SessionState, progress: float | None = None, detail: str = "") -> Script:
        """The session's state."""
        self.out.append(ev.SessionStateChanged(at_ms=self.now, state=state, progress=progress, detail=detail))
        return self

    def hear(self, utterance: int, text: str, stable: int, lag: float = 180.0) -> Script:
        """A partial; the first one begins the utterance."""
        if stable == 0:
            self.out.append(ev.UserSpeechStarted(at_ms=self.now, utterance=utterance))
        self.out.append(
            ev.SttPartial(at_ms=self.now, utterance=utterance, rev=1, text=text, stable_words=stable, lag_ms=lag)
        )
        return self

    def end(self, utterance: int, text: str) -> Script:
        """The user has finished."""
        self.out.append(ev.UserSpeechEnded(at_ms=self.now, utterance=utterance, last_speech_ms=self.now - 160))
        self.out.append(ev.SttFinal(at_ms=self.now, utterance=utterance, text=text))
        return self

    def ask(self, generation: int, utterance: int, heard: int) -> Script:
        """The language model is asked."""
        self.out.append(
            ev.OracleRequested(
                at_ms=self.now,
                generation=generation,
                utterance=utterance,
                model=REMOTE.name,
                prompt_tokens=90,
                because=ev.AskReason.WORDS_CHANGED,
                heard_words=heard,
            )
        )
        return self

    def answer(self, generation: int, utterance: int, text: str, ms: float, *, done: bool = True) -> Script:
        """The language model says something."""
        self.out.append(
            ev.OracleRevision(
                at_ms=self.now,
                generation=generation,
                utterance=utterance,
                model=REMOTE.name,
                text_so_far=text,
                complete=done,
                first_token_ms=ms,
            )
        )
        return self

    def fed(self, generation: int, tokens: int, missed: int = 0) -> Script:
        """The front end was given tokens."""
        self.out.append(
            ev.OracleApplied(at_ms=self.now, generation=generation, frame=1, tokens_fed=tokens, tokens_missed=missed)
        )
        return self

    def begin_speech(self, utterance: int) -> Script:
        """The assistant begins."""
        self.out.append(ev.AgentSpeechStarted(at_ms=self.now, utterance=utterance))
        return self

    def say(self, utterance: int, text: str, generation: int | None, kind: SpokenKind = SpokenKind.ANSWER) -> Script:
        """Words are spoken."""
        for word in text.split():
            self.out.append(
                ev.AgentText(at_ms=self.now, utterance=utterance, text=word, frame=1, generation=generation, kind=kind)
            )
        return self

    def hush(self, utterance: int, *, interrupted: bool = False) -> Script:
        """The assistant falls silent."""
        self.out.append(ev.AgentSpeechEnded(at_ms=self.now, utterance=utterance, interrupted=interrupted))
        return self

    def health(self, heard: float, spoken: float, calls: int) -> Script:
        """Levels, timing, usage."""
        self.out.append(
            ev.FrameTiming(
                at_ms=self.now,
                frame=1,
                step_p50_ms=2.1,
                step_p95_ms=6.4,
                late_frames=0,
                input_dbfs=heard,
                output_dbfs=spoken,
            )
        )
        self.out.append(
            ev.UsageUpdated(
                at_ms=self.now,
                calls=calls,
                prompt_tokens=96 * calls,
                completion_tokens=21 * calls,
                cost_usd=0.00004 * calls,
            )
        )
        return self


def _first_turn(script: Script) -> Script:
    """A finished turn, so that the columns have a past."""
    script.hear(1, "What is the", 0).later(500).ask(1, 1, 3).answer(1, 1, "Could you tell me", 212)
    script.later(400).hear(1, "What is the capital of France", 5).ask(2, 1, 6)
    script.answer(2, 1, "The capital of France is Paris, on the river Seine.", 236).fed(2, 13)
    script.later(300).end(1, "What is the capital of France?").later(90).begin_speech(1)
    return script.say(1, "The capital of France is Paris, on the river Seine.", 2).later(2500).hush(1)


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
        "The service refused the key for GPT-4o mini.",
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
    "empty": None,
    "no-microphone": None,
    "loading": _loading,
    "listening": _listening,
    "thinking": _thinking,
    "speaking": _speaking,
    "late": _late,
    "error": _error,
    "long": _long,
}


def _settle(app: QApplication) -> None:
    for _ in range(6):
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        app.processEvents()


def make_window(app: QApplication, scene: str, size: tuple[int, int], folder: Path) -> MainWindow:
    """Open the window in a scene."""
    services = ScriptedServices(NO_MICROPHONE if scene == "no-microphone" else None)
    store = SettingsStore(folder / "settings.json")
    store.settings.llm.model = REMOTE.name
    window = MainWindow(services, store)
    window.resize(*size)
    window.show()
    _settle(app)
    script = SCENES[scene]
    if script is not None:
        window.begin(MICROPHONE)
        for event in script().out:
            services.session.bus.publish(event)
            app.processEvents()
    _settle(app)
    if scene == "long":
        window.conversation.verticalScrollBar().setValue(120)
        _settle(app)
    return window


def render(app: QApplication, out: Path, scenes: Sequence[str], sizes: Sequence[tuple[int, int]]) -> list[Path]:
    """Write one PNG a scene, size and theme."""
    made: list[Path] = []
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for shown in (theme.LIGHT, theme.DARK):
            theme.apply_theme(app, shown)
            for scene in scenes:
                for width, height in sizes:
                    window = make_window(app, scene, (width, height), Path(folder))
                    path = out / f"{scene}-{width}x{height}-{shown.name}.png"
                    window.grab().save(str(path))
                    made.append(path)
                    window.controller.stop()
                    while window.controller.active:
                        app.processEvents()
                    window.close()
                    window.deleteLater()
                    _settle(app)
    return made


def use_best_font(app: QApplication) -> None:
    """A bare build machine's default is not what desktops show: take a common interface font when there is one."""
    for family in ("Inter", "Cantarell", "Noto Sans"):
        if family in QFontDatabase.families():
            app.setFont(QFont(family, 10))
            return


def main(arguments: Sequence[str]) -> int:
    """Render all scenes, or those that are named after the folder."""
    if not arguments:
        sys.stderr.write("usage: python -m kame_desktop.ui.gallery OUT [SCENE ...]\n")
        return 2
    app = QApplication(sys.argv[:1])
    prepare_application(app)
    use_best_font(app)
    for path in render(app, Path(arguments[0]), arguments[1:] or list(SCENES), SIZES):
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
