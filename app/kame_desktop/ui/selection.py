"""What is selected: an answer of the language model, or a turn, shown in every view at once."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal


@dataclass(frozen=True, slots=True)
class Selection:
    """An utterance, and one answer to it; ``generation`` None: the whole turn."""

    utterance: int
    generation: int | None = None


class SelectionModel(QObject):
    """The one selection of a window. GUI thread.

    Attributes:
        current: What is selected; None: nothing.

    Signals:
        changed: ``current`` is another one.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.current: Selection | None = None

    def select(self, utterance: int, generation: int | None = None) -> None:
        """Select this; once more: nothing."""
        wanted = Selection(utterance, generation)
        self._set(None if wanted == self.current else wanted)

    def clear(self) -> None:
        """Select nothing."""
        self._set(None)

    def _set(self, selection: Selection | None) -> None:
        if selection != self.current:
            self.current = selection
            self.changed.emit()
