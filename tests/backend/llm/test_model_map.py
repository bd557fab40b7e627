"""litellm's list of models: read without litellm, and whatever it holds."""

from __future__ import annotations

import json
import random
import string
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.backend.llm.catalog_file import CatalogFile, read_catalog, shipped_catalog
from kame_desktop.backend.llm.model_map import MOST_MODELS, ModelMap, in_order, map_file

TODAY = date(2026, 12, 1)


def of(tmp_path: Path, content: Any) -> ModelMap:
    path = tmp_path / "map.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return ModelMap(lambda: path, lambda: TODAY)


def chat(provider: str = "openai", **more: Any) -> dict[str, Any]:
    return {"litellm_provider": provider, "mode": "chat", **more}


class TestModelMap:
    def test_living_chat_models_of_the_provider(self, tmp_path: Path) -> None:
        models = of(
            tmp_path,
            {
                "a": chat(),
                "of-somebody-else": chat("groq"),
                "draws": chat() | {"mode": "image_generation"},
                "past": chat(deprecation_date="2026-11-30"),
                "last-day": chat(deprecation_date="2026-12-01"),
                "odd-day": chat(deprecation_date="soon"),
                "sings": chat(supported_output_modalities=["audio"]),
                "writes": chat(supported_output_modalities=["text", "image"]),
                "with space": chat(),
                "x" * 500: chat(),
                "no-object": 3,
                "no-provider": {"mode": "chat"},
            },
        )
        assert models.chat_models(["openai"], "") == ["a", "last-day", "odd-day", "writes"]
        assert models.chat_models(["openai"], "", skip=["odd", "wri"]) == ["a", "last-day"]
        assert models.retired_on("past") == date(2026, 11, 30)
        assert models.retired_on("last-day") is None
        assert models.retired_on("unknown") is None

    def test_one_model_is_listed_once_under_its_prefix(self, tmp_path: Path) -> None:
        models = of(tmp_path, {"m": chat("deepseek"), "deepseek/m": chat("deepseek"), "deepseek/n": chat("other")})
        assert models.chat_models(["deepseek"], "deepseek/") == ["deepseek/m"]
        assert models.chat_models(["deepseek", "other"], "deepseek/") == ["deepseek/m", "deepseek/n"]

    def test_the_list_is_bounded(self, tmp_path: Path) -> None:
        models = of(tmp_path, {f"m{number}": chat() for number in range(500)})
        assert len(models.chat_models(["openai"], "")) == MOST_MODELS
        assert models.chat_models(["openai"], "", most=2) == ["m499", "m498"]

    @pytest.mark.parametrize(
        "content",
        ["", "{not json", "[]", "3", "null", '{"a": []}', '"text"', "[" * 100_000, '{"a": {"mode": ["chat"]}}'],
    )
    def test_another_file_is_an_empty_list(self, tmp_path: Path, content: str) -> None:
        assert of(tmp_path, content).chat_models(["openai"], "") == []

    def test_bytes_that_are_no_text(self, tmp_path: Path) -> None:
        (tmp_path / "map.json").write_bytes(b"\xff\xfe\x00")
        assert ModelMap(lambda: tmp_path / "map.json").chat_models(["openai"], "") == []

    def test_no_file_and_no_package(self, tmp_path: Path) -> None:
        assert ModelMap(lambda: tmp_path / "none").chat_models(["openai"], "") == []
        assert ModelMap(lambda: None).retired_on("gpt-4.1") is None

    def test_it_is_read_once_and_not_before_it_is_needed(self, tmp_path: Path) -> None:
        reads: list[None] = []

        def find() -> Path | None:
            reads.append(None)
            return None

        models = ModelMap(find)
        assert not reads
        models.chat_models(["openai"], "")
        models.retired_on("x")
        assert len(reads) == 1

    @given(
        st.dictionaries(
            st.text(max_size=8),
            st.recursive(
                st.none() | st.integers() | st.text(max_size=5), lambda s: st.lists(s, max_size=2), max_leaves=4
            )
            | st.fixed_dictionaries(
                {},
                optional={
                    "litellm_provider": st.just("openai") | st.integers(),
                    "mode": st.just("chat") | st.none(),
                    "deprecation_date": st.text(max_size=10) | st.integers() | st.just("2026-12-24"),
                    "supported_output_modalities": st.lists(st.text(max_size=4), max_size=2) | st.text(max_size=3),
                },
            ),
            max_size=5,
        )
    )
    def test_any_content_is_survived(self, tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any]) -> None:
        names = of(tmp_path_factory.mktemp("map"), content).chat_models(["openai"], "")
        assert set(names) <= set(content)
        assert all(name.isascii() and " " not in name for name in names)


class TestOrder:
    def test_newer_first_and_a_dated_one_after_its_alias(self) -> None:
        names = [
            "gpt-6",
            "gpt-5.10",
            "gpt-5.4",
            "gpt-5.4-2026-03-05",
            "gpt-5.4-2025-01-01",
            "gpt-5.4-mini",
            "gpt-5.4-mini-2026-03-17",
            "mistral-small-latest",
            "mistral-small-2603",
        ]
        # 5.4 is above 5.10: versions are read as decimal numbers, as providers write them.
        wanted = [names[0], *names[2:7], names[1], *names[7:]]
        shuffled = list(names)
        random.Random(4).shuffle(shuffled)
        assert in_order(shuffled) == wanted

    @given(st.lists(st.text(string.ascii_letters + string.digits + "-./", max_size=12), unique=True))
    def test_any_names_have_one_order(self, names: list[str]) -> None:
        ordered = in_order(names)
        assert sorted(ordered) == sorted(names)
        assert in_order(ordered[::-1]) == ordered


class TestInstalledFiles:
    """What ships with the program, and what litellm ships."""

    def test_the_map_is_there_and_offers_more_than_the_catalogue(self) -> None:
        assert map_file() is not None
        catalog = shipped_catalog()
        models = ModelMap(today=lambda: TODAY)
        names = models.chat_models(["openai"], "", catalog.skip)
        assert "gpt-4.1" in names
        assert not [name for name in names if "audio" in name or name.startswith("ft:")]

    def test_the_catalogue_is_sound(self) -> None:
        catalog = shipped_catalog()
        models = [model for provider in catalog.providers for model in provider.models]
        assert len({model.name for model in models}) == len(models) > 20
        assert len({model.label for model in models}) == len(models)
        assert len({provider.name for provider in catalog.providers}) == len(catalog.providers)
        for provider in catalog.providers:
            assert provider.label
            assert provider.keys
            assert provider.key_url.startswith("https://")
            assert all(model.name.startswith(provider.name_prefix) for model in provider.models)
            owners = {known.name for known in catalog.providers for model in provider.models if known.runs(model.name)}
            assert owners <= {provider.name}
        assert {local.name for local in catalog.local} == {"ollama", "lm_studio", "llama_cpp"}

    @pytest.mark.slow
    def test_litellm_knows_the_providers_the_models_and_the_variables(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from kame_desktop.backend.llm.litellm_client import begin_import

        litellm = begin_import().result()
        for provider in shipped_catalog().providers:
            for variable in provider.keys:
                monkeypatch.delenv(variable, raising=False)
            assert provider.name in litellm.provider_list
            for name in (*(model.name for model in provider.models), f"{provider.name}/any"):
                assert litellm.get_llm_provider(name)[1] in (provider.name, *provider.map, "ai21_chat"), name
                missing = set(litellm.validate_environment(name)["missing_keys"])
                assert missing <= set(provider.keys), name

    @pytest.mark.parametrize("content", [None, "", "{", "[]", '{"providers": [{"name": 3}]}', "[" * 100_000])
    def test_a_broken_catalogue_is_an_empty_one(self, tmp_path: Path, content: str | None) -> None:
        path = tmp_path / "catalog.json"
        if content is not None:
            path.write_text(content)
        assert read_catalog(path) == CatalogFile()
