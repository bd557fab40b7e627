"""Loads that are stopped while another session wants the model."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

pytest.importorskip("torch")
pytest.importorskip("moshi")

from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import SILENT_ACTIVITY, silence_frame
from kame_desktop.core.errors import Cancelled
from kame_desktop.frontends.base import NO_ORACLE, FrontendInput
from kame_desktop.frontends.kame import KameFrontend
from tests.frontends.kame.conftest import TINY


class StoppedLoad(threading.Thread):
    """Loads until the warm-up, waits there, and is stopped then."""

    def __init__(self, frontend: KameFrontend) -> None:
        super().__init__(name="stopped-load", daemon=True)
        self.frontend = frontend
        self.inside, self.go_on = threading.Event(), threading.Event()
        self.cancelled = False

    def run(self) -> None:
        def progress(done: float, what: str) -> None:
            if what == "Warming up":
                self.inside.set()
                assert self.go_on.wait(60)
                raise Cancelled("Loading was stopped.")

        try:
            self.frontend.load(progress)
        except Cancelled:
            self.cancelled = True


@pytest.fixture
def frontend() -> Iterator[KameFrontend]:
    """The tiny checkpoint, kept from one session to the next."""
    made = KameFrontend(lambda: TINY, steer=True, activity=Activity(), device="cpu", keep_loaded=True)
    yield made
    made.release()


@pytest.fixture
def stopped(frontend: KameFrontend) -> Iterator[StoppedLoad]:
    """A load that has come to the warm-up."""
    load = StoppedLoad(frontend)
    load.start()
    assert load.inside.wait(60)
    yield load
    load.go_on.set()
    load.join(60)


def step(frontend: KameFrontend) -> None:
    frontend.step(FrontendInput(0, silence_frame(), NO_ORACLE, SILENT_ACTIVITY))


def test_the_next_session_waits_and_keeps_its_model(frontend: KameFrontend, stopped: StoppedLoad):
    told: list[str] = []

    def progress(done: float, what: str) -> None:
        told.append(what)
        if what.startswith("Waiting"):
            stopped.go_on.set()

    frontend.load(progress)
    stopped.join(60)
    assert stopped.cancelled
    assert told[0].startswith("Waiting")
    step(frontend)


def test_waiting_can_be_stopped_too(frontend: KameFrontend, stopped: StoppedLoad):
    def progress(done: float, what: str) -> None:
        raise Cancelled("Loading was stopped.")

    with pytest.raises(Cancelled):
        frontend.load(progress)


def test_a_model_that_is_let_go_while_it_loads_is_gone_afterwards(frontend: KameFrontend):
    def progress(done: float, what: str) -> None:
        frontend.release()

    frontend.load(progress)
    with pytest.raises(RuntimeError):
        step(frontend)
