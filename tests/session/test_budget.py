"""What a conversation may cost."""

from __future__ import annotations

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.session.budget import Budget, dollars
from kame_desktop.session.usage import UsageTotals


def spent(usd: float) -> UsageTotals:
    return UsageTotals(calls=1, priced_usd=usd)


def test_first_speculation_ends_then_comes_the_warning_each_once() -> None:
    budget = Budget(1.0)
    assert budget.watch(spent(0.79), ()) == []
    assert budget.speculation_allowed
    (first,) = budget.watch(spent(0.81), ())
    assert "only finished sentences" in first
    assert "$0.81" in first
    assert "$1.00" in first
    assert not budget.speculation_allowed
    assert budget.watch(spent(0.9), ()) == []
    (second,) = budget.watch(spent(1.0), ())
    assert "is spent" in second
    assert "still answered" in second
    assert budget.watch(spent(5.0), ()) == []


def test_a_jump_over_both_marks_says_both() -> None:
    assert len(Budget(0.01).watch(spent(0.5), ())) == 2


def test_an_estimate_that_was_too_high_does_not_bring_speculation_back() -> None:
    budget = Budget(1.0)
    budget.watch(spent(0.9), ())
    budget.watch(spent(0.5), ())
    assert not budget.speculation_allowed


def test_a_model_without_a_price_is_said_once() -> None:
    budget, model = Budget(1.0), LlmModel("mine", "My model")
    (told,) = budget.watch(spent(0.0), [model])
    assert "My model" in told
    assert budget.watch(spent(0.0), [model]) == []
    assert budget.speculation_allowed


def test_without_a_budget_nothing_is_said() -> None:
    budget = Budget(None)
    assert budget.watch(spent(1e6), [LlmModel("mine", "My model")]) == []
    assert budget.speculation_allowed


def test_small_amounts_keep_their_digits() -> None:
    assert [dollars(amount) for amount in (0.0, 0.0042, 0.25, 12.0)] == ["$0.00", "$0.0042", "$0.25", "$12.00"]
