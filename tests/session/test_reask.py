"""Another model is asked what was asked in a recording, in virtual time."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core import events as ev
from kame_desktop.core.errors import BadInputError, ErrorCategory, LlmError, MissingPackageError
from kame_desktop.core.events import Event, OracleFailed, OracleRequested, OracleRevision
from kame_desktop.core.series import SERIES, series_of
from kame_desktop.session.oracle_options import OracleOptions, SchedulerOptions
from kame_desktop.session.reask import LeapingClock, Reasked, reask
from tests.fakes.llm import Answer, FakeLlm
from tests.recordings.talks import corrected_talk
from tests.session.leaping_loop import run_leaping

E = TypeVar("E", bound=Event)
OTHER = LlmModel("demo/other", "Other")
LAST_WORDS_MS = 11_500.0


def answer(question: str) -> Answer:
    """It answers what it was asked last."""
    return Answer(f"You asked: {question.splitlines()[-1]}", first_ms=300.0, gap_ms=20.0)


async def ask(
    script: Any = answer,
    *,
    events: Sequence[Event] | None = None,
    speculate: bool = True,
    series: int = 1,
    told: list[Event] | None = None,
    **llm: Any,
) -> tuple[Reasked, FakeLlm, float]:
    """Ask; also the client, and how many seconds that took."""
    fake = FakeLlm(LeapingClock(), script, **llm)
    started_s = asyncio.get_running_loop().time()
    result = await reask(
        corrected_talk() if events is None else events,
        fake,
        OTHER,
        series=series,
        scheduler=SchedulerOptions(speculate=speculate),
        tell=(told if told is not None else []).extend,
    )
    assert fake.open_streams == 0
    return result, fake, asyncio.get_running_loop().time() - started_s


def of(result: Reasked, kind: type[E]) -> list[E]:
    return [event for event in result.events if isinstance(event, kind)]


def last_texts(result: Reasked) -> dict[int, str]:
    """The newest answer to each utterance."""
    return {
        event.utterance: event.text_so_far
        for event in result.events
        if isinstance(event, OracleRevision) and event.complete
    }


def test_it_answers_every_question_of_the_recording() -> None:
    told: list[Event] = []
    result, fake, _ = run_leaping(ask(told=told))
    texts = last_texts(result)
    assert texts[1] == "You asked: what is the capital of France"
    assert texts[2] == "You asked: How many days are there in a leap year?"
    assert texts[3] == "You asked: Who wrote Romeo & Juliet -- please?"
    assert told == result.events
    assert {event.model for event in of(result, OracleRequested)} == {"Other"}
    assert {call.request.model for call in fake.calls} == {OTHER}
    assert result.error is None
    assert result.usage is not None
    assert result.usage.calls == len(fake.calls)


def test_it_is_asked_while_the_user_speaks_as_a_session_would() -> None:
    result, _, _ = run_leaping(ask())
    first = [event for event in of(result, OracleRequested) if event.utterance == 1]
    asked = [(event.heard_words, event.because.value) for event in first]
    assert asked[0] == (3, "words_changed")
    assert [words for words, _ in asked] == [3, 6]
    assert first[0].at_ms == pytest.approx(1_000.0, abs=1.0)


def test_finished_sentences_only() -> None:
    result, fake, _ = run_leaping(ask(speculate=False))
    assert [event.because.value for event in of(result, OracleRequested)] == ["final"] * 3
    assert len(fake.calls) == 3


def test_generations_are_of_the_series() -> None:
    result, _, _ = run_leaping(ask(series=2))
    generations = {event.generation for event in of(result, OracleRequested)}
    assert min(generations) == 2 * SERIES + 1
    assert {series_of(generation) for generation in generations} == {2}
    assert series_of(41) == 0


def test_first_words_take_as_long_as_they_take_and_silence_takes_no_time() -> None:
    """Three questions over 11.5 s of recording, but it is over once the answers are."""
    result, _, took_s = run_leaping(ask(speculate=False))
    waits = {event.first_token_ms for event in of(result, OracleRevision)}
    assert all(wait == pytest.approx(300.0, abs=2.0) for wait in waits)
    assert took_s < 3.0


def test_time_leaps_only_when_nothing_is_awaited() -> None:
    """An answer that takes longer than the next words is replaced, as it would have been."""
    slow = Answer("This comes late.", first_ms=900.0, gap_ms=500.0)
    result, _, _ = run_leaping(ask(slow))
    superseded = {event.generation for event in of(result, OracleFailed) if event.superseded}
    assert SERIES + 1 in superseded


def test_of_earlier_turns_it_knows_what_was_said_and_of_this_one_nothing() -> None:
    _, fake, _ = run_leaping(ask(speculate=False))
    histories = [" | ".join(message.content for message in call.request.messages) for call in fake.calls]
    assert "The capital of France is Paris." not in histories[0]
    assert "The capital of France is Paris." in histories[1]
    assert "there are three hundred" not in histories[1]
    assert "there are three hundred" in histories[2]


def test_a_refused_key_ends_it_with_a_message() -> None:
    refused = LlmError("The key was refused.", "Check the key.", category=ErrorCategory.PERMANENT)
    result, fake, _ = run_leaping(ask(Answer(error=refused)))
    assert len(fake.calls) == 1
    assert result.error is not None
    assert result.error.what == "The key was refused."
    assert last_texts(result) == {}


def test_a_model_that_can_not_be_loaded_is_an_error() -> None:
    missing = MissingPackageError("It isn't installed.", "Install it.")
    with pytest.raises(MissingPackageError):
        run_leaping(ask(load_error=missing))


def test_a_recording_without_words_is_an_error() -> None:
    silence = [event for event in corrected_talk() if not isinstance(event, ev.SttPartial | ev.SttFinal)]
    with pytest.raises(BadInputError, match="Nothing was said"):
        run_leaping(ask(events=silence))


def test_a_recording_that_begins_late_keeps_its_times() -> None:
    result, _, took_s = run_leaping(ask(events=[shifted(event, 3_600_000.0) for event in corrected_talk()]))
    assert of(result, OracleRequested)[0].at_ms == pytest.approx(3_601_000.0, abs=1.0)
    assert took_s < 12.0


def shifted(event: Event, by_ms: float) -> Event:
    return dataclasses.replace(event, at_ms=event.at_ms + by_ms)


def test_it_may_be_cancelled() -> None:
    async def main() -> None:
        fake = FakeLlm(LeapingClock(), Answer("Never.", hangs=True))
        task = asyncio.ensure_future(reask(corrected_talk(), fake, OTHER, oracle=OracleOptions()))
        await asyncio.sleep(1.0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert fake.open_streams == 0

    run_leaping(main())
