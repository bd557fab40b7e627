"""All recordings of this user: a folder with one folder each. What is listed comes from ``session.json`` alone.

Nothing here leaves that folder or follows a link out of it. Everything blocks on the disk: not for the GUI thread.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from kame_desktop.core.audio_types import MODEL_RATE_HZ
from kame_desktop.core.errors import ResourceError
from kame_desktop.recordings.format import (
    AUDIO_FILE,
    CHANNELS,
    EVENTS_FILE,
    FILES,
    SESSION_FILE,
    RecordingError,
    clean_title,
)
from kame_desktop.recordings.reader import MOST_LINE_BYTES, MOST_META_BYTES, changed_at, read_meta
from kame_desktop.recordings.wav import HEADER_BYTES, SAMPLE_BYTES
from kame_desktop.recordings.writer import write_json

BUSY_S = 10.0
"""A recording that isn't ended and was written to so recently is under way."""
_DOOMED = ".deleted-"
_BLOCK_BYTES = 1_000_000
_SAID = re.compile(rb'^\{\s*"type":\s*"(?:SttFinal|AgentText)",.*?"text":\s*"((?:[^"\\]|\\.)*)"', re.MULTILINE)
"""The text of a line of ``events.jsonl``, which begins with the type; so it needn't be parsed."""
_LOOK = "See 'kame-desktop history list' for their names."


@dataclass(frozen=True, slots=True)
class Entry:
    """A recording in the list. Its repr has no title: those are the user's words.

    Attributes:
        name: Its folder's.
        started_at: When it began, with the offset of that place.
        duration_ms: How long it is; of one that wasn't ended, how long its sound is.
        size_bytes: What it takes on disk.
        engine: The front end, as the user knows it.
        llm: The language model at the start, likewise.
        complete: It was ended in order.
        problem: Why it can't be opened; "" when it can.
    """

    name: str
    folder: Path
    title: str = field(repr=False)
    started_at: dt.datetime
    duration_ms: float
    size_bytes: int
    engine: str = ""
    llm: str = ""
    complete: bool = True
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Deleted:
    """What was deleted. ``kept``: names of recordings that are under way and so were left."""

    names: tuple[str, ...] = ()
    size_bytes: int = 0
    kept: tuple[str, ...] = ()


class RecordingLibrary:
    """The user's recordings. Any thread; several programs may use the same folder.

    Args:
        root: The folder of all recordings; it needn't be there yet.
        now: The time.
    """

    def __init__(self, root: Path, *, now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)) -> None:
        self.root = root
        self._now = now

    def entries(self) -> list[Entry]:
        """All recordings, the newest first. Raises RecordingError when the folder can't be read."""
        entries = [_entry(found) for found in self._found()]
        return sorted(entries, key=lambda entry: (entry.started_at, entry.name), reverse=True)

    def search(self, query: str, *, stop: Callable[[], bool] = lambda: False) -> Iterator[Entry]:
        """Recordings that have all words of ``query`` in their title or in what was said, the newest first.

        Upper and lower case are one. ``stop`` is asked in between, to end early. Bound: a megabyte of one recording.
        """
        wanted = query.casefold().split()
        for entry in self.entries():
            if stop():
                return
            if _has_all(wanted, itertools.chain((entry.title,), _said(entry, stop))):
                yield entry

    def size_bytes(self) -> int:
        """What all recordings take on disk."""
        return sum(found.size_bytes for found in self._found())

    def find(self, name: str) -> Entry:
        """One recording. Raises RecordingError."""
        return _entry(self._resolve(name))

    def rename(self, name: str, title: str) -> Entry:
        """Give a recording another title; its folder keeps its name. Raises RecordingError, ResourceError."""
        folder = self._resolve(name).folder
        title = clean_title(title)
        if not title:
            raise RecordingError("A title needs at least one letter.", "Give it another one.")
        read_meta(folder)  # a newer version's file isn't touched
        path = folder / SESSION_FILE
        try:
            content = json.loads(path.read_bytes()[:MOST_META_BYTES])
            write_json(path, {**content, "title": title})
        except ValueError:
            raise RecordingError(f"'{name}' can't be renamed: its {SESSION_FILE} is damaged.", "") from None
        except OSError as error:
            raise _refused(name, "renamed", error) from None
        return self.find(name)

    def delete(self, name: str) -> int:
        """Delete a recording for good; returns how many bytes that freed.

        Raises:
            RecordingError: There is none of that name, or it is under way.
            ResourceError: The disk refused.
        """
        found = self._resolve(name)
        if _under_way(found):
            raise RecordingError(f"'{name}' is being recorded.", "Stop the recording first, then delete it.")
        doomed = found.folder.with_name(f"{_DOOMED}{secrets.token_hex(8)}")
        try:
            # It is gone at once, whatever happens meanwhile; what is left of it goes the next time.
            found.folder.rename(doomed)
            _remove(doomed)
        except OSError as error:
            raise _refused(name, "deleted", error) from None
        return found.size_bytes

    def delete_all(self) -> Deleted:
        """Delete every recording but those that are under way. Raises ResourceError."""
        return self._delete(found.folder for found in self._found())

    def delete_older_than(self, days: int) -> Deleted:
        """Delete what began more than ``days`` days ago. Raises ResourceError."""
        limit = self._now() - dt.timedelta(days=days)
        return self._delete(entry.folder for entry in self.entries() if entry.started_at < limit)

    def _delete(self, folders: Iterable[Path]) -> Deleted:
        deleted = Deleted()
        for folder in folders:
            try:
                size = self.delete(folder.name)
            except RecordingError:
                if os.path.lexists(folder):
                    deleted = replace(deleted, kept=(*deleted.kept, folder.name))
                continue
            deleted = replace(deleted, names=(*deleted.names, folder.name), size_bytes=deleted.size_bytes + size)
        return deleted

    def _found(self) -> list[_Found]:
        """The recordings' folders; what is left of deleted ones is cleared away."""
        try:
            with os.scandir(self.root) as items:
                folders = [Path(item.path) for item in items if item.is_dir(follow_symlinks=False)]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise RecordingError(
                f"The recordings in {self.root} can't be listed ({reason}).", "Check the folder's permissions."
            ) from None
        for folder in folders:
            if folder.name.startswith(_DOOMED):
                with contextlib.suppress(OSError):
                    _remove(folder)
        looked = [_look_into(folder) for folder in folders if not folder.name.startswith(".")]
        return [found for found in looked if found is not None]

    def _resolve(self, name: str) -> _Found:
        """What is in the folder of a name: right inside ``root``, and no link."""
        folder = self.root / name
        if name == Path(name).name and not name.startswith(".") and "\0" not in name and not folder.is_symlink():
            found = _look_into(folder)
            if found is not None:
                return found
        raise RecordingError(f"There is no recording named '{clean_title(name)}'.", _LOOK)


@dataclass(frozen=True, slots=True)
class _Found:
    """A folder with files of a recording, readable or not: what it takes, and how much of that is the sound."""

    folder: Path
    size_bytes: int
    sound_bytes: int


def _look_into(folder: Path) -> _Found | None:
    """What is in a folder; None: it can't be read, or holds no file of a recording."""
    total = sound = 0
    known = False
    try:
        with os.scandir(folder) as items:
            for item in items:
                known = known or item.name in FILES
                if item.is_dir(follow_symlinks=False):
                    total += _size(item.path)
                    continue
                size = item.stat(follow_symlinks=False).st_size
                total += size
                if item.name == AUDIO_FILE:
                    sound = size
    except OSError:
        return None
    return _Found(folder, total, sound) if known else None


def _size(folder: str) -> int:
    """What the files in a folder, and in those in it, take."""
    total = 0
    for path, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):
                total += os.lstat(Path(path, name)).st_size
    return total


def _entry(found: _Found) -> Entry:
    folder = found.folder
    try:
        meta, _ = read_meta(folder)
    except RecordingError as error:
        began = changed_at(folder)
        return Entry(folder.name, folder, "", began, 0.0, found.size_bytes, complete=False, problem=str(error))
    sound_ms = max(0, found.sound_bytes - HEADER_BYTES) / (len(CHANNELS) * SAMPLE_BYTES) * 1e3 / MODEL_RATE_HZ
    return Entry(
        name=folder.name,
        folder=folder,
        title=meta.title,
        started_at=meta.started_at,
        duration_ms=sound_ms if meta.duration_ms is None else meta.duration_ms,
        size_bytes=found.size_bytes,
        engine=_label(meta.engine),
        llm=_label(meta.llm),
        complete=meta.complete,
    )


def _label(values: object) -> str:
    """What the user knows a part by."""
    known = values if isinstance(values, dict) else {}
    return clean_title(str(known.get("label") or known.get("name") or ""))


def _under_way(found: _Found) -> bool:
    if _entry(found).complete:
        return False
    with contextlib.suppress(OSError):
        return abs(time.time() - (found.folder / EVENTS_FILE).stat().st_mtime) < BUSY_S
    return False


def _has_all(wanted: list[str], texts: Iterable[str]) -> bool:
    """Whether every wanted word is somewhere in the texts; an empty wish fits everything."""
    missing = set(wanted)
    for text in texts:
        folded = text.casefold()
        missing = {word for word in missing if word not in folded}
        if not missing:
            break
    return not missing


def _said(entry: Entry, stop: Callable[[], bool]) -> Iterator[str]:
    """The words that the user and the assistant said, piece by piece."""
    rest = b""
    with contextlib.suppress(OSError), (entry.folder / EVENTS_FILE).open("rb") as stream:
        while (block := stream.read(_BLOCK_BYTES)) and not stop():
            lines, _, rest = (rest + block).rpartition(b"\n")
            yield "\n".join(_text(found) for found in _SAID.findall(lines))
            if len(rest) > MOST_LINE_BYTES:
                rest = b""
    yield "\n".join(_text(found) for found in _SAID.findall(rest))


def _text(written: bytes) -> str:
    """A text as it stands between the quotes of a JSON line."""
    if b"\\" in written:
        with contextlib.suppress(ValueError):
            return json.loads(b'"' + written + b'"')
    return written.decode("utf-8", errors="replace")


def _remove(folder: Path) -> None:
    """Remove a folder with all in it; a link in it goes, not what it leads to. Raises OSError."""
    with contextlib.suppress(FileNotFoundError):  # another program clears away, too
        shutil.rmtree(folder)


def _refused(name: str, done: str, error: OSError) -> ResourceError:
    reason = error.strerror or type(error).__name__
    return ResourceError(
        f"'{name}' could not be {done} ({reason}).",
        "Close the programs that use it, and check the folder's permissions.",
        component="recording",
    )
