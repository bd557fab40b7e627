"""Made-up rooms: what a microphone hears of a loudspeaker, with one clock or two. Deterministic, no hardware."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kame_desktop.audio.resample import resample_all
from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, MODEL_RATE_HZ, Pcm

_ACTIVE_DBFS = -50.0


def whole_frames(pcm: Pcm) -> Pcm:
    """``pcm`` without the rest that fills no frame."""
    return pcm[: len(pcm) // FRAME_SAMPLES * FRAME_SAMPLES]


def power_db(pcm: Pcm) -> float:
    """Mean power in dB, over all samples."""
    return 10.0 * float(np.log10(np.mean(np.square(pcm, dtype=np.float64)) + 1e-12))


def speech_db(pcm: Pcm) -> float:
    """Mean power in dB of the 10 ms blocks that hold sound."""
    blocks = np.mean(np.square(pcm[: len(pcm) // 240 * 240].reshape(-1, 240), dtype=np.float64), axis=1)
    loud = blocks[blocks > 10.0 ** (_ACTIVE_DBFS / 10.0)]
    return 10.0 * float(np.log10(np.mean(loud))) if loud.size else -120.0


def at_level(pcm: Pcm, dbfs: float) -> Pcm:
    """``pcm`` made so loud that its speech has ``dbfs``."""
    return (pcm * 10.0 ** ((dbfs - speech_db(pcm)) / 20.0)).astype(np.float32)


@dataclass(frozen=True)
class Room:
    """From loudspeaker to microphone: a delay, then a direct sound and a tail of decaying noise.

    Attributes:
        delay_ms: Until the direct sound.
        tail_ms: In which the reverberation falls by 60 dB.
        direct_db: How far the direct sound is over the whole tail.
        echo_db: Level of the echo of white sound, relative to what was played.
        noise_dbfs: The microphone's and the room's own noise.
        seed: Chooses the room.
    """

    delay_ms: float = 60.0
    tail_ms: float = 150.0
    direct_db: float = 3.0
    echo_db: float = -10.0
    noise_dbfs: float = -75.0
    seed: int = 7

    def response(self) -> Pcm:
        """Impulse response at 24 kHz."""
        rng = np.random.default_rng(self.seed)
        delay = round(self.delay_ms * MODEL_RATE_HZ / 1e3)
        length = round(self.tail_ms * MODEL_RATE_HZ / 1e3)
        tail = rng.standard_normal(length) * 10.0 ** (-3.0 * np.arange(length) / length)
        tail *= 10.0 ** (-self.direct_db / 20.0) / np.sqrt(np.sum(tail**2))
        response = np.zeros(delay + length)
        response[delay:] = tail
        response[delay] += 1.0
        return (response * 10.0 ** (self.echo_db / 20.0) / np.sqrt(np.sum(response**2))).astype(np.float32)

    def echo(self, far: Pcm) -> Pcm:
        """What comes back of ``far``; same length."""
        return convolve(far, self.response())

    def noise(self, samples: int) -> Pcm:
        """The room when everybody is silent."""
        rng = np.random.default_rng(self.seed + 1)
        return (rng.standard_normal(samples) * 10.0 ** (self.noise_dbfs / 20.0)).astype(np.float32)

    def microphone(self, far: Pcm, user: Pcm | None = None) -> Pcm:
        """Echo, noise and the user together; as long as ``far``."""
        near = self.echo(far) + self.noise(len(far))
        if user is not None:
            near[: len(user)] += user[: len(near)]
        return np.clip(near, -1.0, 1.0).astype(np.float32)


def convolve(pcm: Pcm, response: Pcm) -> Pcm:
    """Linear convolution in blocks, cut to the length of ``pcm``."""
    block = 1 << 16
    size = 1 << int(np.ceil(np.log2(block + len(response))))
    spectrum = np.fft.rfft(response, size)
    out = np.zeros(len(pcm) + size)
    for start in range(0, len(pcm), block):
        piece = pcm[start : start + block]
        out[start : start + size] += np.fft.irfft(np.fft.rfft(piece, size) * spectrum, size)
    return out[: len(pcm)].astype(np.float32)


def echo_reduction_db(echo: Pcm, cleaned: Pcm, delay_samples: int, start_s: float, end_s: float | None = None) -> float:
    """Echo return loss by cancellation between two times: power of the echo over that of what is left of it."""
    start = round(start_s * MODEL_RATE_HZ)
    end = len(echo) - delay_samples if end_s is None else round(end_s * MODEL_RATE_HZ)
    return power_db(echo[start:end]) - power_db(cleaned[start + delay_samples : end + delay_samples])


def played_by_another_clock(far: Pcm, drift: float) -> Pcm:
    """What comes out of a loudspeaker whose clock is ``drift`` faster than the microphone's, on the latter's time."""
    return resample_all(far, MODEL_RATE_HZ * (1.0 + drift), MODEL_RATE_HZ)


@dataclass(frozen=True)
class Taken:
    """What the loudspeaker's callback took while a frame was captured, in its own time.

    Attributes:
        blocks: Its blocks.
        since_block_ms: How long before the end of the frame it took the latest one, on the microphone's time.
    """

    blocks: list[Pcm]
    since_block_ms: float


def callbacks(
    far: Pcm, drift: float, frames: int, *, block: int = MODEL_RATE_HZ // 50, jitter_ms: float = 2.0, seed: int = 1
) -> Iterator[Taken]:
    """For each captured frame what the loudspeaker's callback took meanwhile.

    The block whose sound begins at time t is taken at t, or up to ``jitter_ms`` later.
    """
    rng = np.random.default_rng(seed)
    number = 0
    due_ms = taken_ms = 0.0
    block_ms = block * 1e3 / MODEL_RATE_HZ / (1.0 + drift)
    for frame in range(frames):
        end_ms = (frame + 1) * FRAME_MS
        blocks = []
        while due_ms <= end_ms:
            blocks.append(far[number * block : (number + 1) * block])
            taken_ms, number = due_ms, number + 1
            due_ms = number * block_ms + rng.uniform(0.0, jitter_ms)
        yield Taken(blocks, end_ms - taken_ms)
