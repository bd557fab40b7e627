"""The session's recorder: everything is in it, and nothing it meets holds the conversation up."""

from __future__ import annotations

import errno
import io
import logging
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES
from kame_desktop.core.events import (
    AudioPeaks,
    DeviceChanged,
    ModelChanged,
    RecordingChanged,
    SessionState,
    SessionStateChanged,
    SttFinal,
    SttPartial,
)
from kame_desktop.recordings.format import AUDIO_FILE, EVENTS_FILE, RecordingOptions
from kame_desktop.recordings.reader import Recording, open_recording
from kame_desktop.recordings.writer import RecordingWriter
from kame_desktop.session.recorder import MOST_FRAMES
from tests.recordings.talk import PATIENCE_S, Talk, frame

SECRET = "the user's secret words"


def numbers(recording: Recording) -> list[tuple[int, int]]:
    """What each frame's sound says, left and right."""
    sound = recording.audio()
    assert len(sound) % FRAME_SAMPLES == 0
    frames = sound.reshape(-1, FRAME_SAMPLES, 2)
    assert (frames == frames[:, :1]).all()
    return [(int(left), int(right)) for left, right in frames[:, 0]]


def partial(rev: int, at_ms: float = 80.0) -> SttPartial:
    return SttPartial(at_ms=at_ms, utterance=1, rev=rev, text="word " * rev, stable_words=0)


def test_all_sound_and_every_event_is_recorded_in_order(tmp_path: Path) -> None:
    with Talk(tmp_path / "recordings") as talk:
        folder = talk.start()
        happened = [partial(rev) for rev in range(1, 60)]  # of these a mailbox would keep the newest only
        talk.play(10, *happened)
        talk.play(15)
        talk.stop()
    recording = open_recording(folder)
    assert numbers(recording) == [(number, -number) for number in range(1, 26)]
    events = list(recording.events())
    assert [event for event in events if isinstance(event, SttPartial)] == happened
    assert [event.frame for event in events if isinstance(event, AudioPeaks)] == list(range(25))
    assert (
        events.index(happened[0])
        == next(at for at, event in enumerate(events) if isinstance(event, AudioPeaks) and event.frame == 9) + 1
    )
    assert recording.meta.complete
    assert recording.problems == ()
    assert (recording.start_ms, recording.duration_ms) == (0.0, 25 * FRAME_MS)
    assert recording.microphone().shape == (0, 1)


def test_a_recording_that_begins_in_the_middle_shows_what_holds_then(tmp_path: Path) -> None:
    with Talk(tmp_path) as talk:
        talk.play(
            3,
            SessionStateChanged(at_ms=0.0, state=SessionState.READY),
            SessionStateChanged(at_ms=0.0, state=SessionState.RUNNING),
            ModelChanged(at_ms=0.0, model="old", label="Old"),
            ModelChanged(at_ms=1.0, model="new", label="New"),
            DeviceChanged(at_ms=0.0, input_name="in", output_name="out"),
        )
        folder = talk.start()
        talk.play(5)
        talk.stop()
        talk.play(5)
        talk.settle()
    recording = open_recording(folder)
    assert list(recording.events())[:4] == [
        SessionStateChanged(at_ms=240.0, state=SessionState.RUNNING),
        ModelChanged(at_ms=240.0, model="new", label="New"),
        DeviceChanged(at_ms=240.0, input_name="in", output_name="out"),
        RecordingChanged(at_ms=240.0, recording=True, folder=folder.name),
    ]
    assert numbers(recording) == [(number, -number) for number in range(4, 9)]
    assert (recording.start_ms, recording.duration_ms) == (240.0, 400.0)
    assert recording.meta.audio_start_ms == 240.0


def test_what_happens_while_the_folder_is_made_comes_after_what_held_before(tmp_path: Path) -> None:
    def make_writer(options: RecordingOptions, start_ms: float) -> RecordingWriter:
        talk.bus.publish(SessionStateChanged(at_ms=5.0, state=SessionState.RUNNING))
        return RecordingWriter(options, start_ms)

    with Talk(tmp_path, make_writer=make_writer) as talk:
        talk.play(0, SessionStateChanged(at_ms=0.0, state=SessionState.LOADING))
        folder = talk.start()
        talk.stop()
    states = [event.state for event in open_recording(folder).events() if isinstance(event, SessionStateChanged)]
    assert states == [SessionState.LOADING, SessionState.RUNNING]


def test_the_microphone_is_kept_beside_it_when_asked_for(tmp_path: Path) -> None:
    with Talk(tmp_path, raw_microphone=True) as talk:
        folder = talk.start()
        talk.play(4)
        talk.stop()
    raw = open_recording(folder).microphone()
    assert raw.shape == (4 * FRAME_SAMPLES, 1)
    assert list(raw[::FRAME_SAMPLES, 0]) == [1001, 1002, 1003, 1004]


def test_a_second_start_and_a_second_stop_change_nothing(tmp_path: Path) -> None:
    with Talk(tmp_path) as talk:
        talk.recorder.stop()
        first = talk.start()
        talk.recorder.start(talk.options)
        talk.play(2)
        assert talk.stop() == RecordingChanged(at_ms=160.0, recording=False, folder=str(first))
        talk.recorder.stop()
        second = talk.start()
        talk.play(1)
        talk.stop()
        assert [event.recording for event in talk.told(4)] == [True, False, True, False]
    assert first != second
    assert sorted(tmp_path.iterdir()) == [first, second]
    assert numbers(open_recording(first)) == [(1, -1), (2, -2)]
    assert numbers(open_recording(second)) == [(3, -3)]


def test_a_stop_and_a_start_at_once_make_two_recordings_or_go_on(tmp_path: Path) -> None:
    with Talk(tmp_path) as talk:
        talk.start()
        for _ in range(20):
            talk.recorder.stop()
            talk.recorder.start(talk.options)
        talk.play(1)
        talk.settle()
        while not talk.told(1)[-1].recording:
            talk.told(len(talk.told(1)) + 1)
        assert talk.stop().recording is False
    assert all(open_recording(folder).meta.complete for folder in tmp_path.iterdir())


def test_a_wish_before_the_loop_runs_is_remembered(tmp_path: Path) -> None:
    talk = Talk(tmp_path, runs=False)
    talk.recorder.start(talk.options)
    talk.run()
    with talk:
        assert talk.told(1)[0].recording


def test_the_end_of_the_session_ends_the_recording_in_order(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    folder = talk.start()
    talk.play(200, SttFinal(at_ms=16_000.0, utterance=1, text="What is the capital of France?"))
    assert talk.host.stop(PATIENCE_S)
    recording = open_recording(folder)
    assert len(numbers(recording)) == 200
    assert recording.meta.complete
    assert recording.meta.title == "What is the capital of France?"
    assert isinstance(list(recording.events())[-1], SttFinal)
    assert talk.told(2)[-1] == RecordingChanged(at_ms=16_000.0, recording=False, folder=str(folder))
    assert talk.activity.in_flight == 0


class FullDisk:
    """Makes files on a disk with so much room; a write that doesn't fit is cut, the next one is refused."""

    def __init__(self, room: int) -> None:
        self.room = room

    def __call__(self, path: Path) -> io.RawIOBase:
        return _FileOnFullDisk(path, self)


class _FileOnFullDisk(io.FileIO):
    def __init__(self, path: Path, disk: FullDisk) -> None:
        super().__init__(path, "xb")
        self._disk = disk

    def write(self, data: Any, /) -> int:
        size = os.fstat(self.fileno()).st_size
        grows = max(0, self.tell() + len(data) - size)
        if grows > self._disk.room:
            data = data[: len(data) - grows + self._disk.room]
            grows = self._disk.room
            if not len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._disk.room -= grows
        return super().write(data)


@pytest.mark.parametrize("room", [100, 20_000, 20_001, 131_075])
def test_a_full_disk_ends_the_recording_and_nothing_else(tmp_path: Path, room: int) -> None:
    disk = FullDisk(room)
    talk = Talk(tmp_path, make_writer=lambda options, start: RecordingWriter(options, start, open_file=disk))
    with talk:
        folder = talk.start()
        for _ in range(60):
            talk.play(1)
            talk.settle()
        told = talk.told(2)[-1]
        assert (told.recording, told.folder) == (False, str(folder))
        assert told.what.startswith("The disk is full")
        assert told.remedy
        assert talk.frames.sink is None
        recording = open_recording(folder)
        heard = numbers(recording)
        assert heard == [(number, -number) for number in range(1, len(heard) + 1)]
        assert not recording.meta.complete
        peaks = [event.frame for event in recording.events() if isinstance(event, AudioPeaks)]
        assert peaks == list(range(len(peaks)))
        written = sum((folder / name).stat().st_size for name in (AUDIO_FILE, EVENTS_FILE) if (folder / name).exists())
        assert room - 2 * FRAME_SAMPLES * 4 < written <= room
        disk.room = 10_000_000
        again = talk.start()
        talk.play(3)
        talk.stop()
        assert len(numbers(open_recording(again))) == 3


def test_a_disk_that_is_full_from_the_start_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    talk = Talk(tmp_path, make_writer=lambda options, start: RecordingWriter(options, start, free=lambda folder: 5_000))
    with talk:
        talk.recorder.start(talk.options)
        told = talk.told(1)[0]
        talk.play(3)
        talk.settle()
    assert (told.recording, told.folder) == (False, "")
    assert "can't begin" in told.what
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with Talk(tmp_path / "file") as talk:
        talk.recorder.start(talk.options)
        told = talk.told(1)[0]
    assert not told.recording
    assert "refused" in told.what


class SlowWriter(RecordingWriter):
    """Its disk sleeps until it is woken."""

    asleep: threading.Event
    wakes: threading.Event

    def append(self, events: Any, frames: Any) -> None:
        if frames:
            self.asleep.set()
            self.wakes.wait(PATIENCE_S)
        super().append(events, frames)


def test_a_disk_that_sleeps_holds_up_neither_the_frames_nor_the_loop(tmp_path: Path) -> None:
    class Sleepy(SlowWriter):
        asleep, wakes = threading.Event(), threading.Event()

    with Talk(tmp_path, make_writer=Sleepy) as talk:
        folder = talk.start()
        talk.play(1)
        assert Sleepy.asleep.wait(PATIENCE_S)
        talk.play(MOST_FRAMES)
        answered = threading.Event()
        talk.host.call(answered.set)
        assert answered.wait(PATIENCE_S)
        Sleepy.wakes.set()
        talk.settle()
        assert len(talk.told(1)) == 1, "it goes on"
        talk.stop()
    assert len(numbers(open_recording(folder))) == MOST_FRAMES + 1


def test_a_disk_that_never_wakes_ends_the_recording_with_a_message(tmp_path: Path) -> None:
    class Sleepy(SlowWriter):
        asleep, wakes = threading.Event(), threading.Event()

    with Talk(tmp_path, make_writer=Sleepy) as talk:
        folder = talk.start()
        talk.play(1)
        assert Sleepy.asleep.wait(PATIENCE_S)
        talk.play(MOST_FRAMES + 50)
        Sleepy.wakes.set()
        told = talk.told(2)[-1]
        assert told.what.startswith("The disk is too slow")
        assert talk.frames.sink is None
        talk.settle()
    assert len(numbers(open_recording(folder))) == 1


class Broken(RecordingWriter):
    """Can't take sound."""

    def append(self, events: Any, frames: Any) -> None:
        if frames:
            raise RuntimeError(SECRET)
        super().append(events, frames)


@pytest.mark.logs_errors
def test_after_a_crash_it_goes_on_in_a_new_folder_and_after_two_it_stays_off(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with Talk(tmp_path, make_writer=Broken) as talk:
        first = talk.start()
        talk.play(1)
        told = talk.told(2)[-1]
        assert (told.recording, told.folder) == (False, str(first))
        assert "started again" in told.what
        talk.wait_for_sleeper()
        talk.clock.advance(500.0)
        again = talk.told(3)[-1]
        assert again.recording
        assert again.folder != told.folder
        talk.play(1)
        told = talk.told(4)[-1]
        assert "stays off" in told.what
        assert SECRET not in told.what + told.remedy
        talk.clock.advance(120_000.0)
        talk.play(2)
        talk.settle()
        assert talk.frames.sink is None
    assert SECRET not in caplog.text


@pytest.mark.logs_errors
def test_a_stop_during_the_pause_after_a_crash_counts(tmp_path: Path) -> None:
    with Talk(tmp_path, make_writer=Broken) as talk:
        talk.start()
        talk.play(1)
        talk.told(2)
        talk.recorder.stop()
        answered = threading.Event()
        talk.host.call(answered.set)
        assert answered.wait(PATIENCE_S)
        talk.clock.advance(60_000.0)
        talk.play(3)
        talk.settle()
        assert len(talk.told(2)) == 2
        assert talk.frames.sink is None
        talk.recorder.start(talk.options)
        assert talk.told(3)[-1].recording, "and a start, too"


@pytest.mark.logs_errors
def test_the_session_may_end_during_the_pause_after_a_crash(tmp_path: Path) -> None:
    with Talk(tmp_path, make_writer=Broken) as talk:
        talk.start()
        talk.play(1)
        talk.told(2)


def test_no_word_reaches_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with Talk(tmp_path) as talk:
        talk.start()
        talk.play(2, SttFinal(at_ms=160.0, utterance=1, text=SECRET))
        talk.stop()
    assert SECRET not in caplog.text
    assert SECRET not in repr(talk.options)


def test_frames_may_be_used_again_once_they_are_handed_over(tmp_path: Path) -> None:
    with Talk(tmp_path) as talk:
        folder = talk.start()
        sink = talk.frames.sink
        assert sink is not None
        given = frame(0)
        sink(given)
        for pcm in (given.cleaned, given.played, given.raw):
            pcm[:] = np.float32(0.5)
        talk.stop()
    assert numbers(open_recording(folder)) == [(1, -1)]
