"""WAV files: a question read in, an answer written out. Every bad file is an AudioFileError in one plain line.

Reading goes through libsndfile (package ``soundfile``) in blocks, so that memory is bounded by the sound at 24 kHz mono
(60 minutes: 345 MB) whatever the rate and number of channels. Writing uses the standard library.
"""

from __future__ import annotations

import contextlib
import os
import stat
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import soundfile

from kame_desktop.audio.base import VoiceActivityDetector
from kame_desktop.audio.level import listening_gain, peak_dbfs
from kame_desktop.audio.resample import StreamResampler, resample_all
from kame_desktop.core.audio_types import MODEL_RATE_HZ, Pcm
from kame_desktop.core.errors import AudioFileError

MAX_MINUTES = 60
MIN_RATE_HZ = 4_000
MAX_RATE_HZ = 384_000
SILENCE_DBFS = -60.0
_WAV_FORMATS = frozenset({"WAV", "WAVEX", "RF64"})
_USE_WAV = "Choose a WAV file (16-bit PCM works best)."


def _trouble(what: str, remedy: str) -> AudioFileError:
    return AudioFileError(what, remedy, component="sound file")


def _check_readable(path: Path) -> None:
    """Raise AudioFileError unless ``path`` is a regular, readable file with something in it."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise _trouble(f"There is no file {path}.", "Check the name and the folder.") from None
    except PermissionError:
        raise _trouble(f"{path} may not be read.", "Check the file's permissions.") from None
    except (OSError, ValueError):
        raise _trouble(f"{path} is not a usable file name.", "Check the name and the folder.") from None
    if stat.S_ISDIR(status.st_mode):
        raise _trouble(f"{path} is a folder, not a sound file.", _USE_WAV)
    if not stat.S_ISREG(status.st_mode):
        raise _trouble(f"{path} is not an ordinary file.", _USE_WAV)
    if status.st_size == 0:
        raise _trouble(f"{path} is empty.", _USE_WAV)
    if not os.access(path, os.R_OK):
        raise _trouble(f"{path} may not be read.", "Check the file's permissions.")


def _decode(path: Path) -> Pcm:
    """All of the file as mono float32 at 24 kHz, in [-1, 1]."""
    # Opened here: soundfile takes no name that isn't UTF-8.
    with path.open("rb") as stream, soundfile.SoundFile(stream.fileno(), closefd=False) as source:
        if source.format not in _WAV_FORMATS:
            raise _trouble(f"{path} is not a WAV file.", _USE_WAV)
        rate = source.samplerate
        if not MIN_RATE_HZ <= rate <= MAX_RATE_HZ:
            raise _trouble(f"{path} has an impossible sample rate ({rate} Hz).", "Save it again at 16 to 48 kHz.")
        if source.frames / rate > MAX_MINUTES * 60:
            raise _trouble(
                f"{path} is longer than {MAX_MINUTES} minutes.",
                "Cut out the part to ask about, and use that.",
            )
        resampler = StreamResampler(rate, MODEL_RATE_HZ)
        pieces: list[Pcm] = []
        for block in source.blocks(blocksize=rate, dtype="float32", always_2d=True):
            mono = block[:, 0] if block.shape[1] == 1 else block.mean(axis=1, dtype=np.float64)
            if not np.isfinite(mono).all():
                raise _trouble(f"{path} holds damaged samples (not numbers).", "Export the sound again, as 16-bit WAV.")
            mono = np.clip(mono, -1.0, 1.0).astype(np.float32)
            piece = resampler.process(mono)
            pieces.append(piece.copy() if piece is mono else piece)
        pieces.append(resampler.flush())
    return np.clip(np.concatenate(pieces), -1.0, 1.0)


def read_wav(path: Path | str) -> Pcm:
    """Read a WAV of any rate and number of channels (8 to 32 bit, float): float32 ``[n]`` at 24 kHz, mono, in [-1, 1].

    A file whose data ends before its header says so is accepted with what is there. Raises AudioFileError for
    everything that is no usable sound: missing, a folder, no WAV, damaged header, no samples, NaN, silence, too long.
    """
    path = Path(path)
    _check_readable(path)
    try:
        pcm = _decode(path)
    except soundfile.LibsndfileError:
        raise _trouble(f"{path} is not a WAV file, or is damaged.", _USE_WAV) from None
    except (OSError, RuntimeError, ValueError, TypeError):
        raise _trouble(f"{path} could not be read.", _USE_WAV) from None
    if pcm.size == 0:
        raise _trouble(f"{path} holds no sound (0 samples).", _USE_WAV)
    if peak_dbfs(pcm) < SILENCE_DBFS:
        raise _trouble(f"{path} holds only silence.", "Check the microphone it was recorded with, and record again.")
    return pcm


_SPEECH_CHUNKS = 3
_WARM_UP_CHUNKS = 4
_MAX_JUDGED_CHUNKS = 4_000
_LEAST_SWING_DB = 3.0


def assert_speech(pcm: Pcm, detector: VoiceActivityDetector, name: str = "the file") -> None:
    """Raise AudioFileError when nobody speaks in ``pcm`` (24 kHz).

    Seconds that are silent, or whose level doesn't move (hum, hiss, clipped noise), are not looked at. The others are
    judged with the liveliest first, until one holds about 100 ms of speech, and at most two minutes of them (some 6 s
    of work): when that leaves a doubt the file is accepted. The detector is reset before and after.
    """
    sound = resample_all(pcm * np.float32(listening_gain(pcm)), MODEL_RATE_HZ, detector.rate_hz)
    size = detector.chunk_samples
    window = size * max(1, detector.rate_hz // size)
    sound = np.pad(sound, (0, -len(sound) % window if len(sound) else window))
    windows = sound.reshape(-1, window)
    part = detector.rate_hz // 100
    parts = windows[:, : window // part * part].reshape(len(windows), window // part, part)
    levels = 10.0 * np.log10(np.mean(np.square(parts), axis=2) + 1e-12)
    swing = np.percentile(levels, 95, axis=1) - np.percentile(levels, 5, axis=1)
    lively = (levels.max(axis=1) > SILENCE_DBFS) & (swing > _LEAST_SWING_DB)
    judged = 0
    try:
        for index in sorted(np.flatnonzero(lively), key=lambda at: -swing[at]):
            detector.reset()
            # A sentence may begin or end in the neighbouring seconds: include a little of both.
            start = max(0, int(index) * window - _WARM_UP_CHUNKS * size)
            stretch = sound[start : (int(index) + 1) * window + _WARM_UP_CHUNKS * size]
            speech = 0
            for at in range(0, len(stretch) - size + 1, size):
                speech += detector.probability(stretch[at : at + size]) >= 0.5
                judged += 1
                if speech >= _SPEECH_CHUNKS:
                    return
            if judged >= _MAX_JUDGED_CHUNKS:
                return
    finally:
        detector.reset()
    raise _trouble(f"No speech was heard in {name}.", "Choose a recording of somebody asking a question in English.")


def _target(path: Path | str) -> Path:
    """The file that writing to ``path`` replaces (links followed); raises AudioFileError when it can't be one."""
    try:
        target = Path(path).resolve()
        if target.is_dir():
            raise _trouble(f"{path} is a folder.", "Give the name of a file to write the answer to.")
        if not target.parent.is_dir():
            raise _trouble(f"There is no folder {target.parent}.", "Make the folder first, or choose another.")
        if target.exists():
            if not target.is_file():
                raise _trouble(f"{path} is not an ordinary file.", "Give the name of a file to write the answer to.")
            if not os.access(target, os.W_OK):
                raise _trouble(f"{path} may not be overwritten.", "Choose another name, or change its permissions.")
    except (OSError, ValueError, RuntimeError):
        raise _trouble(f"{path} is not a usable file name.", "Choose another name.") from None
    return target


def _part_file(target: Path) -> Path:
    return target.with_name(f".{target.name[:200]}.{os.getpid()}.part")


def _cannot_write(path: Path | str, error: OSError) -> AudioFileError:
    reason = error.strerror or type(error).__name__
    return _trouble(f"{path} could not be written ({reason}).", "Choose another folder, or free some space.")


def check_writable(path: Path | str) -> None:
    """Raise AudioFileError when ``write_answer_wav(path, ...)`` would fail. Leaves nothing behind."""
    part = _part_file(_target(path))
    try:
        part.touch()
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def write_answer_wav(path: Path | str, left: Pcm, right: Pcm) -> None:
    """Write what was heard (left) and spoken (right) as stereo 16-bit WAV at 24 kHz; the shorter one gets silence.

    Atomic: the file is whole or, when writing fails, as it was before. Raises AudioFileError.
    """
    _write_wav(path, (left, right))


def write_mono_wav(path: Path | str, pcm: Pcm) -> None:
    """Write one channel as 16-bit WAV at 24 kHz. Atomic. Raises AudioFileError."""
    _write_wav(path, (pcm,))


def _write_wav(path: Path | str, channels: Sequence[Pcm]) -> None:
    target = _target(path)
    samples = np.zeros((max(len(pcm) for pcm in channels), len(channels)), dtype="<i2")
    for channel, pcm in enumerate(channels):
        sound = np.clip(np.nan_to_num(pcm, posinf=1.0, neginf=-1.0), -1.0, 1.0)
        samples[: len(pcm), channel] = np.round(sound * 32767.0)
    part = _part_file(target)
    try:
        with part.open("wb") as stream:
            with wave.open(stream, "wb") as writer:
                writer.setnchannels(len(channels))
                writer.setsampwidth(2)
                writer.setframerate(MODEL_RATE_HZ)
                writer.writeframes(samples.tobytes())
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(target)
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
