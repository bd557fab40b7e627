"""What a conversation makes of everything that can go wrong at a language model's service.

The real client asks a scripted server, in a session on the audio clock (which runs at wall pace while a request is
under way). Whatever happens the front end steps every frame and the conversation goes on to the recording's end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import ErrorCategory
from kame_desktop.core.event_codec import event_to_dict
from kame_desktop.core.events import (
    AgentText,
    ComponentError,
    FrameLate,
    OracleFailed,
    OracleRequested,
    OracleRevision,
    SessionState,
    SttFinal,
)
from kame_desktop.session.oracle_scheduler import SchedulerOptions
from tests.backend.llm_calls import KEY, LIBRARY_WARNINGS, keyed_client
from tests.backend.test_llm_failures import CASES, SILENCES
from tests.fakes.wire_servers import FORMATS, Refuse, Say, Script, Think, Wait, WireServer, say
from tests.session.stage import Stage

pytestmark = LIBRARY_WARNINGS

FINAL_ONLY = SchedulerOptions(speculate=False, max_attempts=2)
"""One request and one retry, so that what happened can be counted."""
ANSWER = say("It", " is", " Paris", ".")


@contextmanager
def played(
    *scripts: Script, wire: str = "openai", frames: int = 60, options: SchedulerOptions = FINAL_ONLY
) -> Iterator[tuple[Stage, WireServer]]:
    """A whole conversation of one question, with this service."""
    with WireServer(*scripts, secret=KEY).in_thread() as server:
        yield run(server.model(wire), frames, options), server


def run(model: LlmModel, frames: int = 60, options: SchedulerOptions = FINAL_ONLY) -> Stage:
    stage = Stage(frames=frames, model=model, scheduler=options)
    stage.llm = cast("Any", keyed_client())
    stage.run(60.0)
    assert_it_went_on(stage)
    return stage


def assert_it_went_on(stage: Stage) -> None:
    """No frame was skipped, no state but the usual ones was met, and no event holds the key."""
    steps = [given.frame for given in stage.frontend.given]
    assert steps == list(range(steps[0], steps[0] + len(steps)))
    assert len(steps) >= stage.frames
    assert not stage.of(FrameLate)
    assert SessionState.FAILED not in stage.states()
    assert stage.states()[-1] is SessionState.IDLE
    assert len(stage.of(SttFinal)) == 1
    assert KEY not in json.dumps([event_to_dict(event) for event in stage.events])
    assert stage.activity.in_flight == 0


def failures(stage: Stage) -> list[OracleFailed]:
    """Failed requests, without those that only made room for newer ones."""
    return [event for event in stage.of(OracleFailed) if not event.superseded]


@pytest.mark.parametrize("name", CASES)
def test_what_the_user_sees_and_whether_it_is_asked_again(name: str) -> None:
    case = CASES[name]
    frames = 160 if case.wait_s else 60
    with played(case.script, frames=frames) as (stage, server):
        first = failures(stage)[0]
        assert first.category == case.category.value
        assert case.what in first.what
        assert case.remedy in first.remedy
        retried = case.category is ErrorCategory.TRANSIENT
        assert first.will_retry == retried
        assert server.call_count == (2 if retried else 1)
        told = stage.of(ComponentError)
        assert [error.component for error in told] == ["llm"]
        assert case.what in told[0].what
        assert case.remedy in told[0].remedy
        assert stage.frontend.given[-1].backend_down
        assert all(call.finished or call.sent == 0 or call.cut_off_at_s or retried for call in server.calls)


@pytest.mark.parametrize("wire", FORMATS)
@pytest.mark.parametrize("kind", ["server", "unavailable", "overloaded", "rate"])
def test_trouble_that_passes_is_not_even_told(wire: str, kind: str) -> None:
    with played([Refuse(kind)], ANSWER, wire=wire) as (stage, server):
        assert [failed.will_retry for failed in failures(stage)] == [True]
        assert stage.of(ComponentError) == []
        assert " ".join(word.text for word in stage.of(AgentText)) == "It is Paris."
        assert server.call_count == 2
        assert not stage.frontend.given[-1].backend_down


@pytest.mark.parametrize("wire", FORMATS)
def test_a_service_that_asks_to_wait_is_not_asked_before(wire: str) -> None:
    refusal = [Refuse("rate", headers={"Retry-After": "3"})]
    with played(refusal, ANSWER, wire=wire, frames=100) as (stage, _):
        first, second = (event.at_ms for event in stage.of(OracleRequested))
        failed_ms = failures(stage)[0].at_ms
        assert second - failed_ms >= 3_000.0
        assert second - failed_ms < 4_000.0
        assert first <= failed_ms
        assert stage.of(AgentText)


@pytest.mark.parametrize("name", SILENCES)
@pytest.mark.parametrize("wire", FORMATS)
def test_a_silent_service_is_given_up_at_the_deadline(wire: str, name: str) -> None:
    script = SILENCES[name]
    options = SchedulerOptions(
        speculate=False, max_attempts=2, first_token_deadline_ms=600.0, gap_deadline_ms=400.0, backoff_base_ms=100.0
    )
    with played(script, wire=wire, frames=60, options=options) as (stage, server):
        begun = any(isinstance(step, Say) for step in script)
        for request, failed in zip(stage.of(OracleRequested), failures(stage), strict=True):
            assert ("paused for more than 0.4 s" if begun else "no word within 0.6 s") in failed.what
            assert failed.at_ms - request.at_ms >= (400.0 if begun else 600.0)
        assert [failed.will_retry for failed in failures(stage)] == [True, False]
        assert len(stage.of(ComponentError)) == 1
        assert server.call_count == 2
        assert all(call.cut_off_at_s is not None for call in server.calls), "the streams were closed"


@pytest.mark.parametrize("wire", FORMATS)
def test_a_ramble_is_ended_with_a_sentence(wire: str) -> None:
    words = ("These", "are", "some", "more", "words", "than", "anybody", "has", "ever", "asked", "for.")
    ramble = [step for n in range(10_000) for step in (Say(f" {words[n % len(words)]}"), Wait(0.001))]
    with played(ramble, wire=wire) as (stage, server):
        last = stage.of(OracleRevision)[-1]
        assert last.complete
        assert 45 <= len(last.text_so_far.split()) <= 60
        assert last.text_so_far.endswith("for.")
        assert server.calls[0].cut_off_at_s is not None
        assert server.calls[0].sent < 5_000
        assert (failures(stage), server.call_count) == ([], 1)


def test_a_ramble_without_a_full_stop_is_ended_too() -> None:
    ramble = [step for n in range(10_000) for step in (Say(f" and{n}"), Wait(0.001))]
    with played(ramble) as (stage, server):
        last = stage.of(OracleRevision)[-1]
        assert last.complete
        assert len(last.text_so_far.split()) < 500
        assert server.calls[0].cut_off_at_s is not None


@pytest.mark.parametrize("wire", FORMATS)
def test_an_empty_answer_is_asked_again_and_told(wire: str) -> None:
    with played([], wire=wire) as (stage, server):
        assert [failed.will_retry for failed in failures(stage)] == [True, False]
        assert "empty answer" in stage.of(ComponentError)[0].what
        assert server.call_count == 2


@pytest.mark.parametrize("wire", FORMATS)
def test_reasoning_is_never_spoken(wire: str) -> None:
    script = [Think("secret"), *say("<thi", "nk>more sec", "rets</th", "ink>"), *ANSWER]
    with played(script, wire=wire) as (stage, _):
        assert " ".join(word.text for word in stage.of(AgentText)) == "It is Paris."
        assert all("secret" not in event.text_so_far for event in stage.of(OracleRevision))


def test_what_cannot_be_said_is_not_spoken() -> None:
    script = say(
        "**It** is ", "\N{PARTY POPPER} [Par", "is](https://", "x.y/z?q=1).\n\n```py", "\nx=1\n```\n| a | b |\n|--|--|"
    )
    with played(script) as (stage, _):
        assert " ".join(word.text for word in stage.of(AgentText)) == "It is Paris. some code. a b"


def test_a_permanent_failure_is_not_asked_about_for_each_word() -> None:
    with played([Refuse("key")], options=SchedulerOptions(min_spacing_ms=100.0)) as (stage, server):
        assert server.call_count == 1
        assert len(stage.of(ComponentError)) == 1


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v1", "http://nowhere.invalid/v1"])
def test_a_service_that_is_not_there(address: str) -> None:
    stage = run(LlmModel("m", "m", api_base=address))
    assert [failed.will_retry for failed in failures(stage)] == [True, False]
    assert [error.category for error in stage.of(ComponentError)] == ["transient"]
    assert "can't be" in stage.of(ComponentError)[0].what
