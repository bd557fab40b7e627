"""Files that a recording is exported to, and the page among them."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings

from kame_desktop.core.errors import BadInputError
from kame_desktop.core.events import Event
from kame_desktop.recordings.format import RecordingError
from kame_desktop.recordings.reader import open_recording
from kame_desktop.ui.replay.exports import FORMATS, export_text, file_name, form_of, write_export
from kame_desktop.ui.replay.html_page import as_html
from tests.recordings.folders import two_tones, write_folder
from tests.recordings.talks import FACTS, any_events, corrected_talk

XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "one", corrected_talk(), sound=two_tones(2.0), audio_start_ms=80.0)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_form_is_written_whole(folder: Path, tmp_path: Path, name: str) -> None:
    form = FORMATS[name]
    target = tmp_path / f"out{form.suffix}"
    write_export(open_recording(folder), form, target, replace=False)
    assert target.stat().st_size > 100
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    if form.text is not None:
        assert target.read_text(encoding="utf-8") == export_text(open_recording(folder), form)


def test_the_wav_is_the_recorded_sound(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.wav"
    write_export(open_recording(folder), FORMATS["wav"], target, replace=False)
    sound, rate = soundfile.read(target, dtype="int16")
    assert rate == 24_000
    np.testing.assert_array_equal(sound, two_tones(2.0))


def test_the_wav_of_a_recording_that_was_cut_off_is_whole(folder: Path, tmp_path: Path) -> None:
    raw = bytearray((folder / "audio.wav").read_bytes()[:-1_001])
    raw[4:8] = raw[40:44] = b"\0\0\0\0"
    (folder / "audio.wav").write_bytes(raw)
    target = tmp_path / "out.wav"
    write_export(open_recording(folder), FORMATS["wav"], target, replace=False)
    sound, _ = soundfile.read(target, dtype="int16")
    np.testing.assert_array_equal(sound, two_tones(2.0)[: len(sound)])
    assert len(sound) == 48_000 - 251


def test_nothing_is_replaced_unless_wished(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("mine")
    with pytest.raises(BadInputError, match="already there"):
        write_export(open_recording(folder), FORMATS["text"], target, replace=False)
    assert target.read_text() == "mine"
    write_export(open_recording(folder), FORMATS["text"], target, replace=True)
    assert "capital of France" in target.read_text(encoding="utf-8")


def test_what_can_not_be_written_says_so(folder: Path, tmp_path: Path) -> None:
    recording = open_recording(folder)
    with pytest.raises(BadInputError, match="could not be written"):
        write_export(recording, FORMATS["text"], tmp_path / "nowhere" / "out.txt", replace=False)
    with pytest.raises(BadInputError, match="folder"):
        write_export(recording, FORMATS["text"], tmp_path, replace=True)
    with pytest.raises(BadInputError, match="own folder"):
        write_export(recording, FORMATS["wav"], folder / "audio.wav", replace=True)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are POSIX")
def test_a_file_that_can_not_grow_leaves_nothing_behind(folder: Path, tmp_path: Path) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(BadInputError, match="could not be written"):
            write_export(open_recording(folder), FORMATS["wav"], tmp_path / "out.wav", replace=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


def test_a_recording_without_sound_has_no_wav(tmp_path: Path) -> None:
    silent = write_folder(tmp_path / "silent", corrected_talk())
    with pytest.raises(RecordingError, match="no sound"):
        write_export(open_recording(silent), FORMATS["wav"], tmp_path / "out.wav", replace=False)
    assert [path.name for path in tmp_path.iterdir()] == ["silent"]


def test_names_of_files() -> None:
    assert file_name("What is 1/2 of <it>?", FORMATS["srt"]) == "What is 1 2 of it.srt"
    assert file_name("../..", FORMATS["text"]) == "conversation.txt"
    assert form_of(Path("x.VTT"), FORMATS["html"]) is FORMATS["vtt"]
    assert form_of(Path("x.doc"), FORMATS["html"]) is FORMATS["html"]


# The page -------------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What the standard library's reader finds: elements, what they refer to, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.references: list[str] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self._hidden = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self._hidden += tag == "style"
        for name, value in attrs:
            if name in ("href", "src", "action", "data", "xlink:href", "srcset"):
                self.references.append(value or "")
            elif name == "id":
                self.ids.append(value or "")
            assert not name.startswith("on"), name

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag == "style"

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def test_the_page_needs_nothing_beside_itself() -> None:
    page = as_html(FACTS, corrected_talk())
    read = Page(page)
    assert not {"script", "link", "img", "iframe", "object", "base"} & set(read.elements)
    assert read.references
    assert {reference.removeprefix("#") for reference in read.references} <= set(read.ids)
    assert all(reference.startswith("#") for reference in read.references)
    addresses = set(re.findall(r"https?://[^\"'\s]+", page))
    assert addresses == {"http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"}
    assert not re.search(r"url\(|@import", page)
    assert "prefers-color-scheme: dark" in page


def test_the_page_shows_the_three_columns() -> None:
    root = ET.fromstring(as_html(FACTS, corrected_talk()))
    rows = root.findall(f".//{XHTML}section")
    assert len(rows) == 3
    user, oracle, assistant = ("".join(cell.itertext()) for cell in rows[1])
    assert "How many days are there in a leap year?" in user
    assert "first token 200 ms" in oracle
    assert "Superseded" in oracle
    assert assistant.startswith("Well, 1 there are three hundred and sixty-five ↪")
    assert assistant.endswith("2 three hundred and sixty-six — interrupted")
    last = rows[1].findall(f".//{XHTML}div[@id='answer-4']")[0]
    assert [inserted.text for inserted in last.iter(f"{XHTML}ins")] == ["sixty-six", "leap", "one more than usual."]
    assert [gone.text for gone in last.iter(f"{XHTML}del")] == ["sixty-five"]
    assert "The key was refused. Check the key." in "".join(rows[2].itertext())


def test_the_page_has_the_timeline() -> None:
    picture = ET.fromstring(as_html(FACTS, corrected_talk())).find(f".//{SVG}svg")
    assert picture is not None
    titles = [title.text or "" for title in picture.iter(f"{SVG}title")]
    assert sum(title.startswith("Answer ") for title in titles) == 5
    assert "Changed course at 0:08.6" in titles
    assert "Interrupted at 0:10.3" in titles
    words = "".join(text.text or "" for text in picture.iter(f"{SVG}text"))
    assert "Paris" in words


@settings(deadline=None, max_examples=60)
@given(any_events())
def test_any_words_make_a_page(events: list[Event]) -> None:
    """Whatever was said: it is well-formed for a strict reader, and nothing of it becomes an element."""
    page = as_html(FACTS, events)
    ET.fromstring(page)
    read = Page(page)
    known = {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "header",
        "h1",
        "p",
        "div",
        "svg",
        "rect",
        "text",
    }
    known |= {"path", "a", "g", "section", "span", "details", "summary", "ins", "del", "em", "footer"}
    assert set(read.elements) <= known
