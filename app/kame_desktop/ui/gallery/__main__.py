"""The command line of the gallery."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from kame_desktop.ui.app import prepare_application
from kame_desktop.ui.gallery.render import SIZES, render, use_best_font
from kame_desktop.ui.gallery.scenes import SCENES


def main(arguments: Sequence[str]) -> int:
    """Render all scenes, or those that are named after the folder."""
    if not arguments:
        sys.stderr.write("usage: python -m kame_desktop.ui.gallery OUT [SCENE ...]\n")
        return 2
    app = QApplication(sys.argv[:1])
    prepare_application(app)
    use_best_font(app)
    for path in render(app, Path(arguments[0]), arguments[1:] or list(SCENES), SIZES):
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
