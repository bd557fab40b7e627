"""What a sound device does while in use: has it stopped, does it only send silence? Pure: samples and times in."""

from __future__ import annotations

import sys

import numpy as np

from kame_desktop.audio.base import DeviceEvent
from kame_desktop.core.audio_types import Pcm

FIRST_CALLBACK_S = 5.0
"""A device that was suspended may take 2 s to wake up."""
AWAKE_S = 0.4
"""So much sound shows that it is awake: before that a loudspeaker's callbacks fill its buffer and pause again."""
STALL_S = 0.7
FROZEN_S = 0.5
SILENCE_S = 3.0


class StallWatch:
    """Whether a stream has stopped delivering. Frame thread only.

    Who looks may have been away himself: the computer slept, or Python was held up by a library that loads. Callbacks
    were held up as well then, so the device gets its time again.
    """

    def __init__(self, rate_hz: int, now_s: float) -> None:
        self._awake = int(rate_hz * AWAKE_S)
        self._seen = 0
        self._looked_s = now_s
        self._until_s = now_s + FIRST_CALLBACK_S

    def stalled(self, delivered: int, now_s: float) -> bool:
        """``delivered``: samples so far."""
        away = now_s - self._looked_s > FROZEN_S
        self._looked_s = now_s
        if delivered != self._seen:
            self._seen = delivered
            if delivered >= self._awake:
                self._until_s = now_s + STALL_S
        elif away:
            self._until_s = max(self._until_s, now_s + STALL_S)
        return now_s > self._until_s


class SilenceWatch:
    """Notices a microphone that sends one value for ``SILENCE_S``, which no working one does. Frame thread only."""

    def __init__(self, rate_hz: int) -> None:
        self._limit = int(rate_hz * SILENCE_S)
        self._value: float | None = None
        self._samples = 0
        self.silent = False
        self._told = False

    def hear(self, pcm: Pcm) -> bool:
        """Take the next samples as the device sent them; say whether ``silent`` changed. It does so twice at most."""
        if not len(pcm):
            return False
        value = float(pcm[0])
        if not np.all(pcm == pcm[0]):
            self._value, self._samples = None, 0
        elif value == self._value:
            self._samples += len(pcm)
        else:
            self._value, self._samples = value, len(pcm)
        if not self._told and self._samples >= self._limit:
            self.silent = self._told = True
            return True
        if self.silent and self._value is None:
            self.silent = False
            return True
        return False


def permission_hint(platform: str = sys.platform) -> str:
    """Where this system lets a user allow the microphone, in one sentence."""
    if platform == "darwin":
        return "Allow it in System Settings, Privacy & Security, Microphone, then start the program again."
    if platform == "win32":
        return "Allow desktop apps to use it in Settings, Privacy & security, Microphone, and look at its level there."
    return (
        "Look at the sound settings (or run pavucontrol): it must not be muted; a sandboxed program needs permission."
    )


def silence_event(name: str, silent: bool) -> DeviceEvent:
    """What to tell about a microphone that sends only silence, or does so no longer."""
    if not silent:
        return DeviceEvent("microphone", name, f"The microphone '{name}' is heard again.")
    return DeviceEvent(
        "microphone",
        name,
        f"The microphone '{name}' sends only silence. It may be muted on the device or in the system, or this program "
        "may not be allowed to use it.",
        permission_hint(),
    )
