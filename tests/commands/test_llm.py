"""``kame-desktop llm`` over scripted services: no network, no keyring of this computer."""

from __future__ import annotations

import argparse
import io
import json
import logging
import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import KeySource, LlmChoice, LlmModel, LlmTest
from kame_desktop.backend.llm.keys import SystemKeyStore
from kame_desktop.commands.llm import LlmContext, add_llm, run_llm
from kame_desktop.core.errors import AppError, BadInputError, ErrorCategory, LlmError, MissingError
from tests.fakes.keyring import FakeKeyring, KeyringLocked, PlaintextKeyring
from tests.fakes.session import FakeServices

KEY = "sk-planted-1234567890"
GPT = LlmModel("gpt-4.1", "GPT-4.1", provider="openai")
STARTER = LlmModel("starter", "Starter model", starter=True, hint="small, often wrong")
FOUND = LlmModel("openai/llama3:8b", "llama3:8b (Ollama)", "http://127.0.0.1:11434/v1", provider="ollama")


class Services(FakeServices):
    """The window's fake, with the real key store over a fake keyring."""

    def __init__(self, keyring: object, **environment: str) -> None:
        super().__init__()
        self.store = SystemKeyStore(environment, lambda: keyring)
        self.models = [STARTER, GPT]
        self.local_models = [FOUND]
        self.providers = list(catalog.providers())
        self.tested: list[LlmModel] = []

    def keys(self) -> SystemKeyStore:  # type: ignore[override] # the real one
        return self.store

    def llm_choices(self) -> Sequence[LlmChoice]:
        openai = catalog.find_provider("openai")
        return [LlmChoice(STARTER, "On this computer"), LlmChoice(GPT, "OpenAI", self.store.source(openai))]

    def resolve_llm(self, name: str, api_base: str | None = None) -> LlmModel:
        return catalog.resolve(name, api_base)

    def test_llm(self, model: LlmModel) -> LlmTest:
        self.tested.append(model)
        return super().test_llm(model)


class Terminal:
    """Runs commands and keeps what they wrote.

    Attributes:
        typed: What the user types unseen; None: there is no terminal, ``piped`` is read.
        asked: The questions put.
    """

    def __init__(self, keyring: object | None = None, **environment: str) -> None:
        self.keyring = FakeKeyring() if keyring is None else keyring
        self.app = Services(self.keyring, **environment)
        self.typed: str | None = None
        self.piped: io.TextIOBase = io.StringIO("")
        self.asked: list[str] = []
        self.out, self.err = io.StringIO(), io.StringIO()

    def __call__(self, *words: str) -> int:
        parser = argparse.ArgumentParser()
        add_llm(parser.add_subparsers(dest="command"))
        self.out, self.err = io.StringIO(), io.StringIO()
        ask = self.ask if self.typed is not None else None
        context = LlmContext(self.out.write, self.err, ask, self.piped)  # type: ignore[arg-type] # a text stream
        return run_llm(self.app, parser.parse_args(["llm", *words]), context=context)

    def ask(self, question: str) -> str:
        self.asked.append(question)
        assert self.typed is not None
        if self.typed == "\x04":
            raise EOFError
        return self.typed

    @property
    def said(self) -> str:
        """All output of the last command."""
        return self.out.getvalue() + self.err.getvalue()


class TestList:
    def test_in_groups_with_what_runs_here(self) -> None:
        llm = Terminal()
        assert llm("list") == 0
        lines = llm.out.getvalue().splitlines()
        assert lines == [
            "On this computer",
            "  starter           Starter model, small, often wrong, ready",
            "  openai/llama3:8b  llama3:8b (Ollama), ready",
            "",
            "OpenAI",
            "  gpt-4.1           GPT-4.1, needs a key",
        ]
        assert llm.err.getvalue() == ""

    @pytest.mark.parametrize(
        ("make", "says"),
        [
            (lambda: Terminal(OPENAI_API_KEY=KEY), "ready, key from the environment"),
            (lambda: _with_key(Terminal(), keep=True), "ready, key from the keyring"),
            (lambda: _with_key(Terminal(), keep=False), "ready, key until the program ends"),
        ],
    )
    def test_where_the_key_is_from(self, make: Callable[[], Terminal], says: str) -> None:
        llm = make()
        llm("list")
        assert f"GPT-4.1, {says}" in llm.out.getvalue()
        assert KEY not in llm.said

    def test_json(self) -> None:
        llm = Terminal(OPENAI_API_KEY=KEY)
        assert llm("list", "--json") == 0
        models = {model["name"]: model for model in json.loads(llm.out.getvalue())}
        assert models["gpt-4.1"] == {
            "name": "gpt-4.1",
            "label": "GPT-4.1",
            "group": "OpenAI",
            "provider": "openai",
            "api_base": None,
            "hint": "",
            "key": "environment",
            "ready": True,
        }
        assert models["openai/llama3:8b"]["api_base"] == FOUND.api_base
        assert KEY not in llm.said

    def test_without_a_keyring_it_says_so(self) -> None:
        llm = Terminal(PlaintextKeyring())
        assert llm("list", "--json") == 0
        json.loads(llm.out.getvalue())
        assert "no keyring" in llm.err.getvalue()


def _with_key(llm: Terminal, *, keep: bool) -> Terminal:
    llm.app.store.set(catalog.find_provider("openai"), KEY, keep=keep)
    return llm


class TestTest:
    def test_the_time_to_the_first_word(self) -> None:
        llm = Terminal()
        assert llm("test", "gpt-4.1") == 0
        assert llm.out.getvalue() == "GPT-4.1 answers: 412 ms to the first word.\n"
        assert llm("test", "gpt-4.1", "--json") == 0
        assert json.loads(llm.out.getvalue()) == {
            "name": "gpt-4.1",
            "api_base": None,
            "ok": True,
            "first_token_ms": 412.0,
            "error": None,
        }

    @pytest.mark.parametrize(
        ("category", "code"),
        [(ErrorCategory.PERMANENT, 2), (ErrorCategory.TRANSIENT, 1), (ErrorCategory.BAD_INPUT, 2)],
    )
    def test_what_is_wrong_in_words(self, category: ErrorCategory, code: int) -> None:
        llm = Terminal()
        error = LlmError("The service refused the key.", "Check it.", category=category)
        llm.app.tests = {"gpt-4.1": LlmTest(GPT, error=error)}
        with pytest.raises(LlmError) as caught:
            llm("test", "gpt-4.1")
        assert caught.value is error
        assert llm("test", "gpt-4.1", "--json") == code
        answer = json.loads(llm.out.getvalue())
        assert not answer["ok"]
        assert answer["error"] == {"category": category.value, "what": error.what, "remedy": "Check it."}

    @pytest.mark.parametrize("name", ["openai/llama3:8b", "llama3:8b"])
    def test_one_that_runs_here_by_either_name(self, name: str) -> None:
        llm = Terminal()
        llm("test", name)
        assert llm.app.tested == [FOUND]

    def test_any_name_and_any_address(self) -> None:
        llm = Terminal()
        llm("test", "groq/new")
        llm("test", "gpt-4.1", "--api-base", "http://h:1/v1/")
        assert [(model.name, model.api_base) for model in llm.app.tested] == [
            ("groq/new", None),
            ("gpt-4.1", "http://h:1/v1"),
        ]

    @pytest.mark.parametrize("words", [("two words",), ("auto",), ("x", "--api-base", "nonsense")])
    def test_what_cannot_be(self, words: tuple[str, ...]) -> None:
        llm = Terminal()
        with pytest.raises(BadInputError):
            llm("test", *words)
        assert not llm.app.tested


class TestSetKey:
    def test_typed_unseen(self) -> None:
        llm = Terminal()
        llm.typed = KEY
        assert llm("set-key", "OpenAI") == 0
        assert llm.asked == ["Key of OpenAI (it isn't shown): "]
        assert llm.out.getvalue() == "The key of OpenAI is kept in the keyring.\n"
        assert llm.app.store.get(catalog.find_provider("openai")) == KEY
        assert KEY not in llm.said

    @pytest.mark.parametrize("piped", [f"{KEY}\n", KEY, f"\ufeff{KEY}\r\n", f"{KEY}\nmore\n"])
    def test_one_line_of_a_pipe(self, piped: str) -> None:
        llm = Terminal()
        llm.piped = io.StringIO(piped)
        assert llm("set-key", "groq") == 0
        assert llm.app.store.get(catalog.find_provider("groq")) == KEY
        assert not llm.asked

    def test_for_the_service_at_an_address(self) -> None:
        llm = Terminal()
        llm.typed = KEY
        assert llm("set-key", "http://box:8000/v1/") == 0
        assert llm.out.getvalue() == "The key of box:8000 is kept in the keyring.\n"

    def test_the_environment_still_goes_first(self) -> None:
        llm = Terminal(OPENAI_API_KEY="sk-env")
        llm.typed = KEY
        assert llm("set-key", "openai") == 0
        assert "OPENAI_API_KEY" in llm.err.getvalue()
        assert "goes first" in llm.err.getvalue()

    @pytest.mark.parametrize("piped", ["", "\n", f"{KEY} {KEY}\n", "k" * 200_000, f"{KEY}\x00"])
    def test_what_is_no_key(self, piped: str) -> None:
        llm = Terminal()
        llm.piped = io.StringIO(piped)
        with pytest.raises(BadInputError) as caught:
            llm("set-key", "openai")
        assert KEY not in f"{caught.value}{llm.said}"

    def test_no_text_at_all(self) -> None:
        llm = Terminal()
        llm.piped = io.TextIOWrapper(io.BytesIO(b"\xff\xfe" + KEY.encode()), encoding="utf-8")
        with pytest.raises(BadInputError) as caught:
            llm("set-key", "openai")
        assert caught.value.__context__ is None

    def test_ctrl_d(self) -> None:
        llm = Terminal()
        llm.typed = "\x04"
        with pytest.raises(BadInputError, match="empty"):
            llm("set-key", "openai")

    @pytest.mark.parametrize(
        "words",
        [
            ("openai", KEY),
            ("openai", f"--key={KEY}"),
            ("openai", "--key", KEY),
            (f"--api-key={KEY}", "openai"),
            ("openai", "--", KEY),
            (KEY,),
        ],
    )
    @pytest.mark.parametrize("command", ["set-key", "forget-key"])
    def test_never_on_the_command_line(
        self, command: str, words: tuple[str, ...], capfd: pytest.CaptureFixture[str]
    ) -> None:
        llm = Terminal()
        llm.typed = KEY
        with pytest.raises(BadInputError) as caught:
            llm(command, *words)
        out, err = capfd.readouterr()
        assert KEY not in f"{caught.value}{llm.said}{out}{err}"
        assert not llm.asked
        assert isinstance(llm.keyring, FakeKeyring)
        assert not llm.keyring.secrets

    def test_without_a_provider_nothing_is_repeated(self, capfd: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            Terminal()("set-key", f"--key={KEY}")
        out, err = capfd.readouterr()
        assert "PROVIDER" in err
        assert KEY not in out + err

    def test_without_a_keyring_nobody_is_asked(self) -> None:
        llm = Terminal(PlaintextKeyring())
        llm.typed = KEY
        with pytest.raises(MissingError, match="no keyring") as caught:
            llm("set-key", "openai")
        assert "OPENAI_API_KEY" in caught.value.remedy
        assert not llm.asked

    def test_a_keyring_that_refuses_is_said(self) -> None:
        keyring = FakeKeyring()
        llm = Terminal(keyring)
        llm.typed = KEY
        keyring.fails = KeyringLocked(KEY)
        with pytest.raises(MissingError, match="locked") as caught:
            llm("set-key", "openai")
        assert KEY not in f"{caught.value}{llm.said}"


class TestForgetKey:
    def test_it_is_gone(self) -> None:
        llm = _with_key(Terminal(), keep=True)
        assert llm("forget-key", "openai") == 0
        assert llm.out.getvalue() == "The key of OpenAI was removed.\n"
        assert llm.app.store.source(catalog.find_provider("openai")) is KeySource.MISSING
        assert llm("forget-key", "openai") == 0
        assert llm.out.getvalue() == "No key of OpenAI was kept.\n"

    def test_the_environment_is_left_alone(self) -> None:
        llm = Terminal(OPENAI_API_KEY=KEY)
        assert llm("forget-key", "openai") == 0
        assert "still there" in llm.err.getvalue()
        assert KEY not in llm.said

    def test_nobody(self) -> None:
        with pytest.raises(BadInputError, match="no provider"):
            Terminal()("forget-key", "nobody")


def test_a_key_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    llm = Terminal()
    llm.typed = KEY
    for words in (("set-key", "openai"), ("list",), ("list", "--json"), ("test", "gpt-4.1"), ("forget-key", "openai")):
        llm(*words)
        assert KEY not in llm.said
    assert isinstance(llm.keyring, FakeKeyring)
    for failure in (KeyringLocked(KEY), OSError(KEY)):
        llm.keyring.fails = failure
        for words in (("set-key", "openai"), ("list",), ("forget-key", "openai")):
            try:
                llm(*words)
            except AppError as error:
                assert KEY not in str(error)  # noqa: PT017 - some succeed
    assert KEY not in caplog.text


def test_the_parser_is_light() -> None:
    """The program's parser imports this module at every start."""
    heavy = "('keyring', 'litellm', 'httpx', 'rich')"
    code = f"import sys, kame_desktop.commands.llm; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
