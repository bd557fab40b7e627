"""What a download would do, how it is to be done, and how far it is: plain values for whoever asks and shows."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from kame_desktop.weights.manifest import Manifest

_RATE_WINDOW_S = 5.0


class Phase(StrEnum):
    """What a download is doing."""

    CHECKING = "checking"
    """Reading what an earlier try left, for its checksum."""
    GETTING = "getting"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a download is.

    Attributes:
        done: Bytes that are here, earlier tries' included.
        total: Bytes of the whole set.
        rate: Bytes per second over the last seconds; 0 until known.
        file: The file that is being fetched.
    """

    phase: Phase
    done: int
    total: int
    rate: float
    file: str

    @property
    def fraction(self) -> float:
        """Between 0 and 1."""
        return min(1.0, self.done / self.total) if self.total else 1.0

    @property
    def left_s(self) -> float | None:
        """Seconds to go; None: unknown."""
        return (self.total - self.done) / self.rate if self.rate > 0 else None


@dataclass(frozen=True, slots=True)
class DownloadPlan:
    """What a download would do: what the user agrees to.

    Attributes:
        licence: As the hub states it; None: it doesn't.
        page: The repository's address for people.
        folder: The cache.
        present_bytes: What is here already.
        need_bytes: Free space that it takes, a reserve included.
        free_bytes: Free space that there is.
    """

    name: str
    repo: str
    what: str
    licence: str | None
    page: str
    folder: Path
    manifest: Manifest
    present_bytes: int
    need_bytes: int
    free_bytes: int

    @property
    def total_bytes(self) -> int:
        """The size of the whole set."""
        return self.manifest.total_bytes

    @property
    def missing_bytes(self) -> int:
        """What has to come over the network."""
        return self.total_bytes - self.present_bytes

    @property
    def fits(self) -> bool:
        """There is room for it."""
        return self.need_bytes <= self.free_bytes


def open_part(path: Path) -> BinaryIO:
    """Open a partial file for appending."""
    return path.open("ab", buffering=1 << 20)


@dataclass(frozen=True, slots=True)
class DownloadOptions:
    """How to download.

    Attributes:
        endpoint: The hub's address; None: huggingface_hub's.
        offline: Never ask (HF_HUB_OFFLINE counts, too).
        stall_s: How long no byte may come.
        retries: How often in a row to try again when a try brought nothing.
        backoff_s: The first wait between two tries; it doubles.
        reserve_bytes: Free space to leave on the disk.
        report_s: Least time between two progress reports.
        opener: Opens a partial file.
        now: A monotonic clock in seconds.
    """

    endpoint: str | None = None
    offline: bool = False
    stall_s: float = 30.0
    retries: int = 5
    backoff_s: float = 1.0
    reserve_bytes: int = 200_000_000
    report_s: float = 0.1
    opener: Callable[[Path], BinaryIO] = open_part
    now: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class Meter:
    """Counts bytes and reports them, not too often. Owner: the thread that downloads."""

    total: int
    done: int
    options: DownloadOptions
    on_progress: Callable[[Progress], None]
    phase: Phase = Phase.GETTING
    file: str = ""
    _reported_s: float = float("-inf")
    _window: deque[tuple[float, int]] = field(default_factory=deque)

    def add(self, count: int) -> None:
        """Bytes came (or, below zero, were thrown away)."""
        self.done += count
        self.report()

    def report(self, *, force: bool = False) -> None:
        """Tell how far it is, if it is time to."""
        now = self.options.now()
        if not force and now - self._reported_s < self.options.report_s:
            return
        self._reported_s = now
        window = self._window
        window.append((now, self.done))
        while len(window) > 2 and now - window[0][0] > _RATE_WINDOW_S:
            window.popleft()
        elapsed = now - window[0][0]
        rate = max(0.0, (self.done - window[0][1]) / elapsed) if elapsed > 0 else 0.0
        self.on_progress(Progress(self.phase, self.done, self.total, rate, self.file))
