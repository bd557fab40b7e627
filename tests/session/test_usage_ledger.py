"""What each day cost: the file that several sessions and programs share."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import threading
import time
from pathlib import Path

import pytest

from kame_desktop.session.usage import UsageTotals
from kame_desktop.session.usage_ledger import DailyUsage, UsageLedger

ONE = UsageTotals(calls=1, prompt_tokens=10, completion_tokens=2, priced_usd=0.5, unpriced_calls=0)


class Calendar:
    def __init__(self) -> None:
        self.day = dt.date(2026, 3, 1)

    def __call__(self) -> dt.date:
        return self.day


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


@pytest.fixture
def ledger(tmp_path: Path, calendar: Calendar) -> UsageLedger:
    return UsageLedger(tmp_path / "deep" / "usage.json", today=calendar)


def path_of(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "usage.json"


def test_a_day_adds_up_and_the_next_begins_at_nothing(ledger: UsageLedger, calendar: Calendar, tmp_path: Path) -> None:
    assert ledger.today() == UsageTotals()
    assert ledger.add(ONE) == ONE
    assert ledger.add(ONE) == ONE.plus(ONE)
    assert UsageLedger(path_of(tmp_path), today=calendar).today() == ONE.plus(ONE)
    calendar.day += dt.timedelta(days=1)
    assert ledger.today() == UsageTotals()
    assert ledger.add(ONE) == ONE
    assert sorted(json.loads(path_of(tmp_path).read_text())["days"]) == ["2026-03-01", "2026-03-02"]


def test_old_days_go_after_a_while(ledger: UsageLedger, calendar: Calendar, tmp_path: Path) -> None:
    ledger.add(ONE)
    path = path_of(tmp_path)
    record = json.loads(path.read_text())
    day = record["days"]["2026-03-01"]
    record["days"] = {(calendar.day - dt.timedelta(days=ago)).isoformat(): day for ago in range(405)}
    path.write_text(json.dumps(record))
    calendar.day += dt.timedelta(days=1)
    ledger.add(ONE)
    days = sorted(json.loads(path.read_text())["days"])
    assert len(days) == 400
    assert (days[0], days[-1]) == ("2025-01-27", "2026-03-02")
    assert ledger.set_aside is None


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{",
        '{"days": 3}',
        '{"days": {"someday": {}}}',
        '{"days": {"2026-03-01": {"calls": 1}}}',
        '{"days": {"2026-03-01": {"calls": -1, "prompt_tokens": 0, "completion_tokens": 0, "priced_usd": 0,'
        ' "unpriced_calls": 0}}}',
        '{"days": {"2026-03-01": {"calls": 1, "prompt_tokens": 0, "completion_tokens": 0, "priced_usd": NaN,'
        ' "unpriced_calls": 0}}}',
        "\x00\x01",
    ],
)
def test_a_damaged_file_is_set_aside_and_the_count_begins_anew(
    ledger: UsageLedger, tmp_path: Path, content: str
) -> None:
    path = path_of(tmp_path)
    path.parent.mkdir()
    path.write_text(content)
    assert ledger.add(ONE) == ONE
    assert ledger.set_aside is not None
    assert ledger.set_aside.read_text() == content
    assert ledger.add(ONE) == ONE.plus(ONE)
    assert ledger.set_aside is None


def test_several_programs_lose_nothing(tmp_path: Path, calendar: Calendar) -> None:
    def work() -> None:
        mine = UsageLedger(path_of(tmp_path), today=calendar)
        for _ in range(10):
            mine.add(ONE)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert UsageLedger(path_of(tmp_path), today=calendar).today().calls == 30
    assert sorted(file.name for file in path_of(tmp_path).parent.iterdir()) == ["usage.json"]


def test_a_lock_that_a_crash_left_is_broken(ledger: UsageLedger, tmp_path: Path) -> None:
    lock = path_of(tmp_path).with_suffix(".lock")
    lock.parent.mkdir()
    lock.touch()
    long_ago = time.time() - 60.0
    os.utime(lock, (long_ago, long_ago))
    assert ledger.add(ONE) == ONE
    assert not lock.exists()


def test_a_lock_that_is_held_is_waited_for_but_not_for_ever(ledger: UsageLedger, tmp_path: Path) -> None:
    lock = path_of(tmp_path).with_suffix(".lock")
    lock.parent.mkdir()
    lock.touch()
    began_s = time.monotonic()
    assert ledger.add(ONE) == ONE
    assert time.monotonic() - began_s >= 0.9
    assert lock.exists(), "it belongs to somebody else"


# The session's side ---------------------------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_today_is_all_sessions_together(ledger: UsageLedger) -> None:
    ledger.add(ONE)
    told: list[str] = []
    daily = DailyUsage(ledger, told.append)
    await daily.open()
    assert daily.totals == ONE
    daily.note(ONE)
    assert daily.totals == ONE.plus(ONE)
    daily.note(ONE.plus(ONE))
    await daily.close()
    assert ledger.today().calls == 3
    assert daily.totals == ledger.today()
    assert told == []


@pytest.mark.asyncio
async def test_a_corrected_estimate_corrects_the_day(ledger: UsageLedger) -> None:
    ledger.add(ONE)
    daily = DailyUsage(ledger, lambda text: None)
    await daily.open()
    daily.note(UsageTotals(calls=1, prompt_tokens=500))
    daily.note(UsageTotals(calls=1, prompt_tokens=90))
    await daily.close()
    assert ledger.today().prompt_tokens == 100


@pytest.mark.asyncio
async def test_the_loop_never_waits_for_the_disk_and_writes_are_bundled(ledger: UsageLedger) -> None:
    writes: list[str] = []
    add = ledger.add

    def slow(more: UsageTotals) -> UsageTotals:
        writes.append(threading.current_thread().name)
        return add(more)

    ledger.add = slow  # type: ignore[method-assign]
    daily = DailyUsage(ledger, lambda text: None)
    total = UsageTotals()
    for _ in range(100):
        total = total.plus(ONE)
        daily.note(total)
        await asyncio.sleep(0)
    await daily.close()
    assert len(writes) == 1
    assert threading.current_thread().name not in writes
    assert ledger.today().calls == 100


@pytest.mark.asyncio
async def test_a_disk_that_refuses_is_told_once_and_the_count_goes_on(tmp_path: Path, calendar: Calendar) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("no folder")
    told: list[str] = []
    daily = DailyUsage(UsageLedger(blocked / "usage.json", today=calendar), told.append)
    await daily.open()
    daily.note(ONE)
    await daily.close()
    assert len(told) == 1
    assert "can't be kept" in told[0]
    assert daily.totals == ONE


@pytest.mark.asyncio
async def test_a_disk_that_hangs_does_not_hold_up_the_end(ledger: UsageLedger) -> None:
    release = threading.Event()

    def hangs(more: UsageTotals) -> UsageTotals:
        release.wait(10.0)
        return more

    ledger.add = hangs  # type: ignore[method-assign]
    daily = DailyUsage(ledger, lambda text: None)
    daily.note(ONE)
    try:
        await asyncio.wait_for(daily.close(), 5.0)
    finally:
        release.set()
    await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))


@pytest.mark.asyncio
async def test_without_a_ledger_today_is_this_session() -> None:
    daily = DailyUsage(None, lambda text: None)
    await daily.open()
    daily.note(ONE)
    assert daily.totals == ONE
    await daily.close()
