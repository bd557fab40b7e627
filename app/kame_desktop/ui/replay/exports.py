"""All forms that a recording can be exported in, for the command line and the window. No Qt."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from kame_desktop.core.errors import BadInputError, ResourceError
from kame_desktop.recordings.export.json_export import as_json
from kame_desktop.recordings.export.markdown import as_markdown
from kame_desktop.recordings.export.model import facts_of, read_conversation
from kame_desktop.recordings.export.subtitles import as_srt, as_vtt
from kame_desktop.recordings.export.text import as_text
from kame_desktop.recordings.export.wav import write_wav
from kame_desktop.recordings.reader import Recording
from kame_desktop.ui.replay.html_page import as_html


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One form.

    Attributes:
        name: On the command line.
        suffix: Of a file, with its dot.
        text: Makes it; None: it is no text.
    """

    name: str
    suffix: str
    text: Callable[[Recording], str] | None = None


FORMATS: dict[str, ExportFormat] = {
    one.name: one
    for one in (
        ExportFormat("html", ".html", lambda recording: as_html(facts_of(recording), recording.events())),
        ExportFormat("text", ".txt", lambda recording: as_text(read_conversation(recording))),
        ExportFormat("markdown", ".md", lambda recording: as_markdown(read_conversation(recording))),
        ExportFormat("json", ".json", lambda recording: as_json(read_conversation(recording))),
        ExportFormat("srt", ".srt", lambda recording: as_srt(read_conversation(recording))),
        ExportFormat("vtt", ".vtt", lambda recording: as_vtt(read_conversation(recording))),
        ExportFormat("wav", ".wav"),
    )
}


def export_text(recording: Recording, form: ExportFormat) -> str:
    """The recording in a form that is text. Blocks on the disk; raises RecordingError, BadInputError."""
    if form.text is None:
        raise BadInputError(f"'{form.name}' is no text.", "Name a file to write it to.")
    return form.text(recording)


def write_export(recording: Recording, form: ExportFormat, target: Path, *, replace: bool) -> None:
    """Write it to a file, whole or not at all. Blocks on the disk.

    Raises:
        BadInputError: There is a file of that name and it may not be replaced, or it can't be written there.
        ResourceError: The disk is full.
        RecordingError: It can't be read, or holds no sound.
    """
    if target.is_dir():
        raise BadInputError(f"{target} is a folder.", "Give the name of a file.")
    if not replace and os.path.lexists(target):
        raise BadInputError(f"{target} is already there.", "Choose another name, or use --force to replace it.")
    if target.resolve().parent == recording.folder:
        raise BadInputError("That is the recording's own folder.", "Choose another folder.")
    data = None if form.text is None else form.text(recording).encode("utf-8", errors="replace")
    try:
        handle, name = tempfile.mkstemp(dir=target.resolve().parent, prefix=".export-", suffix=".part")
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                _fill(stream, recording, data)
            part.replace(target.resolve())
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
    except OSError as error:
        raise _cannot_write(target, error) from None


def _fill(stream: BinaryIO, recording: Recording, data: bytes | None) -> None:
    if data is None:
        write_wav(recording, stream)
    else:
        stream.write(data)


def _cannot_write(target: Path, error: OSError) -> BadInputError | ResourceError:
    reason = error.strerror or type(error).__name__
    what = f"{target} could not be written ({reason})."
    if error.errno == errno.ENOSPC:
        return ResourceError(what, "Free some space, or choose another disk.", component="export")
    return BadInputError(what, "Choose another folder, or check its permissions.", component="export")


def form_of(target: Path, otherwise: ExportFormat) -> ExportFormat:
    """The form that a file's name asks for."""
    wanted = target.suffix.casefold()
    return next((form for form in FORMATS.values() if form.suffix == wanted), otherwise)


def file_name(title: str, form: ExportFormat) -> str:
    """A name for the file of a recording that every system takes."""
    kept = "".join(letter if letter.isalnum() or letter in " -_" else " " for letter in title)
    stem = " ".join(kept.split())[:60].strip(" -_") or "conversation"
    return stem + form.suffix
