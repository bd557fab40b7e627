"""What is said of what was written, and that it doesn't depend on how the text was cut into pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.backend.llm.spoken_text import SentenceLimit, SpokenTextFilter, spoken_text

CASES = {
    "Hello world.": "Hello world.",
    "  Two   spaces\n\nand lines. ": "Two spaces and lines.",
    # reasoning
    "<think>Let me\nsee</think>\n\nThe answer is 42.": "The answer is 42.",
    "<THINK>a<b</THINK>Yes.": "Yes.",
    "Before <thinking>hidden</thinking> after": "Before after",
    "Unclosed <think> all of this": "Unclosed",
    "orphan</think>Paris.": "orphan Paris.",
    # markdown
    "**Bold** and *it* and __b__ and _i_ and `code` and ~~no~~": "Bold and it and b and i and code and no",
    "**two words**, *three more words*.": "two words, three more words.",
    "# Title\n\n- one\n- two\n* three\n\n> said": "Title, one, two, three, said",
    "- [x] done\n- [ ] open": "x done, open",
    "1. First.\n2. Second.": "1. First. 2. Second.",
    "Above\n---\nbelow": "Above below",
    "| City | Size |\n|------|:----:|\n| Paris | 2 |\n": "City Size, Paris 2",
    "Do this:\n```python\nprint(1)\n```\nDone.": "Do this: some code. Done.",
    "~~~\nnever closed": "some code.",
    "snake_case_name": "snake case name",
    # links
    "See [the docs](https://example.com/a_b(c)) now.": "See the docs now.",
    'A [link](http://x.y "its title"), then.': "A link, then.",
    "![A cat](cat.png) sleeps": "A cat sleeps",
    "Go to https://www.example.org/x?y=1. Then <http://a.b/c>!": "Go to example.org. Then a.b!",
    "www.example.com, too": "example.com, too",
    "Known[1] fact [2].": "Known fact.",
    # symbols
    "Nice 😀! Great 👍🏽.": "Nice! Great.",
    "👨‍👩‍👧 family ✨": "family",
    "7*8=56": "7 times 8 equals 56",
    "7 * 8 = 56": "7 times 8 equals 56",
    "5 < 6": "5 is less than 6",
    "x^2": "x to the power of 2",
    "it is >5 and <10, >=3, <=$4": "it is more than 5 and less than 10, at least 3, at most $4",
    "−5 °C; 7 − 3 = 4; ≠": "-5 °C; 7 minus 3 equals 4; is not",
    "√2 → ∞": "the square root of 2 to infinity",
    "10⁻³ m and x² and 5 km² and 10¹²": ("10 to the power of -3 m and x² and 5 km² and 10 to the power of 12"),
    "#1 of C# for #tag": "number 1 of C# for tag",
    "a<br>b &amp; c": "a b and c",
    "end<|im_end|>": "end",
    # what the issue names, in one breath
    "🎉 **Sure!** The [Eiffel Tower](https://x.y/z?q=1) is 330 m tall 👉 see `tower.py` (https://www.a.org/b).": (
        "Sure! The Eiffel Tower is 330 m tall see tower.py (a.org)."
    ),
    "| Year | Price |\n|:--|--:|\n| 2024 | $1,250.50 |\n| 2025 | 50% |\n\nThat's all.": (
        "Year Price, 2024 $1,250.50, 2025 50%, That's all."
    ),
    "```\nx = 1\n```": "some code.",
    # unchanged
    '1,250.5 is $5 or 50% at 20°C, 3–5 times; "quoted" (here) it\'s — fine…': None,
    "1/2, 24/7, 10-20, (555) 123-4567, World War II, 1st, AT&T, 5 km/h, i.e. so": None,
    "2024-05-01, 10:30, -3, Dr. O'Neil, U.S., e.g. this": None,
    "東京は日本の首都です。人口は多い、とても。": None,
    "Größe, naïve, Ωmega, привет": None,
    "": None,
}


@pytest.mark.parametrize(("written", "said"), CASES.items())
def test_what_is_said(written: str, said: str | None) -> None:
    assert spoken_text(written) == (written if said is None else said)


@pytest.mark.parametrize("written", CASES)
def test_letter_by_letter_it_is_the_same(written: str) -> None:
    stream = SpokenTextFilter()
    assert "".join(map(stream.feed, written)) + stream.finish() == spoken_text(written)


_MARKS = ["<", "think>", "</think>", "**", "_", "`", "```", "\n", "- ", "# ", "> ", "](", ")", "[", "|", " "]
_MARKS += ["https://a.b", "😀", "...", "word", "7", "*", "=", "。", "<|", "|>", "---", "a" * 450]
PIECES = st.one_of(
    st.sampled_from([*CASES, *_MARKS]),
    st.text(max_size=6),
)


@given(st.lists(PIECES, max_size=12), st.data())
def test_any_split_gives_the_same_as_the_whole(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=20)))
    stream = SpokenTextFilter()
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert "".join(map(stream.feed, pieces)) + stream.finish() == spoken_text(text)


@given(st.lists(PIECES, max_size=12))
def test_nothing_unpronounceable_comes_out(parts: list[str]) -> None:
    said = spoken_text("".join(parts))
    assert said == said.strip()
    assert "  " not in said
    assert said.isprintable()
    for mark in ("`", "**", "<", "|", "😀", "https://", "\\", "["):
        assert mark not in said


@given(st.lists(st.from_regex(r"[A-Za-z']+[.,!?]?", fullmatch=True), max_size=10))
def test_plain_sentences_pass_unchanged(words: list[str]) -> None:
    assert spoken_text(" ".join(words)) == " ".join(words)


def test_no_half_word_is_given_out() -> None:
    stream = SpokenTextFilter()
    assert stream.feed("The ans") == "The"
    assert stream.feed("wer is fif") == " answer is"
    assert stream.feed("ty.") == ""
    assert stream.finish() == " fifty."


def test_a_tag_cut_anywhere_is_never_heard() -> None:
    text = "Well <think>secret thoughts</think> yes."
    for cut in range(len(text)):
        stream = SpokenTextFilter()
        assert stream.feed(text[:cut]) + stream.feed(text[cut:]) + stream.finish() == "Well yes."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Light is scattered by air. And more.", "Light is scattered by air."),
        ("No. Yes. It is about 3.5 miles away. And more.", "No. Yes. It is about 3.5 miles away."),
        ("One line\nanother line", "One line\n"),
        ("\nPut the rest here", "\nPut the rest here"),
        ("It ends here by itself.", "It ends here by itself."),
    ],
)
def test_a_sentence_limit_ends_with_a_sentence(text: str, kept: str) -> None:
    for size in (1, 3, 100):
        limit = SentenceLimit(5)
        got = "".join(limit.feed(text[at : at + size]) for at in range(0, len(text), size))
        assert got.rstrip() == kept.rstrip()
        assert limit.reached == (kept != text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It grows with " + "the help of " * 20, 12),
        ("very " * 20, 6),
        ("It is 1 and 2 and 3 and 4 and 5 and 6 and 7 and 8 and 9 and 10", 20),
    ],
)
def test_a_sentence_limit_ends_an_answer_that_goes_round_in_circles(text: str, words: int) -> None:
    limit = SentenceLimit(8)
    got = ""
    for token in text.split(" "):
        got += limit.feed(token + " ")
    assert len(got.split()) in (words, words + 1)


def test_the_word_under_way_can_be_shown_but_is_not_given_out() -> None:
    whole = SpokenTextFilter()
    assert whole.feed("The cap") == "The"
    assert whole.preview() == " cap"
    assert whole.feed("ital ") == " capital"
    assert whole.preview() == ""
    for hidden in ("https", "**bo", "1,2", "<thi"):
        assert whole.feed(hidden) == ""
        assert whole.preview() == ""
        whole.feed(" ")
