"""The word alphabet of the lite front end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.frontends.word_tokens import WordTokenizer


@given(st.lists(st.text("abc,.' ", min_size=1, max_size=8), max_size=20).map(" ".join), st.integers(0, 100))
def test_ids_are_word_local_and_decode(text: str, cut: int) -> None:
    tokenizer = WordTokenizer()
    words = text.split()
    ids = tokenizer.encode(text)
    assert [tokenizer.decode(token_id) for token_id in ids] == words
    assert tokenizer.pad_id not in ids
    assert tokenizer.start_id not in ids
    assert tokenizer.encode(" ".join(words[:cut])) == ids[:cut]


def test_ids_of_an_earlier_session_mean_nothing() -> None:
    tokenizer = WordTokenizer()
    (old,) = tokenizer.encode("secret")
    tokenizer.clear()
    assert tokenizer.decode(old) is None
    assert old not in tokenizer.encode("other words")
    assert tokenizer.decode(tokenizer.pad_id) is None
