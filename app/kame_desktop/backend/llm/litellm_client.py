"""Language models of any provider, and the local starter, through litellm: the only module that imports it.

litellm is imported once a process on a thread of its own (4-6 s, nobody waits for that thread at the end) and warmed up
there: its first call imports and builds for another half second, which would hold up the asyncio loop. Its price map
is the one in the package (no download); retries, telemetry and prints are off, the scheduler retries.

The HTTP transport is httpx (litellm's aiohttp transport leaves sessions open at the end); clients are cached by litellm
per event loop, and ``close`` closes those of our loop. A cancelled or closed stream closes its connection: the server
sees it within a few milliseconds.

What a service or litellm says in an error never leaves this module: it may hold the prompt or a key.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import socket
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Future
from typing import Any

from kame_desktop.backend.llm.base import LlmChunk, LlmModel, LlmRequest, LlmUsage, LocalServer, Message
from kame_desktop.backend.llm.litellm_errors import as_llm_error, missing_key_error, no_such_model
from kame_desktop.backend.llm.spoken_text import SentenceLimit
from kame_desktop.backend.prompt import estimate_tokens
from kame_desktop.core.errors import AppError, BadInputError, ErrorCategory, LlmError

_REQUEST_TIMEOUT_S = 30.0
_CLOSE_TIMEOUT_S = 1.0
_DUMMY_KEY = "none"
_LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")
_STARTER_WORDS = 8
"""The starter rambles: after so many words its answer ends with the sentence."""


class LiteLlmClient:
    """``StreamingLlm`` over litellm. Owner: one asyncio loop; one client a loop.

    Args:
        starter: Makes the local server; called when the starter model is loaded.
    """

    def __init__(self, starter: Callable[[], LocalServer] | None = None) -> None:
        self._make_starter = starter
        self._starter: LocalServer | None = None
        self._starting: asyncio.Future[None] | None = None
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
        try:
            _check(litellm, model)
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
            name, where = f"openai/{server.served_name}", {"api_base": server.api_base, "api_key": server.token}
        else:
            name, where = _check(litellm, model)
        failure: LlmError | None = None
        try:
            async with contextlib.aclosing(_answer(litellm, request, name, where)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except AppError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the library raises is mapped here
            failure = as_llm_error(error, model)
        # Raised outside of the handler: not even as a context does the library's error leave this module.
        if failure is not None:
            raise failure

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
        litellm = _import.result_now()
        if litellm is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(_close_clients(litellm), _CLOSE_TIMEOUT_S)

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


async def _answer(
    litellm: Any, request: LlmRequest, name: str, where: dict[str, str]
) -> AsyncGenerator[LlmChunk, None]:
    """One answer's chunks as litellm gives them; raises what litellm raises."""
    limit = SentenceLimit(_STARTER_WORDS) if request.model.starter else None
    response = await litellm.acompletion(
        model=name,
        messages=[{"role": message.role, "content": message.content} for message in request.messages],
        max_tokens=request.max_tokens,
        temperature=request.temperature,
        stream=True,
        stream_options={"include_usage": True},
        timeout=_REQUEST_TIMEOUT_S,
        max_retries=0,
        num_retries=0,
        drop_params=True,
        **where,
    )
    written: list[str] = []
    try:
        async for chunk in response:
            text, usage = _read(chunk)
            if text:
                piece = limit.feed(text) if limit else text
                written.append(piece)
                yield LlmChunk(piece)
                if limit and limit.reached:
                    break
            # Without a count of the service's litellm tells zeros.
            if usage is not None and usage[1]:
                yield LlmChunk(usage=_priced(litellm, request.model, name, *usage))
                return
    finally:
        await response.aclose()
    counted = (estimate_tokens(request.messages), estimate_tokens([Message("assistant", "".join(written))]))
    yield LlmChunk(usage=_priced(litellm, request.model, name, *counted))


def _read(chunk: Any) -> tuple[str, tuple[int, int] | None]:
    """Text and counted tokens (prompt, completion) of one chunk."""
    choices = getattr(chunk, "choices", None)
    text = getattr(choices[0].delta, "content", None) if choices else None
    usage = getattr(chunk, "usage", None)
    tokens = (int(usage.prompt_tokens or 0), int(usage.completion_tokens or 0)) if usage else None
    return text or "", tokens


def _priced(litellm: Any, model: LlmModel, name: str, prompt: int, completion: int) -> LlmUsage:
    """The usage with its price: 0 on this computer, None when the price isn't known."""
    if model.starter:
        return LlmUsage(prompt, completion, 0.0)
    entry = None if model.api_base else litellm.model_cost.get(name) or litellm.model_cost.get(name.partition("/")[2])
    read, write = (entry or {}).get("input_cost_per_token"), (entry or {}).get("output_cost_per_token")
    if read is None or write is None:
        return LlmUsage(prompt, completion)
    return LlmUsage(prompt, completion, prompt * read + completion * write)


def _check(litellm: Any, model: LlmModel) -> tuple[str, dict[str, str]]:
    """litellm's name for the model, and address and key where they aren't litellm's own business.

    Raises LlmError: no such model (BAD_INPUT), no key (PERMANENT). Asks nobody.
    """
    name = model.name
    if model.api_base:
        if name.partition("/")[0] not in litellm.provider_list:
            name = f"openai/{name}"
        where = {"api_base": model.api_base}
        if name.startswith("openai/"):
            where["api_key"] = os.environ.get("OPENAI_API_KEY") or _DUMMY_KEY
        return name, where
    unknown = False
    missing: list[str] = []
    try:
        litellm.get_llm_provider(name)
        missing = list(litellm.validate_environment(name).get("missing_keys") or ())
    except Exception:  # noqa: BLE001 - its text repeats the name and more; one meaning
        unknown = True
    if unknown:
        raise no_such_model(model, ErrorCategory.BAD_INPUT)
    keys = [variable for variable in missing if variable.endswith("_KEY")]
    if keys:
        raise missing_key_error(model, keys)
    return name, {}


async def _close_clients(litellm: Any) -> None:
    """Close the HTTP clients that litellm keeps for the running loop, and its logging task."""
    cache = litellm.in_memory_llm_clients_cache
    suffix = cache.update_cache_key_with_event_loop("")
    for key in [key for key in cache.cache_dict if suffix and key.endswith(suffix)]:
        client = cache.cache_dict.pop(key)
        cache.ttl_dict.pop(key, None)
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


def _prepare_environment() -> None:
    """What litellm and httpx read from the environment: no download, no debug log, no proxy for this computer."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_LOG", "ERROR")
    kept = (os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or "").split(",")
    hosts = [host.strip() for host in kept if host.strip()]
    hosts += [host for host in _LOOPBACK_HOSTS if host not in hosts]
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = ",".join(hosts)


async def _warm_up(litellm: Any) -> None:
    """Let litellm import and build what its first call needs: a call to a port where nobody listens."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        with contextlib.suppress(Exception):
            await litellm.acompletion(
                model="openai/none",
                messages=[{"role": "user", "content": "hello"}],
                stream=True,
                stream_options={"include_usage": True},
                api_base=address,
                api_key=_DUMMY_KEY,
                max_retries=0,
                timeout=1.0,
            )
    await _close_clients(litellm)
