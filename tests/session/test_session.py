"""One conversation from start to end: its states, its events, its failures, and that nothing of it survives."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

import pytest

from kame_desktop.core.errors import DeviceError, ErrorCategory, LlmError, ModelFileError
from kame_desktop.core.events import (
    AgentSpeechEnded,
    AgentSpeechStarted,
    AgentText,
    ComponentError,
    ContextUsed,
    FrameTiming,
    FreshStart,
    Interrupted,
    ModelChanged,
    OracleApplied,
    OracleCurrent,
    OracleFailed,
    OracleRequested,
    OracleRevision,
    SessionState,
    SessionStateChanged,
    SttFinal,
    SttPartial,
    UserSpeechEnded,
    UserSpeechStarted,
)
from kame_desktop.frontends.base import Capabilities
from kame_desktop.session.session import Session
from tests.fakes.audio import FakeDevice
from tests.fakes.frontend import FakeFrontend
from tests.fakes.llm import Answer
from tests.fakes.stt import FakeStt
from tests.fakes.turns import ScriptedTurns
from tests.session.stage import OTHER_MODEL, NumberedFrontend, Stage

WHOLE_RUN = [
    SessionState.LOADING,
    SessionState.READY,
    SessionState.RUNNING,
    SessionState.STOPPING,
    SessionState.IDLE,
]


def stop(session: Session) -> float:
    """Stop, and say how long it took in seconds."""
    began_s = time.monotonic()
    session.request_stop()
    assert session.wait_stopped(5.0)
    return time.monotonic() - began_s


def test_a_question_is_heard_answered_and_spoken() -> None:
    stage = Stage().run()
    assert stage.states() == WHOLE_RUN
    assert [event.text for event in stage.of(SttFinal)] == ["what is the capital of France?"]
    partials = [event.text for event in stage.of(SttPartial)]
    assert partials, "the unfinished sentence was shown"
    assert len(stage.of(OracleRequested)) > 1, "the unfinished sentence was answered"
    assert stage.of(OracleRequested)[0].at_ms < stage.of(UserSpeechEnded)[0].at_ms
    assert " ".join(word.text for word in stage.of(AgentText)) == "It is Paris."
    assert len(stage.of(AgentSpeechStarted)) == len(stage.of(AgentSpeechEnded)) == 1
    assert stage.of(UserSpeechStarted)[0].at_ms < stage.of(AgentSpeechStarted)[0].at_ms
    assert stage.of(ComponentError) == []
    stage.assert_nothing_left()


def test_every_spoken_word_names_the_revision_that_fed_it() -> None:
    stage = Stage().run()
    fed = {event.generation for event in stage.of(OracleApplied) if event.tokens_fed}
    assert {word.generation for word in stage.of(AgentText)} <= fed
    last = stage.of(OracleApplied)[-1]
    assert (last.tokens_fed, last.tokens_missed, last.ended) == (3, 0, True)


def test_times_are_on_one_axis() -> None:
    stage = Stage().run()
    times = [event.at_ms for event in stage.events if not isinstance(event, AgentSpeechEnded)]
    assert times[0] == 0.0
    ended = stage.of(UserSpeechEnded)[0]
    assert ended.last_speech_ms == pytest.approx(14 * 80.0)
    assert ended.at_ms == pytest.approx(16 * 80.0)
    assert max(event.frame for event in stage.of(FrameTiming)) >= 30


def test_the_front_end_is_told_when_the_answer_has_seen_all_words() -> None:
    stage = Stage().run()
    current = [given.oracle_current for given in stage.frontend.given]
    assert not any(current[:8])
    assert current[-1]
    assert stage.of(OracleCurrent)[-1].generation == stage.of(OracleRequested)[-1].generation


def test_the_first_event_about_the_model_comes_before_the_first_request() -> None:
    stage = Stage().run()
    kinds = [type(event) for event in stage.events]
    assert kinds.index(ModelChanged) < kinds.index(OracleRequested)


def test_the_next_question_knows_what_was_played() -> None:
    stage = Stage(
        frames=60,
        turns=ScriptedTurns(speech=((2, 14), (40, 52))),
        stt=FakeStt(script=("what is the capital of France?", "and of Spain?")),
    ).run()
    assert len(stage.of(SttFinal)) == 2
    contents = [message.content for message in stage.llm.calls[-1].request.messages]
    assert "what is the capital of France?" in contents
    assert "It is Paris." in contents
    assert "and of Spain?" in contents[-1]


@pytest.mark.parametrize("moment", [SttPartial, OracleRequested, OracleRevision, AgentText, FrameTiming])
def test_a_stop_at_any_moment_ends_everything(moment: type) -> None:
    stage = Stage(frames=2_000, script=Answer("a b c d e f g h i j k", hangs=True))
    stage.start_and_wait_for(moment)
    assert stop(stage.session) < 2.0
    assert stop(stage.session) < 0.1, "a second stop has nothing to do"
    assert stage.session.state is SessionState.IDLE
    stage.assert_nothing_left()


def test_a_stop_while_loading_ends_everything() -> None:
    stage = Stage(stt=FakeStt(hang_on_load=True))
    stage.session.start()
    assert stop(stage.session) < 2.0
    stage.wait_for_state(SessionState.IDLE)
    assert SessionState.RUNNING not in stage.states()
    stage.assert_nothing_left()


def test_a_stop_does_not_wait_for_a_load_that_cannot_be_cut_short() -> None:
    blocked = threading.Event()
    stage = Stage(frontend=FakeFrontend(block_load=blocked))
    stage.session.start()
    assert stop(stage.session) < 2.5
    assert stage.session.state is SessionState.IDLE
    blocked.set()


def test_it_listens_only_once_sound_flows() -> None:
    stage = Stage()
    wakes = threading.Event()
    stage.device = device = FakeDevice(wakes=wakes)
    stage.session.start()
    assert device.asleep.wait(5.0)
    assert stage.session.state is SessionState.LOADING
    wakes.set()
    assert stage.session.wait_stopped(5.0)
    stage.wait_for_state(SessionState.IDLE)
    assert stage.states() == WHOLE_RUN


def test_a_stop_while_the_microphone_wakes_up_ends_everything() -> None:
    stage = Stage()
    stage.device = device = FakeDevice(wakes=threading.Event())
    stage.session.start()
    assert device.asleep.wait(5.0)
    assert stop(stage.session) < 2.0
    stage.wait_for_state(SessionState.IDLE)
    assert SessionState.RUNNING not in stage.states()
    assert device.stopped
    stage.assert_nothing_left()


@pytest.mark.parametrize("moment", ["fail_open", "fail_start"])
def test_a_device_that_does_not_open_is_told_before_anybody_speaks(moment: str) -> None:
    stage = Stage()
    stage.device = device = FakeDevice()
    setattr(device, moment, DeviceError("No microphone was found.", "Plug one in.", component="microphone"))
    stage.session.start()
    assert stage.session.wait_stopped(5.0)
    stage.wait_for_state(SessionState.FAILED)
    assert [event.what for event in stage.of(ComponentError)] == ["No microphone was found."]
    assert stage.states() == [SessionState.LOADING, SessionState.FAILED]
    assert device.stopped


def test_loading_never_goes_back() -> None:
    stage = Stage().run()
    progress = [event.progress for event in stage.of(SessionStateChanged) if event.progress is not None]
    assert progress == sorted(progress)
    assert (progress[0], progress[-1]) == (0.0, 1.0)


def test_a_stop_before_the_start_does_nothing_and_a_session_starts_once() -> None:
    stage = Stage()
    stage.session.request_stop()
    assert stage.session.state is SessionState.IDLE
    stage.run()
    stage.session.start()
    assert stage.session.state is SessionState.IDLE


def test_a_second_session_right_after_hears_nothing_of_the_first() -> None:
    first = Stage(frames=2_000, script=Answer("first first first first first first", hangs=True))
    first.start_and_wait_for(AgentText)
    stop(first.session)
    before = len(first.events)
    second = Stage(script="second answer.").run()
    assert " ".join(word.text for word in second.of(AgentText)) == "second answer."
    assert second.of(OracleRequested)[0].generation == 1
    assert len(first.events) == before
    first.assert_nothing_left()


@pytest.mark.parametrize(
    ("stage", "category"),
    [
        (lambda: Stage(frontend=FakeFrontend(load_error=ModelFileError("The voice is damaged."))), "missing"),
        (lambda: Stage(stt=FakeStt(load_error=ModelFileError("The ears are damaged."))), "missing"),
        (lambda: Stage(llm_load_error=LlmError("No key.", category=ErrorCategory.PERMANENT)), "permanent"),
        (lambda: Stage(frontend=FakeFrontend(load_error=MemoryError())), "resource"),
    ],
)
@pytest.mark.logs_errors
def test_a_load_that_fails_fails_the_session_plainly(stage: Callable[[], Stage], category: str) -> None:
    acted = stage().run()
    assert acted.session.state is SessionState.FAILED
    (error,) = acted.of(ComponentError)
    assert error.category == category
    assert SessionState.RUNNING not in acted.states()
    acted.assert_nothing_left()


@pytest.mark.logs_errors
def test_a_defect_of_the_front_end_fails_the_session_without_the_users_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    stage = Stage(frontend=FakeFrontend(fail_at_frame=5)).run()
    assert stage.session.state is SessionState.FAILED
    (error,) = stage.of(ComponentError)
    assert error.category == "internal"
    said = error.what + error.remedy + "".join(record.getMessage() for record in caplog.records)
    assert "secret words" not in said.replace('raise RuntimeError("the user\'s secret words")', "")
    stage.assert_nothing_left()


def test_a_device_that_goes_away_fails_the_session_with_its_remedy() -> None:
    stage = Stage()

    def gone() -> None:
        raise DeviceError("The headset was unplugged.", "Plug it in.", component="microphone")

    stage.device.start = gone  # type: ignore[method-assign]
    stage.run()
    assert [(e.component, e.what, e.remedy) for e in stage.of(ComponentError)] == [
        ("microphone", "The headset was unplugged.", "Plug it in.")
    ]
    assert stage.session.state is SessionState.FAILED


def test_a_model_that_refuses_is_said_once_and_the_front_end_knows() -> None:
    refusal = LlmError("The key was refused.", "Set another key.", category=ErrorCategory.PERMANENT)
    stage = Stage(frames=30, script=Answer(error=refusal))
    stage.start_and_wait_for(ComponentError)
    stop(stage.session)
    assert [error.what for error in stage.of(ComponentError)] == ["The key was refused."]
    assert len(stage.of(OracleRequested)) == 1, "a permanent failure isn't retried"
    assert stage.session.state is SessionState.IDLE, "the conversation went on until it was stopped"


def test_a_passing_failure_is_retried_and_the_answer_comes() -> None:
    answers = iter([Answer(error=LlmError("The service is busy."))] * 2)
    stage = Stage(script=lambda question: next(answers, Answer("It is Paris."))).run()
    failures = [event for event in stage.of(OracleFailed) if not event.superseded]
    assert len(failures) == 2
    assert all(failure.will_retry for failure in failures)
    assert " ".join(word.text for word in stage.of(AgentText)) == "It is Paris."
    assert stage.of(ComponentError) == []


def test_another_model_answers_from_the_next_request_on() -> None:
    def on_frame(frame: int) -> None:
        if frame == 25:
            stage.session.switch_llm(OTHER_MODEL)

    frontend = NumberedFrontend(on_frame=on_frame)
    stage = Stage(frames=60, frontend=frontend, turns=ScriptedTurns(speech=((2, 14), (40, 52))))
    stage.run()
    assert [event.model for event in stage.of(ModelChanged)] == ["first-model", "second-model"]
    assert {event.model for event in stage.of(OracleRequested) if event.utterance == 2} == {"second-model"}
    assert stage.llm.loaded[-1] == OTHER_MODEL
    stage.assert_nothing_left()


def test_the_front_ends_memory_is_shown_and_a_fresh_start_keeps_the_conversation() -> None:
    capabilities = Capabilities("fake", "Fake", oracle_tokens_per_frame=1, context_frames=48)

    def on_frame(frame: int) -> None:
        if frame == 30:
            stage.session.fresh_start()

    frontend = NumberedFrontend(capabilities, on_frame=on_frame)
    stage = Stage(frames=80, frontend=frontend, turns=ScriptedTurns(speech=((2, 14), (60, 72))))
    stage.run()
    assert len(stage.of(FreshStart)) == 1
    used = stage.of(ContextUsed)
    assert {event.limit_ms for event in used} == {3840.0}
    assert all(event.running_out == (event.used_ms >= 3200.0) for event in used)
    fresh_ms = stage.of(FreshStart)[0].at_ms
    assert used[-1].used_ms == pytest.approx(used[-1].at_ms - fresh_ms, abs=81.0), "it counts from the fresh start"
    contents = [message.content for message in stage.llm.calls[-1].request.messages]
    assert "It is Paris." in contents, "the language model still knows what was said"


def test_speaking_over_the_answer_cuts_it_and_clears_the_feed() -> None:
    long_answer = " ".join(f"word{number}" for number in range(40)) + "."
    stage = Stage(frames=60, script=long_answer, turns=ScriptedTurns(speech=((2, 14), (30, 40)))).run()
    assert len(stage.of(Interrupted)) == 1
    first = [event for event in stage.of(AgentSpeechEnded) if event.interrupted]
    assert [event.utterance for event in first] == [1]
    cut = stage.of(Interrupted)[0].at_ms
    missed = [event for event in stage.of(OracleApplied) if event.ended and event.tokens_missed]
    assert missed, "what was not fed is accounted for"
    assert all(word.utterance == 2 for word in stage.of(AgentText) if word.at_ms > cut)
