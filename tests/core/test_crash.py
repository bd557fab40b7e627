"""What nobody foresaw: noted with its place and without its words, whatever thread it comes from."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from kame_desktop.core import crash
from kame_desktop.core.crash import CrashLog, PlaceFormatter, on_loop_error, report, stacks_of

pytestmark = pytest.mark.logs_errors
WORDS = "my own words"


@pytest.fixture
def log() -> Iterator[CrashLog]:
    """Behind the hooks for the length of a test."""
    made = CrashLog()
    put_back = crash.install(made)
    yield made
    put_back()


def fail() -> None:
    raise ValueError(WORDS)


def raised(error: Callable[[], object]) -> BaseException:
    try:
        error()
    except BaseException as caught:  # noqa: BLE001 - whatever a test wants
        return caught
    raise AssertionError("nothing was raised")


def only(log: CrashLog, caplog: pytest.LogCaptureFixture) -> crash.CrashReport:
    """The one report; neither it nor the log has the error's words."""
    (found,) = log.reports
    assert "in fail" in found.stack
    assert "in fail" in caplog.text
    assert WORDS not in f"{found!r}{found.text}{caplog.text}"
    return found


def test_a_thread(log: CrashLog, caplog: pytest.LogCaptureFixture) -> None:
    thread = threading.Thread(target=fail, name="worker-7")
    thread.start()
    thread.join()
    assert only(log, caplog).where == "worker-7"


def test_the_top(log: CrashLog, caplog: pytest.LogCaptureFixture) -> None:
    error = raised(fail)
    sys.excepthook(type(error), error, error.__traceback__)
    assert only(log, caplog).kind == "ValueError"


def test_an_error_that_nobody_can_be_told_of(log: CrashLog, caplog: pytest.LogCaptureFixture) -> None:
    class Fragile:
        def __del__(self) -> None:
            fail()

    Fragile()
    gc.collect()
    assert "__del__" in only(log, caplog).where


def test_a_callback_of_a_loop_and_a_task_that_nobody_waits_for(log: CrashLog, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(on_loop_error)
        loop.call_soon(lambda words: fail(), WORDS)
        await asyncio.sleep(0)

        async def task() -> None:
            fail()

        running = loop.create_task(task(), name=WORDS)
        await asyncio.sleep(0)
        del running
        gc.collect()
        loop.call_exception_handler({"message": WORDS})
        await asyncio.sleep(0)

    asyncio.run(main())
    assert [one.kind for one in log.reports] == ["ValueError", "ValueError", "loop trouble"]
    assert WORDS not in f"{log.reports!r}{caplog.text}"


def test_an_orderly_exit_is_no_crash(log: CrashLog, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = threading.Thread(target=sys.exit)
    thread.start()
    thread.join()
    crash.install(log)()
    assert not log.reports


def test_ctrl_c_goes_where_it_went_before(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[type[BaseException]] = []
    before, sys.excepthook = sys.excepthook, lambda kind, error, traceback: told.append(kind)
    log = CrashLog()
    put_back = crash.install(log)
    try:
        sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    finally:
        put_back()
        sys.excepthook = before
    assert told == [KeyboardInterrupt]
    assert not log.reports


def test_everything_is_put_back() -> None:
    before = sys.excepthook, sys.unraisablehook, threading.excepthook
    crash.install(CrashLog())()
    assert (sys.excepthook, sys.unraisablehook, threading.excepthook) == before


def test_the_same_again_is_counted_and_told_ever_more_rarely(log: CrashLog, caplog: pytest.LogCaptureFixture) -> None:
    told: list[int] = []
    end = log.listen(lambda one: told.append(one.count))
    for _ in range(100):
        report(raised(fail), "paint")
    assert only(log, caplog).count == 100
    assert told == [1, 2, 4, 8, 16, 32, 64]
    assert len(caplog.records) == 1
    end()
    report(raised(lambda: 1 // 0), "paint")
    assert len(told) == 7


def test_only_so_many_are_kept(log: CrashLog) -> None:
    for number in range(50):
        report(raised(fail), f"part {number}")
    assert [one.where for one in log.reports] == [f"part {number}" for number in range(30, 50)]


def test_a_listener_that_fails_hurts_nobody(log: CrashLog, caplog: pytest.LogCaptureFixture) -> None:
    told: list[crash.CrashReport] = []

    def broken(one: crash.CrashReport) -> None:
        fail()

    log.listen(broken)
    log.listen(told.append)
    report(raised(fail), "a part")
    assert len(told) == 1
    assert WORDS not in caplog.text


def test_many_threads_at_once_lose_nothing(log: CrashLog) -> None:
    threads = [threading.Thread(target=fail, name=f"t{number % 4}") for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(one.count for one in log.reports) == 40


def chained() -> None:
    try:
        fail()
    except ValueError as error:
        raise KeyError(WORDS) from error


def grouped() -> None:
    raise ExceptionGroup(WORDS, [raised(fail), OSError(WORDS)])  # type: ignore[list-item]


def noted() -> None:
    error = ValueError("x")
    error.add_note(WORDS)
    raise error


@pytest.mark.parametrize(("error", "places"), [(chained, ["chained", "fail"]), (grouped, ["fail"]), (noted, ["noted"])])
def test_causes_and_parts_are_shown_by_their_places(error: Callable[[], object], places: list[str]) -> None:
    shown = stacks_of(raised(error))
    assert WORDS not in shown
    assert all(f"in {place}" in shown for place in places)


def test_an_endless_chain_and_a_deep_stack_are_cut() -> None:
    first, second = ValueError(), KeyError()
    first.__cause__, second.__cause__ = second, first

    def deep(levels: int) -> None:
        if levels == 0:
            fail()
        deeper(levels - 1)

    def deeper(levels: int) -> None:
        deep(levels)

    assert len(stacks_of(first)) < 200
    shown = stacks_of(raised(lambda: deep(200)))
    assert 5_000 < len(shown) < 7_000
    assert "[...]" in shown
    assert "in fail" in shown


def test_without_hooks_the_log_has_it(caplog: pytest.LogCaptureFixture) -> None:
    report(raised(fail), "a part")
    assert "a part" in caplog.text
    assert "in fail" in caplog.text
    assert WORDS not in caplog.text


def test_a_library_that_logs_an_error_tells_its_place_only() -> None:
    record = logging.LogRecord("lib", logging.ERROR, "", 0, "It failed.", None, None)
    error = raised(fail)
    record.exc_info = (type(error), error, error.__traceback__)
    logging.Formatter().format(record)
    shown = PlaceFormatter("%(name)s %(message)s").format(record)
    assert shown.startswith("lib It failed.\nValueError\n")
    assert WORDS not in shown
    assert WORDS in (record.exc_text or "")
