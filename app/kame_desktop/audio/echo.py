"""Echo cancellation with WebRTC's AEC3 (package ``pywebrtc-audio``).

AEC3 takes 16, 32 or 48 kHz only, in whole 10 ms blocks. Both ends go 24 -> 48 kHz and the result back, with the same
constant delay on both ends, so their alignment is untouched. Measured: 25 dB less echo after one second (noise with a
room of 50 ms, 40 ms late), 21 ms of CPU a second of sound, and the cleaned sound is 24 ms late: 15 ms are the two
resamplers, 9 ms AEC3's band filters. AEC3 finds the delay between the two ends by itself (up to some 500 ms).

Before AEC3 has met an echo it takes everything that is heard while the far end sounds for one: with headphones it
silenced the user's first words over the first answer (measured: 12 to 45 dB less, no speech found in them). So
``EchoWatch`` looks whether there is an echo at all, and where there is none the sound goes around AEC3.
"""

from __future__ import annotations

import importlib
from collections import deque

import numpy as np

from kame_desktop.audio.resample import BlockResampler
from kame_desktop.core.audio_types import FRAME_SAMPLES, MODEL_RATE_HZ, PcmFrame, level_dbfs
from kame_desktop.core.errors import MissingPackageError

_AEC_RATE_HZ = 48_000
_AEC_FRAME = FRAME_SAMPLES * _AEC_RATE_HZ // MODEL_RATE_HZ
_DELAY_SAMPLES = 24 * MODEL_RATE_HZ // 1_000
_ECHO_FRAMES = 7
"""An echo comes within so many frames."""
_FAR_DBFS = -50.0
"""Above it the far end sounds."""
_FAR_LOUD_DBFS = -35.0
"""Above it an echo can't be missed."""
_QUIET_FRAMES = _ECHO_FRAMES + 1
_INAUDIBLE_DB = 50.0
_OVER_NOISE_DB = 3.0
_NOISE_RISE_DB = 0.2
_LONGEST_TALK_FRAMES = 8


class EchoWatch:
    """Is there an echo? No, once the far end has sounded for a while and nothing came back. Frame thread only.

    "Nothing" is 50 dB less than the far end, or no more than the noise of the room. What is heard from then on while
    the far end sounds is the user, who gets through; but when it goes on, or at the end of the far end's turn, the
    question is open again: the headphones may have been unplugged.
    """

    def __init__(self) -> None:
        self._far: deque[float] = deque(maxlen=_ECHO_FRAMES)
        self._noise_dbfs: float | None = None
        self._quiet_frames = 0
        self._talk_frames = 0
        self.absent = False

    def hear(self, near_dbfs: float, far_dbfs: float) -> None:
        """Take the levels of the next frame; ``absent`` says whether it holds no echo."""
        self._far.append(far_dbfs)
        loudest = max(self._far)
        if loudest < _FAR_DBFS:
            known = self._noise_dbfs
            self._noise_dbfs = near_dbfs if known is None else min(near_dbfs, known + _NOISE_RISE_DB)
            if self._talk_frames:
                self.absent = False
            self._quiet_frames = self._talk_frames = 0
            return
        floor = -120.0 if self._noise_dbfs is None else self._noise_dbfs
        if near_dbfs > max(loudest - _INAUDIBLE_DB, floor + _OVER_NOISE_DB):
            self._quiet_frames = 0
            self._talk_frames += far_dbfs >= _FAR_DBFS
            if self._talk_frames > _LONGEST_TALK_FRAMES:
                self.absent = False
        elif far_dbfs >= _FAR_LOUD_DBFS:
            self._quiet_frames += 1
            if self._quiet_frames >= _QUIET_FRAMES:
                self._talk_frames = 0
                self.absent = True


class WebRtcEchoCanceller:
    """Removes what the speaker played from what the microphone heard. Frame thread only; never blocks.

    Raises MissingPackageError in the constructor when the package isn't installed: the caller goes on with
    ``NoEchoCanceller`` and says that headphones are needed.
    """

    def __init__(self) -> None:
        try:
            webrtc = importlib.import_module("pywebrtc_audio")
        except ImportError as error:
            raise MissingPackageError(
                "The echo canceller (pywebrtc-audio) is not installed.",
                "Use headphones, or install it with: pip install pywebrtc-audio",
                component="microphone",
            ) from error
        self._canceller = webrtc.EchoCanceller(sample_rate=_AEC_RATE_HZ, num_channels=1, stream_delay_ms=0)
        self._near_up = BlockResampler(MODEL_RATE_HZ, _AEC_RATE_HZ, FRAME_SAMPLES)
        self._far_up = BlockResampler(MODEL_RATE_HZ, _AEC_RATE_HZ, FRAME_SAMPLES)
        self._down = BlockResampler(_AEC_RATE_HZ, MODEL_RATE_HZ, _AEC_FRAME)
        self._watch = EchoWatch()
        self._late = np.zeros(_DELAY_SAMPLES, dtype=np.float32)
        self._around = 0.0

    def process(self, near: PcmFrame, far: PcmFrame) -> PcmFrame:
        """Return ``near`` without the echo of ``far``, 24 ms late; all float32 ``[1920]`` at 24 kHz."""
        clean = self._canceller.process(self._near_up.process(near), self._far_up.process(far))
        cleaned = self._down.process(np.asarray(clean, dtype=np.float32))
        sound = np.concatenate([self._late, near])
        untouched, self._late = sound[:FRAME_SAMPLES], sound[FRAME_SAMPLES:]
        self._watch.hear(level_dbfs(near), level_dbfs(far))
        before, self._around = self._around, float(self._watch.absent)
        share = np.linspace(before, self._around, FRAME_SAMPLES, dtype=np.float32)
        return np.clip(cleaned + share * (untouched - cleaned), -1.0, 1.0).astype(np.float32, copy=False)

    def reset(self) -> None:
        """Forget the room and the sound on its way."""
        self._canceller.reset()
        self._watch = EchoWatch()
        self._late[:] = 0.0
        self._around = 0.0
        for resampler in (self._near_up, self._far_up, self._down):
            resampler.reset()
