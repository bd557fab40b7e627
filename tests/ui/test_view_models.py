"""The rules of the window, without a window."""

from __future__ import annotations

import pytest

from kame_desktop.core import events as ev
from kame_desktop.core.events import SessionState, SpokenKind
from kame_desktop.ui import view_models
from kame_desktop.ui.rows import CardStatus, Phase
from kame_desktop.ui.view_models import ConversationModel
from tests.ui.happenings import (
    answered,
    asked,
    ended,
    failed,
    final,
    heard,
    running,
    said,
    silent,
    speaks,
    started,
    state,
    tick,
    trouble,
)


@pytest.fixture
def model() -> ConversationModel:
    made = ConversationModel()
    made.apply(running())
    return made


def statuses(model: ConversationModel, utterance: int = 1) -> list[CardStatus]:
    return [card.status for card in model.turns[utterance].cards]


class TestUserColumn:
    def test_partial_splits_into_stable_and_unstable(self, model: ConversationModel):
        model.apply([heard(1, "how many days are", 2)])
        assert model.turns[1].user.split() == ("how many", "days are")

    def test_final_is_all_stable_and_stays(self, model: ConversationModel):
        model.apply([final(1, "How many days?"), heard(1, "how many daze", 0)])
        assert model.turns[1].user.split() == ("How many days?", "")

    def test_more_stable_words_than_words(self, model: ConversationModel):
        model.apply([heard(1, "how", 5)])
        assert model.turns[1].user.split() == ("how", "")

    def test_speech_without_words_leaves_no_row(self, model: ConversationModel):
        model.apply([started(1), heard(1, "thank you", 0), ended(1)])
        changes = model.apply([final(1, "")])
        assert (model.turns, changes.removed, changes.turns) == ({}, {1}, set())
        assert model.phase is Phase.READY

    def test_empty_final_keeps_a_turn_that_was_answered(self, model: ConversationModel):
        model.apply([heard(1, "hm", 0), asked(1), final(1, "")])
        assert 1 in model.turns


class TestOracleColumn:
    def test_numbers_count_within_the_turn(self, model: ConversationModel):
        model.apply([asked(7, 1), asked(8, 1), asked(9, 2)])
        assert [card.number for turn in model.turns.values() for card in turn.cards] == [1, 2, 1]

    def test_card_knows_the_words_it_was_based_on(self, model: ConversationModel):
        model.apply([heard(1, "how many days are there"), asked(1, 1, words=3)])
        assert model.turns[1].cards[0].based_on == "how many days"

    def test_old_answer_goes_on_until_the_first_token_of_the_new_one(self, model: ConversationModel):
        model.apply([asked(1), answered(1, "Could")])
        model.apply([asked(2)])
        assert statuses(model) == [CardStatus.STREAMING, CardStatus.ASKED]
        model.apply([answered(2, "")])
        assert statuses(model)[0] is CardStatus.STREAMING
        model.apply([answered(2, "There")])
        assert statuses(model) == [CardStatus.SUPERSEDED, CardStatus.STREAMING]

    def test_late_tokens_of_an_older_answer_do_not_revive_it(self, model: ConversationModel):
        model.apply([asked(1), asked(2), answered(2, "New"), answered(1, "Old", done=True)])
        assert statuses(model) == [CardStatus.SUPERSEDED, CardStatus.STREAMING]

    def test_answer_of_an_earlier_turn_stays_complete(self, model: ConversationModel):
        model.apply([asked(1, 1), answered(1, "Paris.", 1, done=True)])
        model.apply([asked(2, 2), answered(2, "Blue.", 2)])
        assert statuses(model, 1) == [CardStatus.COMPLETE]

    def test_unfinished_answer_of_an_earlier_turn_is_superseded(self, model: ConversationModel):
        model.apply([asked(1, 1), answered(1, "Par", 1), asked(2, 2), answered(2, "Blue.", 2)])
        assert statuses(model, 1) == [CardStatus.SUPERSEDED]

    def test_superseded_request_is_no_error(self, model: ConversationModel):
        model.apply([asked(1), failed(1, superseded=True)])
        assert statuses(model) == [CardStatus.SUPERSEDED]
        assert model.errors.shown == []

    def test_failure_says_what_and_what_to_do_once(self, model: ConversationModel):
        model.apply([asked(1), failed(1), trouble("llm", "The service refused.", "permanent")])
        assert model.turns[1].cards[0].failure == "The service refused. Check the key."
        assert [(error.component, error.count) for error in model.errors.shown] == [("llm", 1)]

    def test_retry_is_shown_on_the_card_only(self, model: ConversationModel):
        model.apply([asked(1), failed(1, retry=True)])
        assert model.turns[1].cards[0].will_retry
        assert model.errors.shown == []

    def test_tokens(self, model: ConversationModel):
        applied = ev.OracleApplied(at_ms=0, generation=1, frame=3, tokens_fed=4, tokens_missed=2)
        unknown = ev.OracleApplied(at_ms=0, generation=9, frame=3, tokens_fed=4, tokens_missed=2)
        changes = model.apply([asked(1), applied, unknown])
        card = model.turns[1].cards[0]
        assert (card.tokens_fed, card.tokens_missed) == (4, 2)
        assert changes.oracle == {1}

    def test_label_instead_of_name_once_it_is_known(self, model: ConversationModel):
        model.apply([ev.ModelChanged(at_ms=0, model="m", label="My model"), asked(1)])
        assert model.turns[1].cards[0].model == "My model"


class TestAssistantColumn:
    def test_correction_is_marked_where_the_answer_changes(self, model: ConversationModel):
        model.apply([asked(4), asked(5), *said("Well,", None, SpokenKind.OPENER), *said("there are", 4)])
        model.apply([*said("or rather,", 5, SpokenKind.CONNECTOR), *said("three", 5)])
        words = model.turns[1].answer.words
        assert [word.text for word in words if word.correction] == ["or"]
        assert [word.number for word in words] == [None, 1, 1, 2, 2, 2]
        assert model.turns[1].answer.corrected

    def test_opener_then_first_answer_is_no_correction(self, model: ConversationModel):
        model.apply([*said("Well,", None, SpokenKind.OPENER), *said("yes", 1)])
        assert not model.turns[1].answer.corrected

    def test_unknown_generation_keeps_its_own_number(self, model: ConversationModel):
        model.apply(said("yes", 12))
        assert model.turns[1].answer.words[0].number == 12

    def test_interruption(self, model: ConversationModel):
        model.apply([speaks(1), *said("The capital", 1)])
        model.apply([ev.Interrupted(at_ms=0, utterance=2)])
        assert model.turns[1].answer.interrupted
        assert 2 not in model.turns

    def test_interrupted_end(self, model: ConversationModel):
        model.apply([speaks(1), *said("The", 1), silent(1, interrupted=True)])
        answer = model.turns[1].answer
        assert (answer.interrupted, answer.speaking) == (True, False)


class TestPhase:
    def test_follows_the_conversation(self, model: ConversationModel):
        seen = [model.phase]
        for event in (started(1), ended(1), speaks(1), silent(1)):
            model.apply([event])
            seen.append(model.phase)
        assert seen == [Phase.READY, Phase.LISTENING, Phase.THINKING, Phase.SPEAKING, Phase.READY]

    @pytest.mark.parametrize(
        ("session", "phase"),
        [
            (SessionState.LOADING, Phase.LOADING),
            (SessionState.READY, Phase.READY),
            (SessionState.STOPPING, Phase.STOPPING),
            (SessionState.IDLE, Phase.IDLE),
            (SessionState.FAILED, Phase.FAILED),
        ],
    )
    def test_follows_the_session(self, model: ConversationModel, session: SessionState, phase: Phase):
        model.apply([state(session)])
        assert model.phase is phase

    def test_oracle_late_only_after_its_time_and_until_it_answers(self, model: ConversationModel):
        model.apply([heard(1, "why"), asked(1, at=100), ended(1, at=1_000)])
        model.apply([tick(1_000 + view_models.ORACLE_LATE_MS)])
        assert model.phase is Phase.THINKING
        model.apply([tick(1_001 + view_models.ORACLE_LATE_MS)])
        assert model.phase is Phase.ORACLE_LATE
        model.apply([answered(1, "Because")])
        assert model.phase is Phase.THINKING

    def test_oracle_late_while_an_opener_is_spoken(self, model: ConversationModel):
        model.apply([heard(1, "why"), asked(1), ended(1), speaks(1), *said("Well,", None, SpokenKind.OPENER)])
        model.apply([tick(5_000)])
        assert model.phase is Phase.ORACLE_LATE
        model.apply(said("because", 1))
        assert model.phase is Phase.SPEAKING

    def test_permanent_failure_ends_the_thinking(self, model: ConversationModel):
        model.apply([asked(1), ended(1), failed(1)])
        assert model.phase is Phase.OFFLINE
        model.apply([ev.ModelChanged(at_ms=1.0, model="other", label="Other")])
        assert model.phase is Phase.READY

    def test_failure_stays_in_sight_until_the_next_start(self, model: ConversationModel):
        model.apply([state(SessionState.FAILED, detail="No model.", category="missing")])
        model.apply([state(SessionState.STOPPING), state(SessionState.IDLE)])
        assert model.phase is Phase.FAILED
        assert [error.what for error in model.errors.shown] == ["No model."]
        model.reset()
        assert (model.phase, model.errors.shown) == (Phase.IDLE, [])

    def test_end_of_session_leaves_nothing_in_progress(self, model: ConversationModel):
        model.apply([started(2), asked(1), answered(1, "Par"), speaks(1), *said("Par", 1), tick(9, -20, -20)])
        changes = model.apply([state(SessionState.IDLE)])
        assert statuses(model) == [CardStatus.SUPERSEDED]
        assert not model.turns[1].answer.speaking
        assert (changes.oracle, changes.answer) == ({1}, {1})
        assert (model.health.input_dbfs, model.health.output_dbfs) == (-120.0, -120.0)


class TestHealth:
    def test_lag_and_response_time(self, model: ConversationModel):
        model.apply([heard(1, "why", lag=180.0), ended(1, at=1_100, last_speech=1_000), speaks(1, at=1_240)])
        assert (model.health.hearing_lag_ms, model.health.response_ms) == (180.0, 240.0)

    def test_frames_late_for_a_while(self, model: ConversationModel):
        model.apply([ev.FrameLate(at_ms=1_000, frame=12, behind_ms=240)])
        assert model.frames_late
        model.apply([tick(1_000 + view_models.FRAME_LATE_SHOWN_MS)])
        assert not model.frames_late

    def test_levels_usage_devices(self, model: ConversationModel):
        usage = ev.UsageUpdated(at_ms=0, calls=2, prompt_tokens=9, completion_tokens=3, cost_usd=None)
        devices = ev.DeviceChanged(at_ms=0, input_name="in", output_name="out")
        model.apply([tick(5, -20, -30), usage, devices])
        health = model.health
        assert (health.input_dbfs, health.output_dbfs, health.frame_p95_ms) == (-20, -30, 6.4)
        assert (model.usage, health.input_name, health.output_name) == (usage, "in", "out")


class TestErrors:
    def test_one_entry_a_component_counted(self, model: ConversationModel):
        model.apply([trouble(), trouble(), trouble("llm", "Slow.")])
        assert [(error.component, error.count) for error in model.errors.shown] == [("microphone", 2), ("llm", 1)]

    def test_dismissed_stays_away_until_something_else_is_wrong(self, model: ConversationModel):
        model.apply([trouble()])
        model.errors.dismiss("microphone")
        model.apply([trouble()])
        assert model.errors.shown == []
        model.apply([trouble(what="Another thing.")])
        assert [error.what for error in model.errors.shown] == ["Another thing."]

    def test_passing_trouble_ends_with_the_next_answer(self, model: ConversationModel):
        model.apply([trouble("llm", "Busy.", "transient"), trouble()])
        model.apply([asked(1), answered(1, "Yes")])
        assert [error.component for error in model.errors.shown] == ["microphone"]

    def test_lasting_trouble_ends_with_another_model(self, model: ConversationModel):
        model.apply([trouble("llm", "Bad key.", "permanent"), asked(1), answered(1, "Yes")])
        assert len(model.errors.shown) == 1
        model.apply([ev.ModelChanged(at_ms=0, model="n", label="N")])
        assert model.errors.shown == []

    def test_the_cause_replaces_the_bare_failure(self, model: ConversationModel):
        model.apply([state(SessionState.FAILED, detail="It failed."), trouble()])
        assert [error.component for error in model.errors.shown] == ["microphone"]


class TestBounds:
    def test_old_turns_go(self, model: ConversationModel):
        for utterance in range(view_models.MAX_TURNS + 2):
            model.apply([heard(utterance, "words"), asked(utterance, utterance)])
        changes = model.apply([heard(view_models.MAX_TURNS + 2, "words")])
        assert len(model.turns) == view_models.MAX_TURNS
        assert (model.dropped_turns, changes.removed) == (3, {2})
        assert 2 not in model.turns

    def test_old_cards_go_and_numbers_go_on(self, model: ConversationModel):
        count = view_models.MAX_CARDS_PER_TURN + 2
        model.apply([asked(generation) for generation in range(1, count + 1)])
        turn = model.turns[1]
        assert (len(turn.cards), turn.dropped_cards) == (view_models.MAX_CARDS_PER_TURN, 2)
        assert [turn.cards[0].number, turn.cards[-1].number] == [3, count]

    def test_words_are_bounded(self, model: ConversationModel):
        for _ in range(4):
            model.apply(said("word " * 1_000, 1))
        assert len(model.turns[1].answer.words) == view_models.MAX_WORDS_PER_ANSWER


def test_changes_name_only_what_changed(model: ConversationModel):
    model.apply([heard(1, "one"), heard(2, "two")])
    changes = model.apply([heard(2, "two three"), asked(1, 1)])
    assert (changes.user, changes.oracle, changes.answer) == ({2}, {1}, set())


def test_unknown_events_are_ignored(model: ConversationModel):
    assert model.apply([ev.Event(at_ms=1.0)]).turns == set()


def test_text_for_the_clipboard(model: ConversationModel):
    model.apply([final(1, "Why?"), *said("Because it is.", 1), final(2, "And?")])
    assert model.as_text() == "You: Why?\nAssistant: Because it is.\nYou: And?"


def test_the_front_ends_memory_and_notices_are_shown() -> None:
    model = ConversationModel()
    model.apply([ev.ContextUsed(at_ms=0.0, used_ms=205_000.0, limit_ms=240_000.0, running_out=True)])
    assert (model.health.memory_used_ms, model.health.memory_limit_ms) == (205_000.0, 240_000.0)
    assert model.health.memory_running_out
    model.apply([ev.FreshStart(at_ms=1.0), ev.Notice(at_ms=1.0, component="front end", text="It can't be steered.")])
    assert not model.health.memory_running_out
    assert [(shown.category, shown.what) for shown in model.errors.shown] == [("notice", "It can't be steered.")]
