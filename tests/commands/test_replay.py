"""``kame-desktop replay`` and ``kame-desktop export``."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import webvtt

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.backend.llm.litellm_client import LiteLlmClient
from kame_desktop.backend.llm.loopback import LoopbackLlmServer
from kame_desktop.commands.export import add_export, run_export
from kame_desktop.commands.replay import add_replay, run_replay
from kame_desktop.core.errors import AppError, BadInputError, ErrorCategory, LlmError
from kame_desktop.core.events import Event
from kame_desktop.core.paths import assets_dir
from kame_desktop.recordings.format import RecordingError
from kame_desktop.recordings.library import RecordingLibrary
from kame_desktop.session.oracle_options import SchedulerOptions
from kame_desktop.session.reask import LeapingClock, Reasked, Reasking, reask
from tests.fakes.llm import Answer, FakeLlm
from tests.recordings.folders import two_tones, write_folder
from tests.recordings.talks import corrected_talk


class Program:
    """What the commands need of the program, with models of the test's own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.answer = Answer("It is Lyon.", first_ms=2.0, gap_ms=1.0)
        self.make_llm: Callable[[], StreamingLlm] = lambda: FakeLlm(LeapingClock(), self.answer)
        self.shown: list[Path | None] = []

    def recordings(self) -> RecordingLibrary:
        return RecordingLibrary(self.root)

    def resolve_llm(self, name: str, api_base: str | None = None) -> LlmModel:
        return catalog.resolve(name, api_base)

    def run_window(self, recording: Path | None = None) -> int:
        self.shown.append(recording)
        return 0

    def reasking(
        self,
        events: Iterable[Event],
        model: LlmModel,
        *,
        series: int,
        tell: Callable[[Sequence[Event]], None],
        done: Callable[[Reasked | AppError], None],
        finals_only: bool = False,
    ) -> Reasking:
        told = list(events)
        options = SchedulerOptions(
            first_token_deadline_ms=60_000.0,
            gap_deadline_ms=60_000.0,
            answer_deadline_ms=90_000.0,
            speculate=not finals_only,
        )
        return Reasking(
            self.make_llm,
            lambda llm, tell_all: reask(told, llm, model, series=series, scheduler=options, tell=tell_all),
            tell=tell,
            done=done,
        )


@pytest.fixture
def program(tmp_path: Path) -> Program:
    write_folder(tmp_path / "library" / "talk", corrected_talk(), sound=two_tones(1.0))
    return Program(tmp_path / "library")


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers(dest="command")
    add_replay(subparsers)
    add_export(subparsers)
    return parser.parse_args(words)


Capture = pytest.CaptureFixture[str]


# Replay ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["name", "folder", "file"])
def test_replay_opens_the_window_with_the_recording(program: Program, by: str) -> None:
    folder = program.root / "talk"
    named = {"name": "talk", "folder": str(folder), "file": str(folder / "events.jsonl")}[by]
    assert run_replay(program, parsed("replay", named)) == 0
    assert program.shown == [folder]


def test_replay_of_nothing_says_so(program: Program, tmp_path: Path) -> None:
    for name in ("nothing", str(tmp_path / "nothing")):
        with pytest.raises(RecordingError):
            run_replay(program, parsed("replay", name))
    assert program.shown == []


def test_options_of_re_ask_need_it(program: Program) -> None:
    with pytest.raises(BadInputError, match="--re-ask"):
        run_replay(program, parsed("replay", "talk", "--json"))


def test_re_ask_prints_the_new_answers_beside_the_old(program: Program, capsys: Capture) -> None:
    assert run_replay(program, parsed("replay", "talk", "--re-ask", "gpt-4.1", "--json")) == 0
    read: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert read["asked"]["name"] == "gpt-4.1"
    assert read["model"] == "First"
    assert [turn["user"] for turn in read["turns"]][:2] == [
        "What is the capital of France?",
        "How many days are there in a leap year?",
    ]
    for turn in read["turns"]:
        assert turn["now"][-1]["text"] == "It is Lyon."
        assert turn["now"][-1]["complete"]
        assert [one["number"] for one in turn["now"]] == list(range(1, len(turn["now"]) + 1))
        assert turn["now"][0]["label"] == read["asked"]["label"]
    assert [one["text"] for one in read["turns"][0]["before"]] == ["Could you", "The capital of France is Paris."]
    assert read["usage"]["calls"] == sum(len(turn["now"]) for turn in read["turns"])
    assert read["error"] is None


def test_re_ask_for_people(program: Program, capsys: Capture) -> None:
    assert run_replay(program, parsed("replay", "talk", "--re-ask", "gpt-4.1", "--finals-only")) == 0
    out = capsys.readouterr().out
    assert "You: What is the capital of France?\n  First (200 ms, answer 2): The capital of France is Paris.\n" in out
    assert out.count("It is Lyon.") == 3
    assert "before: (no answer)" in out


def test_a_model_that_refuses_gets_a_message_and_an_exit_code(program: Program, capsys: Capture) -> None:
    program.answer = Answer(error=LlmError("The key was refused.", "Check it.", category=ErrorCategory.PERMANENT))
    assert run_replay(program, parsed("replay", "talk", "--re-ask", "gpt-4.1", "--json")) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["error"] == "The key was refused. Check it."
    assert "The key was refused." in captured.err


def test_re_ask_over_the_wire(program: Program, capsys: Capture) -> None:
    """The real client against a server on the loopback, whose answers begin with the last word they were asked."""
    # A busy computer may be slow: the turns are so far apart that no answer comes too late.
    shutil.rmtree(program.root / "talk")
    apart = [
        replace(event, at_ms=event.at_ms + 200_000.0 * getattr(event, "utterance", 0)) for event in corrected_talk()
    ]
    write_folder(program.root / "talk", apart)
    program.make_llm = lambda: LiteLlmClient(_no_starter, lambda _: "key")
    with LoopbackLlmServer(0.05, 200.0, 6).in_thread() as server:
        words = ("replay", "talk", "--re-ask", "benchmark", "--api-base", server.api_base, "--finals-only", "--json")
        assert run_replay(program, parsed(*words)) == 0
    read = json.loads(capsys.readouterr().out)
    assert [turn["now"][-1]["text"].split()[0].rstrip("?") for turn in read["turns"][:2]] == ["France", "year"]
    assert all(turn["now"][-1]["first_token_ms"] >= 40.0 for turn in read["turns"])


def _no_starter() -> Any:
    raise AssertionError("the starter wasn't asked for")


# Export ---------------------------------------------------------------------------------------------------------------


def test_export_goes_to_standard_output(program: Program, capsys: Capture) -> None:
    assert run_export(program, parsed("export", "talk")) == 0
    assert "You: What is the capital of France?" in capsys.readouterr().out
    assert run_export(program, parsed("export", "talk", "--format", "json")) == 0
    schema = json.loads((assets_dir() / "schemas" / "export.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(capsys.readouterr().out), schema)


def test_the_ending_of_the_file_says_what_it_is(program: Program, tmp_path: Path) -> None:
    target = tmp_path / "talk.vtt"
    assert run_export(program, parsed("export", str(program.root / "talk"), "--out", str(target))) == 0
    assert webvtt.read(str(target)).captions[0].voice == "You"


def test_export_replaces_nothing_without_force(program: Program, tmp_path: Path) -> None:
    target = tmp_path / "talk.html"
    target.write_text("mine")
    words = ("export", "talk", "--format", "html", "--out", str(target))
    with pytest.raises(BadInputError, match="--force"):
        run_export(program, parsed(*words))
    assert target.read_text() == "mine"
    assert run_export(program, parsed(*words, "--force")) == 0
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_sound_needs_a_file(program: Program) -> None:
    with pytest.raises(BadInputError, match="--out"):
        run_export(program, parsed("export", "talk", "--format", "wav"))


def test_what_is_wrong_with_a_recording_is_said(program: Program, capsys: Capture) -> None:
    write_folder(program.root / "cut", corrected_talk(), complete=False)
    assert run_export(program, parsed("export", "cut")) == 0
    assert "ended in order" in capsys.readouterr().err
