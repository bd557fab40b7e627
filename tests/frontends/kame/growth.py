"""Runs the tiny checkpoint for 800 frames and prints by how much memory grew over the last 600, as JSON."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

import psutil

from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import SILENT_ACTIVITY, silence_frame
from kame_desktop.frontends.base import FrontendInput, OracleSlot
from kame_desktop.frontends.kame import KameFrontend


def main(folder: Path) -> None:
    import torch

    frontend = KameFrontend(lambda: folder, steer=True, activity=Activity(), device="cpu")
    frontend.load(lambda done, what: None)
    frontend.reset()

    def run(frames: range) -> tuple[int, int]:
        for frame in frames:
            frontend.step(FrontendInput(frame, silence_frame(), OracleSlot((frame % 352,), 1), SILENT_ACTIVITY))
        gc.collect()
        tensors = sum(isinstance(thing, torch.Tensor) for thing in gc.get_objects())
        return psutil.Process().memory_info().rss, tensors

    rss, tensors = run(range(200))
    later_rss, later_tensors = run(range(200, 800))
    frontend.close()
    print(json.dumps({"rss_bytes": later_rss - rss, "tensors": later_tensors - tensors}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
