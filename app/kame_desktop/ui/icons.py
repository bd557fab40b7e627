"""The window's small icons: line drawings in the theme's colours, sharp at every scale."""

from __future__ import annotations

import functools

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
    "pause": '<path fill="{colour}" d="M8 5.5h2.5v13H8zM13.5 5.5H16v13h-2.5z"/>',
    "stop": '<rect x="6.5" y="6.5" width="11" height="11" rx="1.5" fill="{colour}"/>',
    "microphone": '<rect x="9" y="3" width="6" height="11" rx="3"/><path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3"/>',
    "microphone_off": '<path d="M9 9v2a3 3 0 0 0 4.6 2.5M15 10.5V6a3 3 0 0 0-5.8-1"/>'
    '<path d="M5.5 11.5a6.5 6.5 0 0 0 10 5.4M18.5 11.5a6.4 6.4 0 0 1-.6 2.7M12 18v3M4 4l16 16"/>',
    "speaker": '<path d="M4 9.5h3.5L12 5.5v13l-4.5-4H4z"/>'
    '<path d="M15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a7.8 7.8 0 0 1 0 11"/>',
    "speaker_off": '<path d="M4 9.5h3.5L12 5.5v13l-4.5-4H4z"/><path d="M16 9.5l5 5M21 9.5l-5 5"/>',
    "question": '<path d="M4 5.5h16v11h-9l-4.5 3.5v-3.5H4z"/><path d="M8.5 9.5h7M8.5 12.7h4.5"/>',
    "file": '<path d="M6 3.5h8l4.5 4.5v12.5H6z"/><path d="M14 3.5V8h4.5M9.5 12v5M12 13.5v2M14.5 11.5v6"/>',
    "close": '<path d="M6.5 6.5l11 11M17.5 6.5l-11 11"/>',
    "down": '<path d="M12 5v13M6.5 13l5.5 5.5 5.5-5.5"/>',
    "alert": '<path d="M12 4L2.8 19.5h18.4z"/><path d="M12 10v4.2M12 16.9v.1"/>',
    "spark": '<path d="M12 3.5l1.9 5.6 5.6 1.9-5.6 1.9L12 18.5l-1.9-5.6L4.5 11l5.6-1.9z"/>'
    '<path d="M19 16.5v4M17 18.5h4"/>',
    "key": '<circle cx="8" cy="15.5" r="4"/><path d="M11 12.5l8-8M16 7.5l2.5 2.5M13.5 10l1.8 1.8"/>',
    "speech": '<path d="M4 5h16v11h-9l-4.5 3.5V16H4z"/>',
    "route": '<circle cx="5.5" cy="12" r="2"/><path d="M7.5 12H11c3 0 2.5-6 6-6h3M11 12c3 0 2.5 6 6 6h3"/>'
    '<path d="M17.5 3.5L20 6l-2.5 2.5M17.5 15.5L20 18l-2.5 2.5"/>',
    "palette": '<circle cx="12" cy="12" r="8.5"/><path fill="{colour}" d="M12 3.5a8.5 8.5 0 0 1 0 17z"/>',
    "shield": '<path d="M12 3.5l7.5 2.8v5.2c0 4.3-3 7.6-7.5 9-4.5-1.4-7.5-4.7-7.5-9V6.3z"/>'
    '<path d="M8.7 11.8l2.4 2.4 4.3-4.6"/>',
    "check": '<path d="M5 12.5l4.7 4.7L19.5 7"/>',
    "search": '<circle cx="10.5" cy="10.5" r="6"/><path d="M15 15l5.5 5.5"/>',
    "info": '<circle cx="12" cy="12" r="8.5"/><path d="M12 11.2v5M12 7.9v.1"/>',
    "up": '<path d="M12 19V6M6.5 11L12 5.5 17.5 11"/>',
    "trash": '<path d="M4.5 6.5h15M9.5 6.5V4h5v2.5M6.5 6.5l1 13.5h9l1-13.5M10.2 10v6.5M13.8 10v6.5"/>',
    "minus": '<path d="M6 12h12"/>',
    "plus": '<path d="M6 12h12M12 6v12"/>',
    "all": '<path d="M3.5 12h17M3.5 12l4-4M3.5 12l4 4M20.5 12l-4-4M20.5 12l-4 4"/>',
    "newest": '<path d="M5 6.5l6 5.5-6 5.5M12 6.5l6 5.5-6 5.5M20.5 6v12"/>',
    "back": '<path d="M14.5 6L8.5 12l6 6"/>',
    "forward": '<path d="M9.5 6l6 6-6 6"/>',
    "more": '<circle cx="5.5" cy="12" r="1"/><circle cx="12" cy="12" r="1"/><circle cx="18.5" cy="12" r="1"/>',
}


_SIZES = (16, 20, 24, 32, 40, 48, 64)


@functools.lru_cache(maxsize=256)
def icon(name: str, colour: str) -> QIcon:
    """One of the drawings in a colour. GUI thread only."""
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
