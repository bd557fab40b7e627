"""The recording's sound as a WAV of its own: left the user, right the assistant, with a header that is right."""

from __future__ import annotations

import wave
from typing import BinaryIO

from kame_desktop.core.audio_types import MODEL_RATE_HZ
from kame_desktop.recordings.format import RecordingError
from kame_desktop.recordings.reader import Recording

_BLOCK_SAMPLES = 10 * MODEL_RATE_HZ


def write_wav(recording: Recording, stream: BinaryIO) -> None:
    """Copy the sound in blocks; ``stream`` must be seekable. Raises RecordingError when there is none, OSError."""
    sound = recording.audio()
    if not len(sound):
        raise RecordingError("This recording holds no sound.", "Choose another format; the words are there.")
    with wave.open(stream, "wb") as writer:
        writer.setnchannels(sound.shape[1])
        writer.setsampwidth(sound.dtype.itemsize)
        writer.setframerate(MODEL_RATE_HZ)
        writer.setnframes(len(sound))
        for start in range(0, len(sound), _BLOCK_SAMPLES):
            writer.writeframesraw(sound[start : start + _BLOCK_SAMPLES].astype("<i2").tobytes())
