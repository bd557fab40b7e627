"""Settings of older and newer versions, and files that no version wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.backend.llm import catalog
from kame_desktop.core.settings import SCHEMA_VERSION, Settings, SettingsStore

ADDRESS = "http://192.168.1.20:8000/v1"


def load(folder: Path, raw: Any) -> SettingsStore:
    path = folder / "settings.json"
    path.write_text(raw if isinstance(raw, str) else json.dumps(raw), encoding="utf-8")
    store = SettingsStore(path)
    store.load()
    return store


def saved(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "settings.json").read_text(encoding="utf-8"))


def own_models(store: SettingsStore) -> list[tuple[str, str | None]]:
    return [(model.name, model.api_base) for model in store.settings.llm.custom_models]


def test_a_whole_file_of_version_1(tmp_path: Path) -> None:
    store = load(
        tmp_path,
        {
            "version": 1,
            "engine": "cascade",
            "stt": "base.en",
            "checkpoints": {"kame": "/weights"},
            "audio": {"input_device": "Yeti", "output_device": None, "echo_cancellation": False, "later": 1},
            "llm": {
                "model": "my-model",
                "api_base": ADDRESS,
                "custom_models": ["my-model", "groq/other"],
                "system_prompt": "Be brief.",
                "speculate": False,
            },
            "unknown": [1, 2],
        },
    )
    assert store.warning is None
    settings = store.settings
    assert (settings.version, settings.engine, settings.stt) == (SCHEMA_VERSION, "cascade", "base.en")
    assert settings.checkpoints == {"kame": "/weights"}
    assert settings.audio.input_device is not None
    assert settings.audio.input_device.name == "Yeti"
    assert settings.audio.output_device is None
    assert not settings.audio.echo_cancellation
    assert settings.llm.system_prompt == "Be brief."
    assert not settings.llm.speculate
    store.save()
    assert saved(tmp_path)["unknown"] == [1, 2]
    assert saved(tmp_path)["audio"]["later"] == 1


@pytest.mark.parametrize(
    ("llm", "own"),
    [
        ({"model": "mine", "api_base": ADDRESS}, [("mine", ADDRESS)]),
        ({"model": "mine", "api_base": ADDRESS, "custom_models": ["other"]}, [("other", None), ("mine", ADDRESS)]),
        ({"model": "mine", "api_base": ADDRESS, "custom_models": ["mine", "b"]}, [("mine", ADDRESS), ("b", None)]),
        ({"model": "mine", "custom_models": ["mine"]}, [("mine", None)]),
        ({"model": "mine"}, []),
        ({"model": "mine", "api_base": "  "}, []),
        ({"model": "gpt-4.1", "api_base": ADDRESS, "custom_models": ["b"]}, [("b", None)]),
        ({"model": "starter", "api_base": ADDRESS}, []),
        ({"api_base": ADDRESS}, []),
        ({}, []),
    ],
)
def test_the_one_address_of_version_1_was_the_chosen_models(
    tmp_path: Path, llm: dict[str, Any], own: list[tuple[str, str | None]]
) -> None:
    store = load(tmp_path, {"llm": llm})
    assert store.warning is None
    assert own_models(store) == own


@pytest.mark.parametrize("model", ["mine", "gpt-4.1", "starter"])
def test_the_chosen_model_is_asked_where_version_1_asked_it(tmp_path: Path, model: str) -> None:
    store = load(tmp_path, {"version": 1, "llm": {"model": model, "api_base": ADDRESS}})
    asked = catalog.chosen(store.settings.llm)
    assert asked.name == model
    assert asked.api_base == (ADDRESS if model == "mine" else None)


_names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
_version_1 = st.fixed_dictionaries(
    {},
    optional={
        "version": st.just(1),
        "engine": _names,
        "stt": _names,
        "checkpoints": st.dictionaries(_names, _names, max_size=3),
        "audio": st.fixed_dictionaries(
            {},
            optional={
                "input_device": st.none() | _names,
                "output_device": st.none() | _names,
                "echo_cancellation": st.booleans(),
            },
        ),
        "llm": st.fixed_dictionaries(
            {},
            optional={
                "model": _names | st.sampled_from(["starter", "gpt-4.1"]),
                "api_base": st.none() | _names,
                "custom_models": st.lists(_names, max_size=4),
                "system_prompt": st.none() | _names,
                "min_spacing_ms": st.floats(100.0, 5_000.0),
                "speculate": st.booleans(),
            },
        ),
        "from_nowhere": st.integers(),
    },
)


@given(raw=_version_1)
def test_every_file_of_version_1_is_taken_and_stays_as_it_is_from_then_on(
    raw: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("settings")
    store = load(folder, raw)
    assert store.warning is None
    llm = raw.get("llm", {})
    assert store.settings.llm.model == llm.get("model", "starter")
    assert {name for name, _ in own_models(store)} >= set(llm.get("custom_models", []))
    assert len([name for name, where in own_models(store) if where]) <= 1
    store.save()
    again = SettingsStore(folder / "settings.json")
    assert again.load() == store.settings
    assert saved(folder).get("from_nowhere") == raw.get("from_nowhere")


NEWER: dict[str, Any] = {
    "version": 9,
    "engine": "cascade",
    "stt": {"name": "whisper", "beams": 3},
    "audio": {"volume": {"left": 1, "right": 0.5}, "echo_cancellation": False, "room": "hall"},
    "llm": {"model": "gpt-4.1", "custom_models": [{"url": "x"}], "speculate": False},
    "window": "wide",
    "hologram": {"on": True},
}


def test_of_a_newer_file_what_can_be_read_is_read(tmp_path: Path) -> None:
    store = load(tmp_path, NEWER)
    settings = store.settings
    assert (settings.engine, settings.llm.model, settings.llm.speculate) == ("cascade", "gpt-4.1", False)
    assert not settings.audio.echo_cancellation
    assert (settings.stt, settings.audio.volume, settings.window) == ("whisper", 1.0, Settings().window)
    assert store.warning is not None
    assert "newer version" in store.warning
    assert not list(tmp_path.glob("*.broken"))


def test_a_newer_file_is_changed_only_where_the_user_changes_something(tmp_path: Path) -> None:
    store = load(tmp_path, NEWER)
    store.save()
    assert saved(tmp_path) == NEWER
    store.settings.llm.speculate = True
    store.settings.audio.volume = 0.25
    store.settings.window.timeline = False
    store.save()
    store.save()
    changed = saved(tmp_path)
    assert changed["llm"] == {**NEWER["llm"], "speculate": True}
    assert changed["audio"] == {"volume": 0.25, "echo_cancellation": False, "room": "hall"}
    assert changed["window"]["timeline"] is False
    assert {key: changed[key] for key in ("version", "stt", "hologram")} == {
        key: NEWER[key] for key in ("version", "stt", "hologram")
    }


def test_a_newer_file_that_can_be_read_whole_is_read_without_a_word(tmp_path: Path) -> None:
    assert load(tmp_path, {"version": SCHEMA_VERSION + 1, "engine": "cascade"}).warning is None


@pytest.mark.parametrize("version", ["two", None, [], {}])
def test_a_version_that_is_none_breaks_the_file(tmp_path: Path, version: object) -> None:
    store = load(tmp_path, {"version": version})
    assert store.settings == Settings()
    assert (tmp_path / "settings.broken").exists()


def test_a_file_without_end_is_set_aside(tmp_path: Path) -> None:
    store = load(tmp_path, "[" * 100_000)
    assert store.settings == Settings()
    assert (tmp_path / "settings.broken").exists()


def test_a_mark_of_windows_editors_is_no_damage(tmp_path: Path) -> None:
    store = load(tmp_path, '\ufeff{"version": 2, "engine": "cascade"}')
    assert store.settings.engine == "cascade"
    assert store.warning is None


def test_half_a_letter_is_kept_and_loses_nothing_else(tmp_path: Path) -> None:
    store = SettingsStore(tmp_path / "settings.json")
    store.settings.llm.system_prompt = "half \ud83d"
    store.settings.engine = "cascade"
    store.save()
    assert SettingsStore(tmp_path / "settings.json").load().engine == "cascade"


def test_a_linked_file_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.json", tmp_path / "settings.json"
    real.write_text("{}", encoding="utf-8")
    link.symlink_to(real)
    store = SettingsStore(link)
    store.load().engine = "cascade"
    store.save()
    assert link.is_symlink()
    assert json.loads(real.read_text(encoding="utf-8"))["engine"] == "cascade"


def test_a_save_that_fails_leaves_the_old_file_and_no_scrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = load(tmp_path, {"version": 2, "engine": "cascade"})
    store.settings.engine = "lite"

    def full(source: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        store.save()
    assert [entry.name for entry in tmp_path.iterdir()] == ["settings.json"]
    assert saved(tmp_path)["engine"] == "cascade"


def test_only_the_user_may_read_the_file(tmp_path: Path) -> None:
    store = load(tmp_path, {})
    store.save()
    assert (tmp_path / "settings.json").stat().st_mode & 0o077 == 0
