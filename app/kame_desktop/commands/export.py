"""``kame-desktop export``: a recording as text, subtitles, JSON, sound or a web page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Protocol

from kame_desktop.commands.output import put
from kame_desktop.commands.recorded import NAME_HELP, named_recording
from kame_desktop.commands.runner import EXIT_OK
from kame_desktop.core.errors import BadInputError
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.ui.replay.exports import FORMATS, ExportFormat, export_text, form_of, write_export


class ExportApp(Protocol):
    """What this command needs of ``Application``."""

    def recordings(self) -> RecordingLibrary:
        """The user's recordings."""
        ...


def add_export(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``export`` to the program's parser."""
    export = subparsers.add_parser("export", help="a recording as text, Markdown, JSON, subtitles, sound or a web page")
    export.add_argument("recording", metavar="FOLDER|NAME", help=NAME_HELP)
    export.add_argument("--format", choices=sorted(FORMATS), help="default: what --out's ending says, else text")
    export.add_argument("--out", type=Path, metavar="FILE", help="default: standard output (not for wav)")
    export.add_argument("--force", action="store_true", help="replace a file that is already there")


def run_export(app: ExportApp, arguments: argparse.Namespace) -> int:
    """Do what ``add_export`` parsed; returns the exit code. Raises AppError."""
    form = _form(arguments.format, arguments.out)
    if arguments.out is None and form.text is None:
        raise BadInputError("Sound can't go to the terminal.", "Name a file with --out.", component="export")
    recording = named_recording(app.recordings(), arguments.recording)
    for problem in recording.problems:
        sys.stderr.write(f"kame-desktop: {problem}\n")
    if arguments.out is None:
        put(export_text(recording, form))
        return EXIT_OK
    write_export(recording, form, arguments.out, replace=arguments.force)
    sys.stderr.write(f"Written: {arguments.out}\n")
    return EXIT_OK


def _form(name: str | None, out: Path | None) -> ExportFormat:
    if name is not None:
        return FORMATS[name]
    return FORMATS["text"] if out is None else form_of(out, FORMATS["text"])
