"""The PortAudio device on a made-up sound library: what needs no hardware to be known."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from kame_desktop.audio import device, portaudio
from kame_desktop.audio.device import PortAudioDevice, PortAudioLoudspeaker
from kame_desktop.audio.portaudio import device_names, look_again, microphone_problem
from kame_desktop.core.audio_types import FRAME_SAMPLES, PcmFrame
from kame_desktop.core.errors import DeviceError
from tests.fakes.audio import quiet, tone
from tests.fakes.portaudio import FakeSoundDevice, Flags, fake_device

MIC, HEADSET, SPEAKER = (
    fake_device(0, "Mic", 2, 0),
    fake_device(1, "Mic of the headset", 1, 2, 24_000.0),
    fake_device(2, "Speaker", 0, 6, 44_100.0),
)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> FakeSoundDevice:
    module = FakeSoundDevice([MIC, HEADSET, SPEAKER])
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    return module


def capture_frame(library: FakeSoundDevice, opened: PortAudioDevice, value: float = 0.25) -> PcmFrame:
    """Let 20 ms blocks pass in both directions until a frame is complete."""
    source, sink = library.stream("input"), library.stream("output")
    for _ in range(6):
        sink.take(sink.options["blocksize"])
        source.give(np.full(source.options["blocksize"], value, dtype=np.float32))
        if opened.backlog_ms() >= 90.0:
            break
    frame = opened.read_frame()
    assert frame is not None
    return frame


def test_each_stream_runs_at_its_own_rate_in_blocks_of_20_ms(library: FakeSoundDevice) -> None:
    opened = PortAudioDevice("mic", "Speaker")
    opened.open()
    assert opened.info.input_name == "Mic"
    source, sink = library.stream("input").options, library.stream("output").options
    assert (source["device"], source["samplerate"], source["blocksize"], source["channels"]) == (0, 48_000, 960, 1)
    assert (sink["device"], sink["samplerate"], sink["blocksize"], sink["channels"]) == (2, 44_100, 882, 2)
    frames = [capture_frame(library, opened) for _ in range(4)]
    assert all(frame.shape == (FRAME_SAMPLES,) and frame.dtype == np.float32 for frame in frames)
    assert np.max(np.abs(frames[2] - 0.25)) < 0.01
    opened.stop()
    assert all(stream.closed for stream in library.streams)
    assert opened.read_frame() is None


def test_playback_begins_soon(library: FakeSoundDevice) -> None:
    opened = PortAudioDevice("Mic of the headset", "Mic of the headset")
    opened.open()
    sink = library.stream("output")
    assert not sink.take(480).any()
    assert opened.stats.underrun_samples == 0
    opened.write_frame(np.full(FRAME_SAMPLES, 0.5, dtype=np.float32))
    played = np.concatenate([sink.take(480) for _ in range(8)])
    assert np.array_equal(played[:, 0], played[:, 1])
    assert np.flatnonzero(played[:, 0])[0] == 24 * device.PREFILL_MS
    assert opened.stats.underrun_samples == 8 * 480 - FRAME_SAMPLES - 24 * device.PREFILL_MS
    opened.stop()


def test_the_reference_is_what_was_played(library: FakeSoundDevice) -> None:
    opened = PortAudioDevice("Mic of the headset", "Mic of the headset")
    opened.open()
    references = []
    for step in range(6):
        capture_frame(library, opened)
        references.append(opened.reference_frame())
        opened.write_frame(np.full(FRAME_SAMPLES, 0.5 if step == 1 else 0.0, dtype=np.float32))
    loud = np.flatnonzero(np.concatenate(references))
    assert len(loud) == FRAME_SAMPLES
    assert np.all(np.diff(loud) == 1)
    opened.stop()


def test_grown_queue_shrinks_in_silence_but_never_in_speech(library: FakeSoundDevice) -> None:
    opened = PortAudioDevice()
    opened.open()
    for _ in range(5):
        opened.write_frame(tone(80))
    grown = opened.queued_ms()
    assert grown > 400.0
    opened.write_frame(quiet(80))
    assert opened.queued_ms() == pytest.approx(grown, abs=1.0)
    opened.skip_playback(24 * 100)
    library.stream("output").take(480)
    assert opened.queued_ms() == pytest.approx(grown - 120.0, abs=1.0)
    opened.stop()


def test_what_is_lost_is_counted(library: FakeSoundDevice) -> None:
    opened = PortAudioDevice()
    opened.open()
    source, sink = library.stream("input"), library.stream("output")
    source.give(quiet(2_500, 48_000))
    assert opened.stats.overrun_samples == 12_000
    source.give(quiet(0, 48_000))
    sink.take(480, Flags(output_underflow=True))
    assert opened.stats.underrun_samples == 480
    for _ in range(25):
        opened.write_frame(tone(80))
    assert opened.stats.overrun_samples > 12_000
    opened.stop()


def test_two_channels_when_one_is_refused(library: FakeSoundDevice) -> None:
    library.refuse |= {"input 1", "output 2"}
    opened = PortAudioDevice("Mic", "Speaker")
    opened.open()
    assert (library.stream("input").channels, library.stream("output").channels) == (2, 1)
    capture_frame(library, opened)
    assert np.max(np.abs(capture_frame(library, opened) - 0.25)) < 0.01
    opened.stop()


@pytest.mark.parametrize("refused", [{"input 1", "input 2"}, {"output 1", "output 2"}, {"start input"}])
def test_a_device_that_refuses_leaves_nothing_open(library: FakeSoundDevice, refused: set[str]) -> None:
    library.refuse |= refused
    opened = PortAudioDevice("Mic", "Speaker")
    with pytest.raises(DeviceError) as caught:
        opened.open()
    assert caught.value.remedy
    assert all(stream.closed for stream in library.streams)


def test_no_sound_for_too_long_and_unplugging(library: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "FIRST_CALLBACK_S", 0.05)
    monkeypatch.setattr(device, "_LOOK_S", 0.06)
    opened = PortAudioDevice()
    opened.open()
    with pytest.raises(DeviceError, match="delivers no sound"):
        opened.read_frame()
    opened.stop()
    again = PortAudioDevice()
    again.open()
    timer = threading.Timer(0.02, library.stream("output").vanish)
    timer.start()
    with pytest.raises(DeviceError, match="went away"):
        again.read_frame()
    timer.join()
    again.stop()


def test_interrupt_wakes_a_blocked_read(library: FakeSoundDevice) -> None:
    opened = PortAudioDevice()
    opened.open()
    timer = threading.Timer(0.02, opened.interrupt)
    timer.start()
    begin = time.perf_counter()
    assert opened.read_frame() is None
    assert time.perf_counter() - begin < 0.2
    timer.join()
    opened.stop()


def test_a_hanging_close_is_left_alone(library: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portaudio, "_CLOSE_S", 0.05)
    opened = PortAudioDevice()
    opened.open()
    let_go = threading.Event()

    def hang(ignore_errors: bool = True) -> None:
        let_go.wait(5.0)

    monkeypatch.setattr(library.stream("input"), "abort", hang)
    begin = time.perf_counter()
    opened.stop()
    assert time.perf_counter() - begin < 1.0
    let_go.set()
    for thread in threading.enumerate():
        if thread.name == "audio-close":
            thread.join(5.0)


def test_names_problems_and_the_loudspeaker_alone(library: FakeSoundDevice) -> None:
    assert device_names() == (["Mic", "Mic of the headset"], ["Mic of the headset", "Speaker"])
    assert microphone_problem() is None
    for wanted, what in ((("Nope", None), "microphone called 'Nope'"), ((None, "x"), "loudspeaker called 'x'")):
        with pytest.raises(DeviceError, match=what):
            PortAudioDevice(*wanted).open()
    speaker = PortAudioLoudspeaker("Speaker")
    speaker.write(tone(80))
    assert not library.stream("output").take(882).any()  # the prefill
    speaker.close()
    speaker.write(tone(80))
    library.refuse.add("start output")
    with pytest.raises(DeviceError, match="could not be started"):
        PortAudioLoudspeaker("Speaker")
    library.devices = [SPEAKER]
    assert look_again()
    problem = microphone_problem()
    assert problem is not None
    assert problem.startswith("No microphone was found. ")
    library.devices = []
    assert look_again()
    assert device_names() == ([], [])


def test_what_is_plugged_in_later_is_found(library: FakeSoundDevice) -> None:
    library.devices = [SPEAKER]
    assert look_again()
    library.devices = [MIC, SPEAKER]
    assert microphone_problem() is None
    library.devices = [HEADSET]
    opened = PortAudioDevice()
    opened.open()
    assert opened.info.input_name == "Mic of the headset"
    library.devices = []
    assert not look_again(), "a stream is open"
    assert microphone_problem() is None
    opened.stop()
    assert look_again()
    assert microphone_problem() is not None


def test_the_conversation_begins_with_the_first_sound_and_not_before(library: FakeSoundDevice) -> None:
    opened = PortAudioDevice("Mic of the headset", "Mic of the headset")
    opened.open()
    source = library.stream("input")
    source.give(np.full(3 * 24_000, 0.5, dtype=np.float32))  # while models load: more than the ring holds
    assert opened.stats.overrun_samples > 0
    opened.start()
    assert opened.stats.overrun_samples == 0
    assert opened.backlog_ms() == 0.0
    assert np.max(np.abs(capture_frame(library, opened) - 0.25)) < 0.01
    opened.stop()


def test_a_conversation_waits_for_a_microphone_that_wakes_up(
    library: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = PortAudioDevice()
    opened.open()
    timer = threading.Timer(0.02, library.stream("input").give, [quiet(20, 48_000)])
    timer.start()
    opened.start()
    timer.join()
    opened.stop()
    monkeypatch.setattr(device, "FIRST_CALLBACK_S", 0.0)
    asleep = PortAudioDevice()
    asleep.open()
    with pytest.raises(DeviceError, match="delivers no sound"):
        asleep.start()
    asleep.interrupt()
    asleep.start()
    asleep.stop()


@pytest.mark.parametrize(("failure", "said"), [("OSError", "libportaudio2"), ("ImportError", "pip install")])
def test_without_the_library(failure: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sounddevice.py").write_text(f"raise {failure}('PortAudio library not found')\n", encoding="utf-8")
    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(DeviceError):
        PortAudioDevice().open()
    problem = microphone_problem()
    assert problem is not None
    assert said in problem
