"""Models that change, fail and cost, in virtual time."""

from __future__ import annotations

import asyncio
import datetime as dt
from pathlib import Path

import pytest

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.backend.llm.routing import Router, Rule
from kame_desktop.core.errors import BadInputError, ErrorCategory, LlmError, MissingPackageError
from kame_desktop.core.events import (
    AskReason,
    ComponentError,
    ModelChanged,
    Notice,
    OracleFailed,
    OracleRequested,
    OracleRevision,
    UsageUpdated,
)
from kame_desktop.session.oracle_options import OracleOptions, SchedulerOptions
from kame_desktop.session.usage_ledger import UsageLedger
from tests.fakes.llm import Answer
from tests.session.oracle_desk import Desk

pytestmark = pytest.mark.asyncio

AUTO, FIRST, SECOND, SPARE = (
    LlmModel(name, label)
    for name, label in (("auto", "Auto"), ("first", "First"), ("second", "Second"), ("spare", "Spare"))
)
REFUSED = LlmError("The key was refused.", "Check the key.", category=ErrorCategory.PERMANENT)
BUSY = LlmError("The service is busy.")
ROUTER = Router([Rule("STEM", ("atom",), SECOND)], FIRST)


def revisions(desk: Desk) -> list[tuple[str, str]]:
    return [(event.model, event.text_so_far) for event in desk.of(OracleRevision) if event.complete]


# Switching ------------------------------------------------------------------------------------------------------------


async def test_the_old_answer_goes_on_until_the_new_ones_first_word() -> None:
    slow = {"first": Answer("one two three four five six", gap_ms=100.0), "second": Answer("new", first_ms=250.0)}
    async with Desk(FIRST, llm={"by_model": slow}) as desk:
        await desk.say("what is", final=False)
        await desk.run(300.0)
        await desk.driver.switch(SECOND)
        await desk.go_on("what is it")
        asked_ms = desk.of(OracleRequested)[-1].at_ms
        await desk.run(5_000.0)
        told = [(event.at_ms, event.model, event.text_so_far) for event in desk.of(OracleRevision)]
        first_new_ms = min(at for at, model, _ in told if model == "second")
        assert any(model == "first" and asked_ms < at < first_new_ms for at, model, _ in told), "it went on"
        assert not any(model == "first" and at > first_new_ms for at, model, _ in told), "its late words are dropped"
        assert told[-1][1:] == ("second", "new")
        assert all(call.closed_ms is not None for call in desk.fake.calls)


async def test_every_revision_carries_its_model_its_first_token_time_and_its_words() -> None:
    async with Desk(FIRST, llm={"script": Answer("It is five past ten.", first_ms=123.0)}) as desk:
        await desk.say("what time is it")
        await desk.run(1_000.0)
        told = desk.of(OracleRevision)
        assert {event.model for event in told} == {"first"}
        assert {event.first_token_ms for event in told} == {123.0}
        assert [event.word_count for event in told] == [len(event.text_so_far.split()) for event in told]
        assert told[-1].word_count == 5


async def test_the_conversation_survives_a_switch() -> None:
    async with Desk(FIRST) as desk:
        await desk.say("what is the capital of France")
        await desk.run(1_000.0)
        await desk.driver.switch(SECOND)
        await desk.say("and of Spain")
        await desk.run(1_000.0)
        last = desk.fake.calls[-1].request
        assert last.model == SECOND
        assert "what is the capital of France" in [message.content for message in last.messages]


async def test_a_switch_to_a_model_that_cannot_be_loaded_keeps_the_old_one_and_says_so() -> None:
    missing = BadInputError("There is no such model as 'second'.", "Check the spelling.", component="llm")
    async with Desk(FIRST, llm={"load_errors": {"second": missing}}) as desk:
        await desk.driver.switch(SECOND)
        await desk.say("hello")
        await desk.run(1_000.0)
        (error,) = desk.of(ComponentError)
        assert error.what == "There is no such model as 'second'."
        assert error.remedy == "Check the spelling. First stays in use."
        assert [event.model for event in desk.of(ModelChanged)] == ["first", "first"]
        assert desk.events.index(error) > desk.events.index(desk.of(ModelChanged)[-1]), (
            "a change of model clears errors"
        )
        assert revisions(desk) == [("first", "Yes.")]


@pytest.mark.logs_errors
async def test_a_defect_while_loading_keeps_the_old_model_too(caplog: pytest.LogCaptureFixture) -> None:
    async with Desk(FIRST, llm={"load_errors": {"second": RuntimeError("the secret key")}}) as desk:
        await desk.driver.switch(SECOND)
        (error,) = desk.of(ComponentError)
        assert "First stays in use." in error.remedy
        assert "secret" not in error.what + error.remedy + caplog.text


async def test_an_unanswered_question_is_put_to_the_new_model_at_once() -> None:
    async with Desk(FIRST, llm={"by_model": {"first": Answer(error=REFUSED)}}) as desk:
        await desk.say("hello")
        await desk.run(1_000.0)
        await desk.driver.switch(SECOND)
        await desk.run(1_000.0)
        assert [(event.model, event.because) for event in desk.of(OracleRequested)] == [
            ("first", AskReason.FINAL),
            ("second", AskReason.MODEL_CHANGED),
        ]
        assert revisions(desk) == [("second", "Yes.")]


# Speculation ----------------------------------------------------------------------------------------------------------


async def test_speculation_ends_and_begins_at_once() -> None:
    async with Desk(FIRST) as desk:
        assert desk.of(UsageUpdated)[-1].speculating is True
        desk.driver.set_speculation(False)
        assert desk.of(UsageUpdated)[-1].speculating is False
        await desk.say("what is", final=False)
        await desk.run(2_000.0)
        assert desk.of(OracleRequested) == []
        desk.driver.set_speculation(True)
        assert len(desk.of(OracleRequested)) == 1, "what is known by now is asked"
        desk.driver.set_speculation(False)
        await desk.go_on("what is that")
        await desk.run(2_000.0)
        assert len(desk.of(OracleRequested)) == 1
        await desk.go_on("what is that thing", final=True)
        assert len(desk.of(OracleRequested)) == 2, "finals are always asked"
        assert desk.of(UsageUpdated)[-1].speculating is False


async def test_a_question_that_failed_unfinished_is_asked_with_its_final_even_if_no_word_is_new() -> None:
    async with Desk(FIRST, llm={"by_model": {"first": Answer(error=REFUSED)}}) as desk:
        await desk.say("what is that", final=False)
        await desk.run(1_000.0)
        desk.driver.set_speculation(False)
        await desk.driver.switch(SECOND)
        assert len(desk.of(OracleRequested)) == 1
        await desk.go_on("What is that?", final=True)
        await desk.run(1_000.0)
        assert revisions(desk) == [("second", "Yes.")]


# Auto -----------------------------------------------------------------------------------------------------------------


async def test_auto_asks_the_model_of_the_topic_and_tells_which_and_why() -> None:
    async with Desk(AUTO, OracleOptions(router=ROUTER)) as desk:
        assert set(desk.fake.loaded) == {FIRST, SECOND}
        await desk.say("what is an atom")
        await desk.run(1_000.0)
        await desk.say("how nice")
        await desk.run(1_000.0)
        assert [(event.model, event.chosen_because) for event in desk.of(OracleRequested)] == [
            ("second", "Auto: STEM (because of 'atom')"),
            ("first", "Auto: no topic was found"),
        ]
        assert [event.model for event in desk.of(OracleRevision) if event.complete] == ["second", "first"]
        assert [(event.model, event.label) for event in desk.of(ModelChanged)] == [("auto", "Auto")]


async def test_the_route_may_change_while_the_words_arrive_and_the_newest_answer_counts() -> None:
    async with Desk(AUTO, OracleOptions(router=ROUTER)) as desk:
        await desk.say("how big is", final=False)
        await desk.run(800.0)
        await desk.go_on("how big is an atom", final=True)
        await desk.run(1_000.0)
        assert [event.model for event in desk.of(OracleRequested)] == ["first", "second"]
        assert desk.of(OracleRevision)[-1].model == "second"


async def test_auto_leaves_out_a_model_that_cannot_be_loaded() -> None:
    async with Desk(AUTO, OracleOptions(router=ROUTER), llm={"load_errors": {"second": REFUSED}}) as desk:
        (error,) = desk.of(ComponentError)
        assert error.remedy == "Check the key. Until then Auto leaves this model out."
        assert desk.events.index(error) > desk.events.index(desk.of(ModelChanged)[-1]), (
            "a change of model clears errors"
        )
        await desk.say("what is an atom")
        await desk.run(1_000.0)
        (asked,) = desk.of(OracleRequested)
        assert asked.model == "first"
        assert "Second could not answer; First answers instead" in asked.chosen_because


async def test_auto_with_nothing_that_loads_fails_like_any_model() -> None:
    desk = Desk(AUTO, OracleOptions(router=ROUTER), llm={"load_error": REFUSED})
    with pytest.raises(LlmError, match="refused"):
        await desk.driver.load()
    with pytest.raises(BadInputError, match="rules"):
        await Desk(AUTO).driver.load()


async def test_a_switch_to_auto_and_back() -> None:
    async with Desk(FIRST, OracleOptions(router=ROUTER)) as desk:
        await desk.say("an atom")
        await desk.run(1_000.0)
        await desk.driver.switch(AUTO)
        await desk.say("an atom again")
        await desk.run(1_000.0)
        await desk.driver.switch(FIRST)
        await desk.say("an atom still")
        await desk.run(1_000.0)
        assert [event.model for event in desk.of(OracleRequested)] == ["first", "second", "first"]
        assert [event.model for event in desk.of(ModelChanged)] == ["first", "auto", "first"]


# The fallback ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("category", [ErrorCategory.PERMANENT, ErrorCategory.MISSING])
async def test_after_a_lasting_failure_the_fallback_answers_at_once_and_the_user_is_told_once(
    category: ErrorCategory,
) -> None:
    broken = LlmError("The key was refused.", "Check the key.", category=category)
    by_model = {"first": Answer(error=broken, first_ms=100.0)}
    async with Desk(FIRST, OracleOptions(fallback=SPARE), llm={"by_model": by_model}) as desk:
        await desk.say("hello")
        await desk.run(100.0)
        assert [(event.at_ms, event.model) for event in desk.of(OracleRequested)] == [(0.0, "first"), (100.0, "spare")]
        await desk.run(1_000.0)
        await desk.say("and hello again")
        await desk.run(1_000.0)
        assert revisions(desk) == [("spare", "Yes.")] * 2
        assert [event.model for event in desk.of(OracleRequested)] == ["first", "spare", "spare"]
        because = {event.chosen_because for event in desk.of(OracleRequested)[1:]}
        assert because == {"First could not answer; Spare answers instead"}
        (told,) = desk.of(ComponentError)
        assert (told.what, told.remedy) == ("The key was refused.", "Check the key. Spare answers instead.")
        failed = [event for event in desk.of(OracleFailed) if not event.superseded]
        assert [event.will_retry for event in failed] == [True], "the back end isn't down"
        await desk.driver.switch(FIRST)
        await desk.say("once more")
        await desk.run(1_000.0)
        assert desk.of(OracleRequested)[-2].model == "first", "the user wants it tried again"


async def test_several_requests_that_fail_alike_are_told_once_and_the_question_is_asked_once() -> None:
    by_model = {"first": Answer(error=REFUSED, first_ms=1_500.0)}
    async with Desk(FIRST, OracleOptions(fallback=SPARE), llm={"by_model": by_model}) as desk:
        await desk.say("a", final=False)
        for text in ("a b", "a b c"):
            await desk.run(400.0)
            await desk.go_on(text)
        assert [event.model for event in desk.of(OracleRequested)] == ["first"] * 3
        await desk.run(4_000.0)
        assert len(desk.of(ComponentError)) == 1
        assert [call.question for call in desk.fake.calls if call.request.model == SPARE] == ["a b c"]


async def test_a_failure_in_passing_is_retried_then_the_fallback_takes_that_question_only() -> None:
    by_model = {"first": lambda question: Answer(error=BUSY) if "hello" in question else Answer("Fine.")}
    async with Desk(FIRST, OracleOptions(fallback=SPARE), llm={"by_model": by_model}) as desk:
        await desk.say("hello")
        await desk.run(30_000.0)
        assert [event.model for event in desk.of(OracleRequested)] == ["first"] * 4 + ["spare"]
        assert all(event.will_retry for event in desk.of(OracleFailed))
        assert [error.remedy for error in desk.of(ComponentError)] == ["Spare answers instead."]
        await desk.say("how do you do")
        await desk.run(1_000.0)
        assert revisions(desk) == [("spare", "Yes."), ("first", "Fine.")]


async def test_a_model_that_never_sends_a_word_gives_way_too() -> None:
    by_model = {"first": Answer("", hangs=True)}
    async with Desk(FIRST, OracleOptions(fallback=SPARE), llm={"by_model": by_model}) as desk:
        await desk.say("hello")
        await desk.run(60_000.0)
        assert revisions(desk) == [("spare", "Yes.")]
        assert [event.model for event in desk.of(OracleRequested)] == ["first"] * 4 + ["spare"]


async def test_a_fallback_that_fails_as_well_ends_it_and_says_so() -> None:
    spare_refused = LlmError("No credit is left.", "Add some.", category=ErrorCategory.PERMANENT)
    by_model = {"first": Answer(error=REFUSED), "spare": Answer(error=spare_refused)}
    async with Desk(FIRST, OracleOptions(fallback=SPARE), llm={"by_model": by_model}) as desk:
        await desk.say("hello")
        await desk.run(1_000.0)
        await desk.say("hello again")
        await desk.run(10_000.0)
        assert [event.model for event in desk.of(OracleRequested)] == ["first", "spare"]
        assert [error.what for error in desk.of(ComponentError)] == ["The key was refused.", "No credit is left."]
        assert desk.of(OracleFailed)[-1].will_retry is False


async def test_a_question_that_was_refused_is_no_case_for_the_fallback() -> None:
    too_long = LlmError("The question is too long.", category=ErrorCategory.BAD_INPUT)
    async with Desk(FIRST, OracleOptions(fallback=SPARE), llm={"by_model": {"first": Answer(error=too_long)}}) as desk:
        await desk.say("hello")
        await desk.run(1_000.0)
        assert [event.model for event in desk.of(OracleRequested)] == ["first"]
        assert [error.what for error in desk.of(ComponentError)] == ["The question is too long."]


async def test_an_answer_that_breaks_off_for_good_is_begun_anew_by_the_fallback() -> None:
    by_model = {"first": Answer("one two three", error=REFUSED, error_after=2)}
    async with Desk(FIRST, OracleOptions(fallback=SPARE), llm={"by_model": by_model}) as desk:
        await desk.say("hello")
        await desk.run(2_000.0)
        assert revisions(desk) == [("spare", "Yes.")]


async def test_a_session_begins_with_the_fallback_when_its_model_cannot_be_loaded() -> None:
    async with Desk(FIRST, OracleOptions(fallback=SPARE), llm={"load_errors": {"first": REFUSED}}) as desk:
        await desk.say("hello")
        await desk.run(1_000.0)
        assert revisions(desk) == [("spare", "Yes.")]
        assert [error.remedy for error in desk.of(ComponentError)] == ["Check the key. Until then Spare answers."]


async def test_a_fallback_that_cannot_be_loaded_is_said_and_the_session_goes_on() -> None:
    gone = MissingPackageError("The spare model isn't installed.", "Install it.", component="llm")
    async with Desk(FIRST, OracleOptions(fallback=SPARE), llm={"load_errors": {"spare": gone}}) as desk:
        await desk.say("hello")
        await desk.run(1_000.0)
        assert revisions(desk) == [("first", "Yes.")]
        (told,) = desk.of(ComponentError)
        assert told.remedy == "Install it. Until then no model stands in for another."


# Usage and budget -----------------------------------------------------------------------------------------------------


async def test_the_budget_first_ends_speculation_then_warns_and_finals_go_on() -> None:
    # A question takes about 160 tokens here: six requests come to a good 90 % of the budget.
    options = OracleOptions(budget_usd=1.0)
    async with Desk(FIRST, options, llm={"prices": {"first": 0.001}}) as desk:
        await desk.say("say something", final=True)
        await desk.run(1_000.0)
        await desk.say("one", final=False)
        for count in range(2, 30):
            await desk.run(800.0)
            await desk.go_on(" ".join(["word"] * count))
        unfinished = len(desk.of(OracleRequested)) - 1
        assert 2 < unfinished < 20, "it stopped asking on the way"
        (notice,) = desk.of(Notice)
        assert notice.component == "budget"
        assert "only finished sentences" in notice.text
        assert desk.of(UsageUpdated)[-1].speculating is False
        assert desk.of(UsageUpdated)[-1].budget_usd == 1.0
        for number in range(5):
            await desk.say(f"final number {number}")
            await desk.run(1_000.0)
        assert desk.of(OracleRevision)[-1].complete
        assert len([event for event in desk.of(OracleRequested) if event.because is AskReason.FINAL]) == 6
        texts = [event.text for event in desk.of(Notice)]
        assert len(texts) == 2
        assert "is spent" in texts[1]
        desk.driver.set_speculation(True)
        assert desk.of(UsageUpdated)[-1].speculating is False
        assert "no room" in desk.of(Notice)[-1].text


async def test_dropped_streams_count_so_that_the_budget_cannot_be_overrun_by_them() -> None:
    answers = {"first": lambda question: Answer("Yes.", first_ms=100.0 if "priced" in question else 3_900.0)}
    async with Desk(
        FIRST, OracleOptions(budget_usd=2.0), llm={"by_model": answers, "prices": {"first": 0.001}}
    ) as desk:
        await desk.say("priced")
        await desk.run(1_000.0)
        before = desk.of(UsageUpdated)[-1]
        for number in range(60):  # no answer comes before the next sentence
            await desk.say(f"sentence {number}", final=False)
            await desk.run(500.0)
        usage = desk.of(UsageUpdated)[-1]
        assert usage.prompt_tokens > before.prompt_tokens + 5 * 100
        assert usage.cost_usd is not None
        assert 1.6 <= usage.cost_usd < 2.0, "speculation stopped at four fifths"
        assert usage.calls < 40


async def test_a_model_without_a_price_is_said_and_its_calls_are_counted() -> None:
    options = OracleOptions(budget_usd=1.0)
    async with Desk(FIRST, options, llm={"prices": {"second": None}}) as desk:
        await desk.say("hello")
        await desk.run(1_000.0)
        await desk.driver.switch(SECOND)
        for text in ("one", "two"):
            await desk.say(text)
            await desk.run(1_000.0)
        assert [notice.text for notice in desk.of(Notice)] == [
            "The price of Second isn't known here: the budget can't be watched for it."
        ]
        usage = desk.of(UsageUpdated)[-1]
        assert (usage.calls, usage.unpriced_calls, usage.cost_usd) == (3, 2, 0.0)


async def test_the_day_is_told_from_the_start_and_kept_at_the_end(tmp_path: Path) -> None:
    def ledger() -> UsageLedger:
        return UsageLedger(tmp_path / "usage.json", today=lambda: dt.date(2026, 3, 1))

    for session in (0, 1):
        async with Desk(FIRST, ledger=ledger(), llm={"prices": {"first": 0.01}}) as desk:
            assert desk.of(UsageUpdated)[0].calls == 0
            assert desk.of(UsageUpdated)[0].today_calls == session
            await desk.say("hello")
            await desk.run(1_000.0)
            usage = desk.of(UsageUpdated)[-1]
            assert (usage.calls, usage.today_calls) == (1, session + 1)
            assert usage.today_cost_usd == pytest.approx((session + 1) * (usage.cost_usd or 0.0))
    assert ledger().today().calls == 2


async def test_what_a_stop_cuts_short_is_in_the_ledger(tmp_path: Path) -> None:
    ledger = UsageLedger(tmp_path / "usage.json")
    async with Desk(FIRST, ledger=ledger, llm={"script": Answer("one two three four", hangs=True)}) as desk:
        await desk.say("hello")
        await desk.run(600.0)
    today = ledger.today()
    assert today.calls == 1
    assert today.prompt_tokens > 50
    assert today.completion_tokens >= 4


async def test_a_budget_that_is_spent_by_the_last_account_sets_nothing_going_any_more() -> None:
    long = Answer("word " * 60, gap_ms=1.0, hangs=True)
    script = {"first": lambda question: Answer("Yes.") if "priced" in question else long}
    async with Desk(FIRST, OracleOptions(budget_usd=0.5), llm={"by_model": script, "prices": {"first": 0.001}}) as desk:
        await desk.say("priced")
        await desk.run(1_000.0)
        await desk.say("and now a long one")
        await desk.run(300.0)
        assert desk.of(Notice) == []
        await desk.driver.close()
        await desk.settle()
        assert len(desk.of(Notice)) >= 1, "it was spent by that"
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_system_prompt_that_is_cut_is_said() -> None:
    async with Desk(FIRST, OracleOptions(system_prompt="Rhyme! " * 5_000)) as desk:
        (notice,) = desk.of(Notice)
        assert "too long" in notice.text


async def test_with_speculation_off_from_the_start_nothing_turns_it_on() -> None:
    async with Desk(FIRST, scheduler=SchedulerOptions(speculate=False)) as desk:
        await desk.say("what is", final=False)
        await desk.run(3_000.0)
        assert desk.of(OracleRequested) == []
