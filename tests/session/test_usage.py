"""Tokens and money."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.backend.llm.base import LlmModel, LlmUsage
from kame_desktop.session.usage import Charge, UsageMeter, UsageTotals

MODEL, OTHER = LlmModel("one", "One"), LlmModel("two", "Two")


def sent(meter: UsageMeter, model: LlmModel = MODEL, prompt_tokens: int = 0) -> Charge:
    charge = meter.begin(model, prompt_tokens)
    charge.sent = True
    return charge


def answered(meter: UsageMeter, usage: LlmUsage, model: LlmModel = MODEL) -> None:
    charge = sent(meter, model, prompt_tokens=77)
    charge.heard("whatever")
    charge.reported(usage)
    charge.close()


def test_reported_usage_adds_up_and_replaces_the_estimate() -> None:
    meter = UsageMeter()
    answered(meter, LlmUsage(100, 20, 0.01))
    answered(meter, LlmUsage(50, 10, 0.02), OTHER)
    totals = meter.totals
    assert (totals.calls, totals.prompt_tokens, totals.completion_tokens) == (2, 150, 30)
    assert totals.priced_usd == pytest.approx(0.03)


def test_a_request_counts_from_its_start() -> None:
    meter = UsageMeter()
    answered(meter, LlmUsage(100, 25, 0.20))
    charge = sent(meter, prompt_tokens=100)
    assert meter.totals.prompt_tokens == 200
    assert meter.totals.calls == 2
    assert meter.totals.priced_usd == pytest.approx(0.30), "a token of an answer weighs four of a question"
    charge.close()
    assert meter.totals.prompt_tokens == 200, "dropped before a word came: its prompt was read all the same"


def test_a_stream_that_was_closed_early_is_estimated_by_its_words() -> None:
    meter = UsageMeter()
    charge = sent(meter, prompt_tokens=45)
    for piece in ("one", " two", " three", " fo", "ur"):
        charge.heard(piece)
    charge.close()
    charge.close()
    assert (meter.totals.prompt_tokens, meter.totals.completion_tokens) == (45, 5)


def test_what_was_dropped_before_the_first_report_is_priced_with_it() -> None:
    meter = UsageMeter()
    for _ in range(9):
        sent(meter, prompt_tokens=100).close()
    assert meter.totals.priced_usd == 0.0
    answered(meter, LlmUsage(100, 0, 0.01))
    assert meter.totals.priced_usd == pytest.approx(0.10)


def test_each_model_has_its_price() -> None:
    meter = UsageMeter()
    answered(meter, LlmUsage(100, 0, 1.00))
    answered(meter, LlmUsage(100, 0, 0.0), OTHER)
    sent(meter, OTHER, prompt_tokens=1_000_000).close()
    assert meter.totals.priced_usd == pytest.approx(1.00)


def test_what_never_went_out_or_was_refused_costs_nothing() -> None:
    meter = UsageMeter()
    meter.begin(MODEL, 100).close()
    refused = sent(meter, prompt_tokens=100)
    refused.refused = True
    refused.close()
    assert meter.totals == UsageTotals(calls=2)
    broken = sent(meter, prompt_tokens=100)
    broken.heard("It is")
    broken.refused = True
    broken.close()
    assert meter.totals.prompt_tokens == 100, "words had come: it was not for free"


def test_calls_without_a_price_are_counted_and_the_rest_is_still_known() -> None:
    meter = UsageMeter()
    answered(meter, LlmUsage(10, 1, None))
    assert meter.totals.cost_usd is None, "nothing is known"
    answered(meter, LlmUsage(10, 1, 0.5), OTHER)
    assert meter.totals.cost_usd == 0.5
    assert meter.totals.unpriced_calls == 1
    assert meter.unpriced_models == [MODEL]
    assert UsageMeter().totals.cost_usd == 0.0


def test_a_closed_charge_is_told() -> None:
    told: list[int] = []
    meter = UsageMeter(lambda: told.append(meter.totals.calls))
    sent(meter).close()
    assert told == [1]


ENDS = st.sampled_from(["report", "free report", "unknown report", "drop", "cut", "refuse", "never sent"])


@given(st.lists(st.tuples(ENDS, st.integers(0, 500), st.integers(0, 60), st.booleans()), max_size=30))
def test_whatever_becomes_of_requests_nothing_is_negative_and_all_are_counted(
    requests: list[tuple[str, int, int, bool]],
) -> None:
    meter = UsageMeter()
    for end, prompt, words, other in requests:
        charge = meter.begin(OTHER if other else MODEL, prompt)
        charge.sent = end != "never sent"
        if end in ("cut", "report"):
            charge.heard("word " * words)
        if end.endswith("report"):
            cost = {"report": 0.001, "free report": 0.0}.get(end)
            charge.reported(LlmUsage(prompt, words, cost))
        charge.refused = end == "refuse"
        charge.close()
        totals = meter.totals
        assert min(totals.prompt_tokens, totals.completion_tokens, totals.unpriced_calls) >= 0
        assert totals.priced_usd >= 0.0
    assert meter.totals.calls == len(requests)


COUNTS = st.integers(0, 10**9)
TOTALS = st.builds(UsageTotals, COUNTS, COUNTS, COUNTS, st.floats(0, 1e4), COUNTS)


@given(TOTALS, TOTALS)
def test_sums_and_differences_fit_together(one: UsageTotals, other: UsageTotals) -> None:
    back = one.plus(other).minus(other)
    assert (back.calls, back.prompt_tokens, back.unpriced_calls) == (one.calls, one.prompt_tokens, one.unpriced_calls)
    assert one.plus(other) == other.plus(one)
    assert min(UsageTotals().plus(one.minus(other)).calls, 0) == 0
