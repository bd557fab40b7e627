"""Parts that crash, in virtual time: who starts them again, who hears of it, and what of a conversation is left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from typing import Any

import numpy as np
import pytest

from kame_desktop.backend.llm.base import LlmChunk, LlmModel, LlmRequest, Message
from kame_desktop.backend.stt.base import SttFrame, Transcription
from kame_desktop.backend.stt.whisper import WhisperStt
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_SAMPLES, UserActivity
from kame_desktop.core.clock import ManualClock
from kame_desktop.core.errors import AppError, ErrorCategory, LlmError, MissingPackageError, ResourceError
from kame_desktop.session.supervised_llm import SupervisedLlm
from kame_desktop.session.supervised_stt import SupervisedStt
from kame_desktop.session.supervisor import supervise
from tests.fakes.decoder import FakeDecoder
from tests.fakes.stt import FakeStt

pytestmark = [pytest.mark.logs_errors, pytest.mark.asyncio]

WORDS = "words of the user"


def defect() -> Exception:
    return ValueError(WORDS)


async def settle() -> None:
    for _ in range(30):
        await asyncio.sleep(0)


async def pass_ms(clock: ManualClock, ms: float) -> None:
    await settle()
    clock.advance(ms)
    await settle()


# Any part ------------------------------------------------------------------------------------------------------------


class Part:
    """Lives until it is told how to end."""

    def __init__(self) -> None:
        self.lives: list[asyncio.Future[None]] = []

    async def live(self) -> None:
        life: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lives.append(life)
        await life

    def end(self, error: BaseException | None = None) -> None:
        life = self.lives[-1]
        if error is None:
            life.set_result(None)
        else:
            life.set_exception(error)


class Scene:
    """A supervised part, and what is told of it."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.part = Part()
        self.told: list[AppError] = []
        self.task = asyncio.ensure_future(
            supervise("recorder", "The recording", self.part.live, clock=self.clock, tell=self.told.append)
        )


async def test_a_crash_is_told_and_the_part_lives_again_after_half_a_second(caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene()
    await settle()
    scene.part.end(defect())
    await pass_ms(scene.clock, 499)
    assert len(scene.part.lives) == 1
    await pass_ms(scene.clock, 1)
    assert len(scene.part.lives) == 2
    (told,) = scene.told
    assert (told.component, told.category) == ("recorder", ErrorCategory.TRANSIENT)
    assert "The recording stopped unexpectedly" in told.what
    scene.part.end()
    assert await scene.task
    assert WORDS not in caplog.text
    assert "ValueError" in caplog.text


async def test_the_second_crash_in_a_minute_leaves_it_off_and_says_so() -> None:
    scene = Scene()
    await settle()
    scene.part.end(defect())
    await pass_ms(scene.clock, 500)
    scene.part.end(defect())
    assert not await scene.task
    assert "stays off" in scene.told[-1].what
    assert scene.told[-1].remedy
    assert not scene.told[-1].retryable


async def test_a_crash_now_and_then_never_ends_it() -> None:
    scene = Scene()
    for _ in range(8):
        await settle()
        scene.part.end(defect())
        await pass_ms(scene.clock, 61_000)
    assert len(scene.part.lives) == 9
    assert all(one.retryable for one in scene.told)
    scene.task.cancel()
    await settle()
    assert scene.task.cancelled()
    assert scene.part.lives[-1].cancelled()


async def test_what_a_new_start_cant_mend_is_told_as_it_is() -> None:
    scene = Scene()
    await settle()
    scene.part.end(ResourceError("The disk is full.", "Free some space."))
    assert not await scene.task
    (told,) = scene.told
    assert (told.what, told.remedy, told.component) == ("The disk is full.", "Free some space.", "recorder")


async def test_it_can_be_ended_while_it_waits() -> None:
    scene = Scene()
    await settle()
    scene.part.end(defect())
    await settle()
    scene.task.cancel()
    await settle()
    assert scene.task.cancelled()


# Speech-to-text ------------------------------------------------------------------------------------------------------


class FragileStt(FakeStt):
    """Can be told to fail."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.feed_error: Exception | None = None
        self.frames: list[SttFrame] = []
        self.report: Callable[[BaseException], None] = lambda error: None
        self.say: Callable[[Transcription], None] = lambda heard: None

    def start(self, emit: Callable[[Transcription], None], on_error: Callable[[BaseException], None]) -> None:
        super().start(emit, on_error)
        self.say, self.report = emit, on_error

    def feed(self, frame: SttFrame) -> None:
        if self.feed_error is not None:
            raise self.feed_error
        self.frames.append(frame)
        super().feed(frame)


class Listener:
    """A supervised speech-to-text and a user who speaks frame by frame.

    Attributes:
        load_errors: Raised by the loads of further lives, in order.
        hangs: The loads of further lives don't end.
    """

    def __init__(self, load_errors: Sequence[Exception | None] = ()) -> None:
        self.clock = ManualClock()
        self.lives: list[FragileStt] = []
        self.load_errors = [None, *load_errors]
        self.heard: list[Transcription] = []
        self.errors: list[BaseException] = []
        self.stt = SupervisedStt(self._make, self.clock)
        self.hangs = False
        self._number = 0

    def _make(self) -> FragileStt:
        script = ("one two three four five six", "seven eight nine", "ten eleven", "twelve")
        error = self.load_errors[len(self.lives)] if len(self.lives) < len(self.load_errors) else None
        self.lives.append(FragileStt(script=script, frames_per_word=1, load_error=error))
        self.lives[-1].hang_on_load = self.hangs
        return self.lives[-1]

    async def begin(self) -> Listener:
        await self.stt.load()
        self.stt.start(self.heard.append, self.errors.append)
        return self

    def speak(self, utterance: int, frames: int, *, begins: bool = True, ends: bool = False) -> None:
        for number in range(frames):
            self._number += 1
            last = ends and number == frames - 1
            user = UserActivity(
                utterance, speaking=not last, started=begins and number == 0, finished=last, paused=False
            )
            self.stt.feed(SttFrame(np.zeros(FRAME_SAMPLES, np.float32), user, self._number * 80.0))

    @property
    def finals(self) -> list[tuple[int, str]]:
        return [(one.utterance, one.text) for one in self.heard if one.final]


Crash = Callable[[FragileStt, Listener], None]


def out_of_feed(live: FragileStt, listener: Listener) -> None:
    live.feed_error = defect()
    listener.speak(1, 1, begins=False)


def out_of_the_decoder(live: FragileStt, listener: Listener) -> None:
    live.report(defect())


@pytest.mark.parametrize("crash", [out_of_feed, out_of_the_decoder])
async def test_the_sentence_that_was_heard_ends_with_what_was_understood_and_the_next_one_is_heard_whole(
    crash: Crash,
) -> None:
    listener = await Listener().begin()
    listener.speak(1, 3)
    crash(listener.lives[0], listener)
    listener.speak(1, 2, begins=False)
    assert listener.finals == []
    listener.speak(1, 1, begins=False, ends=True)
    assert listener.finals == [(1, "one two three")]
    await pass_ms(listener.clock, 500)
    assert listener.lives[0].closed
    listener.speak(2, 4, ends=True)
    assert listener.finals[1:] == [(2, "seven eight nine")]
    assert {frame.user.utterance for frame in listener.lives[1].frames} == {2}
    (told,) = listener.errors
    assert isinstance(told, AppError)
    assert told.retryable
    await listener.stt.close()
    assert listener.lives[1].closed


async def test_a_sentence_that_begins_while_nobody_listens_is_heard_late() -> None:
    listener = await Listener().begin()
    listener.speak(1, 3)
    out_of_the_decoder(listener.lives[0], listener)
    listener.speak(1, 1, begins=False, ends=True)
    listener.speak(2, 2)
    await pass_ms(listener.clock, 500)
    listener.speak(2, 2, begins=False, ends=True)
    assert listener.finals == [(1, "one two three"), (2, "seven eight nine")]
    assert len(listener.lives[1].frames) == 4
    await listener.stt.close()


async def test_a_sentence_that_is_too_long_to_be_kept_loses_its_words_and_only_it() -> None:
    listener = await Listener().begin()
    listener.speak(1, 3, ends=True)
    listener.heard.clear()
    out_of_the_decoder(listener.lives[0], listener)
    listener.speak(2, 130)
    listener.speak(2, 1, begins=False, ends=True)
    listener.speak(3, 2)
    await pass_ms(listener.clock, 500)
    listener.speak(3, 1, begins=False, ends=True)
    assert listener.finals == [(2, ""), (3, "ten eleven")]
    assert [frame.user.utterance for frame in listener.lives[1].frames] == [3, 3, 3]
    await listener.stt.close()


async def test_after_the_second_crash_sentences_end_without_words() -> None:
    listener = await Listener().begin()
    listener.speak(1, 3)
    out_of_the_decoder(listener.lives[0], listener)
    await pass_ms(listener.clock, 500)
    listener.speak(1, 1, begins=False, ends=True)
    listener.speak(2, 2)
    out_of_the_decoder(listener.lives[1], listener)
    await settle()
    listener.speak(2, 1, begins=False, ends=True)
    listener.speak(3, 3, ends=True)
    assert listener.finals == [(1, "one two three"), (2, "seven eight"), (3, "")]
    assert "stays off" in str(listener.errors[-1])
    await pass_ms(listener.clock, 100_000)
    assert len(listener.lives) == 2
    await listener.stt.close()
    assert all(live.closed for live in listener.lives)


@pytest.mark.parametrize(
    ("errors", "lives", "last"),
    [
        ([defect()], 2, "stays off"),
        ([MissingPackageError("It is gone.", "Install it.")], 2, "It is gone."),
    ],
)
async def test_a_new_start_that_fails_is_a_crash_too(errors: list[Exception], lives: int, last: str) -> None:
    listener = await Listener(errors).begin()
    out_of_the_decoder(listener.lives[0], listener)
    await pass_ms(listener.clock, 500)
    await pass_ms(listener.clock, 5_000)
    assert len(listener.lives) == lives
    assert last in str(listener.errors[-1])
    listener.speak(1, 2, ends=True)
    assert listener.finals == [(1, "")]
    await listener.stt.close()
    assert all(live.closed for live in listener.lives)


async def test_a_dead_life_is_not_listened_to() -> None:
    listener = await Listener().begin()
    dead = listener.lives[0]
    listener.speak(1, 2)
    out_of_the_decoder(dead, listener)
    before = list(listener.heard)
    dead.say(Transcription(1, 9, WORDS, 1, True, 0.0, 0.0))
    dead.report(defect())
    assert listener.heard == before
    assert len(listener.errors) == 1
    await listener.stt.close()


@pytest.mark.parametrize("loads", [False, True])
async def test_it_can_be_closed_while_it_is_started_again(loads: bool) -> None:
    listener = await Listener().begin()
    listener.hangs = True
    out_of_the_decoder(listener.lives[0], listener)
    if loads:
        await pass_ms(listener.clock, 500)
    await settle()
    assert len(listener.lives) == 1 + loads
    await listener.stt.close()
    assert all(live.closed for live in listener.lives)
    assert len(asyncio.all_tasks()) == 1


async def test_a_sentence_that_goes_on_after_a_pause_is_not_begun_in_its_middle() -> None:
    listener = await Listener().begin()
    listener.speak(1, 3)
    out_of_the_decoder(listener.lives[0], listener)
    await pass_ms(listener.clock, 500)
    listener.speak(1, 2)  # speech begins anew inside of it
    listener.speak(1, 1, begins=False, ends=True)
    assert listener.finals == [(1, "one two three")]
    assert listener.lives[1].frames == []
    await listener.stt.close()


async def test_a_real_decoder_that_dies_is_replaced() -> None:
    clock, activity, decoders = ManualClock(), Activity(), [FakeDecoder(), FakeDecoder()]
    made: list[WhisperStt] = []

    def make() -> WhisperStt:
        made.append(WhisperStt(decoders[len(made)], activity))
        return made[-1]

    stt, heard, errors = SupervisedStt(make, clock), [], []
    await stt.load()
    stt.start(heard.append, errors.append)
    decoders[0].error = RuntimeError(WORDS)

    async def speak(utterance: int) -> None:
        for number in range(20):
            last = number == 19
            user = UserActivity(utterance, not last, number == 0, last, last, 1_500.0, 480.0 if last else 0.0)
            stt.feed(SttFrame(np.ones(FRAME_SAMPLES, np.float32), user, number * 80.0))
        assert await asyncio.to_thread(activity.wait_idle, 10.0)

    await speak(1)
    assert len(errors) == 1
    clock.advance(500)
    while len(made) < 2 or stt.name != "whisper":  # noqa: ASYNC110 - its executor tells nobody
        await asyncio.sleep(0.001)
    await speak(2)
    finals = [(one.utterance, one.text) for one in heard if one.final]
    assert finals == [(1, ""), (2, "w0 w1 w2 w3")]
    await stt.close()


# Language models -----------------------------------------------------------------------------------------------------

MODEL = LlmModel("m", "M")
REQUEST = LlmRequest(MODEL, [Message("user", WORDS)])


class FragileLlm:
    """Answers "yes", or raises what it is told to."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.gate: asyncio.Event | None = None
        self.closed = False

    async def load(self, model: LlmModel) -> None:
        if self.error is not None:
            raise self.error

    async def stream(self, request: LlmRequest) -> AsyncGenerator[LlmChunk, None]:
        yield LlmChunk("yes")
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return 7

    async def close(self) -> None:
        self.closed = True


class Asker:
    """A supervised client, its lives, and what was told."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.lives: list[FragileLlm] = []
        self.told: list[AppError] = []
        self.client = SupervisedLlm(self._make, self.clock, self.told.append)

    def _make(self) -> FragileLlm:
        self.lives.append(FragileLlm())
        return self.lives[-1]

    async def ask(self) -> str:
        return "".join([chunk.text async for chunk in self.client.stream(REQUEST)])

    def begin(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        return asyncio.get_running_loop().create_task(work)


async def test_a_client_that_crashes_is_made_anew_and_the_question_asked_again_waits_for_it() -> None:
    asker = Asker()
    asker.lives[0].error = defect()
    with pytest.raises(LlmError) as caught:
        await asker.ask()
    assert caught.value.retryable
    assert WORDS not in f"{caught.value}{caught.value.__cause__}"
    again = asker.begin(asker.ask())
    await settle()
    assert not again.done()
    assert asker.lives[0].closed
    await pass_ms(asker.clock, 500)
    assert await again == "yes"
    assert [one.category for one in asker.told] == [ErrorCategory.TRANSIENT]
    await asker.client.close()
    assert asker.lives[1].closed


async def test_streams_that_die_together_are_one_crash() -> None:
    asker = Asker()
    asker.lives[0].gate = asyncio.Event()
    streams = [asker.begin(asker.ask()) for _ in range(3)]
    await settle()
    asker.lives[0].error = defect()
    asker.lives[0].gate.set()
    await settle()
    assert all(isinstance(stream.exception(), LlmError) for stream in streams)
    await pass_ms(asker.clock, 500)
    assert len(asker.told) == 1
    assert await asker.ask() == "yes"
    await asker.client.close()


async def test_after_the_second_crash_every_question_is_refused_for_good() -> None:
    asker = Asker()
    waiting: asyncio.Task[str] | None = None
    for life in range(2):
        asker.lives[life].error = defect()
        with pytest.raises(LlmError):
            await asker.ask()
        waiting = asker.begin(asker.ask())
        await settle()
        if life == 0:
            asker.lives[0].error = None
            await pass_ms(asker.clock, 500)
            await waiting
    assert waiting is not None
    with pytest.raises(LlmError, match="stays off") as caught:
        await waiting
    assert caught.value.category is ErrorCategory.PERMANENT
    with pytest.raises(LlmError, match="stays off"):
        await asker.client.load(MODEL)
    assert "stays off" in asker.told[-1].what
    assert asker.client.count_tokens([]) == 7
    await asker.client.close()


@pytest.mark.parametrize("error", [LlmError("Out of reach."), LlmError("No key.", category=ErrorCategory.PERMANENT)])
async def test_a_service_that_refuses_is_no_crash(error: AppError) -> None:
    asker = Asker()
    asker.lives[0].error = error
    with pytest.raises(LlmError) as caught:
        await asker.ask()
    with pytest.raises(LlmError):
        await asker.client.load(MODEL)
    assert caught.value is error
    assert asker.told == []
    assert len(asker.lives) == 1
    await asker.client.close()


async def test_a_load_that_fails_unforeseen_is_a_crash() -> None:
    asker = Asker()
    asker.lives[0].error = defect()
    with pytest.raises(ValueError, match=WORDS):
        await asker.client.load(MODEL)
    again = asker.begin(asker.client.load(MODEL))
    await pass_ms(asker.clock, 500)
    await again
    assert len(asker.lives) == 2
    await asker.client.close()


async def test_the_client_can_be_closed_while_it_is_made_anew_and_in_the_middle_of_an_answer() -> None:
    asker = Asker()
    asker.lives[0].error = defect()
    with pytest.raises(LlmError):
        await asker.ask()
    await settle()
    await asker.client.close()
    await pass_ms(asker.clock, 1_000)
    assert len(asker.lives) == 1
    assert len(asyncio.all_tasks()) == 1

    asker = Asker()
    asker.lives[0].gate = asyncio.Event()
    stream = asker.client.stream(REQUEST)
    assert (await anext(stream)).text == "yes"
    await stream.aclose()
    await asker.client.close()
    assert asker.told == []
