"""The lite front end, driven frame by frame with a voice of tones."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_SAMPLES
from kame_desktop.core.errors import Cancelled
from kame_desktop.core.events import SpokenKind
from kame_desktop.frontends.base import OracleSlot, SpeechFrontend
from kame_desktop.frontends.lite import LiteFrontend
from kame_desktop.frontends.lite_policy import CASCADE, TANDEM
from kame_desktop.frontends.synth_worker import ThreadedSynthesizer
from tests.fakes.voice import FakeVoice, inline, word_samples
from tests.frontends.lite_scene import Scene

ANSWER = "The sky is blue, because light is scattered. It is red at dusk."
AFTER_OPENER = "the sky is blue, because light is scattered. It is red at dusk."


# --- taking the turn --------------------------------------------------------------------------------------------------


def test_answer_that_is_ready_starts_in_the_frame_of_the_pause() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle(ANSWER, 1)
    output = scene.pause()
    assert output.speech_started
    assert output.onset_ms < 5.0
    assert [(word.text, word.generation, word.kind) for word in output.words] == [("The", 1, SpokenKind.ANSWER)]
    scene.run_until_end()
    scene.finish()
    assert scene.said() == ANSWER
    assert sum(output.speech_started for output in scene.outputs) == 1
    assert sum(output.speech_ended for output in scene.outputs) == 1
    assert not any(output.interrupted for output in scene.outputs)
    assert not scene.run(80)[-1].holding_turn


def test_opener_bridges_the_time_to_the_answer() -> None:
    scene = Scene()
    scene.speak(1_200)
    output = scene.pause()
    assert output.speech_started
    assert output.words[0].kind is SpokenKind.OPENER
    assert output.words[0].generation is None
    scene.run(1_600)
    scene.oracle(ANSWER, 1)
    scene.run_until_end()
    assert scene.said() == f"Let me think, {AFTER_OPENER}"


def test_answer_to_a_part_of_the_question_is_not_begun_with_while_a_better_one_may_come() -> None:
    scene = Scene(oracle_current=False)
    scene.speak(1_200)
    scene.oracle("This guy is an actor.", 1)
    assert scene.pause().words[0].kind is SpokenKind.OPENER
    scene.run(320)
    assert scene.answer() == ""
    scene.oracle_current = True
    scene.oracle("The sky is blue.", 2)
    scene.run_until_end()
    assert scene.said() == "Well, the sky is blue."


def test_answer_to_a_part_is_better_than_none_and_is_corrected_when_the_whole_comes() -> None:
    scene = Scene(oracle_current=False)
    scene.speak(1_200)
    scene.oracle("The capital is Rome, in Italy.", 1)
    scene.pause()
    scene.run_until_word("capital", limit_ms=1_000)
    scene.oracle_current = True
    scene.oracle("The capital is Paris, in France.", 2)
    scene.run_until_end()
    assert scene.answer().startswith("the capital is Rome,")
    assert "Paris, in France." in scene.answer()
    assert scene.said(SpokenKind.CONNECTOR)


def test_opener_is_short_when_an_answer_is_on_its_way() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle("The sky", 1, ends=False)
    scene.pause()
    scene.oracle("is blue.", 1, start=False)
    scene.run_until_end()
    assert scene.said() == "Well, the sky is blue."


def test_answer_follows_the_opener_after_a_short_gap() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle("The sky", 1, ends=False)
    scene.pause()
    scene.oracle("is blue.", 1, start=False)
    scene.run_until_end()
    sound = scene.sound()
    loud = np.flatnonzero(np.abs(sound) > 1e-3)
    gaps = np.diff(loud)
    assert 0.06 < gaps.max() / 24_000 < 0.2


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Paris is the capital.", "Well, Paris is the capital."),
        ("I think so.", "Well, I think so."),
        ("There are 366 days.", "Well, there are 366 days."),
        ("Seven times eight is 56.", "Well, seven times eight is 56."),
    ],
)
def test_after_an_opener_small_words_lose_their_capital_and_names_keep_it(answer: str, said: str) -> None:
    scene = Scene(oracle_current=False)
    scene.speak(1_200)
    scene.oracle(answer, 1)
    scene.pause()
    scene.oracle_current = True
    scene.run_until_end()
    assert scene.said() == said


def test_openers_rotate() -> None:
    scene = Scene()
    said = []
    for turn in range(4):
        before = len(scene.said().split())
        scene.speak(1_200)
        scene.pause()
        scene.run(1_200)
        said.append(" ".join(scene.said().split()[before:]))
        scene.oracle(f"Answer number {turn}.", turn + 1)
        scene.run_until_end()
        scene.finish()
    assert said == ["Let me think,", "Hmm,", "Let's see,", "Let me think,"]


@pytest.mark.parametrize("speech_ms", [160, 320])
def test_cough_is_not_answered(speech_ms: int) -> None:
    scene = Scene()
    scene.speak(speech_ms)
    scene.pause()
    scene.finish()
    scene.run(10_000)
    assert scene.said() == ""
    assert not scene.sound().any()
    assert not scene.outputs[-1].holding_turn


def test_short_utterance_is_answered_once_there_is_an_answer() -> None:
    scene = Scene()
    scene.speak(160)
    scene.pause()
    scene.finish()
    scene.oracle("Hello there.", 1)
    scene.run_until_end()
    assert scene.said() == "Hello there."


def test_utterance_without_words_ends_quietly_after_the_opener() -> None:
    scene = Scene()
    scene.speak(800)
    scene.pause()
    scene.nothing_heard = True
    scene.run_until_end(limit_ms=2_000)
    scene.finish()
    scene.run(10_000)
    assert scene.said() == "Let me think,"
    assert not scene.outputs[-1].holding_turn


def test_filler_then_apology_when_no_answer_comes() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.pause()
    scene.finish()
    output = scene.run_until_end(limit_ms=15_000)
    assert not output.interrupted
    assert scene.said() == ("Let me think, One moment. Sorry, I can't reach my language model right now.")
    scene.run(10_000)
    assert scene.said().count("Sorry") == 1


def test_backend_down_is_said_at_once() -> None:
    scene = Scene()
    scene.backend_down = True
    scene.speak(1_200)
    assert scene.pause().speech_started
    scene.run_until_end()
    assert scene.said() == "Sorry, I can't reach my language model right now."


def test_backend_lost_in_the_middle_says_what_is_known_first() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle("The sky is blue, because", 1, ends=False)
    scene.pause()
    scene.backend_down = True
    scene.run_until_end()
    assert scene.said().startswith("The sky is blue, because Sorry, I can't reach")


def test_late_answer_is_given_after_the_apology() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.pause()
    scene.finish()
    scene.run_until_end()
    scene.oracle("It is blue.", 1)
    scene.run_until_end()
    assert scene.said().endswith("right now. It is blue.")


def test_slow_synthesis_never_blocks_and_only_delays() -> None:
    scene = Scene(synthesizer=inline(delay=6))
    scene.speak(1_200)
    scene.pause()
    scene.oracle(ANSWER, 1)
    scene.run_until_end()
    assert scene.said() == f"Let me think, {AFTER_OPENER}"


# --- correcting -------------------------------------------------------------------------------------------------------


def test_correction_finishes_the_clause_and_goes_on_with_the_change() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle("The capital of Australia is Sydney, which is large.", 1)
    scene.pause()
    scene.run_until_word("Sydney,")
    scene.oracle("The capital of Australia is Canberra, which is small.", 2)
    scene.run_until_end()
    assert scene.said() == ("The capital of Australia is Sydney, or rather, Canberra, which is small.")
    kinds = {word.text: (word.kind, word.generation) for output in scene.outputs for word in output.words}
    assert kinds["rather,"] == (SpokenKind.CONNECTOR, 2)
    assert kinds["Canberra,"] == (SpokenKind.ANSWER, 2)


def test_every_word_that_is_reported_sounds_whole() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle("The capital of Australia is Sydney, which is large.", 1)
    scene.pause()
    scene.run_until_word("Sydney,")
    scene.oracle("The capital of Australia is Canberra, which is small.", 2)
    scene.run_until_end()
    sounding = np.count_nonzero(scene.sound())
    # a tone has zeros at its ends and where it crosses zero exactly
    assert sounding == pytest.approx(sum(map(word_samples, scene.said().split())), rel=0.01)


def test_unchanged_revisions_are_not_heard() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle(ANSWER, 1)
    scene.pause()
    for generation in range(2, 8):
        scene.run(320)
        scene.oracle(ANSWER, generation)
    scene.run_until_end()
    assert scene.said() == ANSWER


def test_revision_while_the_user_speaks_replaces_everything() -> None:
    scene = Scene()
    scene.speak(800)
    scene.oracle("Bananas are yellow.", 1)
    scene.speak(800)
    scene.oracle("Grass is green.", 2)
    scene.pause()
    scene.run_until_end()
    assert scene.said() == "Grass is green."


def test_change_after_the_end_opens_the_turn_again() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle("It is Sydney.", 1)
    scene.pause()
    scene.run_until_end()
    scene.finish()
    scene.run(400)
    scene.oracle("It is Canberra.", 2)
    scene.run_until_end()
    assert scene.said() == "It is Sydney. or rather, Canberra."
    assert sum(output.speech_started for output in scene.outputs) == 2
    scene.oracle("It is Canberra.", 3)
    scene.run(2_000)
    assert scene.said() == "It is Sydney. or rather, Canberra."


def test_words_that_trickle_in_are_spoken_in_order() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.pause()
    words = ANSWER.split()
    for number, word in enumerate(words):
        scene.oracle(word, 1, start=number == 0, ends=number == len(words) - 1)
        scene.run(160)
    scene.run_until_end()
    assert scene.answer() == AFTER_OPENER


def test_end_may_come_after_the_last_word() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle(ANSWER, 1, ends=False)
    scene.pause()
    scene.run(8_000)
    assert not any(output.speech_ended for output in scene.outputs)
    assert scene.frame(OracleSlot((), 1, True)).speech_ended


# --- the user goes on, or interrupts ----------------------------------------------------------------------------------


def test_user_who_goes_on_over_the_opener_gets_the_turn_back() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.pause()
    scene.run(160)
    scene.speak(80)
    output = scene.outputs[-1]
    assert output.speech_ended
    assert not output.interrupted
    assert output.pcm.any()
    scene.speak(800)
    assert not np.concatenate([output.pcm for output in scene.outputs[-10:]]).any()
    scene.oracle(ANSWER, 1)
    scene.pause()
    scene.run_until_end()
    assert scene.answer() == ANSWER


def test_user_who_goes_on_over_the_first_words_hears_them_again_later() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle(ANSWER, 1)
    scene.pause()
    scene.run(160)
    scene.speak(80)
    assert scene.outputs[-1].interrupted
    assert scene.outputs[-1].speech_ended
    scene.speak(400)
    heard = scene.answer()
    assert ANSWER.startswith(heard)
    scene.pause()
    scene.run_until_end()
    assert scene.answer() == f"{heard} {ANSWER}"


def test_touch_of_sound_does_not_interrupt_nor_lose_the_rest() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle("The sky is blue, because", 1, ends=False)
    scene.pause()
    scene.finish()
    scene.run(320)
    scene.speak(160)
    scene.oracle("light is scattered.", 1, start=False)
    scene.pause()
    scene.finish()
    scene.run_until_end()
    assert scene.said() == "The sky is blue, because light is scattered."
    assert not any(output.interrupted for output in scene.outputs)


def test_slots_say_which_utterance_they_answer() -> None:
    scene = Scene()
    scene.speak(1_200)
    scene.oracle("The sky is grey, I think.", 1)
    scene.pause()
    scene.finish()
    scene.speak(160)  # a touch of sound: utterance 2
    tokenizer = scene.frontend.tokenizer
    ids = (tokenizer.start_id, *tokenizer.encode("The sky is blue, I think."))
    scene.frame(OracleSlot(ids, 2, True, utterance=1))
    scene.pause()
    scene.finish()
    scene.run_until_end()
    scene.run(3_000)
    assert scene.said() == "The sky is grey, or rather, blue, I think."


# --- cascade ----------------------------------------------------------------------------------------------------------


def test_cascade_waits_for_the_first_sentence_without_an_opener() -> None:
    scene = Scene(policy=CASCADE)
    assert not scene.frontend.capabilities.speculates
    scene.speak(1_200)
    scene.pause()
    scene.finish()
    scene.oracle("The sky is blue, because light", 1, ends=False)
    assert scene.run(1_600)[-1].holding_turn
    assert scene.said() == ""
    scene.oracle("is scattered. It is", 1, start=False, ends=False)
    scene.oracle("red at dusk.", 1, start=False)
    scene.run_until_end()
    assert scene.said() == ANSWER


# --- life -------------------------------------------------------------------------------------------------------------


def test_reset_leaves_nothing_of_an_earlier_session() -> None:
    scene = Scene(synthesizer=inline(delay=3))
    scene.speak(1_200)
    scene.oracle(ANSWER, 1)
    old_ids = tuple(scene.frontend.tokenizer.encode("old words"))
    scene.pause()
    scene.run(240)
    scene.frontend.reset()
    said = scene.said()
    assert not any(output.pcm.any() or output.words for output in scene.run(4_000))
    scene.utterance, scene.ended = 0, True
    scene.speak(1_200)
    scene.frame(OracleSlot((scene.frontend.tokenizer.start_id, *old_ids), 1, True))
    scene.pause()
    scene.run(4_000)
    assert scene.said() == said


def test_speaks_with_a_worker_thread_and_ends_it() -> None:
    before = set(threading.enumerate())
    scene = Scene(synthesizer=ThreadedSynthesizer)
    scene.speak(1_200)
    scene.oracle(ANSWER, 1)
    scene.run(80)
    scene.pause()
    scene.run_until_end()
    assert scene.said() == ANSWER
    assert scene.activity.in_flight == 0
    scene.close()
    scene.close()
    assert set(threading.enumerate()) == before
    assert isinstance(scene.voice, FakeVoice)
    assert scene.voice.closed


def test_clause_that_the_voice_fails_on_is_left_out() -> None:
    scene = Scene(voice=FakeVoice(fail_on="light"), synthesizer=ThreadedSynthesizer)
    scene.speak(1_200)
    scene.oracle(ANSWER, 1)
    scene.run(80)
    scene.pause()
    scene.run_until_end()
    scene.close()
    assert scene.said() == "The sky is blue, It is red at dusk."


def test_cancelled_load_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    voice = FakeVoice()

    def stop(share: float, text: str) -> None:
        if share > 0.8:
            raise Cancelled("The load was stopped.")

    frontend: SpeechFrontend = LiteFrontend(TANDEM, lambda: voice, Activity())
    with pytest.raises(Cancelled):
        frontend.load(stop)
    assert voice.closed
    assert set(threading.enumerate()) == before
    frontend.close()


def test_silence_is_exact_and_frames_are_whole() -> None:
    scene = Scene()
    scene.run(400)
    assert not scene.sound().any()
    scene.speak(1_200)
    scene.oracle(ANSWER, 1)
    scene.pause()
    scene.run_until_end()
    scene.run(400)
    assert not scene.outputs[-1].pcm.any()
    for output in scene.outputs:
        assert output.pcm.shape == (FRAME_SAMPLES,)
        assert output.pcm.dtype == np.float32
