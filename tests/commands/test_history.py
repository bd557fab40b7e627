"""``kame-desktop history``."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path

import pytest

from kame_desktop.commands.history import HistoryContext, add_history, run_history
from kame_desktop.core.errors import BadInputError
from kame_desktop.recordings.format import RecordingError
from kame_desktop.recordings.library import RecordingLibrary
from tests.recordings.test_library import record


class Terminal:
    """Runs commands over a library and keeps what they wrote.

    Attributes:
        answers: What the user will type; None: nobody is there.
        asked: The questions put.
    """

    def __init__(self, root: Path) -> None:
        self.library = RecordingLibrary(root)
        self.answers: list[str] | None = []
        self.asked: list[str] = []
        self.out = io.StringIO()
        self.err = io.StringIO()

    def recordings(self) -> RecordingLibrary:
        return self.library

    def __call__(self, *words: str) -> int:
        parser = argparse.ArgumentParser()
        add_history(parser.add_subparsers(dest="command"))
        self.out, self.err = io.StringIO(), io.StringIO()
        context = HistoryContext(self.out.write, self.err, None if self.answers is None else self._ask)
        return run_history(self, parser.parse_args(["history", *words]), context=context)

    def _ask(self, question: str) -> str:
        self.asked.append(question)
        if not self.answers:
            raise EOFError
        return self.answers.pop(0)

    def names(self) -> list[str]:
        return sorted(entry.name for entry in self.library.entries())


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path / "recordings")


def test_the_list_is_for_people(terminal: Terminal) -> None:
    assert terminal("list") == 0
    assert terminal.out.getvalue() == ""
    assert "Nothing is recorded" in terminal.err.getvalue()
    name = record(terminal.library.root, title="Capitals")
    assert terminal("list") == 0
    out = terminal.out.getvalue()
    assert f"{name}  0:02  " in out
    assert "Lite  First model\n    Capitals\n" in out
    assert "1 recording, " in out
    assert str(terminal.library.root) in out


def test_the_list_is_for_programs(terminal: Terminal) -> None:
    name = record(terminal.library.root, title="Capitals")
    assert terminal("list", "--json") == 0
    (entry,) = json.loads(terminal.out.getvalue())
    assert entry["name"] == name
    assert entry["title"] == "Capitals"
    assert entry["started_at"] == "2026-12-01T15:41:07+02:00"
    assert entry["duration_ms"] == 2_000
    assert Path(entry["folder"]) == terminal.library.root / name
    assert entry["complete"] is True


def test_words_are_searched_for(terminal: Terminal) -> None:
    name = record(terminal.library.root, said="It is Paris")
    record(terminal.library.root, said="It is Rome")
    assert terminal("list", "--json", "paris", "is") == 0
    assert [entry["name"] for entry in json.loads(terminal.out.getvalue())] == [name]
    assert terminal("list", "Berlin") == 0
    assert "No recording has these words" in terminal.err.getvalue()


def test_a_title_can_be_changed(terminal: Terminal) -> None:
    name = record(terminal.library.root)
    assert terminal("rename", name, "For the slides") == 0
    assert terminal.library.find(name).title == "For the slides"
    with pytest.raises(RecordingError, match="no recording named"):
        terminal("rename", "elsewhere", "x")


def test_nothing_is_deleted_without_consent(terminal: Terminal) -> None:
    names = [record(terminal.library.root) for _ in range(3)]
    for answer in ("n", "", "yes please", None):
        terminal.answers = [] if answer is None else [answer]
        assert terminal("delete", names[0]) == 1
        assert "Nothing was deleted" in terminal.err.getvalue()
        assert terminal("delete-all") == 1
    terminal.answers = None
    for words in (("delete", names[0]), ("delete-all",)):
        with pytest.raises(BadInputError, match="nobody to ask"):
            terminal(*words)
    assert terminal.names() == sorted(names)


def test_what_is_agreed_to_is_deleted(terminal: Terminal) -> None:
    names = [record(terminal.library.root) for _ in range(4)]
    terminal.answers = ["y"]
    assert terminal("delete", names[0], names[1], names[0]) == 0
    assert terminal.asked[-1] == "Delete them for good? [y/N] "
    assert "Deleted 2 recordings" in terminal.out.getvalue()
    assert terminal.names() == names[2:]
    assert terminal("delete", names[2], "--yes") == 0
    assert terminal("delete-all", "--yes") == 0
    assert "Deleted 1 recording:" in terminal.out.getvalue()
    assert list(terminal.library.root.iterdir()) == []
    assert terminal("delete-all") == 0


def test_one_wrong_name_deletes_nothing(terminal: Terminal) -> None:
    name = record(terminal.library.root)
    with pytest.raises(RecordingError, match="no recording named"):
        terminal("delete", name, "elsewhere", "--yes")
    assert terminal.names() == [name]


def test_what_is_under_way_is_kept_and_named(terminal: Terminal) -> None:
    running = record(terminal.library.root, ended=False)
    assert terminal("delete-all", "--yes") == 1
    assert f"{running} is being recorded" in terminal.err.getvalue()
    assert terminal.names() == [running]
