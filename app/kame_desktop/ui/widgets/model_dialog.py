"""Asks for any language model by name."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QVBoxLayout, QWidget

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import AppError
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.widgets.labels import RoleLabel


class ModelDialog(QDialog):
    """A name and, for a service of one's own, its address. A name that can't be used is said here.

    Signals:
        chosen: The user wants this ``LlmModel``.
    """

    chosen = Signal(object)

    def __init__(
        self,
        resolve: Callable[[str, str | None], LlmModel],
        api_base: str | None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._resolve = resolve
        self.setWindowTitle(self.tr("Other language model"))
        self.setMinimumWidth(540)
        self.name = QLineEdit(self)
        self.name.setPlaceholderText("gpt-4o-mini, anthropic/claude-haiku-4-5, ollama/llama3.2, …")
        self.name.setAccessibleName(self.tr("Model name"))
        self.name.setToolTip(self.tr("The model's name as litellm knows it"))
        self.api_base = QLineEdit(api_base or "", self)
        self.api_base.setPlaceholderText("http://localhost:8080/v1")
        self.api_base.setAccessibleName(self.tr("Service address"))
        self.api_base.setToolTip(self.tr("Only for an OpenAI-compatible service of your own"))
        hint = RoleLabel(
            self.tr(
                "Any model that litellm can reach. Its key is read from the environment or the key store."
                " Leave the address empty unless you run a service of your own."
            ),
            colour="muted",
            parent=self,
        )
        hint.setWordWrap(True)
        self.problem = RoleLabel(colour="bad", parent=self)
        self.problem.setWordWrap(True)
        self.problem.hide()
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, parent=self
        )
        self.use = buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.use.setText(self.tr("Use this model"))
        self.use.setObjectName("primary")
        self.use.style().polish(self.use)
        self.use.setEnabled(False)
        for button in buttons.buttons():
            button.setIcon(QIcon())  # some styles put ticks and crosses on them
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.name.textChanged.connect(lambda text: self.use.setEnabled(bool(text.strip())))
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setSpacing(10)
        form.addRow(self.tr("Model &name"), self.name)
        form.addRow(self.tr("Service &address (optional)"), self.api_base)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(14)
        column.addWidget(hint)
        column.addLayout(form)
        column.addWidget(self.problem)
        column.addWidget(buttons)

    def accept(self) -> None:
        """Take the model if it can be used."""
        if not self.name.text().strip():
            return
        try:
            model = self._resolve(self.name.text().strip(), self.api_base.text().strip() or None)
        except AppError as error:
            self.problem.setText(translated(str(error)))
            self.problem.show()
            return
        self.chosen.emit(model)
        super().accept()
