"""Clips -> 1,920-sample frames with the words that begin in each. Pure; owner: the frame thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kame_desktop.core.audio_types import FRAME_SAMPLES, MODEL_RATE_HZ, Pcm, PcmFrame, silence_frame
from kame_desktop.frontends.base import SpokenWord
from kame_desktop.frontends.voice import Clip

_AUDIBLE = 2e-3
_FADE_MS = 50.0
_FADE_IN_MS = 8.0
_HARDLY_BEGUN_MS = 20.0
_NEARLY_SAID_MS = 60.0


def ms_to_samples(ms: float) -> int:
    """Milliseconds as model-rate samples."""
    return round(ms * MODEL_RATE_HZ / 1e3)


def _fade(ms: float) -> Pcm:
    """From 1 to 0 within ``ms``, without a corner."""
    samples = ms_to_samples(ms)
    return (0.5 + 0.5 * np.cos(np.pi * (np.arange(samples) + 1) / samples)).astype(np.float32)


_FADE: Pcm = np.concatenate((_fade(_FADE_MS), np.zeros(FRAME_SAMPLES - ms_to_samples(_FADE_MS), dtype=np.float32)))
_FADE_IN: Pcm = _fade(_FADE_IN_MS)[::-1].copy()


@dataclass(frozen=True, slots=True)
class Piece:
    """A clip to play.

    Attributes:
        clip: Its sound.
        words: One an onset.
        gap_samples: Silence after it.
        answer: It is of the answer.
        told: So many of its words were reported before: it is what is left of a piece that was cut.
    """

    clip: Clip
    words: tuple[SpokenWord, ...]
    gap_samples: int
    answer: bool
    told: int = 0


@dataclass(frozen=True, slots=True)
class Rendered:
    """One frame.

    Attributes:
        pcm: Shape ``[FRAME_SAMPLES]``; exact zeros where nothing is played.
        words: Words that begin in it.
        audible_at: First sample that can be heard; None in silence.
        answer_samples: How much of it is answer.
    """

    pcm: PcmFrame
    words: tuple[SpokenWord, ...]
    audible_at: int | None
    answer_samples: int


class ClipPlayer:
    """Plays one piece at a time and asks for the next when its moment has come: nothing queued can be stale."""

    def __init__(self) -> None:
        self._piece: Piece | None = None
        self._position = 0
        self._next_word = 0
        self._gap = 0
        self._silence = 0
        """Samples since the latest piece, or, while one is being played, before it."""

    @property
    def sounding(self) -> bool:
        """A piece is being played (the gap after it isn't part of it)."""
        return self._piece is not None

    def stop(self) -> None:
        """Forget the piece and the gap; what follows is silence."""
        self._piece = None
        self._gap = self._silence = 0

    def render(self, pick: Callable[[], Piece | None]) -> Rendered:
        """Make the next frame. ``pick`` is asked for the next piece at the very sample where it would begin."""
        pcm = silence_frame()
        words: list[SpokenWord] = []
        at = 0
        answer_samples = 0
        while at < FRAME_SAMPLES:
            if self._piece is None:
                skip = min(self._gap, FRAME_SAMPLES - at)
                self._gap -= skip
                self._silence += skip
                at += skip
                if at == FRAME_SAMPLES:
                    break
                self._piece = pick()
                if self._piece is None:
                    self._silence += FRAME_SAMPLES - at
                    break
                self._position, self._next_word = 0, self._piece.told
            taken = self._copy(self._piece, pcm, at, words)
            answer_samples += taken if self._piece.answer else 0
            at += taken
            if self._position >= self._piece.clip.pcm.size:
                self._gap = self._piece.gap_samples
                self._silence = 0
                self._piece = None
        audible = np.flatnonzero(np.abs(pcm) > _AUDIBLE)
        return Rendered(pcm, tuple(words), int(audible[0]) if audible.size else None, answer_samples)

    def covers(self, unplayed: int) -> bool:
        """The piece before this one is as good as over when the last ``unplayed`` samples aren't heard."""
        since = self._silence + (self._position if self._piece is not None else 0)
        return since + ms_to_samples(_NEARLY_SAID_MS) >= unplayed

    def rest(self, unplayed: int = 0) -> tuple[Piece, int] | None:
        """What is left of the piece that is being played, from the beginning of the word in whose middle it is.

        The last ``unplayed`` samples that were rendered count as left. Also says which word of the piece that is. None
        when nothing is being played, or (nearly) all of it was.
        """
        piece = self._piece
        if piece is None or not piece.words:
            return None
        pcm, onsets = piece.clip.pcm, piece.clip.onsets
        position = max(0, self._position - unplayed)
        begun = position + ms_to_samples(_HARDLY_BEGUN_MS)
        word = max((number for number, onset in enumerate(onsets) if onset <= begun), default=0)
        word = min(word, self._next_word)
        if self._next_word == len(onsets) and pcm.size - position <= ms_to_samples(_NEARLY_SAID_MS):
            return None
        start = onsets[word]
        sound = pcm[start:].copy()
        if start:
            edge = min(_FADE_IN.size, sound.size)
            sound[:edge] *= _FADE_IN[:edge]
        clip = Clip(sound, tuple(onset - start for onset in onsets[word:]))
        told = max(0, self._next_word - word)
        return Piece(clip, piece.words[word:], piece.gap_samples, piece.answer, told), word

    def fade_out(self) -> PcmFrame:
        """One last frame of the piece that is being played, soon faded to zero; its further words don't count."""
        pcm = silence_frame()
        if self._piece is not None:
            self._copy(self._piece, pcm, 0, [])
            pcm *= _FADE
        self.stop()
        return pcm

    def _copy(self, piece: Piece, pcm: PcmFrame, at: int, words: list[SpokenWord]) -> int:
        """Copy on from ``_position`` into ``pcm[at:]``; report the words on the way; return the samples copied."""
        part = piece.clip.pcm[self._position : self._position + FRAME_SAMPLES - at]
        pcm[at : at + part.size] = part
        self._position += part.size
        ended = self._position >= piece.clip.pcm.size
        while self._next_word < len(piece.words) and (ended or piece.clip.onsets[self._next_word] < self._position):
            words.append(piece.words[self._next_word])
            self._next_word += 1
        return part.size
