"""The composition root: what it must not do on the thread that asks, the window's."""

from __future__ import annotations

from pathlib import Path

from kame_desktop.bootstrap import Application
from kame_desktop.core.events import ComponentError, SessionState, SessionStateChanged
from kame_desktop.session.services import SessionRequest


def test_a_recording_is_read_on_the_sessions_thread(tmp_path: Path) -> None:
    app = Application(tmp_path / "settings.json")
    model = app.resolve_llm("model", "http://127.0.0.1:9/v1")
    session = app.open_session(SessionRequest("lite", model, wav=tmp_path / "absent.wav", monitor=True))
    box = session.bus.subscribe(ComponentError, SessionStateChanged, name="test")
    session.start()
    assert session.wait_stopped(5.0)
    events = box.drain()
    assert [event.category for event in events if isinstance(event, ComponentError)] == ["bad_input"]
    assert isinstance(events[-1], SessionStateChanged)
    assert session.state is SessionState.FAILED
