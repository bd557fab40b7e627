"""The bus: order, conflation, bounds, and the count of work in flight."""

from __future__ import annotations

import threading

import pytest

from kame_desktop.core.activity import Activity
from kame_desktop.core.events import Event, Interrupted, SttFinal, SttPartial
from kame_desktop.session.bus import Bus


def partial(rev: int, utterance: int = 1) -> SttPartial:
    return SttPartial(at_ms=float(rev), utterance=utterance, rev=rev, text=f"text {rev}", stable_words=0)


def final(utterance: int) -> SttFinal:
    return SttFinal(at_ms=0.0, utterance=utterance, text="done")


def test_lossless_events_come_in_order_and_latest_ones_replace_their_own_kind() -> None:
    bus = Bus()
    box = bus.subscribe(name="all")
    for event in (partial(1), final(1), partial(2), final(2), partial(3), partial(1, utterance=2)):
        bus.publish(event)
    assert box.drain() == [final(1), final(2), partial(3), partial(1, utterance=2)]
    assert box.conflated == 2
    assert box.drain() == []


def test_a_mailbox_gets_only_the_types_it_asked_for() -> None:
    bus = Bus()
    box = bus.subscribe(SttFinal, name="finals")
    bus.publish(partial(1))
    bus.publish(final(1))
    assert box.drain() == [final(1)]


def test_the_subscriber_is_woken_for_each_post_and_not_after_it_left() -> None:
    bus = Bus()
    woken: list[int] = []
    box = bus.subscribe(name="woken", wake=lambda: woken.append(1))
    bus.publish(final(1))
    bus.publish(final(2))
    bus.unsubscribe(box)
    bus.publish(final(3))
    assert len(woken) == 2
    assert box.drain() == []


@pytest.mark.logs_errors
def test_a_full_mailbox_counts_what_it_loses_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    bus = Bus()
    box = bus.subscribe(name="tiny", capacity=2)
    for number in range(5):
        bus.publish(final(number))
    assert box.overflowed == 3
    assert box.drain() == [final(3), final(4)]
    assert [record.message for record in caplog.records] == [
        "The mailbox 'tiny' is full: its subscriber doesn't read it."
    ]


@pytest.mark.logs_errors
def test_unread_events_count_as_work_until_they_are_dealt_with() -> None:
    activity = Activity()
    bus = Bus()
    box = bus.subscribe(name="worker", activity=activity, capacity=2)
    bus.publish(partial(1))
    bus.publish(partial(2))
    assert activity.in_flight == 1
    bus.publish(final(1))
    bus.publish(final(2))
    assert activity.in_flight == 2
    assert len(box.drain()) == 2
    box.done(1)
    assert activity.in_flight == 1
    box.done(1)
    bus.publish(final(3))
    bus.unsubscribe(box)
    assert activity.in_flight == 0


def test_many_publishers_lose_nothing() -> None:
    bus = Bus()
    box = bus.subscribe(name="busy", capacity=10_000)
    threads = [
        threading.Thread(target=lambda: [bus.publish(Interrupted(at_ms=0.0, utterance=n)) for n in range(500)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    got: list[Event] = []
    while any(thread.is_alive() for thread in threads):
        got += box.drain()
    got += box.drain()
    assert len(got) == 2000
    assert box.overflowed == 0
