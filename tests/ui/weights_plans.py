"""Plans and progress of a download that never happens."""

from __future__ import annotations

from pathlib import Path

from kame_desktop.weights.manifest import Manifest, StatedFile
from kame_desktop.weights.plan import DownloadPlan, Phase, Progress

TOTAL = 16_000_000_000
REPO = "SakanaAI/kame"
COMMIT = "a" * 40


def plan_of(present: int = 0, free: int = 10 * TOTAL, licence: str | None = "cc-by-4.0") -> DownloadPlan:
    files = (StatedFile(REPO, COMMIT, "model.safetensors", TOTAL, "b" * 64),)
    return DownloadPlan(
        name="kame",
        repo=REPO,
        what="KAME",
        licence=licence,
        page="https://huggingface.co/SakanaAI/kame",
        folder=Path("/cache/hub"),
        manifest=Manifest(REPO, COMMIT, licence, files),
        present_bytes=present,
        need_bytes=TOTAL - present,
        free_bytes=free,
    )


def progress_of(done: int, rate: float = 0.0, phase: Phase = Phase.GETTING) -> Progress:
    return Progress(phase, done, TOTAL, rate, "model.safetensors")
