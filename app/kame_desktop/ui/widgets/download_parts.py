"""Parts of the download dialog: what the hub says of a set, and what went wrong."""

from __future__ import annotations

from html import escape
from typing import TypeVar

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from kame_desktop.core.errors import AppError
from kame_desktop.ui import theme
from kame_desktop.ui.icons import icon
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.widgets.labels import ElidedLabel, RoleLabel
from kame_desktop.weights.plan import DownloadPlan
from kame_desktop.weights.words import files_text, size_text

Fact = TypeVar("Fact", bound=QLabel)


class PlanFacts(QFrame):
    """Size, licence, room and place, in a frame."""

    def __init__(self, parent: QWidget) -> None:
        self._plan: DownloadPlan | None = None
        super().__init__(parent)
        self.setObjectName("facts")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(14, 11, 14, 11)
        self._grid.setHorizontalSpacing(18)
        self._grid.setVerticalSpacing(7)
        self._grid.setColumnStretch(1, 1)
        self.size_fact = self._row(self.tr("Size"), RoleLabel(parent=self))
        self.licence = self._row(self.tr("Licence"), RoleLabel(parent=self))
        self.licence.setWordWrap(True)
        self.free = self._row(self.tr("Free on the disk"), RoleLabel(parent=self))
        self.place = self._row(self.tr("Kept in"), ElidedLabel(parent=self))
        self.source = QLabel(self)
        self.source.setTextFormat(Qt.TextFormat.RichText)
        self.source.setOpenExternalLinks(True)
        self.source.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self._row(self.tr("From"), self.source)

    def _row(self, name: str, value: Fact) -> Fact:
        row = self._grid.rowCount()
        self._grid.addWidget(RoleLabel(name, colour="muted", parent=self), row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(value, row, 1)
        return value

    def show_plan(self, plan: DownloadPlan | None) -> None:
        """Show what the hub says; dots before it has answered."""
        self._plan = plan
        if plan is None:
            for value in (self.size_fact, self.licence, self.free, self.place, self.source):
                value.setText("…")
            return
        self.size_fact.setText(f"{size_text(plan.total_bytes)} ({translated(files_text(len(plan.manifest.files)))})")
        stated = self.tr("{licence} (as the hub states it)").format(licence=plan.licence)
        self.licence.setText(stated if plan.licence else self.tr("not stated by the hub"))
        self.free.setText(size_text(plan.free_bytes))
        self.free.set_colour("text" if plan.fits else "bad")
        self.place.setText(str(plan.folder))
        colour = theme.current().accent
        shown = escape(plan.page.partition("://")[2])
        self.source.setText(f'<a href="{escape(plan.page)}" style="color:{colour}">{shown}</a>')

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._plan is not None:
            self.show_plan(self._plan)


class ProblemLine(QFrame):
    """What went wrong and what can be done, with a sign."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("errorLine")
        self._sign = QLabel(self)
        self._sign.setAccessibleName(self.tr("Problem"))
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 9, 14, 9)
        row.setSpacing(10)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._text, 1)
        self._recolour()
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()

    def show_problem(self, problem: AppError | None) -> None:
        """Show it, or nothing."""
        text = translated(str(problem)) if problem is not None else ""
        self._text.setText(text)
        self._text.setAccessibleName(text)
        self.setVisible(bool(text))

    def _recolour(self) -> None:
        self._sign.setPixmap(icon("alert", theme.current().bad).pixmap(20, 20))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_text"):
            self._recolour()
