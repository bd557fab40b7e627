"""A language model behind bad weather: later, never less, never out of order, and gone as soon as it is closed."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_desktop.backend.llm.base import LlmChunk, LlmModel, LlmRequest, Message, StreamingLlm
from kame_desktop.backend.llm.weather import Weather, WeatheredLlm
from kame_desktop.core.clock import ManualClock
from kame_desktop.core.errors import BadInputError, LlmError
from kame_desktop.core.events import AgentText, OracleRevision
from tests.fakes.llm import Answer, FakeLlm
from tests.session.stage import Stage

REQUEST = LlmRequest(LlmModel("fake", "Fake"), [Message("user", "hello")])
HELD_AT_MOST = 257
"""Pieces on their way, and the one that the reader holds."""

WEATHERS = st.builds(
    Weather,
    st.floats(0.0, 2_000.0),
    st.floats(0.0, 2_000.0),
    st.one_of(st.just(0.0), st.floats(0.0, 0.5)),
)


async def settle() -> None:
    """Let every task run until all of them wait."""
    for _ in range(12):
        await asyncio.sleep(0)


async def live(clock: ManualClock, *tasks: asyncio.Task[None]) -> None:
    """Let time pass until the tasks are done."""
    while not all(task.done() for task in tasks):
        await settle()
        if (at_ms := clock.next_deadline_ms()) is not None:
            clock.advance_to(at_ms)
    for task in tasks:
        task.result()


@dataclass
class Listener:
    """Asks once and notes what arrives when."""

    clock: ManualClock
    llm: StreamingLlm
    heard: list[tuple[float, str]] = field(default_factory=list)
    asked_ms: float = 0.0
    ended_ms: float | None = None
    error: BaseException | None = None

    async def listen(self) -> None:
        self.asked_ms = self.clock.now_ms()
        try:
            async with aclosing(self.llm.stream(REQUEST)) as chunks:
                async for chunk in chunks:
                    self.heard.append((self.clock.now_ms(), chunk.text))
        except LlmError as error:
            self.error = error
        self.ended_ms = self.clock.now_ms()

    @property
    def waited_ms(self) -> float:
        """Until the first piece."""
        return self.heard[0][0] - self.asked_ms


def answer_under(weather: Weather, answer: Answer, seed: int = 0, requests: int = 1) -> list[Listener]:
    """Ask ``requests`` times, one after the other."""

    async def act() -> list[Listener]:
        clock = ManualClock()
        inner = FakeLlm(clock, answer)
        llm = WeatheredLlm(inner, weather, clock, random.Random(seed))
        listeners = [Listener(clock, llm) for _ in range(requests)]
        for listener in listeners:
            await live(clock, asyncio.create_task(listener.listen()))
        assert inner.open_streams == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}, "a task was left behind"
        return listeners

    return asyncio.run(act())


# What the user writes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "weather"),
    [
        ("latency=300ms,jitter=100ms,loss=2%", Weather(300.0, 100.0, 0.02)),
        (" loss = 2 % , latency = 0.3 s ", Weather(300.0, 0.0, 0.02)),
        ("JITTER=.5S", Weather(0.0, 500.0, 0.0)),
        ("latency=40", Weather(40.0)),
        ("latency=0,jitter=0,loss=0", Weather()),
        ("loss=99.9%,", Weather(loss=0.999)),
        ("latency=60s", Weather(60_000.0)),
    ],
)
def test_it_is_read_in_any_order_and_unit(text: str, weather: Weather) -> None:
    read = Weather.parse(text)
    assert (read.latency_ms, read.jitter_ms, read.loss) == pytest.approx(
        (weather.latency_ms, weather.jitter_ms, weather.loss)
    )
    assert read.calm == (weather == Weather())


@given(weather=WEATHERS)
def test_it_is_shown_as_it_is_read(weather: Weather) -> None:
    read = Weather.parse(str(weather))
    assert (read.latency_ms, read.jitter_ms, read.loss) == pytest.approx(
        (weather.latency_ms, weather.jitter_ms, weather.loss), abs=1e-3
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        (" , ", "empty"),
        ("rain=2mm", "'rain=2mm' is none of latency, jitter, loss"),
        ("latency", "'latency' is none of"),
        ("latency=0,3s", "'3s' is none of"),
        ("latency=", "'latency=' is not a number"),
        ("latency=soon", "not a number"),
        ("latency=nan", "not a number"),
        ("latency=1e3ms", "not a number"),
        ("latency=infms", "not a number"),
        ("latency=5min", "not a number"),
        ("latency=٣٠٠ms", "not a number"),
        ("latency=" + "9" * 400, "not a number"),
        ("latency=-300ms", "between 0 and 60 s"),
        ("jitter=61s", "between 0 and 60 s"),
        ("jitter=2%", "needs ms or s"),
        ("loss=2", "percent sign"),
        ("loss=2ms", "percent sign"),
        ("loss=100%", "less than 100 %"),
        ("loss=-1%", "at least 0 %"),
        ("latency=1ms,latency=2ms", "'latency' is given twice"),
    ],
)
def test_what_is_no_weather_is_refused_with_an_example(text: str, why: str) -> None:
    with pytest.raises(BadInputError) as refused:
        Weather.parse(text)
    assert why in refused.value.what
    assert "latency=300ms,jitter=100ms,loss=2%" in refused.value.remedy


# What arrives --------------------------------------------------------------------------------------------------------


def test_latency_delays_every_piece_by_one_round_trip() -> None:
    (calm,) = answer_under(Weather(), Answer("one two three", first_ms=150.0, gap_ms=25.0))
    (late,) = answer_under(Weather(latency_ms=300.0), Answer("one two three", first_ms=150.0, gap_ms=25.0))
    assert calm.heard == [(150.0, "one"), (175.0, " two"), (200.0, " three"), (200.0, "")]
    assert late.heard == [(at_ms + 300.0, text) for at_ms, text in calm.heard]
    assert late.ended_ms == 500.0


@given(
    weather=WEATHERS,
    seed=st.integers(0, 2**32),
    words=st.integers(0, 20),
    first_ms=st.floats(0.0, 400.0),
    gap_ms=st.floats(0.0, 100.0),
)
@settings(deadline=None)
def test_all_of_it_arrives_in_order_and_not_too_soon(
    weather: Weather, seed: int, words: int, first_ms: float, gap_ms: float
) -> None:
    texts = [f"word{number}" for number in range(words)]
    (got,) = answer_under(weather, Answer(" ".join(texts), first_ms, gap_ms), seed)
    assert "".join(text for _, text in got.heard) == " ".join(texts)
    assert len(got.heard) == words + 1, "the usage comes too"
    times = [at_ms for at_ms, _ in got.heard]
    assert times == sorted(times)
    least_ms = max(0.0, weather.latency_ms - weather.jitter_ms)
    for number, at_ms in enumerate(times[:-1]):
        assert at_ms >= first_ms + number * gap_ms + least_ms - 1e-6
    if weather.loss == 0.0:
        most_ms = weather.latency_ms + weather.jitter_ms
        for number, at_ms in enumerate(times[:-1]):
            assert at_ms <= first_ms + number * gap_ms + most_ms + 1e-6


def test_jitter_moves_the_pieces_and_the_seed_decides_how() -> None:
    weather, answer = Weather(latency_ms=300.0, jitter_ms=100.0), Answer("a b c d e f g h", gap_ms=200.0)
    (one,), (same,), (other,) = (answer_under(weather, answer, seed) for seed in (1, 1, 2))
    assert one.heard == same.heard
    assert one.heard != other.heard
    gaps = {round(later - at_ms) for (at_ms, _), (later, _) in itertools.pairwise(one.heard[:-1])}
    assert len(gaps) > 3


def test_requests_at_the_same_time_do_not_change_each_others_chances() -> None:
    weather, answer = Weather(100.0, 80.0, 0.2), Answer("a b c d", gap_ms=50.0)

    async def act(second_too: bool) -> list[tuple[float, str]]:
        clock = ManualClock()
        llm = WeatheredLlm(FakeLlm(clock, answer), weather, clock, random.Random(7))
        listeners = [Listener(clock, llm) for _ in range(1 + second_too)]
        await live(clock, *(asyncio.create_task(listener.listen()) for listener in listeners))
        return listeners[0].heard

    assert asyncio.run(act(False)) == asyncio.run(act(True))


def test_a_lost_packet_costs_its_timeouts_and_nothing_else() -> None:
    weather = Weather(latency_ms=100.0, loss=0.3)
    assert weather.retransmission_timeout_ms == 300.0
    waits = [0.0, 300.0, 900.0, 2_100.0, 4_500.0, 9_300.0, 18_900.0, 38_100.0]
    possible = {one + other for one in waits for other in waits}
    first, *later = answer_under(weather, Answer("Yes.", first_ms=0.0), seed=3, requests=400)
    extra = [round(listener.waited_ms - 100.0, 6) for listener in later]
    assert set(extra) <= possible
    untouched = sum(1 for wait_ms in extra if wait_ms == 0.0) / len(extra)
    assert untouched == pytest.approx(0.7 * 0.7, abs=0.08)
    assert all(listener.heard[0][1] == "Yes." for listener in (first, *later))


def test_a_loss_while_a_connection_opens_costs_a_second() -> None:
    """1,000 ms can't be made of timeouts of an open connection, which are 200, 600, 1,400, ... ms here."""
    weather = Weather(loss=0.3)
    pairs = [answer_under(weather, Answer("Yes.", first_ms=0.0), seed, requests=2) for seed in range(60)]
    opening = [round(first.waited_ms) for first, _ in pairs]
    kept = [round(second.waited_ms) for _, second in pairs]
    assert 5 <= opening.count(1_000) <= 25
    assert 1_000 not in kept


def test_a_stream_that_was_closed_early_leaves_no_connection() -> None:
    async def wait_after(closed_early: bool, seed: int) -> int:
        clock = ManualClock()
        inner = FakeLlm(clock, Answer("one two", first_ms=0.0, gap_ms=0.0))
        llm = WeatheredLlm(inner, Weather(loss=0.3), clock, random.Random(seed))

        async def first() -> None:
            async with aclosing(llm.stream(REQUEST)) as chunks:
                async for _ in chunks:
                    if closed_early:
                        break

        await live(clock, asyncio.create_task(first()))
        second = Listener(clock, llm)
        await live(clock, asyncio.create_task(second.listen()))
        return round(second.waited_ms)

    assert 1_000 in [asyncio.run(wait_after(True, seed)) for seed in range(40)]
    assert 1_000 not in [asyncio.run(wait_after(False, seed)) for seed in range(40)]


def test_an_error_comes_after_what_came_before_it_and_as_late() -> None:
    answer = Answer("one two", first_ms=100.0, gap_ms=10.0, error=LlmError("down"), error_after=1)
    (got,) = answer_under(Weather(latency_ms=500.0), answer)
    assert got.heard == [(600.0, "one")]
    assert got.error is not None
    assert got.ended_ms == 610.0


# Closing -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stop_at_ms", "asked", "sent"),
    [(50.0, 0, 0), (160.0, 1, 0), (340.0, 1, 2), (480.0, 1, 8)],
    ids=["on the way out", "before the first piece", "pieces on the way", "in the middle"],
)
def test_a_consumer_that_is_cancelled_closes_the_inner_stream_at_once(stop_at_ms: float, asked: int, sent: int) -> None:
    async def act() -> None:
        clock = ManualClock()
        inner = FakeLlm(clock, Answer(" ".join("abcdefghij"), first_ms=150.0, gap_ms=25.0))
        listener = Listener(clock, WeatheredLlm(inner, Weather(latency_ms=300.0), clock))
        task = asyncio.create_task(listener.listen())
        await settle()
        while (at_ms := clock.next_deadline_ms()) is not None and at_ms <= stop_at_ms:
            clock.advance_to(at_ms)
            await settle()
        clock.advance_to(stop_at_ms)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(inner.calls) == asked
        assert [len(call.sent) for call in inner.calls] == [sent][:asked]
        assert [call.closed_ms for call in inner.calls] == [stop_at_ms][:asked]
        assert inner.open_streams == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(act())


def test_a_stream_that_is_closed_in_the_middle_has_closed_the_inner_one() -> None:
    async def act() -> None:
        clock = ManualClock()
        inner = FakeLlm(clock, Answer("one two three", first_ms=0.0, gap_ms=25.0))
        llm = WeatheredLlm(inner, Weather(latency_ms=50.0), clock)

        async def first_piece() -> None:
            chunks = llm.stream(REQUEST)
            assert (await anext(chunks)).text == "one"
            await chunks.aclose()
            assert inner.open_streams == 0
            assert inner.calls[0].closed_ms == clock.now_ms()

        await live(clock, asyncio.create_task(first_piece()))
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(act())


def test_an_inner_stream_that_is_cancelled_from_within_does_not_hang() -> None:
    class Cancelled(FakeLlm):
        async def stream(self, request: LlmRequest) -> AsyncGenerator[LlmChunk, None]:
            yield LlmChunk("one")
            raise asyncio.CancelledError

    async def act() -> None:
        clock = ManualClock()
        listener = Listener(clock, WeatheredLlm(Cancelled(clock), Weather(), clock))
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(listener.listen(), 5.0)
        assert listener.heard == [(0.0, "one")]

    asyncio.run(act())


def test_a_bounded_part_of_an_endless_answer_is_on_its_way() -> None:
    async def act() -> None:
        clock = ManualClock()
        inner = FakeLlm(clock, Answer(" ".join(["word"] * 2_000), first_ms=0.0, gap_ms=0.0))
        listener = Listener(clock, WeatheredLlm(inner, Weather(latency_ms=1_000.0), clock))
        task = asyncio.create_task(listener.listen())
        await settle()
        clock.advance_to(500.0)
        for _ in range(3_000):
            await asyncio.sleep(0)
        assert 0 < len(inner.calls[0].sent) <= HELD_AT_MOST
        assert listener.heard == []
        await live(clock, task)
        assert len(listener.heard) == 2_001

    asyncio.run(act())


# In place ------------------------------------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_the_rest_goes_straight_through() -> None:
    clock = ManualClock()
    inner = FakeLlm(clock)
    llm: StreamingLlm = WeatheredLlm(inner, Weather(latency_ms=60_000.0), clock)
    await llm.load(REQUEST.model)
    assert inner.loaded == [REQUEST.model]
    assert llm.count_tokens(REQUEST.messages) == inner.count_tokens(REQUEST.messages)
    await llm.close()
    assert inner.closed


def test_a_whole_conversation_hears_its_answer_later() -> None:
    stage = Stage(frames=60)
    inner = stage.llm
    stage.llm = WeatheredLlm(inner, Weather(latency_ms=400.0), stage.clock)  # type: ignore[assignment]
    stage.run()
    stage.llm = inner
    stage.assert_nothing_left()
    assert " ".join(word.text for word in stage.of(AgentText)).endswith("It is Paris.")
    assert min(event.first_token_ms for event in stage.of(OracleRevision)) >= 550.0
