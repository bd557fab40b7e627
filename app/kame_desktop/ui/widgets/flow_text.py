"""Text that grows downward: as high as its words need, without redoing what already stands there.

A ``QTextEdit`` would do the same with half a dozen widgets each; a long conversation has thousands of these.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from kame_desktop.ui import theme

LINE_HEIGHT_PERCENT = 118.0
TAG_PADDING = 2.0
_CLICK_PX = 4.0


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one look.

    Attributes:
        colour: Name of a colour of the theme ("text", "faint", ...) or the number of an answer.
        tag: Drawn as a small pill in the colour.
        strike: Struck through.
        underline: Underlined; "dots" for a dotted line.
        marked: On a tinted ground.
        key: What a click on it is about; None: nothing.
    """

    text: str
    colour: str | int = "text"
    italic: bool = False
    bold: bool = False
    tag: bool = False
    strike: bool = False
    underline: bool | str = False
    marked: bool = False
    key: object = None

    @property
    def look(self) -> tuple[object, ...]:
        """All but the text and its key."""
        return self.colour, self.italic, self.bold, self.tag, self.strike, self.underline, self.marked


def _resolve(colour: str | int) -> QColor:
    shown = theme.current()
    return QColor(shown.generation(colour) if isinstance(colour, int) else getattr(shown, colour))


class FlowText(QWidget):
    """Selectable words in several looks.

    ``set_runs`` keeps the leading runs that are already there and only replaces the tail, so that arriving words
    move nothing and a selection survives. Ctrl+C copies the selection, a double click selects a word.

    Signals:
        clicked: A run with a key was clicked (its key), or something without one (None).
    """

    clicked = Signal(object)

    def __init__(self, role: str = "words", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._role = role
        self._runs: tuple[Run, ...] = ()
        self._ends: list[int] = []
        self._shown = theme.current()
        self._document = QTextDocument(self)
        self._document.setUndoRedoEnabled(False)
        self._document.setDocumentMargin(0)
        self._document.setDefaultFont(theme.scaled_font(role))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._document.setDefaultTextOption(option)
        self._selection = QTextCursor(self._document)
        self._needle = ""
        self._press: QPointF | None = None
        self._height = 0
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self._fit()

    @property
    def runs(self) -> tuple[Run, ...]:
        """What is shown."""
        return self._runs

    @property
    def text(self) -> str:
        """What is shown, without looks."""
        return self._document.toPlainText()

    @property
    def selected_text(self) -> str:
        """What the user has selected."""
        return self._selection.selectedText()

    def set_needle(self, needle: str) -> None:
        """Mark every place where these letters stand, in whatever case; "": none."""
        if needle != self._needle:
            self._needle = needle
            self.update()

    def set_runs(self, runs: Sequence[Run]) -> None:
        """Show these runs."""
        new = tuple(run for run in runs if run.text)
        if new == self._runs:
            self._runs = new  # keys may differ
            return
        kept = 0
        while kept < min(len(new), len(self._runs)) and new[kept] == self._runs[kept]:
            kept += 1
        start = self._ends[kept - 1] if kept else 0
        same = self._same_letters(new, kept)
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        cursor.setPosition(start + same)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        for place, run in enumerate(new[kept:]):
            cursor.insertText(run.text[0 if place else same :], self._format(run))
        if kept == 0:
            block = QTextBlockFormat()
            proportional = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
            block.setLineHeight(LINE_HEIGHT_PERCENT, proportional)
            cursor.mergeBlockFormat(block)
        cursor.endEditBlock()
        self._runs = new
        del self._ends[kept:]
        for run in new[kept:]:
            start += len(run.text)
            self._ends.append(start)
        self.setAccessibleDescription(self.text)
        self._fit()
        self.update()

    def _same_letters(self, new: tuple[Run, ...], place: int) -> int:
        """How many letters at the head of the first changed run stay as they are."""
        if place >= min(len(self._runs), len(new)) or self._runs[place].look != new[place].look:
            return 0
        pairs = zip(self._runs[place].text, new[place].text, strict=False)
        return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))

    def _format(self, run: Run) -> QTextCharFormat:
        font = theme.scaled_font("caption" if run.tag else self._role, bold=run.bold)
        font.setItalic(run.italic)
        if run.tag:
            font.setWeight(QFont.Weight.Bold)
            font.setWordSpacing(TAG_PADDING)
        font.setStrikeOut(run.strike)
        form = QTextCharFormat()
        form.setFont(font)
        if run.underline:
            style = QTextCharFormat.UnderlineStyle
            form.setUnderlineStyle(style.DotLine if run.underline == "dots" else style.SingleUnderline)
        if run.marked:
            ground = QColor(_resolve(run.colour))
            ground.setAlpha(48)
            form.setBackground(ground)
        form.setForeground(QColor(self._shown.on_tag) if run.tag else _resolve(run.colour))
        return form

    def _fit(self) -> None:
        if self._document.textWidth() != self.width():
            self._document.setTextWidth(self.width())
        height = max(1, math.ceil(self._document.size().height()))
        if height != self._height:
            self._height = height
            self.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        """As high as the words need."""
        return QSize(80, self._height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap at the new width."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours and the text size of a new theme."""
        super().changeEvent(event)
        if event.type() not in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange) or not hasattr(self, "_shown"):
            return
        font = theme.scaled_font(self._role)
        if theme.current() is self._shown and font == self._document.defaultFont():
            return
        self._shown = theme.current()
        self._document.setDefaultFont(font)
        runs, self._runs, self._ends = self._runs, (), []
        self._document.clear()
        self.set_runs(runs)
        self._fit()

    # -- selection ----

    def _place(self, point: QPointF) -> int:
        return self._document.documentLayout().hitTest(point, Qt.HitTestAccuracy.FuzzyHit)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a selection."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._press = event.position()
            self._selection.setPosition(self._place(event.position()))
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click is about the run under it."""
        press, self._press = self._press, None
        if press is None or (event.position() - press).manhattanLength() > _CLICK_PX or self._selection.hasSelection():
            return
        self.clicked.emit(self._key_at(event.position()))

    def _key_at(self, point: QPointF) -> object:
        place = self._document.documentLayout().hitTest(point, Qt.HitTestAccuracy.ExactHit)
        if place < 0:
            return None
        return next((run.key for run, end in zip(self._runs, self._ends, strict=True) if place < end), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Extend the selection."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._selection.setPosition(self._place(event.position()), QTextCursor.MoveMode.KeepAnchor)
            self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select a word."""
        self._selection.setPosition(self._place(event.position()))
        self._selection.select(QTextCursor.SelectionType.WordUnderCursor)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy, or select all."""
        if event.matches(QKeySequence.StandardKey.Copy) and self._selection.hasSelection():
            QGuiApplication.clipboard().setText(self.selected_text)
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._selection.select(QTextCursor.SelectionType.Document)
            self.update()
        else:
            super().keyPressEvent(event)

    # -- painting ----

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the tags' pills, then the text over them."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        start = 0
        for run, end in zip(self._runs, self._ends, strict=True):
            if run.tag:
                painter.setBrush(_resolve(run.colour))
                pill = self._pill(start, end)
                painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
            start = end
        context = QAbstractTextDocumentLayout.PaintContext()
        marks = [self._mark(cursor, found=True) for cursor in self._found()]
        if self._selection.hasSelection():
            marks.append(self._mark(self._selection, found=False))
        context.selections = marks  # pyright: ignore[reportAttributeAccessIssue]
        self._document.documentLayout().draw(painter, context)
        painter.end()

    def _found(self) -> Iterator[QTextCursor]:
        """Where the needle stands."""
        cursor = QTextCursor(self._document)
        while self._needle and not (cursor := self._document.find(self._needle, cursor)).isNull():
            yield QTextCursor(cursor)

    def _mark(self, cursor: QTextCursor, *, found: bool) -> QAbstractTextDocumentLayout.Selection:
        selected = QAbstractTextDocumentLayout.Selection()
        selected.cursor = cursor  # pyright: ignore[reportAttributeAccessIssue]
        look = QTextCharFormat()
        if found:
            look.setBackground(QColor(theme.current().found))
            look.setForeground(QColor(theme.current().on_found))
        else:
            look.setBackground(self.palette().brush(QPalette.ColorRole.Highlight))
            look.setForeground(self.palette().brush(QPalette.ColorRole.HighlightedText))
        selected.format = look  # pyright: ignore[reportAttributeAccessIssue]
        return selected

    def _pill(self, start: int, end: int) -> QRectF:
        """The rectangle behind a tag, as high as wide for one digit, centred on the digits."""
        block = self._document.findBlock(start)
        line = block.layout().lineForTextPosition(start - block.position())
        origin = block.layout().position()
        left, right = (
            origin.x() + line.cursorToX(place - block.position())[0]  # pyright: ignore[reportIndexIssue]
            for place in (start, end)
        )
        metrics = QFontMetricsF(theme.scaled_font("caption", bold=True))
        height = metrics.capHeight() + 7.0
        middle = origin.y() + line.y() + line.ascent() - metrics.capHeight() / 2
        width = max(height, right - left)
        return QRectF(max(0.0, (left + right - width) / 2), middle - height / 2, width, height)
