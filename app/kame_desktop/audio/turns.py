"""Who is speaking, from voice activity and energy together. Pure: frames in, ``UserActivity`` out; no clock, no thread.

The voice activity detector knows what is speech but answers late: at the end of five recorded questions its probability
stayed over 0.5 for 60-70 ms after the sound was gone. Energy knows when the sound was gone but not what it was. So:

* Speech *starts* when the detector says so for ``start_ms`` in a row.
* Silence is counted from the last 10 ms block that the detector does not deny and whose energy lies within
  ``energy_range_db`` of the utterance's peak. The newest 10-42 ms, which the detector hasn't judged yet (32 ms chunks
  and the resampler's 10 ms), count as speech when they are loud.
* In noise that hides the quiet ends of words the detector's own end, less its known lateness, counts too if it is
  later; in noise less than 26 dB under the peak it decides alone.

``pause_ms`` must outlast the closures inside words (t, k, p: up to 130 ms in synthesised speech at normal and slow
speed). Because it is looked at once a frame, ``paused`` comes ``pause_ms`` to ``pause_ms + 80`` after the end of speech
(five recorded questions: 193 ms on average, 229 at most). Pauses at commas last 170-550 ms and can't be told from an
end that early (16 a minute inside long sentences): ``paused`` is tentative, and ``started`` takes it back. Whoever
knows the words can tell more: a front end waits longer after ``paused`` when they end openly, and ``expect_more`` keeps
the utterance open for longer, so that what follows still belongs to it.

Times are sample counts since ``reset``: frame ``k`` ends at ``80 * (k + 1)`` ms. A frame loop whose first frame began
later on the session clock adds that offset. Digitally silent frames outside an utterance never reach the detector.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from kame_desktop.audio.base import VoiceActivityDetector
from kame_desktop.audio.resample import StreamResampler
from kame_desktop.core.audio_types import FRAME_SAMPLES, MODEL_RATE_HZ, Pcm, PcmFrame, UserActivity

_BLOCK = MODEL_RATE_HZ // 100
_BLOCK_MS = 10.0
_BLOCKS_PER_FRAME = FRAME_SAMPLES // _BLOCK
_NOISE_MARGIN_DB = 6.0
_USEFUL_RANGE_DB = 20.0
_NO_NOISE_DBFS = -90.0


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """When speech starts and ends.

    Attributes:
        start_ms: Speech in a row that starts an utterance, or takes a pause back (whole VAD chunks).
        pause_ms: Silence that ends speech tentatively.
        finish_ms: Silence that ends the utterance.
        open_finish_ms: Silence that ends it while more is expected.
        threshold: Probability from which a chunk is speech.
        keep_threshold: Probability under which the detector denies a loud block inside an utterance.
        energy_range_db: How far under the utterance's peak a block still counts as its sound.
        floor_dbfs: Quieter blocks are never speech.
        vad_lag_ms: How long the detector goes on saying "speech" after its end.
    """

    start_ms: float = 64.0
    pause_ms: float = 160.0
    finish_ms: float = 500.0
    open_finish_ms: float = 1_300.0
    threshold: float = 0.5
    keep_threshold: float = 0.35
    energy_range_db: float = 35.0
    floor_dbfs: float = -65.0
    vad_lag_ms: float = 60.0


class _State(Enum):
    IDLE = auto()
    SPEAKING = auto()
    PAUSED = auto()


@dataclass(slots=True)
class _Block:
    """10 ms of sound: energy, and the detector's probability once it has judged it."""

    dbfs: float
    probability: float | None = None


class VadTurnDetector:
    """Turn detector over any voice activity detector. Frame thread only.

    Args:
        vad: The detector.
        options: When speech starts and ends.
        gain: What the sound is multiplied with before it is judged (``listening_gain`` of a recording).
    """

    def __init__(self, vad: VoiceActivityDetector, options: TurnOptions | None = None, *, gain: float = 1.0) -> None:
        self._vad = vad
        self._gain = np.float32(gain)
        self._options = options or TurnOptions()
        self._resampler = StreamResampler(MODEL_RATE_HZ, vad.rate_hz)
        self._chunk_blocks = vad.chunk_samples / vad.rate_hz * 1e3 / _BLOCK_MS
        keep_ms = max(self._options.finish_ms, self._options.open_finish_ms) + 500.0
        self._blocks: deque[_Block] = deque(maxlen=int(keep_ms / _BLOCK_MS))
        self.reset()

    def reset(self) -> None:
        """Start a session anew: utterances count from 1 again, time from 0."""
        self._vad.reset()
        self._blocks.clear()
        self._total_blocks = 0
        self._noise_dbfs = _NO_NOISE_DBFS
        self._state = _State.IDLE
        self._utterance = 0
        self._peak_dbfs = _NO_NOISE_DBFS
        self._closed_speech_ms = 0.0
        self._segment_start_ms = 0.0
        self._last_speech_ms = 0.0
        self._more_expected = False
        self._listen_anew()

    def expect_more(self, expected: bool) -> None:
        """The utterance's words end openly, or no longer do: how long a silence ends it from the next frame on."""
        self._more_expected = expected

    def _listen_anew(self) -> None:
        """Begin a stretch of sound for the detector at the present block."""
        self._listening = False
        self._resampler.reset()
        self._pending: Pcm = np.zeros(0, dtype=np.float32)
        self._chunks_judged = 0
        self._first_block = self._total_blocks
        self._run_chunks = 0

    def process(self, frame: PcmFrame) -> UserActivity:
        """Take the next frame (float32 ``[1920]`` at 24 kHz) and say what the user is doing at its end."""
        frame = frame * self._gain
        power = np.mean(np.square(frame.reshape(_BLOCKS_PER_FRAME, _BLOCK), dtype=np.float64), axis=1)
        levels = 10.0 * np.log10(power + 1e-12)
        quiet = bool(levels.max() < self._options.floor_dbfs)
        if quiet and self._state is _State.IDLE:
            return self._skip(levels)
        if not self._listening:
            self._vad.reset()
            self._listening = True
        self._blocks.extend(_Block(float(level)) for level in levels)
        self._total_blocks += _BLOCKS_PER_FRAME
        started = self._judge(frame)
        paused = finished = False
        if self._state is _State.SPEAKING:
            paused = self._silence_ms() >= self._options.pause_ms
            if paused:
                self._closed_speech_ms += max(0.0, self._last_speech_ms - self._segment_start_ms)
                self._state = _State.PAUSED
        elif self._state is _State.PAUSED:
            limit_ms = self._options.open_finish_ms if self._more_expected else self._options.finish_ms
            finished = self._silence_ms() >= limit_ms and self._run_chunks == 0
            if finished:
                self._state = _State.IDLE
                self._more_expected = False
        return self._activity(started=started, paused=paused, finished=finished)

    def _skip(self, levels: np.ndarray) -> UserActivity:
        """A frame of digital silence outside an utterance: nothing to judge."""
        self._blocks.extend(_Block(float(level), 0.0) for level in levels)
        self._total_blocks += _BLOCKS_PER_FRAME
        self._listen_anew()
        return self._activity()

    def _judge(self, frame: PcmFrame) -> bool:
        """Run the detector on what is complete; True when speech starts or goes on after a pause."""
        started = False
        size = self._vad.chunk_samples
        self._pending = np.concatenate((self._pending, self._resampler.process(frame)))
        while len(self._pending) >= size:
            probability = self._vad.probability(self._pending[:size])
            self._pending = self._pending[size:]
            first = self._first_block + self._chunks_judged * self._chunk_blocks
            self._chunks_judged += 1
            judged = self._mark(first, first + self._chunk_blocks, probability)
            speech = probability >= self._options.threshold and self._loud_enough(judged)
            self._run_chunks = self._run_chunks + 1 if speech else 0
            if (
                self._state is not _State.SPEAKING
                and self._run_chunks * self._chunk_blocks * _BLOCK_MS >= self._options.start_ms
            ):
                self._start(first + self._chunk_blocks)
                started = True
            if self._state is _State.SPEAKING and speech:
                self._peak_dbfs = max(self._peak_dbfs, *(block.dbfs for block in judged))
        return started

    def _mark(self, first: float, end: float, probability: float) -> list[_Block]:
        """Write a chunk's probability into the blocks whose middle lies in it (block numbers since ``reset``)."""
        oldest = self._total_blocks - len(self._blocks)
        judged: list[_Block] = []
        for number in range(max(oldest, int(first)), min(self._total_blocks, int(end) + 1)):
            if first <= number + 0.5 < end:
                block = self._blocks[number - oldest]
                block.probability = probability
                judged.append(block)
                if probability < 0.15:
                    self._noise_dbfs += 0.2 * (block.dbfs - self._noise_dbfs)
                    self._noise_dbfs = max(self._noise_dbfs, _NO_NOISE_DBFS)
                else:
                    self._noise_dbfs = max(_NO_NOISE_DBFS, min(self._noise_dbfs, block.dbfs))
        return judged

    def _loud_enough(self, blocks: list[_Block]) -> bool:
        """Whether a chunk holds sound at all; after a pause, sound that fits the utterance."""
        least = self._options.floor_dbfs
        if self._state is not _State.IDLE:
            least = max(least, self._peak_dbfs - self._options.energy_range_db)
        return any(block.dbfs > least for block in blocks)

    def _start(self, end_block: float) -> None:
        """An utterance begins, or goes on after a pause; ``end_block``: end of the chunks that said so."""
        if self._state is _State.IDLE:
            self._utterance += 1
            self._closed_speech_ms = 0.0
            self._peak_dbfs = _NO_NOISE_DBFS
        self._state = _State.SPEAKING
        self._segment_start_ms = max(0.0, end_block - self._run_chunks * self._chunk_blocks) * _BLOCK_MS
        self._last_speech_ms = end_block * _BLOCK_MS

    def _silence_ms(self) -> float:
        """Silence at the end of the newest block; while speaking, first finds the last block that held speech."""
        now_ms = self._total_blocks * _BLOCK_MS
        if self._state is _State.SPEAKING:
            self._last_speech_ms = max(self._segment_start_ms, min(now_ms, self._find_last_speech_ms(now_ms)))
        return now_ms - self._last_speech_ms

    def _find_last_speech_ms(self, now_ms: float) -> float:
        options = self._options
        under_peak = max(options.floor_dbfs, self._peak_dbfs - options.energy_range_db)
        over_noise = self._noise_dbfs + _NOISE_MARGIN_DB
        end_ms = self._segment_start_ms
        if over_noise <= self._peak_dbfs - _USEFUL_RANGE_DB:
            end_ms = self._end_by_energy(now_ms, max(under_peak, over_noise))
        if over_noise > under_peak:  # the noise hides the quiet end of words: hear the detector too
            end_ms = max(end_ms, self._end_by_vad(now_ms))
        return end_ms

    def _end_by_energy(self, now_ms: float, least_dbfs: float) -> float:
        """End of the last loud block that the detector doesn't deny."""
        for back, block in enumerate(reversed(self._blocks)):
            allowed = block.probability is None or block.probability >= self._options.keep_threshold
            if allowed and block.dbfs > least_dbfs:
                return now_ms - back * _BLOCK_MS
        return self._segment_start_ms

    def _end_by_vad(self, now_ms: float) -> float:
        """End of the last block that the detector calls speech, less its lateness."""
        judged = [block.probability for block in self._blocks if block.probability is not None]
        latest = judged[-1] if judged else 0.0
        for back, block in enumerate(reversed(self._blocks)):
            probability = latest if block.probability is None else block.probability
            if probability >= self._options.threshold:
                return now_ms if back == 0 else now_ms - back * _BLOCK_MS - self._options.vad_lag_ms
        return self._segment_start_ms

    def _activity(self, *, started: bool = False, paused: bool = False, finished: bool = False) -> UserActivity:
        speaking = self._state is _State.SPEAKING
        speech_ms = self._closed_speech_ms
        if speaking:
            speech_ms += max(0.0, self._last_speech_ms - self._segment_start_ms)
        now_ms = self._total_blocks * _BLOCK_MS
        return UserActivity(
            utterance=self._utterance,
            speaking=speaking,
            started=started,
            paused=paused,
            finished=finished,
            speech_ms=speech_ms,
            silence_ms=now_ms - self._last_speech_ms if self._utterance else 0.0,
            last_speech_ms=self._last_speech_ms,
        )
