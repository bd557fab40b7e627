"""Frames on their way from the frame thread to speech-to-text."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from collections import deque

from kame_desktop.backend.stt.base import SttFrame
from kame_desktop.core.activity import Activity
from kame_desktop.session.async_host import AsyncHost


class SttInbox:
    """Bounded queue, drop-oldest and count. Producer: the frame thread; consumer: the asyncio thread.

    Attributes:
        dropped_frames: Frames that speech-to-text never heard.
    """

    def __init__(self, host: AsyncHost, activity: Activity, capacity_frames: int = 125) -> None:
        self._host = host
        self._activity = activity
        self._frames: deque[SttFrame] = deque()
        self._capacity = capacity_frames
        self._ready = asyncio.Event()
        self._lock = threading.Lock()
        self._closed = False
        self.dropped_frames = 0

    def put(self, frame: SttFrame) -> None:
        """Queue a frame; waits for nothing but another thread's hand on the queue."""
        if self._closed:
            return
        self._activity.begin()
        with self._lock:
            self._frames.append(frame)
            if len(self._frames) > self._capacity:
                self._drop_oldest()
        self._host.call(self._ready.set)

    def _drop_oldest(self) -> None:
        """The end of an utterance goes on to the next frame: without it no words of it would ever be final."""
        lost = self._frames.popleft()
        self.dropped_frames += 1
        self._activity.end()
        following = self._frames[0]
        if following.user.utterance == lost.user.utterance and (lost.user.started or lost.user.finished):
            user = dataclasses.replace(
                following.user,
                started=following.user.started or lost.user.started,
                finished=following.user.finished or lost.user.finished,
            )
            self._frames[0] = dataclasses.replace(following, user=user)

    async def get(self) -> SttFrame:
        """Wait for the next frame. The caller answers it with ``done``."""
        while True:
            with self._lock:
                if self._frames:
                    return self._frames.popleft()
                self._ready.clear()
            await self._ready.wait()

    def done(self) -> None:
        """The latest frame was dealt with."""
        self._activity.end()

    def close(self) -> None:
        """Take no more and forget what is queued."""
        self._closed = True
        with self._lock:
            while self._frames:
                self._frames.popleft()
                self._activity.end()
