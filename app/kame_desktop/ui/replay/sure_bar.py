"""A question before something is gone for good, in the window itself."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from kame_desktop.ui.widgets.labels import RoleLabel


class SureBar(QFrame):
    """Hidden until it asks; the answer that changes nothing has the focus.

    Attributes:
        yes: Delete for good.
        no: Keep.
        question: What it asks.

    Signals:
        sure: Do it.
        closed: It was answered, either way.
    """

    sure = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.question = RoleLabel("", "body", parent=self)
        self.question.setWordWrap(True)
        self.yes = QPushButton(self.tr("Delete for good"), self)
        self.yes.setObjectName("stop")
        self.no = QPushButton(self.tr("Keep"), self)
        for button in (self.yes, self.no):
            button.setAutoDefault(False)
            button.clicked.connect(self.hide)
            button.clicked.connect(self.closed)
        self.yes.clicked.connect(self.sure)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.addWidget(self.question, 1)
        row.addWidget(self.yes)
        row.addWidget(self.no)
        self.hide()

    def ask(self, question: str) -> None:
        """Put a question."""
        self.question.setText(question)
        self.show()
        self.no.setFocus()
