"""Which moment of the conversation the window shows: the newest, or an earlier one. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from kame_desktop.core import events as ev
from kame_desktop.ui.event_log import EventLog
from kame_desktop.ui.rows import Changes
from kame_desktop.ui.view_models import ConversationModel

LOOK_BACK_MS = 600_000.0
"""An earlier moment is made from the events of so much time before it."""


class Moments:
    """The conversation as it is, and as it was. Owner: one thread (the GUI's).

    The live model always goes on. An earlier moment is a second model, made anew from the log for each moment.

    Attributes:
        live: The conversation as it is.
        log: What has happened.
    """

    def __init__(self) -> None:
        self.live = ConversationModel()
        self.log = EventLog()
        self._past: ConversationModel | None = None
        self._at_ms: float | None = None

    @property
    def shown(self) -> ConversationModel:
        """What the window shows."""
        return self.live if self._past is None else self._past

    @property
    def at_ms(self) -> float | None:
        """The moment that is shown; None: the newest."""
        return self._at_ms

    def reset(self) -> None:
        """A new conversation begins."""
        self.live.reset()
        self.log.clear()
        self.go_live()

    def take(self, batch: Sequence[ev.Event]) -> None:
        """Keep what happened; the live model has taken it already."""
        self.log.append(batch)

    def go_to(self, ms: float) -> ConversationModel:
        """Show the conversation as it was at this time."""
        ms = min(max(0.0, ms), self.live.now_ms)
        past = ConversationModel()
        past.apply(self.log.between(ms - LOOK_BACK_MS, ms))
        past.now_ms = ms
        self._past, self._at_ms = past, ms
        return past

    def advance(self, ms: float) -> Changes | None:
        """Show a later moment than the one that is shown; what changed. None: it isn't later, so ``go_to`` it."""
        ms = min(max(0.0, ms), self.live.now_ms)
        past, at_ms = self._past, self._at_ms
        if past is None or at_ms is None or ms < at_ms:
            return None
        changes = past.apply(self.log.after(at_ms, ms))
        past.now_ms = max(past.now_ms, ms)
        self._at_ms = ms
        return changes

    def go_live(self) -> ConversationModel:
        """Show the newest again."""
        self._past = self._at_ms = None
        return self.live
