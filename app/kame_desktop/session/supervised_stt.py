"""Speech-to-text that is started again when it crashes; meanwhile, and after that, the conversation goes on.

What counts as a crash: an error out of ``feed``, one that the decoder reports, or one out of a new start's ``load``.

- The utterance that was being heard isn't given to the next life (it may be what killed this one): what was understood
  of it so far is its final text, when the user has finished it.
- Utterances that begin while nobody listens are kept and heard late, up to ten seconds of sound.
- Once it stays off, utterances end without words.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import Callable

from kame_desktop.backend.stt.base import StreamingStt, SttFrame, Transcription
from kame_desktop.core.audio_types import FRAME_MS
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import AppError
from kame_desktop.core.restart_policy import RestartPolicy
from kame_desktop.session.supervisor import Supervisor

COMPONENT = "speech-to-text"
_LABEL = "The speech recognition"
_MOST_KEPT_FRAMES = 125
_MOST_OPEN = 32
"""Utterances without a final text, over all; a part that never gives one must not fill the memory."""


class SupervisedStt:
    """``StreamingStt`` over one life of another after the other. Owner: the asyncio thread.

    Bounds: one life at a time; 125 frames are kept while none is there, utterances that don't fit lose their words.

    Args:
        make: Makes a life; called anew for each.
        clock: The session's.
    """

    def __init__(self, make: Callable[[], StreamingStt], clock: Clock, policy: RestartPolicy | None = None) -> None:
        self._make = make
        self._clock = clock
        self._supervisor = Supervisor(COMPONENT, _LABEL, clock, self._tell, policy)
        self._live: StreamingStt | None = None
        self._life = 0
        self._emit: Callable[[Transcription], None] | None = None
        self._on_error: Callable[[BaseException], None] = lambda error: None
        self._open: dict[int, Transcription] = {}
        """Newest text of every utterance that has no final yet."""
        self._finished: set[int] = set()
        """Those of them that the user has finished."""
        self._given_up = 0
        """Nothing more is heard of utterances up to this one."""
        self._kept: list[SttFrame] = []
        self._restarting: asyncio.Task[None] | None = None
        self._off = False

    @property
    def name(self) -> str:
        return self._live.name if self._live is not None else COMPONENT

    async def load(self) -> None:
        live = self._make()
        self._live = live
        await live.load()

    def start(self, emit: Callable[[Transcription], None], on_error: Callable[[BaseException], None]) -> None:
        self._emit, self._on_error = emit, on_error
        self._open.clear()
        self._finished.clear()
        self._kept.clear()
        if self._live is not None:
            self._begin(self._live)

    def feed(self, frame: SttFrame) -> None:
        self._note(frame)
        given_up = frame.user.utterance <= self._given_up and frame.user.utterance in self._open
        if self._live is not None:
            if not given_up:
                self._give(self._live, frame)
        elif frame.user.utterance > self._given_up and not self._off:
            self._keep(frame)
        self._end_given_up(frame)

    async def stop(self) -> None:
        self._emit = None
        self._life += 1
        task, self._restarting = self._restarting, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task], timeout=1.0)
        if self._live is not None:
            await self._live.stop()

    async def close(self) -> None:
        await self.stop()
        live, self._live = self._live, None
        if live is not None:
            await live.close()

    # Lives ---------------------------------------------------------------------------------------------------------

    def _begin(self, live: StreamingStt) -> None:
        self._life += 1
        life = self._life

        def hear(heard: Transcription) -> None:
            if life == self._life:
                self._hear(heard)

        def fail(error: BaseException) -> None:
            if life == self._life:
                self._crash(error)

        live.start(hear, fail)

    def _give(self, live: StreamingStt, frame: SttFrame) -> None:
        try:
            live.feed(frame)
        except Exception as error:  # noqa: BLE001 - a defect of one part must not end the session
            if live is self._live:
                self._crash(error)

    def _crash(self, error: BaseException) -> None:
        live, self._live = self._live, None
        self._life += 1
        self._give_up(max(self._open, default=self._given_up))
        pause_ms = self._supervisor.crashed(error)
        self._restarting = asyncio.get_running_loop().create_task(
            self._restart(live, pause_ms), name="restart-speech-to-text"
        )

    async def _restart(self, dead: StreamingStt | None, pause_ms: float | None) -> None:
        while True:
            if dead is not None:
                with contextlib.suppress(Exception):  # it is known to be broken
                    await dead.close()
                dead = None
            if pause_ms is None:
                self._off = True
                self._kept.clear()
                self._give_up(max(self._open, default=self._given_up))
                return
            await self._clock.sleep_until(self._clock.now_ms() + pause_ms)
            try:
                dead = self._make()
                await dead.load()
            except asyncio.CancelledError:
                if dead is not None:
                    await dead.close()
                raise
            except Exception as error:  # noqa: BLE001 - judged by the supervisor
                pause_ms = self._supervisor.crashed(error)
                continue
            self._restarting = None
            self._live = dead
            self._begin(dead)
            kept, self._kept = self._kept, []
            for frame in kept:
                if self._live is dead:
                    self._give(dead, frame)
            return

    def _tell(self, error: AppError) -> None:
        self._on_error(error)

    # Utterances ----------------------------------------------------------------------------------------------------

    def _note(self, frame: SttFrame) -> None:
        """Keep account of who is still without a final text."""
        user = frame.user
        if not user.utterance or user.utterance in self._finished:
            return
        if user.started or user.utterance in self._open:
            known = self._open.get(user.utterance)
            if known is None:
                known = Transcription(user.utterance, 0, "", 0, False, 0.0, frame.end_ms - FRAME_MS)
            self._open[user.utterance] = dataclasses.replace(known, audio_ms=known.audio_ms + FRAME_MS)
        if user.finished and user.utterance in self._open:
            self._finished.add(user.utterance)
        while len(self._open) > _MOST_OPEN:
            self._forget(min(self._open))

    def _hear(self, heard: Transcription) -> None:
        if heard.utterance <= self._given_up:
            return
        if heard.final:
            self._forget(heard.utterance)
        elif heard.utterance in self._open:
            self._open[heard.utterance] = heard
        self._say(heard)

    def _keep(self, frame: SttFrame) -> None:
        """For the next life. It must hear an utterance from its begin or not at all."""
        if not self._kept and not frame.user.started:
            return
        self._kept.append(frame)
        if len(self._kept) > _MOST_KEPT_FRAMES:
            oldest = self._kept[0].user.utterance
            self._give_up(oldest)
            left = [one for one in self._kept if one.user.utterance > oldest]
            first = next((number for number, one in enumerate(left) if one.user.started), len(left))
            self._kept = left[first:]

    def _give_up(self, utterance: int) -> None:
        """Nothing more is heard up to this one; those that the user has finished get what was understood."""
        self._given_up = max(self._given_up, utterance)
        for number in sorted(self._finished):
            if number <= self._given_up:
                self._finish(number)

    def _end_given_up(self, frame: SttFrame) -> None:
        user = frame.user
        if self._off:
            self._given_up = max(self._given_up, user.utterance)
        if user.finished and user.utterance <= self._given_up:
            self._finish(user.utterance)

    def _finish(self, utterance: int) -> None:
        known = self._open.get(utterance)
        self._forget(utterance)
        if known is not None:
            words = len(known.text.split())
            self._say(dataclasses.replace(known, rev=known.rev + 1, stable_words=words, final=True))

    def _forget(self, utterance: int) -> None:
        self._open.pop(utterance, None)
        self._finished.discard(utterance)

    def _say(self, heard: Transcription) -> None:
        if self._emit is not None:
            self._emit(heard)
