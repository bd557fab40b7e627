"""The public checkpoints at full size, on the meta device: a real one can't fail on a name or a shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kame_desktop.core.errors import ModelFileError
from kame_desktop.frontends.kame_device import DeviceChoice
from kame_desktop.frontends.oracle_stream import ORACLE_WEIGHT, build_lm, fill, memory_need
from tests.frontends.kame.conftest import TINY

torch = pytest.importorskip("torch", reason="torch is not installed (extra gpu)")
loaders = pytest.importorskip("moshi.models.loaders", reason="moshi is not installed (extra gpu)")

# The configuration of SakanaAI/kame and of Moshi 7B (moshi.models.loaders of 0.2.13, kyutai/moshiko-pytorch-bf16).
PUBLIC: dict[str, Any] = {
    "dim": 4096,
    "text_card": 32000,
    "existing_text_padding_id": 3,
    "n_q": 16,
    "dep_q": 8,
    "card": 2048,
    "num_heads": 32,
    "num_layers": 32,
    "hidden_scale": 4.125,
    "causal": True,
    "layer_scale": None,
    "context": 3000,
    "max_period": 10000,
    "gating": "silu",
    "norm": "rms_norm_f32",
    "positional_embedding": "rope",
    "depformer_dim": 1024,
    "depformer_dim_feedforward": 4224,
    "depformer_num_heads": 16,
    "depformer_num_layers": 6,
    "depformer_layer_scale": None,
    "depformer_multi_linear": True,
    "depformer_context": 8,
    "depformer_max_period": 10000,
    "depformer_gating": "silu",
    "depformer_pos_emb": "none",
    "depformer_weights_per_step": True,
    "delays": [0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1],
}

Shapes = dict[str, tuple[int, ...]]


def shapes_of(config: dict[str, Any], *, first_release: bool, oracle: bool) -> Shapes:
    """Names and shapes of a checkpoint, from its configuration alone.

    ``first_release``: attention weights as Moshi's first files have them (one ``in_proj_weight`` for all steps).
    """
    dim, depth, card, text = config["dim"], config["depformer_dim"], config["card"], config["text_card"]
    steps, heard = config["dep_q"], config["n_q"]
    shapes: Shapes = {
        "text_emb.weight": (text + 1, dim),
        "text_linear.weight": (text, dim),
        "out_norm.alpha": (1, 1, dim),
    }
    shapes |= {f"emb.{n}.weight": (card + 1, dim) for n in range(heard)}
    shapes |= {"depformer_text_emb.weight": (text + 1, depth)}
    shapes |= {f"depformer_emb.{n}.weight": (card + 1, depth) for n in range(steps - 1)}
    shapes |= {f"depformer_in.{n}.weight": (depth, dim) for n in range(steps)}
    shapes |= {f"linears.{n}.weight": (card, depth) for n in range(steps)}
    hidden = int(config["hidden_scale"] * dim)
    for layer in range(config["num_layers"]):
        shapes |= dict(_layer(f"transformer.layers.{layer}", dim, hidden, None, first_release=first_release))
    for layer in range(config["depformer_num_layers"]):
        hidden = config["depformer_dim_feedforward"]
        shapes |= dict(_layer(f"depformer.layers.{layer}", depth, hidden, steps, first_release=first_release))
    if oracle:
        shapes["oracle_emb.weight"] = (text + 1, dim)
    return shapes


def _layer(
    name: str, dim: int, feedforward: int, steps: int | None, *, first_release: bool
) -> Iterator[tuple[str, tuple[int, ...]]]:
    hidden = 21 * dim // 8 if feedforward == 4 * dim else 2 * feedforward // 3
    yield f"{name}.norm1.alpha", (1, 1, dim)
    yield f"{name}.norm2.alpha", (1, 1, dim)
    for gating in ("gating",) if steps is None else tuple(f"gating.{n}" for n in range(steps)):
        yield f"{name}.{gating}.linear_in.weight", (2 * hidden, dim)
        yield f"{name}.{gating}.linear_out.weight", (dim, hidden)
    if first_release:
        yield f"{name}.self_attn.in_proj_weight", (3 * dim * (steps or 1), dim)
        yield f"{name}.self_attn.out_proj.weight", (dim * (steps or 1), dim)
        return
    for n in range(steps or 1):
        yield f"{name}.self_attn.in_projs.{n}.weight", (3 * dim, dim)
        yield f"{name}.self_attn.out_projs.{n}.weight", (dim, dim)


def checkpoint(config: dict[str, Any] | None) -> Any:
    mimi = TINY / "mimi.safetensors"
    return loaders.CheckpointInfo(TINY / "model.safetensors", mimi, TINY / "tokenizer_spm_tiny.model", config)


@pytest.mark.parametrize("first_release", [False, True], ids=["kame", "first release"])
def test_every_name_of_a_public_checkpoint_has_its_place(*, first_release: bool) -> None:
    lm = build_lm(checkpoint(PUBLIC), torch.bfloat16)
    shapes = shapes_of(PUBLIC, first_release=first_release, oracle=not first_release)
    own = {name: tuple(parameter.shape) for name, parameter in lm.named_parameters()}
    if not first_release:
        assert {**own, ORACLE_WEIGHT: (32001, 4096)} == shapes
    fill(lm, list(shapes), lambda name: torch.empty(shapes[name], dtype=torch.bfloat16, device="meta"))
    assert {name: tuple(parameter.shape) for name, parameter in lm.named_parameters()} == own
    assert lm.text_initial_token_id == 32000
    assert lm.context == 3000
    assert sum(parameter.numel() for parameter in lm.parameters()) == 7_687_729_152

    missing = [name for name in shapes if name != "linears.3.weight"]
    with pytest.raises(ModelFileError, match=r"'linears.3.weight' is missing"):
        fill(lm, missing, lambda name: torch.empty(shapes[name], dtype=torch.bfloat16, device="meta"))


def test_config_equals_what_moshi_takes_when_there_is_none() -> None:
    assert loaders._lm_kwargs == PUBLIC


def test_the_tiny_checkpoint_follows_the_same_rules() -> None:
    import json

    from safetensors import safe_open  # pyright: ignore[reportMissingImports]

    config = json.loads((TINY / "config.json").read_text())
    with safe_open(str(TINY / "model.safetensors"), framework="pt") as file:
        found = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    assert found == shapes_of(config, first_release=False, oracle=True)


@pytest.mark.parametrize(("quantize", "gigabytes"), [(False, 18.6), (True, 11.2)])
def test_memory_need_is_that_of_the_design(*, quantize: bool, gigabytes: float) -> None:
    """About 18 GB in bf16, 12 GB in int8. The codec counts its file's 0.4 GB; here it is the tiny one's."""
    lm = build_lm(checkpoint(PUBLIC), torch.bfloat16)
    need = memory_need(lm, checkpoint(PUBLIC), quantize=quantize)
    assert need.cache == 2 * 32 * 3000 * 4096 * 2
    total = need.total(DeviceChoice("cuda", "bfloat16")) + 0.385e9
    assert total / 1e9 == pytest.approx(gigabytes, abs=0.1)
