"""Recordings on disk, written without the program's own writer."""

from __future__ import annotations

import datetime as dt
import json
import wave
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from kame_desktop.core.event_codec import event_to_dict
from kame_desktop.core.events import Event

STARTED = dt.datetime(2025, 7, 29, 14, 3, tzinfo=dt.timezone(dt.timedelta(hours=2)))


def write_folder(
    folder: Path,
    events: Iterable[Event],
    *,
    title: str = "Capitals",
    started: dt.datetime = STARTED,
    sound: np.ndarray | None = None,
    audio_start_ms: float = 0.0,
    **meta: Any,
) -> Path:
    """Make the folder of a recording; ``sound``: ``[samples, 2]`` of 16 bits."""
    folder.mkdir(parents=True)
    described: dict[str, Any] = {
        "format": "kame-desktop recording",
        "version": 1,
        "app_version": "0.1.0",
        "started_at": started.isoformat(),
        "title": title,
        "engine": {"name": "lite", "label": "Lite"},
        "llm": {"name": "demo/first", "label": "First"},
        "stt": "whisper",
        "settings": {},
        "duration_ms": None,
        "audio": {"rate_hz": 24_000, "channels": ["user", "assistant"], "start_ms": audio_start_ms},
        "complete": True,
    }
    (folder / "session.json").write_text(json.dumps({**described, **meta}), encoding="utf-8")
    lines = [json.dumps(event_to_dict(event)) for event in events]
    (folder / "events.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    if sound is not None:
        with wave.open(str(folder / "audio.wav"), "wb") as writer:
            writer.setnchannels(2)
            writer.setsampwidth(2)
            writer.setframerate(24_000)
            writer.writeframes(sound.astype("<i2").tobytes())
    return folder


def two_tones(seconds: float) -> np.ndarray:
    """Left one, right another."""
    times = np.arange(int(seconds * 24_000)) / 24_000
    voices = [0.3 * np.sin(2 * np.pi * hz * times) for hz in (220.0, 330.0)]
    return np.round(np.stack(voices, axis=1) * 32_767).astype("<i2")
