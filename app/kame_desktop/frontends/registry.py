"""Engine names and how to make each: nothing of an engine is imported before it is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kame_desktop.core.activity import Activity
from kame_desktop.core.errors import BadInputError
from kame_desktop.frontends.base import SpeechFrontend


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """One engine of the registry: shown before anything of it is imported."""

    name: str
    label: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """What an engine with large models may be told; the others ignore it.

    Attributes:
        checkpoint: A folder, or a name of the weights' catalogue; None: the engine's own.
        device: "cuda", "cuda:1", "mps" or "cpu"; None: what the engine finds.
        quantize: "int8"; None: full precision.
    """

    checkpoint: str | None = None
    device: str | None = None
    quantize: str | None = None


NO_OPTIONS = EngineOptions()

FrontendFactory = Callable[[Activity, EngineOptions], SpeechFrontend]
"""Makes a front end that counts its background work in the given ``Activity``."""


@dataclass(slots=True)
class FrontendRegistry:
    """Engine name -> lazy factory. Filled by the composition root; read-only afterwards."""

    _factories: dict[str, tuple[EngineInfo, FrontendFactory]] = field(default_factory=dict)

    def register(self, info: EngineInfo, factory: FrontendFactory) -> None:
        """Add an engine; the factory imports its models' packages when it is called, not before."""
        self._factories[info.name] = (info, factory)

    def engines(self) -> list[EngineInfo]:
        """All engines in the order of registration."""
        return [info for info, _ in self._factories.values()]

    def create(self, name: str, activity: Activity, options: EngineOptions = NO_OPTIONS) -> SpeechFrontend:
        """Make the front end called ``name``. Raises BadInputError for an unknown one, or impossible options."""
        try:
            _, factory = self._factories[name]
        except KeyError:
            known = ", ".join(self._factories)
            raise BadInputError(f"There is no engine '{name}'.", f"Choose one of: {known}.") from None
        return factory(activity, options)
