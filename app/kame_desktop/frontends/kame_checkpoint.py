"""A model's folder: which files it has, by its config.json, through moshi's own ``CheckpointInfo``.

Nothing here asks the network: every file is looked for in the folder. Weights must be safetensors, never pickles.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kame_desktop.core.errors import ModelFileError
from kame_desktop.frontends.kame_device import COMPONENT
from kame_desktop.frontends.kame_text import PieceModel
from kame_desktop.frontends.oracle_stream import Checkpoint, import_loaders, is_out_of_memory

_SAFE_SUFFIXES = (".safetensors", ".sft", ".sfts")


def open_checkpoint(folder: Path) -> Checkpoint:
    """Read ``folder``'s config.json through moshi; nothing is asked of the network and no weight is read.

    A folder without config.json, but with the three files of the first Moshi releases, is taken as moshi takes it: as
    Moshi 7B.

    Raises:
        MissingPackageError: torch or moshi is not installed.
        ModelFileError: A file is missing, or is a pickle, or the model is of another kind.
    """
    loaders = import_loaders()
    if not folder.is_dir():
        raise ModelFileError(
            f"There is no model folder {folder}.", "Name a folder that holds a config.json.", component=COMPONENT
        )
    config_path = folder / "config.json"
    first_release = (loaders.MOSHI_NAME, loaders.MIMI_NAME, loaders.TEXT_TOKENIZER_NAME)
    if config_path.is_file():
        config = _read_json(config_path)
        info = _from_config(loaders, folder, config_path, config)
    elif all((folder / name).is_file() for name in first_release):
        info = loaders.CheckpointInfo(*(folder / name for name in first_release))
    else:
        raise ModelFileError(
            f"The folder {folder} holds no config.json.", "Choose the folder of a Moshi model.", component=COMPONENT
        )
    for path in (info.moshi_weights, info.mimi_weights, info.lora_weights):
        if path is not None and path.suffix not in _SAFE_SUFFIXES:
            raise ModelFileError(
                f"The weights {path.name} are not a safetensors file: such files can run code, and are not opened.",
                "Choose a model in the safetensors format.",
                component=COMPONENT,
            )
    if info.model_type != "moshi" or (info.lm_config or {}).get("conditioners"):
        kind = info.model_type if info.model_type != "moshi" else "conditioned"
        raise ModelFileError(
            f"This model is of the kind '{kind}': it doesn't hold conversations.",
            "Choose a Moshi or KAME model.",
            component=COMPONENT,
        )
    return info


def _from_config(loaders: Any, folder: Path, config_path: Path, config: Mapping[str, Any]) -> Checkpoint:
    def local(key: str, default: str | None) -> Path | None:
        name = config.get(key) or default
        return None if name is None else _local(folder, str(name))

    return loaders.CheckpointInfo.from_hf_repo(
        str(folder),
        moshi_weights=local("moshi_name", loaders.MOSHI_NAME),
        mimi_weights=local("mimi_name", loaders.MIMI_NAME),
        tokenizer=local("tokenizer_name", loaders.TEXT_TOKENIZER_NAME),
        config_path=config_path,
        mimi_config_path=local("mimi_config_name", None),
        lora_weights=local("lora_name", None),
    )


def _local(folder: Path, name: str) -> Path:
    """The file called ``name`` in ``folder``; ``hf://owner/repo/file`` must have been fetched beside the others."""
    relative = Path(name.removeprefix("hf://").split("/", 2)[-1] if name.startswith("hf://") else name)
    if relative.is_absolute() or ".." in relative.parts or "://" in name.removeprefix("hf://"):
        raise ModelFileError(
            f"The model's config.json names a file outside its folder ({name}).",
            "Choose another model.",
            component=COMPONENT,
        )
    path = folder / relative
    if not path.is_file():
        raise ModelFileError(
            f"The model in {folder} lacks the file {relative}.", "Download the model again.", component=COMPONENT
        )
    return path


def _read_json(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(config, dict):
            raise TypeError("not an object")
    except (OSError, ValueError, TypeError):
        raise ModelFileError(
            f"The file {path} can't be read as a model's configuration.",
            "Download the model again.",
            component=COMPONENT,
        ) from None
    return config


def weight_bytes(info: Checkpoint) -> int:
    """Size of all weights on disk, in bytes."""
    paths = (info.moshi_weights, info.mimi_weights, info.lora_weights)
    return sum(path.stat().st_size for path in paths if path is not None)


def load_codec(info: Checkpoint, device: str) -> Any:
    """Mimi, in float32 on ``device``. Raises ModelFileError when its file is damaged or another one."""
    try:
        return info.get_mimi(device=device)
    except Exception as error:
        if is_out_of_memory(error):
            raise
        raise _unusable("codec", info.mimi_weights) from None


def load_pieces(info: Checkpoint) -> PieceModel:
    """The SentencePiece model. Raises ModelFileError when its file is damaged."""
    try:
        return info.get_text_tokenizer()
    except (RuntimeError, OSError):
        raise _unusable("tokenizer", info.tokenizer) from None


def _unusable(what: str, path: Path) -> ModelFileError:
    return ModelFileError(
        f"The {what} of this model ({path.name}) is damaged, or doesn't fit its configuration.",
        "Download the model again.",
        component=COMPONENT,
    )
