"""Language models that other programs on this computer serve: Ollama, LM Studio, llama.cpp.

Each is asked for its list at its usual address, all at once, for half a second at most; whatever else may listen there
gets one GET and is left alone. Only this computer is asked: no proxy, no redirect, no address elsewhere.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import LlmChoice
from kame_desktop.backend.llm.catalog_file import LocalService, shipped_catalog
from kame_desktop.core.errors import BadInputError

if TYPE_CHECKING:
    import httpx

PATIENCE_S = 0.5
MOST_MODELS = 100
"""Of one service; the rest is used by name."""

_LARGEST_BYTES = 2**20
_PLAIN = {"Accept": "application/json", "Accept-Encoding": "identity"}
_EVERYWHERE = ("0.0.0.0", "::", "")
_log = logging.getLogger(__name__)


def discover(
    services: Sequence[LocalService] | None = None,
    environment: Mapping[str, str] = os.environ,
    patience_s: float = PATIENCE_S,
) -> list[LlmChoice]:
    """What ``discover_async`` finds, on a loop of its own. Blocks; any thread without a running loop."""
    return asyncio.run(discover_async(services, environment, patience_s))


async def discover_async(
    services: Sequence[LocalService] | None = None,
    environment: Mapping[str, str] = os.environ,
    patience_s: float = PATIENCE_S,
) -> list[LlmChoice]:
    """Models that are served here, in the services' order. Never raises; ends after ``patience_s``.

    A name that two services have is listed for the first alone: names are unique.

    Args:
        services: Whom to ask; None: those of the shipped list.
        environment: Has the address of a service that was told to listen elsewhere on this computer.
    """
    import httpx

    services = shipped_catalog().local if services is None else services
    addresses = [service_address(service, environment) for service in services]
    async with httpx.AsyncClient(trust_env=False, verify=False, timeout=patience_s) as client:
        asked = [asyncio.create_task(_names(client, *pair)) for pair in zip(services, addresses, strict=True)]
        try:
            answered, _ = await asyncio.wait(asked, timeout=patience_s) if asked else (set(), None)
        finally:
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
    found: dict[str, LlmChoice] = {}
    for service, address, task in zip(services, addresses, asked, strict=True):
        for choice in _choices(service, address, task.result()) if task in answered else ():
            found.setdefault(choice.model.name, choice)
    return list(found.values())


async def _names(client: httpx.AsyncClient, service: LocalService, address: str) -> list[Any]:
    """What the service calls its models, unchecked."""
    import httpx

    body = bytearray()
    try:
        async with client.stream("GET", address + service.list, headers=_PLAIN) as response:
            if response.status_code != httpx.codes.OK:
                return []
            async for piece in response.aiter_raw():
                body += piece
                if len(body) > _LARGEST_BYTES:
                    return []
        items = json.loads(body)[service.items]
        return [item.get(service.field) for item in items if isinstance(item, dict)]
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        _log.debug("No models of %s: %s", service.label, type(error).__name__)
        return []


def _choices(service: LocalService, address: str, names: Sequence[Any]) -> list[LlmChoice]:
    skip = shipped_catalog().skip_local
    found: dict[str, LlmChoice] = {}
    for name in names:
        if len(found) >= MOST_MODELS:
            break
        if not isinstance(name, str) or not name.strip() or any(part in name.lower() for part in skip):
            continue
        try:
            # The library takes the first part of a name for the provider: "openai" is what it speaks there.
            model = catalog.served(f"openai/{name}", f"{address}/v1", service)
        except BadInputError:
            continue
        found.setdefault(model.name, LlmChoice(model, catalog.GROUP_LOCAL))
    return list(found.values())


def service_address(service: LocalService, environment: Mapping[str, str]) -> str:
    """Where a service listens: its usual port, or what its variable says, if that is on this computer."""
    usual = f"http://127.0.0.1:{service.port}"
    told = environment.get(service.variable, "").strip() if service.variable else ""
    if not told:
        return usual
    try:
        parts = urlsplit(told if "://" in told else f"http://{told}")
        host, port = parts.hostname or "", parts.port or service.port
    except ValueError:
        return usual
    if parts.scheme != "http" or host not in (*catalog.LOOPBACK_HOSTS, *_EVERYWHERE):
        return usual
    return f"http://[::1]:{port}" if host in ("::1", "::") else f"http://127.0.0.1:{port}"
