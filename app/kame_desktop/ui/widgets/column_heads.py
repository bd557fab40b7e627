"""The headings of the three columns, with the meters and controls of the two who speak."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from kame_desktop.ui.widgets.labels import ElidedLabel, RoleLabel
from kame_desktop.ui.widgets.level_meter import LevelMeter
from kame_desktop.ui.widgets.sound_buttons import MicrophoneButton, VolumeButton
from kame_desktop.ui.widgets.turn_row import COLUMN_GAP, COLUMN_STRETCH, ROW_MARGIN


class ColumnHeads(QWidget):
    """The headings, with level meter and control of the two who speak.

    Attributes:
        input_level: The user's level.
        output_level: The assistant's level.
        microphone: Mutes the microphone, and says whether it is live.
        volume: Of the assistant's voice.
        columns: The three headings.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("columnHeads")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.input_level = LevelMeter(self.tr("Input level"), self)
        self.output_level = LevelMeter(self.tr("Output level"), self)
        self.microphone = MicrophoneButton(self)
        self.volume = VolumeButton(self)
        self.columns: list[QWidget] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(ROW_MARGIN, 6, ROW_MARGIN, 6)
        self._row.setSpacing(COLUMN_GAP)
        heads = (
            (self.tr("You"), self.tr("what is heard"), (self.input_level, self.microphone)),
            (self.tr("Oracle"), self.tr("answers to the unfinished sentence"), ()),
            (self.tr("Assistant"), self.tr("what is spoken"), (self.output_level, self.volume)),
        )
        for (title, explanation, extras), stretch in zip(heads, COLUMN_STRETCH, strict=True):
            head = self._head(title, explanation, extras)
            self.columns.append(head)
            self._row.addWidget(head, stretch)

    def _head(self, title: str, explanation: str, extras: Sequence[QWidget]) -> QWidget:
        head = QWidget(self)
        head.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(head)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        name = RoleLabel(title, "body", bold=True, parent=head)
        name.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        row.addWidget(name)
        row.addWidget(ElidedLabel(explanation, "caption", "muted", whole=True, parent=head), 1)
        for extra in extras:
            row.addWidget(extra)
        return head

    def set_right_inset(self, width: int) -> None:
        """Leave room for the scroll bar below, so that the headings stand over their columns."""
        self._row.setContentsMargins(ROW_MARGIN, 6, ROW_MARGIN + width, 6)
