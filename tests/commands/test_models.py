"""``kame-desktop models`` against a scripted hub."""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kame_desktop.commands.models import ModelsContext, add_arguments, run_models
from kame_desktop.core.errors import BadInputError
from kame_desktop.weights import errors
from kame_desktop.weights.plan import DownloadOptions
from kame_desktop.weights.store import WeightStore
from tests.fakes.hub import FakeHub, Fault, HubRepo, Trouble
from tests.weights.conftest import own_environment  # noqa: F401 - a fixture
from tests.weights.sets import CONFIG, MODEL, WANTED, checkpoint_files

REPO = "SakanaAI/kame"


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    """One repository."""
    with FakeHub({REPO: HubRepo(checkpoint_files())}).running() as running:
        yield running


class Terminal:
    """Runs commands and keeps what they wrote.

    Attributes:
        answers: What the user will type; None: nobody is there.
        asked: The questions put.
    """

    def __init__(self, hub: FakeHub, store: WeightStore) -> None:
        self.store = store
        self.answers: list[str] | None = []
        self.asked: list[str] = []
        self.options = DownloadOptions(endpoint=hub.endpoint, retries=0, reserve_bytes=0, report_s=0.0)
        self.out = io.StringIO()
        self.err = io.StringIO()
        self.terminal = False

    def __call__(self, *words: str) -> int:
        parser = argparse.ArgumentParser()
        add_arguments(parser.add_subparsers(dest="command"))
        self.out = io.StringIO()
        self.err = _Screen() if self.terminal else io.StringIO()
        context = ModelsContext(
            self.store, self.options, self.out.write, self.err, self.ask if self.answers is not None else None
        )
        return run_models(parser.parse_args(["models", *words]), context=context)

    def ask(self, question: str) -> str:
        self.asked.append(question)
        if not self.answers:
            raise EOFError
        return self.answers.pop(0)


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def models(hub: FakeHub, tmp_path: Path) -> Terminal:
    """An empty cache."""
    return Terminal(hub, WeightStore(tmp_path / "hub"))


class TestList:
    def test_nothing_is_here(self, models: Terminal, hub: FakeHub):
        assert models("list") == 0
        text = models.out.getvalue()
        assert "kame   SakanaAI/kame" in text
        assert "about 16.1 GB, not downloaded" in text
        assert str(models.store.cache_dir) in text
        assert not hub.calls

    def test_what_is_here_and_what_was_stopped(self, models: Terminal, hub: FakeHub):
        hub.fault(MODEL, Fault(Trouble.CUT, after=100_000))
        with pytest.raises(errors.ConnectionCutError):
            models("get", "kame", "--yes")
        models("list")
        assert "of 362.2 kB here; go on with: kame-desktop models get kame" in models.out.getvalue()
        models("get", "kame", "--yes")
        models("list", "--json")
        kame = json.loads(models.out.getvalue())[0]
        assert (kame["name"], kame["presence"], kame["licence"]) == ("kame", "ready", "cc-by-4.0")
        assert Path(kame["folder"]).is_dir()


class TestGet:
    def test_asks_with_size_licence_and_free_disk(self, models: Terminal, hub: FakeHub):
        models.answers = ["y"]
        assert models("get", "kame") == 0
        assert models.asked == ["Download it? [y/N] "]
        said = models.err.getvalue()
        assert "362.2 kB (5 files)" in said
        assert "licence  cc-by-4.0 (as the hub states it" in said
        assert str(models.store.cache_dir) in said
        assert "free     " in said
        assert "100%" in said
        assert models.out.getvalue().strip() == str(models.store.resolve("kame"))

    @pytest.mark.parametrize("answer", ["n", "", "what?", None])
    def test_no_is_no(self, models: Terminal, hub: FakeHub, answer: str | None):
        models.answers = [answer] if answer is not None else []
        assert models("get", "kame") == 1
        assert "Nothing was downloaded." in models.err.getvalue()
        assert not hub.gets(MODEL)
        assert not models.store.cache_dir.exists()

    def test_nobody_to_ask(self, models: Terminal, hub: FakeHub):
        models.answers = None
        with pytest.raises(BadInputError, match="--yes"):
            models("get", "kame")
        assert not hub.gets(MODEL)

    def test_what_is_here_is_not_asked_for(self, models: Terminal, hub: FakeHub):
        models("get", "kame", "--yes")
        calls = len(hub.calls)
        assert models("get", "kame", "--json") == 0
        assert json.loads(models.out.getvalue())["downloaded_bytes"] == 0
        assert "already" in models.err.getvalue()
        assert len(hub.calls) == calls

    def test_too_full_a_disk_isnt_asked_about(self, models: Terminal):
        models.options = DownloadOptions(endpoint=models.options.endpoint, reserve_bytes=10**18)
        with pytest.raises(errors.NoSpaceError):
            models("get", "kame")
        assert not models.asked

    def test_a_bar_in_a_terminal(self, models: Terminal):
        models.terminal = True
        models("get", "kame", "--yes")
        assert "100 %" in models.err.getvalue()
        assert "362.2 kB of 362.2 kB" in models.err.getvalue()

    def test_goes_on(self, models: Terminal, hub: FakeHub):
        hub.fault(MODEL, Fault(Trouble.CUT, after=100_000))
        with pytest.raises(errors.ConnectionCutError):
            models("get", "kame", "--yes")
        assert models("get", "kame", "--yes", "--json") == 0
        assert "of it here already" in models.err.getvalue()
        assert json.loads(models.out.getvalue())["downloaded_bytes"] < 362_000
        assert hub.gets(MODEL)[-1].start > 0

    def test_ctrl_c(self, hub: FakeHub, tmp_path: Path):
        """In a process of its own, as a user would."""
        hub.fault(MODEL, Fault(Trouble.STALL, after=100_000))
        environment = {name: value for name, value in os.environ.items() if not name.casefold().endswith("_proxy")}
        environment |= {"HF_ENDPOINT": hub.endpoint, "HF_HOME": str(tmp_path / "home"), "HF_HUB_CACHE": str(tmp_path)}
        command = [sys.executable, "-c", _PROGRAM, "models", "get", "kame", "--yes"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
            assert process.stderr is not None
            while "%" not in (line := process.stderr.readline()) or line.startswith("  0%"):
                assert line, "ended too early"
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=10)
        assert process.returncode == 130
        assert said.strip() == "'kame-desktop models get kame' goes on from here."
        assert list(tmp_path.rglob("*.incomplete"))


_PROGRAM = """
import argparse, sys
from kame_desktop.commands.models import add_arguments, run_models
from kame_desktop.commands.signals import stop_signals
parser = argparse.ArgumentParser()
add_arguments(parser.add_subparsers(dest="command"))
try:
    with stop_signals:
        sys.exit(run_models(parser.parse_args()))
except KeyboardInterrupt as stop:
    sys.exit(stop.exit_code)
"""


class TestVerify:
    def test_sound(self, models: Terminal, hub: FakeHub):
        assert models("verify") == 0
        assert "No weights are downloaded" in models.out.getvalue()
        models("get", "kame", "--yes")
        calls = len(hub.calls)
        models.terminal = True
        assert models("verify") == 0
        assert models.out.getvalue().count("  ok\n") == len(WANTED)
        assert "Checking kame: 100 %" in models.err.getvalue()
        assert models("verify", "kame", "--json") == 0
        assert all(check["ok"] for check in json.loads(models.out.getvalue()))
        assert len(hub.calls) == calls

    def test_damage(self, models: Terminal, hub: FakeHub):
        models("get", "kame", "--yes")
        with (models.store.resolve("kame") / MODEL).open("r+b") as stream:
            stream.write(b"\0\0\0\0")
        assert models("verify", "kame") == 1
        assert f"{MODEL}  300.0 kB  damaged" in models.out.getvalue()
        assert "--repair" in models.err.getvalue()
        models.answers = ["yes"]
        assert models("verify", "kame", "--repair") == 0
        assert len(hub.gets(CONFIG)) == 3
        assert models("verify", "kame") == 0

    def test_a_folder_of_ones_own_is_never_repaired(self, models: Terminal, tmp_path: Path):
        (tmp_path / CONFIG).write_bytes(checkpoint_files()[CONFIG])
        assert models("verify", str(tmp_path)) == 1
        with pytest.raises(BadInputError, match="of your own"):
            models("verify", str(tmp_path), "--repair")


class TestWhereAndRemove:
    def test_where(self, models: Terminal, tmp_path: Path):
        assert models("where") == 0
        assert models.out.getvalue().strip() == str(models.store.cache_dir)
        with pytest.raises(errors.NotHereError, match="models get kame"):
            models("where", "kame")
        models("get", "kame", "--yes")
        models("where", "kame")
        assert (Path(models.out.getvalue().strip()) / CONFIG).is_file()

    def test_remove(self, models: Terminal):
        with pytest.raises(errors.NotHereError):
            models("rm", "kame")
        models("get", "kame", "--yes")
        models.answers = ["n"]
        assert models("rm", "kame") == 1
        assert models.store.find("kame") is not None
        models.answers = ["y"]
        assert models("rm", "kame") == 0
        assert "are free again" in models.out.getvalue()
        assert models.store.find("kame") is None
        assert not models.store.repo_folder(REPO).exists()

    def test_remove_needs_consent(self, models: Terminal):
        models("get", "kame", "--yes")
        models.answers = None
        with pytest.raises(BadInputError, match="--yes"):
            models("rm", "kame")
        assert models("rm", "kame", "--yes") == 0


def test_the_parser_is_light():
    """The program's parser imports this module at every start."""
    heavy = "('huggingface_hub', 'rich', 'litellm', 'httpx', 'filelock')"
    code = f"import sys, kame_desktop.commands.models; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
