"""What a newcomer sees: one sentence, and the action that works here."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from kame_desktop.ui import theme
from kame_desktop.ui.icons import app_icon, icon
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.sources import MICROPHONE, Source
from kame_desktop.ui.widgets.labels import RoleLabel

SAMPLES_SHOWN = 3


class EmptyState(QWidget):
    """Shown while there is no conversation.

    Signals:
        chosen: Start with this input (``Source``).
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("emptyState")
        self._buttons: list[QPushButton] = []
        picture = QLabel(self)
        picture.setPixmap(app_icon().pixmap(60, 60))
        picture.setAccessibleName("Kame Desktop")
        title = RoleLabel(self.tr("Ask something out loud"), "title", bold=True, parent=self)
        self._sentence = RoleLabel(role="words", colour="muted", parent=self)
        self._sentence.setWordWrap(True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._notice = QFrame(self)
        self._notice.setObjectName("notice")
        self._notice_sign = QLabel(self._notice)
        self._notice_text = QLabel(self._notice)
        self._notice_text.setTextFormat(Qt.TextFormat.PlainText)
        self._notice_text.setWordWrap(True)
        self._notice_text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._notice_text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self._notice)
        row.setContentsMargins(14, 10, 14, 10)
        row.setSpacing(10)
        row.addWidget(self._notice_sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._notice_text, 1)
        actions = QWidget(self)
        self._actions = QVBoxLayout(actions)
        self._actions.setContentsMargins(0, 0, 0, 0)
        self._actions.setSpacing(8)
        centre = QVBoxLayout()
        centre.setSpacing(12)
        centre.addStretch(2)
        centre.addWidget(picture, 0, Qt.AlignmentFlag.AlignHCenter)
        centre.addWidget(title, 0, Qt.AlignmentFlag.AlignHCenter)
        narrow = QHBoxLayout()  # margins of its own: a style sheet resets those of a label
        narrow.setContentsMargins(70, 0, 70, 0)
        narrow.addWidget(self._sentence)
        centre.addLayout(narrow)
        centre.addSpacing(4)
        centre.addWidget(self._notice)
        centre.addWidget(actions, 0, Qt.AlignmentFlag.AlignHCenter)
        centre.addStretch(3)
        box = QWidget(self)
        box.setMaximumWidth(600)
        box.setLayout(centre)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(24, 8, 24, 8)
        outer.addStretch(1)
        outer.addWidget(box, 20)
        outer.addStretch(1)
        self.show_choices([], None)

    @property
    def buttons(self) -> list[QPushButton]:
        """The actions; the first is the prominent one."""
        return self._buttons

    @property
    def notice(self) -> str:
        """Why the microphone can't be used; empty when it can."""
        return self._notice_text.text()

    def show_choices(self, samples: Sequence[Source], microphone_problem: str | None) -> None:
        """Offer what works here."""
        while (item := self._actions.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._buttons = []
        self._notice.setVisible(bool(microphone_problem))
        self._notice_text.setText(translated(microphone_problem or ""))
        if microphone_problem is None:
            self._sentence.setText(
                self.tr("Press Start and speak: the answer begins at once and corrects itself while it is spoken.")
            )
            self._add(self.tr("Start talking"), MICROPHONE, "microphone", primary=True)
            if samples:
                hint = RoleLabel(self.tr("or ask a sample question"), "caption", "muted", parent=self)
                self._actions.addWidget(hint, 0, Qt.AlignmentFlag.AlignHCenter)
        elif samples:
            self._sentence.setText(
                self.tr("Ask a sample question: the answer begins at once and corrects itself while it is spoken.")
            )
        else:
            self._sentence.setText(self.tr("Open a WAV file with a spoken question to hear an answer."))
        for sample in samples[:SAMPLES_SHOWN]:
            words = sample.question or self.tr("Sample question {number}").format(number=sample.number)
            primary = microphone_problem is not None and sample is samples[0]
            text = self.tr("Ask a sample question: {words}").format(words=words) if primary else words
            self._add(text, sample, "question", primary=primary)

    def _add(self, text: str, source: Source, picture: str, *, primary: bool) -> None:
        button = QPushButton(f" {text}", self)
        button.setMinimumHeight(36 if primary else 32)
        button.setObjectName("primary" if primary else "secondary")
        button.setProperty("picture", picture)
        button.setAccessibleName(text)
        button.setToolTip(
            self.tr("Speak into the microphone") if source.wav is None else self.tr("Ask this recorded question")
        )
        button.clicked.connect(lambda: self.chosen.emit(source))
        self._actions.addWidget(button)
        self._buttons.append(button)
        self._recolour()

    def _recolour(self) -> None:
        shown = theme.current()
        self._notice_sign.setPixmap(icon("alert", shown.warn).pixmap(20, 20))
        for button in self._buttons:
            colour = shown.on_accent if button.objectName() == "primary" else shown.accent
            button.setIcon(icon(button.property("picture"), colour))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_actions"):
            self._recolour()
