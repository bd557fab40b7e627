"""Does somebody talk over the assistant, or is that its own voice? Pure: levels in, decisions out.

Two cancellers hear the same microphone. AEC3 removes an echo well, and much of the user with it; the linear filter
leaves the user whole, and an echo too while it doesn't know the room. Where they agree that there is a user, the
filter's sound is the better one. They do when

* AEC3 lets through most of what the filter has left (an echo is 20 dB and more lower after AEC3), at the beginning and
  again and again,
* that is more than the room's noise, and more than the filter leaves of an echo: ``leak_db``, learned from the blocks
  where AEC3 hears nobody, and
* somebody is louder than the echo was so far.

A filter that leaves too much (it hasn't learned the room, the room has changed, clocks differ) is not listened to.
While it is no help, AEC3 alone can't be trusted either, for it loses the echo for a second when the delay moves
(measured: a reference that slipped by 20 ms started a user turn, and so did clocks that differed by 500 ppm). Then what
isn't louder than the echo was so far is taken for an echo.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

_ECHO_DBFS = -60.0
"""Quieter echoes teach nothing."""
_FLOOR_DBFS = -62.0
_OVER_NOISE_DB = 6.0
_NOISE_RISE_DB = 0.02
_ECHO_FALL_DB = 0.8
"""How fast an echo dies away at most, each 10 ms."""
_LET_THROUGH_DB = -15.0
_ECHO_ONLY_DB = -12.0
_NOBODY_DB = 3.0
_OVER_LEAK_DB = 9.0
_USEFUL_LEAK_DB = -10.0
_UNKNOWN_LEAK_DB = 20.0
_LEAK_RISE = 4.0
"""What looks like so much more leak than is known (as power) may be a user whom AEC3 hasn't noticed."""
_ENOUGH_BLOCKS = 30
_LOST_DB = 3.0
_LOST_BLOCKS = 150
_FAR_DBFS = -50.0
_ECHO_BLOCKS = 45
"""An echo comes, and dies away, within so many blocks."""
_OVER_ECHO_DB = 3.0
_OVER_ECHO_BLOCKS = 20
_BEGIN_BLOCKS = 2
_HOLD_BLOCKS = 15
_CONFIRM_BLOCKS = 50


@dataclass(frozen=True, slots=True)
class BlockLevels:
    """Levels of 10 ms, in dB of full scale, all of the same moment.

    Attributes:
        near: What the microphone heard.
        far: What was played.
        echo: What the linear filter took for the echo.
        left: What the linear filter left.
        suppressed: What AEC3 left.
    """

    near: float
    far: float
    echo: float
    left: float
    suppressed: float


class _Average:
    """Exponential average over about 0.5 s that is right from the first value on."""

    def __init__(self) -> None:
        self._sum = self._weight = 0.0
        self.count = 0

    def add(self, value: float) -> float:
        self._sum = 0.98 * self._sum + value
        self._weight = 0.98 * self._weight + 1.0
        self.count += 1
        return self._sum / self._weight


class DoubleTalkJudge:
    """One 10 ms block after the other. Frame thread only.

    Attributes:
        user_talks: Somebody talks over the assistant, and the linear filter's sound is good.
        leak_db: How loud what the linear filter leaves of an echo is, compared to the echo; high while it's unknown.
        echo_only: What is heard can't be told from the echo, so it is one.
        way_changed: The linear filter fails where AEC3 does well: it should learn anew. True for one block.
    """

    def __init__(self) -> None:
        self.user_talks = False
        self.echo_only = False
        self.way_changed = False
        self._noise_dbfs: float | None = None
        self._echo_dbfs = _FLOOR_DBFS
        self._near: deque[float] = deque(maxlen=_ECHO_BLOCKS)
        self._far: deque[float] = deque(maxlen=_ECHO_BLOCKS)
        self._coupling = _Average()
        self._coupling_db = 0.0
        self._since_over_echo = _OVER_ECHO_BLOCKS
        self._evidence = 0
        self._since_loud = self._since_confirmed = _CONFIRM_BLOCKS
        self._begin_to_learn()

    def _begin_to_learn(self) -> None:
        self.leak_db = _UNKNOWN_LEAK_DB
        self._echo, self._left, self._removed = _Average(), _Average(), _Average()

    def hear(self, levels: BlockLevels) -> None:
        """Take the next block."""
        self.way_changed = False
        noise = self._noise_dbfs
        self._noise_dbfs = noise = levels.near if noise is None else min(levels.near, noise + _NOISE_RISE_DB)
        self._echo_dbfs = max(levels.echo, self._echo_dbfs - _ECHO_FALL_DB)
        let_through_db = levels.suppressed - levels.left
        nobody = let_through_db < _ECHO_ONLY_DB or levels.suppressed < max(_FLOOR_DBFS, noise + _NOBODY_DB)
        if nobody and not self.user_talks and levels.echo > max(_ECHO_DBFS, noise + _OVER_NOISE_DB):
            self._learn(levels)
        self._compare_with_echo(levels, noise, nobody=nobody)
        loud = (
            self.leak_db < _USEFUL_LEAK_DB
            and levels.left > max(_FLOOR_DBFS, noise + _OVER_NOISE_DB)
            and levels.left > self._echo_dbfs + self.leak_db + _OVER_LEAK_DB
            and levels.left < levels.near + _LOST_DB
        )
        louder_than_echo = self._since_over_echo < _OVER_ECHO_BLOCKS
        confirmed = loud and louder_than_echo and let_through_db > _LET_THROUGH_DB
        self._evidence = self._evidence + 1 if confirmed else 0
        self._since_loud = 0 if loud else self._since_loud + 1
        self._since_confirmed = 0 if confirmed else self._since_confirmed + 1
        if self.user_talks:
            self.user_talks = self._since_loud < _HOLD_BLOCKS and self._since_confirmed < _CONFIRM_BLOCKS
        else:
            self.user_talks = self._evidence >= _BEGIN_BLOCKS

    def _compare_with_echo(self, levels: BlockLevels, noise_dbfs: float, *, nobody: bool) -> None:
        """Learn how loud the echo's peaks are against those of what was played, and look who is louder."""
        self._near.append(levels.near)
        self._far.append(levels.far)
        near, far = max(self._near), max(self._far)
        if far < _FAR_DBFS:
            self._since_over_echo = _OVER_ECHO_BLOCKS
            self.echo_only = False
            return
        if nobody and near > noise_dbfs + _OVER_NOISE_DB:
            self._coupling_db = self._coupling.add(near - far)
        over = levels.near > far + self._coupling_db + _OVER_ECHO_DB
        self._since_over_echo = 0 if over else self._since_over_echo + 1
        doubtful = self.leak_db >= _USEFUL_LEAK_DB and self._coupling.count >= _ENOUGH_BLOCKS
        self.echo_only = doubtful and self._since_over_echo >= _OVER_ECHO_BLOCKS

    def _learn(self, levels: BlockLevels) -> None:
        """There is nothing but echo in this block."""
        echo, left = 10.0 ** (levels.echo / 10.0), 10.0 ** (levels.left / 10.0)
        if self._left.count >= _ENOUGH_BLOCKS:
            left = min(left, _LEAK_RISE * echo * 10.0 ** (self.leak_db / 10.0))
        echo, left = self._echo.add(echo), self._left.add(left)
        if self._left.count >= _ENOUGH_BLOCKS:
            self.leak_db = 10.0 * math.log10(left / echo)
        if self._removed.add(levels.near - levels.left) < _LOST_DB and self._removed.count >= _LOST_BLOCKS:
            self._begin_to_learn()
            self.way_changed = True
