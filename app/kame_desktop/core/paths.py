"""Where files live: the bundle or checkout for what ships with the program, the user's folders for what it writes."""

from __future__ import annotations

import sys
from pathlib import Path

_APP_NAME = "kame-desktop"


def assets_dir() -> Path:
    """Folder of shipped files: beside the package when installed or frozen, at the root of a checkout otherwise."""
    bundle = getattr(sys, "_MEIPASS", None)
    candidates = [Path(bundle) / "assets"] if bundle else []
    package = Path(__file__).resolve().parent.parent
    candidates += [package / "assets", package.parent.parent / "assets"]
    for folder in candidates:
        if folder.is_dir():
            return folder
    return candidates[-1]


def sample_questions() -> list[Path]:
    """The spoken sample questions that ship with the program."""
    return sorted(assets_dir().glob("question_*.wav"))


def config_dir() -> Path:
    """The user's settings folder."""
    from platformdirs import user_config_path

    return user_config_path(_APP_NAME, appauthor=False)


def data_dir() -> Path:
    """The user's folder for what the program makes (answers, recordings)."""
    from platformdirs import user_data_path

    return user_data_path(_APP_NAME, appauthor=False)


def state_dir() -> Path:
    """The user's folder for logs."""
    from platformdirs import user_state_path

    return user_state_path(_APP_NAME, appauthor=False)
