"""One server for all conversations: started once, let go but not ended by each, ended with the program."""

from __future__ import annotations

import threading

import pytest

from kame_desktop.backend.llm.kept_server import KeptServer
from kame_desktop.core.errors import AppError, Cancelled, MissingPackageError


class FakeServer:
    """Counts its starts and stops; ``blocks``: its start lasts until its stop, and is cancelled by it."""

    served_name = "fake"

    def __init__(self, number: int, *, blocks: bool = False, fails: AppError | None = None) -> None:
        self.token = f"token {number}"
        self.api_base = f"http://127.0.0.1:{number}/v1"
        self.running = False
        self.starting = threading.Event()
        self.stops = 0
        self._stopped = threading.Event()
        self._blocks = blocks
        self._fails = fails

    def start(self) -> None:
        self.starting.set()
        if self._blocks and self._stopped.wait(5.0):
            raise Cancelled("stopped", component="llm")
        if self._fails is not None:
            raise self._fails
        self.running = True

    def stop(self) -> None:
        self.stops += 1
        self.running = False
        self._stopped.set()


class Factory:
    """Makes servers: the scripted ones first, then plain ones."""

    def __init__(self, *scripted: FakeServer) -> None:
        self.made: list[FakeServer] = []
        self._scripted = list(scripted)

    def __call__(self) -> FakeServer:
        self.made.append(self._scripted.pop(0) if self._scripted else FakeServer(len(self.made)))
        return self.made[-1]


def test_the_next_conversation_finds_the_server_running() -> None:
    make = Factory()
    kept = KeptServer(make)
    first, second = kept.lease(), kept.lease()
    assert not first.running
    with pytest.raises(AppError):
        _ = first.api_base
    first.start()
    assert first.running
    first.stop()
    assert not first.running
    second.start()
    assert (second.served_name, second.token, second.api_base) == ("fake", "token 0", "http://127.0.0.1:0/v1")
    assert [server.stops for server in make.made] == [0]
    kept.close()
    kept.close()
    assert not second.running
    assert make.made[0].stops == 1


def test_a_dead_or_failed_server_is_replaced() -> None:
    make = Factory(FakeServer(0, fails=MissingPackageError("It isn't installed.")))
    kept = KeptServer(make)
    lease = kept.lease()
    with pytest.raises(MissingPackageError):
        lease.start()
    lease.start()
    make.made[1].running = False
    assert not lease.running
    lease.start()
    assert lease.api_base == make.made[2].api_base
    assert [server.stops for server in make.made] == [1, 1, 0]
    kept.close()


def test_the_end_of_the_program_cuts_a_start_short() -> None:
    server = FakeServer(0, blocks=True)
    make = Factory(server)
    kept = KeptServer(make)
    ended: list[BaseException] = []

    def start() -> None:
        try:
            kept.running()
        except Cancelled as error:
            ended.append(error)

    starter = threading.Thread(target=start)
    starter.start()
    assert server.starting.wait(5.0)
    kept.close()
    starter.join(5.0)
    assert len(ended) == 1
    with pytest.raises(Cancelled):
        kept.lease().start()
    assert len(make.made) == 1


def test_two_that_want_it_at_once_get_the_same() -> None:
    make = Factory()
    kept = KeptServer(make)
    seen: list[object] = []
    threads = [threading.Thread(target=lambda: seen.append(kept.running())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5.0)
    assert seen == [make.made[0]] * 4
    kept.close()
