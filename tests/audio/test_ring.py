"""The sample ring: never reorders, never loses what it accepted, counts the rest."""

from __future__ import annotations

import threading
import time
from collections import deque

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_desktop.audio.ring import SampleRing

OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["write", "read", "discard"]), st.integers(min_value=0, max_value=23)),
    max_size=60,
)


@settings(max_examples=150, deadline=None)
@given(capacity=st.integers(min_value=1, max_value=17), operations=OPERATIONS)
def test_behaves_like_a_bounded_queue(capacity: int, operations: list[tuple[str, int]]) -> None:
    ring = SampleRing(capacity)
    model: deque[float] = deque()
    dropped = missing = 0
    value = 1.0
    for what, count in operations:
        if what == "write":
            samples = np.arange(value, value + count, dtype=np.float32)
            value += count
            fits = min(count, capacity - len(model))
            model.extend(float(one) for one in samples[:fits])
            dropped += count - fits
            assert ring.write(samples) == fits
        elif what == "read":
            out = np.full(count, -1.0, dtype=np.float32)
            there = min(count, len(model))
            expected = [model.popleft() for _ in range(there)] + [0.0] * (count - there)
            missing += count - there
            assert ring.read_into(out) == there
            assert out.tolist() == expected
        else:
            gone = min(count, len(model))
            for _ in range(gone):
                model.popleft()
            assert ring.discard(count) == gone
        assert ring.available == len(model)
        assert (ring.dropped, ring.missing) == (dropped, missing)


def test_takes_strided_samples_and_fills_strided_output() -> None:
    ring = SampleRing(8)
    stereo = np.arange(10, dtype=np.float32).reshape(5, 2)
    ring.write(stereo[:, 0])
    out = np.zeros((5, 2), dtype=np.float32)
    ring.read_into(out[:, 1])
    assert out[:, 1].tolist() == [0, 2, 4, 6, 8]


def test_two_threads_see_every_sample_once_and_in_order() -> None:
    total, ring = 200_000, SampleRing(1_000)
    give_up = time.monotonic() + 20.0

    def produce() -> None:
        sent = 0
        rng = np.random.default_rng(1)
        while sent < total and time.monotonic() < give_up:
            count = min(int(rng.integers(1, 400)), total - sent, ring.capacity - ring.available)
            if count:
                ring.write(np.arange(sent, sent + count, dtype=np.float32))
                sent += count

    producer = threading.Thread(target=produce)
    producer.start()
    expected = 0
    rng = np.random.default_rng(2)
    while expected < total and time.monotonic() < give_up:
        count = min(int(rng.integers(1, 400)), ring.available)
        if count:
            out = np.empty(count, dtype=np.float32)
            assert ring.read_into(out) == count
            assert np.array_equal(out, np.arange(expected, expected + count, dtype=np.float32))
            expected += count
    producer.join(5.0)
    assert not producer.is_alive()
    assert expected == total
    assert ring.dropped == ring.missing == 0
