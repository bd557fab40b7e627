"""The fourth stream: Moshi's language model plus one embedding table, and how both come out of a checkpoint.

KAME (Kuroki et al. 2025, arXiv 2510.02327) adds to Moshi (Défossez et al. 2024) one table ``oracle_emb`` of
``text_card + 1`` rows; its row for this frame's oracle id is added to the embedding of the frame's text token. Here
``lm.text_emb`` is replaced by a module that returns ``text(tokens) + oracle(token)``, ``token`` being a ``[1, 1]``
buffer that is written in place before each ``LMGen.step``. In place, because a captured CUDA graph reads addresses, not
values. Tokens equal the reference's, logits within float32 rounding (``tests/frontends/kame``).

moshi 0.2.13 makes the model (``CheckpointInfo.get_moshi`` on the meta device) and maps older names of weights (its
hooks in ``load_state_dict``). The tensors are read here one by one, as moshi would refuse the unknown ``oracle_emb``,
and so that int8 needs room for one layer more than the result, not for the whole model twice.

Only this module imports torch and moshi, inside functions; its neighbours get them from here. Everything here belongs
to the thread that loads: the frame thread.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kame_desktop.core.errors import MissingPackageError, ModelFileError
from kame_desktop.frontends.base import LoadProgress
from kame_desktop.frontends.kame_device import COMPONENT, MemoryNeed

ORACLE_WEIGHT = "oracle_emb.weight"
"""Name of the table in a checkpoint: shape ``[text_card + 1, dim]``."""

_ORACLE_PREFIX = "oracle_emb."
_SCALE_SUFFIX = "_scb"
_FLOAT32_PREFIXES = ("condition_provider.", "fuser.")

Checkpoint = Any
"""``moshi.models.loaders.CheckpointInfo``."""


def import_torch() -> Any:
    """The torch module. Raises MissingPackageError."""
    try:
        import torch  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise missing_gpu_package("torch") from None
    return torch


def import_loaders() -> Any:
    """The module ``moshi.models.loaders``. Raises MissingPackageError."""
    import_torch()
    try:
        from moshi.models import loaders  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise missing_gpu_package((error.name or "moshi").split(".")[0]) from None
    return loaders


def make_lm_gen(lm: Any, config: dict[str, Any], on_text_logits: Callable[[Any], None] | None) -> Any:
    """moshi's ``LMGen``; ``config`` are its options, as a checkpoint's ``lm_gen_config`` has them.

    Raises:
        ModelFileError: ``config`` has an option that moshi doesn't know.
    """
    from moshi.models.lm import LMGen  # pyright: ignore[reportMissingImports]

    try:
        return LMGen(lm, on_text_logits_hook=on_text_logits, **config)
    except (TypeError, AssertionError):
        raise ModelFileError(
            "The model's config.json asks for a way to generate that moshi doesn't know (lm_gen_config).",
            "Download the model again, or update Kame Desktop.",
            component=COMPONENT,
        ) from None


def no_compile() -> AbstractContextManager[None]:
    """While it lasts moshi compiles nothing (what ``NO_TORCH_COMPILE`` does when set before moshi is imported)."""
    from moshi.utils.compile import no_compile as moshi_no_compile  # pyright: ignore[reportMissingImports]

    return moshi_no_compile()


def missing_gpu_package(name: str) -> MissingPackageError:
    """The error for a package of the extra ``gpu`` that isn't there."""
    return MissingPackageError(
        f"The package '{name}' is not installed.",
        "Install it with: pip install 'kame-desktop[gpu]' (in a checkout: make gpu).",
        component=COMPONENT,
    )


# The stream ---------------------------------------------------------------------------------------------------------


@functools.cache
def _embedding_class() -> Any:
    torch = import_torch()

    class OracleTextEmbedding(torch.nn.Module):
        """``text(tokens [B, S]) + oracle(token [1, 1])`` -> ``[B, S, dim]``, S being 1 in generation."""

        def __init__(self, text: Any, oracle: Any, pad_id: int) -> None:
            super().__init__()
            self.text = text
            self.oracle = oracle
            token = torch.full((1, 1), pad_id, dtype=torch.long, device=oracle.weight.device)
            self.register_buffer("token", token, persistent=False)

        def forward(self, tokens: Any) -> Any:
            return self.text(tokens) + self.oracle(self.token)

    return OracleTextEmbedding


class OracleStream:
    """The oracle id of the coming step, attached to one language model. Owner: the frame thread.

    Attributes:
        pad_id: "Nothing": what is fed when there is no oracle.
        card: Ids are ``0 .. card``; ``card`` itself is START.
    """

    def __init__(self, lm: Any, table: Any) -> None:
        """Attach ``table`` (``[text_card + 1, dim]``, on the model's device, in its dtype) to ``lm``.

        To be done before generation is set up, as CUDA graphs keep the module that they captured.

        Raises:
            ModelFileError: The table doesn't fit the model.
        """
        expected = (int(lm.text_card) + 1, int(lm.dim))
        if tuple(table.shape) != expected:
            raise ModelFileError(
                f"The oracle table of this model has the shape {list(table.shape)} instead of {list(expected)}.",
                "Download the model again, or choose another one.",
                component=COMPONENT,
            )
        self._lm = lm
        self._text = lm.text_emb
        self.pad_id = int(lm.text_padding_token_id)
        self.card = int(lm.text_card)
        oracle = import_torch().nn.Embedding.from_pretrained(table, freeze=True)
        module = _embedding_class()(self._text, oracle, self.pad_id)
        module.eval()
        self._token = module.token
        lm.text_emb = module

    def feed(self, token_id: int) -> None:
        """Write the id for the next step, in place. Raises ValueError for an id that the table doesn't have."""
        if not 0 <= token_id <= self.card:
            raise ValueError(f"oracle id {token_id} is not in 0..{self.card}")
        self._token.fill_(token_id)

    @property
    def fed(self) -> int:
        """The id that the model reads; waits for the GPU."""
        return int(self._token)

    def clear(self) -> None:
        """The next step is fed nothing."""
        self._token.fill_(self.pad_id)

    def detach(self) -> None:
        """Give the model its own text embedding back."""
        self._lm.text_emb = self._text


# The language model -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LoadedLm:
    """A language model that is ready for ``LMGen``, and its fourth stream if the checkpoint has one."""

    lm: Any
    oracle: OracleStream | None


def build_lm(info: Checkpoint, dtype: Any) -> Any:
    """The model on the meta device: shapes and names, no memory. LoRA layers come with their weights, later.

    Raises:
        ModelFileError: moshi can't make a model from this configuration.
    """
    plain = info
    if info.lm_config is not None:
        plain = dataclasses.replace(info, lora_weights=None, lm_config={**info.lm_config, "lora": False})
    try:
        return plain.get_moshi(device="meta", dtype=dtype, load_weight=False)
    except (TypeError, AssertionError, ValueError, KeyError):
        raise ModelFileError(
            "The model's config.json is not one that moshi knows.",
            "Download the model again, or update Kame Desktop.",
            component=COMPONENT,
        ) from None


def memory_need(lm: Any, info: Checkpoint, *, quantize: bool) -> MemoryNeed:
    """What the model takes on its device, in bytes, from the model on the meta device."""
    torch = import_torch()
    linear = {
        id(module.weight)
        for module in lm.modules()
        if quantize and isinstance(module, torch.nn.Linear) and info.lora_weights is None
    }
    weights = sum(p.numel() * (1 if id(p) in linear else p.element_size()) for p in lm.parameters())
    item = torch.empty((), dtype=lm.dtype).element_size()
    oracle = (lm.text_card + 1) * lm.dim * item
    cache = 2 * len(lm.transformer.layers) * (lm.context or 0) * lm.dim * item
    return MemoryNeed(weights + oracle, cache, info.mimi_weights.stat().st_size)


def load_lm(
    info: Checkpoint, lm: Any, *, device: str, quantize: bool, fraction: tuple[float, float], progress: LoadProgress
) -> LoadedLm:
    """Fill the meta model ``lm`` with the checkpoint's weights on ``device`` and attach the oracle table.

    LoRA weights are fused, as moshi's server does by default. ``progress`` is told ``fraction[0] .. fraction[1]``.

    Raises:
        ModelFileError: A weight is missing, unknown or of another shape, or the file is damaged.
        Cancelled: From ``progress``.
    """
    loaders = import_loaders()
    torch = import_torch()
    from safetensors import SafetensorError, safe_open  # pyright: ignore[reportMissingImports]

    dtype = lm.dtype
    try:
        with safe_open(str(info.moshi_weights), framework="pt", device=device) as file:
            names = list(file.keys())
            done = 0

            def read(name: str) -> Any:
                nonlocal done
                done += 1
                progress(fraction[0] + (fraction[1] - fraction[0]) * done / len(names), "Loading the model")
                return _cast(torch, name, file.get_tensor(name), dtype)

            lora = bool((info.lm_config or {}).get("lora"))
            fill(lm, names, read, quantize=quantize and not lora)
            table = read(ORACLE_WEIGHT) if ORACLE_WEIGHT in names else None
    except (SafetensorError, OSError):
        raise _damaged(info.moshi_weights) from None
    if lora:
        lm = _fuse_lora(loaders, info, lm, device, dtype)
        if quantize:
            _quantize(lm)
    lm.eval()
    return LoadedLm(lm, None if table is None else OracleStream(lm, table))


def fill(lm: Any, names: Sequence[str], read: Callable[[str], Any], *, quantize: bool = False) -> None:
    """Give ``lm`` every weight of ``names`` but the oracle table, layer by layer; ``read`` returns one tensor.

    With ``quantize`` the linear layers of a group become int8 (moshi's ``QLinear``) as soon as it is there.

    Raises:
        ModelFileError: The names or shapes are not the model's.
    """
    unknown = [name for name in names if name.startswith(_ORACLE_PREFIX) and name != ORACLE_WEIGHT]
    missing = set(lm.state_dict())
    for prefix, group in _groups(name for name in names if not name.startswith(_ORACLE_PREFIX)).items():
        try:
            result = lm.load_state_dict({name: read(name) for name in group}, strict=False, assign=True)
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise
            raise _other_weights(f"'{prefix}' has another shape") from None
        unknown += result.unexpected_keys
        missing &= set(result.missing_keys)
        if quantize and ".layers." in prefix + ".":
            _quantize(lm.get_submodule(prefix))
    if unknown:
        raise _other_weights(f"'{unknown[0]}' is unknown")
    if missing:
        raise _other_weights(f"'{min(missing)}' is missing")
    if quantize:
        _quantize(lm)


def _groups(names: Iterable[str]) -> dict[str, list[str]]:
    """Names by layer (``transformer.layers.7``) or, outside of layers, by their first part."""
    groups: dict[str, list[str]] = {}
    for name in names:
        parts = name.split(".")
        prefix = ".".join(parts[:3]) if parts[1:2] == ["layers"] else parts[0]
        groups.setdefault(prefix, []).append(name)
    return groups


def _cast(torch: Any, name: str, tensor: Any, dtype: Any) -> Any:
    """Weights in the model's dtype; int8 stays, and so do its scales and conditioners, which are float32."""
    if not tensor.dtype.is_floating_point:
        return tensor
    if name.endswith(_SCALE_SUFFIX) or name.startswith(_FLOAT32_PREFIXES):
        return tensor.to(torch.float32)
    return tensor.to(dtype)


def _quantize(module: Any) -> None:
    """int8 with one scale a row, through moshi's switch (bitsandbytes). Raises MissingPackageError."""
    from moshi.utils.quantize import replace_linear_with_qlinear  # pyright: ignore[reportMissingImports]

    try:
        replace_linear_with_qlinear(module)
    except ImportError:
        raise missing_gpu_package("bitsandbytes") from None


def _fuse_lora(loaders: Any, info: Checkpoint, lm: Any, device: str, dtype: Any) -> Any:
    config = info.lm_config
    options = {key: config[key] for key in ("lora_rank", "lora_scaling") if key in config}
    try:
        return loaders.get_lora_moshi(
            lm,
            lora_weights=info.lora_weights,
            lora_rank=options.get("lora_rank", 128),
            lora_scaling=options.get("lora_scaling", 2.0),
            dtype=dtype,
            device=device,
            fuse_lora=True,
        )
    except RuntimeError as error:
        if is_out_of_memory(error):
            raise
        raise _other_weights("its LoRA weights don't fit") from None


def is_out_of_memory(error: BaseException) -> bool:
    """Whether torch (CUDA, MPS or CPU) or Python ran out of memory."""
    text = str(error).casefold()
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or "out of memory" in text
        or "can't allocate memory" in text
        or "not enough memory" in text
    )


def _other_weights(what: str) -> ModelFileError:
    return ModelFileError(
        f"The weights don't fit the model's config.json: {what}.", "Download the model again.", component=COMPONENT
    )


def _damaged(path: Path) -> ModelFileError:
    return ModelFileError(f"The file {path.name} is damaged.", "Download the model again.", component=COMPONENT)
