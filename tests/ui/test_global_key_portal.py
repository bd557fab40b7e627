"""The key to talk from anywhere through a desktop's portal, on a session bus of its own."""

from __future__ import annotations

import queue
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("jeepney", reason="jeepney is installed on Linux only")

from kame_desktop.core.errors import AppError
from kame_desktop.ui.global_key import GlobalKey, make_global_key
from tests.fakes.portal import FakePortal, PrivateBus, needs_bus

PATIENCE_S = 30.0
pytestmark = [needs_bus, pytest.mark.skipif(sys.platform != "linux", reason="portals are Linux's")]

Said = queue.Queue[bool | AppError]


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PrivateBus]:
    bus = PrivateBus(tmp_path)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.address)
    yield bus
    bus.end()


@pytest.fixture
def portal(bus: PrivateBus) -> Iterator[FakePortal]:
    portal = FakePortal(bus.address)
    yield portal
    portal.end()


@pytest.fixture
def said() -> Said:
    return queue.Queue()


@pytest.fixture
def key(bus: PrivateBus, said: Said) -> Iterator[GlobalKey]:
    key = make_global_key("linux", {"WAYLAND_DISPLAY": "wayland-0"})
    yield key
    key.stop()


def problem(said: Said) -> str:
    error = said.get(timeout=PATIENCE_S)
    assert isinstance(error, AppError), error
    assert error.remedy
    return error.what


def press(portal: FakePortal, said: Said) -> None:
    """Press it until it is ours, then let it go."""
    assert portal.bind_called.wait(PATIENCE_S)
    portal.shortcut("Activated")
    assert said.get(timeout=PATIENCE_S) is True
    portal.shortcut("Activated")
    portal.shortcut("Deactivated")
    assert said.get(timeout=PATIENCE_S) is False


@pytest.mark.parametrize("trigger", ["Ctrl+Alt+Space", "Meta+F5", None])
def test_held_and_let_go(portal: FakePortal, key: GlobalKey, said: Said, trigger: str | None):
    portal.trigger = trigger
    key.start(said.put, said.put)
    press(portal, said)
    assert [name for name, _ in portal.bound] == ["talk"]
    assert portal.bound[0][1]["preferred_trigger"] == ("s", "CTRL+ALT+space")
    assert said.empty()


def test_it_says_who_it_is_before_anything_else(portal: FakePortal, key: GlobalKey, said: Said):
    key.start(said.put, said.put)
    press(portal, said)
    assert portal.calls[0] == "Register"


def test_other_sessions_and_shortcuts_are_not_meant(portal: FakePortal, key: GlobalKey, said: Said):
    key.start(said.put, said.put)
    press(portal, said)
    portal.shortcut("Activated", name="other")
    portal.shortcut("Activated", session="/org/freedesktop/portal/desktop/session/x/y")
    portal.close_session()
    assert "took the key" in problem(said)


def test_the_session_ends_with_the_key(portal: FakePortal, key: GlobalKey, said: Said):
    key.start(said.put, said.put)
    press(portal, said)
    key.stop()
    assert portal.closed.wait(PATIENCE_S)
    assert said.empty()


def test_stopped_while_the_user_is_being_asked(portal: FakePortal, key: GlobalKey, said: Said):
    portal.outcome = None
    key.start(said.put, said.put)
    assert portal.bind_called.wait(PATIENCE_S)
    key.stop()
    assert portal.closed.wait(PATIENCE_S)
    assert said.empty()


def test_the_user_says_no(portal: FakePortal, key: GlobalKey, said: Said):
    portal.outcome = 1
    key.start(said.put, said.put)
    assert "refused the key" in problem(said)


def test_no_keys_were_assigned_yet(portal: FakePortal, key: GlobalKey, said: Said):
    portal.trigger = ""
    key.start(said.put, said.put)
    assert "has not assigned" in problem(said)
    press(portal, said)  # the user has done so


def test_the_desktop_takes_it_back_while_it_is_held(portal: FakePortal, key: GlobalKey, said: Said):
    key.start(said.put, said.put)
    press(portal, said)
    portal.shortcut("Activated")
    assert said.get(timeout=PATIENCE_S) is True
    portal.close_session()
    assert said.get(timeout=PATIENCE_S) is False
    assert "took the key" in problem(said)


@pytest.mark.parametrize("end", ["portal", "bus"])
def test_what_it_hangs_on_goes_away(bus: PrivateBus, portal: FakePortal, key: GlobalKey, said: Said, end: str):
    key.start(said.put, said.put)
    press(portal, said)
    (portal if end == "portal" else bus).end()
    assert "the key to talk from anywhere" in problem(said)


def test_a_portal_that_does_not_know_shortcuts(portal: FakePortal, key: GlobalKey, said: Said):
    portal.knows = False
    key.start(said.put, said.put)
    assert "doesn't let a program have a key" in problem(said)


def test_the_portal_is_started_by_the_question(bus: PrivateBus, key: GlobalKey, said: Said):
    asked = bus.offer("org.freedesktop.portal.Desktop")
    key.start(said.put, said.put)
    assert asked()
    portal = FakePortal(bus.address)
    try:
        press(portal, said)
        assert said.empty()
    finally:
        portal.end()


@pytest.mark.usefixtures("bus")
def test_there_is_no_portal(key: GlobalKey, said: Said):
    key.start(said.put, said.put)
    assert "doesn't let a program have a key" in problem(said)


def test_there_is_no_bus(monkeypatch: pytest.MonkeyPatch, key: GlobalKey, said: Said, tmp_path: Path):
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path / 'nothing'}")
    key.start(said.put, said.put)
    assert "no session bus" in problem(said)
