"""The real PortAudio device on virtual hardware: a private PulseAudio daemon with null sinks."""

from __future__ import annotations

import ctypes.util
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("pulseaudio") is None or shutil.which("pactl") is None,
        reason="pulseaudio is not installed (apt install pulseaudio libasound2-plugins libportaudio2)",
    ),
    pytest.mark.skipif(ctypes.util.find_library("portaudio") is None, reason="libportaudio2 is not installed"),
    pytest.mark.skipif(importlib.util.find_spec("sounddevice") is None, reason="sounddevice is not installed"),
]

# ci_mic hears what is played into ci_micfeed; ci_loop hears the loudspeaker.
DAEMON = """
load-module module-native-protocol-unix auth-anonymous=1 socket={folder}/native
load-module module-null-sink sink_name=ci_speaker rate=48000 channels=2
load-module module-null-sink sink_name=ci_micfeed rate=48000 channels=1
load-module module-remap-source source_name=ci_mic master=ci_micfeed.monitor
load-module module-remap-source source_name=ci_loop master=ci_speaker.monitor
set-default-sink ci_speaker
set-default-source ci_mic
"""
ALSA = """
pcm.!default { type pulse hint.description "CI default" }
ctl.!default { type pulse }
pcm.ci_speaker { type pulse device "ci_speaker" hint { show on description "speaker" } }
pcm.ci_mic { type pulse device "ci_mic" hint { show on description "microphone" } }
pcm.ci_loop { type pulse device "ci_loop" hint { show on description "microphone at the loudspeaker" } }
"""


@dataclass(frozen=True)
class VirtualAudio:
    """A running daemon: its process and the environment that leads PortAudio to it."""

    environment: dict[str, str]
    pid: int

    def probe(self, name: str, *arguments: str) -> dict[str, Any]:
        """Run one probe in a process of its own; it is killed after 40 s."""
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "tests.audio.pulse_probe", name, *arguments],
            cwd=ROOT,
            env=self.environment | {"PYTHONPATH": f"{ROOT / 'app'}{os.pathsep}{ROOT}"},
            capture_output=True,
            text=True,
            timeout=40,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def virtual_audio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VirtualAudio]:
    folder = tmp_path_factory.mktemp("pulse")
    folder.chmod(0o700)
    (folder / "ci.pa").write_text(DAEMON.format(folder=folder), encoding="utf-8")
    (folder / "asoundrc").write_text(ALSA, encoding="utf-8")
    environment = os.environ | {
        "XDG_RUNTIME_DIR": str(folder),
        "PULSE_RUNTIME_PATH": str(folder / "run"),
        "PULSE_STATE_PATH": str(folder / "state"),
        "PULSE_SERVER": f"unix:{folder}/native",
        "PULSE_COOKIE": str(folder / "cookie"),
        "ALSA_CONFIG_PATH": f"/usr/share/alsa/alsa.conf:{folder}/asoundrc",
    }
    command = "pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no --realtime=no --high-priority=no"
    with (folder / "log").open("wb") as log:
        daemon = subprocess.Popen(
            [*command.split(), "-F", str(folder / "ci.pa")], env=environment, stdout=log, stderr=log
        )
    try:
        give_up = time.monotonic() + 15.0
        while subprocess.run(["pactl", "info"], env=environment, capture_output=True, check=False).returncode != 0:
            assert daemon.poll() is None, (folder / "log").read_text(encoding="utf-8")
            assert time.monotonic() < give_up, "the sound server did not come up"
        yield VirtualAudio(environment, daemon.pid)
    finally:
        daemon.kill()
        daemon.wait(5.0)


def test_sound_goes_round_quickly_and_without_gaps(virtual_audio: VirtualAudio) -> None:
    seen = virtual_audio.probe("round_trip")
    print(json.dumps({name: seen[name] for name in ("round_trip_ms", "reference_lead_ms", "underrun_ms", "stop_s")}))
    assert seen["names"] == ["ci_loop", "ci_speaker"]
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


def test_a_late_reader_loses_counted_sound_and_catches_up(virtual_audio: VirtualAudio) -> None:
    seen = virtual_audio.probe("late_reader")
    assert seen["queued_before"] > 1_000.0
    assert seen["queued_after"] == 0.0
    assert seen["overrun_ms"] > 100.0
    assert seen["underrun_ms"] > 1_000.0
    assert 1_900.0 <= seen["backlog_ms"] <= 2_100.0
    assert seen["catch_up_s"] < 1.0
    assert 20 <= seen["frames"] <= 40


def test_a_device_that_goes_away_is_an_error_with_a_remedy(virtual_audio: VirtualAudio) -> None:
    seen = virtual_audio.probe("gone", str(virtual_audio.pid))
    assert seen["error"] is not None
    assert seen["remedy"]
    assert seen["after_s"] < 6.0
    assert seen["stop_s"] < 1.0


def test_names_and_absent_devices(virtual_audio: VirtualAudio) -> None:
    seen = virtual_audio.probe("names")
    assert {"ci_mic", "ci_loop"} <= set(seen["inputs"])
    assert "ci_speaker" in seen["outputs"]
    assert seen["problem"] is None
    assert [what for what, _ in seen["errors"]] == [
        "There is no microphone called 'no such mic'.",
        "There is no loudspeaker called 'no such speaker'.",
    ]
    assert all(remedy for _, remedy in seen["errors"])
