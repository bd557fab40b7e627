"""What to believe of a streaming recogniser's guesses: pure text functions.

Local agreement (Liu et al. 2020, arXiv 2005.11185): words on which two successive passes agree are shown as stable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_EDGE = re.compile(r"^[^\w]+|[^\w]+$")
_MAX_WORDS_PER_S = 7.0

# Whisper's favourite inventions on sound without words; believed only when the sound was surely speech.
_INVENTIONS = frozenset(
    {
        "you",
        "bye",
        "thank you",
        "thanks for watching",
        "thank you for watching",
        "thank you very much",
        "thank you so much for watching",
        "please subscribe",
        "subscribe",
        "i'll see you next time",
        "i'm sorry",
    }
)


def word_key(word: str) -> str:
    """A word without case and edge punctuation, for comparison."""
    return _EDGE.sub("", word).casefold()


def agreed_words(earlier: Sequence[str], later: Sequence[str]) -> int:
    """How many leading words two hypotheses share."""
    count = 0
    for first, second in zip(earlier, later, strict=False):
        if word_key(first) != word_key(second):
            break
        count += 1
    return count


def collapse_repeats(text: str, audio_ms: float) -> str:
    """Cut a repeated tail down to one copy, also when the last copy is incomplete.

    A phrase that closes the text again is a decoder's loop when it has three words or more, when it stands there three
    times and fills six words, or when the words come faster than anyone can speak.
    """
    words = text.split()
    keys = [word_key(word) for word in words]
    most_words = max(3.0, audio_ms / 1e3 * _MAX_WORDS_PER_S)
    for period in range(1, len(words) // 2 + 1):
        repeated = 0
        while repeated < len(keys) - period and keys[-1 - repeated] == keys[-1 - repeated - period]:
            repeated += 1
        if repeated < period:
            continue
        three_times = repeated >= 2 * period and repeated + period >= 6
        if period >= 3 or three_times or len(words) > most_words:
            return " ".join(words[: len(words) - repeated])
    return "" if len(words) > 2 * most_words else " ".join(words)


def is_invention(text: str, *, no_speech_prob: float, avg_logprob: float, speech_ms: float) -> bool:
    """Whether a hypothesis stands for silence or noise rather than for words.

    ``no_speech_prob`` and ``avg_logprob`` are Whisper's own; its published rule is 0.6 and -1.0.
    """
    key = " ".join(word_key(word) for word in text.split())
    if not key:
        return True
    if no_speech_prob > 0.6 and avg_logprob < -1.0:
        return True
    return key in _INVENTIONS and (no_speech_prob > 0.3 or speech_ms < 250.0 or avg_logprob < -1.0)
