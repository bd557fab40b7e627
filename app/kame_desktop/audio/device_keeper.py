"""Closes streams that died and opens others, on a thread of its own: the frame thread only hands over and takes.

One attempt at a time. Attempts follow one another after 0, 0.25, 0.5, 1, 2, 2, ... s. A call into PortAudio that hangs
keeps the thread; ``end`` leaves it then, and what it may open later is closed by it.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable
from typing import Protocol

from kame_desktop.audio import device_watch
from kame_desktop.audio.base import DeviceChoiceInfo, DeviceList
from kame_desktop.audio.choices import best_match
from kame_desktop.audio.device_lookout import DeviceLookout
from kame_desktop.audio.portaudio import look_again
from kame_desktop.audio.streams import DeviceWish, Streams, open_streams
from kame_desktop.core.settings import DeviceChoice

FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 2.0
PATIENCE = 2
"""So often a device that isn't the chosen one is passed over."""
LOOK_EVERY_S = 2.0
LOOK_AT_DEFAULT_EVERY_S = 10.0
TRY_AGAIN_S = 10.0
"""After so long a device that is there but was refused is tried again, then after twice that, and so on."""
LONGEST_TRY_S = 320.0
_PROVEN_S = 10.0
_STEP_S = 0.02
_log = logging.getLogger(__name__)


class Lookout(Protocol):
    """Tells which devices there are while streams are open (``device_lookout.DeviceLookout``)."""

    def look(self) -> DeviceList | None: ...

    def end(self) -> None: ...

    def close(self) -> None: ...


def follows_default(platform: str = sys.platform) -> bool:
    """Whether the system itself moves an open stream to a new default device: Linux's sound servers do."""
    return platform == "linux"


class DeviceKeeper:
    """The frame thread calls all but ``end``, which may come from any; the thread begins with the first need of it.

    Args:
        wish: What the user chose.
        wake: Set when streams were opened, and by their callbacks.
        lookout: Makes what looks for devices.
        follows: The system follows the default device by itself.
    """

    def __init__(
        self,
        wish: DeviceWish,
        wake: threading.Event,
        *,
        lookout: Callable[[], Lookout] = DeviceLookout,
        follows: bool | None = None,
    ) -> None:
        self._wish = wish
        self._wake = wake
        self._make_lookout = lookout
        self._lookout: Lookout | None = None
        self._follows = follows_default() if follows is None else follows
        self._condition = threading.Condition()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._asked = False
        self._broken = Streams()
        self._fresh: Streams | None = None
        self._look_every_s: float | None = None
        self._key: object = None
        self._opened_s = float("-inf")
        self._wait_s = 0.0
        self._better = False
        self._refused = (False, False)
        self._try_again_s = TRY_AGAIN_S

    @property
    def better_known(self) -> bool:
        """A device that was missed may be there, or the default one is another: worth a ``replace``."""
        return self._better

    def watch(self, streams: Streams) -> None:
        """These are in use: look out for better ones, if there can be any."""
        with self._condition:
            self._opened_s = time.monotonic()
            self._better = False
            self._key = None
            default_may_move = not self._follows and None in (self._wish.input, self._wish.output)
            if not streams.as_wished:
                self._look_every_s = LOOK_EVERY_S
            else:
                self._look_every_s = LOOK_AT_DEFAULT_EVERY_S if default_may_move else None
            self._refused = (streams.input_error is not None, streams.output_error is not None)
            if streams.as_wished:
                self._try_again_s = TRY_AGAIN_S
            if self._look_every_s is not None:
                self._begin()
            self._condition.notify()

    def replace(self, broken: Streams) -> None:
        """Close these and open others; ``take`` hands them over."""
        with self._condition:
            self._broken = broken
            self._asked = True
            self._better = False
            self._look_every_s = None
            self._begin()
            self._condition.notify()

    def take(self) -> Streams | None:
        """Streams that were opened since ``replace``, with sound flowing; None: not yet."""
        if self._fresh is None:
            return None
        with self._condition:
            fresh, self._fresh = self._fresh, None
        if fresh is not None:
            self.watch(fresh)
        return fresh

    def end(self, timeout_s: float) -> None:
        """Stop opening and looking; idempotent, at most ``timeout_s`` and half a second."""
        with self._condition:
            self._ended.set()
            self._condition.notify()
            thread, lookout = self._thread, self._lookout
        if lookout is not None:
            lookout.end()
        if thread is not None:
            thread.join(timeout_s)
            if thread.is_alive():
                _log.warning("the sound system does not answer; it is left to itself")

    # The thread ----------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        if self._thread is None and not self._ended.is_set():
            self._thread = threading.Thread(target=self._main, name="audio-keeper", daemon=True)
            self._thread.start()

    def _main(self) -> None:
        try:
            while not self._ended.is_set():
                with self._condition:
                    if not (self._asked or self._ended.is_set()):
                        self._condition.wait(self._look_every_s)
                    broken = self._broken if self._asked else None
                    self._asked = False
                    self._broken = Streams()
                if self._ended.is_set():
                    (broken or Streams()).close()
                elif broken is not None:
                    self._reopen(broken)
                elif self._look_every_s is not None and not self._better:
                    self._look()
        finally:
            with self._condition:
                fresh, self._fresh = self._fresh, None
            if fresh is not None:
                fresh.close()
            if self._lookout is not None:
                self._lookout.end()
                self._lookout.close()

    def _reopen(self, broken: Streams) -> None:
        broken.close()
        if time.monotonic() - self._opened_s > _PROVEN_S:
            self._wait_s = 0.0
        patience = PATIENCE
        while not self._ended.wait(self._wait_s):
            self._wait_s = min(max(2 * self._wait_s, FIRST_WAIT_S), LONGEST_WAIT_S)
            look_again()
            streams = open_streams(self._wish, self._wake)
            if (streams.capture or streams.playback) and not streams.as_wished and patience > 0:
                patience -= 1  # a sound server that starts, or a device that is plugged in, isn't there all at once
            elif self._useful(streams):
                with self._condition:
                    if not self._ended.is_set():
                        self._fresh = streams
                        self._wake.set()
                        return
            streams.close()

    def _useful(self, streams: Streams) -> bool:
        """Something was opened, and the microphone, if there is one, has woken up."""
        capture = streams.capture
        if capture is None:
            return streams.playback is not None
        give_up_s = time.monotonic() + device_watch.FIRST_CALLBACK_S
        while not capture.delivered and capture.alive and time.monotonic() < give_up_s:
            if self._ended.wait(_STEP_S):
                return False
        return capture.alive and capture.delivered > 0

    def _look(self) -> None:
        if self._lookout is None:
            lookout = self._make_lookout()
            with self._condition:
                self._lookout = lookout
        found = self._lookout.look()
        if found is None:
            return
        key = (_meant(found.inputs, self._wish.input), _meant(found.outputs, self._wish.output))
        there = (_there(found.inputs, self._wish.input), _there(found.outputs, self._wish.output))
        with self._condition:
            if self._key is None:
                self._key = key
            promising = any(refused and one for refused, one in zip(self._refused, there, strict=True))
            if key != self._key:
                self._better = True
            elif promising and time.monotonic() - self._opened_s > self._try_again_s:
                self._try_again_s = min(2 * self._try_again_s, LONGEST_TRY_S)
                self._better = True
            if self._better:
                self._wake.set()


def _there(devices: tuple[DeviceChoiceInfo, ...], choice: DeviceChoice | None) -> bool:
    """What was chosen is in the list; of the default device: anything is."""
    return bool(devices) if choice is None else best_match(devices, choice) is not None


def _meant(devices: tuple[DeviceChoiceInfo, ...], choice: DeviceChoice | None) -> tuple[str, str] | None:
    """Name and host API of the device that the choice would lead to."""
    at = best_match(devices, choice) if choice is not None else None
    if at is None:
        at = next((at for at, one in enumerate(devices) if one.default), None)
    return None if at is None else (devices[at].name, devices[at].host_api)
