"""The list of recordings: search, rename, delete, and what it never touches."""

from __future__ import annotations

import datetime as dt
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from kame_desktop.core.errors import ResourceError
from kame_desktop.core.events import AgentText, OracleRevision, SttFinal, SttPartial
from kame_desktop.recordings.format import EVENTS_FILE, SESSION_FILE, RecordingError, RecordingOptions
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.recordings.reader import open_recording
from kame_desktop.recordings.writer import RecordingWriter, pack
from tests.recordings.talk import STARTED, frame, meta

NOW = STARTED + dt.timedelta(days=30)


def record(
    root: Path, *, days: float = 0.0, title: str = "", user: str = "", said: str = "", ended: bool = True
) -> str:
    """A recording of so many days after ``STARTED``, in which this was said; its name."""
    began = STARTED + dt.timedelta(days=days)
    described = meta(title=title)
    object.__setattr__(described, "started_at", began)
    writer = RecordingWriter(RecordingOptions(root, described), 0.0)
    events: list[Any] = [
        SttPartial(at_ms=1.0, utterance=1, rev=1, text="misheard", stable_words=0),
        OracleRevision(at_ms=2.0, generation=1, utterance=1, model="m", text_so_far="unspoken", complete=True),
    ]
    events += [SttFinal(at_ms=3.0, utterance=1, text=user)] if user else []
    events += [AgentText(at_ms=4.0, utterance=1, text=word, frame=1, generation=1) for word in said.split()]
    writer.append(events, [pack(frame(number), raw=False) for number in range(25)])
    if ended:
        writer.close(complete=True)
    else:
        for stream in (writer._events, writer._audio):
            assert stream is not None
            stream.close()
    return writer.folder.name


def old(root: Path, name: str, seconds: float = 3_600.0) -> None:
    """As if nothing had been written to it for so long."""
    when = time.time() - seconds
    os.utime(root / name / EVENTS_FILE, (when, when))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "recordings"


@pytest.fixture
def library(root: Path) -> RecordingLibrary:
    return RecordingLibrary(root, now=lambda: NOW)


def names(library: RecordingLibrary, query: str | None = None) -> list[str]:
    return [entry.name for entry in (library.entries() if query is None else library.search(query))]


def test_the_list_says_what_one_needs_to_know_the_newest_first(root: Path, library: RecordingLibrary) -> None:
    assert library.entries() == []
    first, last, middle = record(root, title="One"), record(root, days=2), record(root, days=1, user="Hello there")
    assert names(library) == [last, middle, first]
    entry = library.find(first)
    assert (entry.title, entry.started_at, entry.duration_ms) == ("One", STARTED, 2_000.0)
    assert (entry.engine, entry.llm, entry.complete, entry.problem) == ("Lite", "First model", True, "")
    assert entry.size_bytes == sum(path.stat().st_size for path in entry.folder.iterdir())
    assert library.size_bytes() == sum(entry.size_bytes for entry in library.entries())
    assert library.find(middle).title == "Hello there"
    assert "Hello" not in repr(library.find(middle))


def test_a_cut_off_recording_is_as_long_as_its_sound(root: Path, library: RecordingLibrary) -> None:
    entry = library.find(record(root, ended=False))
    assert (entry.complete, entry.duration_ms) == (False, 2_000.0)


def test_search_finds_titles_and_spoken_words_but_no_others(root: Path, library: RecordingLibrary) -> None:
    capital = record(root, title="Geography", user="What is the capital of France?", said="It is Paris of course")
    sums = record(root, days=1, user="What is two plus two?", said="That makes four")
    assert names(library, "paris") == [capital]
    assert names(library, "PARIS capital geo") == [capital]
    assert names(library, "what is") == [sums, capital]
    assert names(library, "paris four") == []
    assert names(library, "misheard") == []
    assert names(library, "unspoken") == []
    assert names(library, " ") == [sums, capital]
    assert names(library, '"SttFinal"') == []
    asked = iter([False, False, True, True, True])
    assert len(list(library.search("what", stop=lambda: next(asked, True)))) <= 1


def test_damaged_lines_do_not_end_a_search(root: Path, library: RecordingLibrary) -> None:
    name = record(root, said="Paris")
    path = root / name / EVENTS_FILE
    path.write_bytes(
        b'{"type": "SttFinal", \n["SttFinal"]\n"SttFinal"\n{"type": "SttFinal", "text": 5}\n\xff\x00\n'
        + path.read_bytes()
    )
    assert names(library, "paris") == [name]


def test_another_title_changes_the_title_alone(root: Path, library: RecordingLibrary) -> None:
    name = record(root, title="Old")
    path = root / name / SESSION_FILE
    path.write_text(json.dumps({**json.loads(path.read_text()), "from_a_friend": [1]}))
    before = json.loads(path.read_text())
    assert library.rename(name, "  New\n title\x1b[2J ").title == "New title [2J"
    assert json.loads(path.read_text()) == {**before, "title": "New title [2J"}
    with pytest.raises(RecordingError, match="at least one letter"):
        library.rename(name, " \n")
    path.write_text(json.dumps({**before, "version": 2}))
    with pytest.raises(RecordingError, match="newer version"):
        library.rename(name, "x")


def test_what_is_deleted_is_gone(root: Path, library: RecordingLibrary) -> None:
    kept, gone = record(root), record(root)
    (root / gone / "notes").mkdir()
    (root / gone / "notes" / "mine.txt").write_text("x")
    size = library.find(gone).size_bytes
    assert library.delete(gone) == size
    assert [path.name for path in root.iterdir()] == [kept]
    with pytest.raises(RecordingError, match="no recording named"):
        library.delete(gone)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../outside", "/", "a/b", "nowhere", "a\0b", "photos", "link", "notes.txt"]
)
def test_nothing_outside_and_nothing_else_is_ever_touched(root: Path, library: RecordingLibrary, name: str) -> None:
    record(root.parent / "other")
    outside = root.parent / "outside"
    outside.mkdir(parents=True)
    (outside / SESSION_FILE).write_text("{}")
    inside = record(root)
    (root / "photos").mkdir()
    (root / "photos" / "me.jpg").write_text("x")
    (root / "notes.txt").write_text("x")
    (root / "link").symlink_to(outside, target_is_directory=True)
    for act in (library.delete, library.find, lambda given: library.rename(given, "x")):
        with pytest.raises(RecordingError, match="no recording named"):
            act(name)
    assert names(library) == [inside]
    library.delete_all()
    assert (outside / SESSION_FILE).exists()
    assert sorted(path.name for path in root.iterdir()) == ["link", "notes.txt", "photos"]


def test_a_link_in_a_recording_goes_and_what_it_leads_to_stays(root: Path, library: RecordingLibrary) -> None:
    name = record(root)
    precious = root.parent / "precious"
    precious.mkdir()
    (precious / "thesis").write_text("x" * 1_000)
    (root / name / "link").symlink_to(precious, target_is_directory=True)
    (root / name / "file").symlink_to(precious / "thesis")
    assert library.delete(name) < 1_000 + 25 * 1_920 * 4 + 10_000
    assert (precious / "thesis").exists()
    assert list(root.iterdir()) == []


def test_a_recording_under_way_is_not_deleted(root: Path, library: RecordingLibrary) -> None:
    ended, running = record(root), record(root, ended=False)
    with pytest.raises(RecordingError, match="is being recorded"):
        library.delete(running)
    deleted = library.delete_all()
    assert (deleted.names, deleted.kept) == ((ended,), (running,))
    old(root, running)
    assert library.delete_all().names == (running,)


def test_old_ones_are_deleted_by_their_beginning(root: Path, library: RecordingLibrary) -> None:
    for days in (0, 9.9):
        record(root, days=days)
    young = [record(root, days=20.1), record(root, days=29)]
    deleted = library.delete_older_than(10)
    assert len(deleted.names) == 2
    assert deleted.size_bytes > 300_000
    assert sorted(names(library)) == sorted(young)
    assert library.delete_older_than(36_500).names == ()


def test_what_a_crash_left_of_a_deletion_goes_with_the_next_look(root: Path, library: RecordingLibrary) -> None:
    name = record(root)
    (root / name).rename(root / f".deleted-{name}")
    assert library.entries() == []
    assert list(root.iterdir()) == []


def test_a_disk_that_refuses_is_said(root: Path, library: RecordingLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    name = record(root)

    def refuse(self: Path, target: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(ResourceError, match="could not be deleted"):
        library.delete(name)
    assert (root / name).exists()


def test_damaged_and_newer_ones_are_listed_with_their_problem_and_can_be_deleted(
    root: Path, library: RecordingLibrary
) -> None:
    damaged, newer = record(root), record(root)
    (root / damaged / SESSION_FILE).write_text("{")
    content = json.loads((root / newer / SESSION_FILE).read_text())
    (root / newer / SESSION_FILE).write_text(json.dumps({**content, "version": 7}))
    found = {entry.name: entry for entry in library.entries()}
    assert found[damaged].duration_ms == 2_000.0
    assert "newer version" in found[newer].problem
    old(root, damaged)
    old(root, newer)
    assert len(library.delete_all().names) == 2


def test_a_thousand_recordings_are_listed_from_their_session_files_alone(root: Path, library: RecordingLibrary) -> None:
    name = record(root, title="Same")
    content = (root / name / SESSION_FILE).read_text()
    for number in range(1_000):
        folder = root / f"copy_{number:04}"
        folder.mkdir()
        (folder / SESSION_FILE).write_text(content)
        (folder / EVENTS_FILE).symlink_to("/nowhere")  # opening it would fail
    assert len(library.entries()) == 1_001


def test_every_recording_in_the_list_opens(root: Path, library: RecordingLibrary) -> None:
    for ended in (True, False):
        record(root, said="Paris", ended=ended)
    for entry in library.entries():
        recording = open_recording(entry.folder)
        assert recording.duration_ms == entry.duration_ms
        assert recording.meta.title == entry.title
