"""Frames on their way from the frame thread to speech-to-text."""

from __future__ import annotations

import asyncio
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
        self._closed = False
        self.dropped_frames = 0

    def put(self, frame: SttFrame) -> None:
        """Queue a frame; never blocks."""
        if self._closed:
            return
        self._activity.begin()
        self._frames.append(frame)
        if len(self._frames) > self._capacity:
            try:
                self._frames.popleft()
            except IndexError:
                pass
            else:
                self.dropped_frames += 1
                self._activity.end()
        self._host.call(self._ready.set)

    async def get(self) -> SttFrame:
        """Wait for the next frame. The caller answers it with ``done``."""
        while True:
            try:
                return self._frames.popleft()
            except IndexError:
                self._ready.clear()
            if not self._frames:
                await self._ready.wait()

    def done(self) -> None:
        """The latest frame was dealt with."""
        self._activity.end()

    def close(self) -> None:
        """Take no more and forget what is queued."""
        self._closed = True
        while self._frames:
            self._frames.popleft()
            self._activity.end()
