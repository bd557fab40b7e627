"""Keys: where they come from, where they are kept, and that nothing ever shows one."""

from __future__ import annotations

import copy
import io
import logging
import pickle
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import KeySource, LlmModel, Provider
from kame_desktop.backend.llm.keys import SERVICE, SystemKeyStore, key_for
from kame_desktop.core.errors import AppError, BadInputError
from tests.fakes.keyring import Chain, FakeKeyring, KeyringLocked, PlaintextKeyring, WinVaultKeyring

OPENAI = Provider("openai", "OpenAI", ("OPENAI_API_KEY", "OPENAI_KEY"))
GROQ = Provider("groq", "Groq", ("GROQ_API_KEY",))
LOCAL = Provider("ollama", "Ollama")
KEY = "sk-planted-1234567890"
SHORT_S = 0.05


@pytest.fixture
def keyring() -> FakeKeyring:
    """An empty one that works."""
    return FakeKeyring()


@pytest.fixture
def store(keyring: FakeKeyring) -> SystemKeyStore:
    """No variable is set."""
    return SystemKeyStore({}, lambda: keyring)


class TestWhereFrom:
    def test_a_key_is_kept_under_the_providers_name(self, store: SystemKeyStore, keyring: FakeKeyring) -> None:
        assert store.problem is None
        assert store.source(OPENAI) is KeySource.MISSING
        assert store.get(OPENAI) is None
        assert store.set(OPENAI, f"  {KEY}\n") is KeySource.KEYRING
        assert keyring.secrets == {(SERVICE, "openai"): KEY}
        assert (store.source(OPENAI), store.get(OPENAI)) == (KeySource.KEYRING, KEY)
        assert store.source(GROQ) is KeySource.MISSING

    def test_the_next_program_finds_it(self, keyring: FakeKeyring) -> None:
        SystemKeyStore({}, lambda: keyring).set(OPENAI, KEY)
        later = SystemKeyStore({}, lambda: keyring)
        assert (later.source(OPENAI), later.get(OPENAI)) == (KeySource.KEYRING, KEY)

    def test_the_environment_goes_first(self, keyring: FakeKeyring) -> None:
        environment: dict[str, str] = {}
        store = SystemKeyStore(environment, lambda: keyring)
        store.set(OPENAI, KEY)
        environment["OPENAI_API_KEY"] = "   "
        assert store.source(OPENAI) is KeySource.KEYRING
        environment["OPENAI_KEY"] = " sk-env\n"
        assert (store.source(OPENAI), store.get(OPENAI)) == (KeySource.ENVIRONMENT, "sk-env")
        environment["OPENAI_API_KEY"] = "sk-first"
        assert store.get(OPENAI) == "sk-first"

    def test_with_a_variable_the_keyring_is_not_asked(self, keyring: FakeKeyring) -> None:
        assert SystemKeyStore({"GROQ_API_KEY": "k"}, lambda: keyring).source(GROQ) is KeySource.ENVIRONMENT
        assert not keyring.reads

    def test_who_needs_none(self, store: SystemKeyStore, keyring: FakeKeyring) -> None:
        assert store.source(LOCAL) is KeySource.NOT_NEEDED
        assert store.get(LOCAL) is None
        assert not keyring.reads

    def test_for_this_session_only(self, store: SystemKeyStore, keyring: FakeKeyring) -> None:
        store.set(OPENAI, "sk-old")
        assert store.set(OPENAI, KEY, keep=False) is KeySource.SESSION
        assert (store.source(OPENAI), store.get(OPENAI)) == (KeySource.SESSION, KEY)
        assert keyring.secrets[SERVICE, "openai"] == "sk-old"
        assert store.set(OPENAI, "sk-new") is KeySource.KEYRING
        assert store.get(OPENAI) == "sk-new"

    def test_each_provider_is_looked_up_once(self, store: SystemKeyStore, keyring: FakeKeyring) -> None:
        for _ in range(3):
            store.source(OPENAI)
            store.get(GROQ)
        assert sorted(keyring.reads) == ["groq", "openai"]

    def test_many_threads_look_up_once(self, store: SystemKeyStore, keyring: FakeKeyring) -> None:
        keyring.secrets[SERVICE, "openai"] = KEY
        together = threading.Barrier(8)

        def get(_: int) -> str | None:
            together.wait(10.0)
            return store.get(OPENAI)

        keyring.gate.clear()
        with ThreadPoolExecutor(8) as pool:
            found = pool.map(get, range(8))
            _until(lambda: bool(keyring.reads))
            keyring.gate.set()
            assert set(found) == {KEY}
        assert keyring.reads == ["openai"]


class TestForget:
    def test_everywhere_but_the_environment(self, keyring: FakeKeyring) -> None:
        environment = {"OPENAI_API_KEY": "sk-env"}
        store = SystemKeyStore(environment, lambda: keyring)
        store.set(OPENAI, KEY)
        store.set(GROQ, KEY, keep=False)
        assert store.forget(OPENAI)
        assert store.forget(GROQ)
        assert not keyring.secrets
        assert store.source(OPENAI) is KeySource.ENVIRONMENT
        assert store.source(GROQ) is KeySource.MISSING
        environment.clear()
        assert store.source(OPENAI) is KeySource.MISSING

    def test_there_was_none(self, store: SystemKeyStore) -> None:
        assert not store.forget(OPENAI)

    def test_a_keyring_that_holds_on_is_an_error(self, store: SystemKeyStore, keyring: FakeKeyring) -> None:
        store.set(OPENAI, KEY)
        keyring.fails = KeyringLocked(KEY)
        with pytest.raises(AppError, match="may still be in the keyring") as caught:
            store.forget(OPENAI)
        assert caught.value.remedy
        keyring.fails = None
        assert store.forget(OPENAI)

    def test_without_a_keyring_memory_is_all_there_is(self) -> None:
        store = SystemKeyStore({}, PlaintextKeyring)
        store.set(OPENAI, KEY)
        assert store.forget(OPENAI)
        assert not store.forget(OPENAI)


def _library(name: str) -> object:
    from keyring.backends import fail, null

    return {"fail": fail.Keyring, "null": null.Keyring}[name]()


class _Weak(FakeKeyring):
    priority = 0.5


class TestNoKeyring:
    @pytest.mark.parametrize(
        "make",
        [
            lambda: _library("fail"),
            lambda: _library("null"),
            PlaintextKeyring,
            _Weak,
            lambda: Chain([]),
            lambda: Chain([PlaintextKeyring(), _library("null")]),
        ],
    )
    def test_what_keeps_nothing_or_in_plain_text_is_none(self, make: Callable[[], object]) -> None:
        store = SystemKeyStore({}, make)
        assert store.problem is not None
        assert "no keyring" in store.problem
        assert "environment variable" in store.problem
        assert store.set(OPENAI, KEY) is KeySource.SESSION
        assert (store.source(OPENAI), store.get(OPENAI)) == (KeySource.SESSION, KEY)

    def test_plain_text_is_never_written(self) -> None:
        plain = PlaintextKeyring()
        SystemKeyStore({}, lambda: plain).set(OPENAI, KEY)
        assert not plain.secrets

    def test_of_a_chain_the_first_that_keeps_secrets(self) -> None:
        plain, sound = PlaintextKeyring(), FakeKeyring()
        store = SystemKeyStore({}, lambda: Chain([plain, sound]))
        assert store.set(OPENAI, KEY) is KeySource.KEYRING
        assert sound.secrets
        assert not plain.secrets

    def test_the_environment_counts_all_the_same(self) -> None:
        assert SystemKeyStore({"GROQ_API_KEY": "k"}, PlaintextKeyring).get(GROQ) == "k"

    def test_the_library_cannot_be_loaded(self) -> None:
        def broken() -> object:
            raise ImportError("no such thing")

        store = SystemKeyStore({}, broken)
        assert store.source(OPENAI) is KeySource.MISSING
        assert store.problem is not None
        assert store.set(OPENAI, KEY) is KeySource.SESSION


class TestTrouble:
    @pytest.mark.parametrize(
        ("error", "says"),
        [
            (KeyringLocked(f"the user said no to {KEY}"), "locked"),
            (OSError(KEY), "refuses"),
            (RuntimeError(KEY), "refuses"),
        ],
    )
    def test_it_becomes_this_session_only_and_a_message(
        self, store: SystemKeyStore, keyring: FakeKeyring, error: Exception, says: str
    ) -> None:
        keyring.fails = error
        assert store.set(OPENAI, KEY) is KeySource.SESSION
        assert store.get(OPENAI) == KEY
        problem = store.problem
        assert problem is not None
        assert says in problem
        assert KEY not in problem
        keyring.fails = None
        assert store.set(OPENAI, KEY) is KeySource.KEYRING
        assert store.problem is None

    def test_a_refusal_is_not_provoked_again_for_every_provider(
        self, store: SystemKeyStore, keyring: FakeKeyring
    ) -> None:
        keyring.fails = KeyringLocked("no")
        assert {store.source(provider) for provider in catalog.providers()} == {KeySource.MISSING}
        assert len(keyring.reads) == 1
        keyring.fails = None
        keyring.secrets[SERVICE, "groq"] = "gsk"
        store.set(OPENAI, KEY)
        assert store.get(GROQ) == "gsk"

    def test_one_that_keeps_nothing_is_found_out(self, store: SystemKeyStore, keyring: FakeKeyring) -> None:
        keyring.forgetful = True
        assert store.set(OPENAI, KEY) is KeySource.SESSION
        assert store.problem is not None
        assert store.get(OPENAI) == KEY

    def test_one_that_never_answers(self, keyring: FakeKeyring) -> None:
        keyring.secrets[SERVICE, "openai"] = KEY
        store = SystemKeyStore({}, lambda: keyring, patience_s=SHORT_S)
        keyring.gate.clear()
        try:
            assert store.source(OPENAI) is KeySource.MISSING
            assert store.problem is not None
            assert "doesn't answer" in store.problem
            threads = threading.active_count()
            assert {store.source(provider) for provider in catalog.providers()} == {KeySource.MISSING}
            assert store.set(GROQ, "gsk-1") is KeySource.SESSION
            assert store.get(GROQ) == "gsk-1"
            with pytest.raises(AppError):
                store.forget(OPENAI)
            assert threading.active_count() == threads
        finally:
            keyring.gate.set()
        _until(lambda: store.problem is None)
        assert store.get(OPENAI) == KEY
        assert store.set(GROQ, "gsk-2") is KeySource.KEYRING

    def test_a_key_that_is_kept_late(self, keyring: FakeKeyring) -> None:
        store = SystemKeyStore({}, lambda: keyring, patience_s=SHORT_S)
        assert store.problem is None
        keyring.gate.clear()
        try:
            assert store.set(OPENAI, KEY) is KeySource.SESSION
            assert store.get(OPENAI) == KEY
        finally:
            keyring.gate.set()
        _until(lambda: store.source(OPENAI) is KeySource.KEYRING)
        assert store.get(OPENAI) == KEY
        assert keyring.secrets[SERVICE, "openai"] == KEY

    def test_a_newer_key_outlives_one_that_is_kept_late(self, keyring: FakeKeyring) -> None:
        store = SystemKeyStore({}, lambda: keyring, patience_s=SHORT_S)
        assert store.problem is None
        keyring.gate.clear()
        try:
            store.set(OPENAI, "sk-old")
            store.set(OPENAI, KEY)
        finally:
            keyring.gate.set()
        _until(lambda: store.problem is None)
        assert (store.source(OPENAI), store.get(OPENAI)) == (KeySource.SESSION, KEY)

    def test_opening_that_hangs(self) -> None:
        gate = threading.Event()

        def slow() -> FakeKeyring:
            gate.wait(30.0)
            return FakeKeyring()

        store = SystemKeyStore({}, slow, patience_s=SHORT_S)
        try:
            assert store.problem is not None
            assert store.set(OPENAI, KEY) is KeySource.SESSION
        finally:
            gate.set()
        _until(lambda: store.problem is None)


def _until(true: Callable[[], bool], timeout_s: float = 10.0) -> None:
    """Wait for another thread."""
    waiting = threading.Event()
    for _ in range(int(timeout_s / 0.005)):
        if true():
            return
        waiting.wait(0.005)
    raise AssertionError("it never came true")


class TestWhatIsNoKey:
    @pytest.mark.parametrize(
        "key",
        [
            "",
            "  \n",
            "sk planted",
            "sk-planted\nX-Evil: 1",
            "sk-planted\0",
            "sk-plänted",
            "sk-\u200bplanted",
            "k" * 9000,
        ],
    )
    @pytest.mark.parametrize("keep", [True, False])
    def test_it_is_refused_without_being_repeated(self, store: SystemKeyStore, key: str, keep: bool) -> None:
        store.set(OPENAI, "sk-good")
        with pytest.raises(BadInputError) as caught:
            store.set(OPENAI, key, keep=keep)
        said = "".join(traceback.format_exception(caught.value))
        assert "planted" not in said
        assert "plänted" not in said
        assert "kkkk" not in said
        assert caught.value.remedy
        assert store.get(OPENAI) == "sk-good"

    @given(st.text(max_size=40))
    def test_whatever_is_taken_can_stand_in_a_header(self, key: str) -> None:
        store = SystemKeyStore({}, FakeKeyring)
        try:
            store.set(OPENAI, key, keep=False)
        except BadInputError:
            assert store.get(OPENAI) is None
        else:
            taken = store.get(OPENAI)
            assert taken == key.strip()
            assert taken is not None
            assert taken.isascii()
            assert taken.isprintable()
            assert " " not in taken

    def test_longer_than_windows_keeps(self) -> None:
        vault = WinVaultKeyring()
        store = SystemKeyStore({}, lambda: vault)
        assert store.set(OPENAI, "k" * 1280) is KeySource.KEYRING
        with pytest.raises(BadInputError, match=r"1,281 characters") as caught:
            store.set(OPENAI, "k" * 1281)
        assert "session only" in caught.value.remedy
        assert store.get(OPENAI) == "k" * 1280
        assert store.problem is None
        assert store.set(OPENAI, "k" * 1281, keep=False) is KeySource.SESSION

    def test_longer_than_another_store_keeps(self, store: SystemKeyStore, keyring: FakeKeyring) -> None:
        keyring.longest = 1000
        with pytest.raises(BadInputError, match="more than the keyring keeps"):
            store.set(OPENAI, "k" * 2000)
        assert store.get(OPENAI) is None
        assert store.set(OPENAI, KEY) is KeySource.KEYRING

    def test_the_stores_own_word_for_too_long(self, store: SystemKeyStore, keyring: FakeKeyring) -> None:
        keyring.longest, keyring.too_long = 5, _StubError(KEY)
        with pytest.raises(BadInputError, match="more than the keyring keeps") as caught:
            store.set(OPENAI, KEY)
        assert KEY not in "".join(traceback.format_exception(caught.value))


class _StubError(Exception):
    winerror = 1783


class TestNothingShowsIt:
    def test_no_text_of_any_object(self, store: SystemKeyStore) -> None:
        store.set(OPENAI, KEY)
        store.set(GROQ, KEY, keep=False)
        shown = f"{store!r} {store} {vars(store)} {store.__dict__!r}"
        assert KEY not in shown

    @pytest.mark.parametrize("keep", [True, False])
    def test_it_cannot_be_pickled_or_copied(self, store: SystemKeyStore, keep: bool) -> None:
        store.set(OPENAI, KEY, keep=keep)
        parts = [value for value in vars(store).values() if isinstance(value, dict) and value]
        assert parts
        for thing in (store, *parts):
            target = io.BytesIO()
            with pytest.raises(TypeError):
                pickle.dump(thing, target)
            assert KEY.encode() not in target.getvalue()
            with pytest.raises(TypeError):
                copy.deepcopy(thing)

    def test_no_log_and_no_error(
        self,
        store: SystemKeyStore,
        keyring: FakeKeyring,
        caplog: pytest.LogCaptureFixture,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        caplog.set_level(logging.DEBUG)
        said: list[str] = []
        for failure in (None, KeyringLocked(KEY), OSError(KEY), _StubError(KEY)):
            keyring.fails = failure
            for act in (lambda: store.set(OPENAI, KEY), lambda: store.get(OPENAI), lambda: store.forget(OPENAI)):
                try:
                    act()
                except AppError as error:
                    said += [*traceback.format_exception(error), repr(error.__cause__), repr(error.__context__)]
            said.append(str(store.problem))
        out, err = capfd.readouterr()
        assert len(said) > 4
        assert KEY not in "".join([*said, caplog.text, out, err])


class TestKeyFor:
    def test_a_providers_model_gets_the_providers_key(self, store: SystemKeyStore) -> None:
        store.set(catalog.find_provider("openai"), KEY)
        assert key_for(store, catalog.resolve("gpt-4.1"), {}) == KEY
        assert key_for(store, LlmModel("gpt-4.1-new", "x"), {}) == KEY
        assert key_for(store, catalog.resolve("groq/x"), {}) is None
        assert key_for(store, catalog.resolve("made-up"), {}) is None

    def test_nobodys_model_gets_none(self, store: SystemKeyStore, keyring: FakeKeyring) -> None:
        environment = {"OPENAI_API_KEY": KEY}
        assert key_for(store, catalog.STARTER, environment) is None
        assert key_for(store, catalog.resolve("ollama/llama3"), environment) is None
        assert not keyring.reads

    def test_an_address_never_gets_a_providers_key_from_the_keyring(self, store: SystemKeyStore) -> None:
        store.set(catalog.find_provider("openai"), KEY)
        for name in ("gpt-4.1", "openai/gpt-4.1", "mine"):
            assert key_for(store, catalog.resolve(name, "http://somewhere/v1"), {}) is None

    def test_an_address_gets_its_own_key_or_the_common_variable(self, store: SystemKeyStore) -> None:
        model = catalog.resolve("mine", "http://somewhere/v1/")
        environment = {"OPENAI_API_KEY": " sk-env "}
        assert key_for(store, model, environment) == "sk-env"
        store.set(catalog.find_provider("http://somewhere/v1"), KEY)
        assert key_for(store, model, environment) == KEY
        assert key_for(store, catalog.resolve("mine", "http://elsewhere/v1"), {}) is None

    def test_a_local_service_gets_no_key_of_anybody_else(self, store: SystemKeyStore) -> None:
        model = catalog.resolve("openai/llama3", "http://127.0.0.1:11434/v1")
        assert key_for(store, model, {"OPENAI_API_KEY": KEY}) is None
        store.set(catalog.find_provider("http://127.0.0.1:11434/v1"), "its-own")
        assert key_for(store, model, {"OPENAI_API_KEY": KEY}) == "its-own"
