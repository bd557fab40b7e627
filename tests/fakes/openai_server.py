"""A scripted OpenAI-compatible service on the loopback, for tests of the real client.

It builds on the package's loopback server: same wire format, but each request takes the next ``Reply`` of the script
(the last one for good). Requests and the moment a client left are recorded in ``calls``.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aiohttp import web

from kame_desktop.backend.llm.loopback import ChatStream, LoopbackCall, LoopbackLlmServer


@dataclass(frozen=True, slots=True)
class Reply:
    """How to answer one request.

    Attributes:
        pieces: Content chunks; None: what the loopback server says.
        first_s: Seconds before the first chunk.
        gap_s: Seconds between chunks.
        status: Anything but 200 is sent as an error with ``error`` as its text.
        error: The error's text.
        code: The error's code.
        headers: Of an error.
        breaks: After the pieces an error event is sent inside the stream instead of the end.
        drops: After the pieces the connection is cut.
        hangs: After the pieces nothing more comes until the client goes.
        headers_late: The headers aren't sent before the first chunk either.
        usage: Send the counted usage at the end, when asked to.
    """

    pieces: Sequence[str] = ("Hello", " there", ".")
    first_s: float = 0.0
    gap_s: float = 0.0
    status: int = 200
    error: str = "scripted failure"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    breaks: bool = False
    drops: bool = False
    hangs: bool = False
    headers_late: bool = False
    usage: bool = True


class ScriptedOpenAiServer(LoopbackLlmServer):
    """``async with ScriptedOpenAiServer(Reply(...)) as server``; owner: the loop of the test."""

    def __init__(self, *script: Reply) -> None:
        super().__init__()
        self._script = list(script) or [Reply()]

    async def __aenter__(self) -> ScriptedOpenAiServer:
        await self.start()
        return self

    async def until_cut_off(self, timeout_s: float = 2.0) -> LoopbackCall:
        """Wait until the newest request's client has gone; raises TimeoutError."""
        call = self.calls[-1]
        deadline_s = time.perf_counter() + timeout_s
        while call.cut_off_at_s is None:
            if time.perf_counter() > deadline_s:
                raise TimeoutError("the client is still there")
            await asyncio.sleep(0.002)
        return call

    async def until_called(self, count: int, timeout_s: float = 2.0) -> None:
        """Wait until ``count`` requests have come in all; raises TimeoutError."""
        deadline_s = time.perf_counter() + timeout_s
        while self.call_count < count:
            if time.perf_counter() > deadline_s:
                raise TimeoutError(f"{self.call_count} calls came, not {count}")
            await asyncio.sleep(0.002)

    async def respond(self, call: LoopbackCall, request: web.Request) -> web.StreamResponse:
        reply = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        if reply.status != 200:
            body = {"error": {"message": reply.error, "type": "scripted", "code": reply.code}}
            return web.json_response(body, status=reply.status, headers=dict(reply.headers))
        stream = ChatStream(request, call)
        if not reply.headers_late:
            await stream.open()
        await asyncio.sleep(reply.first_s)
        if reply.headers_late:
            await stream.open()
        for index, piece in enumerate(reply.pieces):
            if index and reply.gap_s:
                await asyncio.sleep(reply.gap_s)
            await stream.content(piece)
        if reply.hangs:
            await asyncio.Event().wait()
        if reply.drops:
            assert request.transport is not None
            request.transport.abort()
        elif reply.breaks:
            await stream.event({"error": {"message": reply.error, "type": "server_error", "code": reply.code}})
        else:
            await stream.end(usage=reply.usage)
        return stream.response
