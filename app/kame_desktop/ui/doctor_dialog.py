"""Help > Check my system: what works on this computer and what doesn't, and a text about it to pass on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from kame_desktop.core.checks import Check, CheckState
from kame_desktop.core.errors import AppError
from kame_desktop.ui import theme
from kame_desktop.ui.icons import app_icon, icon
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.settings_dialog.parts import Card, Note, Spinner
from kame_desktop.ui.settings_dialog.workers import Job, Tell, Worker
from kame_desktop.ui.widgets.labels import RoleLabel

_AROUND_PX = 60

FoundCheck = tuple[str, Check]
"""Name of the part, and what was found there."""


class DoctorServices(Protocol):
    """What the dialog asks of ``Services``; all of it blocks."""

    def check_system(self, found: Callable[[str, Check], None], *, sound: bool) -> Sequence[FoundCheck]:
        """Look at everything; ``sound`` not while a conversation runs. ``found`` is told of each finding at once."""
        ...

    def diagnostics(self, checks: Sequence[FoundCheck] = ()) -> str:
        """A text about it for others, without what identifies the user."""
        ...


class CheckRow(QWidget):
    """One finding: a sign and a word, what was looked at, what was found and what can be done."""

    _SIGNS: ClassVar = {
        CheckState.OK: ("check", "good"),
        CheckState.WARN: ("info", "warn"),
        CheckState.FAIL: ("alert", "bad"),
    }

    def __init__(self, check: Check, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.check = check
        self._sign = QLabel(self)
        self.word = RoleLabel(self._word(), "caption", self._SIGNS[check.state][1], bold=True, parent=self)
        name, what, remedy = translated(check.name), translated(check.what), translated(check.remedy)
        self._name = RoleLabel(name[:1].upper() + name[1:], bold=True, parent=self)
        self._what = RoleLabel(what, colour="muted", parent=self)
        self._remedy = RoleLabel(remedy, parent=self)
        self._remedy.setVisible(bool(check.remedy))
        for label in (self._name, self._what, self._remedy):
            label.setWordWrap(True)
        self.word.setFixedWidth(self._word_width())
        words = QVBoxLayout()
        words.setSpacing(2)
        for label in (self._name, self._what, self._remedy):
            words.addWidget(label)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 14, 8)
        row.setSpacing(8)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.word, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.setAccessibleName(f"{self._word()}: {name}. {what} {remedy}".strip())
        self._recolour()

    def _word(self) -> str:
        return {
            CheckState.OK: self.tr("OK"),
            CheckState.WARN: self.tr("Note"),
            CheckState.FAIL: self.tr("Problem"),
        }[self.check.state]

    def _word_width(self) -> int:
        metrics = self.word.fontMetrics()
        words = (self.tr("OK"), self.tr("Note"), self.tr("Problem"))
        return max(metrics.horizontalAdvance(word) for word in words) + 6

    def _recolour(self) -> None:
        picture, colour = self._SIGNS[self.check.state]
        self._sign.setPixmap(icon(picture, getattr(theme.current(), colour)).pixmap(18, 18))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours and the text size of a new theme."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange) and hasattr(self, "_remedy"):
            self._recolour()
            self.word.setFixedWidth(self._word_width())


class DoctorDialog(QDialog):
    """Modeless; begins to look when it is shown. GUI thread only; what blocks runs on a ``Worker`` that ends with it.

    A closed dialog is not shown again: make a new one.

    Args:
        sound_is_free: Whether no conversation runs that uses the sound devices.
    """

    def __init__(
        self, services: DoctorServices, sound_is_free: Callable[[], bool], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._sound_is_free = sound_is_free
        self._worker = Worker(self)
        self._job: Job | None = None
        self._found: list[FoundCheck] = []
        self._cards: dict[str, Card] = {}
        self.rows: list[CheckRow] = []
        self._build()

    @property
    def idle(self) -> bool:
        """Nothing is looked at, and nothing copied."""
        return self._worker.idle

    @property
    def found(self) -> Sequence[FoundCheck]:
        """What was found so far."""
        return list(self._found)

    # -- building ----

    def _build(self) -> None:
        self.setObjectName("doctor")
        self.setWindowTitle(self.tr("Check my system"))
        self.setWindowIcon(app_icon())
        self.setModal(False)
        self.setMinimumSize(480, 360)
        screen = QGuiApplication.primaryScreen().availableGeometry()
        self.resize(min(720, screen.width() - 40), min(640, screen.height() - 60))
        self.summary = Note(self.tr("Nothing was looked at yet."), parent=self)
        self.spinner = Spinner(self)
        top = QHBoxLayout()
        top.setContentsMargins(20, 16, 20, 8)
        top.setSpacing(10)
        top.addWidget(self.spinner, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self.summary, 1)
        self._list = QWidget(self)
        self._list.setObjectName("settingsPage")
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(20, 4, 20, 16)
        self._column.setSpacing(12)
        self._column.addStretch(1)
        self._area = QScrollArea(self)
        self._area.setObjectName("settingsArea")
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setAccessibleName(self.tr("What was found"))
        self._area.setWidget(self._list)
        self.again = QPushButton(self.tr("Check &again"), self)
        self.again.setToolTip(self.tr("Look at everything once more"))
        self.again.clicked.connect(self.begin)
        self.copy = QPushButton(self.tr("&Copy diagnostics"), self)
        self.copy.setToolTip(
            self.tr("Copy what was found as a text to pass on: without keys, your name and your folders")
        )
        self.copy.clicked.connect(self._copy)
        close = QPushButton(self.tr("Close"), self)
        close.clicked.connect(self.close)
        self._said = RoleLabel("", "caption", "muted", parent=self)
        self._said.setWordWrap(True)
        for button in (self.again, self.copy, close):
            button.setAutoDefault(False)
        foot = QFrame(self)
        foot.setObjectName("settingsFoot")
        row = QHBoxLayout(foot)
        row.setContentsMargins(20, 10, 20, 12)
        row.setSpacing(10)
        row.addWidget(self.again)
        row.addWidget(self.copy)
        row.addWidget(self._said, 1)
        row.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._area, 1)
        column.addWidget(foot)

    # -- looking ----

    def showEvent(self, event: QShowEvent) -> None:
        """Begin to look."""
        super().showEvent(event)
        if self._job is None:
            self.begin()

    def begin(self) -> None:
        """Look at everything anew."""
        if self._job is not None and not self._job.over:
            return
        self._found.clear()
        self.rows.clear()
        for card in self._cards.values():
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._cards.clear()
        self._said.setText("")
        self.again.setEnabled(False)
        self.copy.setEnabled(False)
        self.spinner.show()
        self.summary.show_note(self.tr("Looking. This takes a few seconds."))
        sound = self._sound_is_free()

        def look(tell: Tell) -> Sequence[FoundCheck]:
            return self._services.check_system(lambda part, check: tell((part, check)), sound=sound)

        self._job = self._worker.submit(look, lambda found: self._finish(sound), self._on_failed, self._show)

    def _show(self, found: FoundCheck) -> None:
        part, check = found
        self._found.append(found)
        card = self._cards.get(part)
        if card is None:
            card = self._cards[part] = Card(translated(part), self._list)
            self._column.insertWidget(self._column.count() - 1, card)
        row = CheckRow(check, card)
        card.add(row)
        self.rows.append(row)

    def _finish(self, sound: bool) -> None:
        self._settle()
        states = [check.state for _, check in self._found]
        problems, notes = states.count(CheckState.FAIL), states.count(CheckState.WARN)
        if problems:
            text = self.tr("{count} of {all} checks found a problem.").format(count=problems, all=len(states))
        elif notes:
            text = self.tr("No problem was found; {count} of {all} checks have a note.").format(
                count=notes, all=len(states)
            )
        else:
            text = self.tr("All {all} checks are fine.").format(all=len(states))
        if not sound:
            text += " " + self.tr("The sound was left alone, because a conversation is using it.")
        self.summary.show_note(text, "alert" if problems else "check")
        failed = next((row for row in self.rows if row.check.state is CheckState.FAIL), None)
        if failed is not None:
            QTimer.singleShot(0, failed, lambda: self._area.ensureWidgetVisible(failed, 0, _AROUND_PX))

    def _on_failed(self, error: AppError) -> None:
        self._settle()
        self.summary.show_note(str(error), "alert")

    def _settle(self) -> None:
        self.spinner.hide()
        self.again.setEnabled(True)
        self.copy.setEnabled(True)

    # -- copying ----

    def _copy(self) -> None:
        found = list(self._found)
        self.copy.setEnabled(False)
        self._worker.submit(lambda tell: self._services.diagnostics(found), self._on_text, self._on_copy_failed)

    def _on_text(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copy.setEnabled(True)
        self._said.setText(self.tr("Copied. Your name, folders and keys are left out."))

    def _on_copy_failed(self, error: AppError) -> None:
        self.copy.setEnabled(True)
        self._said.setText(str(error))

    # -- end ----

    def done(self, result: int) -> None:
        """Closed: nothing is awaited any more."""
        self.shut_down()
        super().done(result)

    def shut_down(self) -> None:
        """Drop what is still awaited; returns at once. Idempotent."""
        self._worker.close()
