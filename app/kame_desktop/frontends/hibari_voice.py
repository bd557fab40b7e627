"""The voice of the starter pack: hibari-tts (English, 24 kHz, model inside the wheel, no network).

Source: hibari 0.2.1, ``hibari.Hibari`` with the built-in voice "heart". A clause comes back with about 300 ms of
near-silence before it and 420 ms after it; both are trimmed here. The model doesn't tell when words begin: onsets are
estimated from phoneme counts (its durations come in steps of 25 ms, about two a phoneme) and moved to a dip in energy.
"""

from __future__ import annotations

import re
import threading
from importlib import import_module
from typing import Any

import numpy as np

from kame_desktop.core.audio_types import MODEL_RATE_HZ, Pcm
from kame_desktop.core.errors import MissingPackageError, ModelFileError
from kame_desktop.frontends.hibari_words import readable
from kame_desktop.frontends.voice import ClauseEnd, Clip, ClipKey

_WINDOW = 120  # 5 ms
_SILENCE_DBFS = -58.0
"""The softest final consonant ("f", "th") lies over -55 dBFS, the model's own silence under -66."""
_LEAD_MS = 10.0
_TAIL_MS = 15.0
_FADE_MS = 4.0
_SPEECH_DBFS = -42.0
_CLOSURE_MS = 110.0
"""The longest silence inside a word (before a final "t" or "k")."""
_SPEECH_POWER = 10.0 ** (_SPEECH_DBFS / 10.0)
_TARGET_DBFS = -20.0
_MIN_GAIN_DB, _MAX_GAIN_DB = 0.0, 8.0
_PEAK = 0.7
_SNAP_MS = 45.0
_KEPT_CLIPS = 24
_UNITS = {"ð": 1.1, "ɐ": 1.2, "h": 1.4, "w": 1.4, "ʌ": 1.5, "ŋ": 1.6, "ɔ": 1.6, "ɑ": 1.7, "O": 2.8, "I": 2.7}
_UNITS |= {
    "A": 2.5,
    "W": 2.5,
    "Y": 3.5,
    "s": 2.4,
    "z": 2.2,
    "i": 2.4,
    "ʃ": 2.4,
    ",": 5.6,
    ";": 5.6,
    ":": 5.6,
    "—": 5.6,
}
_UNIT = 2.0
"""Length of a phoneme or stress mark in 25 ms steps, where ``_UNITS`` has no other (means over 24 clauses)."""
_FINAL_UNITS = 3.0
"""What the last phoneme is longer before a pause."""


_NUMERAL_LETTERS = tuple("IVXLC")
_NUMERAL = re.compile(r"(?:[IVX]|[IVXLC]{2,})[.,;:!?…]*")
_BEFORE_NUMERAL = re.compile(r"[^\W\d_]$")


class HibariVoice:
    """Implements ``Voice``. Owner: the thread that loads it, then the synthesis worker.

    Args:
        keep_loaded: ``close`` leaves the model in memory: whoever made this voice uses it for the next session.
    """

    def __init__(self, *, keep_loaded: bool = False) -> None:
        self._keep_loaded = keep_loaded
        self._tts: Any = None
        # A worker that outlasted its session's end must not meet the next one inside the model.
        self._lock = threading.Lock()
        self._first_clips: dict[ClipKey, Clip] = {}
        """The fixed phrases, which every session prepares first (that of a ``keep_loaded`` voice only)."""

    def load(self) -> None:
        """Load voice and pronunciation tables (0.3 s) and warm up (0.7 s); nothing to do when that was done before."""
        with self._lock:
            if self._tts is not None:
                return
            try:
                hibari = import_module("hibari")
            except ImportError as error:
                raise MissingPackageError(
                    "hibari-tts isn't installed.",
                    "Install the starter pack: pip install 'kame-desktop[starter]'",
                    component="voice",
                ) from error
            try:
                self._tts = hibari.Hibari(threads=1)
                self._tts("Ready.", seed=0)
            except Exception as error:
                raise ModelFileError(
                    "The voice of hibari-tts can't be loaded.",
                    "Install it again: pip install --force-reinstall hibari-tts",
                    component="voice",
                ) from error

    def speak(self, key: ClipKey) -> Clip:
        """Synthesise a clause: trimmed, levelled to about -20 dBFS, zero at both ends."""
        clip = self._first_clips.get(key)
        if clip is None:
            clip = self._synthesise(key)
            if self._keep_loaded and len(self._first_clips) < _KEPT_CLIPS:
                self._first_clips[key] = clip
        return clip

    def close(self) -> None:
        if not self._keep_loaded:
            self._tts = None

    def _synthesise(self, key: ClipKey) -> Clip:
        words = without_false_numerals(readable([_clean(word) for word in key.words]))
        nothing = Clip(np.zeros(0, dtype=np.float32), (0,) * len(words))
        with self._lock:
            units = [self._units(word) for word in words]
            if not any(units):
                return nothing
            sound = self._tts(_punctuated(words, key.end), seed=0)
        pcm, _, _ = trim(sound)
        if pcm.size == 0:
            return nothing
        onsets = snap_to_dips(pcm, spread_onsets(units, pcm.size))
        return Clip(_levelled(pcm), onsets)

    def _units(self, word: str) -> float:
        """Estimated length of a word in 25 ms steps, the gap after it included."""
        phonemes = "".join(self._tts.phonemize(word)).rstrip(".!?…")
        if not phonemes.strip(" ,;:—"):
            return 0.0
        return sum(_UNITS.get(phoneme, _UNIT) for phoneme in phonemes) + _UNIT


def _clean(word: str) -> str:
    return word.translate(str.maketrans("", "", '*_`#"“”()[]{}'))


def without_false_numerals(words: list[str]) -> list[str]:
    """Words that the voice's normaliser doesn't take for a Roman numeral with nothing in it.

    hibari 0.2.1 reads "James Cameron" as "James the zeroth Cameron": after a name that kings bear, or a word like
    "chapter", it finds an empty numeral before any capital I, V, X, L or C. A small letter there changes no sound.
    """
    safe: list[str] = []
    for word in words:
        taken_for_numeral = (
            safe
            and word[:1] in _NUMERAL_LETTERS
            and not _NUMERAL.fullmatch(word)
            and _BEFORE_NUMERAL.search(safe[-1]) is not None
        )
        safe.append(word[0].lower() + word[1:] if taken_for_numeral else word)
    return safe


def _punctuated(words: list[str], end: ClauseEnd) -> str:
    """The text of a clause, with the mark at its end that gives the right melody."""
    text = " ".join(word for word in words if word)
    if end is not ClauseEnd.SENTENCE:
        return text.rstrip(",;:—–-. ") + ","
    return text if text.endswith((".", "!", "?", "…")) else text.rstrip(",;:—–- ") + "."


def trim(pcm: Pcm) -> tuple[Pcm, int, int]:
    """Cut near-silence off both ends; also say where the rest begins and ends in ``pcm`` (samples).

    Soft sound (a final "f") is kept as far as it hangs together with speech; noise at the far end of the silence, which
    the model sometimes makes, is not.
    """
    power = _window_power(pcm)
    audible = np.flatnonzero(power > 10.0 ** (_SILENCE_DBFS / 10.0))
    breaks = np.flatnonzero(np.diff(audible) > _samples(_CLOSURE_MS) // _WINDOW)
    islands = np.split(audible, breaks + 1)
    spoken = [island for island in islands if power[island].max() > _SPEECH_POWER]
    if not spoken:
        return pcm[:0], 0, 0
    start = max(0, int(spoken[0][0]) * _WINDOW - _samples(_LEAD_MS))
    end = min(pcm.size, (int(spoken[-1][-1]) + 1) * _WINDOW + _samples(_TAIL_MS))
    return pcm[start:end], start, end


def spread_onsets(units: list[float], samples: int) -> list[int]:
    """Onset of each word, by estimated length, over a trimmed clip of ``samples``."""
    lead = _samples(_LEAD_MS)
    total = sum(units) - _UNIT + _FINAL_UNITS
    scale = (samples - lead - _samples(_TAIL_MS)) / max(total, 1.0)
    starts = np.concatenate([[0.0], np.cumsum(units)[:-1]]) if units else np.zeros(0)
    return [max(0, min(samples - 1, lead + int(start * scale))) for start in starts]


def snap_to_dips(pcm: Pcm, onsets: list[int]) -> tuple[int, ...]:
    """Move each onset but the first to the end of the deepest dip in energy near it; the order is kept."""
    power = _window_power(pcm) + 1e-9
    reach = _samples(_SNAP_MS) // _WINDOW
    out: list[int] = []
    for number, estimate in enumerate(onsets):
        middle = estimate // _WINDOW
        low, high = max(0, middle - reach), min(power.size, middle + reach + 1)
        onset = estimate
        if number > 0 and high > low and middle < power.size:
            dip = low + int(np.argmin(power[low:high]))
            if power[dip] < 0.1 * power[middle]:
                onset = dip * _WINDOW
        out.append(max(onset, out[-1] if out else 0))
    return tuple(out)


def _levelled(pcm: Pcm) -> Pcm:
    """A copy at the target level, with short fades at both ends."""
    power = _window_power(pcm)
    speech = power[power > _SPEECH_POWER]
    level = 10.0 * float(np.log10(speech.mean())) if speech.size else _TARGET_DBFS
    gain = 10.0 ** (min(max(_TARGET_DBFS - level, _MIN_GAIN_DB), _MAX_GAIN_DB) / 20.0)
    peak = float(np.abs(pcm).max())
    out = (pcm * min(gain, _PEAK / max(peak, 1e-6))).astype(np.float32)
    fade = min(_samples(_FADE_MS), out.size // 2)
    ramp = (0.5 - 0.5 * np.cos(np.pi * np.arange(fade) / fade)).astype(np.float32) if fade else out[:0]
    out[:fade] *= ramp
    out[out.size - fade :] *= ramp[::-1]
    return out


def _window_power(pcm: Pcm) -> Pcm:
    """Mean square of each whole window."""
    count = pcm.size // _WINDOW
    return np.mean(np.square(pcm[: count * _WINDOW].reshape(count, _WINDOW)), axis=1)


def _samples(ms: float) -> int:
    return round(ms * MODEL_RATE_HZ / 1e3)
