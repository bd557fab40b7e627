"""Sound and position of a replay, frame by frame, without a device and without waiting."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_desktop.audio.base import Loudspeaker
from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, MODEL_RATE_HZ, Pcm, PcmFrame
from kame_desktop.core.errors import DeviceError
from kame_desktop.ui.replay.player import Player
from kame_desktop.ui.replay.stretch import Stretcher

FRAMES = 50
START_MS = 1_000.0
END_MS = START_MS + FRAMES * FRAME_MS


class Speaker:
    """Keeps what it is handed."""

    name = "test"

    def __init__(self) -> None:
        self.frames: list[PcmFrame] = []
        self.closed = False

    def write(self, frame: PcmFrame) -> None:
        assert not self.closed
        self.frames.append(frame.copy())

    def close(self) -> None:
        self.closed = True


def tone(hz: float = 220.0, samples: int = FRAMES * FRAME_SAMPLES) -> Pcm:
    return (0.4 * np.sin(2 * np.pi * hz * np.arange(samples) / MODEL_RATE_HZ)).astype(np.float32)


def stereo(left: Pcm, right: Pcm | None = None) -> np.ndarray:
    right = np.zeros_like(left) if right is None else right
    return np.round(np.stack([left, right], axis=1) * 32_767).astype("<i2")


class Stage:
    """A player whose time the test moves."""

    def __init__(self, sound: np.ndarray | None = None, opens: object = None) -> None:
        self.now_s = 100.0
        self.speakers: list[Speaker] = []
        self.sound = stereo(tone()) if sound is None else sound
        self.player = Player(
            self.sound,
            sound_start_ms=START_MS,
            start_ms=START_MS,
            end_ms=END_MS,
            open_loudspeaker=self._open if opens is None else opens,  # pyright: ignore[reportArgumentType]
            clock=lambda: self.now_s,
            alone=True,
        )

    def _open(self) -> Loudspeaker:
        self.speakers.append(Speaker())
        return self.speakers[-1]

    def run(self, seconds: float) -> None:
        """Let time pass, as the player's thread would."""
        end_s = self.now_s + seconds
        while True:
            wait_s = self.player.step()
            if wait_s is None or self.now_s + wait_s > end_s:
                break
            self.now_s += wait_s
        self.now_s = end_s

    @property
    def heard(self) -> Pcm:
        return np.concatenate([frame for speaker in self.speakers for frame in speaker.frames])


def test_at_its_own_speed_the_sound_is_played_as_it_was() -> None:
    stage = Stage(stereo(tone(200.0), tone(330.0)))
    stage.player.play()
    stage.run(60.0)
    wanted = stage.sound.astype(np.float32).sum(axis=1) / 32_768.0
    np.testing.assert_array_equal(stage.heard, np.clip(wanted, -1.0, 1.0))
    assert not stage.player.playing
    assert stage.player.position_ms == END_MS


def test_the_position_is_that_of_the_sound_and_moves_between_frames() -> None:
    stage = Stage()
    stage.player.play()
    stage.run(1.03)
    assert len(stage.speakers[0].frames) == 13
    assert stage.player.position_ms == pytest.approx(START_MS + 1_030.0, abs=0.01)


def test_a_stalled_thread_moves_neither_sound_nor_position_past_each_other() -> None:
    """The machine stops for 3 s: at most one frame is taken as heard."""
    stage = Stage()
    stage.player.play()
    stage.run(0.5)
    before = stage.player.position_ms
    stage.now_s += 3.0
    assert stage.player.position_ms <= before + FRAME_MS
    stage.run(0.2)
    assert stage.player.position_ms <= before + FRAME_MS + 210.0


@pytest.mark.parametrize("speed", [0.5, 0.75, 1.5, 2.0])
def test_another_speed_keeps_the_pitch(speed: float) -> None:
    stage = Stage(stereo(tone(220.0)))
    stage.player.set_speed(speed)
    stage.player.play()
    stage.run(60.0)
    assert len(stage.heard) / len(stage.sound) == pytest.approx(1 / speed, rel=0.05)
    middle = stage.heard[MODEL_RATE_HZ // 2 :][:MODEL_RATE_HZ]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    loudest_hz = np.argmax(spectrum) * MODEL_RATE_HZ / len(middle)
    assert loudest_hz == pytest.approx(220.0, abs=4.0)
    assert np.sqrt(np.mean(middle**2)) == pytest.approx(0.4 / np.sqrt(2), rel=0.1)
    assert np.max(np.abs(np.diff(middle))) < 0.06


@settings(deadline=None, max_examples=25)
@given(st.floats(0.5, 2.0), st.integers(0, 2**31), st.floats(-50_000, 150_000))
def test_a_stretched_frame_is_a_frame_wherever_it_begins(speed: float, seed: int, start: float) -> None:
    sound = np.random.default_rng(seed).uniform(-1, 1, 96_000).astype(np.float32)

    def source(at: int, count: int) -> Pcm:
        padded = np.zeros(count, dtype=np.float32)
        first, last = max(0, at), min(len(sound), at + count)
        if first < last:
            padded[first - at : last - at] = sound[first:last]
        return padded

    stretcher = Stretcher(source)
    for place in range(4):
        frame = stretcher.frame(start + place * FRAME_SAMPLES * speed, speed)
        assert frame.shape == (FRAME_SAMPLES,)
        assert frame.dtype == np.float32
        assert np.max(np.abs(frame)) <= 1.0 + 1e-5


def test_a_jump_is_heard_at_once() -> None:
    sound = stereo(np.concatenate([np.zeros(25 * FRAME_SAMPLES, np.float32), tone(samples=25 * FRAME_SAMPLES)]))
    stage = Stage(sound)
    stage.player.play()
    stage.run(0.4)
    assert not np.any(stage.heard)
    stage.player.seek(START_MS + 26 * FRAME_MS)
    assert stage.player.position_ms == START_MS + 26 * FRAME_MS
    stage.run(0.1)
    assert np.any(stage.speakers[0].frames[-1])


def test_pause_holds_the_position_and_lets_go_of_the_loudspeaker() -> None:
    stage = Stage()
    stage.player.play()
    stage.run(0.5)
    stage.player.pause()
    held = stage.player.position_ms
    stage.run(5.0)
    assert stage.player.position_ms == held == pytest.approx(START_MS + 500.0, abs=0.01)
    assert stage.speakers[0].closed
    stage.player.play()
    stage.run(0.1)
    assert len(stage.speakers) == 2
    assert stage.speakers[1].frames


def test_mute_goes_on_in_silence() -> None:
    stage = Stage()
    stage.player.set_muted(True)
    stage.player.play()
    stage.run(1.0)
    assert not stage.speakers[0].frames
    assert stage.player.position_ms == pytest.approx(START_MS + 1_000.0, abs=0.01)


def refuses() -> Loudspeaker:
    raise DeviceError("There is no loudspeaker.", "Plug one in.")


@pytest.mark.parametrize("opens", [lambda: None, refuses])
def test_without_a_loudspeaker_it_goes_on_by_the_clock(opens: object) -> None:
    stage = Stage(opens=opens)
    stage.player.play()
    stage.run(1.0)
    assert stage.player.silent
    assert stage.player.position_ms == pytest.approx(START_MS + 1_000.0, abs=0.01)
    stage.run(60.0)
    assert not stage.player.playing


def test_without_sound_no_loudspeaker_is_opened() -> None:
    stage = Stage(sound=np.zeros((0, 2), "<i2"))
    stage.player.play()
    stage.run(1.0)
    assert stage.speakers == []
    assert stage.player.silent
    assert stage.player.position_ms == pytest.approx(START_MS + 1_000.0, abs=0.01)


def test_play_at_the_end_begins_anew() -> None:
    stage = Stage()
    stage.player.seek(1e9)
    assert stage.player.position_ms == END_MS
    stage.player.play()
    stage.run(0.2)
    assert stage.player.position_ms == pytest.approx(START_MS + 200.0, abs=0.01)


def test_its_thread_plays_and_ends() -> None:
    speaker = Speaker()
    player = Player(
        stereo(tone()),
        sound_start_ms=START_MS,
        start_ms=START_MS,
        end_ms=START_MS + 240.0,
        open_loudspeaker=lambda: speaker,
    )
    player.play()
    deadline_s = time.monotonic() + 20.0
    while player.playing and time.monotonic() < deadline_s:
        time.sleep(0.01)
    assert player.position_ms == START_MS + 240.0
    player.close()
    player.close()
    assert speaker.closed
    assert len(speaker.frames) == 3


def test_closing_while_it_plays_ends_the_thread() -> None:
    speaker = Speaker()
    player = Player(stereo(tone()), sound_start_ms=0.0, start_ms=0.0, end_ms=1e6, open_loudspeaker=lambda: speaker)
    player.play()
    player.close()
    player.play()
    assert not player.playing
