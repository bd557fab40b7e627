"""One provider's key."""

from __future__ import annotations

import os

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeyEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from kame_desktop.backend.llm.base import KeySource, Provider
from kame_desktop.core.errors import AppError
from kame_desktop.ui.settings_dialog.context import Context
from kame_desktop.ui.settings_dialog.parts import Note, SettingRow, Spinner


class KeyRow(SettingRow):
    """Says where the key comes from; the field for a new one opens below. A key is never shown, and never kept here.

    Signals:
        changed: A key was taken or forgotten.
    """

    changed = Signal()

    def __init__(self, context: Context, provider: Provider, parent: QWidget | None = None) -> None:
        side = QWidget()
        self.enter_button, self.forget_button = QPushButton(side), QPushButton(side)
        line = QHBoxLayout(side)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        for button in (self.enter_button, self.forget_button):
            button.setAutoDefault(False)
            line.addWidget(button)
        super().__init__(
            provider.label, side, "", " ".join(provider.key_variables), buddy=self.enter_button, parent=parent
        )
        self._context = context
        self.provider = provider
        self._source = KeySource.MISSING
        self.source = Note(parent=self)
        self.words_column.addWidget(self.source)
        self.link = QPushButton(self)
        self.link.setAutoDefault(False)
        self.link.setCursor(Qt.CursorShape.PointingHandCursor)
        self.words_column.addWidget(self.link, 0, Qt.AlignmentFlag.AlignLeft)
        self.editor = QWidget(self)
        self._build_editor()
        self.column.addWidget(self.editor)
        self.link.setText(self.tr("Get a key"))
        self.link.setObjectName("linkButton")
        self.link.setAccessibleName(self.tr("Get a key of {name}").format(name=provider.label))
        self.link.setToolTip(self.tr("Opens {address} in your browser").format(address=provider.key_url))
        self.link.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(provider.key_url)))
        self.enter_button.clicked.connect(self.edit)
        self.forget_button.setText(self.tr("Forget"))
        self.forget_button.setAccessibleName(self.tr("Forget the key of {name}").format(name=provider.label))
        self.forget_button.clicked.connect(self._forget)
        self.show_source(KeySource.MISSING)

    def _build_editor(self) -> None:
        name = self.tr("Key of {name}").format(name=self.provider.label)
        self.field = QLineEdit(self.editor)
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setInputMethodHints(
            Qt.InputMethodHint.ImhHiddenText
            | Qt.InputMethodHint.ImhSensitiveData
            | Qt.InputMethodHint.ImhNoPredictiveText
            | Qt.InputMethodHint.ImhNoAutoUppercase
        )
        self.field.setPlaceholderText(self.tr("Paste the key here"))
        self.field.setAccessibleName(name)
        self.field.returnPressed.connect(self._save)
        self.field.textChanged.connect(lambda text: self.save_button.setEnabled(bool(text.strip())))
        self.keep = QCheckBox(self.editor)
        self.keep.setChecked(True)
        self.keep.toggled.connect(lambda _: self._show_keep())
        self._show_keep()
        self.save_button = QPushButton(self.tr("Use this key"), self.editor)
        self.save_button.setObjectName("primary")
        self.save_button.setEnabled(False)
        self.save_button.clicked.connect(self._save)
        self.cancel_button = QPushButton(self.tr("Cancel"), self.editor)
        self.cancel_button.clicked.connect(self._close_editor)
        self.spinner = Spinner(self.editor)
        for button in (self.save_button, self.cancel_button):
            button.setAutoDefault(False)
        self.problem = Note(kind="alert", parent=self.editor)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addStretch(1)
        line.addWidget(self.spinner)
        line.addWidget(self.cancel_button)
        line.addWidget(self.save_button)
        column = QVBoxLayout(self.editor)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.field)
        column.addWidget(self.keep)
        column.addWidget(self.problem)
        column.addLayout(line)
        self.editor.hide()

    def _show_keep(self) -> None:
        kept = self.keep.isChecked() or self.keep.isEnabled()
        self.keep.setText(self.tr("Keep it in this computer's keyring") if kept else self.tr("Kept until you quit"))
        self.keep.setToolTip(
            self.tr("Otherwise it is forgotten when you quit") if kept else self.tr("There is no keyring to keep it in")
        )

    # -- what is known ----

    def show_source(self, source: KeySource) -> None:
        """Say where the key comes from."""
        self._source = source
        text, kind = {
            KeySource.ENVIRONMENT: (self.tr("Ready: from the environment ({name})"), "check"),
            KeySource.KEYRING: (self.tr("Ready: kept in this computer's keyring"), "check"),
            KeySource.SESSION: (self.tr("Ready: kept until you quit"), "check"),
            KeySource.NOT_NEEDED: (self.tr("No key needed"), "check"),
            KeySource.MISSING: (self.tr("No key yet"), "key")
            if self.provider.key_url
            else (self.tr("No key; many services of one's own need none"), "info"),
        }[source]
        self.source.show_note(text.format(name=self._variable()), kind)
        own = source in (KeySource.KEYRING, KeySource.SESSION)
        outside = source is KeySource.ENVIRONMENT
        self.enter_button.setText(self.tr("Replace…") if own else self.tr("Enter key…"))
        name = self.tr("Replace the key of {name}") if own else self.tr("Enter the key of {name}")
        self.enter_button.setAccessibleName(name.format(name=self.provider.label))
        self.enter_button.setEnabled(not outside)
        self.enter_button.setToolTip(
            self.tr("The environment goes first: change {name} there").format(name=self._variable())
            if outside
            else self.tr("It goes to the key store, never to the settings")
        )
        self.forget_button.setVisible(own)
        self.link.setVisible(source is KeySource.MISSING and bool(self.provider.key_url))
        self.forget_button.setToolTip(self.tr("Remove it from this computer's keyring and from memory"))

    def show_keeping(self, can: bool) -> None:
        """Whether this computer has a keyring that keeps keys."""
        if self.keep.isEnabled() != can:
            self.keep.setEnabled(can)
            self.keep.setChecked(can)
            self._show_keep()

    def _variable(self) -> str:
        """The environment variable that is set, else the usual one."""
        names = self.provider.key_variables
        return next((name for name in names if os.environ.get(name)), names[0] if names else "")

    # -- what the user does ----

    def edit(self) -> None:
        """Open the field for a key."""
        if not self.enter_button.isEnabled():
            return
        self.problem.show_note("")
        self.editor.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes the field, not the dialog."""
        if event.key() == Qt.Key.Key_Escape and not self.editor.isHidden():
            self._close_editor()
            return
        super().keyPressEvent(event)

    def _close_editor(self) -> None:
        self.field.clear()
        self.editor.hide()
        self.enter_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _save(self) -> None:
        key = self.field.text().strip()
        self.field.clear()
        if not key:
            return
        services, provider, keep = self._context.services, self.provider, self.keep.isChecked()
        self._busy(True)
        self._context.worker.submit(
            lambda tell: services.keys().set(provider, key, keep=keep), self._on_taken, self._on_refused
        )

    def _on_taken(self, source: KeySource) -> None:
        self._busy(False)
        self._close_editor()
        self.show_source(source)
        self.changed.emit()

    def _on_refused(self, error: AppError) -> None:
        self._busy(False)
        self.problem.show_note(str(error), "alert")
        self.editor.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _forget(self) -> None:
        services, provider = self._context.services, self.provider
        self._busy(True)
        self._context.worker.submit(lambda tell: services.keys().forget(provider), self._on_forgotten, self._on_refused)

    def _on_forgotten(self, _: bool) -> None:
        self._busy(False)
        self.changed.emit()

    def _busy(self, busy: bool) -> None:
        self.spinner.setVisible(busy)
        self.field.setEnabled(not busy)
        self.save_button.setEnabled(False)
        self.forget_button.setEnabled(not busy)
        if busy:
            self.problem.show_note("")
