"""WAV files that grow, and are cut off anywhere."""

from __future__ import annotations

import stat
import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.recordings import wav

SOUND = np.arange(2_000, dtype="<i2").reshape(-1, 2)


def written(path: Path, *pieces: int) -> Path:
    """A stereo file of the first samples of ``SOUND``, in pieces of so many."""
    growing = wav.GrowingWav(path, 2)
    at = 0
    for size in pieces:
        growing.append(SOUND[at : at + size])
        at += size
    growing.close()
    return path


def test_any_player_opens_it_after_every_piece(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    growing = wav.GrowingWav(path, 2)
    for at in range(0, 1_000, 100):
        growing.append(SOUND[at : at + 100])
        sound, rate = soundfile.read(path, dtype="int16")
        assert rate == 24_000
        assert np.array_equal(sound, SOUND[: at + 100])
    growing.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    written(tmp_path / "a.wav", 10)
    with pytest.raises(FileExistsError):
        wav.GrowingWav(tmp_path / "a.wav", 2)


@given(cut=st.integers(0, 44 + 400), stated=st.integers(0, 2**32 - 1) | st.none())
def test_whatever_a_crash_leaves_opens_as_far_as_it_goes(
    tmp_path_factory: pytest.TempPathFactory, cut: int, stated: int | None
) -> None:
    path = written(tmp_path_factory.mktemp("wav") / "a.wav", 60, 40)
    content = bytearray(path.read_bytes()[:cut])
    if stated is not None and len(content) >= 44:
        content[4:8] = struct.pack("<I", (stated + 36) % 2**32)
        content[40:44] = struct.pack("<I", stated)
    path.write_bytes(content)
    sound = wav.view(path, 2)
    whole = max(0, (cut - 44) // 4)
    # A header that agrees with the size of the file is believed; it can't say more than is there.
    assert np.array_equal(sound, SOUND[:whole])


def test_chunks_of_another_program_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, SOUND, 24_000, subtype="PCM_16")
    content = bytearray(path.read_bytes())
    at = content.index(b"data")
    content[at:at] = b"LIST" + struct.pack("<I", 5) + b"abcde\0"
    content += b"id3 " + struct.pack("<I", 4) + b"abcd"
    content[4:8] = struct.pack("<I", len(content) - 8)
    path.write_bytes(content)
    assert np.array_equal(wav.view(path, 2), SOUND)


@pytest.mark.parametrize(
    ("rate", "channels", "subtype"), [(48_000, 2, "PCM_16"), (24_000, 1, "PCM_16"), (24_000, 2, "PCM_24")]
)
def test_another_kind_of_sound_is_refused(tmp_path: Path, rate: int, channels: int, subtype: str) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, np.zeros((100, channels)), rate, subtype=subtype)
    with pytest.raises(wav.WavError, match="not 16-bit stereo at 24000 Hz"):
        wav.view(path, 2)


@pytest.mark.parametrize("content", [b"\0" * 100, b"RIFF" + b"\0" * 96, b"RIFF\x5c\0\0\0WAVE" + b"\0" * 88])
def test_what_is_no_wav_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    with pytest.raises(wav.WavError):
        wav.view(path, 2)


def test_a_half_written_piece_is_cut(tmp_path: Path) -> None:
    growing = wav.GrowingWav(tmp_path / "a.wav", 2)
    growing.append(SOUND[:50])
    with (tmp_path / "a.wav").open("ab") as stream:
        stream.write(b"abc")
    growing.mend()
    growing.close()
    assert (tmp_path / "a.wav").stat().st_size == 44 + 200
    assert np.array_equal(soundfile.read(tmp_path / "a.wav", dtype="int16")[0], SOUND[:50])


def test_silence_is_added(tmp_path: Path) -> None:
    growing = wav.GrowingWav(tmp_path / "a.wav", 2)
    growing.append(SOUND[:5])
    growing.append_silence(7)
    growing.append(SOUND[5:8])
    growing.close()
    expected = np.concatenate([SOUND[:5], np.zeros((7, 2), dtype="<i2"), SOUND[5:8]])
    assert np.array_equal(soundfile.read(tmp_path / "a.wav", dtype="int16")[0], expected)


def test_float_sound_becomes_16_bits_and_damage_becomes_silence() -> None:
    left = np.array([0.0, 1.0, -1.0, 2.0, np.nan, np.inf], dtype=np.float32)
    assert wav.pcm16(left, -left).tolist() == [
        [0, 0],
        [32767, -32767],
        [-32767, 32767],
        [32767, -32767],
        [0, 0],
        [32767, -32767],
    ]


def test_it_says_how_much_more_fits(tmp_path: Path) -> None:
    growing = wav.GrowingWav(tmp_path / "a.wav", 2)
    hours = growing.room_samples / 24_000 / 3_600
    growing.append_silence(1_000)
    growing.close()
    assert 12.0 < hours < 12.5
    assert struct.pack("<I", wav.HEADER_BYTES + wav.MOST_DATA_BYTES)
