"""Writes one recording, piece by piece, so that what was written is whole at any moment.

Nothing is held back in buffers: what ``append`` has written survives the death of the process.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kame_desktop.core.audio_types import FRAME_MS, MODEL_RATE_HZ
from kame_desktop.core.event_codec import event_to_dict
from kame_desktop.core.events import Event, RecordingChanged, SttFinal
from kame_desktop.recordings.format import (
    AUDIO_FILE,
    CHANNELS,
    EVENTS_FILE,
    MICROPHONE_FILE,
    SESSION_FILE,
    RecordedFrame,
    RecordingOptions,
    retitled,
)
from kame_desktop.recordings.wav import FileOpener, GrowingWav, Pcm16, pcm16, private_file, write_all

_log = logging.getLogger(__name__)

RESERVE_BYTES = 64_000_000
"""So much of the disk is left to others."""
_LOOK_EVERY_BYTES = 1_000_000
_MOST_NAMES = 1_000
_MOVE_TRIES = 10
_MOVE_PAUSE_S = 0.02
_GAP_MS = 400.0
_QUIET_GAP_MS = 80.0
_QUIET = 100
_SAMPLES_PER_MS = MODEL_RATE_HZ // 1_000


class RecordingFullError(OSError):
    """A recording can't get any longer."""


@dataclass(frozen=True, slots=True, eq=False)
class PackedFrame:
    """The sound of one frame as it is written. ``stereo``: ``[samples, 2]``; ``raw``: ``[samples, 1]`` or None."""

    at_ms: float
    stereo: Pcm16
    raw: Pcm16 | None


def pack(frame: RecordedFrame, *, raw: bool) -> PackedFrame:
    """Copy a frame (some 0.1 ms), so that its arrays may be used again; ``raw``: the microphone's sound, too."""
    return PackedFrame(frame.at_ms, pcm16(frame.cleaned, frame.played), pcm16(frame.raw) if raw else None)


def free_bytes(folder: Path) -> int:
    """What the user may still write there. Raises OSError."""
    return shutil.disk_usage(folder).free


class RecordingWriter:
    """One folder that is being written. It blocks on the disk; owner: one thread at a time.

    Args:
        options: Where, and what is known beforehand.
        start_ms: Session time of the beginning.
        open_file: Makes the files.
        free: What is free in a folder.
        reserve_bytes: The recording ends when less than this is free.

    Raises:
        OSError: By any method but ``close``; ENOSPC also when the reserve is touched. What was written before is whole
            then, and nothing more can be written.
    """

    def __init__(
        self,
        options: RecordingOptions,
        start_ms: float,
        *,
        open_file: FileOpener = private_file,
        free: Callable[[Path], int] = free_bytes,
        reserve_bytes: int = RESERVE_BYTES,
    ) -> None:
        self._meta = options.meta
        self._start_ms = self._last_ms = start_ms
        self._free = free
        self._reserve_bytes = reserve_bytes
        self._unlooked_bytes = 0
        self._wants_raw = options.raw_microphone
        self._open_file = open_file
        self._audio: GrowingWav | None = None
        self._microphone: GrowingWav | None = None
        self.folder = _make_folder(options)
        self._event_bytes = 0
        try:
            self._look()
            self._write_meta()
            self._events = open_file(self.folder / EVENTS_FILE)
        except BaseException:
            with contextlib.suppress(OSError):
                shutil.rmtree(self.folder)
            raise

    def append(self, events: Sequence[Event], frames: Sequence[PackedFrame]) -> None:
        """Write a piece of the session."""
        try:
            self._append_events(events)
            self._append_frames(frames)
            if self._unlooked_bytes >= _LOOK_EVERY_BYTES:
                self._look()
        except OSError:
            self._mend()
            raise

    def close(self, *, complete: bool) -> None:
        """End the recording; ``complete``: nothing went wrong. Raises nothing; idempotent."""
        if self._events.closed:
            return
        for stream in (self._events, self._audio, self._microphone):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._meta = replace(self._meta, duration_ms=round(self._last_ms - self._start_ms, 3), complete=complete)
        try:
            self._write_meta()
        except OSError as error:
            _log.info("A recording was left without its end: %s", type(error).__name__)

    def _append_events(self, events: Sequence[Event]) -> None:
        if not events:
            return
        data = b"".join(_line(event) for event in events)
        self._events.seek(self._event_bytes)
        write_all(self._events, data)
        self._event_bytes += len(data)
        self._unlooked_bytes += len(data)
        self._last_ms = max(self._last_ms, *(event.at_ms for event in events))
        if not self._meta.title:
            said = next((event.text for event in events if isinstance(event, SttFinal) and event.text.strip()), "")
            if said:
                self._meta = retitled(self._meta, said)
                self._write_meta()

    def _append_frames(self, frames: Sequence[PackedFrame]) -> None:
        if not frames:
            return
        audio = self._audio or self._begin_sound(frames[0])
        pieces: list[PackedFrame] = []
        pending = 0
        for frame in frames:
            gap = self._gap_samples(frame, audio.samples + pending)
            if gap:
                self._write_frames(pieces)
                pieces, pending = [], 0
                self._check_room(gap)
                audio.append_silence(gap)
                if self._microphone is not None:
                    self._microphone.append_silence(gap)
            pieces.append(frame)
            pending += len(frame.stereo)
        self._write_frames(pieces)
        self._last_ms = max(self._last_ms, frames[-1].at_ms)

    def _begin_sound(self, first: PackedFrame) -> GrowingWav:
        # The start is on disk before the sound is: without it nobody could lay the two beside each other.
        self._meta = replace(self._meta, audio_start_ms=round(max(0.0, first.at_ms - FRAME_MS), 3))
        self._write_meta()
        if self._wants_raw:
            self._microphone = GrowingWav(self.folder / MICROPHONE_FILE, 1, self._open_file)
        self._audio = GrowingWav(self.folder / AUDIO_FILE, len(CHANNELS), self._open_file)
        return self._audio

    def _gap_samples(self, frame: PackedFrame, samples: int) -> int:
        """How much silence is missing before ``frame``; a little is left until nobody speaks."""
        gap_ms = frame.at_ms - FRAME_MS - (self._meta.audio_start_ms or 0.0) - samples / _SAMPLES_PER_MS
        quiet = gap_ms >= _QUIET_GAP_MS and int(np.abs(frame.stereo.astype(np.int32)).max(initial=0)) < _QUIET
        return round(gap_ms * _SAMPLES_PER_MS) if quiet or gap_ms >= _GAP_MS else 0

    def _write_frames(self, frames: Sequence[PackedFrame]) -> None:
        if not frames or self._audio is None:
            return
        stereo = np.concatenate([frame.stereo for frame in frames])
        self._check_room(len(stereo))
        self._audio.append(stereo)
        self._unlooked_bytes += stereo.nbytes
        if self._microphone is not None:
            raw = [frame.raw if frame.raw is not None else np.zeros_like(frame.stereo[:, :1]) for frame in frames]
            self._microphone.append(np.concatenate(raw))

    def _check_room(self, samples: int) -> None:
        if self._audio is not None and samples > self._audio.room_samples:
            raise RecordingFullError(errno.EFBIG, os.strerror(errno.EFBIG))

    def _look(self) -> None:
        self._unlooked_bytes = 0
        if self._free(self.folder) < self._reserve_bytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _mend(self) -> None:
        """Cut the half-written ends, as far as the disk lets us; a reader does the same."""
        with contextlib.suppress(OSError):
            self._events.truncate(self._event_bytes)
        for sound in (self._audio, self._microphone):
            if sound is not None:
                with contextlib.suppress(OSError):
                    sound.mend()

    def _write_meta(self) -> None:
        """Write ``session.json``, with the title that the user may have given meanwhile."""
        path = self.folder / SESSION_FILE
        given = _stored_title(path)
        if given:
            self._meta = retitled(self._meta, given)
        write_json(path, self._meta.to_dict())


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a small file, readable for the user alone, atomically. Raises OSError; the old one stays then."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            json.dump(content, stream, ensure_ascii=False, indent=1)
            stream.flush()
            os.fsync(stream.fileno())
        _move(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _move(part: Path, path: Path) -> None:
    """Windows refuses while somebody reads the old file, which takes a moment."""
    for _ in range(_MOVE_TRIES if os.name == "nt" else 0):
        with contextlib.suppress(PermissionError):
            part.replace(path)
            return
        time.sleep(_MOVE_PAUSE_S)
    part.replace(path)


def _stored_title(path: Path) -> str:
    try:
        title = json.loads(path.read_text(encoding="utf-8")).get("title")
    except (OSError, ValueError, AttributeError):
        return ""
    return title if isinstance(title, str) else ""


def _make_folder(options: RecordingOptions) -> Path:
    options.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = options.meta.started_at.strftime("%Y-%m-%d_%H-%M-%S")
    for number in range(1, _MOST_NAMES):
        folder = options.root / (name if number == 1 else f"{name}_{number}")
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            return folder
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))


def _line(event: Event) -> bytes:
    """An event as a line. A number that JSON doesn't know is null; letters that are none are escaped.

    Of the recording's folder only the name is written: its path may hold the user's.
    """
    if isinstance(event, RecordingChanged):
        event = replace(event, folder=Path(event.folder).name)
    content = event_to_dict(event)
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(content), ensure_ascii=False)
    return text.encode("utf-8", errors="backslashreplace") + b"\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
