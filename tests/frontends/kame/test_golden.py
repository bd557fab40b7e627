"""Bit for bit what the reference implementation did, through the engine's own classes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from kame_desktop.frontends.base import NO_ORACLE, OracleSlot
from kame_desktop.frontends.kame import KameFrontend
from tests.frontends.kame.conftest import GOLDEN, LoadedFactory
from tests.frontends.kame.scenes import Watch, feed_for, given, revision

torch = pytest.importorskip("torch", reason="torch is not installed (extra gpu)")
pytest.importorskip("moshi", reason="moshi is not installed (extra gpu)")

SCHEDULES = list(json.loads((GOLDEN / "oracle_golden.json").read_text()))


def golden(name: str) -> dict[str, Any]:
    from safetensors.torch import load_file  # pyright: ignore[reportMissingImports]

    return load_file(GOLDEN / f"{name}.safetensors")


def outputs(watch: Watch, width: int) -> Any:
    return torch.stack([torch.full((width,), -1) if out is None else out for out in watch.tokens])


def run_schedule(frontend: KameFrontend, watch: Watch, reference: dict[str, Any], name: str) -> None:
    watch.begin(frontend)
    codes, ids = reference[f"{name}.codes"], reference[f"{name}.oracle_step_tokens"]
    for step in range(codes.shape[1]):
        frontend.generation.advance(codes[None, :, step : step + 1], int(ids[step]))
    assert watch.fed == ids.tolist()
    assert torch.equal(outputs(watch, 9), reference[f"{name}.tokens"])
    assert (torch.stack(watch.logits) - reference[f"{name}.text_logits"]).abs().max() < 1e-5


def test_six_schedules_give_the_references_tokens_and_logits(loaded: LoadedFactory) -> None:
    """One after the other on one frontend: what is fed in one must not show in the next."""
    watch = Watch()
    frontend = loaded(options=watch.options())
    reference = golden("oracle_golden")
    assert len(SCHEDULES) == 6
    for name in SCHEDULES:
        run_schedule(frontend, watch, reference, name)


def test_engine_moshi_is_the_schedule_without_an_oracle(loaded: LoadedFactory) -> None:
    """A KAME checkpoint under engine moshi hears PAD all the time, whatever it is offered."""
    watch = Watch()
    frontend = loaded(steer=False, options=watch.options())
    assert not frontend.capabilities.steerable
    assert frontend.capabilities.name == "moshi"
    watch.begin(frontend)
    for frame in range(4):
        frontend.step(given(frame, oracle=OracleSlot((270,), 1)))
    assert set(watch.fed) == {3}
    run_schedule(frontend, watch, golden("oracle_golden"), "none")


def test_whole_path_gives_the_references_codes_tokens_and_sound(loaded: LoadedFactory) -> None:
    """Microphone to loudspeaker by ``step``, the oracle by ``OracleFeed``; twice, as nothing may stay of the first."""
    watch = Watch()
    frontend = loaded(options=watch.options())
    reference = golden("audio_golden")
    frames = reference["pcm_in"].numpy().reshape(-1, 1920)
    for _ in range(2):
        watch.begin(frontend)
        feed = feed_for(frontend)
        spoken = []
        for frame, pcm in enumerate(frames):
            if frame == 6:
                feed.offer(revision("the capital of france is paris", complete=True), frame, frame * 80.0)
            spoken.append(frontend.step(given(frame, pcm, feed.pop(frame))).pcm)
        assert torch.equal(torch.stack(watch.codes, 1), reference["codes"])
        assert torch.equal(outputs(watch, 9), reference["tokens"])
        assert np.abs(np.concatenate(spoken) - reference["pcm_out"].numpy()).max() < 1e-4


def test_every_token_reaches_the_model_in_order_once(loaded: LoadedFactory) -> None:
    """The events of ``starved_then_appended``, of which the reference lost eight tokens of nine."""
    watch = Watch()
    frontend = watch.begin(loaded(options=watch.options()))
    events = json.loads((GOLDEN / "oracle_golden.json").read_text())["starved_then_appended"]
    ids = [token for event in events for token in event["token_ids"]]
    texts = ["hello", "hello the sky looks blue to us"]
    assert list(frontend.tokenizer.encode(texts[1])) == ids
    feed = feed_for(frontend)
    for frame in range(60):
        for event, text in zip(events, texts, strict=True):
            if event["before_step"] == frame:
                feed.offer(revision(text + " " * (text == "hello"), complete=text != "hello"), frame, frame * 80.0)
        frontend.step(given(frame, oracle=feed.pop(frame)))
    start = frontend.tokenizer.start_id
    assert [token for token in watch.fed if token != 3] == [start, *ids]
    begin = watch.fed.index(start)
    assert begin == 20  # held back until the rest came
    assert watch.fed[begin : begin + 10] == [start, *ids]
    lost = golden("oracle_golden")["starved_then_appended.oracle_step_tokens"].tolist()
    assert len([token for token in lost if token not in (3, start)]) < len(ids)


@pytest.mark.parametrize(("min_start_tokens", "gaps"), [(None, False), (1, True)], ids=["held back", "at once"])
def test_no_pad_inside_a_revision_at_eight_tokens_a_second(
    loaded: LoadedFactory, *, min_start_tokens: int | None, gaps: bool
) -> None:
    """START is held back because of this: fed at once, a revision that grows by 8 tokens a second has gaps."""
    watch = Watch()
    frontend = watch.begin(loaded(options=watch.options()))
    feed = feed_for(frontend, min_start_tokens=min_start_tokens)
    words = ["the", "capital", "of", "france", "is", "paris", "and", "water", "boils", "at", "one", "hundred"]
    fed_tokens = 0
    for frame in range(40):
        arrived = 8 * frame * 80 // 1000
        while fed_tokens < len(words) and len(frontend.tokenizer.encode(" ".join(words[: fed_tokens + 1]))) <= arrived:
            fed_tokens += 1
        complete = fed_tokens == len(words)
        feed.offer(revision(" ".join(words[:fed_tokens]) + " ", complete=complete), frame, frame * 80.0)
        frontend.step(given(frame, oracle=feed.pop(frame)))
    text = list(frontend.tokenizer.encode(" ".join(words)))
    assert [token for token in watch.fed if token != 3] == [frontend.tokenizer.start_id, *text]
    begin = watch.fed.index(frontend.tokenizer.start_id)
    last = max(number for number, token in enumerate(watch.fed) if token != 3)
    assert (3 in watch.fed[begin:last]) is gaps


def test_nothing_of_a_session_leaks_into_the_next(loaded: LoadedFactory) -> None:
    """The reference kept the oracle. Here a session that follows another one equals the first after loading."""
    watch = Watch()
    frontend = loaded(options=watch.options())

    def session() -> tuple[list[Any], list[Any], list[Any]]:
        watch.begin(frontend)
        out = [frontend.step(given(frame, oracle=NO_ORACLE)) for frame in range(12)]
        return list(watch.logits), [one.pcm for one in out], [one.words for one in out]

    first = session()
    feed = feed_for(frontend)
    frontend.reset()
    feed.offer(revision("the capital of france is paris", complete=True), 0, 0.0)
    for frame in range(7):  # ends inside the revision, in the middle of a word
        frontend.step(given(frame, oracle=feed.pop(frame)))
    second = session()
    assert set(watch.fed) == {3}
    assert all(torch.equal(a, b) for a, b in zip(first[0], second[0], strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(first[1], second[1], strict=True))
    assert first[2] == second[2]
