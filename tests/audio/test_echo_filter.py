"""The linear echo filter and the judge of double talk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.audio.double_talk import BlockLevels, DoubleTalkJudge
from kame_desktop.audio.echo_filter import LinearEchoFilter
from kame_desktop.core.audio_types import FRAME_SAMPLES, MODEL_RATE_HZ, Pcm
from tests.audio.rooms import Room, echo_reduction_db, power_db
from tests.fakes.audio import to_frames


def noise(seconds: float, seed: int, dbfs: float = -20.0) -> Pcm:
    samples = round(seconds * 12.5) * FRAME_SAMPLES
    return (np.random.default_rng(seed).standard_normal(samples) * 10 ** (dbfs / 20)).astype(np.float32)


def run(echo_filter: LinearEchoFilter, near: Pcm, far: Pcm) -> Pcm:
    pairs = zip(to_frames(near), to_frames(far), strict=True)
    return np.concatenate([echo_filter.process(frame, reference) for frame, reference in pairs])


@pytest.mark.parametrize("delay_ms", [0.0, 60.0, 230.0])
def test_it_learns_the_room(delay_ms: float) -> None:
    room, far = Room(delay_ms=delay_ms), noise(4.0, 1)
    echo = room.echo(far)
    left = run(LinearEchoFilter(), echo, far)
    assert echo_reduction_db(echo, left, 0, 2.0) > 20.0


def test_it_leaves_the_user_whole_and_goes_on_cancelling() -> None:
    room, far = Room(), noise(6.0, 1)
    echo, user = room.echo(far), noise(6.0, 2, dbfs=-24.0)
    user[: 3 * MODEL_RATE_HZ] = 0.0
    left = run(LinearEchoFilter(), echo + user, far)
    late = slice(4 * MODEL_RATE_HZ, None)
    assert power_db(left[late] - user[late]) < power_db(echo[late]) - 12.0


def test_nothing_is_changed_while_nothing_is_played() -> None:
    near = noise(0.8, 1)
    echo_filter = LinearEchoFilter()
    np.testing.assert_array_equal(run(echo_filter, near, np.zeros_like(near)), near)


def test_told_that_the_room_has_changed_it_learns_the_new_one() -> None:
    far = noise(4.0, 1)
    old, new = Room(seed=7).echo(far), Room(seed=8, delay_ms=90.0).echo(far)
    slow, told = LinearEchoFilter(), LinearEchoFilter()
    run(slow, old, far)
    run(told, old, far)
    told.doubt()
    second = slice(MODEL_RATE_HZ, 2 * MODEL_RATE_HZ)
    slow_left, told_left = (power_db(run(each, new, far)[second]) for each in (slow, told))
    assert told_left < slow_left - 3.0


def test_a_reset_forgets_the_room() -> None:
    far = noise(2.0, 1)
    echo_filter = LinearEchoFilter()
    first = run(echo_filter, Room().echo(far), far)
    echo_filter.reset()
    np.testing.assert_allclose(run(echo_filter, Room().echo(far), far), first, atol=1e-6)


QUIET = BlockLevels(near=-75.0, far=-120.0, echo=-110.0, left=-75.0, suppressed=-76.0)
ECHO = BlockLevels(near=-30.0, far=-20.0, echo=-30.0, left=-52.0, suppressed=-76.0)
USER = BlockLevels(near=-23.0, far=-20.0, echo=-30.0, left=-24.0, suppressed=-27.0)


def hear(judge: DoubleTalkJudge, levels: BlockLevels, blocks: int) -> list[bool]:
    heard = []
    for _ in range(blocks):
        judge.hear(levels)
        heard.append(judge.user_talks)
    return heard


def test_a_user_over_a_known_echo_is_seen_at_once_and_held_over_gaps() -> None:
    judge = DoubleTalkJudge()
    hear(judge, QUIET, 50)
    assert not any(hear(judge, ECHO, 100))
    assert judge.leak_db == pytest.approx(-22.0, abs=1.0)
    assert hear(judge, USER, 3) == [False, True, True]
    assert all(hear(judge, ECHO, 10)), "a gap between words"
    assert not hear(judge, ECHO, 10)[-1]


def test_nobody_is_believed_before_the_filter_has_learned() -> None:
    judge = DoubleTalkJudge()
    hear(judge, QUIET, 50)
    assert not any(hear(judge, USER, 50))


def test_what_the_canceller_keeps_taking_for_an_echo_is_one() -> None:
    judge = DoubleTalkJudge()
    hear(judge, QUIET, 50)
    hear(judge, ECHO, 100)
    changed_room = BlockLevels(near=-25.0, far=-20.0, echo=-30.0, left=-25.0, suppressed=-70.0)
    assert not any(hear(judge, changed_room, 100))


def test_where_the_filter_fails_and_the_canceller_does_not_it_must_learn_anew() -> None:
    judge = DoubleTalkJudge()
    hear(judge, QUIET, 50)
    hear(judge, ECHO, 100)
    changed_room = BlockLevels(near=-25.0, far=-20.0, echo=-30.0, left=-25.0, suppressed=-70.0)
    told = []
    for _ in range(400):
        judge.hear(changed_room)
        told.append(judge.way_changed)
    assert 1 <= sum(told) <= 3
    assert judge.leak_db > -10.0


LOST = BlockLevels(near=-30.0, far=-20.0, echo=-31.0, left=-29.0, suppressed=-32.0)
"""The canceller has lost the echo."""


def unhelpful() -> DoubleTalkJudge:
    """A judge who knows the echo's level, in a room that the linear filter doesn't learn."""
    judge = DoubleTalkJudge()
    hear(judge, QUIET, 50)
    hear(judge, BlockLevels(near=-30.0, far=-20.0, echo=-32.0, left=-31.0, suppressed=-70.0), 100)
    return judge


def echo_only(judge: DoubleTalkJudge, levels: BlockLevels, blocks: int) -> list[bool]:
    heard = []
    for _ in range(blocks):
        judge.hear(levels)
        heard.append(judge.echo_only)
    return heard


def test_an_echo_that_both_cancellers_leave_is_taken_for_one() -> None:
    judge = unhelpful()
    assert all(echo_only(judge, LOST, 200))
    assert not judge.user_talks


def test_who_is_louder_than_the_echo_gets_through_then_and_is_held_over_gaps() -> None:
    judge = unhelpful()
    louder = BlockLevels(near=-24.0, far=-20.0, echo=-31.0, left=-24.0, suppressed=-26.0)
    assert not any(echo_only(judge, louder, 20))
    assert not any(echo_only(judge, LOST, 15))
    assert echo_only(judge, LOST, 10)[-1]


def test_while_nothing_is_played_everything_gets_through() -> None:
    judge = unhelpful()
    alone = BlockLevels(near=-40.0, far=-120.0, echo=-110.0, left=-40.0, suppressed=-41.0)
    assert not any(echo_only(judge, alone, 100)[50:])


def test_where_the_filter_helps_the_cancellers_decide_alone() -> None:
    judge = DoubleTalkJudge()
    hear(judge, QUIET, 50)
    hear(judge, ECHO, 100)
    assert not any(echo_only(judge, LOST, 20))


LEVEL = st.floats(-120.0, 0.0)


@given(st.lists(st.tuples(LEVEL, LEVEL, LEVEL, LEVEL, LEVEL), max_size=200))
def test_it_never_trusts_a_filter_that_has_not_proved_itself(
    blocks: list[tuple[float, float, float, float, float]],
) -> None:
    judge = DoubleTalkJudge()
    for block in blocks:
        talked = judge.user_talks
        judge.hear(BlockLevels(*block))
        if judge.user_talks and not talked:
            assert judge.leak_db < -10.0
