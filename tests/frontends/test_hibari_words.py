"""What the voice says for numbers, units, times and the like: its phonemes are those of the words written out."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.backend.llm.spoken_text import spoken_text
from kame_desktop.frontends.hibari_words import readable

hibari = pytest.importorskip("hibari")

SPOKEN = {
    # numbers and years
    "It was 1,250.": "It was one thousand two hundred fifty.",
    "1,000,000 people": "one million people",
    "In 1969, in 2024, in the 1990s": "In nineteen sixty nine, in twenty twenty four, in the nineteen nineties",
    "Pi is 3.14.": "Pi is three point one four.",
    "It is −5.": "It is minus five.",
    "the 1st, 2nd and 23rd": "the first, second and twenty third",
    "8.1B people, 5M more": "eight point one billion people, five million more",
    "version 2.0.1": "version two point zero point one",
    "2x more": "two times more",
    "6 x 7": "six times seven",
    "7 − 3 = 4": "seven minus three equals four",
    "~50 of >5": "about fifty of more than five",
    # money and percent
    "It costs $1,250.50.": "It costs one thousand two hundred fifty dollars and fifty cents.",
    "$5, €20, 5€ or £3.20": "five dollars, twenty euros, five euros or three pounds and twenty pence",
    "$1.5 billion": "one point five billion dollars",
    "2.5% or 50%.": "two point five percent or fifty percent.",
    # times and dates
    "At 12:30.": "At twelve thirty.",
    "At 9:05 am": "At nine oh five A.M.",
    "10:30-11:30": "ten thirty to eleven thirty",
    "On 2024-05-01.": "On May first, twenty twenty four.",
    "On July 4, 1776.": "On July fourth, seventeen seventy six.",
    "On Jan. 5": "On January fifth",
    # units
    "At 100 km/h.": "At one hundred kilometers per hour.",
    "300,000 km/s": "three hundred thousand kilometers per second",
    "9.8 m/s²": "nine point eight meters per second squared",
    "It is 5 °C.": "It is five degrees Celsius.",
    "5 m, 1 m, 330 m.": "five meters, one meter, three hundred thirty meters.",
    "5 km² of 3 m³": "five square kilometers of three cubic meters",
    "5 kg and 5g": "five kilograms and five grams",
    "60 W, 2 L": "sixty watts, two liters",
    # fractions
    "1/2 or 3/4.": "one half or three quarters.",
    "3 1/2 cups, 1½ cups": "three and a half cups, one and a half cups",
    # telephones
    "Call 555-1234.": "Call five five five, one two three four.",
    "(555) 123-4567.": "five five five, one two three, four five six seven.",
    "+1 555 123 4567": "plus one, five five five, one two three, four five six seven",
    "Call 911.": "Call nine one one.",
    # ranges
    "10-20 minutes": "ten to twenty minutes",
    "10–20.": "ten to twenty.",
    "From 1939-1945.": "From nineteen thirty nine to nineteen forty five.",
    "3.5-4.5 m": "three point five to four point five meters",
    "10-20%": "ten to twenty percent",
    # numerals, abbreviations, signs
    "Henry VIII and World War II.": "Henry the eighth and World War two.",
    "Louis XIV, Chapter IV": "Louis the fourteenth, Chapter four",
    "Fruit, e.g. apples": "Fruit, for example apples",
    "Fruit, i.e., apples.": "Fruit, that is, apples.",
    "Dr. Smith met Mr. Jones": "Doctor Smith met Mister Jones",
    "No. 5 is alive.": "Number five is alive.",
    "Cats & dogs": "Cats and dogs",
    "Open 24/7.": "Open twenty four seven.",
    "CO2 and CO₂": "C O two and C O two",
    "a 20-year-old, 5-star": "a twenty year old, five star",
}


@pytest.fixture(scope="module")
def phonemes() -> Callable[[str], str]:
    voice = hibari.Hibari(threads=1)
    return lambda text: re.sub(r"[ˈˌ ,.;:!?—…‑-]", "", "".join(voice.phonemize(text)))


@pytest.mark.parametrize("written", SPOKEN)
def test_it_sounds_like_the_words_written_out(written: str, phonemes: Callable[[str], str]) -> None:
    words = spoken_text(written).translate(str.maketrans("", "", "()")).split()
    assert phonemes(" ".join(readable(words))) == phonemes(SPOKEN[written])


@given(st.lists(st.from_regex(r"[A-Za-z']+[.,!?]?", fullmatch=True), max_size=8))
def test_plain_words_stay_as_they_are(words: list[str]) -> None:
    kept = [word for word in words if word.rstrip(".").lower() not in ("e.g", "i.e")]
    assert readable(kept) == kept


PIECES = st.one_of(
    st.text(max_size=8).filter(lambda text: not any(c.isspace() for c in text)),
    st.sampled_from([word for written in SPOKEN for word in written.split()]),
    st.from_regex(r"[-+$€]?\d{1,4}([-–/.:,]\d{1,4}){0,3}(%|m|km/h|B|k|x|½)?[.,]?", fullmatch=True),
)


@given(st.lists(PIECES, max_size=8))
def test_words_stay_as_many_as_they_were(words: list[str]) -> None:
    assert len(readable(words)) == len(words)
    assert all(bool(said.strip()) == bool(word.strip()) for said, word in zip(readable(words), words, strict=True))
