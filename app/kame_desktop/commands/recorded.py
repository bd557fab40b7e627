"""The recording that a command names: a folder, a file in it, or a name in the user's library."""

from __future__ import annotations

import os
from pathlib import Path

from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.recordings.reader import Recording, open_recording

NAME_HELP = "a recording's folder, or its name as 'history list' shows it"


def named_recording(library: RecordingLibrary, name: str) -> Recording:
    """Open it. Raises RecordingError: there is none of that name, or it can't be read."""
    if os.path.lexists(name) or os.sep in name or "/" in name:
        return open_recording(Path(name))
    return open_recording(library.find(name).folder)
