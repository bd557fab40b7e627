"""When the language model is asked, what that may cost, what happens when it fails, and what it is told."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, Qt, QTimer
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from kame_desktop.backend.llm.base import Message
from kame_desktop.backend.prompt import DEFAULT_SYSTEM_PROMPT, estimate_tokens, system_prompt_note
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.settings_dialog.context import Context, model_items, reset_fields
from kame_desktop.ui.settings_dialog.page import SettingsPage
from kame_desktop.ui.settings_dialog.parts import Picker, SettingRow, Switch, set_checked
from kame_desktop.ui.widgets.labels import RoleLabel

_TYPING_PAUSE_MS = 600
_FIRST_BUDGET_USD = 0.5
_FIELDS = ("speculate", "min_spacing_ms", "budget_usd", "fallback_model", "system_prompt")


class AnswersPage(SettingsPage):
    """The part of the section "llm" that is about asking."""

    key = "answers"
    name = QT_TRANSLATE_NOOP("SettingsPage", "Answers")
    picture = "speech"

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.set_intro(self.tr("How often the language model is asked, and what it is told."))
        self._build_asking()
        self._build_prompt()
        self.column.addStretch(1)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_PAUSE_MS)
        self._typing.timeout.connect(self._take_prompt)
        context.llms.changed.connect(self._show_fallback)
        self.show_settings()

    def _build_asking(self) -> None:
        card = self.card(self.tr("Asking"))
        self.speculate = Switch(self)
        self.speculate.toggled.connect(self._on_speculate)
        card.add(
            SettingRow(
                self.tr("Ask &while I speak"),
                self.speculate,
                self.tr(
                    "The answer changes while you speak and begins sooner, with more calls. Off: only finished"
                    " sentences are asked."
                ),
                self.tr("partials finals speculation calls cost"),
            )
        )
        self.spacing = QSpinBox(self)
        self.spacing.setRange(100, 5000)
        self.spacing.setSingleStep(50)
        self.spacing.setSuffix(self.tr(" ms"))
        self.spacing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.spacing.setKeyboardTracking(False)
        self.spacing.valueChanged.connect(self._on_spacing)
        self.spacing_row = SettingRow(
            self.tr("&Pause between two questions"),
            self.spacing,
            self.tr("While you speak, the model is asked again at most this often."),
            self.tr("spacing interval rate milliseconds"),
        )
        card.add(self.spacing_row)
        self.limit = Switch(self)
        self.budget = QDoubleSpinBox(self)
        self.budget.setRange(0.01, 1000.0)
        self.budget.setDecimals(2)
        self.budget.setSingleStep(0.1)
        self.budget.setPrefix("$ ")
        self.budget.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.budget.setKeyboardTracking(False)
        self.budget.setAccessibleName(self.tr("Budget in US dollars"))
        self.budget.setToolTip(self.tr("In US dollars, by the services' list prices"))
        self.limit.toggled.connect(self._on_limit)
        self.budget.valueChanged.connect(self._on_budget)
        both = QWidget(self)
        line = QHBoxLayout(both)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(12)
        line.addWidget(self.budget)
        line.addWidget(self.limit)
        card.add(
            SettingRow(
                self.tr("&Budget for one conversation"),
                both,
                self.tr("When it is spent, only finished sentences are asked, and the window tells you."),
                self.tr("cost price money dollars limit spend"),
                buddy=self.limit,
            )
        )
        self.fallback = Picker(self)
        self.fallback.picked.connect(self._on_fallback)
        card.add(
            SettingRow(
                self.tr("I&f the model fails, ask"),
                self.fallback,
                self.tr("When a service refuses for good: a bad key, no credit, no such model."),
                self.tr("fallback backup error"),
                wide=True,
            )
        )

    def _build_prompt(self) -> None:
        card = self.card(self.tr("What the model is told"))
        self.prompt = QPlainTextEdit(self)
        self.prompt.setTabChangesFocus(True)
        self.prompt.setMinimumHeight(8 * self.prompt.fontMetrics().lineSpacing() + 20)
        self.prompt.textChanged.connect(self._on_typing)
        card.add(
            SettingRow(
                self.tr("&System prompt"),
                self.prompt,
                self.tr("Said before every question. The starter model is too small for it and doesn't get it."),
                self.tr("instructions persona style language"),
                below=True,
            )
        )
        self.length = RoleLabel(role="caption", colour="muted", parent=self)
        self.length.setWordWrap(True)
        self.restore = QPushButton(self.tr("&Original text"), self)
        self.restore.setAutoDefault(False)
        self.restore.setToolTip(self.tr("Put the text back that the program comes with"))
        self.restore.clicked.connect(lambda: self.prompt.setPlainText(DEFAULT_SYSTEM_PROMPT))
        foot = QWidget(self)
        line = QHBoxLayout(foot)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.length, 1)
        line.addWidget(self.restore)
        card.add_plain(foot)

    # -- the settings ----

    def show_settings(self) -> None:
        """Show what the settings have."""
        llm = self.context.llm
        set_checked(self.speculate, llm.speculate)
        self.spacing.blockSignals(True)
        self.spacing.setValue(round(llm.min_spacing_ms))
        self.spacing.blockSignals(False)
        self.spacing_row.set_enabled(llm.speculate)
        set_checked(self.limit, llm.budget_usd is not None)
        self.budget.blockSignals(True)
        self.budget.setValue(llm.budget_usd or _FIRST_BUDGET_USD)
        self.budget.blockSignals(False)
        self.budget.setEnabled(llm.budget_usd is not None)
        self._show_fallback()
        if not self._typing.isActive():
            text = llm.system_prompt or DEFAULT_SYSTEM_PROMPT
            if self.prompt.toPlainText() != text:
                self.prompt.blockSignals(True)
                self.prompt.setPlainText(text)
                self.prompt.blockSignals(False)
            self._show_length()

    def reset(self) -> None:
        """What this page shows."""
        self._typing.stop()
        reset_fields(self.context.llm, _FIELDS)
        self.show_settings()
        self.context.changed("llm")

    def _on_speculate(self, on: bool) -> None:
        self.context.llm.speculate = on
        self.spacing_row.set_enabled(on)
        self.context.changed("llm")

    def _on_spacing(self, value: int) -> None:
        self.context.llm.min_spacing_ms = float(value)
        self.context.changed("llm")

    def _on_limit(self, on: bool) -> None:
        self.budget.setEnabled(on)
        self.context.llm.budget_usd = self.budget.value() if on else None
        self.context.changed("llm")

    def _on_budget(self, value: float) -> None:
        self.context.llm.budget_usd = value
        self.context.changed("llm")

    def _show_fallback(self) -> None:
        wanted = self.context.llm.fallback_model
        items = model_items(self.context.llms.choices, self.tr("Nobody"), wanted, self.tr("{name} (not ready)"))
        self.fallback.show_items(items, wanted)

    def _on_fallback(self, value: object) -> None:
        self.context.llm.fallback_model = str(value) if value is not None else None
        self.context.changed("llm")

    def _on_typing(self) -> None:
        self._show_length()
        self._typing.start()

    def _show_length(self) -> None:
        text = self.prompt.toPlainText().strip()
        self.restore.setEnabled(text != DEFAULT_SYSTEM_PROMPT)
        if not text:
            self.length.setText(self.tr("Empty: the original text is used."))
            return
        if problem := system_prompt_note(text):
            self.length.setText(translated(problem))
            return
        tokens = estimate_tokens([Message("system", text)])
        self.length.setText(
            self.tr("{letters} characters, about {tokens} tokens with every question.").format(
                letters=len(text), tokens=tokens
            )
        )

    def _take_prompt(self) -> None:
        text = self.prompt.toPlainText().strip()
        own = text if text and text != DEFAULT_SYSTEM_PROMPT else None
        if own != self.context.llm.system_prompt:
            self.context.llm.system_prompt = own
            self.context.changed("llm")

    def leave(self) -> None:
        """Take what was typed last."""
        if self._typing.isActive():
            self._typing.stop()
            self._take_prompt()
