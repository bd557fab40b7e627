"""The rules of Auto: which model gets which question, and a place to try them."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, Qt, QTimer
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget

from kame_desktop.backend.llm.catalog import AUTO, AUTO_NAME
from kame_desktop.core.settings import AutoRule
from kame_desktop.ui.phrases import translated
from kame_desktop.ui.settings_dialog.auto_rules import built_in_rules, explain
from kame_desktop.ui.settings_dialog.context import Context, model_items, reset_fields
from kame_desktop.ui.settings_dialog.page import SettingsPage
from kame_desktop.ui.settings_dialog.parts import Note, Picker, SettingRow, Switch, set_checked
from kame_desktop.ui.settings_dialog.rule_row import RuleRow

_TYPING_PAUSE_MS = 600


class AutoPage(SettingsPage):
    """The part of the section "llm" that is about Auto. The first rule that fits decides."""

    key = "auto"
    name = QT_TRANSLATE_NOOP("SettingsPage", "Auto")
    picture = "route"

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.set_intro(
            self.tr(
                "Sends each question to a model by what it is about. The rule with the most of its words in the"
                " question decides; of equals, the upper one."
            ),
        )
        self.rule_rows: list[RuleRow] = []
        self._shown: list[AutoRule] | None = None
        self._before = context.llm.model if context.llm.model != AUTO_NAME else None
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_PAUSE_MS)
        self._typing.timeout.connect(self._take)
        self._build()
        context.llms.changed.connect(self.show_settings)
        self.show_settings()

    def _build(self) -> None:
        card = self.card()
        self.on = Switch(self)
        self.on.toggled.connect(self._on_switched)
        self.on_row = SettingRow(
            self.tr("Let the &rules choose"),
            self.on,
            self.tr("The window shows which model was chosen, and why."),
            self.tr("automatic topic routing model"),
        )
        card.add(self.on_row)
        self.other = Picker(self)
        self.other.picked.connect(self._on_other)
        card.add(
            SettingRow(
                self.tr("&Questions that no rule fits go to"), self.other, "", self.tr("default model else"), wide=True
            )
        )
        self.rules_card = self.card(self.tr("Rules"))
        holder = QWidget(self)
        self._rules = QVBoxLayout(holder)
        self._rules.setContentsMargins(0, 0, 0, 0)
        self._rules.setSpacing(6)
        self.rules_card.add(holder)
        self.add_button = QPushButton(self.tr("&Add"), self)
        self.add_button.setAutoDefault(False)
        self.add_button.setAccessibleName(self.tr("Add a rule"))
        self.add_button.clicked.connect(self.add)
        self.rules_card.add(
            SettingRow(
                self.tr("One more rule"), self.add_button, "", self.tr("new topic keywords"), buddy=self.add_button
            )
        )
        card = self.card(self.tr("Try it"))
        self.question = QLineEdit(self)
        self.question.setPlaceholderText(self.tr("Why is the sky blue?"))
        self.question.setMaxLength(500)
        self.question.textChanged.connect(lambda _: self._show_choice())
        card.add(
            SettingRow(
                self.tr("T&ype a question"),
                self.question,
                "",
                self.tr("try test example which model and why"),
                below=True,
            )
        )
        self.answer = Note(parent=self)
        card.add_plain(self.answer)
        self.column.addStretch(1)

    def follows(self, section: str) -> bool:
        """The model may be chosen on another page."""
        return section == "llm"

    # -- showing ----

    def show_settings(self) -> None:
        """Show what the settings have; the fields of a rule that is being typed are left alone."""
        llm = self.context.llm
        if llm.model != AUTO_NAME:
            self._before = llm.model
        set_checked(self.on, llm.model == AUTO_NAME)
        rules = built_in_rules() if llm.auto_rules is None else llm.auto_rules
        if rules != self._shown and not self._typing.isActive():
            self._fill(rules)
        choices, missing = self.context.llms.choices, self.tr("{name} (not ready)")
        first = self.tr("The first that is ready")
        self.other.show_items(model_items(choices, first, llm.auto_default, missing), llm.auto_default)
        for row in self.rule_rows:
            row.show_models(model_items(choices, self.tr("As other questions"), row.wanted, missing))
        self._show_choice()

    def _fill(self, rules: list[AutoRule]) -> None:
        for row in self.rule_rows:
            self._rules.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rule_rows = []
        for rule in rules:
            self._append(rule)
        self._shown = list(rules)
        self._show_places()

    def _append(self, rule: AutoRule) -> RuleRow:
        row = RuleRow(rule, self)
        row.edited.connect(self._on_typing)
        row.picked.connect(self._take)
        row.moved.connect(lambda by, row=row: self._move(row, by))
        row.removed.connect(lambda row=row: self._remove(row))
        self._rules.addWidget(row)
        self.rule_rows.append(row)
        return row

    def _show_places(self) -> None:
        for number, row in enumerate(self.rule_rows):
            row.show_place(first=number == 0, last=number == len(self.rule_rows) - 1)

    def _show_choice(self) -> None:
        text = self.question.text().strip()
        if not text:
            self.answer.show_note(self.tr("It says here which model would be asked, and why."))
            return
        llms, name = self.context.llms, self.context.llm.auto_default
        default = llms.model(name) if name is not None else llms.first_ready
        if default is None:
            self.answer.show_note(self.tr("There is no model that could be asked."), "alert")
            return
        route = explain([row.rule for row in self.rule_rows], default, text, llms.model)
        words = self.tr("{model} is asked.  {reason}").format(
            model=translated(route.model.label), reason=translated(route.reason)
        )
        self.answer.show_note(words, "check" if route.topic else "info")

    # -- what the user does ----

    def _on_switched(self, on: bool) -> None:
        llms = self.context.llms
        if on:
            self.context.use_model(AUTO)
            return
        before = self._before or self.context.llm.auto_default
        model = llms.model(before) if before is not None else llms.first_ready
        if model is not None:
            self.context.use_model(model)
        else:
            set_checked(self.on, True)

    def _on_other(self, value: object) -> None:
        self.context.llm.auto_default = str(value) if value is not None else None
        self.context.changed("llm")

    def add(self) -> None:
        """A new rule at the end, to be filled in."""
        row = self._append(AutoRule(topic=""))
        self._show_places()
        self.show_settings()
        row.show()
        self.reveal(row)
        row.topic.setFocus(Qt.FocusReason.OtherFocusReason)

    def _move(self, row: RuleRow, by: int) -> None:
        place = self.rule_rows.index(row)
        if not 0 <= place + by < len(self.rule_rows):
            return
        self.rule_rows.insert(place + by, self.rule_rows.pop(place))
        self._rules.removeWidget(row)
        self._rules.insertWidget(place + by, row)
        previous: QWidget | None = None
        for one in self.rule_rows:  # the tab order follows the eye
            for field in one.fields:
                if previous is not None:
                    QWidget.setTabOrder(previous, field)
                previous = field
        self._show_places()
        self._take()

    def _remove(self, row: RuleRow) -> None:
        place = self.rule_rows.index(row)
        self.rule_rows.remove(row)
        self._rules.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._show_places()
        after = self.rule_rows[min(place, len(self.rule_rows) - 1)].remove if self.rule_rows else self.add_button
        after.setFocus(Qt.FocusReason.OtherFocusReason)
        self._take()

    def _on_typing(self) -> None:
        self._typing.start()
        self._show_choice()

    def _take(self) -> None:
        """Put the rules into the settings; one without topic and words isn't one yet."""
        self._typing.stop()
        rules = [rule for row in self.rule_rows if (rule := row.rule).topic or rule.keywords]
        stored = None if rules == built_in_rules() else rules
        if stored != self.context.llm.auto_rules:
            self._shown = built_in_rules() if stored is None else stored
            self.context.llm.auto_rules = stored
            self.context.changed("llm")
        self._show_choice()

    def leave(self) -> None:
        """Take what was typed last."""
        if self._typing.isActive():
            self._take()

    def reset(self) -> None:
        """The built-in rules; whether they are used stays as it is."""
        self._typing.stop()
        reset_fields(self.context.llm, ("auto_rules", "auto_default"))
        self._shown = None
        self.show_settings()
        self.context.changed("llm")
