"""Moments at which stops, failures and losses meet."""

from __future__ import annotations

import asyncio
import threading

import pytest

from kame_desktop.backend.stt.base import SttFrame
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import silence_frame
from kame_desktop.core.errors import LlmError, ModelFileError
from kame_desktop.core.events import OracleFailed, SessionState, SessionStateChanged
from kame_desktop.session.async_host import AsyncHost
from kame_desktop.session.inbox import SttInbox
from tests.fakes.frontend import FakeFrontend
from tests.fakes.llm import Answer
from tests.fakes.stt import FakeStt
from tests.fakes.turns import ScriptedTurns
from tests.session.stage import Stage


def test_a_stale_request_that_fails_does_not_take_the_back_end_for_down():
    def script(question: str) -> Answer:
        if question.rstrip().endswith("France?"):
            return Answer("It is Paris.", first_ms=900.0)
        return Answer(error=LlmError("The service is busy."), first_ms=700.0)

    stage = Stage(frames=60, script=script).run()
    assert [event for event in stage.of(OracleFailed) if not event.superseded]
    assert not [given.frame for given in stage.frontend.given if given.backend_down]


@pytest.mark.logs_errors
def test_nothing_is_told_after_a_stop():
    """A load that can't be cut short fails after the session has stopped."""
    blocked = threading.Event()
    frontend = FakeFrontend(block_load=blocked, load_error=ModelFileError("The voice is damaged."))
    stage = Stage(frontend=frontend)
    stage.start_and_wait_for(SessionStateChanged)
    stage.session.request_stop()
    assert stage.session.wait_stopped(5.0)
    stage._read()
    before = len(stage.events)
    blocked.set()
    assert stage.session._frames.join(5.0)
    stage._read()
    assert stage.session.state is SessionState.IDLE
    assert len(stage.events) == before


class _SlowToClose(FakeStt):
    """Says when it begins to close, and takes its time."""

    def __post_init__(self) -> None:
        self.closing = threading.Event()

    async def close(self) -> None:
        self.closing.set()
        await asyncio.sleep(0.3)
        await super().close()


@pytest.mark.logs_errors
def test_a_stop_while_a_failed_back_end_closes_still_closes_all_of_it():
    stt = _SlowToClose(load_error=ModelFileError("The ears are damaged."))
    blocked = threading.Event()
    stage = Stage(stt=stt, frontend=FakeFrontend(block_load=blocked))
    stage.session.start()
    assert stt.closing.wait(5.0)
    stage.session.request_stop()
    blocked.set()
    assert stage.session.wait_stopped(5.0)
    assert stt.closed
    assert stage.llm.closed


def test_a_session_that_cannot_start_says_so_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch):
    def no_files() -> asyncio.AbstractEventLoop:
        raise OSError(24, "Too many open files")

    stage = Stage()
    monkeypatch.setattr(asyncio, "new_event_loop", no_files)
    stage.session.start()
    stage.session.request_stop()
    assert stage.session.wait_stopped(5.0)
    assert stage.session.state is SessionState.FAILED


def test_frames_that_speech_to_text_never_heard_take_no_end_with_them():
    turns = ScriptedTurns(speech=((2, 14),))
    inbox = SttInbox(AsyncHost(), Activity(), capacity_frames=20)
    for number in range(60):
        inbox.put(SttFrame(silence_frame(), turns.process(silence_frame()), number * 80.0))

    async def take_all() -> list[SttFrame]:
        return [await inbox.get() for _ in range(20)]

    heard = asyncio.run(take_all())
    assert inbox.dropped_frames == 40
    assert [frame.user.finished for frame in heard] == [True] + [False] * 19
    assert [frame.end_ms for frame in heard] == [number * 80.0 for number in range(40, 60)]
