"""The settings: a list of pages, a search over all of them, and the page. Nothing has to be confirmed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import ErrorCategory
from kame_desktop.core.settings import SettingsStore
from kame_desktop.session.services import Services
from kame_desktop.ui import theme
from kame_desktop.ui.errors_model import ShownError
from kame_desktop.ui.icons import app_icon, icon
from kame_desktop.ui.settings_dialog.answers_page import AnswersPage
from kame_desktop.ui.settings_dialog.appearance_page import AppearancePage
from kame_desktop.ui.settings_dialog.audio_page import AudioPage
from kame_desktop.ui.settings_dialog.auto_page import AutoPage
from kame_desktop.ui.settings_dialog.context import Context, LlmList
from kame_desktop.ui.settings_dialog.keys_page import KeysPage
from kame_desktop.ui.settings_dialog.models_page import ModelsPage
from kame_desktop.ui.settings_dialog.page import SettingsPage
from kame_desktop.ui.settings_dialog.parts import SettingRow
from kame_desktop.ui.settings_dialog.privacy_page import PrivacyPage
from kame_desktop.ui.settings_dialog.workers import Worker
from kame_desktop.ui.widgets.error_bar import ErrorBar
from kame_desktop.ui.widgets.labels import RoleLabel

_SAVE_AFTER_MS = 300
_PAGES: tuple[type[SettingsPage], ...] = (
    AudioPage,
    ModelsPage,
    KeysPage,
    AnswersPage,
    AutoPage,
    AppearancePage,
    PrivacyPage,
)


class SettingsDialog(QDialog):
    """Modeless. Every change is in ``store.settings`` at once and in the file shortly after; GUI thread only.

    What may block (keyring, devices, network) runs on a ``Worker`` that ends with the dialog: closing it drops what is
    still awaited. A closed dialog is not shown again: make a new one.

    The pages are made one at a time, so that the window goes on meanwhile.

    Signals:
        changed: A section of the settings was changed ("audio", "llm" or "appearance"), or what ``llm_choices`` and
            ``discover_llms`` of the services bring ("models", "keys").
        model_chosen: Answer with this ``LlmModel`` from now on; it is in the settings already.
    """

    changed = Signal(str)
    model_chosen = Signal(object)

    def __init__(self, services: Services, store: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._closed = False
        self._began = False
        self._worker = Worker(self)
        self.llms = LlmList(services, self._worker, self)
        self._context = Context(
            services=services,
            store=store,
            worker=self._worker,
            llms=self.llms,
            changed=self._on_changed,
            use_model=self._use_model,
            show_page=self.show_page,
        )
        self._saving = QTimer(self)
        self._saving.setSingleShot(True)
        self._saving.setInterval(_SAVE_AFTER_MS)
        self._saving.timeout.connect(self._save)
        self._made: dict[str, SettingsPage] = {}
        self._making = QTimer(self)
        self._making.setInterval(0)
        self._making.timeout.connect(self._make_next)
        self._build()
        self._recolour()
        self.list.setCurrentRow(0)

    # -- building ----

    def _build(self) -> None:
        self.setObjectName("settings")
        self.setWindowTitle(self.tr("Settings"))
        self.setWindowIcon(app_icon())
        self.setModal(False)
        self.setMinimumSize(680, 480)
        screen = QGuiApplication.primaryScreen().availableGeometry()
        self.resize(min(940, screen.width() - 40), min(700, screen.height() - 60))
        self.search = QLineEdit(self)
        self.search.setObjectName("settingsSearch")
        self.search.setPlaceholderText(self.tr("Search settings (Ctrl+F)"))
        self.search.setAccessibleName(self.tr("Search settings"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self._go_to_match)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.activated.connect(self._focus_search)
        self.list = QListWidget(self)
        self.list.setObjectName("settingsList")
        self.list.setAccessibleName(self.tr("Pages"))
        self.list.setIconSize(QSize(20, 20))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._on_page)
        self.error_bar = ErrorBar(self)
        self.error_bar.dismissed.connect(lambda _: self.error_bar.show_errors([]))
        self.stack = QStackedWidget(self)
        for kind in _PAGES:
            self._add_place(kind)
        self.nothing = RoleLabel(role="words", colour="muted", parent=self)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setWordWrap(True)
        self.stack.addWidget(self.nothing)
        self._set_list_width()
        self.reset_button = QPushButton(self.tr("Reset this page"), self)
        self.reset_button.setToolTip(self.tr("Put the settings of this page back to what they were at first"))
        self.reset_button.setAutoDefault(False)
        self.reset_button.clicked.connect(self._reset)
        self.close_button = QPushButton(self.tr("&Close"), self)
        self.close_button.setAutoDefault(False)
        self.close_button.clicked.connect(self.close)
        self._lay_out()

    def _lay_out(self) -> None:
        side = QVBoxLayout()
        side.setContentsMargins(12, 14, 0, 12)
        side.setSpacing(10)
        side.addWidget(self.search)
        side.addWidget(self.list, 1)
        foot = QFrame(self)
        foot.setObjectName("settingsFoot")
        buttons = QHBoxLayout(foot)
        buttons.setContentsMargins(20, 10, 20, 12)
        buttons.addWidget(self.reset_button)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        bar = QVBoxLayout()
        bar.setContentsMargins(20, 0, 20, 0)
        bar.addWidget(self.error_bar)
        right.addLayout(bar)
        right.addWidget(self.stack, 1)
        right.addWidget(foot)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addLayout(side)
        row.addLayout(right, 1)

    def _add_place(self, kind: type[SettingsPage]) -> None:
        area = QScrollArea(self.stack)
        area.setObjectName("settingsArea")
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.stack.addWidget(area)
        QListWidgetItem(kind.shown_name(), self.list)

    def _make(self, row: int) -> SettingsPage:
        """The page of a row, made when it isn't there yet."""
        kind = _PAGES[row]
        page = self._made.get(kind.key)
        if page is None:
            page = self._made[kind.key] = kind(self._context, self)
            area = self.stack.widget(row)
            if isinstance(area, QScrollArea):
                area.setWidget(page)
        return page

    def _make_next(self) -> None:
        """One more page; the timer stops with the last."""
        missing = next((row for row, kind in enumerate(_PAGES) if kind.key not in self._made), None)
        if missing is None:
            self._making.stop()
        else:
            self._make(missing)

    def _set_list_width(self) -> None:
        """As wide as the longest title in bold, with its icon and the count of matches."""
        widest = max(self.fontMetrics().horizontalAdvance(kind.shown_name()) for kind in _PAGES)
        width = round(widest * 1.12) + 20 + 60 + self.fontMetrics().horizontalAdvance(" (9)")
        self.list.setFixedWidth(width)
        self.search.setFixedWidth(width)

    # -- opening and closing ----

    def showEvent(self, event: QShowEvent) -> None:
        """Begin to read the list of models and what the first page needs."""
        super().showEvent(event)
        if not self._began:
            self._began = True
            self.llms.load()
            self.page.enter()
            self._making.start()

    @property
    def page(self) -> SettingsPage:
        """The page that is chosen."""
        return self._make(max(0, self.list.currentRow()))

    @property
    def pages(self) -> dict[str, SettingsPage]:
        """All pages by key."""
        return {kind.key: self._make(row) for row, kind in enumerate(_PAGES)}

    @property
    def idle(self) -> bool:
        """Nothing is awaited from a worker."""
        return self._worker.idle

    def show_page(self, key: str, item: str = "") -> None:
        """Go to a page by its key, and to something on it: "keys" and a provider's name open the field for its key."""
        row = next((row for row, kind in enumerate(_PAGES) if kind.key == key), None)
        if row is None:
            return
        self.search.clear()
        self.list.setCurrentRow(row)
        if item:
            self._make(row).show_item(item)

    def refresh(self) -> None:
        """The settings were changed elsewhere (the window's own controls): show them."""
        for page in self._made.values():
            page.show_settings()

    def done(self, result: int) -> None:
        """Close: take what was typed last, save, and stop waiting for anything."""
        self.shut_down()
        super().done(result)

    def shut_down(self) -> None:
        """The same without closing; idempotent, never blocks on what is still running."""
        if self._closed:
            return
        self._closed = True
        self._making.stop()
        for page in self._made.values():
            page.leave()
        if self._saving.isActive():
            self._saving.stop()
            self._save()
        self._worker.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape clears the search first; Enter never closes the dialog."""
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return
        super().keyPressEvent(event)

    # -- changes ----

    def _on_changed(self, section: str) -> None:
        self._saving.start()
        if section in ("models", "keys"):
            self.llms.load()
        for page in self._made.values():
            if page.follows(section):
                page.show_settings()
        self.changed.emit(section)

    def _use_model(self, model: LlmModel) -> None:
        catalog.choose(self._store.settings.llm, model)
        self._on_changed("llm")
        self.model_chosen.emit(model)

    def _save(self) -> None:
        try:
            self._store.save()
        except OSError:
            self.error_bar.show_errors(
                [
                    ShownError(
                        "settings",
                        ErrorCategory.RESOURCE.value,
                        self.tr("The settings could not be saved."),
                        self.tr("They are in use until you quit. Check that your settings folder can be written to."),
                    )
                ]
            )
        else:
            self.error_bar.show_errors([])

    def _reset(self) -> None:
        self.page.reset()

    # -- pages and search ----

    def _on_page(self, row: int) -> None:
        if row < 0:
            return
        self._make(row)
        self.stack.setCurrentIndex(row)
        self.reset_button.setVisible(self.page.can_reset)
        if self._began:
            self.page.enter()

    def _focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _on_search(self, text: str) -> None:
        """Show the pages with a match, and mark their rows."""
        words = text.casefold().split()
        found: list[int] = []
        for number, page in enumerate(self.pages.values()):
            rows = [row for row in page.rows if _all_in(words, f"{page.title} {row.words}")] if words else []
            for row in page.rows:
                row.set_marked(row in rows)
            matches = not words or bool(rows) or _all_in(words, page.words)
            item = self.list.item(number)
            item.setHidden(not matches)
            item.setText(f"{page.title} ({len(rows)})" if rows else page.title)
            if matches:
                found.append(number)
        self.nothing.setText(self.tr("No setting has “{words}” in it.").format(words=text.strip()) if not found else "")
        if not found:
            self.stack.setCurrentWidget(self.nothing)
            self.reset_button.hide()
            return
        best = found[0]
        if self.list.currentRow() in found:
            best = self.list.currentRow()
        self.list.setCurrentRow(best)
        self._on_page(best)
        self._show_match()

    def _show_match(self) -> SettingRow | None:
        """Scroll to the first marked row of the page."""
        row = next((row for row in self.page.rows if row.marked), None)
        if row is not None:
            self.page.reveal(row)
        return row

    def _go_to_match(self) -> None:
        """Enter in the search: the first match gets the focus."""
        row = self._show_match()
        target = row.label.buddy() if row is not None else None
        if target is not None:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # -- looks ----

    def _recolour(self) -> None:
        for row, kind in enumerate(_PAGES):
            self.list.item(row).setIcon(icon(kind.picture, theme.current().accent))

    def changeEvent(self, event: QEvent) -> None:
        """Take the colours and the text size of a new theme."""
        super().changeEvent(event)
        if not hasattr(self, "close_button"):
            return
        if event.type() == QEvent.Type.PaletteChange:
            self._recolour()
        elif event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._set_list_width()


def _all_in(words: list[str], text: str) -> bool:
    text = text.casefold()
    return all(word in text for word in words)
