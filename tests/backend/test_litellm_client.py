"""The real client against a scripted service on the loopback, and against fakes of the local server."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import threading
import time
import traceback
import warnings
from collections.abc import AsyncGenerator, AsyncIterator

import pytest
import pytest_asyncio

from kame_desktop.backend.llm.base import LlmChunk, LlmModel, LlmRequest, Message, StreamingLlm
from kame_desktop.backend.llm.catalog import STARTER
from kame_desktop.backend.llm.litellm_client import LiteLlmClient
from kame_desktop.core.errors import BadInputError, Cancelled, ErrorCategory, LlmError, MissingPackageError
from tests.fakes.openai_server import Reply, ScriptedOpenAiServer

KEY = "sk-planted-0123456789abcdef"
PROMPT = "my secret words"

# litellm looks at every attribute of its own pydantic chunks; nothing of ours can avoid it.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the 'model_(computed_)?fields' attribute:pydantic.warnings.PydanticDeprecatedSince211"
)


@pytest.fixture(autouse=True)
def _planted_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest_asyncio.fixture
async def client() -> AsyncIterator[LiteLlmClient]:
    client = LiteLlmClient()
    yield client
    await client.close()


def at(server: ScriptedOpenAiServer, name: str = "test-model") -> LlmModel:
    return LlmModel(name, name, api_base=server.api_base)


def ask(model: LlmModel) -> LlmRequest:
    return LlmRequest(model, [Message("system", "Be brief."), Message("user", PROMPT)])


async def collect(stream: AsyncGenerator[LlmChunk, None]) -> tuple[str, LlmChunk | None]:
    text, last = "", None
    async for chunk in stream:
        text += chunk.text
        last = chunk
    return text, last


async def failure(client: LiteLlmClient, model: LlmModel) -> LlmError:
    with pytest.raises(LlmError) as caught:
        await collect(client.stream(ask(model)))
    assert_clean(caught.value)
    return caught.value


def assert_clean(error: BaseException) -> None:
    """Neither words, key nor the service's text are in the error, nor in anything it drags along."""
    shown = "".join(traceback.format_exception(error)) + repr(error.__context__) + repr(error.__cause__)
    shown += json.dumps([str(error), *map(str, error.args), *map(str, vars(error).values())])
    for secret in (KEY, PROMPT, "scripted failure"):
        assert secret not in shown
    assert error.__cause__ is None


def test_it_is_a_streaming_llm() -> None:
    client: StreamingLlm = LiteLlmClient()
    assert client.count_tokens([Message("user", "hello there")]) > 2


@pytest.mark.asyncio
async def test_streams_text_and_usage(client: LiteLlmClient) -> None:
    async with ScriptedOpenAiServer(Reply(["Par", "is", "."])) as server:
        model = at(server)
        await client.load(model)
        text, last = await collect(client.stream(ask(model)))
    assert text == "Paris."
    assert last is not None
    assert last.usage is not None
    assert (last.usage.prompt_tokens, last.usage.completion_tokens) == (5, 3)
    assert last.usage.cost_usd is None
    call = server.calls[0]
    assert call.finished
    assert call.authorization == f"Bearer {KEY}"
    assert call.body["model"] == "test-model"
    assert call.body["messages"][-1] == {"role": "user", "content": PROMPT}
    assert call.body["max_tokens"] == 96
    assert call.body["temperature"] == 0.0
    assert server.call_count == 1


@pytest.mark.asyncio
async def test_chunks_come_as_they_are_sent(client: LiteLlmClient) -> None:
    async with ScriptedOpenAiServer(Reply(["one", " two"], gap_s=0.3)) as server:
        await client.load(at(server))
        stream = client.stream(ask(at(server)))
        began = time.perf_counter()
        first = await anext(stream)
        assert first.text == "one"
        assert time.perf_counter() - began < 0.25
        await stream.aclose()


@pytest.mark.asyncio
async def test_usage_is_estimated_when_the_service_does_not_count(client: LiteLlmClient) -> None:
    async with ScriptedOpenAiServer(Reply(["Paris."], usage=False)) as server:
        _, last = await collect(client.stream(ask(at(server))))
    assert last is not None
    assert last.usage is not None
    assert last.usage.prompt_tokens > 0
    assert last.usage.completion_tokens > 0


@pytest.mark.asyncio
async def test_a_model_name_with_slashes_reaches_the_service_whole(client: LiteLlmClient) -> None:
    async with ScriptedOpenAiServer() as server:
        await collect(client.stream(ask(at(server, "meta-llama/Llama-3.1-8B"))))
    assert server.calls[0].body["model"] == "meta-llama/Llama-3.1-8B"


@pytest.mark.asyncio
async def test_without_a_key_a_dummy_is_sent(client: LiteLlmClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    async with ScriptedOpenAiServer() as server:
        await collect(client.stream(ask(at(server))))
    assert server.calls[0].authorization == "Bearer none"


@pytest.mark.asyncio
async def test_the_loopback_is_not_asked_through_a_proxy(
    client: LiteLlmClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    async with ScriptedOpenAiServer() as server:
        text, _ = await collect(client.stream(ask(at(server))))
    assert text == "Hello there."


# Closing and cancelling ---------------------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_closing_a_stream_is_seen_by_the_server_at_once(client: LiteLlmClient) -> None:
    async with ScriptedOpenAiServer(Reply(["one", " two"], hangs=True)) as server:
        await client.load(at(server))
        stream = client.stream(ask(at(server)))
        await anext(stream)
        closed = time.perf_counter()
        await stream.aclose()
        call = await server.until_cut_off()
    assert call.cut_off_at_s is not None
    assert call.cut_off_at_s - closed < 0.2


@pytest.mark.parametrize("headers_late", [False, True])
@pytest.mark.asyncio
async def test_cancelling_before_the_first_token_is_seen_at_once(client: LiteLlmClient, headers_late: bool) -> None:
    async with ScriptedOpenAiServer(Reply(first_s=30.0, headers_late=headers_late)) as server:
        await client.load(at(server))
        task = asyncio.create_task(collect(client.stream(ask(at(server)))))
        await server.until_called(1)
        cancelled = time.perf_counter()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        call = await server.until_cut_off()
    assert call.cut_off_at_s is not None
    assert call.cut_off_at_s - cancelled < 0.2


@pytest.mark.asyncio
async def test_cancelling_in_the_middle_is_seen_at_once(client: LiteLlmClient) -> None:
    async with ScriptedOpenAiServer(Reply(["a"] * 1000, gap_s=0.02)) as server:
        await client.load(at(server))
        started = asyncio.Event()

        async def consume() -> None:
            async for _ in client.stream(ask(at(server))):
                started.set()

        task = asyncio.create_task(consume())
        await started.wait()
        cancelled = time.perf_counter()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        call = await server.until_cut_off()
    assert call.cut_off_at_s is not None
    assert call.cut_off_at_s - cancelled < 0.2


@pytest.mark.asyncio
async def test_close_leaves_nothing_behind_and_may_be_called_twice() -> None:
    client = LiteLlmClient()
    async with ScriptedOpenAiServer() as server:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            await client.load(at(server))
            await collect(client.stream(ask(at(server))))
            began = time.perf_counter()
            await client.close()
            await client.close()
            assert time.perf_counter() - began < 2.0
            gc.collect()
    assert not [w for w in caught if issubclass(w.category, ResourceWarning)]
    # Generators inside the library that the collector finalises close in tasks of their own, which end by themselves.
    closing = asyncio.all_tasks() - {asyncio.current_task()}
    assert all(getattr(task.get_coro(), "__name__", None) is None for task in closing), closing
    if closing:
        _, pending = await asyncio.wait(closing, timeout=1.0)
        assert not pending


@pytest.mark.asyncio
async def test_a_second_client_works_after_the_first_was_closed() -> None:
    async with ScriptedOpenAiServer() as server:
        for _ in range(2):
            client = LiteLlmClient()
            text, _ = await collect(client.stream(ask(at(server))))
            assert text == "Hello there."
            await client.close()


# Failures -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "category"),
    [
        (Reply(status=401, error=f"bad key {KEY}, you said {PROMPT}"), ErrorCategory.PERMANENT),
        (Reply(status=403), ErrorCategory.PERMANENT),
        (Reply(status=404, code="model_not_found"), ErrorCategory.PERMANENT),
        (Reply(status=402), ErrorCategory.PERMANENT),
        (Reply(status=429, code="insufficient_quota", error="insufficient_quota"), ErrorCategory.PERMANENT),
        (Reply(status=400), ErrorCategory.PERMANENT),
        (Reply(status=429), ErrorCategory.TRANSIENT),
        (Reply(status=500, error=f"{PROMPT} {KEY}"), ErrorCategory.TRANSIENT),
        (Reply(status=503), ErrorCategory.TRANSIENT),
        (Reply(status=400, code="context_length_exceeded", error="maximum context length"), ErrorCategory.BAD_INPUT),
        (Reply(["One"], breaks=True), ErrorCategory.TRANSIENT),
        (Reply(["One"], drops=True), ErrorCategory.TRANSIENT),
    ],
    ids=lambda value: f"{value.status}-{value.code}-{value.breaks}-{value.drops}" if isinstance(value, Reply) else "",
)
@pytest.mark.asyncio
async def test_failures_have_a_category_and_plain_words(
    client: LiteLlmClient, reply: Reply, category: ErrorCategory
) -> None:
    async with ScriptedOpenAiServer(reply) as server:
        error = await failure(client, at(server))
    assert error.category is category
    assert error.what.endswith(".")
    assert error.remedy.endswith(".")
    assert server.call_count == 1, "the library must not retry by itself"


@pytest.mark.asyncio
async def test_words_before_a_break_are_delivered(client: LiteLlmClient) -> None:
    async with ScriptedOpenAiServer(Reply(["One", " two"], breaks=True)) as server:
        stream = client.stream(ask(at(server)))
        assert [(await anext(stream)).text for _ in range(2)] == ["One", " two"]
        with pytest.raises(LlmError):
            await anext(stream)


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.asyncio
async def test_retry_after_is_passed_on(client: LiteLlmClient, status: int) -> None:
    async with ScriptedOpenAiServer(Reply(status=status, headers={"Retry-After": "7"})) as server:
        error = await failure(client, at(server))
    assert error.retry_after_s == 7.0


@pytest.mark.asyncio
async def test_a_refused_connection_says_so(client: LiteLlmClient) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        model = LlmModel("m", "m", api_base=f"http://127.0.0.1:{nobody.getsockname()[1]}/v1")
        error = await failure(client, model)
    assert error.category is ErrorCategory.TRANSIENT
    assert "can't be reached" in error.what
    assert "running" in error.remedy


@pytest.mark.asyncio
async def test_a_missing_key_names_its_variable(client: LiteLlmClient, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for model, variable in (
        ("gpt-4.1", "OPENAI_API_KEY"),
        ("claude-opus-4-1", "ANTHROPIC_API_KEY"),
        ("gemini/gemini-2.5-flash", "GEMINI_API_KEY"),
    ):
        with pytest.raises(LlmError) as caught:
            await client.load(LlmModel(model, model))
        assert caught.value.category is ErrorCategory.PERMANENT
        assert variable in caught.value.remedy
        assert variable in (await failure(client, LlmModel(model, model))).remedy


@pytest.mark.asyncio
async def test_an_unknown_model_is_bad_input(client: LiteLlmClient, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadInputError, match="no such model as 'nonsense-9'"):
        await client.load(LlmModel("nonsense-9", "nonsense-9"))
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


@pytest.mark.asyncio
async def test_nothing_is_printed_or_logged(
    client: LiteLlmClient, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    async with ScriptedOpenAiServer(Reply(), Reply(status=500), Reply(status=401)) as server:
        await collect(client.stream(ask(at(server))))
        await failure(client, at(server))
        await failure(client, at(server))
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    assert KEY not in caplog.text
    assert PROMPT not in caplog.text


# The local server ---------------------------------------------------------------------------------------------------


class FakeLocalServer:
    """A ``LocalServer`` whose service is the scripted one."""

    served_name = "tiny"
    token = "local-token"

    def __init__(self, api_base: str, *, fails: Exception | None = None, blocks: bool = False) -> None:
        self.api_base = api_base
        self.running = False
        self.starts = 0
        self.stops = 0
        self._fails = fails
        self._blocks = blocks
        self._stopped = threading.Event()
        self.starting = threading.Event()

    def start(self) -> None:
        self.starts += 1
        self.starting.set()
        if self._blocks:
            self._stopped.wait(10.0)
            raise Cancelled("stopped")
        if self._fails is not None:
            raise self._fails
        self.running = True

    def stop(self) -> None:
        self.stops += 1
        self.running = False
        self._stopped.set()


@pytest.mark.asyncio
async def test_the_starter_is_started_once_and_stopped_at_close() -> None:
    async with ScriptedOpenAiServer() as service:
        servers: list[FakeLocalServer] = []

        def make() -> FakeLocalServer:
            servers.append(FakeLocalServer(service.api_base))
            return servers[-1]

        client = LiteLlmClient(make)
        await asyncio.gather(client.load(STARTER), client.load(STARTER))
        _, last = await collect(client.stream(ask(STARTER)))
        await client.close()
    assert [(server.starts, server.stops) for server in servers] == [(1, 1)]
    assert last is not None
    assert last.usage is not None
    assert last.usage.cost_usd == 0.0
    assert service.calls[0].authorization == "Bearer local-token"
    assert service.calls[0].body["model"] == "tiny"


@pytest.mark.asyncio
async def test_a_dead_starter_is_started_again() -> None:
    async with ScriptedOpenAiServer() as service:
        servers: list[FakeLocalServer] = []

        def make() -> FakeLocalServer:
            servers.append(FakeLocalServer(service.api_base))
            return servers[-1]

        client = LiteLlmClient(make)
        await client.load(STARTER)
        servers[0].running = False
        text, _ = await collect(client.stream(ask(STARTER)))
        await client.close()
    assert text == "Hello there."
    assert len(servers) == 2


@pytest.mark.asyncio
async def test_the_starter_ends_with_its_sentence_and_the_server_is_let_go() -> None:
    pieces = ["Light is scattered by the air in all directions.", " And", " so", " on"]
    async with ScriptedOpenAiServer(Reply(pieces, hangs=True)) as service:
        client = LiteLlmClient(lambda: FakeLocalServer(service.api_base))
        await client.load(STARTER)
        text, last = await collect(client.stream(ask(STARTER)))
        await service.until_cut_off()
        await client.close()
    assert text.strip() == "Light is scattered by the air in all directions."
    assert last is not None
    assert last.usage is not None


@pytest.mark.asyncio
async def test_a_starter_that_fails_to_start_says_why_and_may_be_tried_again() -> None:
    error = MissingPackageError("The starter model isn't installed.", "Install it.")
    client = LiteLlmClient(lambda: FakeLocalServer("", fails=error))
    for _ in range(2):
        with pytest.raises(MissingPackageError):
            await client.load(STARTER)
    await client.close()


@pytest.mark.asyncio
async def test_a_load_can_be_cancelled_and_closed_while_the_server_still_starts() -> None:
    server = FakeLocalServer("", blocks=True)
    client = LiteLlmClient(lambda: server)
    task = asyncio.create_task(client.load(STARTER))
    assert await asyncio.to_thread(server.starting.wait, 5.0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    began = time.perf_counter()
    await client.close()
    assert time.perf_counter() - began < 2.0
    assert server.stops == 1


@pytest.mark.asyncio
async def test_without_a_starter_factory_it_says_so() -> None:
    client = LiteLlmClient()
    with pytest.raises(LlmError) as caught:
        await client.load(STARTER)
    assert caught.value.category is ErrorCategory.MISSING
    await client.close()
