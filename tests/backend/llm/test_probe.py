"""One tiny call: its time, or what went wrong in words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from kame_desktop.backend.llm.base import LlmChunk, LlmModel, LlmRequest, LlmTest
from kame_desktop.backend.llm.probe import probe
from kame_desktop.core.clock import SystemClock
from kame_desktop.core.errors import ErrorCategory, LlmError
from tests.fakes.llm import Answer, FakeLlm

MODEL = LlmModel("m", "M")
FAST = Answer("Hello to you.", first_ms=5.0, gap_ms=1.0)


def started() -> SystemClock:
    clock = SystemClock()
    clock.start()
    return clock


async def outcome(llm: FakeLlm, **limits: float) -> LlmTest:
    result = await probe(llm, MODEL, **limits)
    assert llm.open_streams == 0
    assert not llm.closed
    return result


@pytest.mark.asyncio
async def test_the_time_to_the_first_word_and_then_it_hangs_up() -> None:
    llm = FakeLlm(started(), FAST)
    result = await outcome(llm)
    assert result.error is None
    assert result.first_token_ms is not None
    assert result.first_token_ms >= 4.0
    assert llm.loaded == [MODEL]
    assert llm.calls[0].sent == ["Hello"]
    assert not llm.calls[0].finished


@pytest.mark.asyncio
async def test_the_load_does_not_count() -> None:
    result = await outcome(FakeLlm(started(), FAST, load_ms=150.0))
    assert result.first_token_ms is not None
    assert result.first_token_ms < 150.0


@pytest.mark.asyncio
async def test_an_error_is_the_outcome() -> None:
    error = LlmError("No.", "Try.", category=ErrorCategory.PERMANENT)
    assert (await outcome(FakeLlm(started(), Answer("x", error=error)))).error is error
    assert (await outcome(FakeLlm(started(), FAST, load_error=error))).error is error


@pytest.mark.asyncio
async def test_a_defect_is_told_without_its_text() -> None:
    class Broken(FakeLlm):
        async def stream(self, request: LlmRequest) -> AsyncGenerator[LlmChunk, None]:
            raise ValueError("sk-planted")
            yield LlmChunk()

    error = (await outcome(Broken(started()))).error
    assert error is not None
    assert error.category is ErrorCategory.INTERNAL
    assert "sk-planted" not in f"{error}{error!r}"


@pytest.mark.asyncio
@pytest.mark.parametrize("text", ["", " "])
async def test_an_answer_without_a_word(text: str) -> None:
    error = (await outcome(FakeLlm(started(), Answer(text)))).error
    assert error is not None
    assert "without a word" in error.what


@pytest.mark.asyncio
async def test_nothing_comes() -> None:
    llm = FakeLlm(started(), Answer("", hangs=True))
    error = (await outcome(llm, deadline_s=0.05)).error
    assert error is not None
    assert error.category is ErrorCategory.TRANSIENT
    assert "did not begin to answer" in error.what
    assert llm.calls[0].closed_ms is not None


@pytest.mark.asyncio
async def test_it_never_gets_ready() -> None:
    llm = FakeLlm(started(), FAST, load_ms=60_000.0)
    error = (await outcome(llm, load_s=0.05)).error
    assert error is not None
    assert "not ready" in error.what
    assert not llm.calls


@pytest.mark.asyncio
async def test_cancelling_hangs_up() -> None:
    llm = FakeLlm(started(), Answer("", hangs=True))
    task = asyncio.create_task(probe(llm, MODEL))
    while not llm.open_streams:  # noqa: ASYNC110 - the fake has no event to wait for
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert llm.open_streams == 0
