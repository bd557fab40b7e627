"""Half an hour of conversation on a made-up sound library, as fast as it goes: no drift, bounded rings, no growth."""

from __future__ import annotations

import gc
import sys

import numpy as np
import psutil
import pytest

from kame_desktop.audio.device import PortAudioDevice
from kame_desktop.core.audio_types import FRAME_SAMPLES, silence_frame
from tests.fakes.audio import tone
from tests.fakes.portaudio import FakeSoundDevice, fake_device

MINUTES = 30
FRAMES = MINUTES * 60 * 1_000 // 80
RATE_HZ = 48_000
BLOCK = RATE_HZ // 50


@pytest.mark.slow
@pytest.mark.parametrize("drift", [100e-6])
def test_half_an_hour_has_no_drift_and_no_growth(monkeypatch: pytest.MonkeyPatch, drift: float) -> None:
    """``drift``: how much faster the loudspeaker's clock is than the microphone's."""
    library = FakeSoundDevice([fake_device(0, "Mic", 1, 0, RATE_HZ), fake_device(1, "Speaker", 0, 1, RATE_HZ)])
    library.keeps_sound = False
    monkeypatch.setitem(sys.modules, "sounddevice", library)
    device = PortAudioDevice()
    device.open()
    source, sink = library.stream("input"), library.stream("output")
    block = np.random.default_rng(2).normal(0.0, 0.01, BLOCK).astype(np.float32)
    speech = tone(80, 0.2)
    taken = 0.0
    queued: list[float] = []
    begin_size = 0
    for frame_number in range(FRAMES):
        while device.backlog_ms() < 100.0:
            source.give(block)
            taken += 1.0 + drift
            while sink.taken < taken:
                sink.take(BLOCK)
        frame = device.read_frame()
        assert frame is not None
        # Sentences of four seconds, pauses of four.
        device.write_frame(speech if frame_number // 50 % 2 else silence_frame())
        if frame_number % 25 == 0:
            queued.append(device.queued_ms())
        if frame_number == FRAMES // 10:
            gc.collect()
            begin_size = psutil.Process().memory_info().rss
    gc.collect()
    growth = psutil.Process().memory_info().rss - begin_size
    stats = device.stats
    assert device.backlog_ms() < 240.0
    assert max(queued) < 300.0
    assert stats.overrun_samples == 0
    # A faster loudspeaker plays a little silence now and then: as much as it is faster.
    assert stats.underrun_samples <= max(0.0, drift) * MINUTES * 60 * 24_000 * 1.5 + FRAME_SAMPLES
    assert source.given * BLOCK == pytest.approx(FRAMES * 80 * RATE_HZ // 1_000, rel=1e-3)
    assert growth < 4_000_000
    device.stop()
