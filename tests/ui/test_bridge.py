"""From other threads to the GUI thread."""

from __future__ import annotations

import threading

from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from kame_desktop.core.events import Event
from kame_desktop.session.bus import Bus
from kame_desktop.ui.bridge import BusBridge
from tests.ui.happenings import heard, said


def collect(bridge: BusBridge) -> list[list[Event]]:
    batches: list[list[Event]] = []
    bridge.events.connect(batches.append)
    return batches


def test_burst_from_a_thread_is_one_signal(qtbot: QtBot):
    bus, bridge = Bus(), BusBridge()
    batches = collect(bridge)
    bridge.attach(bus)
    events = said("word " * 1_500, 1)
    worker = threading.Thread(target=lambda: [bus.publish(event) for event in events])
    with qtbot.waitSignal(bridge.events):
        worker.start()
        worker.join()
    qtbot.wait(0)
    assert batches == [events]


def test_events_arrive_on_the_gui_thread(qtbot: QtBot):
    bus, bridge = Bus(), BusBridge()
    where: list[QThread] = []
    bridge.events.connect(lambda _batch: where.append(QThread.currentThread()))
    bridge.attach(bus)
    with qtbot.waitSignal(bridge.events):
        worker = threading.Thread(target=bus.publish, args=(heard(1, "why"),))
        worker.start()
        worker.join()
    assert where == [bridge.thread()]


def test_an_event_during_delivery_is_not_lost(qtbot: QtBot):
    bus, bridge = Bus(), BusBridge()
    batches = collect(bridge)
    first, second = said("one two", 1)
    bridge.events.connect(lambda batch: bus.publish(second) if batch == [first] else None)
    bridge.attach(bus)
    bus.publish(first)
    qtbot.waitUntil(lambda: len(batches) == 2)
    assert batches == [[first], [second]]


def test_nothing_of_an_earlier_bus_arrives(qtbot: QtBot):
    old, new, bridge = Bus(), Bus(), BusBridge()
    batches = collect(bridge)
    bridge.attach(old)
    old.publish(heard(1, "old"))
    bridge.attach(new)
    old.publish(heard(2, "old"))
    with qtbot.waitSignal(bridge.events):
        new.publish(heard(1, "new"))
    assert batches == [[heard(1, "new")]]


def test_detached_bridge_is_silent(qtbot: QtBot):
    bus, bridge = Bus(), BusBridge()
    batches = collect(bridge)
    bridge.attach(bus)
    bus.publish(heard(1, "why"))
    bridge.detach()
    bridge.detach()
    qtbot.wait(0)
    assert batches == []
    assert not bridge.attached


def test_unread_updates_are_conflated(qtbot: QtBot):
    bus, bridge = Bus(), BusBridge()
    batches = collect(bridge)
    bridge.attach(bus)
    for text in ("a", "a b", "a b c"):
        bus.publish(heard(1, text))
    qtbot.waitUntil(lambda: bool(batches))
    assert batches == [[heard(1, "a b c")]]
