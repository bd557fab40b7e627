"""Words, turns, trouble and endurance of the front end."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import weakref
from typing import Any

import pytest

from kame_desktop.core.audio_types import UserActivity
from kame_desktop.core.errors import ResourceError
from kame_desktop.core.events import SpokenKind
from kame_desktop.frontends.base import NO_ORACLE, OracleSlot, SpeechFrontend
from kame_desktop.frontends.kame_generation import GenerationOptions
from kame_desktop.frontends.kame_text import WordDecoder
from tests.frontends.kame.conftest import TINY, LoadedFactory
from tests.frontends.kame.scenes import Watch, given
from tests.frontends.kame.test_text import PIECES

torch = pytest.importorskip("torch", reason="torch is not installed (extra gpu)")
pytest.importorskip("moshi", reason="moshi is not installed (extra gpu)")


def test_it_is_silent_until_the_delays_are_filled(loaded: LoadedFactory) -> None:
    frontend: SpeechFrontend = loaded()
    first = frontend.step(given(0))
    assert not first.pcm.any()
    assert not first.words
    assert not first.speech_started
    second = frontend.step(given(1))
    assert second.pcm.any()
    assert second.speech_started
    assert second.holding_turn


def test_words_carry_the_generation_of_the_frame_that_predicted_them(loaded: LoadedFactory) -> None:
    """A generation counts until the next one; a word's first piece was predicted one frame before it came out."""
    watch = Watch()
    frontend = watch.begin(loaded(options=watch.options()))
    decoder = WordDecoder(PIECES)
    words, current, expected = [], [], []
    for frame in range(120):
        number = {20: 7, 21: 7, 22: 7, 70: 8, 71: 8}.get(frame)
        current.append(number or (current[-1] if current else None))
        slot = NO_ORACLE if number is None else OracleSlot((261,), number)
        words += frontend.step(given(frame, oracle=slot)).words
        tokens = watch.tokens[-1]
        if tokens is not None:
            expected += [(word.text, word.generation) for word in decoder.take(int(tokens[0]), current[frame - 1])]
    assert {word.kind for word in words} == {SpokenKind.ANSWER}
    assert [(word.text, word.generation) for word in words] == expected
    assert {word.generation for word in words} == {None, 7, 8}


def test_it_is_never_interrupted_and_waits_for_an_answer(loaded: LoadedFactory) -> None:
    frontend = loaded()
    speaking = UserActivity(utterance=1, speaking=True, started=True)
    outputs = [frontend.step(given(frame, user=speaking)) for frame in range(5)]
    assert not any(output.interrupted for output in outputs)
    assert outputs[0].holding_turn


def test_a_kept_model_is_ready_at_once_and_fresh(loaded: LoadedFactory) -> None:
    watch = Watch()
    frontend = watch.begin(loaded(options=watch.options(), keep_loaded=True))
    lm = frontend.generation.lm
    frontend.step(given(0))
    first = watch.logits[0]
    frontend.close()
    frontend.load(lambda done, what: None)
    assert frontend.generation.lm is lm
    frontend.reset()
    frontend.step(given(0))
    assert torch.equal(watch.logits[-1], first)
    frontend.release()
    with pytest.raises(RuntimeError):
        frontend.step(given(0))


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")])
def test_out_of_memory_in_mid_session_lets_the_model_go(loaded: LoadedFactory, error: Exception) -> None:
    armed = False

    def fail(codes: Any, tokens: Any) -> None:
        if armed:
            raise error

    frontend = loaded(options=GenerationOptions(on_tokens=fail), keep_loaded=True)
    frontend.step(given(0))
    table = weakref.ref(frontend.generation.lm.text_emb.oracle.weight)
    armed = True
    with pytest.raises(ResourceError, match="ran out of memory; the model was let go"):
        frontend.step(given(1))
    error.__traceback__ = None
    gc.collect()
    assert table() is None
    armed = False
    frontend.load(lambda done, what: None)
    frontend.step(given(0))


def test_other_errors_stay_what_they_are(loaded: LoadedFactory) -> None:
    def fail(codes: Any, tokens: Any) -> None:
        if armed:
            raise RuntimeError("shape mismatch")

    armed = False
    frontend = loaded(options=GenerationOptions(on_tokens=fail))
    armed = True
    with pytest.raises(RuntimeError, match="shape mismatch"):
        frontend.step(given(0))


def test_the_stream_can_be_detached_and_refuses_ids_that_it_has_not(loaded: LoadedFactory) -> None:
    frontend = loaded()
    oracle = frontend.generation.oracle
    assert oracle is not None
    for bad in (-1, oracle.card + 1):
        with pytest.raises(ValueError, match="oracle id"):
            oracle.feed(bad)
    address = frontend.generation.lm.text_emb.token.data_ptr()
    oracle.feed(oracle.card)
    assert frontend.generation.lm.text_emb.token.data_ptr() == address
    assert oracle.fed == oracle.card
    oracle.clear()
    assert oracle.fed == 3
    oracle.detach()
    assert not hasattr(frontend.generation.lm.text_emb, "oracle")


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_hundreds_of_frames_need_no_more_memory() -> None:
    """600 frames, to bound the time: the caches are full after 64.

    In a process of its own: what earlier tests left to the collector would move the numbers.
    """
    command = [sys.executable, "-m", "tests.frontends.kame.growth", str(TINY)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=390)
    grown = json.loads(done.stdout.splitlines()[-1])
    assert grown["tensors"] <= 0
    assert grown["rss_bytes"] < 2_000_000
