"""Ids to words: any pieces, any bytes, one word each."""

from __future__ import annotations

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.frontends.kame_text import DecodedWord, SentencePieceTokenizer, WordDecoder
from tests.frontends.kame.conftest import TINY


def pieces() -> sentencepiece.SentencePieceProcessor:
    model = sentencepiece.SentencePieceProcessor()
    model.Load(str(TINY / "tokenizer_spm_tiny.model"))
    return model


PIECES = pieces()
SIZE = PIECES.GetPieceSize()
PADDING = (0, 3)
BYTE_0 = 4


def decode(ids: list[int], decoder: WordDecoder | None = None) -> list[str]:
    decoder = decoder or WordDecoder(PIECES)
    words = [word.text for token in ids for word in decoder.take(token, None)]
    return words + [word.text for word in decoder.flush()]


@given(text=st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=60))
def test_words_of_any_text_come_back(text: str) -> None:
    """What SentencePiece itself decodes, cut at spaces; text that it can only spell in bytes included."""
    ids = list(PIECES.EncodeAsIds(text))
    assert decode(ids) == PIECES.DecodeIds(ids).split()


@given(words=st.lists(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=9)))
def test_padding_between_words_changes_nothing(words: list[str]) -> None:
    ids: list[int] = []
    expected: list[str] = []
    for word in words:
        one = list(PIECES.EncodeAsIds(word))
        ids += [3, 3, 0, *one, 3]
        expected += PIECES.DecodeIds(one).split()
    assert decode(ids) == expected


@given(ids=st.lists(st.integers(-1, SIZE + 3), max_size=80))
def test_any_ids_at_all_give_words_without_spaces_and_lose_no_letter(ids: list[int]) -> None:
    decoder = WordDecoder(PIECES)
    words = decode(ids, decoder)
    assert all(word and not any(letter.isspace() for letter in word) for word in words)
    letters = [PIECES.IdToPiece(i).replace("▁", "") for i in ids if 0 <= i < SIZE and i >= BYTE_0 + 256]
    rest = iter("".join(words))
    assert all(letter in rest for piece in letters for letter in piece)
    assert decoder.flush() == []


@given(raw=st.binary(max_size=40))
def test_any_bytes_are_read_as_utf8(raw: bytes) -> None:
    words = decode([BYTE_0 + byte for byte in raw])
    controls = dict.fromkeys([*range(32), *range(127, 160)])
    expected = (word.translate(controls) for word in raw.decode(errors="replace").split())
    assert words == [word for word in expected if word]


def test_a_word_comes_out_with_the_piece_that_ends_it() -> None:
    decoder = WordDecoder(PIECES)
    ids = PIECES.EncodeAsIds("paris boils")
    out = [[word.text for word in decoder.take(token, None)] for token in ids]
    assert out == [[], [], [], ["paris"]]
    assert [word.text for word in decoder.take(3, None)] == ["boils"]
    assert decoder.take(3, None) == []


def test_a_word_belongs_to_the_generation_of_its_first_piece() -> None:
    decoder = WordDecoder(PIECES)
    first = PIECES.EncodeAsIds("paris")
    words = [word for token, number in zip(first, (1, 2, 2), strict=True) for word in decoder.take(token, number)]
    words += decoder.take(PIECES.EncodeAsIds("é")[0], 3)
    for token in PIECES.EncodeAsIds("é")[1:]:
        words += decoder.take(token, 4)
    words += decoder.take(0, 5)
    assert words == [DecodedWord("paris", 1), DecodedWord("é", 3)]


def test_reset_forgets_half_a_word_and_half_a_character() -> None:
    decoder = WordDecoder(PIECES)
    for token in [*PIECES.EncodeAsIds("the"), BYTE_0 + 0xC3]:
        decoder.take(token, 9)
    decoder.reset()
    assert decoder.flush() == []


def test_a_word_without_end_is_given_out_in_parts() -> None:
    decoder = WordDecoder(PIECES)
    letter = PIECES.PieceToId("t")
    assert [word.text for _ in range(300) for word in decoder.take(letter, None)] == ["t" * 121] * 2


@pytest.mark.parametrize("token", [0, 1, 2, 3, -1, -2, SIZE, 32_000])
def test_control_ids_say_nothing(token: int) -> None:
    decoder = WordDecoder(PIECES)
    assert not decoder.says_something(token)
    assert decoder.take(token, None) == []


@given(
    text=st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=40), more=st.text(max_size=9)
)
def test_oracle_ids_of_a_prefix_are_a_prefix(text: str, more: str) -> None:
    tokenizer = SentencePieceTokenizer(PIECES, pad_id=3, start_id=SIZE)
    ids = list(tokenizer.encode(text))
    assert list(tokenizer.encode(f"{text} {more}"))[: len(ids)] == ids
    assert not {3, SIZE, 1, 2} & set(ids)
