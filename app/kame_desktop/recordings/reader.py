"""Opens a recording, also one that a crash has cut off. Reading changes nothing on disk."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kame_desktop.core.audio_types import MODEL_RATE_HZ
from kame_desktop.core.event_codec import event_from_dict
from kame_desktop.core.events import Event
from kame_desktop.recordings import wav
from kame_desktop.recordings.format import (
    AUDIO_FILE,
    CHANNELS,
    EVENTS_FILE,
    FILES,
    MICROPHONE_FILE,
    SESSION_FILE,
    RecordingError,
    RecordingMeta,
    meta_from_dict,
)

MOST_META_BYTES = 4_000_000
MOST_LINE_BYTES = 4_000_000
_CHOOSE = "Choose the folder of a recording."
_LAST_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording as it lies on disk. Any one thread at a time; ``events`` and the sounds block on the disk.

    Attributes:
        folder: Where it is.
        meta: What ``session.json`` says.
        start_ms: Session time of its beginning.
        duration_ms: From there to the last sound or event.
        problems: What was not in order, for the user ("It wasn't ended in order: ...").
    """

    folder: Path
    meta: RecordingMeta
    start_ms: float
    duration_ms: float
    problems: tuple[str, ...] = field(default=())

    def events(self) -> Iterator[Event]:
        """Everything that happened, in order. Lines and events that this version can't read are left out.

        Raises RecordingError when the file can't be read. Bound: one line in memory.
        """
        for raw in _lines(self.folder):
            event = event_from_dict(raw)
            if event is not None:
                yield event

    def audio(self) -> wav.Pcm16:
        """Left the user, right the assistant: ``[samples, 2]`` at 24 kHz, memory-mapped; its first sample is heard at
        ``meta.audio_start_ms``. No samples when there is no sound. Raises RecordingError.
        """
        return _sound(self.folder / AUDIO_FILE, len(CHANNELS))

    def microphone(self) -> wav.Pcm16:
        """The microphone's own sound, beside ``audio``: ``[samples, 1]``; none when it wasn't recorded."""
        return _sound(self.folder / MICROPHONE_FILE, 1)


def open_recording(path: Path) -> Recording:
    """Open the recording in a folder (or the one that a file of it belongs to).

    Raises:
        RecordingError: It isn't one, is of a newer version, or may not be read.
    """
    folder = _folder(path)
    meta, problems = read_meta(folder)
    first, last = _ends(folder)
    try:
        sound = wav.layout(folder / AUDIO_FILE, len(CHANNELS)).samples if (folder / AUDIO_FILE).is_file() else 0
    except OSError as error:
        raise _unreadable(folder / AUDIO_FILE, error) from None
    except wav.WavError as error:
        problems = (*problems, f"The sound can't be played: {AUDIO_FILE} was changed, {error}.")
        sound = 0
    audio_start_ms = meta.audio_start_ms if sound else None
    starts = [at_ms for at_ms in (audio_start_ms, first) if at_ms is not None]
    start_ms = min(starts, default=0.0)
    ends = [start_ms, last if last is not None else start_ms]
    if audio_start_ms is not None:
        ends.append(audio_start_ms + sound * 1e3 / MODEL_RATE_HZ)
    return Recording(folder, meta, start_ms, max(ends) - start_ms, problems)


def read_meta(folder: Path) -> tuple[RecordingMeta, tuple[str, ...]]:
    """What ``session.json`` says of a recording, and what is wrong with it. Raises RecordingError.

    A folder that only lacks a readable ``session.json`` is taken for a recording all the same.
    """
    try:
        with (folder / SESSION_FILE).open("rb") as stream:
            raw = json.loads(stream.read(MOST_META_BYTES))
    except (FileNotFoundError, ValueError, RecursionError):
        if not any((folder / name).is_file() for name in (EVENTS_FILE, AUDIO_FILE)):
            raise RecordingError(
                f"There is no recording in '{folder.name}': {SESSION_FILE} is missing or damaged.", _CHOOSE
            ) from None
        return RecordingMeta(started_at=changed_at(folder), app_version="", python="", platform=""), (
            f"{SESSION_FILE} is missing or damaged: when it was made, and with what, isn't known.",
        )
    except OSError as error:
        raise _unreadable(folder / SESSION_FILE, error) from None
    meta = meta_from_dict(raw, folder.name, lambda: changed_at(folder))
    problems = () if meta.complete else ("It wasn't ended in order: the last second may be missing.",)
    return meta, problems


def changed_at(folder: Path) -> dt.datetime:
    """When it was changed last, in local time."""
    with contextlib.suppress(OSError, ValueError, OverflowError):
        return dt.datetime.fromtimestamp(folder.stat().st_mtime).astimezone()
    return dt.datetime.fromtimestamp(0).astimezone()


def _folder(path: Path) -> Path:
    try:
        if path.is_file() and path.name in FILES:
            path = path.parent
        mode = path.stat().st_mode
        folder = path.resolve()
    except (FileNotFoundError, NotADirectoryError):
        raise RecordingError(f"There is nothing at {path}.", "Check the name and the folder.") from None
    except (OSError, ValueError, RuntimeError):
        raise RecordingError(f"{path} can't be opened.", "Check the name, the folder and its permissions.") from None
    if not stat.S_ISDIR(mode):
        raise RecordingError(f"{path} is a file; a recording is a folder.", _CHOOSE)
    return folder


def _unreadable(path: Path, error: OSError) -> RecordingError:
    reason = error.strerror or type(error).__name__
    return RecordingError(f"{path} can't be read ({reason}).", "Check its permissions and the disk.")


def _sound(path: Path, channels: int) -> wav.Pcm16:
    try:
        return wav.view(path, channels)
    except FileNotFoundError:
        return wav.view_of_nothing(channels)
    except OSError as error:
        raise _unreadable(path, error) from None
    except wav.WavError as error:
        raise RecordingError(f"The sound can't be played: {path.name} was changed, {error}.", _CHOOSE) from None


def _lines(folder: Path) -> Iterator[dict[str, Any]]:
    """The objects of ``events.jsonl``; a line that is none (the last one breaks off after a crash) is left out."""
    path = folder / EVENTS_FILE
    try:
        with path.open("rb") as stream:
            while line := stream.readline(MOST_LINE_BYTES):
                raw = _parsed(line)
                if raw is not None:
                    yield raw
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unreadable(path, error) from None


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        raw = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    return raw if isinstance(raw, dict) else None


def _ends(folder: Path) -> tuple[float | None, float | None]:
    """Times of the first event and the latest of the last ones, without reading what lies between."""
    path = folder / EVENTS_FILE
    first = next((event.at_ms for raw in _lines(folder) if (event := event_from_dict(raw)) is not None), None)
    if first is None:
        return None, None
    try:
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            stream.seek(max(0, size - _LAST_BYTES))
            tail = stream.read(_LAST_BYTES).split(b"\n")
    except OSError as error:
        raise _unreadable(path, error) from None
    events = [event_from_dict(raw) for line in tail if (raw := _parsed(line)) is not None]
    return first, max((event.at_ms for event in events if event is not None), default=first)
