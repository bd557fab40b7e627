"""The planner of the lite front end: what is said of a sequence of revisions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_desktop.core.events import SpokenKind
from kame_desktop.frontends.lite_align import Alignment, Repair, align
from kame_desktop.frontends.lite_plan import SENTENCE_CONNECTORS, WORD_CONNECTORS, AnswerPlan, Clause
from kame_desktop.frontends.lite_words import MAX_CLAUSE_WORDS, cut_clause, word_info


def speak(plan: AnswerPlan, clauses: int = 1_000) -> list[Clause]:
    """Play up to ``clauses`` clauses of what the plan knows."""
    out: list[Clause] = []
    while len(out) < clauses and (upcoming := plan.upcoming(1)):
        plan.commit(upcoming[0])
        out.append(upcoming[0])
    return out


def split(words: str) -> list[str]:
    return words.split()


def text(clauses: Sequence[Clause]) -> str:
    return " ".join(word for clause in clauses for word in clause.words)


def revision(plan: AnswerPlan, words: str, generation: int = 1, complete: bool = True) -> None:
    plan.begin(generation)
    plan.add(words.split())
    if complete:
        plan.finish()


def after(first: str, played: int, second: str) -> str:
    """What is said of ``second`` when ``played`` clauses of ``first`` had been played."""
    plan = AnswerPlan()
    revision(plan, first, 1)
    speak(plan, played)
    revision(plan, second, 2)
    return text(speak(plan))


def test_cuts_at_punctuation_and_before_joining_words() -> None:
    plan = AnswerPlan()
    revision(plan, "Yes, the tower was built in 1889 by Gustave Eiffel, who was an engineer from Dijon.")
    assert [" ".join(clause.words) for clause in speak(plan)] == [
        "Yes,",
        "the tower was built",
        "in 1889 by Gustave Eiffel,",
        "who was an engineer",
        "from Dijon.",
    ]


def test_first_clause_is_known_before_the_sentence_is() -> None:
    plan = AnswerPlan()
    plan.begin(1)
    plan.add(split("The speed of"))
    assert plan.upcoming(1) == []
    plan.add(split("light is about three"))
    assert text(plan.upcoming(1)) == "The speed of light"


def test_no_clause_ends_on_a_dangling_word_when_it_can_be_helped() -> None:
    sentence = split("She sells sea shells very near the long and winding road of the northern shore today.")
    at = 0
    while at < len(sentence):
        end = cut_clause(sentence, at, True, at == 0)
        assert end is not None
        assert end - at <= MAX_CLAUSE_WORDS + 1
        assert end == len(sentence) or not word_info(sentence[end - 1]).dangling
        at = end


def test_abbreviations_do_not_end_sentences() -> None:
    assert not word_info("Dr.").ends_sentence
    assert not word_info("J.").ends_sentence
    assert word_info("1889.").ends_sentence
    assert word_info('Paris."').ends_sentence


def test_same_beginning_goes_on_with_the_rest() -> None:
    assert after("The sky is blue, because light", 1, "The sky is blue, since light is scattered.") == (
        "since light is scattered."
    )


def test_changed_word_is_corrected_with_a_connector() -> None:
    said = after(
        "The capital of Australia is Sydney, which is large.",
        2,
        "The capital of Australia is Canberra, which is small.",
    )
    assert said == "or rather, Canberra, which is small."


def test_changed_number_is_a_change() -> None:
    assert after("It costs fifteen dollars, I think.", 1, "It costs fifty dollars, I think.") == (
        "or rather, fifty dollars, I think."
    )


def test_number_of_several_words_is_corrected_as_a_whole() -> None:
    assert after("Seven times eight is fifty four.", 9, "Seven times eight is fifty six.") == ("or rather, fifty six.")


def test_other_order_and_small_additions_are_a_rewording() -> None:
    first = "Einstein was born in 1879 in Ulm, Germany."
    second = "Albert Einstein was born in Ulm, Germany, in 1879. He died in Princeton."
    assert after(first, 2, second) == "He died in Princeton."


def test_equal_numbers_and_plurals_are_no_change() -> None:
    assert after("There are seven days, or", 1, "There are 7 day, as you know.") == "as you know."


def test_other_answer_is_said_from_its_beginning() -> None:
    assert after("It is a fruit,", 1, "Bananas grow on plants.") == "Actually, Bananas grow on plants."


def test_rewording_is_not_said_again() -> None:
    assert after("Paris is the capital of France.", 9, "The capital of France is Paris.") == ""


def test_rewording_goes_on_with_what_is_new() -> None:
    first, second = "Paris is the capital of France.", "The capital of France is Paris. It lies on the Seine."
    assert after(first, 9, second) == "It lies on the Seine."


def test_denial_is_never_a_rewording() -> None:
    assert after("It is a fruit.", 9, "It is not a fruit.") == "or rather, not a fruit."
    assert after("It is not a fruit.", 9, "It is a fruit.") == "Actually, It is a fruit."


def test_small_talk_before_the_same_answer_is_no_change() -> None:
    assert after("The capital is Paris,", 2, "Sure, the capital is Paris, in France.") == "in France."


def test_waits_while_the_revision_agrees_but_is_shorter() -> None:
    plan = AnswerPlan()
    revision(plan, "The capital of France is Paris, in Europe.", 1)
    speak(plan, 2)
    revision(plan, "The capital", 2, complete=False)
    assert plan.upcoming(3) == []
    assert not plan.exhausted
    plan.finish()
    assert plan.exhausted


def test_repeated_sentence_is_skipped() -> None:
    plan = AnswerPlan()
    revision(plan, "I like tea. I like tea. I like cake.")
    assert text(speak(plan)) == "I like tea. I like cake."


def test_second_correction_uses_another_connector() -> None:
    plan = AnswerPlan()
    connectors = []
    for generation, city in enumerate(["Rome", "Oslo", "Bern"], start=1):
        revision(plan, f"The city is {city}, I guess.", generation)
        connectors += [clause.words for clause in speak(plan, 2) if clause.kind is SpokenKind.CONNECTOR]
    assert connectors == [WORD_CONNECTORS[0], WORD_CONNECTORS[1]]


def test_connector_is_not_doubled_by_a_revision_right_after_it() -> None:
    plan = AnswerPlan()
    revision(plan, "The city is Rome, I guess.", 1)
    speak(plan, 1)
    revision(plan, "The city is Oslo, I guess.", 2)
    assert text(speak(plan, 1)) == "or rather,"
    revision(plan, "The city is Bern, I guess.", 3)
    assert text(speak(plan)) == "Bern, I guess."


def test_opener_is_not_said_twice() -> None:
    plan = AnswerPlan()
    plan.note_opener(("Well,",))
    revision(plan, "Well, it depends on you.")
    assert text(speak(plan)) == "it depends on you."


def test_restart_says_it_from_the_beginning() -> None:
    plan = AnswerPlan()
    revision(plan, "It is blue, I think.")
    speak(plan, 1)
    plan.restart()
    assert text(speak(plan)) == "It is blue, I think."


def test_whole_sentence_first_waits_for_its_end() -> None:
    plan = AnswerPlan(whole_sentence_first=True)
    plan.begin(1)
    plan.add(split("It is blue, and it"))
    assert plan.upcoming(1) == []
    plan.add(split("is deep. Also"))
    assert text(speak(plan)) == "It is blue, and it is deep."


@pytest.mark.parametrize(
    ("said", "revision_words", "expected"),
    [
        ("a", "a b", Alignment(1)),
        ("It was built in 1887", "It was built in 1889, I", None),
        ("It was built in 1887", "It was built in 1889.", Alignment(4, Repair.WORD)),
        ("One fox. Two hens.", "One dog. Two hens.", Alignment(0, Repair.SENTENCE)),
        ("Paris is nice. It is", "Paris is nice and big. It is old.", Alignment(7)),
    ],
)
def test_align(said: str, revision_words: str, expected: Alignment | None) -> None:
    assert align(said.split(), revision_words.split(), False) == expected


# --- for all revisions ------------------------------------------------------------------------------------------------

_WORD = st.sampled_from(
    split("the a is of in and not cat dog bird house river seven 7 blue green runs sings Paris Rome very")
)
_SENTENCE = st.tuples(
    st.lists(st.tuples(_WORD, st.sampled_from(["", "", "", ","])).map("".join), min_size=1, max_size=12),
    st.sampled_from([".", "?", "!"]),
).map(lambda parts: [*parts[0][:-1], parts[0][-1].rstrip(",") + parts[1]])
_REVISION = st.lists(_SENTENCE, min_size=1, max_size=4).map(lambda sentences: list(chain.from_iterable(sentences)))


def normalised_sentences(clauses: Sequence[Clause]) -> list[tuple[str, ...]]:
    """What was said, without connectors, as sentences."""
    out: list[tuple[str, ...]] = []
    sentence: list[str] = []
    for clause in clauses:
        if clause.kind is SpokenKind.CONNECTOR:
            continue
        for word in clause.words:
            sentence.append(word.strip(".,?!").lower())
            if word[-1] in ".?!":
                out.append(tuple(sentence))
                sentence = []
    return out


@given(_REVISION)
@settings(deadline=None)
def test_a_single_revision_is_spoken_verbatim(words: list[str]) -> None:
    plan = AnswerPlan()
    revision(plan, " ".join(words))
    spoken = speak(plan)
    expected: list[str] = []
    seen: set[tuple[str, ...]] = set()
    sentence: list[str] = []
    for word in words:
        sentence.append(word)
        if word[-1] in ".?!":
            normalised = tuple(word.strip(".,?!").lower() for word in sentence)
            if normalised not in seen:
                expected += sentence
            seen.add(normalised)
            sentence = []
    assert text(spoken) == " ".join(expected)
    assert plan.exhausted
    assert all(len(clause.words) <= MAX_CLAUSE_WORDS + 1 for clause in spoken)


@given(st.lists(st.tuples(_REVISION, st.integers(0, 6), st.booleans()), min_size=1, max_size=5))
@settings(max_examples=200, deadline=None)
def test_nothing_is_said_twice_and_every_run_is_of_its_revision(
    script: list[tuple[list[str], int, bool]],
) -> None:
    plan = AnswerPlan()
    spoken: list[Clause] = []
    revisions: dict[int | None, list[str]] = {}
    for generation, (words, clauses, complete) in enumerate(script, start=1):
        revisions[generation] = words
        revision(plan, " ".join(words), generation, complete)
        spoken += speak(plan, clauses)
    plan.finish()
    spoken += speak(plan)
    assert plan.exhausted
    sentences = normalised_sentences(spoken)
    assert len(sentences) == len(set(sentences))
    previous: Clause | None = None
    for clause in spoken:
        if clause.kind is SpokenKind.ANSWER:
            assert list(clause.words) == revisions[clause.generation][clause.start : clause.until]
            if previous is not None and previous.generation == clause.generation:
                assert clause.start >= previous.until
            previous = clause
        else:
            assert clause.words in WORD_CONNECTORS + SENTENCE_CONNECTORS
    kinds = [clause.kind for clause in spoken]
    assert not any(a is b is SpokenKind.CONNECTOR for a, b in pairwise(kinds))


@given(_REVISION, st.integers(0, 5), _REVISION, st.lists(st.integers(0, 40), max_size=8), st.booleans())
@settings(max_examples=200, deadline=None)
def test_chunking_changes_nothing(
    first: list[str], played: int, second: list[str], cuts: list[int], look: bool
) -> None:
    def said(cuts: list[int]) -> str:
        plan = AnswerPlan()
        revision(plan, " ".join(first), 1)
        before = speak(plan, played)
        plan.begin(2)
        places = [0, *sorted(min(cut, len(second)) for cut in cuts), len(second)]
        for start, end in pairwise(places):
            plan.add(second[start:end])
            if look:
                plan.upcoming(3)
        plan.finish()
        return text(before + speak(plan))

    assert said(cuts) == said([])
