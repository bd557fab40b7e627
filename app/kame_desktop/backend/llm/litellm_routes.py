"""How a model is called through litellm: its name there, where it is, what it costs, how little it may think.

Works on litellm's own tables, handed in by the client; asks nobody.

The wire format. Without an address of the user's own a model goes to its provider, in that provider's format. With one,
OpenAI's format is spoken, for the name as it is (less an ``openai/`` at its head): "anthropic/claude-3-haiku" may be
what the service calls it. There are two ways to another format:
- ``LlmModel.provider`` is ``anthropic`` or ``gemini``;
- a provider's name stands before the model's, and the address doesn't end as those of OpenAI-compatible services do, in
  a version or in ``openai`` ("anthropic/claude-opus-4-1" at ``https://gateway.example``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kame_desktop.backend.llm.base import LlmModel, LlmUsage
from kame_desktop.backend.llm.litellm_errors import missing_key_error, no_such_model
from kame_desktop.core.errors import ErrorCategory

_DUMMY_KEY = "none"
_OPENAI_STYLE = re.compile(r"/(?:v\d+|openai)/?$")
OWN_FORMATS = ("anthropic", "gemini")
"""Providers whose services don't speak OpenAI's format."""
_FREE = {"ollama", "ollama_chat", "lm_studio", "llamafile"}
"""Providers that run models on the user's own computers."""
_THINKING_ROOM_TOKENS = 1_024
"""What a model that can't be kept from thinking may use up before its answer."""


@dataclass(frozen=True, slots=True)
class Route:
    """One model's way.

    Attributes:
        name: litellm's name, the provider before it.
        provider: litellm's name of the provider whose wire format is spoken.
        where: Address and key for the call, where they aren't litellm's own business.
        effort: What asks the model not to think, or little.
        room_tokens: Added to the answer's bound, for thoughts that count against it.
    """

    name: str
    provider: str
    where: Mapping[str, str] = field(repr=False)
    effort: Mapping[str, str] = field(default_factory=dict)
    room_tokens: int = 0


def route(litellm: Any, model: LlmModel, key: str | None, *, environment: bool = True) -> Route:
    """The way to ``model``.

    Args:
        litellm: The library.
        model: Not the starter.
        key: What the user gave for it; None: a provider's is looked for in the environment.
        environment: So it is for an address of the user's own; otherwise that is asked without a key.

    Raises:
        LlmError: No such model (BAD_INPUT), no key (PERMANENT).
    """
    name, provider = _named(litellm, model)
    where = {"api_base": model.api_base} if model.api_base else {}
    if key:
        where["api_key"] = key
    elif model.api_base:
        if not environment:
            where["api_key"] = _DUMMY_KEY
        elif provider == "openai":
            where["api_key"] = os.environ.get("OPENAI_API_KEY") or _DUMMY_KEY
        elif _missing_keys(litellm, name):
            where["api_key"] = _DUMMY_KEY
    elif missing := _missing_keys(litellm, name):
        raise missing_key_error(model, provider, missing)
    known = not model.api_base or provider in OWN_FORMATS
    effort, room = _thinking(litellm, name, provider) if known else ({}, 0)
    return Route(name, provider, where, effort, room)


def local_route(served_name: str, api_base: str, token: str) -> Route:
    """The way to the starter's own server."""
    return Route(f"openai/{served_name}", "openai", {"api_base": api_base, "api_key": token})


def priced(litellm: Any, model: LlmModel, way: Route, prompt: int, completion: int) -> LlmUsage:
    """The usage with its price: 0 on this computer, None when the price isn't known."""
    if model.starter or {way.provider, model.provider} & _FREE:
        return LlmUsage(prompt, completion, 0.0)
    entry = {} if model.api_base and not model.provider else _entry(litellm, way.name)
    read, write = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if read is None or write is None:
        return LlmUsage(prompt, completion)
    return LlmUsage(prompt, completion, prompt * read + completion * write)


def _named(litellm: Any, model: LlmModel) -> tuple[str, str]:
    """litellm's name for the model, and whose format is spoken."""
    prefix, _, rest = model.name.partition("/")
    known = model.provider if model.provider in litellm.provider_list else ""
    bare = rest if prefix == known else model.name
    if model.api_base is not None:
        if prefix == "openai":
            return model.name, "openai"
        provider = known or (prefix if prefix in litellm.provider_list else "")
        if known in OWN_FORMATS or (provider and not _OPENAI_STYLE.search(model.api_base)):
            return f"{provider}/{bare if known else rest}", provider
        return f"openai/{bare}", "openai"
    if known:
        return f"{known}/{bare}", known
    try:
        return model.name, str(litellm.get_llm_provider(model.name)[1])
    except Exception:  # noqa: BLE001 - its text repeats the name and more; one meaning
        pass
    raise no_such_model(model, ErrorCategory.BAD_INPUT)


def _missing_keys(litellm: Any, name: str) -> list[str]:
    """Environment variables with a key that litellm looks for and doesn't find."""
    try:
        missing = litellm.validate_environment(name).get("missing_keys") or ()
    except Exception:  # noqa: BLE001 - a provider that it can't judge
        return []
    return [variable for variable in missing if variable.endswith("_KEY")]


def _entry(litellm: Any, name: str) -> Mapping[str, Any]:
    """What litellm's map knows about the model."""
    found = litellm.model_cost.get(name) or litellm.model_cost.get(name.partition("/")[2])
    return found if isinstance(found, Mapping) else {}


def _thinking(litellm: Any, name: str, provider: str) -> tuple[dict[str, str], int]:
    """What keeps the model from thinking before it speaks, and the room that it needs for thoughts nevertheless."""
    entry = _entry(litellm, name)
    if not entry.get("supports_reasoning") or provider == "anthropic":
        return {}, 0  # Anthropic's models think only when they are told to
    if provider == "gemini":
        flash = "gemini-2.5-flash" in name
        return ({"reasoning_effort": "disable"}, 0) if flash else ({"reasoning_effort": "low"}, _THINKING_ROOM_TOKENS)
    if provider != "openai":
        return {}, _THINKING_ROOM_TOKENS
    if entry.get("supports_none_reasoning_effort"):
        return {"reasoning_effort": "none"}, 0
    effort = "minimal" if entry.get("supports_minimal_reasoning_effort") else "low"
    return {"reasoning_effort": effort}, _THINKING_ROOM_TOKENS
