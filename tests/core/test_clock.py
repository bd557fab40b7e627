"""Virtual time: sleepers wake in order, and a driver can wait for what they do."""

from __future__ import annotations

import asyncio

import pytest

from kame_desktop.core.activity import Activity
from kame_desktop.core.clock import ManualClock, SystemClock


@pytest.mark.asyncio
async def test_sleepers_wake_at_their_time_and_in_order() -> None:
    clock = ManualClock()
    woken: list[str] = []

    async def sleeper(name: str, at_ms: float) -> None:
        await clock.sleep_until(at_ms)
        woken.append(name)

    tasks = [asyncio.create_task(sleeper(name, at)) for name, at in (("late", 200.0), ("early", 100.0))]
    await asyncio.sleep(0)
    assert clock.next_deadline_ms() == 100.0
    clock.advance_to(99.0)
    await asyncio.sleep(0)
    assert woken == []
    clock.advance(1.0)
    await tasks[1]
    assert woken == ["early"]
    clock.advance_to(50.0)
    assert clock.now_ms() == 100.0, "time never goes back"
    clock.advance_to(500.0)
    await tasks[0]
    assert woken == ["early", "late"]
    assert clock.next_deadline_ms() is None


@pytest.mark.asyncio
async def test_a_woken_sleeper_counts_as_work_until_it_has_done_its_step() -> None:
    activity = Activity()
    clock = ManualClock(activity.begin, activity.end)
    in_flight_when_woken: list[int] = []

    async def sleeper() -> None:
        await clock.sleep_until(10.0)
        in_flight_when_woken.append(activity.in_flight)

    task = asyncio.create_task(sleeper())
    await asyncio.sleep(0)
    clock.advance_to(10.0)
    assert activity.in_flight == 1
    await task
    for _ in range(3):
        await asyncio.sleep(0)
    assert in_flight_when_woken == [1]
    assert activity.in_flight == 0


@pytest.mark.asyncio
async def test_a_sleeper_that_was_cancelled_leaves_nothing_behind() -> None:
    activity = Activity()
    clock = ManualClock(activity.begin, activity.end)
    task = asyncio.create_task(clock.sleep_until(10.0))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    clock.advance_to(20.0)
    for _ in range(3):
        await asyncio.sleep(0)
    assert activity.in_flight == 0


@pytest.mark.asyncio
async def test_real_time_passes_by_itself() -> None:
    clock = SystemClock()
    assert clock.now_ms() == 0.0, "time stands still while a session loads"
    clock.start()
    before = clock.now_ms()
    await clock.sleep_until(before + 5.0)
    assert clock.now_ms() >= before + 5.0
    await clock.sleep_until(before)
