"""What leaves this computer, and to whom, with an engine, a speech-to-text and the language models that may be asked.

Pure: facts about the parts, no look at any of them. Every speech-to-text and every engine of this program works on this
computer; only a language model may be elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from kame_desktop.backend.llm.base import LlmModel, Provider
from kame_desktop.backend.llm.catalog import is_loopback

ASKS_NOBODY = ("moshi",)
"""Engines that answer by themselves: no language model is asked."""

UNKNOWN = "…"
"""Receiver of a model of which nothing is known (yet)."""


class Matter(StrEnum):
    """What it is about."""

    SOUND = "sound"
    """What the microphone hears, and the spoken answer."""
    WORDS = "words"
    """What was understood, the conversation so far and the system prompt."""
    KEYS = "keys"


@dataclass(frozen=True, slots=True)
class Flow:
    """One thing and where it goes.

    Attributes:
        to: Who gets it; "": nobody, it stays on this computer.
        goes: It leaves this computer.
        why: One sentence.
    """

    what: Matter
    to: str
    goes: bool
    why: str


def receiver(model: LlmModel, provider: Provider | None, *, known: bool = True) -> str:
    """Who gets the words when this model is asked; "": nobody, it runs on this computer.

    Args:
        provider: Who runs it; None: a service at an address, or unknown.
        known: Providers were looked for; else one that isn't known may still be found.
    """
    if model.api_base is not None:
        if is_loopback(model.api_base):
            return ""
        try:
            return urlsplit(model.api_base).hostname or UNKNOWN
        except ValueError:
            return UNKNOWN
    if model.starter or (provider is not None and not provider.key_variables):
        return ""
    if provider is not None:
        return provider.label
    return f"the service of “{model.label}”" if known else UNKNOWN


def what_leaves(
    engine: str,
    stt: str,
    llms: Iterable[LlmModel],
    provider_of: Callable[[LlmModel], Provider | None],
    *,
    known: bool = True,
) -> list[Flow]:
    """Where sound, words and keys go: sound first, then the words by receiver, then keys.

    Args:
        engine: Name of the engine.
        stt: Name of the speech-to-text.
        llms: Every model that may be asked as things are set, the fallback too.
        provider_of: Who runs a model.
        known: See ``receiver``.
    """
    flows = [
        Flow(
            Matter.SOUND, "", False, f"Speech is recognised ({stt}) and the answer spoken ({engine}) on this computer."
        )
    ]
    if engine in ASKS_NOBODY:
        return [*flows, Flow(Matter.WORDS, "", False, f"The engine {engine} answers by itself: nobody is asked.")]
    asked: dict[str, set[str]] = {}
    keyed: set[str] = set()
    for model in llms:
        provider = provider_of(model)
        name = receiver(model, provider, known=known)
        asked.setdefault(name, set()).add(model.label)
        if name and provider is not None and provider.key_variables:
            keyed.add(name)
    remote = sorted(name for name in asked if name)
    for name in remote:
        models = ", ".join(f"“{label}”" for label in sorted(asked[name]))
        flows.append(Flow(Matter.WORDS, name, True, f"{models} runs there."))
    if not remote:
        models = ", ".join(f"“{label}”" for label in sorted(asked.get("", ()))) or "The language model"
        flows.append(Flow(Matter.WORDS, "", False, f"{models} runs on this computer."))
    flows += [Flow(Matter.KEYS, name, True, "Its own key opens the service.") for name in sorted(keyed)]
    return flows
