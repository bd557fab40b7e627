"""A whole session with planted words and a planted key, and everything that can go wrong on the way going wrong.

The user's words, the system prompt, the answer and the key are found in no log record at any level, no crash report and
no diagnostics.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kame_desktop.backend.stt.base import SttFrame
from kame_desktop.bootstrap import Application
from kame_desktop.bootstrap.diagnosis import Diagnosis
from kame_desktop.core.crash import PlaceFormatter
from kame_desktop.core.crash_care import CrashCare
from kame_desktop.core.errors import LlmError
from kame_desktop.core.events import AgentText, OracleFailed, SttFinal
from kame_desktop.core.settings import CustomModel
from kame_desktop.frontends.base import FrontendInput, FrontendOutput
from kame_desktop.session.oracle_options import OracleOptions
from kame_desktop.session.supervised_stt import SupervisedStt
from tests.fakes.frontend import FakeFrontend
from tests.fakes.llm import Answer
from tests.fakes.stt import FakeStt
from tests.fakes.turns import ScriptedTurns
from tests.session.stage import Stage
from tests.talkative import everything_logged

pytestmark = pytest.mark.logs_errors

USER = "quetzal zamboni"
PROMPT = "Behave like xylophonist"
ANSWER = "brobdingnag snickersnee"
KEY = "an-ordinary-looking-k3y"
PLANTED = [*USER.split(), *ANSWER.split(), "xylophonist", KEY]
EVERYTHING = f"{USER} {PROMPT} {ANSWER} {KEY}"


class Everything(logging.Handler):
    """Keeps every record as the program writes it; of its own loggers also what a formatter might leave out."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(PlaceFormatter("%(asctime)s %(name)s %(threadName)s %(message)s"))
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += self.format(record) + "\n"
        if record.name.startswith("kame_desktop"):
            self.text += f"{record.args!r} {record.exc_info!r} {record.exc_text!r}\n"


@pytest.fixture
def log() -> Iterator[Everything]:
    """All loggers at their most talkative."""
    handler = Everything()
    with everything_logged(handler):
        yield handler


def fail(words: str = EVERYTHING) -> None:
    raise ValueError(words)


class Fragile:
    def __del__(self) -> None:
        fail()


def a_thread_dies() -> None:
    thread = threading.Thread(target=fail, args=(EVERYTHING,), name="a-worker")
    thread.start()
    thread.join()


def a_library_logs_its_error() -> None:
    try:
        fail()
    except ValueError:
        logging.getLogger("some.library").exception("A request failed")


def nobody_can_be_told() -> None:
    Fragile()
    gc.collect()


def it_reaches_the_top() -> None:
    try:
        fail()
    except ValueError as error:
        sys.excepthook(type(error), error, error.__traceback__)


def a_callback_of_the_loop_fails() -> None:
    asyncio.get_running_loop().call_soon(fail, EVERYTHING)


def a_task_dies_unheard() -> None:
    async def task() -> None:
        fail()

    asyncio.get_running_loop().create_task(task(), name="x").add_done_callback(lambda task: gc.collect())


TROUBLES: list[Callable[[], None]] = [
    a_thread_dies,
    a_library_logs_its_error,
    nobody_can_be_told,
    it_reaches_the_top,
    a_callback_of_the_loop_fails,
    a_task_dies_unheard,
]


MOST_ASKED = len(TROUBLES) + 1
"""A defect of the client ends the asking."""


@dataclass
class Trouble:
    """What goes wrong each time that the language model is asked, in this order; then it answers."""

    asked: int = 0
    done: list[str] = field(default_factory=list)

    def answer(self, question: str) -> Answer:
        self.asked += 1
        if self.asked <= len(TROUBLES):
            TROUBLES[self.asked - 1]()
            self.done.append(TROUBLES[self.asked - 1].__name__)
        if self.asked == 3:
            return Answer(ANSWER, error=LlmError("The service broke off."), error_after=1)
        if self.asked == MOST_ASKED:
            raise ValueError(f"{question} {EVERYTHING}")
        return Answer(ANSWER, first_ms=40.0, gap_ms=5.0)


class DyingStt(FakeStt):
    """Dies with the words that it has heard."""

    dies_at = 60

    def feed(self, frame: SttFrame) -> None:
        super().feed(frame)
        if len(self.fed) == self.dies_at:
            raise ValueError(EVERYTHING)


class DyingFrontend(FakeFrontend):
    """Dies at the end, with everything it knows."""

    dies_at = 380

    def step(self, given: FrontendInput) -> FrontendOutput:
        if given.frame == self.dies_at:
            raise ValueError(EVERYTHING)
        return super().step(given)


def test_nothing_planted_is_found_anywhere(
    log: Everything, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    trouble = Trouble()
    speech = [(2 + 40 * number, 14 + 40 * number) for number in range(9)]
    stage = Stage(
        frames=400,
        script=trouble.answer,
        turns=ScriptedTurns(speech),
        frontend=DyingFrontend(),
        oracle=OracleOptions(system_prompt=PROMPT),
    )
    stage.stt = SupervisedStt(lambda: DyingStt(script=(USER,)), stage.clock)  # type: ignore[assignment]
    with CrashCare(tmp_path / "state") as care:
        stage.run()
        gc.collect()
        app = Application(tmp_path / "settings.json")
        app.settings.llm.system_prompt = PROMPT
        app.settings.llm.custom_models = [CustomModel(name=USER.split(maxsplit=1)[0])]
        text = Diagnosis(app, app._llms, app._sound, lambda: care).text()
        reports = [report.text for report in care.reports]
    kept = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "state").iterdir())

    assert trouble.done == [one.__name__ for one in TROUBLES], "all of it went wrong"
    assert USER in {event.text for event in stage.of(SttFinal)}, "the words were heard"
    assert ANSWER.split(maxsplit=1)[0] in {event.text for event in stage.of(AgentText)}, "the answer was spoken"
    assert stage.of(OracleFailed)
    assert trouble.asked >= MOST_ASKED
    where = "\n".join(reports)
    assert [place for place in ("a-worker", "__del__", "asyncio loop", "speech-to-text") if place not in where] == []
    assert "A request failed" in log.text, "the handler hears what is logged"
    assert "in fail" in log.text

    out, err = capfd.readouterr()
    for name, written in {
        "log": log.text,
        "reports": where,
        "diagnostics": text,
        "files": kept,
        "out": out + err,
    }.items():
        assert [planted for planted in PLANTED if planted in written] == [], name


def test_the_handler_of_this_test_would_find_them(log: Everything) -> None:
    logging.getLogger("kame_desktop.session").debug("heard: %s", USER)
    assert USER in log.text
