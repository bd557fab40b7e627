"""The settings file: kept whole, damage set aside, what a newer version wrote is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from kame_desktop.core.settings import Settings, SettingsStore


def test_without_a_file_the_defaults_count(tmp_path: Path) -> None:
    store = SettingsStore(tmp_path / "settings.json")
    assert store.load() == Settings()
    assert store.warning is None


def test_what_is_saved_is_loaded_again_and_no_scrap_is_left(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "settings.json"
    store = SettingsStore(path)
    store.settings.llm.model = "gpt-4.1"
    store.save()
    assert SettingsStore(path).load().llm.model == "gpt-4.1"
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


def test_unknown_keys_of_a_newer_version_survive(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"version": 9, "engine": "cascade", "hologram": {"on": True}}))
    store = SettingsStore(path)
    assert store.load().engine == "cascade"
    store.save()
    assert json.loads(path.read_text())["hologram"] == {"on": True}


@pytest.mark.parametrize("content", ["{not json", "[]", '{"llm": {"min_spacing_ms": -4}}', "\x00\xff"])
def test_a_broken_file_is_set_aside_and_said(tmp_path: Path, content: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(content, encoding="latin-1")
    store = SettingsStore(path)
    assert store.load() == Settings()
    assert store.warning is not None
    assert "settings.broken" in store.warning
    assert (tmp_path / "settings.broken").read_text(encoding="latin-1") == content
    assert not path.exists()


def test_values_are_checked_when_they_are_set() -> None:
    settings = Settings()
    with pytest.raises(ValidationError):
        settings.llm.min_spacing_ms = 1.0
