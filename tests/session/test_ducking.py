"""Softer while somebody may be speaking, without pumping."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES
from kame_desktop.session.ducking import DUCKED, Ducker, Loudness


def hear(ducker: Ducker, frames: int, *, assistant: bool = True, user: bool = False) -> list[bool]:
    return [ducker.hear(assistant=assistant, user=user) for _ in range(frames)]


def test_it_ducks_in_the_frame_in_which_a_user_is_heard_and_holds_600_ms() -> None:
    ducker = Ducker()
    assert not any(hear(ducker, 10))
    assert all(hear(ducker, 3, user=True))
    after = hear(ducker, 20)
    assert 600 / FRAME_MS <= sum(after) <= 600 / FRAME_MS + 2
    assert not after[-1]


def test_nobody_ducks_a_silent_assistant() -> None:
    assert not any(hear(Ducker(), 10, assistant=False, user=True))


def test_an_echo_that_ends_with_the_ducking_can_not_make_it_pump() -> None:
    """The worst echo: it sounds like a user whenever the voice is loud, and never when it is soft."""
    ducker = Ducker()
    soft = False
    history = []
    for _ in range(round(60_000 / FRAME_MS)):
        soft = ducker.hear(assistant=True, user=not soft)
        history.append(soft)
    times = sum(now and not before for before, now in itertools.pairwise(history))
    assert times <= 6
    assert sum(history) < len(history) * 0.12


def test_a_real_interruption_restores_its_trust() -> None:
    ducker = Ducker()
    for _ in range(3):
        hear(ducker, 1, user=True)
        hear(ducker, 60)
    ducker.hear(assistant=True, user=True, interrupted=True)
    hear(ducker, 5, assistant=False)
    assert all(hear(ducker, 2, user=True))


def test_the_voice_does_not_rise_in_the_frame_in_which_it_ends() -> None:
    ducker = Ducker()
    hear(ducker, 2, user=True)
    assert ducker.hear(assistant=True, user=True, interrupted=True)
    assert not ducker.hear(assistant=False, user=True)


GAINS = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=40)


@given(GAINS)
def test_a_gain_never_jumps_and_arrives(gains: list[float]) -> None:
    loudness = Loudness()
    one = np.ones(FRAME_SAMPLES, dtype=np.float32)
    played = [loudness.play(one, gain) for gain in [*gains, *[gains[-1]] * 4]]
    sound = np.concatenate(played)
    assert float(np.max(np.abs(np.diff(sound)), initial=0.0)) < 0.002
    assert np.all((sound >= 0.0) & (sound <= 1.0))
    np.testing.assert_allclose(played[-1], gains[-1], atol=1e-6)


def test_down_is_fast() -> None:
    loudness = Loudness()
    one = np.ones(FRAME_SAMPLES, dtype=np.float32)
    loudness.play(one, 1.0)
    frame = loudness.play(one, DUCKED)
    assert frame[FRAME_SAMPLES // 2] == DUCKED
