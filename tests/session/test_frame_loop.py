"""The frame loop: what the user has set for the sound, what happens to the hardware, what is told of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kame_desktop.audio.base import AudioControls, DeviceEvent, DeviceInfo
from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, MODEL_RATE_HZ, Pcm
from kame_desktop.core.events import (
    AgentSpeechEnded,
    AgentSpeechStarted,
    AgentText,
    AudioPeaks,
    DeviceChanged,
    DeviceLost,
    FrameTiming,
    Interrupted,
    MicrophoneClosed,
    MicrophoneState,
    Notice,
    SttFinal,
    SttPartial,
    UserSpeechEnded,
    UserSpeechStarted,
)
from kame_desktop.frontends.base import FrontendInput, FrontendOutput
from tests.fakes.audio import quiet, tone
from tests.session.frame_scene import VOICE, FrameScene, Talker

OPEN = AudioControls()
MUTED = AudioControls(muted=True)
HELD = AudioControls(push_to_talk=True, talk_held=True)
RELEASED = AudioControls(push_to_talk=True)


def frames(pcm: Pcm, first: int, end: int) -> Pcm:
    return pcm[first * FRAME_SAMPLES : end * FRAME_SAMPLES]


def speech(*stretches: tuple[int, int], length: int) -> Pcm:
    """A microphone that hears tone in these frames."""
    pcm = quiet(length * FRAME_MS)
    for first, end in stretches:
        frames(pcm, first, end)[:] = tone((end - first) * FRAME_MS)
    return pcm


def states(scene: FrameScene) -> list[tuple[int, MicrophoneClosed | None]]:
    """Frame number and why the microphone is closed, whenever that changed."""
    return [(round(event.at_ms / FRAME_MS) - 1, event.closed) for event in scene.of(MicrophoneState)]


def test_muted_nothing_is_heard_and_a_turn_in_progress_ends() -> None:
    scene = FrameScene(speech((2, 40), length=40), controls={0: OPEN, 12: MUTED, 30: OPEN}).run()
    assert states(scene) == [(0, None), (12, MicrophoneClosed.MUTED), (30, None)]
    assert not frames(scene.heard, 13, 30).any()
    np.testing.assert_array_equal(np.concatenate([frame.pcm for frame in scene.fed]), scene.heard)
    (ended,) = scene.of(UserSpeechEnded)
    assert ended.utterance == 1
    assert ended.at_ms < 18 * FRAME_MS
    assert any(frame.user.finished for frame in scene.fed[:22])
    assert [event.utterance for event in scene.of(UserSpeechStarted)] == [1, 2]


def test_muted_from_the_first_frame_on() -> None:
    scene = FrameScene(speech((0, 10), length=10), controls={0: MUTED}).run()
    assert not scene.heard.any()
    assert states(scene) == [(0, MicrophoneClosed.MUTED)]


@pytest.mark.parametrize(("closed", "opened"), [(MUTED, OPEN), (RELEASED, HELD)])
def test_opening_and_closing_makes_no_click(closed: AudioControls, opened: AudioControls) -> None:
    pcm = tone(40 * FRAME_MS, amplitude=0.5)
    scene = FrameScene(pcm, controls={0: opened, 10: closed, 20: opened, 30: closed}).run()
    steepest = float(np.max(np.abs(np.diff(pcm))))
    assert float(np.max(np.abs(np.diff(scene.heard)))) < 1.2 * steepest


def test_push_to_talk_listens_only_while_the_key_is_held() -> None:
    scene = FrameScene(speech((0, 40), length=40), controls={0: RELEASED, 10: HELD, 20: RELEASED}).run()
    assert not frames(scene.heard, 0, 10).any()
    assert not frames(scene.heard, 22, 40).any()
    np.testing.assert_array_equal(frames(scene.heard, 11, 21), frames(speech((0, 40), length=40), 11, 21))
    assert [event.utterance for event in scene.of(UserSpeechStarted)] == [1]


def test_releasing_the_key_ends_the_utterance_at_once() -> None:
    scene = FrameScene(speech((10, 22), length=40), controls={0: RELEASED, 10: HELD, 20: RELEASED}).run()
    (ended,) = [number for number, frame in enumerate(scene.fed) if frame.user.finished]
    assert ended <= 21
    assert scene.fed[ended].user.paused
    assert not scene.fed[ended].user.speaking
    assert len(scene.of(UserSpeechEnded)) == 1


def test_a_pause_does_not_end_what_is_said_with_the_key_held() -> None:
    scene = FrameScene(speech((10, 18), (30, 40), length=60), controls={0: RELEASED, 8: HELD, 42: RELEASED}).run()
    assert [frame.user.utterance for frame in scene.fed if frame.user.finished] == [1]
    assert len(scene.of(UserSpeechStarted)) == 1
    last = next(frame.user for frame in scene.fed if frame.user.finished)
    assert last.speech_ms == pytest.approx(18 * FRAME_MS, abs=200.0), "pauses aren't speech"


def test_each_press_is_an_utterance_and_free_talk_counts_on() -> None:
    scene = FrameScene(
        speech((3, 9), (15, 21), (40, 50), length=70),
        controls={0: RELEASED, 2: HELD, 10: RELEASED, 14: HELD, 22: RELEASED, 30: OPEN},
    ).run()
    assert [event.utterance for event in scene.of(UserSpeechStarted)] == [1, 2, 3]
    assert [event.utterance for event in scene.of(UserSpeechEnded)] == [1, 2, 3]
    assert [frame.user.utterance for frame in scene.fed if frame.user.finished] == [1, 2, 3]


def test_changing_to_push_to_talk_ends_what_is_being_said() -> None:
    scene = FrameScene(speech((2, 40), length=40), controls={0: OPEN, 10: RELEASED}).run()
    assert [frame.user.utterance for frame in scene.fed if frame.user.finished] == [1]
    assert len(scene.of(UserSpeechEnded)) == 1


def test_the_key_without_a_word_asks_nothing() -> None:
    scene = FrameScene(quiet(30 * FRAME_MS), controls={0: RELEASED, 5: HELD, 15: RELEASED}).run()
    assert scene.of(UserSpeechStarted) == scene.of(UserSpeechEnded) == []
    assert states(scene) == [
        (0, MicrophoneClosed.KEY_NOT_HELD),
        (5, None),
        (16, MicrophoneClosed.KEY_NOT_HELD),
    ]


def test_pressing_the_key_interrupts_the_assistant_in_that_frame() -> None:
    scene = FrameScene(quiet(30 * FRAME_MS), Talker([(5, 25)]), controls={0: RELEASED, 12: HELD}).run()
    (interrupted,) = scene.of(Interrupted)
    assert interrupted.at_ms == 13 * FRAME_MS
    assert [event.interrupted for event in scene.of(AgentSpeechEnded)] == [True]
    assert not frames(scene.written, 13, 30).any()


def test_mute_while_speaking_hears_nothing_of_the_echo_nor_of_the_user() -> None:
    deaf = AudioControls(mute_while_speaking=True)
    scene = FrameScene(speech((6, 40), length=60), Talker([(5, 25)]), controls={0: deaf}).run()
    assert len(scene.of(AgentSpeechStarted)) == 1
    assert not frames(scene.heard, 7, 28).any()
    closed = [reason for _, reason in states(scene)]
    assert closed == [None, MicrophoneClosed.ASSISTANT_SPEAKS, None]
    assert frames(scene.heard, 35, 40).any()


def test_the_volume_is_what_is_played_and_what_the_canceller_knows_of() -> None:
    scene = FrameScene(
        quiet(40 * FRAME_MS),
        Talker([(2, 40)]),
        controls={0: AudioControls(volume=0.5), 20: AudioControls(volume=0.1)},
    ).run()
    assert float(np.max(frames(scene.written, 3, 19))) == pytest.approx(0.5 * VOICE)
    assert float(np.max(frames(scene.written, 22, 40))) == pytest.approx(0.1 * VOICE)
    assert float(np.max(np.abs(np.diff(frames(scene.written, 3, 39))))) < 0.001, "no click"
    np.testing.assert_array_equal(np.concatenate(scene.echo.references[1:]), frames(scene.written, 0, 39))


def test_muted_loudspeaker() -> None:
    scene = FrameScene(quiet(10 * FRAME_MS), Talker([(2, 10)]), controls={0: AudioControls(volume=0.0)}).run()
    assert not scene.written.any()


def test_the_canceller_is_told_the_newest_controls_of_every_frame() -> None:
    given = AudioControls(headphones=True, noise_suppression=True)
    scene = FrameScene(quiet(10 * FRAME_MS), controls={0: OPEN, 4: given}).run()
    assert scene.echo.used == [OPEN] * 4 + [given] * 6


def ducked(scene: FrameScene) -> list[int]:
    """Frames that were played at least 10 dB softer than the voice."""
    levels = [float(np.max(np.abs(frame[FRAME_SAMPLES // 2 :]))) for frame in scene.device.written]
    return [number for number, level in enumerate(levels) if 0.0 < level < VOICE * 0.32]


def test_a_user_over_the_voice_makes_it_softer_and_then_it_comes_back() -> None:
    scene = FrameScene(speech((20, 24), length=60), Talker([(2, 58)])).run()
    soft = ducked(scene)
    assert soft[0] in (20, 21)
    assert 24 + 600 / FRAME_MS <= soft[-1] <= 24 + 1_200 / FRAME_MS
    assert float(np.max(frames(scene.written, 45, 57))) == pytest.approx(VOICE)
    assert float(np.max(np.abs(np.diff(frames(scene.written, 3, 57))))) < 0.001, "no click"


@pytest.mark.parametrize("controls", [AudioControls(headphones=True), AudioControls(mute_while_speaking=True)])
def test_where_there_is_no_echo_or_nobody_is_heard_the_voice_stays(controls: AudioControls) -> None:
    scene = FrameScene(speech((20, 24), length=60), Talker([(2, 58)]), controls={0: controls}).run()
    assert ducked(scene) == []


LOST = DeviceEvent("microphone", "USB headset", "The microphone 'USB headset' went away.", "Plug it in.", lost=True)
BACK = DeviceEvent(
    "microphone", "Built-in", "'Built-in' is used instead.", info=DeviceInfo("Built-in", "Speakers", realtime=True)
)
WORTH_KNOWING = DeviceEvent("microphone", "USB headset", "The microphone sends only silence.", "Is it muted?")


class Breaker(Talker):
    """Breaks off in frame 10."""

    def step(self, given: FrontendInput) -> FrontendOutput:
        return replace(super().step(given), hushed=given.frame == 10)


def test_a_voice_that_breaks_off_is_not_heard_to_the_end_of_what_is_queued() -> None:
    def hold_up(frame: int) -> None:
        if frame == 5:
            scene.device.write_frame(quiet(FRAME_MS))

    scene = FrameScene(quiet(14 * FRAME_MS), Breaker([(2, 14)]), before=hold_up)
    scene.run()
    assert scene.device.hushed == [12], "with the frame of that step"
    assert [given.unplayed_ms for given in scene.frontend.given] == [0.0] * 5 + [FRAME_MS] * 9


def test_what_happens_to_the_hardware_is_told_and_the_room_forgotten() -> None:
    scene = FrameScene(quiet(30 * FRAME_MS), happens={5: [LOST], 12: [BACK], 20: [WORTH_KNOWING]}).run()
    (lost,) = scene.of(DeviceLost)
    assert (lost.component, lost.name, lost.what, lost.remedy) == (
        "microphone",
        "USB headset",
        "The microphone 'USB headset' went away.",
        "Plug it in.",
    )
    first, changed = scene.of(DeviceChanged)
    assert (first.input_name, first.because) == ("fake microphone", "")
    assert (changed.input_name, changed.output_name, changed.because) == (
        "Built-in",
        "Speakers",
        "'Built-in' is used instead.",
    )
    assert [event.text for event in scene.of(Notice)] == ["The microphone sends only silence. Is it muted?"]
    assert states(scene) == [(0, None), (5, MicrophoneClosed.NO_DEVICE), (12, None)]
    assert scene.echo.resets == 1


def test_the_front_end_is_told_the_words_of_this_utterance_only() -> None:
    def say(frame: int) -> None:
        if frame == 8:
            scene.bus.publish(
                SttPartial(
                    at_ms=0, utterance=1, rev=1, text="what is", stable_words=1, audio_ms=400, heard_until_ms=500.0
                )
            )
        if frame == 20:
            scene.bus.publish(SttFinal(at_ms=0, utterance=1, text="what is it?", audio_ms=900, heard_until_ms=960.0))

    scene = FrameScene(speech((2, 12), (30, 36), length=50), before=say)
    scene.run()
    given = scene.frontend.given
    assert (given[7].heard_text, given[7].heard_final, given[7].heard_until_ms) == ("", False, 0.0)
    assert (given[8].heard_text, given[8].heard_final, given[8].heard_until_ms) == ("what is", False, 500.0)
    assert (given[20].heard_text, given[20].heard_final, given[20].heard_until_ms) == ("what is it?", True, 960.0)
    assert given[36].user.utterance == 2
    assert (given[36].heard_text, given[36].heard_final) == ("", False)
    assert [each.now_ms for each in given] == [(number + 1) * FRAME_MS for number in range(50)]


def test_an_open_ending_keeps_the_utterance_open_for_longer() -> None:
    def finished_after(text: str) -> int:
        def say(frame: int) -> None:
            if frame == 10:
                scene.bus.publish(
                    SttPartial(
                        at_ms=0, utterance=1, rev=1, text=text, stable_words=1, audio_ms=400, heard_until_ms=800.0
                    )
                )

        scene = FrameScene(speech((2, 12), length=50), before=say)
        scene.run()
        return next(number for number, frame in enumerate(scene.fed) if frame.user.finished)

    assert finished_after("What is the capital of the") > finished_after("What is the capital of France?") + 5


def test_peaks_and_levels_are_told_of_what_was_captured_and_really_played() -> None:
    scene = FrameScene(speech((4, 5), length=12), Talker([(6, 10)]), controls={0: AudioControls(volume=0.5)}).run()
    timings = {event.frame: event for event in scene.of(FrameTiming)}
    assert timings[5].input_peak_dbfs == pytest.approx(20 * np.log10(0.3), abs=0.1)
    assert timings[3].input_peak_dbfs == -120.0
    assert timings[9].output_peak_dbfs == pytest.approx(20 * np.log10(0.5 * VOICE), abs=0.1)
    peaks = scene.of(AudioPeaks)
    assert [event.frame for event in peaks] == list(range(12))
    assert peaks[4].heard == pytest.approx((0.3,) * 4, abs=0.01)
    assert peaks[8].spoken == pytest.approx((0.5 * VOICE,) * 4, abs=0.01)
    assert peaks[2].heard == peaks[2].spoken == (0.0,) * 4


def test_a_peak_between_two_tellings_is_not_lost() -> None:
    pcm = quiet(8 * FRAME_MS)
    pcm[3 * FRAME_SAMPLES + 7] = 0.9
    scene = FrameScene(pcm).run()
    loud = [event.frame for event in scene.of(FrameTiming) if event.input_peak_dbfs > -3.0]
    assert loud == [5]


def test_controls_from_another_thread_need_no_lock_and_the_newest_counts() -> None:
    pcm = tone(20 * FRAME_MS)

    def storm(frame: int) -> None:
        if frame == 10:
            for _ in range(100):
                scene.loop.set_controls(OPEN)
            scene.loop.set_controls(MUTED)

    scene = FrameScene(pcm, before=storm)
    scene.run()
    assert states(scene) == [(0, None), (10, MicrophoneClosed.MUTED)]


def test_no_word_is_told_when_nobody_speaks() -> None:
    scene = FrameScene(quiet(20 * FRAME_MS)).run()
    assert scene.of(AgentText) == scene.of(UserSpeechStarted) == scene.of(Interrupted) == []
    assert len(scene.fed) == 20
    assert scene.fed[-1].end_ms == 20 * FRAME_MS
    assert MODEL_RATE_HZ * FRAME_MS / 1e3 == FRAME_SAMPLES
