"""The middle of the window: three columns, search, the moment that is shown, and the timeline."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from kame_desktop.core.events import Event
from kame_desktop.ui.moments import Moments
from kame_desktop.ui.search import Search
from kame_desktop.ui.selection import SelectionModel
from kame_desktop.ui.timeline_model import TimelineModel
from kame_desktop.ui.view_models import ConversationModel
from kame_desktop.ui.widgets.column_heads import ColumnHeads
from kame_desktop.ui.widgets.conversation_view import ConversationView
from kame_desktop.ui.widgets.empty_state import EmptyState
from kame_desktop.ui.widgets.labels import RoleLabel
from kame_desktop.ui.widgets.moment_bar import MomentBar
from kame_desktop.ui.widgets.search_bar import SearchBar
from kame_desktop.ui.widgets.timeline_panel import TimelinePanel


class ConversationPage(QWidget):
    """Shows a conversation, live or at an earlier moment. GUI thread.

    Attributes:
        moments: The conversation as it is, and the moment that is shown.
        selection: What is selected in columns and timeline.
        heads: Headings, meters and sound controls.
        conversation: The columns.
        empty: What is shown before the first conversation.
        timeline: The time axis.
        search_bar: Search in the conversation.
        moment_bar: Steps between moments, while the view is paused.

    Signals:
        moment_shown: The moment that is shown is another one (session ms; None: the newest).
    """

    moment_shown = Signal(object)

    def __init__(self, parent: QWidget | None = None, before: ConversationPage | None = None) -> None:
        """``before``: a page that is about to go, whose conversation this one goes on showing."""
        super().__init__(parent)
        self.moments = Moments() if before is None else before.moments
        self.selection = SelectionModel(self)
        self._timeline_model = TimelineModel() if before is None else before._timeline_model
        self._search = Search()
        self._timeline_wanted = True
        self._replaying = False
        self._setup: QWidget | None = None
        self.heads = ColumnHeads(self)
        self.conversation = ConversationView(self.selection, self)
        self.empty = EmptyState(self)
        self.waiting = RoleLabel(role="words", colour="muted", parent=self)
        self.waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.waiting.setWordWrap(True)
        self.search_bar = SearchBar(self)
        self.moment_bar = MomentBar(self)
        self.timeline = TimelinePanel(self._timeline_model, self.selection, self)
        self._stack = QStackedWidget(self)
        for page in (self.empty, self.waiting, self.conversation):
            self._stack.addWidget(page)
        self._build()
        self._connect()
        if before is not None:
            self.conversation.show_whole(self.moments.shown)
            self.timeline.timeline.show_cursor(self.moments.at_ms)
            self.moment_bar.show_moment(self.moments.at_ms)

    def _build(self) -> None:
        panel = QFrame(self)
        panel.setObjectName("panel")
        inside = QVBoxLayout(panel)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.setSpacing(0)
        inside.addWidget(self.search_bar)
        inside.addWidget(self.heads)
        inside.addWidget(self._stack, 1)
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(panel, 1)
        column.addWidget(self.moment_bar)
        column.addWidget(self.timeline)

    def _connect(self) -> None:
        self.conversation.inset_changed.connect(self.heads.set_right_inset)
        self.search_bar.wanted.connect(self._on_search)
        self.search_bar.stepped.connect(self._on_search_step)
        self.search_bar.closed.connect(lambda: self._on_search(""))
        self.search_bar.closed.connect(self.conversation.setFocus)
        self.moment_bar.stepped.connect(self._on_step)
        self.moment_bar.live_wanted.connect(self.show_now)
        self.timeline.timeline.moment_picked.connect(self._on_moment_picked)
        self.timeline.timeline.selected.connect(self.conversation.show_selected)

    @property
    def model(self) -> ConversationModel:
        """The conversation as it is."""
        return self.moments.live

    @property
    def paused(self) -> bool:
        """An earlier moment is shown, or this one while the conversation goes on."""
        return self.moments.at_ms is not None

    # -- what happens ----

    def begin(self) -> None:
        """A new conversation begins: nothing of the last one is left."""
        self.moments.reset()
        self._timeline_model.reset()
        self.selection.clear()
        self.conversation.clear()
        self.timeline.timeline.follow()
        self.timeline.timeline.show_cursor(None)
        self.moment_bar.show_moment(None)

    def take(self, batch: Sequence[Event]) -> None:
        """Show what happened."""
        changes = self.moments.live.apply(batch)
        self.moments.take(batch)
        self.timeline.timeline.show_change(self._timeline_model.apply(batch))
        if not self.paused:
            self.conversation.show_changes(self.model, changes)

    def show_state(self, *, active: bool, hint: str) -> None:
        """Show levels, and the columns or what stands in their place (``hint``: what to do while nothing is said)."""
        health = self.model.health
        self.heads.input_level.set_level(health.input_dbfs, health.input_peak_dbfs)
        self.heads.output_level.set_level(health.output_dbfs, health.output_peak_dbfs)
        if not active:
            self.heads.input_level.reset()
            self.heads.output_level.reset()
        if not self.conversation.empty or self.paused:
            self._stack.setCurrentWidget(self.conversation)
        elif self._setup is not None and not active:
            self._stack.setCurrentWidget(self._setup)
        elif active:
            self.waiting.setText(hint)
            self._stack.setCurrentWidget(self.waiting)
        else:
            self._stack.setCurrentWidget(self.empty)
        self._show_timeline()

    def set_timeline(self, wanted: bool) -> None:
        """Show the timeline with a conversation, or never."""
        self._timeline_wanted = wanted
        self._show_timeline()

    def _show_timeline(self) -> None:
        self.timeline.setVisible(self._timeline_wanted and self._stack.currentWidget() not in (self.empty, self._setup))

    def show_setup(self, setup: QWidget | None) -> None:
        """Show this in place of what is shown before the first conversation; None: no longer."""
        old, self._setup = self._setup, setup
        if setup is not None:
            self._stack.addWidget(setup)
            self._stack.setCurrentWidget(setup)
        if old is not None:
            self._stack.removeWidget(old)
            old.deleteLater()
        self._show_timeline()

    # -- moments ----

    def toggle_pause(self) -> None:
        """Hold the view at this moment, or follow again."""
        if self.paused:
            self.show_now()
        elif not self.conversation.empty:
            self.show_moment(self.model.now_ms)

    def show_moment(self, ms: float) -> None:
        """Show the conversation as it was."""
        shown = self.moments.go_to(ms)
        self.conversation.show_whole(shown)
        self.timeline.timeline.show_cursor(self.moments.at_ms)
        if not self._replaying:
            self.moment_bar.show_moment(self.moments.at_ms)
        self.moment_shown.emit(self.moments.at_ms)

    def advance(self, ms: float) -> None:
        """Go on to a later moment (a replay plays): only what changed meanwhile is touched."""
        changes = self.moments.advance(ms)
        if changes is None:
            self.show_moment(ms)
            return
        self.conversation.show_changes(self.moments.shown, changes)
        self.timeline.timeline.show_cursor(self.moments.at_ms)
        if not self._replaying:
            self.moment_bar.show_moment(self.moments.at_ms)
        self.moment_shown.emit(self.moments.at_ms)

    def take_answers(self, batch: Sequence[Event]) -> None:
        """Show answers that belong to moments before this one (another model's): in the columns alone."""
        changes = self.moments.live.apply(batch)
        self.moments.take(batch)
        if self.moments.at_ms is not None:
            self.moments.go_to(self.moments.at_ms)
        self.conversation.show_changes(self.moments.shown, changes)

    def add_bar(self, bar: QWidget) -> None:
        """Put a bar below the timeline."""
        self._column.addWidget(bar)

    def set_replaying(self, on: bool) -> None:
        """A recording is shown: somebody else has the bar for its moments, and hears of clicks on the timeline."""
        self._replaying = on
        if on:
            self.moment_bar.show_moment(None)

    def show_now(self) -> None:
        """Follow the conversation again."""
        if not self.paused:
            return
        self.conversation.show_whole(self.moments.go_live())
        self.timeline.timeline.show_cursor(None)
        self.timeline.timeline.follow()
        self.moment_bar.show_moment(None)
        self.moment_shown.emit(None)

    def _on_step(self, ms: float) -> None:
        if self.moments.at_ms is not None:
            self.show_moment(self.moments.at_ms + ms)

    def _on_moment_picked(self, ms: float) -> None:
        if self.paused and not self._replaying:
            self.show_moment(ms)

    # -- search ----

    def _on_search(self, needle: str) -> None:
        self._search.begin(self.moments.shown.visible_turns, needle)
        self.conversation.set_needle(needle if needle.strip() else "")
        self._show_found()

    def _on_search_step(self, by: int) -> None:
        self._search.begin(self.moments.shown.visible_turns, self._search.needle)  # words may have come since
        self._search.step(by)
        self._show_found()

    def _show_found(self) -> None:
        self.search_bar.show_result(self._search)
        if self._search.current is not None:
            self.conversation.reveal(self._search.current)
