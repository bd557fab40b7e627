"""The file device: one exact time axis, and time that leaps only when nobody works."""

from __future__ import annotations

import asyncio
import threading
import time

import numpy as np
import pytest

from kame_desktop.audio.base import AudioDevice
from kame_desktop.audio.wav_device import WavDevice
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_SAMPLES, PcmFrame
from kame_desktop.core.clock import ManualClock, SystemClock
from tests.fakes.audio import FakeLoudspeaker


def numbered(value: float) -> PcmFrame:
    return np.full(FRAME_SAMPLES, value, dtype=np.float32)


def fast_device(seconds: float = 0.4, tail_cap_ms: float = 60_000.0) -> tuple[WavDevice, ManualClock, Activity]:
    activity = Activity()
    clock = ManualClock(on_wake=activity.begin, on_woken=activity.end)
    pcm = (np.arange(round(seconds * 24_000)) / 100_000).astype(np.float32)
    device = WavDevice(pcm, clock=clock, activity=activity, tail_cap_ms=tail_cap_ms)
    device.start()
    return device, clock, activity


def test_it_fits_the_protocol_and_carries_its_name() -> None:
    device: AudioDevice = WavDevice(np.zeros(10, dtype=np.float32), name="question.wav")
    assert device.info.realtime
    assert device.info.input_name == "question.wav"


def test_a_written_frame_is_heard_while_the_next_one_is_captured() -> None:
    device, clock, _ = fast_device()
    heard = []
    for step in range(7):
        frame = device.read_frame()
        assert frame is not None
        assert clock.now_ms() == (step + 1) * 80.0
        heard.append(frame)
        assert np.array_equal(device.reference_frame(), numbered(step if step else 0.0))
        device.write_frame(numbered(step + 1.0))
    assert np.array_equal(device.heard(), np.concatenate(heard))
    assert np.array_equal(device.heard()[:9_600], (np.arange(9_600) / 100_000).astype(np.float32))
    assert not device.heard()[9_600:].any()
    played = device.played()
    assert len(played) == 8 * FRAME_SAMPLES
    assert np.array_equal(played, np.repeat(np.arange(8, dtype=np.float32), FRAME_SAMPLES))
    assert device.stats.underrun_samples == device.stats.overrun_samples == 0


def test_late_writes_count_as_underrun_and_skipping_drops_what_is_queued() -> None:
    device, _, _ = fast_device()
    device.read_frame()
    for value in (1.0, 2.0, 3.0):
        device.write_frame(numbered(value))
    device.skip_playback(FRAME_SAMPLES + 20)
    device.read_frame()
    reference = device.reference_frame()
    assert (reference[0], reference[FRAME_SAMPLES - 21], reference[-1]) == (2.0, 2.0, 3.0)
    device.skip_playback(10**9)
    device.read_frame()
    assert device.stats.underrun_samples == FRAME_SAMPLES
    assert not device.reference_frame().any()


def test_silence_follows_until_it_is_finished_or_the_cap_is_reached() -> None:
    device, _, _ = fast_device(0.1)
    assert device.read_frame() is not None
    assert not device.input_ended
    last = device.read_frame()
    assert last is not None
    assert last[479] > 0
    assert not last[480:].any()
    assert device.input_ended
    silent = device.read_frame()
    assert silent is not None
    assert not silent.any()
    assert not device.next_input()
    capped, _, _ = fast_device(0.1, tail_cap_ms=240.0)
    assert [capped.read_frame() is not None for _ in range(7)] == [True] * 5 + [False] * 2


def test_the_next_recording_begins_when_it_is_asked_for() -> None:
    first, second = numbered(0.1)[:1000], numbered(0.2)
    activity = Activity()
    device = WavDevice(first, more=[second], clock=ManualClock(), activity=activity)
    device.start()
    frames = [device.read_frame(), device.read_frame()]
    assert device.input_ended
    assert device.next_input()
    assert not device.input_ended
    frames.append(device.read_frame())
    assert device.input_ended
    assert not device.next_input()
    levels = [None if frame is None else round(float(frame[500]), 3) for frame in frames]
    assert levels == [0.1, 0.0, 0.2]


def test_fast_leaps_over_an_hour_of_nothing_quickly() -> None:
    device, clock, _ = fast_device(0.08, tail_cap_ms=1e9)
    begin = time.perf_counter()
    for _ in range(1_000):
        device.read_frame()
    assert clock.now_ms() == 80_000.0
    assert time.perf_counter() - begin < 2.0


def test_fast_keeps_wall_pace_while_work_is_in_flight() -> None:
    device, clock, activity = fast_device()
    device.read_frame()
    activity.begin()
    begin = time.perf_counter()
    device.read_frame()
    device.read_frame()
    took_ms = (time.perf_counter() - begin) * 1e3
    activity.end()
    assert clock.now_ms() == 240.0
    assert 140.0 <= took_ms < 1_000.0


def test_time_moves_in_small_steps_while_work_is_in_flight() -> None:
    class Watched(ManualClock):
        def __init__(self) -> None:
            super().__init__()
            self.seen = [0.0]

        def advance_to(self, at_ms: float) -> None:
            super().advance_to(at_ms)
            self.seen.append(self.now_ms())

    clock, activity = Watched(), Activity()
    device = WavDevice(np.zeros(9_600, dtype=np.float32), clock=clock, activity=activity)
    device.start()
    with activity.working():
        device.read_frame()
        device.read_frame()
    assert max(np.diff(clock.seen)) <= 10.0 + 1e-9
    assert clock.seen[-1] == 160.0


def test_a_leap_resumes_as_soon_as_the_work_ends() -> None:
    device, clock, activity = fast_device()
    activity.begin()
    timer = threading.Timer(0.02, activity.end)
    timer.start()
    begin = time.perf_counter()
    for _ in range(5):
        device.read_frame()
    timer.join()
    assert clock.now_ms() == 400.0
    assert time.perf_counter() - begin < 0.3


def test_timers_fire_in_order_and_at_their_time_between_frames() -> None:
    device, clock, activity = fast_device()
    fired: list[tuple[str, float]] = []

    async def sleeper(name: str, *at_ms: float) -> None:
        for moment in at_ms:
            await clock.sleep_until(moment)
            fired.append((name, clock.now_ms()))

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(sleeper("a", 30.0, 80.0, 130.0))
            group.create_task(sleeper("b", 50.0, 50.5, 241.0))
            await asyncio.sleep(0)
            await asyncio.to_thread(read_four)

    def read_four() -> None:
        for _ in range(4):
            device.read_frame()
        activity.wait_idle(1.0)

    asyncio.run(main())
    assert fired == [("a", 30.0), ("b", 50.0), ("b", 50.5), ("a", 80.0), ("a", 130.0), ("b", 241.0)]


@pytest.mark.parametrize("fast", [True, False])
def test_interrupt_wakes_a_blocked_read(fast: bool) -> None:
    activity = Activity()
    clock = ManualClock() if fast else None
    device = WavDevice(np.zeros(24_000, dtype=np.float32), clock=clock, activity=activity)
    device.start()
    with activity.working():
        timer = threading.Timer(0.01, device.interrupt)
        timer.start()
        begin = time.perf_counter()
        assert device.read_frame() is None
        assert time.perf_counter() - begin < 0.07
        timer.join()
    assert device.read_frame() is None
    device.stop()
    device.stop()


def test_real_time_keeps_to_the_wall_clock() -> None:
    device = WavDevice(np.zeros(24_000, dtype=np.float32))
    device.start()
    clock = SystemClock()
    clock.start()
    ends = []
    for _ in range(4):
        device.read_frame()
        ends.append(clock.now_ms())
    assert ends[0] >= 79.0
    assert 319.0 <= ends[-1] < 700.0
    assert device.backlog_ms() < 300.0
    threading.Event().wait(0.1)
    assert device.backlog_ms() >= 90.0


def test_the_monitor_hears_both_sides() -> None:
    speaker = FakeLoudspeaker()
    device = WavDevice(numbered(0.25), clock=ManualClock(), tail_cap_ms=80.0, monitor=lambda: speaker)
    assert device.info.output_name == "file"
    device.open()
    assert device.info.output_name == "fake loudspeaker"
    device.start()
    for value in (0.5, 2.0):
        device.write_frame(numbered(value))
        device.read_frame()
    assert [float(frame[0]) for frame in speaker.heard] == [0.75, 1.0]
    assert not speaker.closed
    device.stop()
    device.stop()
    assert speaker.closed == 1


def test_a_recording_is_asked_without_a_loudspeaker_too() -> None:
    device = WavDevice(numbered(0.25), clock=ManualClock(), monitor=lambda: None)
    device.open()
    device.start()
    assert device.info.output_name == "no loudspeaker"
    assert device.read_frame() is not None
    device.stop()
