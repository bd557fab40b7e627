"""Tokens and money."""

from __future__ import annotations

import pytest

from kame_desktop.backend.llm.base import LlmUsage
from kame_desktop.session.usage import UsageMeter


def test_reported_usage_adds_up() -> None:
    meter = UsageMeter()
    meter.add(LlmUsage(100, 20, 0.01))
    meter.add(LlmUsage(50, 10, 0.02))
    assert (meter.prompt_tokens, meter.completion_tokens, meter.cost_usd) == (150, 30, pytest.approx(0.03))


def test_a_stream_that_was_closed_early_is_estimated_at_the_price_so_far() -> None:
    meter = UsageMeter()
    meter.add(LlmUsage(90, 10, 0.10))
    meter.estimate(45, "one two three four")
    assert (meter.prompt_tokens, meter.completion_tokens) == (135, 15)
    assert meter.cost_usd == pytest.approx(0.15)


def test_an_unknown_price_makes_the_sum_unknown() -> None:
    meter = UsageMeter()
    meter.add(LlmUsage(1, 1, None))
    meter.add(LlmUsage(1, 1, 0.5))
    assert meter.cost_usd is None
