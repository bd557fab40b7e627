"""The synthesis worker: newest wishes, no results of an earlier epoch, exact activity, a quick end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from kame_desktop.core.activity import Activity
from kame_desktop.frontends.synth_worker import ThreadedSynthesizer
from kame_desktop.frontends.voice import ClauseEnd, Clip, ClipKey
from tests.fakes.voice import FakeVoice


def key(text: str) -> ClipKey:
    return ClipKey(tuple(text.split()), ClauseEnd.PAUSE)


class GatedVoice(FakeVoice):
    """Waits inside ``speak`` until the gate is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.entered = threading.Event()
        self.gate = threading.Event()

    def speak(self, key: ClipKey) -> Clip:
        self.entered.set()
        assert self.gate.wait(5.0)
        return super().speak(key)


@pytest.fixture
def voice() -> GatedVoice:
    return GatedVoice()


@pytest.fixture
def activity() -> Activity:
    return Activity()


@pytest.fixture
def synthesizer(voice: GatedVoice, activity: Activity) -> Iterator[ThreadedSynthesizer]:
    made = ThreadedSynthesizer(voice, activity)
    yield made
    voice.gate.set()
    made.close()
    assert activity.wait_idle(1.0)


def test_results_come_in_the_order_of_wishes(
    synthesizer: ThreadedSynthesizer, voice: GatedVoice, activity: Activity
) -> None:
    voice.gate.set()
    synthesizer.want([key("a b"), key("c")])
    assert activity.wait_idle(5.0)
    assert [done for done, _ in synthesizer.poll()] == [key("a b"), key("c")]
    assert synthesizer.poll() == []


def test_newer_wishes_replace_what_was_not_begun(
    synthesizer: ThreadedSynthesizer, voice: GatedVoice, activity: Activity
) -> None:
    synthesizer.want([key("running"), key("old")])
    assert voice.entered.wait(5.0)
    synthesizer.want([key("running"), key("new")])
    assert activity.in_flight == 2
    voice.gate.set()
    assert activity.wait_idle(5.0)
    assert voice.spoken == [key("running"), key("new")]
    assert len(synthesizer.poll()) == 2


def test_drop_discards_also_the_job_that_is_running(
    synthesizer: ThreadedSynthesizer, voice: GatedVoice, activity: Activity
) -> None:
    synthesizer.want([key("running"), key("waiting")])
    assert voice.entered.wait(5.0)
    synthesizer.drop()
    assert activity.in_flight == 1
    voice.gate.set()
    assert activity.wait_idle(5.0)
    assert synthesizer.poll() == []
    synthesizer.want([key("running")])
    assert activity.wait_idle(5.0)
    assert [done for done, _ in synthesizer.poll()] == [key("running")]


def test_close_ends_within_a_second_and_is_idempotent(activity: Activity) -> None:
    voice = GatedVoice()
    before = set(threading.enumerate())
    synthesizer = ThreadedSynthesizer(voice, activity)
    synthesizer.want([key("running"), key("waiting")])
    assert voice.entered.wait(5.0)
    threading.Timer(0.05, voice.gate.set).start()
    began = time.perf_counter()
    synthesizer.close()
    synthesizer.close()
    assert time.perf_counter() - began < 1.0
    assert set(threading.enumerate()) <= before
    assert activity.in_flight == 0
    assert voice.closed
    synthesizer.want([key("late")])
    assert activity.in_flight == 0


def test_a_failure_gives_an_empty_clip(activity: Activity) -> None:
    synthesizer = ThreadedSynthesizer(FakeVoice(fail_on="bad"), activity)
    synthesizer.want([key("bad word"), key("good")])
    assert activity.wait_idle(5.0)
    clips = dict(synthesizer.poll())
    synthesizer.close()
    assert clips[key("bad word")].pcm.size == 0
    assert clips[key("bad word")].onsets == (0, 0)
    assert clips[key("good")].pcm.size > 0
    assert synthesizer.failures == 1
