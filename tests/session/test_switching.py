"""Language models that are swapped while the conversation goes on, through a whole session."""

from __future__ import annotations

import asyncio
import gc
import itertools
from collections.abc import Callable

import numpy as np
import psutil
import pytest

from kame_desktop.audio.base import AudioControls
from kame_desktop.audio.wav_device import WavDevice
from kame_desktop.backend.llm.base import LlmModel, Message
from kame_desktop.backend.llm.litellm_client import LiteLlmClient
from kame_desktop.backend.llm.routing import Router, Rule
from kame_desktop.core.audio_types import FRAME_SAMPLES
from kame_desktop.core.clock import SystemClock
from kame_desktop.core.errors import ErrorCategory, LlmError
from kame_desktop.core.events import (
    AgentText,
    ComponentError,
    Event,
    MicrophoneClosed,
    MicrophoneState,
    ModelChanged,
    OracleRequested,
    OracleRevision,
    SttFinal,
    UsageUpdated,
    UserSpeechStarted,
)
from kame_desktop.frontends.base import Capabilities
from kame_desktop.session.bus import Bus
from kame_desktop.session.oracle_driver import OracleDriver
from kame_desktop.session.oracle_options import OracleOptions, SchedulerOptions
from kame_desktop.session.oracle_scheduler import OracleScheduler
from kame_desktop.session.transcript import Transcript
from tests.fakes.frontend import FakeFrontend
from tests.fakes.llm import FakeLlm
from tests.fakes.openai_server import Reply, ScriptedOpenAiServer
from tests.fakes.stt import FakeStt
from tests.fakes.turns import ScriptedTurns
from tests.session.stage import MODEL, OTHER_MODEL, NumberedFrontend, Stage

AUTO = LlmModel("auto", "Auto")
THIRD_MODEL = LlmModel("third-model", "Third model")
SWITCHES = 200
ROUND_FRAMES = 37
TEN_MINUTES_FRAMES = 7_500


class WatchfulLlm(FakeLlm):
    """Notes what still runs on its loop when the session closes it."""

    left: tuple[str, ...] = ("never closed",)

    async def close(self) -> None:
        own = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not own and not task.done()]
        self.left = tuple(task.get_name() for task in others if task.get_name() != "session-main")
        await super().close()


def played_frames(device: WavDevice) -> list[int]:
    """The numbers of the frames that were played, in order; every sample of a frame has to say the same."""
    frames = np.rint(device.played().reshape(-1, FRAME_SAMPLES) * 10_000).astype(int)
    assert (frames == frames[:, :1]).all()
    return [int(number) for number in frames[:, 0]]


def test_200_switches_in_ten_minutes_skip_no_frame_and_leave_nothing_behind() -> None:
    models = itertools.cycle([OTHER_MODEL, AUTO, THIRD_MODEL, MODEL])
    frontend = NumberedFrontend()
    rounds = TEN_MINUTES_FRAMES // ROUND_FRAMES
    stage = Stage(
        frames=TEN_MINUTES_FRAMES,
        frontend=frontend,
        turns=ScriptedTurns(speech=tuple((n * ROUND_FRAMES + 2, n * ROUND_FRAMES + 14) for n in range(rounds))),
        stt=FakeStt(script=("what is the capital of France?", "how big is an atom of gold?")),
        oracle=OracleOptions(router=Router([Rule("STEM", ("atom",), THIRD_MODEL)], MODEL), fallback=OTHER_MODEL),
    )
    stage.llm = llm = WatchfulLlm(stage.clock, "It is so.", idle=stage.activity)
    switched: list[LlmModel] = []

    def on_frame(frame: int) -> None:
        # Seven frames on each time: it falls into every part of a question and its answer.
        if len(switched) < SWITCHES and frame >= len(switched) * ROUND_FRAMES + len(switched) * 7 % ROUND_FRAMES:
            switched.append(next(models))
            stage.session.switch_llm(switched[-1])

    frontend.on_frame = on_frame
    stage.run(timeout_s=120.0)

    assert len(switched) == SWITCHES
    assert [event.model for event in stage.of(ModelChanged)] == ["first-model", *(model.name for model in switched)]
    assert stage.of(ComponentError) == []
    assert isinstance(stage.device, WavDevice)
    count = len(frontend.given)
    assert count >= TEN_MINUTES_FRAMES
    assert [given.frame for given in frontend.given] == list(range(count))
    played = played_frames(stage.device)
    assert played[: count + 1] == list(range(count + 1)), "one frame of silence, then every frame that was made"

    asked = stage.of(OracleRequested)
    assert {event.model for event in asked} == {"first-model", "second-model", "third-model"}
    assert any("STEM" in event.chosen_because for event in asked)
    answered = {event.utterance for event in stage.of(OracleRevision) if event.complete}
    assert answered == set(range(1, rounds + 1)), "questions went on being answered"
    assert len({word.utterance for word in stage.of(AgentText)}) == rounds
    names = {event.generation: event.model for event in asked}
    assert all(event.model == names[event.generation] for event in stage.of(OracleRevision))

    assert llm.left == ()
    assert all(call.closed_ms is not None for call in llm.calls)
    stage.assert_nothing_left()


def test_a_switch_and_speculation_that_are_wished_for_before_the_start_hold_from_the_start() -> None:
    stage = Stage()
    stage.session.switch_llm(THIRD_MODEL)
    stage.session.switch_llm(OTHER_MODEL)
    stage.session.set_speculation(False)
    stage.run()
    assert [event.model for event in stage.of(ModelChanged)] == ["first-model", "second-model"]
    assert {event.model for event in stage.of(OracleRequested)} == {"second-model"}
    assert len(stage.of(OracleRequested)) == 1, "only the final"


def test_of_two_wishes_at_once_the_newest_wins() -> None:
    def on_frame(frame: int) -> None:
        if frame == 20:
            stage.llm.load_ms = 200.0
            stage.session.switch_llm(OTHER_MODEL)
        if frame == 21:
            stage.session.switch_llm(THIRD_MODEL)

    stage = Stage(
        frames=60, turns=ScriptedTurns(speech=((2, 14), (40, 52))), frontend=NumberedFrontend(on_frame=on_frame)
    )
    stage.run()
    assert [event.model for event in stage.of(ModelChanged)] == ["first-model", "third-model"]
    assert {event.model for event in stage.of(OracleRequested) if event.utterance == 2} == {"third-model"}
    stage.assert_nothing_left()


def test_a_model_that_cannot_be_loaded_leaves_the_old_one_in_use() -> None:
    def on_frame(frame: int) -> None:
        if frame == 20:
            stage.session.switch_llm(OTHER_MODEL)

    refused = LlmError("The model 'second-model' needs a key.", "Set one.", category=ErrorCategory.PERMANENT)
    stage = Stage(
        frames=60,
        turns=ScriptedTurns(speech=((2, 14), (40, 52))),
        frontend=NumberedFrontend(on_frame=on_frame),
        llm_options={"load_errors": {"second-model": refused}},
    )
    stage.run()
    assert {event.model for event in stage.of(OracleRequested)} == {"first-model"}
    assert {event.utterance for event in stage.of(OracleRevision) if event.complete} == {1, 2}
    assert [error.what for error in stage.of(ComponentError)] == ["The model 'second-model' needs a key."]
    assert [event.model for event in stage.of(ModelChanged)] == ["first-model", "first-model"]


def test_an_engine_that_waits_for_finals_has_the_last_word_on_speculation() -> None:
    capabilities = Capabilities("fake", "Fake", oracle_tokens_per_frame=1, min_start_tokens=1, speculates=False)
    stage = Stage(frontend=FakeFrontend(capabilities), scheduler=SchedulerOptions(speculate=True))
    stage.session.set_speculation(True)
    stage.run()
    assert len(stage.of(OracleRequested)) == 1
    assert stage.of(UsageUpdated)[-1].speculating is False


def test_controls_hold_from_the_first_frame_and_new_ones_from_the_next_one_on() -> None:
    closed: list[MicrophoneClosed | None] = []

    def on_frame(frame: int) -> None:
        closed.extend(event.closed for event in box.drain() if isinstance(event, MicrophoneState))
        if frame == 10:
            stage.session.set_controls(AudioControls(muted=False))

    stage = Stage(frames=20, frontend=NumberedFrontend(on_frame=on_frame), controls=AudioControls(muted=True))
    box = stage.session.bus.subscribe(MicrophoneState, name="microphone")
    stage.run()
    assert closed == [MicrophoneClosed.MUTED, None]


# The real client ------------------------------------------------------------------------------------------------------


async def until(condition: Callable[[], bool], timeout_s: float = 10.0) -> None:
    """Wait for something that other tasks of this loop bring about."""
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 - the servers have no event to wait for
            await asyncio.sleep(0.005)


def open_sockets(*servers: ScriptedOpenAiServer) -> int:
    """Connections of this process to the servers, as the system sees them."""
    ports = {int(server.api_base.rsplit(":", 1)[1].split("/")[0]) for server in servers}
    connections = psutil.Process().net_connections("tcp4")
    return sum(c.status == psutil.CONN_ESTABLISHED and bool(c.raddr) and c.raddr[1] in ports for c in connections)


# A call that is cancelled while litellm still prepares it on a thread leaves litellm's own coroutine unawaited.
@pytest.mark.filterwarnings("ignore:coroutine 'OpenAIChatCompletion.async_streaming' was never awaited:RuntimeWarning")
@pytest.mark.asyncio
async def test_20_switches_between_two_services_leave_no_connection() -> None:
    reply = Reply([" one", " two", " three", " four."], first_s=0.01, gap_s=0.01)
    client, bus, clock = LiteLlmClient(), Bus(), SystemClock()
    events: list[Event] = []
    async with ScriptedOpenAiServer(reply) as here, ScriptedOpenAiServer(reply) as there:
        models = [LlmModel(name, name, api_base=server.api_base) for name, server in (("here", here), ("there", there))]
        driver = OracleDriver(
            llm=client,
            model=models[0],
            scheduler=OracleScheduler(),
            transcript=Transcript(),
            bus=bus,
            clock=clock,
            activity=Stage().activity,
            options=OracleOptions(),
        )
        box = bus.subscribe(OracleRequested, OracleRevision, ModelChanged, name="test", capacity=100_000)

        def heard(utterance: int, model: str, *, complete: bool) -> bool:
            events.extend(box.drain())
            return any(
                isinstance(e, OracleRevision)
                and (e.utterance, e.model) == (utterance, model)
                and (e.complete or not complete)
                for e in events
            )

        await driver.load()
        clock.start()
        for number in range(1, 21):
            new = models[number % 2]
            driver.take(UserSpeechStarted(at_ms=clock.now_ms(), utterance=number))
            driver.take(SttFinal(at_ms=clock.now_ms(), utterance=number, text=f"Question {number}?"))
            if number % 3:  # else in the middle of the wait for the first word
                old = models[(number - 1) % 2].name
                await until(lambda n=number, name=old: heard(n, name, complete=False))
            await driver.switch(new)
        await until(lambda: heard(20, models[1].name, complete=True))  # its answer had begun before the last switch
        assert {call.body["model"] for server in (here, there) for call in server.calls} == {"here", "there"}
        await driver.close()
        assert open_sockets(here, there) > 0, "the client keeps one for the next question"
        await client.close()
        await until(lambda: open_sockets(here, there) == 0)
        switched = [e for e in events if isinstance(e, ModelChanged)]
        assert len(switched) == 20
        assert all(
            any(isinstance(e, OracleRevision) and e.utterance == number for e in events) for number in (1, 2, 4, 20)
        )
    gc.collect()  # while the filter above holds
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not [task for task in left if task.get_name().startswith(("oracle", "switch", "usage"))]
    assert client.count_tokens([Message("user", "still usable")]) > 0
