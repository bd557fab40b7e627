"""What replay and history ask of the composition root. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from kame_desktop.audio.base import Loudspeaker
from kame_desktop.backend.llm.base import LlmChoice, LlmModel
from kame_desktop.core.errors import AppError
from kame_desktop.core.events import Event
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.session.reask import Reasked, Reasking


class ReplayServices(Protocol):
    """A part of ``session.services.Services``."""

    def recordings(self) -> RecordingLibrary:
        """The user's recordings."""
        ...

    def loudspeaker(self) -> Loudspeaker | None:
        """Open the loudspeaker of the settings; None when there is none. Blocks: not for the GUI thread."""
        ...

    def reasking(
        self,
        events: Iterable[Event],
        model: LlmModel,
        *,
        series: int,
        tell: Callable[[Sequence[Event]], None],
        done: Callable[[Reasked | AppError], None],
    ) -> Reasking:
        """Another model over a recording's questions, not yet started; it tells on a thread of its own."""
        ...

    def llm_choices(self) -> Sequence[LlmChoice]:
        """Language models in groups. May block on the keyring."""
        ...
