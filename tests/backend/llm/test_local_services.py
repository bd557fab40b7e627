"""Services on this computer: found when they are there, and nothing that listens in their place does any harm."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import LlmChoice
from kame_desktop.backend.llm.catalog_file import LocalService, shipped_catalog
from kame_desktop.backend.llm.local_services import MOST_MODELS, discover, discover_async, service_address

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
LONG_S = 20.0
"""Patience with servers that answer, on a machine with much to do."""
SHORT_S = 0.3


def service(kind: str, port: int) -> LocalService:
    """A well-known one, at another port."""
    known = {local.name: local for local in shipped_catalog().local}
    return known[kind].model_copy(update={"port": port})


def nobody() -> int:
    """A port where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Server:
    """Answers every path with ``handler``, and keeps what was asked."""

    def __init__(self, handler: Handler) -> None:
        self.port = 0
        self.asked: list[web.Request] = []
        self._handler = handler

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        return await self._handler(request)


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[Server]:
    server = Server(handler)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.handle)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.port = runner.addresses[0][1]
    try:
        yield server
    finally:
        await runner.cleanup()


def answering(body: Any, status: int = 200, **headers: str) -> Handler:
    async def handler(request: web.Request) -> web.StreamResponse:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return web.Response(body=raw, status=status, headers=headers)

    return handler


OLLAMA = answering(
    {"models": [{"name": "llama3.2:3b"}, {"name": "nomic-embed-text:latest"}, {"name": "mistral:latest"}]}
)
LM_STUDIO = answering({"data": [{"id": "openai/gpt-oss-20b"}, {"id": "deepseek/deepseek-r1-qwen3-8b"}]})


def names(found: list[LlmChoice]) -> list[str]:
    return [choice.model.name for choice in found]


@pytest.mark.asyncio
async def test_what_runs_here_is_found_in_one_form() -> None:
    async with serving(OLLAMA) as ollama, serving(LM_STUDIO) as lm_studio:
        asked = [service("ollama", ollama.port), service("lm_studio", lm_studio.port), service("llama_cpp", nobody())]
        found = await discover_async(asked, {}, LONG_S)
    assert names(found) == [
        "openai/llama3.2:3b",
        "openai/mistral:latest",
        "openai/openai/gpt-oss-20b",
        "openai/deepseek/deepseek-r1-qwen3-8b",
    ]
    assert [choice.model.label for choice in found][::3] == [
        "llama3.2:3b (Ollama)",
        "deepseek/deepseek-r1-qwen3-8b (LM Studio)",
    ]
    assert {choice.model.api_base for choice in found} == {
        f"http://127.0.0.1:{port}/v1" for port in (ollama.port, lm_studio.port)
    }
    assert all(choice.ready and choice.group == "On this computer" for choice in found)
    assert [request.path for request in ollama.asked] == ["/api/tags"]
    assert [request.path for request in lm_studio.asked] == ["/v1/models"]
    assert all("Authorization" not in request.headers for request in ollama.asked + lm_studio.asked)


@pytest.mark.asyncio
async def test_at_the_usual_port_a_found_model_is_what_the_settings_give_back() -> None:
    usual = service("ollama", 11434)
    model = catalog.served("openai/llama3.2:3b", "http://127.0.0.1:11434/v1", usual)
    assert catalog.resolve(model.name, model.api_base) == model


@pytest.mark.asyncio
async def test_a_name_that_two_have_is_listed_once() -> None:
    first, second = answering({"data": [{"id": "a"}, {"id": "b"}]}), answering({"data": [{"id": i} for i in "cac"]})
    async with serving(first) as one, serving(second) as two:
        asked = [service("lm_studio", one.port), service("llama_cpp", two.port)]
        found = await discover_async(asked, {}, LONG_S)
    assert names(found) == ["openai/a", "openai/b", "openai/c"]
    assert str(one.port) in str(found[0].model.api_base)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "handler",
    [
        answering(b""),
        answering(b"<html>hello</html>"),
        answering(b"\xff\xfe\x00"),
        answering([]),
        answering(3),
        answering(None),
        answering({"data": None}),
        answering({"data": 5}),
        answering({"data": "text"}),
        answering({"other": []}),
        answering({"data": [None, 3, "x", [], {}, {"id": None}, {"id": 7}, {"id": ["x"]}]}),
        answering({"data": [{"id": ""}, {"id": " "}, {"id": "two words"}, {"id": "a\nb"}, {"id": "x" * 400}]}),
        answering({"data": [{"id": "\ud800"}, {"id": "http://evil/v1"}]}),
        answering(b"[" * 100_000),
        answering({"data": [{"id": "good"}]}, status=404),
        answering({"data": [{"id": "good"}]}, status=500),
        answering({"data": [{"id": "good"}]}, status=401),
    ],
)
async def test_garbage_is_nothing(handler: Handler) -> None:
    async with serving(handler) as server, serving(OLLAMA) as ollama:
        asked = [service("lm_studio", server.port), service("ollama", ollama.port)]
        assert names(await discover_async(asked, {}, LONG_S)) == ["openai/llama3.2:3b", "openai/mistral:latest"]


@pytest.mark.asyncio
async def test_a_redirect_leads_nowhere() -> None:
    async with serving(LM_STUDIO) as target:
        elsewhere = answering(b"", 302, Location=f"http://127.0.0.1:{target.port}/v1/models")
        async with serving(elsewhere) as server:
            assert await discover_async([service("lm_studio", server.port)], {}, LONG_S) == []
        assert not target.asked


@pytest.mark.asyncio
async def test_an_endless_answer_is_cut_off() -> None:
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" " * 65536)
            sent += 65536

    async with serving(endless) as server:
        assert await discover_async([service("lm_studio", server.port)], {}, LONG_S) == []
    assert sent < 32 * 2**20


@pytest.mark.asyncio
async def test_a_long_list_is_bounded() -> None:
    async with serving(answering({"data": [{"id": f"m{number}"} for number in range(5000)]})) as server:
        found = await discover_async([service("lm_studio", server.port)], {}, LONG_S)
    assert len(found) == MOST_MODELS


async def _never(request: web.Request) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError


async def _drips(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b" ")
        await asyncio.sleep(0.02)


@pytest.mark.asyncio
@pytest.mark.parametrize("handler", [_never, _drips])
async def test_one_that_hangs_is_not_waited_for(handler: Handler) -> None:
    gone = asyncio.Event()

    async def watched(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        finally:
            gone.set()

    async with serving(watched) as server:
        began_s = time.perf_counter()
        assert await discover_async([service("lm_studio", server.port)], {}, SHORT_S) == []
        # It would take for ever; the bound is wide for a machine with much to do.
        assert time.perf_counter() - began_s < LONG_S
        await asyncio.wait_for(gone.wait(), LONG_S)


@pytest.mark.asyncio
async def test_a_proxy_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(answering({"data": [{"id": "from-the-proxy"}]})) as proxy, serving(OLLAMA) as ollama:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        asked = [service("ollama", ollama.port), service("lm_studio", nobody())]
        assert names(await discover_async(asked, {}, LONG_S)) == ["openai/llama3.2:3b", "openai/mistral:latest"]
        assert not proxy.asked


@pytest.mark.asyncio
async def test_ollama_at_the_address_of_its_variable() -> None:
    async with serving(OLLAMA) as ollama:
        for told in (f"127.0.0.1:{ollama.port}", f"http://localhost:{ollama.port}/", f"0.0.0.0:{ollama.port}"):
            found = await discover_async([service("ollama", nobody())], {"OLLAMA_HOST": told}, LONG_S)
            assert found[0].model.api_base == f"http://127.0.0.1:{ollama.port}/v1"
            assert (found[0].model.provider, found[0].model.label) == ("ollama", "llama3.2:3b (Ollama)")


@pytest.mark.parametrize(
    ("told", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("localhost", "http://127.0.0.1:11434"),
        (":4000", "http://127.0.0.1:4000"),
        ("[::1]:4000", "http://[::1]:4000"),
        ("[::]", "http://[::1]:11434"),
        ("box.example:4000", "http://127.0.0.1:11434"),
        ("https://127.0.0.1:4000", "http://127.0.0.1:11434"),
        ("127.0.0.1.evil.example", "http://127.0.0.1:11434"),
        ("http://127.0.0.1@evil.example", "http://127.0.0.1:11434"),
        ("127.0.0.1:port", "http://127.0.0.1:11434"),
        ("[", "http://127.0.0.1:11434"),
    ],
)
def test_its_variable_counts_only_for_this_computer(told: str, address: str) -> None:
    assert service_address(service("ollama", 11434), {"OLLAMA_HOST": told}) == address


@given(st.text(max_size=30))
def test_whatever_the_variable_holds_this_computer_is_asked(told: str) -> None:
    assert catalog.is_loopback(service_address(service("ollama", 11434), {"OLLAMA_HOST": told}))


def test_nobody_is_there() -> None:
    assert discover([service("ollama", nobody()), service("lm_studio", nobody())], {}, LONG_S) == []
    assert discover([], {}) == []
