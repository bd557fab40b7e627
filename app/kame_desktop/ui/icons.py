"""The window's small icons: line drawings in the theme's colours, sharp at every scale."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from kame_desktop.core.paths import assets_dir

_FRAME = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="{colour}" '
    'stroke-width="2" stroke-linecap="round" stroke-linejoin="round">{body}</svg>'
)

_BODIES = {
    "play": '<path fill="{colour}" d="M8 5.5v13l10.5-6.5z"/>',
    "stop": '<rect x="6.5" y="6.5" width="11" height="11" rx="1.5" fill="{colour}"/>',
    "microphone": '<rect x="9" y="3" width="6" height="11" rx="3"/><path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3"/>',
    "question": '<path d="M4 5.5h16v11h-9l-4.5 3.5v-3.5H4z"/><path d="M8.5 9.5h7M8.5 12.7h4.5"/>',
    "file": '<path d="M6 3.5h8l4.5 4.5v12.5H6z"/><path d="M14 3.5V8h4.5M9.5 12v5M12 13.5v2M14.5 11.5v6"/>',
    "close": '<path d="M6.5 6.5l11 11M17.5 6.5l-11 11"/>',
    "down": '<path d="M12 5v13M6.5 13l5.5 5.5 5.5-5.5"/>',
    "alert": '<path d="M12 4L2.8 19.5h18.4z"/><path d="M12 10v4.2M12 16.9v.1"/>',
    "more": '<circle cx="5.5" cy="12" r="1"/><circle cx="12" cy="12" r="1"/><circle cx="18.5" cy="12" r="1"/>',
}


_SIZES = (16, 20, 24, 32, 40, 48, 64)


def icon(name: str, colour: str) -> QIcon:
    """One of the drawings in a colour."""
    body = _BODIES[name].format(colour=colour)
    renderer = QSvgRenderer(QByteArray(_FRAME.format(colour=colour, body=body).encode()))
    drawn = QIcon()
    for size in _SIZES:
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        drawn.addPixmap(pixmap)
    return drawn


def app_icon() -> QIcon:
    """The program's icon."""
    return QIcon(str(assets_dir() / "icons" / "kame-desktop.svg"))
