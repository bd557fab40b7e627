"""Devices that come and go under a conversation, on a made-up sound library: the device's own threads are real."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from kame_desktop.audio import device_keeper, device_watch
from kame_desktop.audio.base import DeviceChoiceInfo, DeviceEvent, DeviceList
from kame_desktop.audio.device import PortAudioDevice
from kame_desktop.audio.device_keeper import DeviceKeeper
from kame_desktop.audio.portaudio import look_again
from kame_desktop.audio.streams import DeviceWish
from kame_desktop.core.audio_types import FRAME_SAMPLES
from kame_desktop.core.errors import DeviceError
from kame_desktop.core.settings import DeviceChoice
from tests.fakes.audio import tone
from tests.fakes.portaudio import FakeSoundDevice, fake_device

MIC = fake_device(0, "Mic", 1, 0)
SPEAKER = fake_device(1, "Speaker", 0, 2)
HEADSET = fake_device(2, "Headset: Audio (hw:1,0)", 1, 2, 16_000.0)
HEADSET_ELSEWHERE = fake_device(2, "Headset: Audio (hw:3,0)", 1, 2, 16_000.0)
CHOICE = DeviceChoice(name="Headset: Audio (hw:1,0)", host_api="ALSA")


class FakeLookout:
    """Sees the devices that the test says are there."""

    def __init__(self, seen: DeviceList) -> None:
        self.seen = seen
        self.looks = threading.Semaphore(0)
        self.closed = False

    def look(self) -> DeviceList | None:
        self.looks.release()
        return self.seen

    def end(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeSoundDevice]:
    """Sound flows through whatever is open."""
    module = FakeSoundDevice([MIC, SPEAKER])
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    monkeypatch.setattr(device_keeper, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(device_keeper, "LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(device_keeper, "LOOK_AT_DEFAULT_EVERY_S", 0.01)
    with module.flowing():
        yield module


@pytest.fixture
def lookout() -> FakeLookout:
    return FakeLookout(seen(MIC, SPEAKER))


MakeDevice = Callable[..., PortAudioDevice]


@pytest.fixture
def make_device(library: FakeSoundDevice, lookout: FakeLookout) -> Iterator[MakeDevice]:
    """Makes a device that is stopped in the end. ``follows``: the system follows the default device by itself."""
    made: list[PortAudioDevice] = []

    def make(choice: DeviceChoice | None = None, *, follows: bool = True) -> PortAudioDevice:
        def keeper(wish: DeviceWish, wake: threading.Event) -> DeviceKeeper:
            return DeviceKeeper(wish, wake, lookout=lambda: lookout, follows=follows)

        made.append(PortAudioDevice(choice, choice, make_keeper=keeper))
        return made[-1]

    yield make
    for device in made:
        device.stop()


def seen(*devices: dict[str, object]) -> DeviceList:
    """What a lookout would see; the first fitting device is the default."""

    def half(kind: str) -> tuple[DeviceChoiceInfo, ...]:
        names = [str(one["name"]) for one in devices if one[f"max_{kind}_channels"]]
        return tuple(DeviceChoiceInfo(name, "ALSA", 0, 0, at == 0) for at, name in enumerate(names))

    return DeviceList(half("input"), half("output"))


def read_until_told(device: PortAudioDevice, what: str) -> DeviceEvent:
    """Go on with the conversation until an event holds ``what``."""
    give_up_s = time.monotonic() + 10.0
    while time.monotonic() < give_up_s:
        assert device.read_frame() is not None
        device.write_frame(np.zeros(FRAME_SAMPLES, dtype=np.float32))
        for event in device.take_events():
            if what in event.text:
                return event
    raise AssertionError(f"nothing was told about: {what}")


def unplug(library: FakeSoundDevice, *left: dict[str, object]) -> None:
    """What is in use goes; these are left."""
    library.devices = list(left)
    for kind in ("input", "output"):
        library.stream(kind).vanish()


def wait_for_looks(lookout: FakeLookout, count: int = 2) -> None:
    """At least one look began after this call."""
    while lookout.looks.acquire(blocking=False):
        pass
    for _ in range(count):
        assert lookout.looks.acquire(timeout=5.0)


def test_the_conversation_goes_on_in_silence_and_then_on_the_same_device(
    library: FakeSoundDevice, make_device: MakeDevice
) -> None:
    library.devices = [MIC, SPEAKER, HEADSET]
    library.sound = 0.25
    opened = make_device(CHOICE)
    opened.open()
    opened.start()
    assert not opened.take_events()
    assert opened.read_frame() is not None
    first = library.stream("input")
    unplug(library)
    while not (lost := opened.take_events()):
        assert opened.read_frame() is not None
    assert [(event.component, event.lost) for event in lost] == [("microphone", True), ("loudspeaker", True)]
    assert all(CHOICE.name in event.text and event.remedy for event in lost)
    begin_s = time.monotonic()
    frames = [opened.read_frame() for _ in range(5)]
    assert time.monotonic() - begin_s > 0.3, "at the pace of real time"
    assert all(frame is not None and not frame.any() for frame in frames)
    opened.write_frame(tone(80))
    assert opened.queued_ms() == opened.backlog_ms() == 0.0
    assert not opened.reference_frame().any()
    library.devices = [MIC, SPEAKER, HEADSET_ELSEWHERE]
    event = read_until_told(opened, "hw:3,0")
    assert event.info is not None
    assert event.info == opened.info
    assert event.info.input_name == event.info.output_name == HEADSET_ELSEWHERE["name"]
    assert first.closed
    heard = [opened.read_frame() for _ in range(4)]
    assert max(float(frame.max()) for frame in heard if frame is not None) > 0.2
    opened.write_frame(tone(80))
    assert opened.queued_ms() > 0.0


def test_an_unplugged_device_is_replaced_by_the_default_and_returned_to(
    library: FakeSoundDevice, make_device: MakeDevice, lookout: FakeLookout
) -> None:
    library.devices = [MIC, SPEAKER, HEADSET]
    opened = make_device(CHOICE)
    opened.open()
    opened.start()
    unplug(library, MIC, SPEAKER)
    event = read_until_told(opened, "instead")
    assert event.text.count("instead") == 2
    assert "There is no microphone called 'Headset" in event.text
    assert event.info is not None
    assert (event.info.input_name, event.info.output_name) == ("Mic", "Speaker")
    wait_for_looks(lookout)
    for _ in range(8):
        opened.read_frame()
    assert opened.info.input_name == "Mic", "nothing changed, so nothing is touched"
    library.devices = [MIC, SPEAKER, HEADSET]
    lookout.seen = seen(MIC, SPEAKER, HEADSET)
    event = read_until_told(opened, "used now")
    assert event.info is not None
    assert event.info.input_name == event.info.output_name == HEADSET["name"]


def test_the_chosen_device_is_missing_from_the_start(make_device: MakeDevice) -> None:
    opened = make_device(CHOICE)
    opened.open()
    events = opened.take_events()
    assert [(event.component, event.name, event.lost, event.info) for event in events] == [
        ("microphone", "Mic", False, None),
        ("loudspeaker", "Speaker", False, None),
    ]
    assert events[0].text == f"There is no microphone called '{CHOICE.name}'. 'Mic' is used instead."
    assert (opened.info.input_name, opened.info.output_name) == ("Mic", "Speaker")


def test_a_device_in_use_elsewhere_is_replaced_and_named(library: FakeSoundDevice, make_device: MakeDevice) -> None:
    library.devices = [MIC, SPEAKER, HEADSET]
    library.refuse = {f"busy {HEADSET['name']}"}
    opened = make_device(CHOICE)
    opened.open()
    assert "is in use by another program. 'Mic' is used instead." in opened.take_events()[0].text


def test_a_device_that_another_program_lets_go_is_tried_again(
    library: FakeSoundDevice, make_device: MakeDevice, lookout: FakeLookout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_keeper, "TRY_AGAIN_S", 0.3)
    library.devices = [MIC, SPEAKER, HEADSET]
    lookout.seen = seen(MIC, SPEAKER, HEADSET)
    library.refuse = {f"busy {HEADSET['name']}"}
    opened = make_device(CHOICE)
    opened.open()
    opened.start()
    assert opened.info.input_name == "Mic"
    library.refuse = set()
    assert read_until_told(opened, "used now").info == opened.info
    assert opened.info.input_name == opened.info.output_name == HEADSET["name"]


def test_without_a_loudspeaker_the_conversation_is_heard_and_with_one_later_it_speaks(
    library: FakeSoundDevice, make_device: MakeDevice, lookout: FakeLookout
) -> None:
    library.devices = [MIC]
    library.sound = 0.2
    lookout.seen = seen(MIC)
    opened = make_device()
    opened.open()
    opened.start()
    (event,) = opened.take_events()
    assert (event.component, event.lost) == ("loudspeaker", True)
    assert event.text == "No loudspeaker was found. Until there is one, the answers can only be read."
    opened.write_frame(tone(80))
    opened.skip_playback(100)
    frames = [opened.read_frame() for _ in range(3)]
    assert all(frame is not None and frame.any() for frame in frames)
    wait_for_looks(lookout)
    library.sound = 0.0
    library.devices = [MIC, SPEAKER]
    lookout.seen = seen(MIC, SPEAKER)
    event = read_until_told(opened, "'Speaker' is used now")
    assert event.info is not None
    opened.write_frame(tone(80))
    assert opened.queued_ms() > 0.0
    opened.stop()
    assert lookout.closed


def test_a_microphone_that_goes_for_good_leaves_the_loudspeaker(
    library: FakeSoundDevice, make_device: MakeDevice, lookout: FakeLookout
) -> None:
    opened = make_device()
    opened.open()
    opened.start()
    library.devices = [SPEAKER]
    lookout.seen = seen(SPEAKER)
    library.stream("input").vanish()
    event = read_until_told(opened, "can't be heard")
    assert (event.component, event.lost) == ("microphone", True)
    assert opened.info.input_name == "no microphone"
    for _ in range(4):
        frame = opened.read_frame()
        assert frame is not None
        assert not frame.any()
    opened.write_frame(tone(80))
    assert opened.queued_ms() > 0.0
    library.devices = [MIC, SPEAKER]
    lookout.seen = seen(MIC, SPEAKER)
    assert read_until_told(opened, "'Mic' is used now").info == opened.info


def test_another_default_device_is_followed_where_the_system_does_not_but_not_in_mid_sentence(
    library: FakeSoundDevice, make_device: MakeDevice, lookout: FakeLookout
) -> None:
    opened = make_device(follows=False)
    opened.open()
    opened.start()
    wait_for_looks(lookout)
    library.devices = [HEADSET, MIC, SPEAKER]
    lookout.seen = seen(HEADSET, MIC, SPEAKER)
    for _ in range(12):  # the assistant speaks
        assert opened.read_frame() is not None
        opened.write_frame(tone(80))
    assert not opened.take_events()
    event = read_until_told(opened, "used now")
    assert not event.lost
    assert opened.info.input_name == opened.info.output_name == HEADSET["name"]


def test_callbacks_that_stop_are_noticed_and_the_time_is_made_up_for(
    library: FakeSoundDevice, make_device: MakeDevice
) -> None:
    opened = make_device()
    opened.open()
    opened.start()
    for _ in range(8):
        assert opened.read_frame() is not None
    library.stream("input").muffled = True
    library.devices = []
    begin_s = time.monotonic()
    frames = 0
    while not opened.take_events():
        assert opened.read_frame() is not None
        frames += 1
    took_s = time.monotonic() - begin_s
    assert took_s > device_watch.STALL_S / 2
    while time.monotonic() - begin_s < took_s + 0.2:
        assert opened.read_frame() is not None
        frames += 1
    assert frames * 0.08 > took_s, "the frames that nobody captured are delivered as silence"


def test_a_microphone_that_sends_only_silence_is_told_once(
    library: FakeSoundDevice, make_device: MakeDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_watch, "SILENCE_S", 0.2)
    opened = make_device()
    opened.open()
    opened.start()
    event = read_until_told(opened, "sends only silence. It may be muted")
    assert (event.component, event.name, event.lost, event.info) == ("microphone", "Mic", False, None)
    library.stream("input").muffled = True
    library.stream("input").give(tone(200, rate_hz=48_000))
    library.stream("input").muffled = False
    assert not read_until_told(opened, "heard again").lost
    for _ in range(8):
        assert opened.read_frame() is not None
    assert not opened.take_events()


def test_a_microphone_that_never_answers_ends_the_start(
    library: FakeSoundDevice, make_device: MakeDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_watch, "FIRST_CALLBACK_S", 0.0)
    opened = make_device()
    opened.open()
    library.stream("input").muffled = True
    library.stream("input").options["callback"] = lambda *_: None
    with pytest.raises(DeviceError, match="delivers no sound"):
        opened.start()


def test_losses_add_up_over_devices(library: FakeSoundDevice, make_device: MakeDevice) -> None:
    opened = make_device()
    opened.open()
    opened.start()
    library.stream("output").late_by(480)
    lost = opened.stats.underrun_samples
    assert lost == 240
    unplug(library, MIC, SPEAKER)
    read_until_told(opened, "back")
    assert opened.stats.underrun_samples >= lost
    library.stream("output").late_by(48_000)
    assert opened.stats.underrun_samples >= lost + 24_000
    opened.stop()
    assert opened.stats.underrun_samples >= lost + 24_000


def test_stopping_while_the_library_hangs_takes_a_moment(
    library: FakeSoundDevice, make_device: MakeDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = make_device()
    opened.open()
    opened.start()
    inside, let_go = threading.Event(), threading.Event()
    initialize = library._initialize

    def hang() -> None:
        inside.set()
        let_go.wait(10.0)
        initialize()

    monkeypatch.setattr(library, "_initialize", hang)
    unplug(library, MIC, SPEAKER)
    while not opened.take_events():
        assert opened.read_frame() is not None
    assert inside.wait(5.0)
    begin_s = time.monotonic()
    opened.stop()
    assert time.monotonic() - begin_s < 2.0
    let_go.set()
    for thread in threading.enumerate():
        if thread.name == "audio-keeper":
            thread.join(5.0)
    assert all(stream.closed for stream in library.streams)
    assert look_again(), "nothing is open"
