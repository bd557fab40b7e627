"""What replays need: a loudspeaker, and other language models for the same questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kame_desktop.audio.base import Loudspeaker
from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.bootstrap.language_models import LanguageModels
from kame_desktop.core.errors import AppError
from kame_desktop.core.events import Event
from kame_desktop.core.settings import Settings
from kame_desktop.session.oracle_options import SchedulerOptions
from kame_desktop.session.reask import Reasked, Reasking, reask
from kame_desktop.session.usage_ledger import UsageLedger


class Replaying:
    """See the module's text. Any thread; what blocks says so.

    Args:
        settings: The present settings.
        llms: Language models.
        ledger: Where each day's usage is kept.
    """

    def __init__(self, settings: Callable[[], Settings], llms: LanguageModels, ledger: UsageLedger | None) -> None:
        self._settings = settings
        self._llms = llms
        self._ledger = ledger

    def loudspeaker(self) -> Loudspeaker | None:
        """Open the one of the settings; None when there is none. Blocks on the sound system."""
        from kame_desktop.audio.device import PortAudioLoudspeaker

        try:
            return PortAudioLoudspeaker(self._settings().audio.output_device)
        except AppError:
            return None

    def reasking(
        self,
        events: Iterable[Event],
        model: LlmModel,
        *,
        series: int,
        tell: Callable[[Sequence[Event]], None],
        done: Callable[[Reasked | AppError], None],
        finals_only: bool = False,
    ) -> Reasking:
        """``model`` over the questions of a recording, as a session of these settings would ask it; not yet started."""
        llm = self._settings().llm
        scheduler = SchedulerOptions(min_spacing_ms=llm.min_spacing_ms, speculate=llm.speculate and not finals_only)
        told = list(events)

        async def ask(client: StreamingLlm, tell_all: Callable[[Sequence[Event]], None]) -> Reasked:
            return await reask(
                told,
                client,
                model,
                series=series,
                scheduler=scheduler,
                oracle=self._llms.oracle_options(),
                ledger=self._ledger,
                tell=tell_all,
            )

        return Reasking(self._llms.client, ask, tell=tell, done=done)
