"""All engines by name; nothing of them is imported before it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kame_desktop.core.activity import Activity
from kame_desktop.frontends.base import SpeechFrontend
from kame_desktop.frontends.registry import EngineInfo, EngineOptions, FrontendRegistry
from kame_desktop.loaded_models import LoadedModels

if TYPE_CHECKING:
    from kame_desktop.weights.store import WeightStore

SPEAKING_ENGINES = ("lite", "cascade", "alone")
"""Those that speak with the text-to-speech voice, on any CPU."""


def engine_registry(models: LoadedModels, store: Callable[[], WeightStore]) -> FrontendRegistry:
    """All engines; nothing of them is imported yet. ``store``: where the large ones' weights are."""
    registry = FrontendRegistry()

    def lite(activity: Activity, options: EngineOptions) -> SpeechFrontend:
        from kame_desktop.frontends.lite import LiteFrontend
        from kame_desktop.frontends.lite_policy import TANDEM

        models.release_speech_model()
        return LiteFrontend(TANDEM, models.voice, activity)

    def cascade(activity: Activity, options: EngineOptions) -> SpeechFrontend:
        from kame_desktop.frontends.lite import LiteFrontend
        from kame_desktop.frontends.lite_policy import CASCADE

        models.release_speech_model()
        return LiteFrontend(CASCADE, models.voice, activity)

    def alone(activity: Activity, options: EngineOptions) -> SpeechFrontend:
        from kame_desktop.frontends.lite import LiteFrontend
        from kame_desktop.frontends.lite_policy import ALONE

        models.release_speech_model()
        return LiteFrontend(ALONE, models.voice, activity)

    def kame(activity: Activity, options: EngineOptions) -> SpeechFrontend:
        return models.speech_model("kame", options, activity, store)

    def moshi(activity: Activity, options: EngineOptions) -> SpeechFrontend:
        return models.speech_model("moshi", options, activity, store)

    registry.register(EngineInfo("lite", "Lite (any CPU)", "answers at once and corrects itself"), lite)
    registry.register(EngineInfo("cascade", "Cascade (to compare)", "waits for your last word, then thinks"), cascade)
    registry.register(EngineInfo("alone", "Front end alone (to compare)", "has no language model behind it"), alone)
    registry.register(EngineInfo("kame", "KAME (GPU)", "speech to speech, steered by the language model"), kame)
    registry.register(EngineInfo("moshi", "Moshi (GPU)", "speech to speech, by itself"), moshi)
    return registry
