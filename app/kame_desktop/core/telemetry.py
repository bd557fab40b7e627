"""Libraries that report home are told not to: nothing leaves this computer but what the user sends."""

from __future__ import annotations

import os

_REFUSALS = {
    # onnxruntime 1.32 keeps a device number and its reports in ~/.cache/Microsoft, and sends them, on Linux too.
    "ORT_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
}


def refuse_telemetry() -> None:
    """Say so in the environment. Call it before any of the libraries is imported."""
    os.environ.update(_REFUSALS)
