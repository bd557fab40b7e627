"""The PortAudio device on a made-up sound library: what needs no hardware to be known."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from kame_desktop.audio import device_watch, portaudio, streams
from kame_desktop.audio.choices import list_devices, microphone_problem
from kame_desktop.audio.device import PortAudioDevice, PortAudioLoudspeaker
from kame_desktop.audio.portaudio import look_again
from kame_desktop.core.audio_types import FRAME_SAMPLES, PcmFrame
from kame_desktop.core.errors import DeviceError
from kame_desktop.core.settings import DeviceChoice
from tests.fakes.audio import quiet, tone
from tests.fakes.portaudio import FakeSoundDevice, Flags, fake_device

MIC, HEADSET, SPEAKER = (
    fake_device(0, "Mic", 2, 0),
    fake_device(1, "Mic of the headset", 1, 2, 24_000.0),
    fake_device(2, "Speaker", 0, 6, 44_100.0),
)

HEADSET_CHOICE = DeviceChoice(name="Mic of the headset", host_api="ALSA")
SPEAKER_CHOICE = DeviceChoice(name="Speaker")


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
    opened = PortAudioDevice(DeviceChoice(name="mic"), SPEAKER_CHOICE)
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
    opened = PortAudioDevice(HEADSET_CHOICE, HEADSET_CHOICE)
    opened.open()
    sink = library.stream("output")
    assert not sink.take(480).any()
    assert opened.stats.underrun_samples == 0
    opened.write_frame(np.full(FRAME_SAMPLES, 0.5, dtype=np.float32))
    played = np.concatenate([sink.take(480) for _ in range(8)])
    assert np.array_equal(played[:, 0], played[:, 1])
    assert np.flatnonzero(played[:, 0])[0] == 24 * streams.PREFILL_MS
    assert opened.stats.underrun_samples == 8 * 480 - FRAME_SAMPLES - 24 * streams.PREFILL_MS
    opened.stop()


def test_the_reference_is_what_was_played(library: FakeSoundDevice) -> None:
    opened = PortAudioDevice(HEADSET_CHOICE, HEADSET_CHOICE)
    opened.open()
    references = []
    for step in range(8):
        capture_frame(library, opened)
        references.append(opened.reference_frame())
        opened.write_frame(np.full(FRAME_SAMPLES, 0.5 if step == 1 else 0.0, dtype=np.float32))
    loud = np.flatnonzero(np.concatenate(references) > 0.25)
    assert len(loud) == pytest.approx(FRAME_SAMPLES, abs=5)
    assert np.all(np.diff(loud) == 1)
    opened.stop()


def test_sound_that_was_lost_on_its_way_out_does_not_move_the_reference(library: FakeSoundDevice) -> None:
    opened = PortAudioDevice(HEADSET_CHOICE, HEADSET_CHOICE)
    opened.open()
    source, sink = library.stream("input"), library.stream("output")
    references, taken_at = [], []
    for step in range(60):
        while opened.backlog_ms() < 80.0:
            if sink.take(480).max() > 0.25:
                taken_at.append(source.given * 480)
            source.give(np.full(480, 0.1, dtype=np.float32))
        if step == 30:
            for _ in range(2):  # the device was late, throws away what it had, and is filled again at once
                sink.late_by(480)
        assert opened.read_frame() is not None
        references.append(opened.reference_frame())
        opened.write_frame(np.full(FRAME_SAMPLES, 0.5 if step in (15, 36) else 0.0, dtype=np.float32))
    loud = np.flatnonzero(np.concatenate(references) > 0.25)
    seen_at = loud[np.diff(loud, prepend=-(10**6)) > 10_000]
    begun_at = np.asarray(taken_at)[np.diff(taken_at, prepend=-(10**6)) > 10_000]
    lead_ms = (begun_at - seen_at) / 24
    assert len(lead_ms) == 2
    assert abs(lead_ms[1] - lead_ms[0]) <= 20.5, "without a remedy it is 40 ms"
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


def test_leaving_out_sound_makes_no_click(library: FakeSoundDevice) -> None:
    opened = PortAudioDevice(HEADSET_CHOICE, HEADSET_CHOICE)
    opened.open()
    sink = library.stream("output")
    opened.write_frame(np.full(FRAME_SAMPLES, 0.5, dtype=np.float32))
    opened.write_frame(np.full(FRAME_SAMPLES, -0.5, dtype=np.float32))
    played = [sink.take(480)[:, 0] for _ in range(5)]
    opened.skip_playback(FRAME_SAMPLES)
    played.append(sink.take(480)[:, 0])
    sound = np.concatenate(played)
    assert sound[5 * 480 - 1] == 0.5
    assert sound[-1] == -0.5
    assert np.max(np.abs(np.diff(sound[5 * 480 - 1 :]))) < 0.01
    opened.skip_playback(FRAME_SAMPLES)  # more than there is
    assert sink.take(480).any(), "it fades out"
    assert opened.queued_ms() == 0.0
    opened.stop()


def test_hushed_sound_fades_out_and_its_time_passes_in_silence(library: FakeSoundDevice) -> None:
    opened = PortAudioDevice(HEADSET_CHOICE, HEADSET_CHOICE)
    opened.open()
    sink = library.stream("output")
    opened.write_frame(np.full(FRAME_SAMPLES, 0.5, dtype=np.float32))
    opened.write_frame(np.full(FRAME_SAMPLES, 0.5, dtype=np.float32))
    sound = [sink.take(480)[:, 0] for _ in range(5)]
    queued = opened.queued_ms()
    opened.hush()
    assert opened.queued_ms() == queued == 110.0
    sound += [sink.take(480)[:, 0] for _ in range(2)]
    opened.write_frame(np.full(FRAME_SAMPLES, 0.25, dtype=np.float32))
    opened.hush()  # while it is hushed: nothing comes back
    opened.write_frame(np.full(FRAME_SAMPLES, 0.125, dtype=np.float32))
    sound += [sink.take(480)[:, 0] for _ in range(11)]
    played = np.concatenate(sound)[5 * 480 :]
    assert np.abs(np.diff(np.concatenate(([0.5], played[:2_000])))).max() < 0.002
    end = (110 + 80) * 24
    assert not played[round(streams.HUSH_MS * 24) : end].any()
    assert (played[end : end + 1_000] == 0.125).all()
    opened.hush()
    opened.write_frame(np.full(FRAME_SAMPLES, 0.5, dtype=np.float32))
    opened.hush()
    again = np.concatenate([sink.take(480)[:, 0] for _ in range(2)])
    assert 0.1 < again[np.flatnonzero(again)[0]] <= 0.5, "it fades anew"
    opened.stop()
    opened.hush()


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
    opened = PortAudioDevice(DeviceChoice(name="Mic"), SPEAKER_CHOICE)
    opened.open()
    assert (library.stream("input").channels, library.stream("output").channels) == (2, 1)
    capture_frame(library, opened)
    assert np.max(np.abs(capture_frame(library, opened) - 0.25)) < 0.01
    opened.stop()


@pytest.mark.parametrize("refused", [{"input 1", "input 2"}, {"start input"}])
def test_a_microphone_that_refuses_leaves_nothing_open(library: FakeSoundDevice, refused: set[str]) -> None:
    library.refuse |= refused
    opened = PortAudioDevice(DeviceChoice(name="Mic"), SPEAKER_CHOICE)
    with pytest.raises(DeviceError) as caught:
        opened.open()
    assert caught.value.remedy
    assert all(stream.closed for stream in library.streams)


def test_a_refused_format_falls_back_to_another(library: FakeSoundDevice) -> None:
    library.devices = [fake_device(0, "Mic", 4, 0, 32_000.0), fake_device(1, "Speaker", 0, 8, 96_000.0)]
    library.refuse |= {"input 32000", "input 1", "input 2", "output 96000", "output 48000", "output 2", "output 1"}
    opened = PortAudioDevice()
    opened.open()
    source, sink = library.stream("input").options, library.stream("output").options
    assert (source["samplerate"], source["channels"], source["blocksize"]) == (48_000, 4, 960)
    assert (sink["samplerate"], sink["channels"], sink["blocksize"]) == (44_100, 8, 882)
    opened.write_frame(np.full(FRAME_SAMPLES, 0.5, dtype=np.float32))
    played = np.concatenate([library.stream("output").take(882) for _ in range(6)])
    assert np.array_equal(played[:, 0], played[:, 1])
    assert played[:, 0].any()
    assert not played[:, 2:].any()
    for _ in range(5):
        capture_frame(library, opened)
    assert np.max(np.abs(capture_frame(library, opened) - 0.25)) < 0.01
    opened.stop()


def test_when_every_format_is_refused_all_is_named(library: FakeSoundDevice) -> None:
    library.refuse |= {"Mic", "Mic of the headset"}
    with pytest.raises(DeviceError) as caught:
        PortAudioDevice(DeviceChoice(name="Mic")).open()
    assert "'Mic'" in caught.value.what
    assert "asked for 48000 Hz with 1 channel, " in caught.value.what
    assert " and 16000 Hz with 2 channels; " in caught.value.what
    assert "offers 48000 Hz with up to 2 channels" in caught.value.what
    library.refuse = {"busy Mic"}
    with pytest.raises(DeviceError, match="in use by another program"):
        PortAudioDevice().open()


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
    found = list_devices()
    assert [(one.name, one.host_api, one.default) for one in found.inputs] == [
        ("Mic", "ALSA", True),
        ("Mic of the headset", "ALSA", False),
    ]
    assert [(one.name, one.rate_hz, one.channels) for one in found.outputs] == [
        ("Mic of the headset", 24_000, 2),
        ("Speaker", 44_100, 6),
    ]
    assert found.problem is None
    assert microphone_problem() is None
    with pytest.raises(DeviceError, match="loudspeaker called 'x'"):
        PortAudioLoudspeaker(DeviceChoice(name="x"))
    speaker = PortAudioLoudspeaker(SPEAKER_CHOICE)
    speaker.write(tone(80))
    assert not library.stream("output").take(882).any()  # the prefill
    speaker.close()
    speaker.write(tone(80))
    library.refuse.add("start output")
    with pytest.raises(DeviceError, match="could not be started"):
        PortAudioLoudspeaker(SPEAKER_CHOICE)
    library.devices = [SPEAKER]
    assert look_again()
    problem = microphone_problem()
    assert problem is not None
    assert problem.startswith("No microphone was found. ")
    library.devices = []
    found = list_devices(rescan=True)
    assert (found.inputs, found.outputs) == ((), ())
    assert found.problem is not None
    assert "Plug one in" in found.problem


def test_a_sound_system_that_hangs_is_not_waited_for(library: FakeSoundDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portaudio, "PATIENCE_S", 0.02)
    inside, let_go = threading.Event(), threading.Event()

    def hang() -> None:
        with portaudio.portaudio():
            inside.set()
            let_go.wait(5.0)

    holder = threading.Thread(target=hang)
    holder.start()
    assert inside.wait(5.0)
    found = list_devices(rescan=True)
    assert found.problem is not None
    assert "doesn't answer" in found.problem
    assert microphone_problem() is None, "somebody is just opening it"
    with pytest.raises(DeviceError, match="doesn't answer"):
        PortAudioDevice().open()
    let_go.set()
    holder.join(5.0)


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
    opened = PortAudioDevice(HEADSET_CHOICE, HEADSET_CHOICE)
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
    monkeypatch.setattr(device_watch, "FIRST_CALLBACK_S", 0.0)
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
