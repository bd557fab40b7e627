"""One thread that synthesises clauses for the frame thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

import numpy as np

from kame_desktop.core.activity import Activity
from kame_desktop.frontends.voice import Clip, ClipKey, Voice

_log = logging.getLogger(__name__)
_JOIN_S = 1.0


class ThreadedSynthesizer:
    """Implements ``Synthesizer`` with one worker thread, which owns ``voice`` from construction to ``close``.

    Bound: wishes are newest-wins (each ``want`` replaces the ones before), results are what was wished since the last
    ``poll``. Every wish counts as activity until its result can be polled or it is dropped.

    Attributes:
        failures: Clauses that the voice failed on; they come back as empty clips.
    """

    def __init__(self, voice: Voice, activity: Activity) -> None:
        self.failures = 0
        self._voice = voice
        self._activity = activity
        self._changed = threading.Condition()
        self._pending: list[ClipKey] = []
        self._running: ClipKey | None = None
        self._done: list[tuple[ClipKey, Clip]] = []
        self._epoch = 0
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="lite-voice", daemon=True)
        self._thread.start()

    def want(self, keys: Sequence[ClipKey]) -> None:
        with self._changed:
            if self._closed:
                return
            have = {key for key, _ in self._done}
            wanted = [key for key in dict.fromkeys(keys) if key not in have and key != self._running]
            if wanted == self._pending:
                return
            # The new ones begin before the old ones end, so that the count can't touch zero in between.
            for _ in wanted:
                self._activity.begin()
            self._end_pending()
            self._pending = wanted
            self._changed.notify()

    def poll(self) -> list[tuple[ClipKey, Clip]]:
        with self._changed:
            done, self._done = self._done, []
        return done

    def drop(self) -> None:
        with self._changed:
            self._epoch += 1
            self._running = None  # its result is of an older epoch: the same clip may be wished again
            self._end_pending()
            self._done = []

    def close(self) -> None:
        with self._changed:
            if not self._closed:
                self._closed = True
                self._end_pending()
                self._changed.notify()
        self._thread.join(_JOIN_S)

    def _end_pending(self) -> None:
        for _ in self._pending:
            self._activity.end()
        self._pending = []

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pending or self._closed)
                if self._closed:
                    break
                key = self._pending.pop(0)
                self._running = key
                epoch = self._epoch
            clip = self._speak(key)
            with self._changed:
                if epoch == self._epoch:
                    self._running = None
                    if not self._closed:
                        self._done.append((key, clip))
            self._activity.end()
        self._voice.close()

    def _speak(self, key: ClipKey) -> Clip:
        try:
            return self._voice.speak(key)
        except Exception as error:  # noqa: BLE001 - a voice may raise anything, and the conversation goes on
            self.failures += 1
            # The text is the assistant's words: it stays out of the log.
            _log.warning("The voice failed on a clause of %d words (%s).", len(key.words), type(error).__name__)
            return Clip(np.zeros(0, dtype=np.float32), (0,) * len(key.words))
