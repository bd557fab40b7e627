"""The real PortAudio device on virtual hardware: a private PulseAudio daemon with null sinks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.virtual_audio import VirtualAudio, needs_virtual_audio, virtual_audio

PROBE = "tests.audio.pulse_probe"

pytestmark = needs_virtual_audio


def test_sound_goes_round_quickly_and_without_gaps(sound: VirtualAudio) -> None:
    seen = sound.probe(PROBE, "round_trip")
    print(json.dumps({name: seen[name] for name in ("round_trip_ms", "reference_lead_ms", "underrun_ms", "stop_s")}))
    assert seen["names"] == ["ci_loop", "ci_speaker"]
    assert seen["events"] == []
    assert 5.0 < seen["seconds"] < 10.0
    assert seen["peak"] == pytest.approx(0.5, abs=0.1)
    assert max(seen["round_trip_ms"]) < 400.0
    # The reference must come before its echo, and within what the canceller can search.
    assert min(seen["reference_lead_ms"]) > 0.0
    assert max(seen["reference_lead_ms"]) < 400.0
    assert max(seen["queued_ms"][10:]) < 200.0
    assert seen["overrun_ms"] == 0.0
    assert seen["stop_s"] < 1.0
    assert seen["after_stop"]
    assert seen["threads"] == ["MainThread"]


def test_a_late_reader_loses_counted_sound_and_catches_up(sound: VirtualAudio) -> None:
    seen = sound.probe(PROBE, "late_reader")
    assert seen["queued_before"] > 1_000.0
    assert seen["queued_after"] == 0.0
    assert seen["overrun_ms"] > 100.0
    assert seen["underrun_ms"] > 1_000.0
    assert 1_900.0 <= seen["backlog_ms"] <= 2_100.0
    assert seen["catch_up_s"] < 1.0
    assert 20 <= seen["frames"] <= 40
    assert not seen["lost"], "it was the reader who was late"


def test_a_sound_server_that_dies_and_comes_back_only_makes_a_pause(sound: VirtualAudio) -> None:
    seen = sound.probe(PROBE, "server_dies")
    print(json.dumps({name: seen[name] for name in ("after_restart_s", "silent_s", "stop_s")}))
    *lost, back = seen["events"]
    assert {(event["component"], event["lost"]) for event in lost} == {("microphone", True), ("loudspeaker", True)}
    assert all(event["remedy"] for event in lost)
    assert back["info"] == {
        "input_name": "ci_loop",
        "output_name": "ci_speaker",
        "realtime": True,
        "has_microphone": True,
    }
    assert "is back" in back["text"]
    assert seen["after_restart_s"] < 10.0
    assert seen["frames_s"] == pytest.approx(seen["seconds"], abs=0.5), "frames went on in real time"
    assert seen["stop_s"] < 1.0


def test_names_absent_devices_and_what_the_commands_say(sound: VirtualAudio) -> None:
    seen = sound.probe(PROBE, "names")
    assert {"ci_mic", "ci_loop"} <= set(seen["inputs"])
    assert "ci_speaker" in seen["outputs"]
    assert seen["problem"] is None
    assert seen["told"] == [
        "There is no microphone called 'no such mic'. 'default' is used instead.",
        "There is no loudspeaker called 'no such speaker'. 'default' is used instead.",
    ]
    what, remedy = seen["error"]
    assert what == "There is no loudspeaker called 'no such speaker'."
    assert remedy
    assert "ci_mic" in seen["lookout"]
    assert seen["recorded"] == 72_000
    assert seen["levels"] == 30
    assert seen["verdict"].startswith("Nothing was heard.")
    assert set(seen["checks"]) == {
        "PortAudio",
        "microphones",
        "microphone opens",
        "loudspeakers",
        "loudspeaker opens",
        "echo canceller",
        "round trip",
    }
    assert "fail" not in seen["checks"].values()
    assert seen["checks"]["round trip"] == "ok"


@pytest.mark.parametrize(("speaker", "microphone"), [((44_100, 2), (44_100, 2)), ((8_000, 1), (8_000, 1))])
def test_hardware_of_other_formats(
    tmp_path_factory: pytest.TempPathFactory, speaker: tuple[int, int], microphone: tuple[int, int]
) -> None:
    folder: Path = tmp_path_factory.mktemp("pulse")
    with virtual_audio(folder, speaker=speaker, microphone=microphone) as audio:
        seen = audio.probe(PROBE, "formats")
    assert seen["lost"] == []
    assert seen["hz"] == pytest.approx(500.0, abs=1.0)
    assert seen["level_dbfs"] == pytest.approx(-13.5, abs=3.0)
