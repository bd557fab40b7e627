"""What a name means, and what a config.json may name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kame_desktop.core.errors import ErrorCategory
from kame_desktop.weights.catalog import KNOWN, parse
from kame_desktop.weights.checkpoint import named_files, read_config, safe_path
from kame_desktop.weights.errors import DamagedConfigError, UnknownNameError
from kame_desktop.weights.words import duration_text, rate_text, size_text
from tests.weights.sets import config


class TestParse:
    @pytest.mark.parametrize(
        ("given", "name", "repo"),
        [
            ("kame", "kame", "SakanaAI/kame"),
            (" KAME ", "kame", "SakanaAI/kame"),
            ("SakanaAI/kame", "kame", "SakanaAI/kame"),
            ("moshi", "moshi", "kyutai/moshiko-pytorch-bf16"),
            ("someone/their.model-1", "someone/their.model-1", "someone/their.model-1"),
            ("hf://someone/model", "someone/model", "someone/model"),
            ("https://huggingface.co/SakanaAI/kame/", "kame", "SakanaAI/kame"),
        ],
    )
    def test_repositories(self, given: str, name: str, repo: str):
        reference = parse(given)
        assert (reference.name, reference.repo, reference.folder) == (name, repo, None)

    def test_folders(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        (tmp_path / "a" / "b").mkdir(parents=True)
        monkeypatch.chdir(tmp_path)
        assert parse("./a/b").folder == tmp_path / "a" / "b"
        assert parse(str(tmp_path)).folder == tmp_path
        assert parse("a/b").repo == "a/b"
        (tmp_path / "a" / "b" / "config.json").write_bytes(config())
        assert parse("a/b").folder == tmp_path / "a" / "b"

    @pytest.mark.parametrize("given", ["", "nothing", "a/b/c", "a b/c", "a/../b", "a--b/c", "https://example.org/a"])
    def test_nonsense_is_refused_with_what_could_be_meant(self, given: str):
        with pytest.raises(UnknownNameError, match="kame, moshi") as caught:
            parse(given)
        assert caught.value.category is ErrorCategory.BAD_INPUT

    def test_known_sets_say_what_they_are(self):
        for entry in KNOWN:
            assert entry.what
            assert entry.approx_bytes > 10_000_000_000


class TestNamedFiles:
    def test_names_of_the_config(self):
        files = named_files(read_config(config(lora_name="lora.safetensors")))
        assert {file.key: file.path for file in files} == {
            "moshi_name": "model.safetensors",
            "mimi_name": "mimi.safetensors",
            "mimi_config_name": "mimi_config.json",
            "tokenizer_name": "tokenizer_spm_tiny.model",
            "lora_name": "lora.safetensors",
        }

    def test_defaults_are_those_of_moshi(self):
        expected = [
            "model.safetensors",
            "tokenizer-e351c8d8-checkpoint125.safetensors",
            "tokenizer_spm_32k_3.model",
        ]
        assert [file.path for file in named_files({})] == expected
        assert [file.path for file in named_files(None)] == expected

    def test_a_file_of_another_repository(self):
        files = named_files({"moshi_name": "hf://kyutai/moshiko-pytorch-bf16/model.safetensors"})
        assert (files[0].repo, files[0].path) == ("kyutai/moshiko-pytorch-bf16", "model.safetensors")

    @pytest.mark.parametrize(
        "name", ["model.pt", "model.bin", "model.pth", "model.pkl", "model.safetensors.pt", "model"]
    )
    def test_pickle_is_refused(self, name: str):
        with pytest.raises(DamagedConfigError, match=name):
            named_files({"moshi_name": name})

    @pytest.mark.parametrize(
        "name",
        [
            "../model.safetensors",
            "/etc/model.safetensors",
            "a/../../m.safetensors",
            "C:m.safetensors",
            "a\\m.safetensors",
            "hf://../x/model.safetensors",
            "hf://a/b/../m.safetensors",
            "file:///x.safetensors",
            "./m.safetensors",
        ],
    )
    def test_ways_out_are_refused(self, name: str):
        with pytest.raises(DamagedConfigError):
            named_files({"moshi_name": name})

    def test_a_value_that_is_no_name(self):
        with pytest.raises(DamagedConfigError, match="tokenizer_name"):
            named_files({"tokenizer_name": 3})

    @pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff\xfe"])
    def test_damaged_config(self, data: bytes):
        with pytest.raises(DamagedConfigError, match=r"config\.json is damaged"):
            read_config(data)

    def test_safe_path(self):
        assert safe_path("a/b.json")
        assert not any(safe_path(path) for path in ("", ".", "..", "a//b", "a/", "/a", "a\0"))

    def test_the_reference_checkpoint(self):
        raw = {"moshi_name": "model.safetensors", "mimi_name": "mimi.safetensors", "lm_gen_config": {"temp": 0.8}}
        assert named_files(json.loads(json.dumps(raw)))[0].path == "model.safetensors"


class TestWords:
    @pytest.mark.parametrize(
        ("size", "text"),
        [(0, "0 bytes"), (999, "1.0 kB"), (940, "940 bytes"), (15_900_000_000, "15.9 GB"), (999_999_999, "1.0 GB")],
    )
    def test_size(self, size: int, text: str):
        assert size_text(size) == text

    def test_rate_and_time(self):
        assert rate_text(42_100_000) == "42.1 MB/s"
        assert duration_text(20) == "less than a minute"
        assert duration_text(60) == "about 1 minute"
        assert duration_text(170) == "about 3 minutes"
        assert duration_text(9000) == "about 2.5 hours"
