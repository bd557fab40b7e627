"""Language models of any provider, and the local starter, through litellm: the only module that imports it.

litellm is imported once a process on a thread of its own (4-6 s, nobody waits for that thread at the end) and warmed up
there: its first call imports and builds for another half second, which would hold up the asyncio loop. Its price map
is the one in the package (no download); retries, telemetry and prints are off, the scheduler retries.

The HTTP transport is httpx (litellm's aiohttp transport leaves sessions open at the end). litellm keeps its clients per
event loop, and ``close`` closes those of our loop. Where it speaks Anthropic's or Google's format it has one for the
whole process, whose connections would outlive their loop, so those go through a client of ours. A cancelled or closed
stream closes its connection: the server sees it within a few milliseconds.

What a service or litellm says in an error never leaves this module: it may hold the prompt or a key. Nor does what the
libraries under it log: at some level all of them write down requests, addresses and headers.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import os
import socket
import threading
import warnings
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from kame_desktop.backend.llm.base import LlmChunk, LlmModel, LlmRequest, LocalServer, Message
from kame_desktop.backend.llm.litellm_errors import BrokenOff, as_llm_error, no_answer
from kame_desktop.backend.llm.litellm_routes import OWN_FORMATS, Route, local_route, priced, route
from kame_desktop.backend.llm.spoken_text import SentenceLimit
from kame_desktop.backend.prompt import estimate_tokens
from kame_desktop.core.errors import AppError, BadInputError, ErrorCategory, LlmError, as_app_error

_REQUEST_TIMEOUT_S = 30.0
_CLOSE_TIMEOUT_S = 1.0
_DUMMY_KEY = "none"
_LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")
_LETTERS_PER_TOKEN = 12
"""More than any text has: an answer of so many letters has broken its bound, and nobody reads on."""
_STARTER_WORDS = 8
"""The starter rambles: after so many words its answer ends with the sentence."""
_TALKATIVE = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore", "httpx2", "httpcore2", "h11")
"""Loggers of the libraries that see requests; everything under their names is kept from the log."""


class LiteLlmClient:
    """``StreamingLlm`` over litellm. Owner: one asyncio loop; one client a loop.

    Args:
        starter: Makes the local server; called when the starter model is loaded.
        key_for: The key for a model, None when there is none to give. It may block (a keyring), so it is called on a
            thread of its own: by ``load``, and by the first request to a model that wasn't loaded. None: keys are
            litellm's own business, which looks at the environment.
    """

    def __init__(
        self,
        starter: Callable[[], LocalServer] | None = None,
        key_for: Callable[[LlmModel], str | None] | None = None,
    ) -> None:
        self._make_starter = starter
        self._key_for = key_for
        self._keys: dict[LlmModel, str] = {}
        """Keys in use; one that isn't there, or was refused, is asked for again with the next request."""
        self._starter: LocalServer | None = None
        self._starting: asyncio.Future[None] | None = None
        self._http: Any = None
        """litellm's HTTP handler for the formats that aren't OpenAI's."""
        self._closed = False

    async def load(self, model: LlmModel) -> None:
        """Import the library; start the starter's server, or check that the name and its key are there.

        Cancelling it returns at once; the work goes on behind and serves the next ``load``, until ``close``.
        Raises MissingPackageError, ModelFileError, BadInputError (no such model), LlmError (no key), AppError.
        """
        if model.starter:
            await asyncio.gather(self._running_starter(), _litellm())
            return
        litellm = await _litellm()
        self._keys.pop(model, None)
        try:
            await self._route(litellm, model)
        except LlmError as error:
            if error.category is ErrorCategory.BAD_INPUT:
                raise BadInputError(error.what, error.remedy, component="llm") from None
            raise

    async def stream(self, request: LlmRequest) -> AsyncGenerator[LlmChunk, None]:
        """Ask; ends with a chunk that has the usage, unless it is closed before. Raises LlmError, AppError."""
        litellm = await _litellm()
        model = request.model
        if model.starter:
            server = await self._running_starter()
            way = local_route(server.served_name, server.api_base, server.token)
        else:
            way = await self._route(litellm, model)
        failure: LlmError | None = None
        try:
            async with contextlib.aclosing(_answer(litellm, request, way, self._client_for(way))) as chunks:
                async for chunk in chunks:
                    yield chunk
        except AppError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the library raises is mapped here
            failure = as_llm_error(error, model)
        # Raised outside of the handler: not even as a context does the library's error leave this module.
        if failure is not None:
            if failure.category is ErrorCategory.PERMANENT:
                self._keys.pop(model, None)
            raise failure

    async def _route(self, litellm: Any, model: LlmModel) -> Route:
        """The way to the model, with its key. Raises LlmError, AppError."""
        key = self._keys.get(model)
        if key is None and self._key_for is not None:
            key = await _apart(self._key_for, model)
            if key is not None:
                self._keys[model] = key
        return route(litellm, model, key, environment=self._key_for is None)

    def _client_for(self, way: Route) -> dict[str, Any]:
        """The HTTP client for a call, where litellm's own won't do."""
        if way.provider not in OWN_FORMATS:
            return {}
        if self._http is None:
            handlers = importlib.import_module("litellm.llms.custom_httpx.http_handler")
            self._http = handlers.AsyncHTTPHandler(timeout=_REQUEST_TIMEOUT_S)
        return {"client": self._http}

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """A cheap estimate of the prompt's size."""
        return estimate_tokens(messages)

    async def close(self) -> None:
        """Stop the starter's server and close this loop's connections; idempotent, at most 2 s."""
        self._closed = True
        starter, self._starter = self._starter, None
        if starter is not None:
            await asyncio.to_thread(starter.stop)
        if self._starting is not None:
            await asyncio.wait([self._starting], timeout=_CLOSE_TIMEOUT_S / 2)
            if self._starting.done() and not self._starting.cancelled():
                self._starting.exception()
        http, self._http = self._http, None
        litellm = _import.result_now()
        if litellm is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(_close_clients(litellm, http), _CLOSE_TIMEOUT_S)

    async def _running_starter(self) -> LocalServer:
        """The server, started (again) when it isn't running."""
        if self._closed or self._make_starter is None:
            raise LlmError(
                "The starter model isn't available here.",
                "Choose another language model.",
                category=ErrorCategory.MISSING,
            )
        if self._starting is not None and not self._starting.done():
            await asyncio.shield(self._starting)
        if self._starter is None or not self._starter.running:
            dead, self._starter = self._starter, self._make_starter()
            self._starting = asyncio.ensure_future(asyncio.to_thread(_restart, dead, self._starter))
            # Whoever waits gets the error; nobody may be waiting any more.
            self._starting.add_done_callback(lambda future: future.cancelled() or future.exception())
            await asyncio.shield(self._starting)
        assert self._starter is not None
        return self._starter


def _restart(dead: LocalServer | None, server: LocalServer) -> None:
    """Clear a dead server away and start the next. Blocks: worker thread."""
    if dead is not None:
        dead.stop()
    server.start()


async def _apart(work: Callable[[LlmModel], str | None], model: LlmModel) -> str | None:
    """``work(model)`` on a thread that nobody waits for at the end: a keyring may wait for the user, for ever."""
    future: Future[str | None] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work(model))
        except Exception as error:  # noqa: BLE001 - without its text, which may hold what the keyring said
            future.set_exception(as_app_error(error, "keys"))

    threading.Thread(target=run, name="llm-key", daemon=True).start()
    return await asyncio.wrap_future(future)


async def _answer(
    litellm: Any, request: LlmRequest, way: Route, client: Mapping[str, Any]
) -> AsyncGenerator[LlmChunk, None]:
    """One answer's chunks as litellm gives them; raises what litellm raises, LlmError (no words, and why)."""
    model = request.model
    limit = SentenceLimit(_STARTER_WORDS) if model.starter else None
    response = await litellm.acompletion(
        model=way.name,
        messages=[{"role": message.role, "content": message.content} for message in request.messages],
        max_tokens=request.max_tokens + way.room_tokens,
        temperature=request.temperature,
        stream=True,
        stream_options={"include_usage": True},
        timeout=_REQUEST_TIMEOUT_S,
        max_retries=0,
        num_retries=0,
        drop_params=True,
        **way.where,
        **way.effort,
        **client,
    )
    written: list[str] = []
    room = (request.max_tokens + way.room_tokens) * _LETTERS_PER_TOKEN
    usage: tuple[int, int] | None = None
    reason: str | None = None
    source: Any = None
    try:
        async for chunk in response:
            source = getattr(response, "completion_stream", None) or source
            text, ended, counted = _read(chunk)
            reason = ended or reason
            if text:
                piece = limit.feed(text) if limit else text
                written.append(piece)
                room -= len(piece)
                yield LlmChunk(piece)
                if room < 0 or (limit and limit.reached):
                    break
            # Without a count of the service's litellm tells zeros.
            if counted is not None and counted[1]:
                usage = counted
                break
        if _left_over(source):
            raise BrokenOff
    finally:
        await response.aclose()
    if not "".join(written).strip() and (why := no_answer(model, reason)) is not None:
        raise why
    if usage is None:
        usage = (estimate_tokens(request.messages), estimate_tokens([Message("assistant", "".join(written))]))
    yield LlmChunk(usage=priced(litellm, model, way, *usage))


def _read(chunk: Any) -> tuple[str, str | None, tuple[int, int] | None]:
    """Text, reason of the end and counted tokens (prompt, completion) of one chunk. Reasoning isn't text."""
    choices = getattr(chunk, "choices", None)
    text = getattr(choices[0].delta, "content", None) if choices else None
    reason = getattr(choices[0], "finish_reason", None) if choices else None
    usage = getattr(chunk, "usage", None)
    tokens = (int(usage.prompt_tokens or 0), int(usage.completion_tokens or 0)) if usage else None
    return text or "", reason, tokens


def _left_over(source: Any) -> bool:
    """litellm waits in Google's format for the rest of JSON that never comes, then tells a good end."""
    return bool(str(getattr(source, "accumulated_json", "") or "").strip())


async def _close_clients(litellm: Any, own: Any = None) -> None:
    """Close ``own``, the HTTP clients that litellm keeps for the running loop, and its logging task."""
    cache = litellm.in_memory_llm_clients_cache
    suffix = cache.update_cache_key_with_event_loop("")
    clients = [own, vars(litellm).get("module_level_aclient")]
    for key in [key for key in cache.cache_dict if suffix and key.endswith(suffix)]:
        clients.append(cache.cache_dict.pop(key))
        cache.ttl_dict.pop(key, None)
    for client in clients:
        close = getattr(client, "close", None) or getattr(client, "aclose", None)
        with contextlib.suppress(Exception):
            if close is not None:
                await close()
    worker = importlib.import_module("litellm.litellm_core_utils.logging_worker").GLOBAL_LOGGING_WORKER
    with contextlib.suppress(Exception):
        await worker.stop(discard_pending=True, timeout=_CLOSE_TIMEOUT_S / 2)


class _SharedImport:
    """Imports litellm once a process, on a daemon thread. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._future: Future[Any] | None = None

    def future(self) -> Future[Any]:
        """The library, soon; starts the import at the first call, and again after a failed one."""
        with self._lock:
            if self._future is None or (self._future.done() and self._future.exception() is not None):
                self._future = Future()
                self._future.set_running_or_notify_cancel()
                threading.Thread(target=self._run, args=(self._future,), name="import-litellm", daemon=True).start()
            return self._future

    def result_now(self) -> Any | None:
        """The library when it is there already."""
        future = self._future
        return future.result() if future is not None and future.done() and future.exception() is None else None

    @staticmethod
    def _run(future: Future[Any]) -> None:
        try:
            _prepare_environment()
            # Qt for Python inspects every module that is imported after it: pydantic, which litellm enters through
            # ``Field``, can't bear that half-way. Through ``BaseModel`` it can.
            importlib.import_module("pydantic.main")
            litellm: Any = importlib.import_module("litellm")
            litellm.suppress_debug_info = True
            litellm.turn_off_message_logging = True
            litellm.disable_streaming_logging = True
            litellm.telemetry = False
            litellm.drop_params = True
            litellm.num_retries = 0
            litellm.disable_aiohttp_transport = True
            # It would fetch a tokenizer from a hub for some names, and count on the event loop.
            litellm.disable_hf_tokenizer_download = True
            litellm.disable_token_counter = True
            _silence()
            asyncio.run(_warm_up(litellm))
        except ImportError:
            future.set_exception(
                AppError(
                    "The library for language models (litellm) can't be loaded.",
                    "Install the program anew: pip install --force-reinstall kame-desktop",
                    component="llm",
                    category=ErrorCategory.MISSING,
                )
            )
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            future.set_exception(error)
        else:
            future.set_result(litellm)


_import = _SharedImport()


def begin_import() -> Future[Any]:
    """Begin to import litellm in the background; returns at once. Any thread."""
    return _import.future()


async def _litellm() -> Any:
    """The library; waits for its import, cancellable."""
    litellm = _import.result_now()
    return litellm if litellm is not None else await asyncio.wrap_future(_import.future())


def _silence() -> None:
    """Keep what the libraries log from every handler but their own, and take those away, whatever the level."""
    for name in _TALKATIVE:
        logger = logging.getLogger(name)
        logger.propagate = False
        logger.handlers = [logging.NullHandler()]


def _prepare_environment() -> None:
    """What litellm and httpx find around them: no download, no debug log, no proxy for this computer."""
    # Types that pydantic builds with the first chunk of an answer; nothing of ours can avoid it.
    warnings.filterwarnings("ignore", r"Items? .* on TypedDict class", UserWarning)
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_LOG"] = "ERROR"
    os.environ.pop("OPENAI_LOG", None)
    kept = (os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or "").split(",")
    hosts = [host.strip() for host in kept if host.strip()]
    hosts += [host for host in _LOOPBACK_HOSTS if host not in hosts]
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = ",".join(hosts)


async def _warm_up(litellm: Any) -> None:
    """Let litellm import and build what the first call in each format needs: calls to a port where nobody listens."""
    litellm.ModelResponseStream()
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        for provider in ("openai", *OWN_FORMATS):
            with contextlib.suppress(Exception):
                response = await litellm.acompletion(
                    model=f"{provider}/none",
                    messages=[{"role": "user", "content": "hello"}],
                    stream=True,
                    stream_options={"include_usage": True},
                    api_base=address,
                    api_key=_DUMMY_KEY,
                    max_retries=0,
                    timeout=1.0,
                )
                async for _ in response:
                    pass
    await _close_clients(litellm)
