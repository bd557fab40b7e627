"""The scheduler in virtual time: a small simulation drives it, no clock runs."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.core.events import AskReason
from kame_desktop.core.words import normalised_words
from kame_desktop.session.oracle_actions import Action, Adopt, Ask, Drop, Expire, GiveUp, WillRetry
from kame_desktop.session.oracle_scheduler import OracleScheduler, SchedulerOptions

A = TypeVar("A", bound=Action)


@dataclass
class Simulation:
    """A language model with a fixed time to its first token, in virtual time."""

    first_token_ms: float | None = 150.0
    answer_ms: float = 1000.0
    options: SchedulerOptions = field(default_factory=SchedulerOptions)

    def __post_init__(self) -> None:
        self.scheduler = OracleScheduler(self.options, rng=random.Random(1))
        self.now_ms = 0.0
        self.log: list[tuple[float, Action]] = []
        self._pending: list[tuple[float, str, int]] = []
        self._do(self.scheduler.speech_started(0.0, 1))

    def _do(self, actions: list[Action]) -> None:
        for action in actions:
            self.log.append((self.now_ms, action))
            if isinstance(action, Ask) and self.first_token_ms is not None:
                first = self.now_ms + self.first_token_ms
                self._pending.append((first, "token", action.generation))
                self._pending.append((first + self.answer_ms, "completed", action.generation))
            if isinstance(action, Drop | Expire):
                self._pending = [entry for entry in self._pending if entry[2] != action.generation]

    def until(self, at_ms: float) -> None:
        while True:
            timer = self.scheduler.next_timer_ms()
            due = [entry for entry in [*self._pending, (timer, "timer", 0)] if entry[0] is not None]
            when, what, generation = min(due, default=(float("inf"), "", 0), key=lambda entry: entry[0])
            if when > at_ms:
                break
            self.now_ms = max(self.now_ms, when)
            if what == "timer":
                before = self.scheduler.next_timer_ms()
                self._do(self.scheduler.timer(self.now_ms))
                assert self.scheduler.next_timer_ms() != before, "a timer that changes nothing would spin"
            else:
                self._pending.remove((when, what, generation))
                self._do(getattr(self.scheduler, what)(self.now_ms, generation))
        self.now_ms = at_ms

    def partial(self, at_ms: float, text: str, utterance: int = 1) -> None:
        self.until(at_ms)
        self._do(self.scheduler.partial(at_ms, utterance, text))

    def final(self, at_ms: float, text: str, utterance: int = 1) -> None:
        self.until(at_ms)
        self._do(self.scheduler.final(at_ms, utterance, text))

    def call(self, at_ms: float, name: str, *args: object, **kwargs: object) -> list[Action]:
        self.until(at_ms)
        actions = getattr(self.scheduler, name)(at_ms, *args, **kwargs)
        self._do(actions)
        return actions

    def asks(self) -> list[tuple[float, Ask]]:
        return [(at, action) for at, action in self.log if isinstance(action, Ask)]

    def of(self, kind: type[A]) -> list[tuple[float, A]]:
        return [(at, action) for at, action in self.log if isinstance(action, kind)]


def test_the_first_words_are_asked_at_once() -> None:
    sim = Simulation()
    sim.partial(100.0, "What is")
    assert [(at, ask.text, ask.because, ask.unfinished) for at, ask in sim.asks()] == [
        (100.0, "What is", AskReason.WORDS_CHANGED, True)
    ]


def test_punctuation_case_and_spacing_are_no_change_but_a_revised_word_is() -> None:
    sim = Simulation()
    sim.partial(0.0, "It costs fifteen")
    sim.partial(1000.0, "it costs  FIFTEEN,")
    sim.partial(2000.0, "It costs fifty.")
    assert [ask.text for _, ask in sim.asks()] == ["It costs fifteen", "It costs fifty."]


def test_requests_for_an_unfinished_sentence_keep_their_distance_and_none_is_left_unseen() -> None:
    sim = Simulation(first_token_ms=None)
    sim.partial(0.0, "a")
    sim.partial(100.0, "a b")
    sim.partial(200.0, "a b c")
    sim.until(1000.0)
    assert [(at, ask.text, ask.because) for at, ask in sim.asks()] == [
        (0.0, "a", AskReason.WORDS_CHANGED),
        (350.0, "a b c", AskReason.TRAILING),
    ]


def test_the_spacing_follows_the_model() -> None:
    quick, slow = Simulation(first_token_ms=100.0), Simulation(first_token_ms=900.0)
    for sim in (quick, slow):
        sim.partial(0.0, "a")
        sim.until(1000.0)
    assert quick.scheduler.spacing_ms == pytest.approx(210.0)
    assert slow.scheduler.spacing_ms == pytest.approx(1350.0)


def test_a_final_is_asked_at_once_unless_the_newest_request_has_its_words() -> None:
    sim = Simulation()
    sim.partial(0.0, "what is the time")
    sim.final(50.0, "What is the time?")
    assert len(sim.asks()) == 1
    other = Simulation()
    other.partial(0.0, "what is the time")
    other.final(50.0, "What is the dime?")
    assert [(at, ask.because, ask.unfinished) for at, ask in other.asks()][1] == (
        50.0,
        AskReason.FINAL,
        False,
    )


def test_after_the_end_of_speech_new_words_do_not_wait() -> None:
    sim = Simulation(first_token_ms=None)
    sim.partial(0.0, "what is")
    sim.call(60.0, "speech_paused", 1)
    sim.partial(100.0, "what is love")
    assert [(at, ask.because) for at, ask in sim.asks()] == [
        (0.0, AskReason.WORDS_CHANGED),
        (100.0, AskReason.SPEECH_ENDED),
    ]


def test_when_the_user_goes_on_the_spacing_counts_again() -> None:
    sim = Simulation(first_token_ms=None)
    sim.partial(0.0, "what is")
    sim.call(50.0, "speech_paused", 1)
    sim.call(80.0, "speech_started", 1)
    sim.partial(100.0, "what is love")
    assert len(sim.asks()) == 1
    sim.until(400.0)
    assert [at for at, _ in sim.asks()] == [0.0, 350.0]


def test_the_old_stream_goes_on_until_the_new_one_has_a_token() -> None:
    sim = Simulation(first_token_ms=150.0, answer_ms=5000.0)
    sim.partial(0.0, "a")
    sim.partial(400.0, "a b")
    sim.until(500.0)
    assert sim.of(Drop) == []
    sim.until(600.0)
    assert sim.of(Adopt) == [(150.0, Adopt(1)), (550.0, Adopt(2))]
    assert sim.of(Drop) == [(550.0, Drop(1))]


def test_late_tokens_of_a_replaced_generation_are_counted_and_ignored() -> None:
    sim = Simulation(first_token_ms=150.0)
    sim.partial(0.0, "a")
    sim.partial(400.0, "a b")
    sim.until(600.0)
    assert sim.call(600.0, "token", 1) == []
    assert sim.scheduler.stale_tokens == 1
    assert sim.scheduler.adopted == 2


def test_at_most_three_streams_and_no_starvation_of_a_slow_model() -> None:
    sim = Simulation(first_token_ms=2000.0)
    for i in range(12):
        sim.partial(i * 400.0, " ".join("abcdefghijkl"[: i + 1]))
        assert sim.scheduler.in_flight <= 3
    assert sim.of(Adopt)[0] == (2000.0, Adopt(1))
    sim.until(12_000.0)
    assert sim.asks()[-1][1].text == "a b c d e f g h i j k l"


def test_a_final_takes_the_place_of_the_youngest_waiting_stream() -> None:
    sim = Simulation(first_token_ms=None)
    for i in range(3):
        sim.partial(i * 400.0, " ".join("abc"[: i + 1]))
    sim.final(1000.0, "a b c d")
    assert sim.of(Drop) == [(1000.0, Drop(3))]
    assert sim.asks()[-1][0] == 1000.0


def test_without_speech_nothing_is_asked() -> None:
    scheduler = OracleScheduler()
    assert scheduler.partial(0.0, 1, "thanks for watching") == []
    assert scheduler.final(0.0, 1, "thanks for watching") == []
    sim = Simulation()
    sim.partial(0.0, " ... ")
    sim.final(10.0, "")
    assert sim.asks() == []


def test_with_speculation_off_only_finals_are_asked() -> None:
    sim = Simulation(options=SchedulerOptions(speculate=False))
    sim.partial(0.0, "a b")
    sim.call(500.0, "speech_paused", 1)
    sim.until(900.0)
    sim.final(1000.0, "A b.")
    assert [(at, ask.because) for at, ask in sim.asks()] == [(1000.0, AskReason.FINAL)]


def test_deadlines_are_ours() -> None:
    sim = Simulation(first_token_ms=None)
    sim.partial(0.0, "a")
    sim.until(4000.0)
    (at_ms, expired), *_ = sim.of(Expire)
    assert at_ms == 4000.0
    assert expired.will_retry
    assert "4 s" in expired.what


def test_a_gap_in_the_answer_and_an_endless_answer_expire() -> None:
    gap = Simulation(first_token_ms=100.0, answer_ms=1e9)
    gap.final(0.0, "a")
    gap.until(3100.0)
    assert [(at, action.will_retry) for at, action in gap.of(Expire)] == [(3100.0, True)]
    endless = Simulation(first_token_ms=100.0, answer_ms=1e9)
    endless.final(0.0, "a")
    for at_ms in range(1000, 20_001, 1000):
        endless.call(float(at_ms), "token", 1)
    assert [(at, action.will_retry) for at, action in endless.of(Expire)] == [(20_000.0, False)]


def test_transient_failures_back_off_and_honour_retry_after() -> None:
    sim = Simulation(first_token_ms=None)
    sim.partial(0.0, "a")
    (retry,) = sim.call(100.0, "failed", 1, retryable=True)
    assert isinstance(retry, WillRetry)
    assert 375.0 <= retry.after_ms <= 625.0
    sim.until(2000.0)
    assert sim.asks()[-1][1].because is AskReason.RETRY
    (retry,) = sim.call(2000.0, "failed", 2, retryable=True, retry_after_ms=7000.0)
    assert isinstance(retry, WillRetry)
    assert retry.after_ms == 7000.0
    sim.partial(2500.0, "a b")
    sim.until(8999.0)
    assert len(sim.asks()) == 2, "new words wait for the back-off too"
    sim.until(9001.0)
    assert sim.asks()[-1][1].text == "a b"


def test_it_gives_up_after_some_attempts() -> None:
    sim = Simulation(first_token_ms=None)
    sim.final(0.0, "a")
    at_ms = 0.0
    for generation in range(1, 5):
        at_ms += 10_000.0
        sim.until(at_ms - 9_000.0)
        sim.scheduler.failed(sim.now_ms, generation, retryable=True)
    assert len(sim.asks()) == 4
    sim.until(200_000.0)
    assert len(sim.asks()) == 4


def test_it_gives_up_when_every_answer_breaks_off_after_its_first_word() -> None:
    sim = Simulation(first_token_ms=None)
    sim.final(0.0, "a")
    for generation in range(1, 5):
        sim.call(sim.now_ms + 100.0, "token", generation)
        assert sim.scheduler.answers_all_words
        sim.call(sim.now_ms + 50.0, "failed", generation, retryable=True)
        assert not sim.scheduler.answers_all_words
        sim.until(sim.scheduler.next_timer_ms() or sim.now_ms)
    sim.until(200_000.0)
    assert len(sim.asks()) == 4


def test_a_permanent_failure_stops_all_asking_until_the_model_changes() -> None:
    sim = Simulation(first_token_ms=None)
    sim.partial(0.0, "a")
    assert sim.call(100.0, "failed", 1, retryable=False) == [GiveUp(1, permanent=True)]
    sim.final(1000.0, "a b")
    assert len(sim.asks()) == 1
    sim.call(2000.0, "model_changed")
    assert [(at, ask.text, ask.because) for at, ask in sim.asks()][1:] == [(2000.0, "a b", AskReason.MODEL_CHANGED)]


def test_a_refused_question_is_not_asked_again_but_the_next_one_is() -> None:
    sim = Simulation(first_token_ms=None)
    sim.partial(0.0, "a")
    assert sim.call(100.0, "failed", 1, retryable=False, blocks=False) == [GiveUp(1, permanent=False)]
    sim.until(2000.0)
    assert len(sim.asks()) == 1
    sim.partial(3000.0, "a b")
    assert sim.asks()[-1][1].text == "a b"


def test_a_change_of_model_keeps_an_answer_that_is_under_way() -> None:
    sim = Simulation(first_token_ms=150.0, answer_ms=5000.0)
    sim.final(0.0, "a")
    sim.until(1000.0)
    assert sim.call(1000.0, "model_changed") == []


def test_a_question_for_finals_only_that_lost_its_model_is_asked_with_its_final() -> None:
    sim = Simulation(first_token_ms=None)
    sim.partial(0.0, "a b")
    sim.call(100.0, "failed", 1, retryable=False)
    sim.call(150.0, "set_speculation", False)
    assert sim.call(200.0, "model_changed") == []
    sim.final(1000.0, "A b.")
    assert [(at, ask.because) for at, ask in sim.asks()][1:] == [(1000.0, AskReason.FINAL)]


def test_an_answer_that_broke_off_for_good_is_asked_of_the_next_model() -> None:
    sim = Simulation(first_token_ms=None)
    sim.final(0.0, "a")
    sim.call(100.0, "token", 1)
    sim.call(200.0, "failed", 1, retryable=False)
    sim.call(300.0, "model_changed")
    assert [at for at, _ in sim.asks()] == [0.0, 300.0]


def test_speculation_may_be_switched_at_any_moment() -> None:
    sim = Simulation(options=SchedulerOptions(speculate=False))
    sim.partial(0.0, "a")
    sim.call(100.0, "set_speculation", True)
    assert [at for at, _ in sim.asks()] == [100.0]
    sim.call(200.0, "set_speculation", False)
    sim.partial(1000.0, "a b")
    sim.until(3000.0)
    assert len(sim.asks()) == 1
    assert sim.of(Drop) == [], "what is under way goes on"


def test_a_stand_in_is_asked_unless_the_words_are_under_way_or_answered() -> None:
    sim = Simulation(first_token_ms=None)
    sim.partial(0.0, "a")
    sim.partial(400.0, "a b")
    sim.call(500.0, "failed", 1, retryable=False, blocks=False)
    assert sim.call(500.0, "put_to_another") == [], "the newer request has the newest words"
    sim.call(600.0, "failed", 2, retryable=False, blocks=False)
    (asked,) = sim.call(600.0, "put_to_another")
    assert isinstance(asked, Ask)
    assert (asked.text, asked.because) == ("a b", AskReason.MODEL_CHANGED)
    sim.call(700.0, "token", asked.generation)
    sim.call(800.0, "completed", asked.generation)
    assert sim.call(900.0, "put_to_another") == []
    assert OracleScheduler().put_to_another(0.0) == []


def test_interruption_drops_the_streams_of_the_old_answer_only() -> None:
    sim = Simulation(first_token_ms=150.0, answer_ms=5000.0)
    sim.final(0.0, "a")
    sim.until(1000.0)
    sim.call(1000.0, "speech_started", 2)
    assert sim.of(Drop) == [], "a cough doesn't stop an answer"
    sim.call(1200.0, "interrupted")
    assert sim.of(Drop) == [(1200.0, Drop(1))]


def test_a_sentence_that_goes_on_over_its_answer_is_asked_anew_even_with_the_same_words() -> None:
    sim = Simulation(first_token_ms=150.0, answer_ms=500.0)
    sim.partial(0.0, "a b")
    sim.call(100.0, "speech_paused", 1)
    sim.call(1000.0, "speech_started", 1)
    sim.call(1200.0, "interrupted")
    sim.final(2000.0, "a b")
    assert [at for at, _ in sim.asks()] == [0.0, 1200.0]
    assert sim.scheduler.answers_all_words


def test_a_new_utterance_replaces_the_old_question() -> None:
    sim = Simulation(first_token_ms=None)
    sim.partial(0.0, "a")
    sim.call(100.0, "speech_started", 2)
    sim.partial(200.0, "b", utterance=2)
    assert sim.of(Drop) == [(200.0, Drop(1))]
    sim.partial(1000.0, "a b", utterance=1)
    sim.until(2000.0)
    assert [ask.text for _, ask in sim.asks()] == ["a", "b"]


WORDS = st.sampled_from(["one", "two", "three", "four", "five"])


@given(
    steps=st.lists(st.tuples(st.floats(1.0, 900.0), WORDS, st.booleans()), min_size=1, max_size=25),
    first_token_ms=st.sampled_from([20.0, 150.0, 700.0, 2500.0]),
)
def test_whatever_is_said_the_last_words_are_asked_and_the_bounds_hold(
    steps: list[tuple[float, str, bool]], first_token_ms: float
) -> None:
    sim = Simulation(first_token_ms=first_token_ms)
    text, at_ms = "", 0.0
    for wait_ms, word, replaces in steps:
        at_ms += wait_ms
        heard = text.split()
        text = " ".join([*(heard[:-1] if replaces else heard), word])
        sim.partial(at_ms, text)
        assert sim.scheduler.in_flight <= 3
    sim.until(at_ms + 10_000.0)
    times = [at for at, _ in sim.asks()]
    assert normalised_words(sim.asks()[-1][1].text) == normalised_words(text)
    assert all(later - earlier >= 0.6 * 350.0 - 1e-6 for earlier, later in itertools.pairwise(times))
    adopted = [action.generation for _, action in sim.of(Adopt)]
    assert adopted == sorted(adopted)
    assert adopted[-1] == sim.asks()[-1][1].generation
    assert sim.scheduler.in_flight == 0
