"""From what a language model writes to what can be said aloud, piece by piece. Pure: no clock, no thread.

Two stages. ``_ThoughtRemover`` works on characters and takes out reasoning (``<think>...</think>``, also unclosed).
``SpokenTextFilter`` then works on whole words: a word is given out only when the white space behind it (or the end) has
been seen, and what becomes of it depends only on the text before it. So any split of a text into pieces gives the same
output, and no half word is ever said.

Numbers, ordinary punctuation and all letters pass unchanged; the voice has its own normaliser.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import urlsplit

_TAG_NAMES = ("think", "thinking", "thought", "reasoning", "reflection")
_OPENING = tuple(f"<{name}>" for name in _TAG_NAMES)
_CLOSING = tuple(f"</{name}>" for name in _TAG_NAMES)

# Writing without spaces ends a word at these; nothing is put between it and the next.
_WIDE_STOP = "。、！？，；：…"
_LINE_ENDS = "\n\r\u2028\u2029"
_WORD_END = re.compile(rf"[\s{_WIDE_STOP}]")
_LONGEST_WORD = 400

_FENCE = re.compile(r"```|~~~")
_CODE_SPOKEN = "some code."
_RULE = re.compile(r"[-*_=]{3,}|(?=.*-)(?=.*[|:])[-:|]{2,}")
_LINE_MARK = re.compile(r"#{1,6}|[-*+•‣◦▪]|>+")
_TEMPLATE_MARK = re.compile(r"<\|[^<>|]*\|>")
_HTML_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]*/?>")
_ENTITIES = {"&amp;": "and", "&lt;": "<", "&gt;": ">", "&nbsp;": " ", "&quot;": '"', "&#39;": "'"}
_LINK_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|\]\[[^\]\s]*\]")
_LINK_TITLE_OPENS = re.compile(r"\]\([^()\s]*$")
_LINK_TITLE_WORDS = 12
_FOOTNOTE = re.compile(r"\[\^?\d{1,3}\]")
_URL = re.compile(r"<?(?:[a-z][a-z0-9+.-]*://[^\s<>\"|*`\[\]\\]*|\bwww\.[^\s<>\"|*`\[\]\\]+)>?", re.IGNORECASE)
_STARS = re.compile(r"(?<=\d)[*×](?=\d)")
_POWER = re.compile(r"(?<=\w)\^(?=\w)")
_EQUALS = re.compile(r"(?<=[\d)])=(?=[\d(])")
_COMPARED = re.compile(r"^([<>])(=?)(?=[\d$€£-])")
_COMPARISONS = {"<": "less than ", ">": "more than ", "<=": "at most ", ">=": "at least "}
_MINUS = re.compile(r"−(?=[\d.$€£])")
_SUPERSCRIPT = re.compile(r"(?<=[\w)])(?![²³](?![⁰¹²³⁴-⁹]))([⁻⁺]?[⁰¹²³⁴-⁹]+)")
_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_NUMBER_SIGN = re.compile(r"(?<!\w)#(?=\d)")
_HASH = re.compile(r"(?<![A-Za-z])#")
_EDGE_UNDERSCORE = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_CLOSERS = re.compile(r"[.,!?;:…)\]\"'”’]+")
_SENTENCE_END = re.compile(r"[.!?][\"\u201d\u2019')]*(?=\s)|\n")
_ALONE = {
    "--": "–",
    "+": "plus",
    "=": "equals",
    "×": "times",
    "÷": "divided by",
    "≈": "is about",
    "<": "is less than",
    ">": "is more than",
    "−": "minus",
    "→": "to",
}
_INSIDE = {
    "±": " plus or minus ",
    "≈": " about ",
    "≤": " at most ",
    "≥": " at least ",
    "×": " times ",
    "÷": " divided by ",
    "≠": " is not ",
    "√": " the square root of ",
    "∞": " infinity ",
}
_KEPT_SYMBOLS = frozenset("°+=~%&@€$£¥")
_DROPPED_CATEGORIES = frozenset(("So", "Sk", "Sm", "Cc", "Cf", "Cs", "Co", "Cn", "Me"))
_DROPPED_MARKS = frozenset("`*|\\[]{}<>\ufe0e\ufe0f")


_PLAIN_HEAD = re.compile(r"[^\W_]+(?:['’][^\W_]*)?")
_ADDRESS_HEADS = frozenset(("http", "https", "www"))


class _ThoughtRemover:
    """Takes out reasoning. Holds back at most one tag's length."""

    def __init__(self) -> None:
        self._held = ""
        self._inside = False

    def feed(self, text: str) -> str:
        held, out = self._held + text, []
        while held:
            start = held.find("<")
            if start < 0:
                out.append(self._visible(held))
                held = ""
                break
            out.append(self._visible(held[:start]))
            held = held[start:]
            lowered = held.lower()
            tags = _CLOSING if self._inside else _OPENING + _CLOSING
            tag = next((tag for tag in tags if lowered.startswith(tag)), None)
            if tag is not None:
                self._inside = tag in _OPENING
                # A tag stands between words.
                out.append(" ")
                held = held[len(tag) :]
            elif any(tag.startswith(lowered) for tag in tags):
                break
            else:
                out.append(self._visible(held[0]))
                held = held[1:]
        self._held = held
        return "".join(out)

    def finish(self) -> str:
        held, self._held = self._held, ""
        return self._visible(held)

    def _visible(self, text: str) -> str:
        return "" if self._inside else text


class SpokenTextFilter:
    """One answer's filter: ``feed`` every delta, then ``finish`` once. Joined, the results are the words to say."""

    def __init__(self) -> None:
        self._thoughts = _ThoughtRemover()
        self._pending = ""
        self._line_start = True
        self._marked_line = False
        self._in_code = False
        self._title_words_left = 0
        self._space_seen = False
        self._comma_owed = False
        self._last = ""

    def feed(self, delta: str) -> str:
        """Take a piece of the answer; give out the words that are complete and can't change any more."""
        self._pending += self._thoughts.feed(delta)
        return self._take_words()

    def finish(self) -> str:
        """The answer is over: give out the rest. A reasoning tag that was never closed swallows what follows it."""
        self._pending += self._thoughts.finish()
        out = self._take_words()
        word, self._pending = self._pending, ""
        return out + (self._say(word) if word else "")

    def preview(self) -> str:
        """The word that is under way, when it is plain so far: to be shown after what was given out, not to be said.

        It may still grow, or turn out to be part of an address or a mark.
        """
        word = self._pending
        if self._in_code or self._title_words_left or not _PLAIN_HEAD.fullmatch(word) or word in _ADDRESS_HEADS:
            return ""
        return (" " if self._last and self._space_seen else "") + word

    def _take_words(self) -> str:
        """Consume complete words from the pending text."""
        out: list[str] = []
        text, position = self._pending, 0
        while True:
            limit = position + _LONGEST_WORD
            match = _WORD_END.search(text, position, limit)
            if match is None:
                if len(text) < limit:
                    break
                out.append(self._say(text[position:limit]))
                position = limit
                continue
            space = match.group().isspace()
            if word := text[position : match.start() if space else match.end()]:
                out.append(self._say(word))
            if space:
                self._space_seen = True
                if match.group() in _LINE_ENDS:
                    self._end_line()
            position = match.end()
        self._pending = text[position:]
        return "".join(out)

    def _end_line(self) -> None:
        """A list item, heading or table row without a stop of its own gets a comma, if anything follows."""
        self._line_start = True
        if self._marked_line:
            self._comma_owed = self._last.isalnum() or self._last in _KEPT_SYMBOLS
            self._marked_line = False

    def _say(self, word: str) -> str:
        """What is said for one written word, with the space before it."""
        said = self._spoken(word)
        if not said:
            return ""
        if said != word and _CLOSERS.fullmatch(said):
            # Only the punctuation is left of it: it belongs to the word before, once.
            if not self._last.isalnum():
                return ""
            space = ""
        else:
            space = " " if self._last and self._space_seen else ""
            if self._comma_owed:
                space = "," + space
        self._comma_owed = self._space_seen = False
        self._last = said[-1]
        return space + said

    def _spoken(self, word: str) -> str:
        """The word without marks; "" when nothing of it can be said."""
        if self._in_code:
            self._in_code = _FENCE.search(word) is None
            return ""
        if self._title_words_left:
            self._title_words_left -= 1
            _, closed, after = word.partition(")")
            if closed:
                self._title_words_left = 0
            return self._without_marks(after)
        if self._line_start:
            word = word.lstrip(">")
            if not word:
                return ""
            if fence := _FENCE.match(word):
                self._in_code = _FENCE.search(word, fence.end()) is None
                self._line_start = False
                return _CODE_SPOKEN
            if _LINE_MARK.fullmatch(word):
                self._line_start = word[0] != "#"
                self._marked_line = True
                self._comma_owed = self._comma_owed or self._last.isalnum()
                return ""
            self._line_start = False
            self._marked_line = self._marked_line or word[0] == "|"
        if _RULE.fullmatch(word):
            return ""
        if word in _ALONE:
            return _ALONE[word]
        if word == "*" and self._last.isdigit():
            return "times"
        return self._without_marks(word)

    def _without_marks(self, word: str) -> str:
        """Take marks, link targets and symbols out of one word."""
        word = _TEMPLATE_MARK.sub("", word).replace("![", "[")
        word = _LINK_TARGET.sub("", word)
        if opens := _LINK_TITLE_OPENS.search(word):
            word = word[: opens.start()]
            self._title_words_left = _LINK_TITLE_WORDS
        word = _URL.sub(_host, word)
        word = _FOOTNOTE.sub("", word)
        word = _HTML_TAG.sub(" ", word)
        for entity, plain in _ENTITIES.items():
            word = word.replace(entity, plain)
        word = _COMPARED.sub(lambda sign: _COMPARISONS[sign.group(1) + sign.group(2)], word)
        word = _MINUS.sub("-", word)
        word = _SUPERSCRIPT.sub(lambda power: f" to the power of {power.group(1).translate(_PLAIN_DIGITS)}", word)
        word = _STARS.sub(" times ", word)
        word = _EQUALS.sub(" equals ", word)
        word = _POWER.sub(" to the power of ", word)
        word = _HASH.sub("", _NUMBER_SIGN.sub("number ", word))
        word = _EDGE_UNDERSCORE.sub("", word).replace("_", " ")
        word = word.replace("~~", "")
        for symbol, words in _INSIDE.items():
            word = word.replace(symbol, words)
        return " ".join("".join(c for c in word if _can_be_said(c)).split())


def _can_be_said(character: str) -> bool:
    """Letters, digits, punctuation and a few symbols that have a spoken name."""
    if character in _DROPPED_MARKS:
        return False
    if character in _KEPT_SYMBOLS or character == " ":
        return True
    return unicodedata.category(character) not in _DROPPED_CATEGORIES


def _host(match: re.Match[str]) -> str:
    """An address is said as its host; the sentence's own punctuation behind it stays."""
    address = match.group().strip("<>")
    bare = address.rstrip(".,!?;:)'”’")
    rest = address[len(bare) :]
    try:
        host = urlsplit(bare if "://" in bare else f"http://{bare}").hostname or ""
    except ValueError:
        host = ""
    space = " " if match.string[: match.start()][-1:].isalnum() else ""
    return space + (host.removeprefix("www.") or "a link") + rest


def spoken_text(text: str) -> str:
    """The whole of a text at once."""
    whole = SpokenTextFilter()
    return whole.feed(text) + whole.finish()


_LONGEST_ROUND = 8
_SHORTEST_ROUNDS = 6


class SentenceLimit:
    """Ends an answer with a sentence: with the first that ends after ``min_words`` words, or with its first line.

    An answer that goes round in circles ends as soon as the same words have come three times.

    Attributes:
        reached: What was fed so far holds the end; the rest needs no reading.
    """

    def __init__(self, min_words: int) -> None:
        self.reached = False
        self._min_words = min_words
        self._text = ""

    def feed(self, delta: str) -> str:
        """The part of ``delta`` that still belongs to the answer."""
        if self.reached:
            return ""
        before = len(self._text)
        self._text += delta
        for match in _SENTENCE_END.finditer(self._text):
            head = self._text[: match.end()]
            if head.strip() and (match.group() == "\n" or len(head.split()) >= self._min_words):
                self.reached = True
                return self._text[before : max(before, match.end())]
        self.reached = _goes_round(self._text.split()[:-1])
        return delta


def _goes_round(words: list[str]) -> bool:
    """The last words, one to eight of them, have just come for the third time, and fill six words with that."""
    for period in range(1, _LONGEST_ROUND + 1):
        tail = words[-max(3 * period, _SHORTEST_ROUNDS) :]
        if len(tail) >= _SHORTEST_ROUNDS and len(tail) >= 3 * period and tail[period:] == tail[:-period]:
            return True
    return False
