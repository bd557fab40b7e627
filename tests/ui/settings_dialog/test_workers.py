"""Calls beside the window: answers, errors, bounds, and the end."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from kame_desktop.core.errors import AppError, DeviceError
from kame_desktop.ui.settings_dialog.workers import MAX_THREADS, MAX_WAITING, Tell, Worker

PATIENCE_S = 10.0


@pytest.fixture
def worker(qapp: object) -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


def test_answers_come_on_the_gui_thread(qtbot: QtBot, worker: Worker):
    here: list[object] = []

    def work(tell: Tell) -> int:
        tell("half way")
        return 42

    def note(value: object) -> None:
        here.append((value, threading.current_thread() is threading.main_thread()))

    worker.submit(work, note, told=note)
    assert not worker.idle
    qtbot.waitUntil(lambda: worker.idle)
    assert here == [("half way", True), (42, True)]


def test_errors_come_as_app_errors(qtbot: QtBot, worker: Worker):
    failures: list[AppError] = []

    def refuse(tell: Tell) -> None:
        raise DeviceError("The microphone is gone.", "Plug it in.")

    def crash(tell: Tell) -> None:
        raise RuntimeError("sk-secret")

    worker.submit(refuse, lambda value: None, failures.append)
    qtbot.waitUntil(lambda: worker.idle)
    worker.submit(crash, lambda value: None, failures.append)
    qtbot.waitUntil(lambda: worker.idle)
    assert [type(error) for error in failures] == [DeviceError, AppError]
    assert "sk-secret" not in str(failures[1])


def test_a_cancelled_call_is_not_listened_to(qtbot: QtBot, worker: Worker):
    gate, came = threading.Event(), []
    job = worker.submit(lambda tell: gate.wait(PATIENCE_S), came.append)
    job.cancel()
    assert worker.idle
    gate.set()
    worker.submit(lambda tell: "next", came.append)
    qtbot.waitUntil(lambda: came == ["next"])


def test_closing_drops_what_is_awaited_and_never_waits(qtbot: QtBot, worker: Worker):
    gate, began, came = threading.Event(), threading.Event(), []

    def work(tell: Tell) -> str:
        began.set()
        gate.wait(PATIENCE_S)
        return "late"

    worker.submit(work, came.append, came.append)
    assert began.wait(PATIENCE_S)
    worker.close()  # would hang here if it waited
    gate.set()
    assert worker.submit(lambda tell: "after the end", came.append, came.append).over
    qtbot.wait(50)
    assert came == []


def test_no_more_at_once_than_allowed_and_the_rest_waits_or_is_refused(qtbot: QtBot, worker: Worker):
    gate, lock = threading.Event(), threading.Lock()
    running, most, done, refused = 0, 0, [], []

    def work(tell: Tell) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        gate.wait(PATIENCE_S)
        with lock:
            running -= 1

    for _ in range(MAX_THREADS):
        worker.submit(work, done.append, refused.append)
    qtbot.waitUntil(lambda: running == MAX_THREADS)
    for _ in range(MAX_WAITING + 1):
        worker.submit(work, done.append, refused.append)
    assert len(refused) == 1
    gate.set()
    qtbot.waitUntil(lambda: worker.idle)
    assert len(done) == MAX_THREADS + MAX_WAITING
    assert most == MAX_THREADS
