"""A preallocated ring of float32 samples between exactly one writing and one reading thread.

The positions are two integers that only grow: the writer alone stores ``_written``, the reader alone ``_read``, and
each is stored after the samples it covers were copied. Loading and storing an attribute is atomic in CPython, so no
lock is needed and a PortAudio callback may use either end. No sample memory is allocated after the constructor.

Bound: ``capacity`` samples. Overflow policy: what does not fit is dropped (the newest, since only the reader may move
the oldest) and counted in ``dropped``; what a reader misses is filled with silence and counted in ``missing``.
"""

from __future__ import annotations

import numpy as np

from kame_desktop.core.audio_types import Pcm


class SampleRing:
    """Single-producer single-consumer ring of mono float32 samples.

    Attributes:
        dropped: Samples that did not fit (writer's counter).
        missing: Samples that were asked for and not there (reader's counter).
    """

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("a ring holds at least one sample")
        self._buffer = np.zeros(capacity, dtype=np.float32)
        self._capacity = capacity
        self._written = 0
        self._read = 0
        self.dropped = 0
        self.missing = 0

    @property
    def capacity(self) -> int:
        """How many samples fit."""
        return self._capacity

    @property
    def available(self) -> int:
        """Samples that can be read now. Exact for the reader, a lower bound for anybody else."""
        return self._written - self._read

    @property
    def taken(self) -> int:
        """Samples that left it since the start: read or discarded (reader's thread)."""
        return self._read

    @property
    def written(self) -> int:
        """Samples accepted since the start (any thread)."""
        return self._written

    def write(self, samples: Pcm) -> int:
        """Copy in what fits of ``samples`` (shape ``[n]``, any stride) and return how many. Writer's thread only."""
        offered = len(samples)
        count = min(offered, self._capacity - (self._written - self._read))
        if count > 0:
            start = self._written % self._capacity
            first = min(count, self._capacity - start)
            self._buffer[start : start + first] = samples[:first]
            self._buffer[: count - first] = samples[first:count]
            self._written += count
        if count < offered:
            self.dropped += offered - count
        return count

    def read_into(self, out: Pcm) -> int:
        """Fill ``out`` (shape ``[n]``, any stride) with the oldest samples; return how many were real.

        The rest is silence and counted in ``missing``. Reader's thread only.
        """
        wanted = len(out)
        count = min(wanted, self._written - self._read)
        if count > 0:
            start = self._read % self._capacity
            first = min(count, self._capacity - start)
            out[:first] = self._buffer[start : start + first]
            out[first:count] = self._buffer[: count - first]
            self._read += count
        if count < wanted:
            out[count:] = 0.0
            self.missing += wanted - count
        return count

    def discard(self, count: int) -> int:
        """Throw away up to ``count`` of the oldest samples and return how many. Reader's thread only."""
        count = max(0, min(count, self._written - self._read))
        self._read += count
        return count
