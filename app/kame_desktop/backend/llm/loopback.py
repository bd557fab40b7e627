"""An OpenAI-compatible chat service on the loopback with fixed timing: no model, no network.

``kame-desktop bench oracle`` measures against it, and the scripted server of the tests builds on it. The first chunk of
an answer is the last word of the prompt, so that a client can tell which words the answer has seen; then come
``word1``, ``word2``, ... One chunk counts as one token. Wire format: server-sent events as in
https://platform.openai.com/docs/api-reference/chat-streaming.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

_KEPT_CALLS = 10_000


@dataclass(slots=True)
class LoopbackCall:
    """One request as the server saw it; times are ``time.perf_counter`` seconds.

    Attributes:
        body: The request's JSON (kept in memory only).
        authorization: The Authorization header.
        began_at_s: When the request was read.
        sent: Content chunks sent so far.
        finished: The whole answer was sent.
        cut_off_at_s: When the client was seen to have gone before the end; None when it stayed.
    """

    body: dict[str, Any] = field(repr=False)
    authorization: str = field(repr=False)
    began_at_s: float
    sent: int = 0
    finished: bool = False
    cut_off_at_s: float | None = None

    @property
    def question(self) -> str:
        """Content of the last message."""
        messages = self.body.get("messages") or [{}]
        return str(messages[-1].get("content") or "")

    @property
    def last_word(self) -> str:
        """The last word of the prompt; "nothing" for an empty one."""
        return (self.question.split() or ["nothing"])[-1]


class ChatStream:
    """Writes one answer as server-sent events."""

    def __init__(self, request: web.Request, call: LoopbackCall) -> None:
        self._request = request
        self._call = call
        self.response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})

    async def open(self) -> None:
        """Send the headers."""
        await self.response.prepare(self._request)

    async def content(self, text: str) -> None:
        """Send one piece of the answer."""
        await self.event(self._chunk([{"index": 0, "delta": {"content": text}, "finish_reason": None}]))
        self._call.sent += 1

    async def end(self, *, usage: bool = True, reason: str = "stop") -> None:
        """Send the end, with the counted usage when the client asked for it."""
        await self.event(self._chunk([{"index": 0, "delta": {}, "finish_reason": reason}]))
        if usage and (self._call.body.get("stream_options") or {}).get("include_usage"):
            prompt = sum(len(str(m.get("content")).split()) for m in self._call.body.get("messages", ()))
            counted = {
                "prompt_tokens": prompt,
                "completion_tokens": self._call.sent,
                "total_tokens": prompt + self._call.sent,
            }
            await self.event(self._chunk([]) | {"usage": counted})
        await self.response.write(b"data: [DONE]\n\n")
        self._call.finished = True

    async def event(self, value: dict[str, Any]) -> None:
        """Send any JSON value as one event."""
        await self.response.write(b"data: " + json.dumps(value).encode() + b"\n\n")

    def _chunk(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": "loopback",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": str(self._call.body.get("model")),
            "choices": choices,
        }


class LoopbackLlmServer:
    """The service. Owner: the event loop that started it; the counters may be read from any thread.

    Use it as an async context manager, or from synchronous code with ``in_thread``.

    Attributes:
        calls: The newest 10,000 requests, oldest first (older ones are dropped, ``call_count`` still counts them).
        call_count: Requests so far.
    """

    def __init__(self, ttft_s: float = 0.15, chunks_per_s: float = 40.0, chunks: int = 24) -> None:
        self._ttft_s = ttft_s
        self._gap_s = 1.0 / chunks_per_s
        self._chunks = chunks
        self._runner: web.AppRunner | None = None
        self._address = ""
        self.calls: deque[LoopbackCall] = deque(maxlen=_KEPT_CALLS)
        self.call_count = 0

    @property
    def api_base(self) -> str:
        """Address for ``LlmModel.api_base``; empty before the start."""
        return self._address

    async def start(self) -> None:
        """Listen on a free loopback port. Raises OSError."""
        app = web.Application()
        self.add_routes(app)
        # handler_cancellation: a handler is cancelled as soon as its client goes.
        runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        self._runner = runner
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        self._address = f"http://{host}:{port}/v1"

    async def stop(self) -> None:
        """Cut off open answers and stop listening; idempotent."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def __aenter__(self) -> LoopbackLlmServer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @contextmanager
    def in_thread(self) -> Iterator[Self]:
        """Serve on a thread of its own for the length of the body. Raises OSError."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="loopback-llm", daemon=True)
        thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self.start(), loop).result()
            yield self
        finally:
            asyncio.run_coroutine_threadsafe(self.stop(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def add_routes(self, app: web.Application) -> None:
        """Say what is served where; tests override it."""
        app.router.add_post("/v1/chat/completions", self._handle)

    async def respond(self, call: LoopbackCall, request: web.Request) -> web.StreamResponse:
        """Answer one request; tests override it."""
        stream = ChatStream(request, call)
        await stream.open()
        await asyncio.sleep(self._ttft_s)
        for index in range(self._chunks):
            if index:
                await asyncio.sleep(self._gap_s)
            await stream.content(f" word{index}" if index else call.last_word)
        await stream.end()
        return stream.response

    async def recorded(
        self,
        request: web.Request,
        authorization: str,
        answer: Callable[[LoopbackCall], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        """Answer a request, and record it and the moment its client went."""
        call = LoopbackCall(body=await request.json(), authorization=authorization, began_at_s=time.perf_counter())
        self.calls.append(call)
        self.call_count += 1
        try:
            return await answer(call)
        except asyncio.CancelledError:
            call.cut_off_at_s = time.perf_counter()
            raise
        except ConnectionError:
            call.cut_off_at_s = time.perf_counter()
            return web.Response(status=499)  # nobody reads it; raised, it would be logged as the server's own error

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        authorization = request.headers.get("Authorization", "")
        return await self.recorded(request, authorization, lambda call: self.respond(call, request))
