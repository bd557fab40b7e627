"""A scripted service on the loopback in the wire formats of OpenAI, Anthropic and Gemini, as litellm calls them.

One server answers all three, by the path that was asked for; each request takes the next script (the last one for
good), and one script means the same in every format. Formats after the providers' own references:
https://platform.openai.com/docs/api-reference/chat-streaming, https://docs.anthropic.com/en/api/messages-streaming,
https://ai.google.dev/api/generate-content. What a client sent and the moment it left are recorded in ``calls``.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from aiohttp import web

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.backend.llm.loopback import LoopbackCall, LoopbackLlmServer

PROMPT_TOKENS = 17
"""What every answer's usage says that the question took; its answer took a token for each ``Say``."""


# Scripts ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Say:
    """Send a piece of the answer; ``halved``: in two packets, cut inside its first character that isn't ASCII."""

    text: str
    halved: bool = False


@dataclass(frozen=True, slots=True)
class Think:
    """Send a piece of the model's reasoning, in the field that the format has for it."""

    text: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Send nothing for a while."""

    s: float


@dataclass(frozen=True, slots=True)
class KeepAlive:
    """Send what keeps the connection alive and says nothing, ``times`` times, or until the client goes (None)."""

    times: int | None = None
    every_s: float = 0.02


@dataclass(frozen=True, slots=True)
class Garble:
    """Send an event whose JSON is broken off; ``bad_utf8``: a whole one, with half a UTF-8 sequence in its text."""

    bad_utf8: bool = False


@dataclass(frozen=True, slots=True)
class Fail:
    """Send an error inside the stream, which is over then."""

    kind: str = "overloaded"


@dataclass(frozen=True, slots=True)
class Cut:
    """Cut the connection; ``clean``: end the body in good order, but without the answer's end."""

    clean: bool = False


@dataclass(frozen=True, slots=True)
class Hang:
    """Send nothing more until the client goes; as the first step, not even headers."""


@dataclass(frozen=True, slots=True)
class End:
    """End the answer before its time, for this reason: "length" or "filter"."""

    reason: str = "stop"


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer with an error status instead of a stream; a script of its own.

    Attributes:
        kind: key, forbidden, model, rate, quota, no_credit, server, unavailable, overloaded, bad_request, too_long.
        text: Added to the error's message.
        headers: Sent along.
        wait_s: Gemini says in its body how long to wait.
    """

    kind: str
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    wait_s: int | None = None


Step = Say | Think | Wait | KeepAlive | Garble | Fail | Cut | Hang | End | Refuse
Script = Sequence[Step]


def say(*pieces: str) -> Script:
    """A plain answer."""
    return [Say(piece) for piece in pieces]


# Formats ------------------------------------------------------------------------------------------------------------


class WireFormat(Protocol):
    """One provider's way to write a stream. ``name``: litellm's name of the provider."""

    name: str
    model: str
    base_path: str
    keep_alive: bytes
    refusals: Mapping[str, tuple[int, str, str]]

    def opening(self) -> bytes: ...
    def text(self, piece: str) -> bytes: ...
    def thought(self, piece: str) -> bytes: ...
    def closing(self, reason: str, said: int) -> bytes: ...
    def error(self, kind: str, text: str, wait_s: int | None = None) -> dict[str, Any]: ...
    def error_event(self, kind: str, text: str) -> bytes: ...
    def key(self, request: web.Request) -> str: ...


def _data(value: Any, event: str = "") -> bytes:
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


class OpenAiFormat:
    name = "openai"
    model = "gpt-4.1"
    base_path = "/v1"
    keep_alive = b": keep-alive\n\n"
    refusals: Mapping[str, tuple[int, str, str]] = {
        "key": (401, "invalid_api_key", "Incorrect API key provided."),
        "forbidden": (403, "unsupported_country_region_territory", "Country, region, or territory not supported."),
        "model": (404, "model_not_found", "The model does not exist or you do not have access to it."),
        "rate": (429, "rate_limit_exceeded", "Rate limit reached for requests."),
        "quota": (429, "insufficient_quota", "You exceeded your current quota, please check your plan and billing."),
        "no_credit": (402, "insufficient_balance", "Insufficient Balance"),
        "server": (500, "server_error", "The server had an error while processing your request."),
        "unavailable": (503, "overloaded", "The engine is currently overloaded, please try again later."),
        "overloaded": (529, "overloaded", "Overloaded"),
        "bad_request": (400, "invalid_value", "Invalid value."),
        "too_long": (400, "context_length_exceeded", "This model's maximum context length is 128000 tokens."),
    }

    def opening(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def text(self, piece: str) -> bytes:
        return self._chunk({"content": piece})

    def thought(self, piece: str) -> bytes:
        return self._chunk({"reasoning_content": piece})

    def closing(self, reason: str, said: int) -> bytes:
        reason = {"filter": "content_filter"}.get(reason, reason)
        usage = {
            "prompt_tokens": PROMPT_TOKENS,
            "completion_tokens": said,
            "total_tokens": PROMPT_TOKENS + said,
        }
        counted = self._head() | {"choices": [], "usage": usage}
        return self._chunk({}, reason) + _data(counted) + b"data: [DONE]\n\n"

    def error(self, kind: str, text: str, wait_s: int | None = None) -> dict[str, Any]:
        _, code, message = self.refusals[kind]
        kind_name = "insufficient_quota" if code == "insufficient_quota" else "invalid_request_error"
        return {"error": {"message": f"{message} {text}", "type": kind_name, "param": None, "code": code}}

    def error_event(self, kind: str, text: str) -> bytes:
        return _data(self.error(kind, text))

    def key(self, request: web.Request) -> str:
        return request.headers.get("Authorization", "").removeprefix("Bearer ")

    def _head(self) -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": self.model}

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        return _data(self._head() | {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


class AnthropicFormat:
    name = "anthropic"
    model = "claude-opus-4-1"
    base_path = ""
    keep_alive = _data({"type": "ping"}, "ping")
    refusals: Mapping[str, tuple[int, str, str]] = {
        "key": (401, "authentication_error", "invalid x-api-key"),
        "forbidden": (403, "permission_error", "Your API key does not have permission to use this resource."),
        "model": (404, "not_found_error", "model: claude-opus-4-1"),
        "rate": (429, "rate_limit_error", "This request would exceed your organization's rate limit."),
        "quota": (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
        "no_credit": (402, "billing_error", "Your account has no credit."),
        "server": (500, "api_error", "Internal server error"),
        "unavailable": (503, "api_error", "Service unavailable"),
        "overloaded": (529, "overloaded_error", "Overloaded"),
        "bad_request": (400, "invalid_request_error", "messages: at least one message is required"),
        "too_long": (400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
    }

    def __init__(self) -> None:
        self._block = ""
        self._index = -1

    def opening(self) -> bytes:
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": PROMPT_TOKENS, "output_tokens": 1},
        }
        return _data({"type": "message_start", "message": message}, "message_start") + self.keep_alive

    def text(self, piece: str) -> bytes:
        start = self._open("text", {"type": "text", "text": ""})
        return start + self._delta({"type": "text_delta", "text": piece})

    def thought(self, piece: str) -> bytes:
        start = self._open("thinking", {"type": "thinking", "thinking": "", "signature": ""})
        return start + self._delta({"type": "thinking_delta", "thinking": piece})

    def closing(self, reason: str, said: int) -> bytes:
        reason = {"length": "max_tokens", "filter": "refusal"}.get(reason, "end_turn")
        delta = {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": said},
        }
        return self._close() + _data(delta, "message_delta") + _data({"type": "message_stop"}, "message_stop")

    def error(self, kind: str, text: str, wait_s: int | None = None) -> dict[str, Any]:
        _, code, message = self.refusals[kind]
        return {"type": "error", "error": {"type": code, "message": f"{message} {text}"}, "request_id": "req_1"}

    def error_event(self, kind: str, text: str) -> bytes:
        return _data(self.error(kind, text), "error")

    def key(self, request: web.Request) -> str:
        return request.headers.get("x-api-key", "")

    def _open(self, kind: str, block: dict[str, Any]) -> bytes:
        if self._block == kind:
            return b""
        closed = self._close()
        self._block = kind
        self._index += 1
        start = {"type": "content_block_start", "index": self._index, "content_block": block}
        return closed + _data(start, "content_block_start")

    def _close(self) -> bytes:
        if not self._block:
            return b""
        self._block = ""
        return _data({"type": "content_block_stop", "index": self._index}, "content_block_stop")

    def _delta(self, delta: dict[str, Any]) -> bytes:
        value = {"type": "content_block_delta", "index": self._index, "delta": delta}
        return _data(value, "content_block_delta")


class GeminiFormat:
    """Google's own service sends no comments; ``keep_alive`` is what a gateway before it may send."""

    name = "gemini"
    model = "gemini-2.5-flash"
    base_path = "/v1beta"
    keep_alive = b": keep-alive\n\n"
    refusals: Mapping[str, tuple[int, str, str]] = {
        "key": (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
        "forbidden": (403, "PERMISSION_DENIED", "The caller does not have permission."),
        "model": (404, "NOT_FOUND", "models/gemini-2.5-flash is not found for API version v1beta."),
        "rate": (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing."),
        "quota": (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing."),
        "no_credit": (402, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
        "server": (500, "INTERNAL", "An internal error has occurred."),
        "unavailable": (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
        "overloaded": (529, "UNAVAILABLE", "Overloaded"),
        "bad_request": (400, "INVALID_ARGUMENT", "Invalid value at 'contents'."),
        "too_long": (400, "INVALID_ARGUMENT", "The input token count (2000000) exceeds the maximum number of tokens."),
    }

    def opening(self) -> bytes:
        return b""

    def text(self, piece: str) -> bytes:
        return self._chunk([{"text": piece}])

    def thought(self, piece: str) -> bytes:
        return self._chunk([{"text": piece, "thought": True}])

    def closing(self, reason: str, said: int) -> bytes:
        reason = {"length": "MAX_TOKENS", "filter": "SAFETY"}.get(reason, "STOP")
        usage = {
            "promptTokenCount": PROMPT_TOKENS,
            "candidatesTokenCount": said,
            "totalTokenCount": PROMPT_TOKENS + said,
        }
        return self._chunk([{"text": ""}] if reason == "STOP" else None, finishReason=reason, usage=usage)

    def error(self, kind: str, text: str, wait_s: int | None = None) -> dict[str, Any]:
        status, code, message = self.refusals[kind]
        details: list[dict[str, Any]] = []
        if kind == "key":
            details.append({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"})
        if kind in ("rate", "quota"):
            period = "PerDay" if kind == "quota" else "PerMinute"
            quota = {"quotaId": f"GenerateRequests{period}PerProjectPerModel-FreeTier", "quotaValue": "10"}
            details.append({"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [quota]})
        if wait_s is not None:
            details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{wait_s}s"})
        return {"error": {"code": status, "message": f"{message} {text}", "status": code, "details": details}}

    def error_event(self, kind: str, text: str) -> bytes:
        return _data(self.error(kind, text))

    def key(self, request: web.Request) -> str:
        return request.headers.get("x-goog-api-key") or request.query.get("key", "")

    def _chunk(self, parts: list[dict[str, Any]] | None, usage: Any = None, **more: Any) -> bytes:
        candidate: dict[str, Any] = {"index": 0, **more}
        if parts is not None:
            candidate["content"] = {"parts": parts, "role": "model"}
        value: dict[str, Any] = {"candidates": [candidate], "modelVersion": self.model, "responseId": "r1"}
        return _data(value | ({"usageMetadata": usage} if usage else {}))


FORMATS = ("openai", "anthropic", "gemini")
_FORMATS: Mapping[str, type[OpenAiFormat] | type[AnthropicFormat] | type[GeminiFormat]] = {
    "openai": OpenAiFormat,
    "anthropic": AnthropicFormat,
    "gemini": GeminiFormat,
}


# The server ---------------------------------------------------------------------------------------------------------


class WireServer(LoopbackLlmServer):
    """``async with WireServer(script, ...) as server``, or ``with server.in_thread()``; owner: the loop it runs on.

    Args:
        scripts: One for each request, the last one for good.
        secret: Put into every error that is sent, to look for it afterwards.
    """

    def __init__(self, *scripts: Script, secret: str = "") -> None:
        super().__init__()
        self._scripts = list(scripts) or [say("Hello", " there", ".")]
        self._secret = secret

    async def __aenter__(self) -> WireServer:
        await self.start()
        return self

    @property
    def root(self) -> str:
        """The address without any path."""
        return self.api_base.removesuffix("/v1")

    def address(self, wire: str) -> str:
        """Where a client of this format looks for the service."""
        return self.root + _FORMATS[wire].base_path

    def model(self, wire: str) -> LlmModel:
        """A model of this format at this server."""
        kind = _FORMATS[wire]
        return LlmModel(kind.model, f"Scripted {wire}", api_base=self.address(wire), provider=wire)

    async def until_cut_off(self, timeout_s: float = 5.0) -> LoopbackCall:
        """Wait until the newest request's client has gone; raises TimeoutError."""
        call = self.calls[-1]
        deadline_s = time.perf_counter() + timeout_s
        while call.cut_off_at_s is None:
            if time.perf_counter() > deadline_s:
                raise TimeoutError("the client is still there")
            await asyncio.sleep(0.002)
        return call

    async def until_sent(self, pieces: int, timeout_s: float = 5.0) -> LoopbackCall:
        """Wait until the newest request has come and got ``pieces`` pieces; raises TimeoutError."""
        deadline_s = time.perf_counter() + timeout_s
        while not self.calls or self.calls[-1].sent < pieces:
            if time.perf_counter() > deadline_s:
                raise TimeoutError("the request did not come, or its answer did not")
            await asyncio.sleep(0.002)
        return self.calls[-1]

    def add_routes(self, app: web.Application) -> None:
        app.router.add_post("/v1/chat/completions", self._openai)
        app.router.add_post("/v1/messages", self._anthropic)
        app.router.add_post("/v1beta/models/{call}", self._gemini)

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, OpenAiFormat())

    async def _anthropic(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, AnthropicFormat())

    async def _gemini(self, request: web.Request) -> web.StreamResponse:
        assert request.match_info["call"].endswith(":streamGenerateContent")
        assert request.query.get("alt") == "sse"
        return await self._serve(request, GeminiFormat())

    async def _serve(self, request: web.Request, wire: WireFormat) -> web.StreamResponse:
        return await self.recorded(request, wire.key(request), lambda call: self._play(call, request, wire))

    async def _play(self, call: LoopbackCall, request: web.Request, wire: WireFormat) -> web.StreamResponse:
        script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
        if script and isinstance(script[0], Refuse):
            refusal = script[0]
            status = wire.refusals[refusal.kind][0]
            body = wire.error(refusal.kind, f"{self._secret} {refusal.text}", refusal.wait_s)
            return web.json_response(body, status=status, headers=dict(refusal.headers))
        if script and isinstance(script[0], Hang):
            await asyncio.Event().wait()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(wire.opening())
        reason = "stop"
        for step in script:
            match step:
                case Say(text=text, halved=halved):
                    event = wire.text(text)
                    if halved:
                        at = next(index for index, byte in enumerate(event) if byte > 127) + 1
                        await response.write(event[:at])
                        await asyncio.sleep(0.05)
                        event = event[at:]
                    await response.write(event)
                    call.sent += 1
                case Think(text=text):
                    await response.write(wire.thought(text))
                case Wait(s=s):
                    await asyncio.sleep(s)
                case KeepAlive(times=times, every_s=every_s):
                    while times is None or times > 0:
                        await response.write(wire.keep_alive)
                        await asyncio.sleep(every_s)
                        times = None if times is None else times - 1
                case Garble(bad_utf8=bad_utf8):
                    event = wire.text("Caf\xe9 X" if bad_utf8 else f"broken {self._secret}")
                    event = event.replace(b"\xc3\xa9", b"\xc3") if bad_utf8 else event.rstrip()[:-6] + b"\n\n"
                    await response.write(event)
                case Fail(kind=kind):
                    await response.write(wire.error_event(kind, self._secret))
                    return response
                case Cut(clean=clean):
                    if not clean:
                        assert request.transport is not None
                        request.transport.abort()
                    return response
                case Hang():
                    await asyncio.Event().wait()
                case End():
                    reason = step.reason
                    break
                case Refuse():
                    raise AssertionError("a refusal is a script of its own")
        await response.write(wire.closing(reason, call.sent))
        call.finished = True
        return response
