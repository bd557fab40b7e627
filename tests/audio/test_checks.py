"""The part "audio" of the doctor, on a made-up sound library."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from kame_desktop.audio import checks, device_watch
from kame_desktop.audio.checks import audio_checks, round_trip_ms
from kame_desktop.core.checks import Check, CheckState
from kame_desktop.core.settings import DeviceChoice
from tests.fakes.portaudio import FakeSoundDevice, fake_device


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeSoundDevice]:
    module = FakeSoundDevice([fake_device(0, "Mic", 1, 0), fake_device(1, "Speaker", 0, 2, 44_100.0)])
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    monkeypatch.setattr(checks, "_LISTEN_S", 0.1)
    monkeypatch.setattr(device_watch, "FIRST_CALLBACK_S", 0.3)
    with module.flowing():
        yield module


def look(choice: DeviceChoice | None = None) -> dict[str, Check]:
    return {check.name: check for check in audio_checks(choice, choice)}


def test_all_is_well(library: FakeSoundDevice) -> None:
    library.sound = 0.1
    library.noisy = True
    found = look()
    assert [check.state for check in found.values()] == [CheckState.OK] * 6
    assert "V19.7.0-fake" in found["PortAudio"].what
    assert "'Mic' (ALSA, 48000 Hz)" in found["microphones"].what
    assert found["loudspeaker opens"].values == {"name": "Speaker", "rate_hz": 44_100, "channels": 2}
    assert all(stream.closed for stream in library.streams)


def test_a_silent_microphone_a_missing_choice_and_no_loudspeaker(library: FakeSoundDevice) -> None:
    found = look()
    assert found["microphone opens"].state is CheckState.WARN
    assert "sends only silence" in found["microphone opens"].what
    assert found["microphone opens"].remedy
    found = look(DeviceChoice(name="Headset"))
    assert found["microphone opens"].state is found["loudspeaker opens"].state is CheckState.WARN
    assert "no microphone called 'Headset'" in found["microphone opens"].what
    library.devices = library.devices[:1]
    found = look()
    assert found["loudspeakers"].state is found["loudspeaker opens"].state is CheckState.WARN


def test_a_device_that_refuses_and_none_at_all(library: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    library.refuse = {"busy Mic"}
    found = look()
    assert found["microphone opens"].state is CheckState.FAIL
    assert "in use by another program" in found["microphone opens"].what
    library.devices = []
    found = look()
    assert found["microphones"].state is CheckState.FAIL
    assert found["microphones"].what == "No microphone was found."
    assert found["loudspeakers"].state is CheckState.WARN
    assert found["loudspeakers"].what == "No loudspeaker was found."
    assert "microphone opens" not in found
    monkeypatch.setattr(library, "query_hostapis", library.refuse_to_tell)
    found = look()
    assert "didn't tell" in found["microphones"].what
    assert found["loudspeakers"].what == found["microphones"].what


def test_a_device_that_goes_away_while_it_is_measured_is_named(
    library: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_watch, "FIRST_CALLBACK_S", 5.0)
    unplug = threading.Timer(0.5, lambda: library.stream("output").vanish())
    looking = audio_checks(None, None, measure=True)
    while next(looking).name != "echo canceller":
        pass
    unplug.start()
    (check,) = looking  # the measurement
    unplug.join()
    assert check.name == "round trip"
    assert check.state is CheckState.FAIL
    assert check.what == "The loudspeaker 'Speaker' went away."
    assert check.remedy


def test_chirps_are_found_in_noise_and_only_where_there_are_any() -> None:
    chirp = checks._chirp()
    noise = np.random.default_rng(5).normal(0.0, 0.02, 60 * 1_920).astype(np.float32)
    heard = noise.copy()
    for step in checks._CHIRPS_AT:
        at = (step + 1) * 1_920 + 24 * 123
        heard[at : at + len(chirp)] += 0.1 * chirp
    assert round_trip_ms(heard, chirp) == pytest.approx([123.0] * 3, abs=0.1)
    assert round_trip_ms(noise, chirp) == []
    assert round_trip_ms(np.zeros(100, dtype=np.float32), chirp) == []
