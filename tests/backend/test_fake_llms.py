"""The doubles keep the contract that they stand for."""

from __future__ import annotations

import asyncio
import json
import urllib.request

import pytest

from kame_desktop.backend.llm.base import LlmModel, LlmRequest, Message, StreamingLlm
from kame_desktop.backend.llm.loopback import LoopbackLlmServer
from kame_desktop.core.clock import ManualClock
from kame_desktop.core.errors import LlmError
from tests.fakes.llm import Answer, FakeLlm

MODEL = LlmModel("fake", "Fake")


def ask(question: str) -> LlmRequest:
    return LlmRequest(MODEL, [Message("user", question)])


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_the_fake_answers_in_virtual_time() -> None:
    clock = ManualClock()
    llm = FakeLlm(clock, lambda question: Answer(f"You said {question}", first_ms=100, gap_ms=10))
    contract: StreamingLlm = llm
    heard: list[tuple[float, str]] = []

    async def listen() -> None:
        heard.extend([(clock.now_ms(), chunk.text) async for chunk in contract.stream(ask("hello"))])

    task = asyncio.create_task(listen())
    while not task.done():
        await settle()
        if (at_ms := clock.next_deadline_ms()) is not None:
            clock.advance_to(at_ms)
    assert heard == [(100, "You"), (110, " said"), (120, " hello"), (120, "")]
    assert llm.calls[0].question == "hello"
    assert llm.calls[0].finished
    assert llm.open_streams == 0


@pytest.mark.asyncio
async def test_the_fake_fails_and_hangs_as_told() -> None:
    clock = ManualClock()
    llm = FakeLlm(clock, Answer("one two", first_ms=0, gap_ms=0, error=LlmError("down"), error_after=1))
    stream = llm.stream(ask("x"))
    assert (await anext(stream)).text == "one"
    with pytest.raises(LlmError):
        await anext(stream)
    llm = FakeLlm(clock, Answer("one", first_ms=0, hangs=True))

    async def listen() -> None:
        async for _ in llm.stream(ask("x")):
            pass

    task = asyncio.create_task(listen())
    await settle()
    assert llm.open_streams == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert llm.open_streams == 0
    assert llm.calls[0].closed_ms is not None
    assert not llm.calls[0].finished


def test_the_loopback_server_serves_from_a_thread() -> None:
    with LoopbackLlmServer(ttft_s=0.0, chunks_per_s=1000.0, chunks=3).in_thread() as server:
        body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "what is fifty"}]}
        request = urllib.request.Request(
            f"{server.api_base}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=5) as response:
            lines = [line for line in response.read().decode().splitlines() if line.startswith("data: {")]
    pieces = [json.loads(line[6:])["choices"][0]["delta"].get("content") for line in lines]
    assert pieces == ["fifty", " word1", " word2", None]
    assert server.call_count == 1
    assert server.calls[0].finished
