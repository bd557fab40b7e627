"""Small checkpoints in the layout of the public ones."""

from __future__ import annotations

import json
import random

MODEL = "model.safetensors"
MIMI = "mimi.safetensors"
TOKENIZER = "tokenizer_spm_tiny.model"
CONFIG = "config.json"
MODEL_BYTES = 300_000


def config(**changes: object) -> bytes:
    """A config.json; a value of None leaves the key out."""
    keys: dict[str, object] = {
        "dim": 64,
        "moshi_name": MODEL,
        "mimi_name": MIMI,
        "mimi_config_name": "mimi_config.json",
    }
    keys |= {"tokenizer_name": TOKENIZER, **changes}
    return json.dumps({key: value for key, value in keys.items() if value is not None}).encode()


def checkpoint_files(seed: int = 0, **changes: object) -> dict[str, bytes]:
    """All files of a repository, with some that must never be fetched."""
    noise = random.Random(seed)
    return {
        CONFIG: config(**changes),
        MODEL: noise.randbytes(MODEL_BYTES),
        MIMI: noise.randbytes(50_000),
        "mimi_config.json": b'{"channels": 1}',
        TOKENIZER: noise.randbytes(12_000),
        "README.md": b"# A model\n",
        "pytorch_model.bin": noise.randbytes(20_000),
        "optimizer.pt": noise.randbytes(20_000),
    }


WANTED = {CONFIG, MODEL, MIMI, "mimi_config.json", TOKENIZER}
