"""WAV files that grow, and what is left of them after a crash.

A header is written again after every piece of sound, so that it is never ahead of the file and at most one piece
behind: any player opens the file at any moment. Reading goes by the size of the file wherever the header is behind it,
and changes nothing on disk.
"""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kame_desktop.core.audio_types import MODEL_RATE_HZ, Pcm

Pcm16: TypeAlias = NDArray[np.int16]
"""16-bit sound: shape ``[samples, channels]``, little endian, ``MODEL_RATE_HZ``."""

HEADER_BYTES = 44
SAMPLE_BYTES = 2
MOST_DATA_BYTES = 0xFFFF_FFFF - HEADER_BYTES - 256
"""What the format can count: 12 hours in stereo."""
_LONGEST_CHUNK_LIST = 64

FileOpener: TypeAlias = Callable[[Path], io.RawIOBase]
"""Makes a file that isn't there yet, for unbuffered writing. Raises OSError."""


class WavError(ValueError):
    """A file that isn't such a WAV; its text says why."""


def private_file(path: Path) -> io.RawIOBase:
    """Make a file that only the user may read."""
    return io.FileIO(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


def write_all(stream: io.RawIOBase, data: bytes) -> None:
    """Write every byte. Raises OSError; then some of them may be written."""
    view = memoryview(data)
    while view:
        written = stream.write(view)
        view = view[written or 0 :]


def pcm16(*channels: Pcm) -> Pcm16:
    """Float sound in [-1, 1], channels of one length, as ``[samples, channels]``; what isn't a number is silence."""
    sound = np.stack([np.nan_to_num(pcm, posinf=1.0, neginf=-1.0) for pcm in channels], axis=1)
    return np.round(np.clip(sound, -1.0, 1.0) * 32767.0).astype("<i2")


def header(channels: int, data_bytes: int) -> bytes:
    """The 44 bytes before the sound."""
    block = channels * SAMPLE_BYTES
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        HEADER_BYTES - 8 + data_bytes,
        b"WAVE",
        b"fmt ",
        16,
        1,
        channels,
        MODEL_RATE_HZ,
        MODEL_RATE_HZ * block,
        block,
        SAMPLE_BYTES * 8,
        b"data",
        data_bytes,
    )


class GrowingWav:
    """A WAV that is being written. Owner: one thread. All but ``close`` raise OSError.

    Attributes:
        samples: How many (of each channel) are written whole.
    """

    def __init__(self, path: Path, channels: int, open_file: FileOpener = private_file) -> None:
        self.samples = 0
        self._channels = channels
        self._stream = open_file(path)
        try:
            write_all(self._stream, header(channels, 0))
        except BaseException:
            self._stream.close()
            raise

    @property
    def room_samples(self) -> int:
        """How many more fit."""
        return MOST_DATA_BYTES // (self._channels * SAMPLE_BYTES) - self.samples

    def append(self, sound: Pcm16) -> None:
        """Add sound, then count it in the header."""
        self._stream.seek(self._end(self.samples))
        write_all(self._stream, sound.tobytes())
        self.samples += len(sound)
        self._write_header()

    def append_silence(self, samples: int) -> None:
        """Add silence; it takes no room where the file system knows holes."""
        self.samples += samples
        self._stream.truncate(self._end(self.samples))
        self._write_header()

    def mend(self) -> None:
        """After a failure: cut what was written of a piece."""
        self._stream.truncate(self._end(self.samples))
        self._write_header()

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()

    def _end(self, samples: int) -> int:
        return HEADER_BYTES + samples * self._channels * SAMPLE_BYTES

    def _write_header(self) -> None:
        self._stream.seek(0)
        write_all(self._stream, header(self._channels, self._end(self.samples) - HEADER_BYTES))


@dataclass(frozen=True, slots=True)
class WavLayout:
    """Where the sound of a file lies: from byte ``offset`` on, ``samples`` of ``channels`` 16-bit numbers."""

    offset: int
    samples: int
    channels: int


def layout(path: Path, channels: int) -> WavLayout:
    """Find the sound of a file that may be cut off anywhere.

    The header is believed where it agrees with the size of the file; else all that follows it is sound. Raises OSError,
    and WavError for what isn't a 16-bit WAV of ``channels`` at 24 kHz.
    """
    with path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        if size < HEADER_BYTES:
            return WavLayout(size, 0, channels)
        riff, riff_bytes, wave = struct.unpack("<4sI4s", stream.read(12))
        if riff != b"RIFF" or wave != b"WAVE":
            raise WavError("it is not a WAV file")
        offset, data_bytes = _find_data(stream, channels)
    there = size - offset
    if not (riff_bytes + 8 == size and data_bytes <= there):
        data_bytes = there
    return WavLayout(offset, data_bytes // (channels * SAMPLE_BYTES), channels)


def _find_data(stream: BinaryIO, channels: int) -> tuple[int, int]:
    """Where the sound begins, and how long the header says it is."""
    known = False
    for _ in range(_LONGEST_CHUNK_LIST):
        head = stream.read(8)
        if len(head) < 8:
            break
        name, length = struct.unpack("<4sI", head)
        if name == b"data":
            if not known:
                break
            return stream.tell(), length
        if name == b"fmt ":
            body = stream.read(16)
            if len(body) < 16:
                break
            code, count, rate, _, _, bits = struct.unpack("<HHIIHH", body)
            if (code, count, rate, bits) != (1, channels, MODEL_RATE_HZ, 8 * SAMPLE_BYTES):
                kind = "stereo" if channels == 2 else "mono"
                raise WavError(f"it is not 16-bit {kind} at {MODEL_RATE_HZ} Hz")
            known = True
            length -= 16
        stream.seek(length + length % 2, os.SEEK_CUR)
    raise WavError("it holds no sound")


def view(path: Path, channels: int) -> Pcm16:
    """The sound of a file, memory-mapped and read-only: ``[samples, channels]``. Raises OSError, WavError."""
    found = layout(path, channels)
    if found.samples == 0:
        return view_of_nothing(channels)
    return np.memmap(path, dtype="<i2", mode="r", offset=found.offset, shape=(found.samples, channels))


def view_of_nothing(channels: int) -> Pcm16:
    """No samples."""
    return np.zeros((0, channels), dtype="<i2")
