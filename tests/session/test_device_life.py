"""Hardware comes and goes under a conversation, in virtual time: it goes on, and everything is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from kame_desktop.audio.base import DeviceEvent, DeviceInfo
from kame_desktop.core.audio_types import FRAME_SAMPLES
from kame_desktop.core.events import (
    AgentText,
    ComponentError,
    DeviceChanged,
    DeviceLost,
    FrameLate,
    MicrophoneClosed,
    MicrophoneState,
    Notice,
    SessionState,
)
from tests.fakes.audio import ScriptedDevice, tone
from tests.fakes.turns import ScriptedTurns
from tests.session.stage import Stage

WHOLE = DeviceInfo("headset", "headset", realtime=False)
OTHER = DeviceInfo("built-in microphone", "built-in speakers", realtime=False)


def lost(component: str) -> DeviceEvent:
    return DeviceEvent(component, "headset", f"The {component} 'headset' went away.", "Plug it in again.", lost=True)


def back(info: DeviceInfo, text: str) -> DeviceEvent:
    return DeviceEvent("microphone", info.input_name, text, info=info)


def converse(happens: Mapping[int, Sequence[DeviceEvent]], speech: Sequence[tuple[int, int]], frames: int) -> Stage:
    """Run a conversation in which the user speaks in these frames, and look that nothing of it is left."""
    stage = Stage(frames=frames, turns=ScriptedTurns(speech))
    pcm = tone(80 * frames)
    assert len(pcm) == frames * FRAME_SAMPLES
    stage.device = ScriptedDevice(pcm, clock=stage.clock, activity=stage.activity, happens=happens)
    stage.run()
    stage.assert_nothing_left()
    assert stage.states()[-1] is SessionState.IDLE
    assert not stage.of(ComponentError)
    assert not stage.of(FrameLate)
    return stage


@pytest.mark.parametrize("info", [WHOLE, OTHER])
def test_the_conversation_goes_on_after_a_loss_and_both_are_told(info: DeviceInfo) -> None:
    happens = {
        20: [lost("microphone"), lost("loudspeaker")],
        60: [back(info, f"The microphone '{info.input_name}' is used now.")],
    }
    stage = converse(happens, [(2, 12), (70, 80)], frames=130)
    gone = stage.of(DeviceLost)
    assert [(event.component, event.name) for event in gone] == [("microphone", "headset"), ("loudspeaker", "headset")]
    assert all("went away" in event.what and event.remedy for event in gone)
    first, second = stage.of(DeviceChanged)
    assert first.because == ""
    assert (second.input_name, second.output_name) == (info.input_name, info.output_name)
    assert "is used now" in second.because
    assert gone[0].at_ms < second.at_ms
    assert second.at_ms - gone[0].at_ms == pytest.approx(40 * 80.0, abs=80.0)
    answered = {event.utterance for event in stage.of(AgentText)}
    assert answered == {1, 2}
    assert len(stage.frontend.given) >= 130
    heard = [bool(given.pcm.any()) for given in stage.frontend.given[:130]]
    assert heard == [True] * 20 + [False] * 40 + [True] * 70
    assert isinstance(stage.device, ScriptedDevice)
    assert stage.device.dropped == 40


def test_without_a_loudspeaker_the_user_is_still_heard() -> None:
    stage = converse({5: [lost("loudspeaker")]}, [(10, 20)], frames=60)
    assert [event.component for event in stage.of(DeviceLost)] == ["loudspeaker"]
    assert {event.utterance for event in stage.of(AgentText)} == {1}
    assert all(given.pcm.any() for given in stage.frontend.given[:60])


def test_a_microphone_that_did_not_come_back_is_not_shown_as_live() -> None:
    deaf = DeviceInfo("no microphone", "headset", realtime=False, has_microphone=False)
    happens = {
        20: [lost("microphone"), lost("loudspeaker")],
        40: [DeviceEvent("loudspeaker", "headset", "The loudspeaker 'headset' is back.", info=deaf)],
    }
    stage = converse(happens, [(2, 12)], frames=60)
    assert stage.of(MicrophoneState)[-1].closed is MicrophoneClosed.NO_DEVICE
    assert stage.of(DeviceChanged)[-1].input_name == "no microphone"


def test_a_microphone_that_sends_only_silence_is_a_notice() -> None:
    event = DeviceEvent("microphone", "headset", "The microphone 'headset' sends only silence.", "Look at its switch.")
    stage = converse({30: [event]}, [(2, 12)], frames=60)
    notices = [notice for notice in stage.of(Notice) if notice.component == "microphone"]
    assert len(notices) == 1
    assert "sends only silence" in notices[0].text
    assert not stage.of(DeviceLost)


def test_a_loss_while_it_is_spoken_does_not_stop_the_answer_from_being_counted() -> None:
    happens = {16: [lost("loudspeaker")], 40: [back(WHOLE, "The loudspeaker 'headset' is back.")]}
    stage = converse(happens, [(2, 12), (50, 60)], frames=110)
    assert {event.utterance for event in stage.of(AgentText)} == {1, 2}
