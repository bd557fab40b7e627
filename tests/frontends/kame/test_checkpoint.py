"""Which folders load, and what is said of those that don't."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kame_desktop.core.activity import Activity
from kame_desktop.core.errors import AppError, Cancelled, ModelFileError, ResourceError
from kame_desktop.frontends.kame import KameFrontend
from kame_desktop.frontends.kame_device import DeviceChoice
from tests.frontends.kame.conftest import TINY, LoadedFactory
from tests.frontends.kame.scenes import Watch, given

torch = pytest.importorskip("torch", reason="torch is not installed (extra gpu)")
pytest.importorskip("moshi", reason="moshi is not installed (extra gpu)")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(TINY, tmp_path / "model"))


def change_config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def change_weights(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    from safetensors.torch import load_file, save_file  # pyright: ignore[reportMissingImports]

    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")


def load_error(folder: Path, **options: Any) -> AppError:
    frontend = KameFrontend(lambda: folder, steer=True, activity=Activity(), **{"device": "cpu", **options})
    with pytest.raises(AppError) as caught:
        frontend.load(lambda done, what: None)
    with pytest.raises(RuntimeError):
        _ = frontend.generation
    return caught.value


def test_without_oracle_table_it_is_a_moshi_that_says_so(loaded: LoadedFactory, folder: Path) -> None:
    change_weights(folder, lambda weights: weights.pop("oracle_emb.weight"))
    frontend = loaded(folder)
    assert not frontend.capabilities.steerable
    assert "This model has no oracle table" in frontend.notes[0]
    assert frontend.generation.oracle is None
    frontend.step(given(0))
    assert frontend.step(given(1)).pcm.shape == (1920,)


def test_a_table_of_zeros_equals_no_table(loaded: LoadedFactory, folder: Path, tmp_path: Path) -> None:
    zeros = Path(shutil.copytree(folder, tmp_path / "zeros"))
    change_weights(folder, lambda weights: weights.pop("oracle_emb.weight"))
    change_weights(zeros, lambda weights: weights["oracle_emb.weight"].zero_())
    seen = []
    for checkpoint in (folder, zeros):
        watch = Watch()
        frontend = watch.begin(loaded(checkpoint, options=watch.options()))
        for frame in range(5):
            frontend.step(given(frame))
        seen.append(torch.stack(watch.logits))
    assert torch.equal(*seen)


def test_capabilities_come_from_the_config(loaded: LoadedFactory) -> None:
    capabilities = loaded().capabilities
    assert capabilities.steerable
    assert (capabilities.oracle_tokens_per_frame, capabilities.min_start_tokens) == (1, 6)
    assert capabilities.context_frames == 64


def test_lm_gen_config_decides_how_it_samples(loaded: LoadedFactory, folder: Path) -> None:
    change_config(folder, lm_gen_config={"temp": 0.5, "temp_text": 0.25, "top_k": 7, "top_k_text": 5})
    lm_gen = loaded(folder).generation.lm_gen
    assert (lm_gen.temp, lm_gen.temp_text, lm_gen.top_k, lm_gen.top_k_text) == (0.5, 0.25, 7, 5)
    change_config(folder, lm_gen_config={"temperature": 1.0})
    assert "lm_gen_config" in load_error(folder).what


def test_lora_weights_are_added(loaded: LoadedFactory, folder: Path) -> None:
    """Against the sum that LoRA means: W + scaling * B @ A, written into the weights by hand."""
    from safetensors.torch import save_file  # pyright: ignore[reportMissingImports]

    name = "transformer.layers.0.gating.linear_in"
    dice = torch.Generator().manual_seed(1)
    lora = {}
    plain = loaded().generation.lm
    for module, linear in plain.named_modules():
        if isinstance(linear, torch.nn.Linear):
            size = 0.1 if module == name else 0.0
            lora[f"{module}.lora_A.weight"] = torch.randn(4, linear.in_features, generator=dice) * size
            lora[f"{module}.lora_B.weight"] = torch.randn(linear.out_features, 4, generator=dice) * size
    save_file(lora, folder / "lora.safetensors")
    change_config(folder, lora=True, lora_rank=4, lora_scaling=2.0, lora_name="lora.safetensors")
    frontend = loaded(folder)
    before = plain.get_submodule(name).weight
    expected = before + 2.0 * lora[f"{name}.lora_B.weight"] @ lora[f"{name}.lora_A.weight"]
    assert torch.allclose(frontend.generation.lm.get_submodule(name).weight, expected, atol=1e-6)
    assert not torch.allclose(before, expected, atol=1e-3)
    assert frontend.capabilities.steerable
    frontend.step(given(0))


def test_int8_comes_close(loaded: LoadedFactory) -> None:
    pytest.importorskip("bitsandbytes", reason="bitsandbytes is not installed")
    seen = []
    for quantize in (None, "int8"):
        watch = Watch()
        frontend = watch.begin(loaded(options=watch.options(), quantize=quantize))
        frontend.generation.advance(torch.zeros((1, 8, 1), dtype=torch.long), 3)
        seen.append(watch.logits[0])
        types = {type(module).__name__ for module in frontend.generation.lm.modules()}
        assert ("QLinear" in types) is (quantize is not None)
        assert ("Linear" in types) is (quantize is None)
    difference = (seen[0] - seen[1]).abs().max()
    assert 0.0 < difference < 0.1 * seen[0].abs().max()


@pytest.mark.parametrize("key", ["moshi_name", "mimi_name", "lora_name"])
def test_pickles_are_refused_unread(folder: Path, key: str) -> None:
    (folder / "weights.pt").write_bytes(b"not read")
    change_config(folder, **{key: "weights.pt"})
    error = load_error(folder)
    assert isinstance(error, ModelFileError)
    assert "safetensors" in error.what


@pytest.mark.parametrize("name", ["../model.safetensors", "/etc/passwd", "file:///etc/passwd", "hf://a/b/../../x"])
def test_names_outside_the_folder_are_refused(folder: Path, name: str) -> None:
    change_config(folder, tokenizer_name=name)
    assert "outside its folder" in load_error(folder).what


def test_file_of_another_repository_is_looked_for_in_the_folder(loaded: LoadedFactory, folder: Path) -> None:
    change_config(folder, mimi_name="hf://kyutai/elsewhere/mimi.safetensors")
    loaded(folder)
    change_config(folder, mimi_name="hf://kyutai/elsewhere/other.safetensors")
    assert "lacks the file other.safetensors" in load_error(folder).what


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"moshi_name": "gone.safetensors"}, "lacks the file gone.safetensors"),
        ({"model_type": "tts"}, "kind 'tts'"),
        ({"n_q": 3}, "not one that moshi knows"),
        ({"dim": "x"}, "not one that moshi knows"),
        ({"num_layers": 3}, "is missing"),
        ({"num_layers": 1}, "is unknown"),
        ({"card": 32}, "another shape"),
        ({"text_card": 300}, "another shape"),
    ],
)
def test_wrong_config_is_told_in_one_sentence(folder: Path, changes: dict[str, Any], told: str) -> None:
    change_config(folder, **changes)
    error = load_error(folder)
    assert isinstance(error, ModelFileError)
    assert told in error.what


def test_damaged_files_are_named(folder: Path) -> None:
    for name in ("model.safetensors", "mimi.safetensors", "tokenizer_spm_tiny.model"):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[:1000])
        assert name in load_error(folder).what
        (folder / name).write_bytes(content)
    change_weights(folder, lambda weights: weights.update({"oracle_emb.weight": torch.zeros(3, 64)}))
    assert "shape [3, 64] instead of [353, 64]" in load_error(folder).what
    (folder / "config.json").write_text("[]")
    assert "can't be read" in load_error(folder).what
    (folder / "config.json").unlink()
    assert "holds no config.json" in load_error(folder).what
    assert "no model folder" in load_error(folder / "gone").what


def test_a_load_can_be_stopped_and_begun_again() -> None:
    frontend = KameFrontend(lambda: TINY, steer=True, activity=Activity(), device="cpu")

    def progress(done: float, what: str) -> None:
        if done > 0.4:
            raise Cancelled("Loading was stopped.")

    with pytest.raises(Cancelled):
        frontend.load(progress)
    with pytest.raises(RuntimeError):
        _ = frontend.generation
    told: list[float] = []
    frontend.load(lambda done, what: told.append(done))
    assert told == sorted(told)
    assert told[-1] == 1.0
    frontend.close()
    frontend.close()


def test_memory_that_runs_out_while_loading_is_a_resource_error() -> None:
    def no_memory() -> Path:
        raise MemoryError

    frontend = KameFrontend(no_memory, steer=True, activity=Activity(), device="cpu")
    with pytest.raises(ResourceError, match="ran out of memory"):
        frontend.load(lambda done, what: None)


def test_failed_compilation_is_tried_again_without(loaded: LoadedFactory, caplog: pytest.LogCaptureFixture) -> None:
    frontend = loaded(keep_loaded=True)
    generation = frontend.generation
    loaded_lm = type("Loaded", (), {"lm": generation.lm, "oracle": generation.oracle})
    generation.close()
    calls = []

    def fail_once(codes: Any, tokens: Any) -> None:
        calls.append(codes)
        if len(calls) == 1:
            raise RuntimeError("Failed to find C compiler")

    class Compiling(DeviceChoice):
        @property
        def on_cpu(self) -> bool:
            return False

    watched = KameFrontend(lambda: TINY, steer=True, activity=Activity(), device="cpu")
    watched._options = type(watched._options)(on_tokens=fail_once)
    watched._words, watched._tokenizer = frontend._words, frontend._tokenizer
    watched._warm_up(loaded_lm, generation.mimi, Compiling("cpu", "float32"), {})  # pyright: ignore[reportArgumentType]
    assert len(calls) > 2
    assert "Compiling parts of the model failed" in watched.notes[0]
    assert "trying without" in caplog.text
    watched._choice = None
    watched.release()
