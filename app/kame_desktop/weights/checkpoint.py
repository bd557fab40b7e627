"""What a checkpoint's config.json names. The only reader of that file here; it never executes what it reads.

The keys and their defaults are those of the moshi package. A value may be ``hf://owner/name/file``: a file of another
repository (a LoRA checkpoint names its base model so), which is put beside the others under its own path.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from kame_desktop.weights.catalog import is_repository
from kame_desktop.weights.errors import DamagedConfigError

CONFIG = "config.json"
CONFIG_LIMIT_BYTES = 1_000_000
_WEIGHTS = (".safetensors", ".sft", ".sfts")
# key -> (default, endings that are read without executing anything)
_KEYS: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "moshi_name": ("model.safetensors", _WEIGHTS),
    "mimi_name": ("tokenizer-e351c8d8-checkpoint125.safetensors", _WEIGHTS),
    "mimi_config_name": (None, (".json",)),
    "tokenizer_name": ("tokenizer_spm_32k_3.model", (".model",)),
    "lora_name": (None, _WEIGHTS),
}


@dataclass(frozen=True, slots=True)
class NamedFile:
    """One file that a checkpoint needs.

    Attributes:
        key: The key of config.json that names it (``config`` for config.json itself).
        path: Relative, with slashes, inside its repository.
        repo: Another repository than the checkpoint's own; None: its own.
    """

    key: str
    path: str
    repo: str | None = None


def safe_path(path: str) -> bool:
    """Relative, inside its folder, and spelled as it is meant."""
    parts = PurePosixPath(path).parts
    return (
        bool(parts)
        and not path.startswith("/")
        and "\\" not in path
        and ":" not in path
        and "\0" not in path
        and ".." not in parts
        and "/".join(parts) == path
    )


def read_config(data: bytes) -> dict[str, Any]:
    """Parse config.json. Raises DamagedConfigError."""
    try:
        config = json.loads(data)
    except ValueError:
        config = None
    if not isinstance(config, dict):
        raise DamagedConfigError("The checkpoint's config.json is damaged.")
    return config


def named_files(config: Mapping[str, Any] | None) -> tuple[NamedFile, ...]:
    """The files that a checkpoint needs besides its config.json.

    Args:
        config: The parsed file; None: a repository from before there was one (moshi's default names).

    Raises:
        DamagedConfigError: A name is no text, leaves the folder, or is that of a pickle file.
    """
    files: list[NamedFile] = []
    for key, (default, endings) in _KEYS.items():
        value = (config or {}).get(key) or default
        if value is None:
            continue
        if not isinstance(value, str):
            raise DamagedConfigError(f"The checkpoint's config.json has no file name for '{key}'.")
        repo = None
        path = value
        if value.startswith("hf://"):
            owner, _, rest = value.removeprefix("hf://").partition("/")
            name, _, path = rest.partition("/")
            repo = f"{owner}/{name}"
        if not safe_path(path) or (repo is not None and not is_repository(repo)):
            raise DamagedConfigError(f"The checkpoint's config.json names a file outside of it for '{key}'.")
        if not path.casefold().endswith(endings):
            raise DamagedConfigError(
                f"The checkpoint names '{PurePosixPath(path).name}' for '{key}', which is not a {endings[0]} file."
            )
        files.append(NamedFile(key, path, repo))
    return tuple(files)
