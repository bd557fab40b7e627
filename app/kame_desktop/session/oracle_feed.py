"""Revision text -> token FIFO for the frame loop.

Protocol (DESIGN section 4): a revision is START, then the ids of its text; each frame takes at most
``oracle_tokens_per_frame`` of them, or PAD when there are none. Nothing is skipped: a token that arrives late is fed
late. A newer revision replaces what has not been fed.

Two rules keep the stream like the one that the model was trained on:

- *Whole words.* Only the text up to the last word boundary is encoded, as one text; the tail follows with the next
  boundary or at the end. So how a stream was cut into chunks never shows in the ids.
- *No gap inside a revision.* START waits until a clause, enough tokens, or the end is there. Enough is what lets a
  clause of ``_CLAUSE_TOKENS`` run without a gap at the measured rate of the stream; the same holds after a revision
  ran dry.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kame_desktop.core.audio_types import FRAME_MS
from kame_desktop.core.events import OracleRevision
from kame_desktop.frontends.base import OracleSlot, OracleTokenizer

_CLAUSE_TOKENS = 12
_MAX_HOLD_TOKENS = 12
_CLAUSE_END = re.compile(r"[.,;:!?…](?=[\"')\]]*\s)")
_LAST_BOUNDARY = re.compile(r"\s+\S*$")


@dataclass(frozen=True, slots=True)
class FeedAccount:
    """How one generation fares: see ``OracleApplied``."""

    generation: int
    frame: int
    tokens_fed: int
    tokens_missed: int
    ended: bool


class _Stream:
    """One revision on its way into the front end."""

    def __init__(self, generation: int, utterance: int, at_ms: float) -> None:
        self.generation = generation
        self.utterance = utterance
        self.started_at_ms = at_ms
        self.ids: list[int] = []
        self.clause_ids = 0
        self.fed = 0
        self.complete = False
        self.begun = False
        self.running = False
        self.end_told = False

    @property
    def waiting(self) -> int:
        return len(self.ids) - self.fed

    @property
    def used_up(self) -> bool:
        return self.complete and self.begun and self.waiting == 0


class OracleFeed:
    """The FIFO between oracle and front end. Owner: the frame thread; bound: one revision.

    Attributes:
        tokens_fed: Ids given to the front end over the session, START and PAD not counted.
        tokens_missed: Ids that were known but replaced or cleared before their frame.
    """

    def __init__(self, tokenizer: OracleTokenizer, *, tokens_per_frame: int | None, min_start_tokens: int) -> None:
        """Feed at most ``tokens_per_frame`` ids a frame (None: all there are), START after ``min_start_tokens``."""
        self._tokenizer = tokenizer
        self._per_frame = tokens_per_frame
        self._min_start = min_start_tokens
        self._idle = OracleSlot() if tokens_per_frame is None else OracleSlot(ids=(tokenizer.pad_id,))
        self._stream: _Stream | None = None
        self._newest_generation = 0
        self._rate_hz: float | None = None
        self._accounts: list[FeedAccount] = []
        self.tokens_fed = 0
        self.tokens_missed = 0

    @property
    def generation(self) -> int | None:
        """The revision that is being fed, or waits for its START."""
        return self._stream.generation if self._stream is not None else None

    def offer(self, revision: OracleRevision, frame: int, at_ms: float) -> None:
        """Take the newest text of a revision; older generations and empty texts are ignored."""
        if revision.generation < self._newest_generation or not revision.text_so_far.strip():
            return
        if self._stream is None or revision.generation > self._newest_generation:
            if revision.generation == self._newest_generation:
                return  # it was cleared, and stays so
            self._drop(frame)
            self._stream = _Stream(revision.generation, revision.utterance, at_ms)
            self._newest_generation = revision.generation
        stream = self._stream
        if stream.complete:
            return
        self._encode(stream, revision.text_so_far, revision.complete)
        elapsed_ms = at_ms - stream.started_at_ms
        if elapsed_ms >= 2 * FRAME_MS:
            self._rate_hz = len(stream.ids) / (elapsed_ms / 1e3)

    def clear(self, frame: int) -> None:
        """Forget what has not been fed (session start, interruption)."""
        self._drop(frame)

    def reset(self) -> None:
        """Begin a session: forget everything, generations and rates too."""
        self._stream = None
        self._newest_generation = 0
        self._rate_hz = None
        self._accounts.clear()
        self.tokens_fed = 0
        self.tokens_missed = 0

    def pop(self, frame: int) -> OracleSlot:
        """Decide what the step of ``frame`` is given."""
        stream = self._stream
        if stream is None or stream.used_up:
            return self._idle
        if not stream.running and not self._may_run(stream):
            return self._idle
        stream.running = True
        room = self._per_frame if self._per_frame is not None else stream.waiting + 1
        ids: list[int] = []
        if not stream.begun and room > 0:
            stream.begun = True
            ids.append(self._tokenizer.start_id)
            room -= 1
            self._account(stream, frame)
        take = min(room, stream.waiting)
        ids += stream.ids[stream.fed : stream.fed + take]
        stream.fed += take
        self.tokens_fed += take
        if stream.waiting == 0 and not stream.complete:
            stream.running = False
        ends = stream.used_up and not stream.end_told
        if ends:
            stream.end_told = True
            self._account(stream, frame)
        if not ids and not ends:
            return self._idle
        if not ids and self._per_frame is not None:
            ids = [self._tokenizer.pad_id]
        return OracleSlot(tuple(ids), stream.generation, ends, stream.utterance)

    def take_accounts(self) -> list[FeedAccount]:
        """Accounts since the last call, oldest first."""
        accounts, self._accounts = self._accounts, []
        return accounts

    def _encode(self, stream: _Stream, text: str, complete: bool) -> None:
        if complete:
            known = text
        else:
            boundary = _LAST_BOUNDARY.search(text)
            known = text[: boundary.start()] if boundary else ""
        ids = list(self._tokenizer.encode(known)) if known.strip() else []
        stream.complete = complete
        if len(ids) >= stream.fed:
            # A source that rewrote its own text can't take back what was fed; the rest follows the new wording.
            stream.ids = stream.ids[: stream.fed] + ids[stream.fed :]
        stream.clause_ids = self._clause_ids(known, ids)

    def _clause_ids(self, known: str, ids: Sequence[int]) -> int:
        if self._min_start <= 1:
            return len(ids)
        ends = [match.end() for match in _CLAUSE_END.finditer(known + " ")]
        return len(self._tokenizer.encode(known[: ends[-1]])) if ends else 0

    def _may_run(self, stream: _Stream) -> bool:
        if stream.complete:
            return True
        if stream.waiting == 0:
            return False
        if stream.clause_ids > stream.fed:
            return True
        return stream.waiting >= self._tokens_to_hold()

    def _tokens_to_hold(self) -> int:
        """How many ids must wait so that a clause runs without a gap at the stream's measured rate."""
        if self._min_start <= 1 or self._per_frame is None or self._rate_hz is None:
            return self._min_start
        frames_hz = self._per_frame * 1e3 / FRAME_MS
        shortfall = max(0.0, 1.0 - self._rate_hz / frames_hz)
        return max(self._min_start, min(_MAX_HOLD_TOKENS, math.ceil(_CLAUSE_TOKENS * shortfall)))

    def _drop(self, frame: int) -> None:
        stream, self._stream = self._stream, None
        if stream is None or stream.end_told:
            return
        self.tokens_missed += stream.waiting
        self._account(stream, frame, ended=True)

    def _account(self, stream: _Stream, frame: int, *, ended: bool | None = None) -> None:
        over = stream.used_up if ended is None else ended
        self._accounts.append(FeedAccount(stream.generation, frame, stream.fed, stream.waiting if ended else 0, over))
