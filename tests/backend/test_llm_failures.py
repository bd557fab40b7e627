"""Everything that can go wrong at a service, in each wire format: what the user is told, and whether it is retried."""

from __future__ import annotations

import asyncio
import email.utils
import ssl
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.backend.llm.litellm_client import LiteLlmClient
from kame_desktop.backend.llm.spoken_text import spoken_text
from kame_desktop.core.errors import ErrorCategory, LlmError
from tests.backend.llm_calls import KEY, LIBRARY_WARNINGS, PROMPT, ask, collect, failure, keyed_client
from tests.fakes.certificate import self_signed
from tests.fakes.wire_servers import (
    FORMATS,
    Cut,
    End,
    Fail,
    Garble,
    Hang,
    KeepAlive,
    Refuse,
    Say,
    Script,
    Think,
    Wait,
    WireServer,
    say,
)

pytestmark = LIBRARY_WARNINGS

TRANSIENT, PERMANENT, BAD_INPUT = ErrorCategory.TRANSIENT, ErrorCategory.PERMANENT, ErrorCategory.BAD_INPUT


@pytest_asyncio.fixture
async def client() -> AsyncIterator[LiteLlmClient]:
    client = keyed_client()
    yield client
    await client.close()


@pytest.fixture(params=FORMATS)
def wire(request: pytest.FixtureRequest) -> str:
    return request.param


# Refusals and broken answers -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A script, and what comes of it: parts of both sentences, and how long to wait."""

    script: Script
    category: ErrorCategory
    what: str
    remedy: str
    wait_s: float | None = None


CASES = {
    "401": Case([Refuse("key")], PERMANENT, "refused the key", "llm set-key"),
    "403": Case([Refuse("forbidden")], PERMANENT, "doesn't let this key use the model", "Ask the provider"),
    "404": Case([Refuse("model")], PERMANENT, "no such model", "spelling"),
    "429": Case([Refuse("rate")], TRANSIENT, "slow down", "asked again by itself"),
    "429 in seconds": Case(
        [Refuse("rate", headers={"Retry-After": "7"})], TRANSIENT, "slow down", "asked again by itself", 7.0
    ),
    "quota": Case([Refuse("quota")], PERMANENT, "says that", "choose another model"),
    "no credit": Case([Refuse("no_credit")], PERMANENT, "no credit left", "Add credit"),
    "500": Case([Refuse("server")], TRANSIENT, "in trouble (status 500)", "asked again by itself"),
    "503": Case([Refuse("unavailable")], TRANSIENT, "is overloaded", "asked again by itself"),
    "503 in seconds": Case(
        [Refuse("unavailable", headers={"Retry-After": "3"})], TRANSIENT, "is overloaded", "by itself", 3.0
    ),
    "529": Case([Refuse("overloaded")], TRANSIENT, "is overloaded", "asked again by itself"),
    "400": Case([Refuse("bad_request")], PERMANENT, "can't use this request (status 400)", "Choose another"),
    "too long": Case([Refuse("too_long")], BAD_INPUT, "too long", "Start a new conversation"),
    "error first": Case([Fail()], TRANSIENT, "The service of", "asked again by itself"),
    "error in mid-stream": Case([Say("One"), Fail()], TRANSIENT, "The service of", "asked again by itself"),
    "rate in mid-stream": Case([Say("One"), Fail("rate")], TRANSIENT, "The service of", "asked again by itself"),
    "cut": Case([Say("One"), Cut()], TRANSIENT, "broke off", "asked again by itself"),
    "cut at once": Case([Cut()], TRANSIENT, "broke off", "asked again by itself"),
    "thought only": Case([Think("hm"), End("length")], BAD_INPUT, "no room was left", "answers at once"),
    "in circles": Case([Say(" and")] * 150, BAD_INPUT, "repeats itself", "other words"),
    "filtered": Case([End("filter")], BAD_INPUT, "refused to answer", "Ask something else"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.asyncio
async def test_each_failure_says_what_happened_and_what_to_do(client: LiteLlmClient, wire: str, name: str) -> None:
    case = CASES[name]
    async with WireServer(case.script, secret=f"{KEY} {PROMPT}") as server:
        error = await failure(client, server.model(wire))
    assert error.category is case.category
    assert error.retryable == (case.category is TRANSIENT)
    assert case.what in error.what
    assert case.remedy in error.remedy
    assert error.what.endswith(".")
    assert error.remedy.endswith((".", ").", "?)."))
    assert error.retry_after_s == case.wait_s
    assert server.call_count == 1, "the library must not retry by itself"
    assert "litellm" not in str(error).lower().replace("docs.litellm.ai", "")


@pytest.mark.asyncio
async def test_a_retry_after_that_is_a_date_is_honoured(client: LiteLlmClient, wire: str) -> None:
    date = email.utils.formatdate(time.time() + 30.0, usegmt=True)
    async with WireServer([Refuse("rate", headers={"Retry-After": date})]) as server:
        error = await failure(client, server.model(wire))
    assert error.retry_after_s is not None
    assert 5.0 < error.retry_after_s <= 30.0


@pytest.mark.asyncio
async def test_google_says_in_its_body_how_long_to_wait(client: LiteLlmClient) -> None:
    async with WireServer([Refuse("rate", wait_s=34)]) as server:
        error = await failure(client, server.model("gemini"))
    assert error.retry_after_s == 34.0
    assert error.category is TRANSIENT


@pytest.mark.parametrize(
    ("wire", "what"),
    [("openai", "no credit left"), ("anthropic", "no credit left"), ("gemini", "quota is used up")],
)
@pytest.mark.asyncio
async def test_a_quota_is_told_from_a_rate(client: LiteLlmClient, wire: str, what: str) -> None:
    async with WireServer([Refuse("quota")], [Refuse("rate")]) as server:
        assert what in (await failure(client, server.model(wire))).what
        assert "slow down" in (await failure(client, server.model(wire))).what


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.asyncio
async def test_an_account_that_runs_dry_in_the_middle_is_not_asked_again(client: LiteLlmClient, wire: str) -> None:
    async with WireServer([Say("One"), Fail("quota")]) as server:
        error = await failure(client, server.model(wire))
    assert (error.category, "no credit left" in error.what) == (PERMANENT, True)


@pytest.mark.parametrize("kind", ["server", "unavailable", "overloaded"])
@pytest.mark.asyncio
async def test_the_next_call_is_answered_after_trouble(client: LiteLlmClient, wire: str, kind: str) -> None:
    async with WireServer([Refuse(kind)], say("Par", "is.")) as server:
        assert (await failure(client, server.model(wire))).retryable
        text, _ = await collect(client.stream(ask(server.model(wire))))
    assert text == "Paris."


@pytest.mark.asyncio
async def test_words_before_a_failure_are_delivered(client: LiteLlmClient, wire: str) -> None:
    for last in (Fail(), Cut()):
        async with WireServer([Say("One"), Say(" two"), Wait(0.05), last]) as server:
            stream = client.stream(ask(server.model(wire)))
            got = ""
            while got != "One two":
                got += (await anext(stream)).text
            with pytest.raises(LlmError, match=r"in trouble|overloaded|broke off"):
                await anext(stream)


@pytest.mark.asyncio
async def test_an_answer_without_an_end_is_none(client: LiteLlmClient, wire: str) -> None:
    async with WireServer([Say("One"), Cut(clean=True)]) as server:
        if wire == "gemini":  # litellm can't tell; only a body that ends in good order gets this far
            assert (await collect(client.stream(ask(server.model(wire)))))[0] == "One"
        else:
            error = await failure(client, server.model(wire))
            assert (error.category, "broke off" in error.what) == (TRANSIENT, True)


@pytest.mark.asyncio
async def test_an_empty_answer_has_no_text_and_no_error_of_its_own(client: LiteLlmClient, wire: str) -> None:
    async with WireServer([]) as server:
        text, usage = await collect(client.stream(ask(server.model(wire))))
    assert text == ""
    assert usage is not None


@pytest.mark.asyncio
async def test_a_service_that_ignores_the_bound_is_left(client: LiteLlmClient, wire: str) -> None:
    async with WireServer([step for n in range(10_000) for step in (Say(f" rambl{n}"), Wait(0.001))]) as server:
        text, usage = await collect(client.stream(ask(server.model(wire), max_tokens=20)))
        call = await server.until_cut_off()
    assert 20 < len(text.split()) < 60
    assert call.sent < 5_000
    assert usage is not None
    assert usage.completion_tokens > 20


# Bytes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_a_letter_cut_in_half_by_the_network_arrives_whole(client: LiteLlmClient, wire: str) -> None:
    async with WireServer([Say("Caf\xe9 \N{SNOWMAN}", halved=True), Say(" yes")]) as server:
        text, _ = await collect(client.stream(ask(server.model(wire))))
    assert text == "Caf\xe9 \N{SNOWMAN} yes"


@pytest.mark.asyncio
async def test_half_a_letter_is_left_out_or_told_as_garbled(client: LiteLlmClient, wire: str) -> None:
    async with WireServer([Say("One"), Garble(bad_utf8=True), Say(" two")]) as server:
        if wire == "openai":
            error = await failure(client, server.model(wire))
            assert (error.category, "can't be understood" in error.what) == (TRANSIENT, True)
        else:
            text, _ = await collect(client.stream(ask(server.model(wire))))
            assert spoken_text(text).replace("\N{REPLACEMENT CHARACTER}", "") == "OneCaf X two"


@pytest.mark.asyncio
async def test_malformed_json_ends_the_answer_with_an_error(client: LiteLlmClient, wire: str) -> None:
    async with WireServer([Say("One"), Garble(), Say(" two")], secret=KEY) as server:
        error = await failure(client, server.model(wire))
    assert error.category is TRANSIENT
    assert "can't be understood" in error.what or "broke off" in error.what


# Silence -------------------------------------------------------------------------------------------------------------

SILENCES: dict[str, Script] = {
    "no headers": [Hang()],
    "before the first token": [Wait(60.0)],
    "after three tokens": [Say("a"), Say(" b"), Say(" c"), Hang()],
    "keep-alives only": [KeepAlive()],
    "keep-alives after a token": [Say("a"), KeepAlive()],
}


@pytest.mark.parametrize("name", SILENCES)
@pytest.mark.asyncio
async def test_a_silent_stream_is_closed_at_once(client: LiteLlmClient, wire: str, name: str) -> None:
    script = SILENCES[name]
    said = sum(isinstance(step, Say) for step in script)
    async with WireServer(script) as server:
        model = server.model(wire)
        await client.load(model)
        task = asyncio.create_task(collect(client.stream(ask(model))))
        await server.until_sent(said)
        await asyncio.sleep(0.1)
        assert not task.done()
        closed_s = time.perf_counter()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        call = await server.until_cut_off()
    assert call.cut_off_at_s is not None
    took_ms = (call.cut_off_at_s - closed_s) * 1e3
    print(f"{wire}, {name}: the server saw the client leave after {took_ms:.1f} ms")
    assert took_ms < 1_000.0  # 200 on an idle machine


@pytest.mark.asyncio
async def test_closing_between_words_is_seen_at_once(client: LiteLlmClient, wire: str) -> None:
    async with WireServer([Say("a"), Say(" b"), Hang()]) as server:
        stream = client.stream(ask(server.model(wire)))
        while not (await anext(stream)).text.strip():
            pass
        closed_s = time.perf_counter()
        await stream.aclose()
        call = await server.until_cut_off()
    assert call.cut_off_at_s is not None
    took_ms = (call.cut_off_at_s - closed_s) * 1e3
    print(f"{wire}: the server saw the stream closed after {took_ms:.1f} ms")
    assert took_ms < 1_000.0


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.asyncio
async def test_keep_alives_between_words_are_no_words(client: LiteLlmClient, wire: str) -> None:
    async with WireServer([KeepAlive(3), Say("One"), KeepAlive(2), Say(" two")]) as server:
        text, _ = await collect(client.stream(ask(server.model(wire))))
    assert text == "One two"


@pytest.mark.asyncio
async def test_comments_that_garble_googles_format_are_no_silent_end(client: LiteLlmClient) -> None:
    async with WireServer([Say("One"), KeepAlive(1), Say(" two")]) as server:
        error = await failure(client, server.model("gemini"))
    assert error.category is TRANSIENT


# Reasoning -----------------------------------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_reasoning_in_a_field_of_its_own_is_no_text(client: LiteLlmClient, wire: str) -> None:
    async with WireServer([Think("secret"), Think(" thoughts"), Say("Par"), Say("is.")]) as server:
        text, _ = await collect(client.stream(ask(server.model(wire))))
    assert text == "Paris."


@pytest.mark.asyncio
async def test_reasoning_tags_cut_over_chunks_are_never_said(client: LiteLlmClient, wire: str) -> None:
    pieces = ("<th", "ink>sec", "ret tho", "ughts</thi", "nk", ">Par", "is.")
    async with WireServer(say(*pieces)) as server:
        text, _ = await collect(client.stream(ask(server.model(wire))))
    assert spoken_text(text) == "Paris."


# The network ---------------------------------------------------------------------------------------------------------


def elsewhere(wire: str, address: str) -> LlmModel:
    """A model of this format at another address."""
    model = WireServer().model(wire)
    path = "/v1" if wire == "openai" else ""
    return LlmModel(model.name, model.label, api_base=address + path, provider=wire)


@pytest.mark.asyncio
async def test_a_refused_connection(client: LiteLlmClient, wire: str) -> None:
    async with WireServer() as server:
        address = server.root
    error = await failure(client, elsewhere(wire, address))
    assert error.category is TRANSIENT
    assert "can't be reached" in error.what
    assert "is running" in error.remedy


@pytest.mark.asyncio
async def test_a_name_that_nobody_knows(client: LiteLlmClient, wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.upper(), raising=False)
    error = await failure(client, elsewhere(wire, "http://nowhere.invalid"))
    assert error.category is TRANSIENT
    assert "address is unknown" in error.what
    assert "spelling" in error.remedy


@pytest.mark.asyncio
async def test_a_certificate_that_nobody_signed(client: LiteLlmClient, wire: str, tmp_path: Path) -> None:
    async with _server(lambda _: None, self_signed(tmp_path)) as port:
        error = await failure(client, elsewhere(wire, f"https://127.0.0.1:{port}"))
    assert error.category is PERMANENT
    assert "certificate isn't valid" in error.what
    assert "SSL_CERT_FILE" in error.remedy


@pytest.mark.asyncio
async def test_the_remedy_for_a_certificate_of_ones_own_works(
    client: LiteLlmClient, wire: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _server(lambda _: None, self_signed(tmp_path)) as port:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "chain.pem"))
        error = await failure(client, elsewhere(wire, f"https://127.0.0.1:{port}"))
    assert "broke off" in error.what, "the connection was made, and the server hung up"


@pytest.mark.asyncio
async def test_a_proxy_that_refuses(client: LiteLlmClient, wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with _server(lambda writer: writer.write(b"HTTP/1.1 403 Forbidden\r\n\r\n")) as port:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        error = await failure(client, elsewhere(wire, "https://nowhere.invalid"))
    assert error.category is TRANSIENT
    assert "proxy refused" in error.what
    assert "HTTPS_PROXY" in error.remedy


@pytest.mark.asyncio
async def test_https_where_only_http_is_spoken(client: LiteLlmClient, wire: str) -> None:
    async with _server(lambda writer: writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
        error = await failure(client, elsewhere(wire, f"https://127.0.0.1:{port}"))
    assert error.category is PERMANENT
    assert "doesn't speak https" in error.what
    assert "http://" in error.remedy


@pytest.mark.asyncio
async def test_http_where_only_https_is_spoken(client: LiteLlmClient, wire: str, tmp_path: Path) -> None:
    async with _server(lambda _: None, self_signed(tmp_path)) as port:
        error = await failure(client, elsewhere(wire, f"http://127.0.0.1:{port}"))
    assert error.category is TRANSIENT
    assert "broke off" in error.what
    assert "https://" in error.remedy


class _server:  # noqa: N801 - used like a function
    """A bare TCP (or TLS) port: reads a little, calls ``answer``, closes. Yields the port."""

    def __init__(self, answer: Callable[[asyncio.StreamWriter], None], tls: ssl.SSLContext | None = None) -> None:
        self._answer = answer
        self._tls = tls

    async def __aenter__(self) -> int:
        self._listener = await asyncio.start_server(self._handle, "127.0.0.1", 0, ssl=self._tls)
        return self._listener.sockets[0].getsockname()[1]

    async def __aexit__(self, *_: object) -> None:
        self._listener.close()
        await self._listener.wait_closed()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(64)
        self._answer(writer)
        writer.close()
