"""Writing a recording: its folder, its silence, its title, and a disk that fills up."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES
from kame_desktop.core.event_codec import event_from_dict
from kame_desktop.core.events import FrameTiming, Notice, SttFinal
from kame_desktop.recordings.format import FILES, RecordingOptions
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.recordings.reader import open_recording
from kame_desktop.recordings.writer import PackedFrame, RecordingFullError, RecordingWriter, pack
from tests.recordings.talk import frame, meta

NOTICE = Notice(at_ms=10.0, component="test", text="hello")


def packed(number: int, at_ms: float | None = None) -> PackedFrame:
    return pack(frame(number, at_ms), raw=True)


@pytest.fixture
def options(tmp_path: Path) -> RecordingOptions:
    return RecordingOptions(tmp_path / "data" / "recordings", meta(), raw_microphone=True)


def test_only_the_user_may_look_into_it(options: RecordingOptions) -> None:
    old = os.umask(0)
    try:
        writer = RecordingWriter(options, 0.0)
        writer.append([NOTICE], [packed(0)])
        writer.close(complete=True)
    finally:
        os.umask(old)
    assert stat.S_IMODE(options.root.stat().st_mode) == 0o700
    assert stat.S_IMODE(writer.folder.stat().st_mode) == 0o700
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in writer.folder.iterdir()} == dict.fromkeys(
        FILES, 0o600
    )


def test_a_folder_is_named_after_its_beginning_and_none_is_used_twice(options: RecordingOptions) -> None:
    names = []
    for _ in range(3):
        writer = RecordingWriter(options, 0.0)
        writer.close(complete=True)
        names.append(writer.folder.name)
    assert names == ["2026-12-01_15-41-07", "2026-12-01_15-41-07_2", "2026-12-01_15-41-07_3"]


def test_everything_is_on_disk_after_each_piece(options: RecordingOptions) -> None:
    writer = RecordingWriter(options, 0.0)
    for number in range(5):
        writer.append([replace(NOTICE, text=str(number))], [packed(number)])
        recording = open_recording(writer.folder)
        assert [event.text for event in recording.events() if isinstance(event, Notice)] == [
            *map(str, range(number + 1))
        ]
        assert len(recording.audio()) == len(recording.microphone()) == (number + 1) * FRAME_SAMPLES
        assert recording.meta.audio_start_ms == 0.0
        assert recording.problems
    writer.close(complete=True)
    assert open_recording(writer.folder).problems == ()


def test_sound_that_is_missing_is_silence_so_that_sound_and_events_stay_in_step(options: RecordingOptions) -> None:
    writer = RecordingWriter(options, 1_000.0)
    writer.append([], [packed(0, 1_080.0), packed(1, 1_160.0)])
    writer.append([], [packed(2, 2_160.0), packed(3, 2_240.0)])
    writer.close(complete=True)
    recording = open_recording(writer.folder)
    frames = recording.audio()[::FRAME_SAMPLES, 0].tolist()
    assert frames[:2] == [1, 2]
    assert int(recording.audio()[round(1_080.0 * 24), 0]) == 3
    assert len(recording.microphone()) == len(recording.audio()) == round(1_240.0 * 24)
    assert (recording.start_ms, recording.duration_ms) == (1_000.0, 1_240.0)
    hole = recording.audio()[2 * FRAME_SAMPLES : round(1_080.0 * 24)]
    assert not hole.any()


def test_a_little_drift_waits_for_a_quiet_moment(options: RecordingOptions) -> None:
    writer = RecordingWriter(options, 0.0)
    loud = PackedFrame(FRAME_MS, np.full((FRAME_SAMPLES, 2), 5_000, dtype="<i2"), None)
    quiet = replace(loud, stereo=np.full((FRAME_SAMPLES, 2), 1, dtype="<i2"))
    drift = 100.0
    writer.append([], [loud, replace(loud, at_ms=2 * FRAME_MS + drift), replace(quiet, at_ms=3 * FRAME_MS + drift)])
    writer.close(complete=True)
    levels = open_recording(writer.folder).audio()[:, 0]
    assert (levels[: 2 * FRAME_SAMPLES] == 5_000).all()
    assert not levels[2 * FRAME_SAMPLES : 2 * FRAME_SAMPLES + 2_400].any()
    assert (levels[2 * FRAME_SAMPLES + 2_400 :] == 1).all()


def test_a_recording_ends_when_the_format_can_count_no_more(options: RecordingOptions) -> None:
    writer = RecordingWriter(options, 0.0)
    writer.append([], [packed(0)])
    with pytest.raises(RecordingFullError):
        writer.append([], [packed(1, 13 * 3_600_000.0)])
    writer.close(complete=False)
    assert len(open_recording(writer.folder).audio()) == FRAME_SAMPLES


def test_the_first_sentence_is_the_title_until_the_user_gives_one(options: RecordingOptions) -> None:
    library = RecordingLibrary(options.root)
    writer = RecordingWriter(options, 0.0)
    writer.append([SttFinal(at_ms=1.0, utterance=1, text=" ")], [])
    writer.append([SttFinal(at_ms=2.0, utterance=2, text="What is  the\ncapital?"), NOTICE], [])
    writer.append([SttFinal(at_ms=3.0, utterance=3, text="And of Spain?")], [])
    assert library.find(writer.folder.name).title == "What is the capital?"
    library.rename(writer.folder.name, "Capitals")
    writer.append([NOTICE], [packed(0)])
    writer.close(complete=True)
    assert library.find(writer.folder.name).title == "Capitals"


def test_lines_are_json_whatever_is_in_an_event(options: RecordingOptions) -> None:
    odd = "line\nbreak \u2028 \x00 \udc80 café"
    timing = FrameTiming(
        at_ms=1.0, frame=1, step_p50_ms=float("nan"), step_p95_ms=1.0, late_frames=0, input_dbfs=-1.0, output_dbfs=-1.0
    )
    writer = RecordingWriter(options, 0.0)
    writer.append([replace(NOTICE, text=odd), timing], [])
    writer.close(complete=True)
    lines = (writer.folder / "events.jsonl").read_bytes().splitlines()
    assert len(lines) == 2
    assert json.loads(lines[0])["text"] == odd

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    assert json.loads(lines[1], parse_constant=refuse)["step_p50_ms"] is None
    assert event_from_dict(json.loads(lines[1])) is None


def test_a_recording_that_is_deleted_under_way_ends(options: RecordingOptions) -> None:
    writer = RecordingWriter(options, 0.0)
    shutil.rmtree(writer.folder)
    with pytest.raises(OSError, match="No such file"):
        writer.append([], [packed(0)])
    writer.close(complete=False)
    assert not writer.folder.exists()


def test_enough_of_the_disk_is_left_to_others(options: RecordingOptions) -> None:
    free = 70_000_000
    writer = RecordingWriter(options, 0.0, free=lambda folder: free)
    writer.append([], [packed(number) for number in range(200)])
    free = 60_000_000
    more = [packed(number) for number in range(200, 400)]
    with pytest.raises(OSError, match="No space"):
        writer.append([], more)
    writer.close(complete=False)
    assert len(open_recording(writer.folder).audio()) > 200 * FRAME_SAMPLES


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB, where this user may mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here; the fake one is tested in tests/session/test_recorder.py")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_real_disk_that_fills_up_leaves_a_recording_that_opens(small_disk: Path) -> None:
    writer = RecordingWriter(RecordingOptions(small_disk, meta(), raw_microphone=True), 0.0, reserve_bytes=0)
    pieces = 0

    def write_until_full() -> None:
        nonlocal pieces
        while pieces < 100:
            at = pieces * 3
            notice = replace(NOTICE, text="x" * 900)
            writer.append([notice], [packed(number) for number in range(at, at + 3)])
            pieces += 1

    with pytest.raises(OSError, match="No space"):
        write_until_full()
    writer.close(complete=False)
    recording = open_recording(writer.folder)
    frames = recording.audio()[::FRAME_SAMPLES, 0].tolist()
    assert frames == list(range(1, len(frames) + 1))
    assert pieces * 3 <= len(frames) <= pieces * 3 + 3
    assert pieces <= len(list(recording.events())) <= pieces + 1
