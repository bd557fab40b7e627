"""Opening a recording: whole, cut off, changed, or not one at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES
from kame_desktop.core.events import Notice
from kame_desktop.recordings.format import AUDIO_FILE, EVENTS_FILE, SESSION_FILE, RecordingError, RecordingOptions
from kame_desktop.recordings.reader import open_recording
from kame_desktop.recordings.writer import RecordingWriter, pack
from tests.recordings.talk import frame, meta


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recording of ten frames and ten notices."""
    writer = RecordingWriter(RecordingOptions(tmp_path / "recordings", meta(title="Ten")), 0.0)
    for number in range(10):
        notice = Notice(at_ms=(number + 1) * FRAME_MS, component="test", text=str(number))
        writer.append([notice], [pack(frame(number), raw=False)])
    writer.close(complete=True)
    return writer.folder


def notices(folder: Path) -> list[str]:
    return [event.text for event in open_recording(folder).events() if isinstance(event, Notice)]


def cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def test_it_opens_by_its_folder_or_a_file_of_it(folder: Path) -> None:
    for path in (folder, folder / AUDIO_FILE, folder / SESSION_FILE):
        recording = open_recording(path)
        assert recording.folder == folder.resolve()
        assert recording.meta.title == "Ten"
        assert recording.duration_ms == 800.0
    assert len(notices(folder)) == 10


def test_a_line_that_breaks_off_is_left_out(folder: Path) -> None:
    content = (folder / EVENTS_FILE).read_bytes()
    last = content.rstrip(b"\n").rindex(b"\n") + 1
    for size in range(last, len(content) - 1):
        cut(folder / EVENTS_FILE, size)
        assert notices(folder) == [*map(str, range(9))]
    (folder / EVENTS_FILE).write_bytes(content[:-1])
    assert len(notices(folder)) == 10


def test_damage_inside_costs_its_lines_only(folder: Path) -> None:
    lines = (folder / EVENTS_FILE).read_bytes().splitlines(keepends=True)
    lines[3:5] = [b"\x00\xff\n", b'["no event"]\n', b'{"type": "Hologram", "at_ms": 1e9}\n', b"[" * 100_000 + b"\n"]
    (folder / EVENTS_FILE).write_bytes(b"".join(lines))
    assert notices(folder) == ["0", "1", "2", "5", "6", "7", "8", "9"]
    assert open_recording(folder).duration_ms == 800.0


def test_without_its_end_it_opens_and_says_so(folder: Path) -> None:
    content = json.loads((folder / SESSION_FILE).read_text())
    (folder / SESSION_FILE).write_text(json.dumps({**content, "complete": False, "duration_ms": None}))
    cut(folder / AUDIO_FILE, 44 + 5 * FRAME_SAMPLES * 4 + 3)
    recording = open_recording(folder)
    assert "wasn't ended in order" in recording.problems[0]
    assert recording.audio().shape == (5 * FRAME_SAMPLES, 2)
    assert recording.duration_ms == 800.0


@pytest.mark.parametrize("content", [None, b"", b"{", b"\xff\xfe"])
def test_without_a_readable_session_file_it_opens_all_the_same(folder: Path, content: bytes | None) -> None:
    (folder / SESSION_FILE).unlink()
    if content is not None:
        (folder / SESSION_FILE).write_bytes(content)
    recording = open_recording(folder)
    assert "missing or damaged" in recording.problems[0]
    assert len(list(recording.events())) == 10


def test_without_sound_there_are_events_and_without_events_there_is_sound(folder: Path) -> None:
    (folder / AUDIO_FILE).rename(folder / "elsewhere.wav")
    recording = open_recording(folder)
    assert recording.audio().shape == (0, 2)
    assert (recording.start_ms, recording.duration_ms) == (80.0, 720.0)
    (folder / "elsewhere.wav").rename(folder / AUDIO_FILE)
    (folder / EVENTS_FILE).unlink()
    recording = open_recording(folder)
    assert list(recording.events()) == []
    assert recording.duration_ms == 800.0


def test_sound_that_another_program_changed_is_named(folder: Path) -> None:
    (folder / AUDIO_FILE).unlink()
    soundfile.write(folder / AUDIO_FILE, np.zeros((480, 2)), 48_000)
    recording = open_recording(folder)
    assert "audio.wav was changed, it is not 16-bit stereo" in recording.problems[-1]
    assert len(list(recording.events())) == 10
    with pytest.raises(RecordingError, match="can't be played"):
        recording.audio()


def test_reading_changes_nothing(folder: Path) -> None:
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    recording = open_recording(folder)
    list(recording.events())
    assert not recording.audio().flags.writeable
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()} == before


def nothing(folder: Path) -> Path:
    return folder / "nowhere"


def file_beside(folder: Path) -> Path:
    (folder.parent / "notes.txt").write_text("x")
    return folder.parent / "notes.txt"


def other_folder(folder: Path) -> Path:
    (folder.parent / "photos").mkdir()
    return folder.parent / "photos"


def impossible_name(folder: Path) -> Path:
    return folder / "a\0b"


def newer(folder: Path) -> Path:
    content = json.loads((folder / SESSION_FILE).read_text())
    (folder / SESSION_FILE).write_text(json.dumps({**content, "version": 2, "app_version": "3.0"}))
    return folder


def something_else(folder: Path) -> Path:
    (folder / SESSION_FILE).write_text('{"name": "cookies"}')
    return folder


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (nothing, "There is nothing at"),
        (file_beside, "is a file; a recording is a folder"),
        (other_folder, "session.json is missing or damaged"),
        (impossible_name, "can't be opened"),
        (newer, "newer version of Kame Desktop (3.0)"),
        (something_else, "is not a recording"),
    ],
)
def test_what_is_wrong_is_named(folder: Path, make: Callable[[Path], Path], says: str) -> None:
    with pytest.raises(RecordingError) as caught:
        open_recording(make(folder))
    assert says in caught.value.what
    assert caught.value.remedy
