"""What each day cost, over all conversations: a small JSON file in the user's data folder.

Several instances of the program may write it: each adds its own share to what the file holds at that moment, under a
lock file. A lock that is older than 10 s was left by a crash and is broken; one that can't be had within a second is
done without: a count may be lost then, never the file, which is written aside and moved into place.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import datetime as dt
import json
import logging
import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from kame_desktop.session.usage import UsageTotals

_log = logging.getLogger(__name__)

_KEPT_DAYS = 400
_LOCK_PATIENCE_S = 1.0
_LOCK_POLL_S = 0.02
_LOCK_STALE_S = 10.0
_WRITE_EVERY_S = 3.0
_CLOSE_S = 0.5
_VERSION = 1


class UsageLedger:
    """The file. Its methods block on the disk: not for the GUI thread nor an event loop; any one thread at a time.

    Args:
        path: The file; its folder is made when missing.
        today: The local date.
    """

    def __init__(self, path: Path, *, today: Callable[[], dt.date] = dt.date.today) -> None:
        self._path = path
        self._today = today
        self.set_aside: Path | None = None
        """Where a damaged file was moved to by the latest call; None when all was well."""

    def today(self) -> UsageTotals:
        """This day's sum. Raises OSError."""
        with self._locked():
            return self._read().get(self._today().isoformat(), UsageTotals())

    def add(self, more: UsageTotals) -> UsageTotals:
        """Add to this day; returns its new sum. Raises OSError, and then nothing was added."""
        with self._locked():
            days = self._read()
            day = self._today().isoformat()
            days[day] = days.get(day, UsageTotals()).plus(more)
            kept = sorted(days)[-_KEPT_DAYS:]
            self._write({name: days[name] for name in kept})
            return days[day]

    def _read(self) -> dict[str, UsageTotals]:
        self.set_aside = None
        try:
            raw = json.loads(self._path.read_text(encoding="utf-8"))
            return {_day(name): _totals(values) for name, values in raw["days"].items()}
        except FileNotFoundError:
            return {}
        except (ValueError, TypeError, KeyError, AttributeError):
            aside = self._path.with_suffix(".broken")
            self._path.replace(aside)
            self.set_aside = aside
            return {}

    def _write(self, days: dict[str, UsageTotals]) -> None:
        content = json.dumps(
            {"version": _VERSION, "days": {name: dataclasses.asdict(totals) for name, totals in days.items()}}, indent=1
        )
        descriptor, temporary = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name, suffix=".tmp")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(content)
            Path(temporary).replace(self._path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lock = self._path.with_suffix(".lock")
        owned = _take(lock)
        try:
            yield
        finally:
            if owned:
                with contextlib.suppress(OSError):
                    lock.unlink()


def _take(lock: Path) -> bool:
    """Make the lock file; False: another one holds it for too long. Raises OSError: nothing can be made there."""
    give_up_s = time.monotonic() + _LOCK_PATIENCE_S
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            return True
        except FileExistsError:
            with contextlib.suppress(OSError):
                if time.time() - lock.stat().st_mtime > _LOCK_STALE_S:
                    lock.unlink()
                    continue
        except PermissionError:
            # Windows says so of a file that is just being removed.
            if os.name != "nt" or time.monotonic() > give_up_s:
                raise
        if time.monotonic() > give_up_s:
            return False
        time.sleep(_LOCK_POLL_S)


def _day(name: str) -> str:
    return dt.date.fromisoformat(name).isoformat()


def _totals(values: dict[str, Any]) -> UsageTotals:
    """One day as it was written. Raises ValueError, TypeError, KeyError."""
    counts = [values[name] for name in ("calls", "prompt_tokens", "completion_tokens", "unpriced_calls")]
    cost = float(values["priced_usd"])
    if not all(type(count) is int and count >= 0 for count in counts) or not (math.isfinite(cost) and cost >= 0.0):
        raise ValueError("not an account")
    calls, prompt_tokens, completion_tokens, unpriced_calls = counts
    return UsageTotals(calls, prompt_tokens, completion_tokens, cost, unpriced_calls)


class DailyUsage:
    """Today's usage over all sessions, kept in the ledger. Owner: the asyncio thread; the disk is another thread's.

    Writes are at least three seconds apart and the last one is at ``close``. Bound: one write under way, one account
    that isn't written yet. What can't be written is kept and tried again with the next one.

    Args:
        ledger: The file; None: nothing is kept, today is this session.
        tell: Told what the user should know, each thing once.
    """

    def __init__(self, ledger: UsageLedger | None, tell: Callable[[str], None]) -> None:
        self._ledger = ledger
        self._tell = tell
        self._told: set[str] = set()
        self._on_disk = UsageTotals()
        self._session = UsageTotals()
        self._written = UsageTotals()
        self._task: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    @property
    def totals(self) -> UsageTotals:
        """This day's sum, as far as is known."""
        return self._on_disk.plus(self._session.minus(self._written))

    async def open(self) -> None:
        """Read what this day has cost so far."""
        ledger = self._ledger
        if ledger is not None:
            await self._with_disk(ledger.today)

    def note(self, session: UsageTotals) -> None:
        """This session's sum is ``session``; it is written soon."""
        self._session = session
        if self._ledger is None or self._closing.is_set() or (self._task is not None and not self._task.done()):
            return
        self._task = asyncio.get_running_loop().create_task(self._write_soon(), name="usage-ledger")

    async def close(self) -> None:
        """Write what isn't written yet; at most half a second, a disk that hangs is left to itself."""
        self._closing.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=_CLOSE_S)
        if self._session != self._written and self._ledger is not None and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._write(), name="usage-ledger")
            await asyncio.wait([self._task], timeout=_CLOSE_S)

    async def _write_soon(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), _WRITE_EVERY_S)
        await self._write()

    async def _write(self) -> None:
        ledger, session = self._ledger, self._session
        if ledger is None or session == self._written:
            return
        if await self._with_disk(ledger.add, session.minus(self._written)):
            self._written = session

    async def _with_disk(self, work: Callable[..., UsageTotals], *args: UsageTotals) -> bool:
        """Run ``work`` on a worker and keep the day's sum that it returns; False when the disk refused."""
        assert self._ledger is not None
        try:
            self._on_disk = await asyncio.to_thread(work, *args)
        except (OSError, RuntimeError) as error:  # RuntimeError: the loop's workers have ended
            _log.info("Today's usage could not be kept: %s", type(error).__name__)
            self._say("Today's usage can't be kept: the user's data folder can't be written.")
            return False
        if (aside := self._ledger.set_aside) is not None:
            self._say(
                f"The record of earlier days' usage was damaged. It was set aside as {aside.name}; it begins anew."
            )
        return True

    def _say(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._tell(text)
