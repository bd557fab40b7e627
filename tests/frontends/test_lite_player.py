"""Clips become frames: positions, words, gaps and fades."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_desktop.core.audio_types import FRAME_SAMPLES
from kame_desktop.core.events import SpokenKind
from kame_desktop.frontends.base import SpokenWord
from kame_desktop.frontends.lite_player import ClipPlayer, Piece
from kame_desktop.frontends.voice import Clip


def piece(samples: int, onsets: Iterable[int] = (0,), gap: int = 0, name: str = "w") -> Piece:
    onsets = tuple(onsets)
    words = tuple(SpokenWord(f"{name}{number}", 1, SpokenKind.ANSWER) for number in range(len(onsets)))
    return Piece(Clip(np.full(samples, 0.5, dtype=np.float32), onsets), words, gap, answer=True)


def test_words_are_told_in_the_frame_in_which_they_begin() -> None:
    player = ClipPlayer()
    pieces = [piece(3 * FRAME_SAMPLES, (0, FRAME_SAMPLES - 1, FRAME_SAMPLES, 3 * FRAME_SAMPLES - 1))]
    told = [[word.text for word in player.render(lambda: pieces.pop() if pieces else None).words] for _ in range(4)]
    assert told == [["w0", "w1"], ["w2"], ["w3"], []]


@given(st.lists(st.tuples(st.integers(1, 9_000), st.integers(0, 5_000)), min_size=1, max_size=6))
@settings(deadline=None)
def test_nothing_is_lost_and_gaps_are_exact(script: list[tuple[int, int]]) -> None:
    queue = [piece(samples, gap=gap) for samples, gap in script]
    expected = np.concatenate([np.concatenate([np.full(samples, 0.5), np.zeros(gap)]) for samples, gap in script])
    player = ClipPlayer()
    frames = [player.render(lambda: queue.pop(0) if queue else None) for _ in range(expected.size // FRAME_SAMPLES + 2)]
    sound = np.concatenate([frame.pcm for frame in frames])
    np.testing.assert_array_equal(sound[: expected.size], expected.astype(np.float32))
    assert not sound[expected.size :].any()
    assert sum(frame.answer_samples for frame in frames) == sum(samples for samples, _ in script)
    assert sum(len(frame.words) for frame in frames) == len(script)


def test_next_piece_is_chosen_when_the_gap_is_over() -> None:
    player = ClipPlayer()
    queue = [piece(100, gap=FRAME_SAMPLES)]
    player.render(lambda: queue.pop() if queue else None)
    asked: list[int] = []
    frame = player.render(lambda: asked.append(1))
    assert asked == [1]
    assert not frame.pcm.any()
    assert not player.sounding


def test_fade_ends_in_zero_and_starts_without_a_step() -> None:
    player = ClipPlayer()
    queue = [piece(9 * FRAME_SAMPLES)]
    player.render(lambda: queue.pop() if queue else None)
    faded = player.fade_out()
    assert abs(faded[0] - 0.5) < 1e-3
    assert abs(faded[-1]) < 1e-6
    assert np.abs(np.diff(faded)).max() < 1e-3
    assert not player.render(lambda: None).pcm.any()
