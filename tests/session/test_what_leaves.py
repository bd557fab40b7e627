"""What leaves this computer: never sound, words only to whom they must, keys only to their owner."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.backend.llm.base import LlmModel, Provider
from kame_desktop.session.what_leaves import UNKNOWN, Flow, Matter, receiver, what_leaves

OPENAI = Provider("openai", "OpenAI", ("OPENAI_API_KEY",))
OLLAMA = Provider("ollama", "Ollama")
STARTER = LlmModel("starter", "Starter model", starter=True)
GPT = LlmModel("gpt-4.1", "GPT-4.1", provider="openai")
MINI = LlmModel("gpt-4.1-mini", "GPT-4.1 mini", provider="openai")
LLAMA = LlmModel("ollama/llama3.2", "llama3.2", provider="ollama")
NEAR = LlmModel("near", "Near", api_base="http://127.0.0.1:1234/v1")
FAR = LlmModel("far", "Far", api_base="http://192.168.1.20:8000/v1")
STRANGE = LlmModel("strange/one", "Strange")
BROKEN = LlmModel("broken", "Broken", api_base="http://[")
ALL = (STARTER, GPT, MINI, LLAMA, NEAR, FAR, STRANGE, BROKEN)
AT_HOME = {STARTER, LLAMA, NEAR}


def provider_of(model: LlmModel) -> Provider | None:
    return {"openai": OPENAI, "ollama": OLLAMA}.get(model.provider)


def flows(*models: LlmModel, engine: str = "lite") -> list[Flow]:
    return what_leaves(engine, "whisper", models, provider_of)


def words(*models: LlmModel, engine: str = "lite") -> list[tuple[str, bool]]:
    return [(flow.to, flow.goes) for flow in flows(*models, engine=engine) if flow.what is Matter.WORDS]


@pytest.mark.parametrize(
    ("model", "to"),
    [
        (STARTER, ""),
        (LLAMA, ""),
        (NEAR, ""),
        (GPT, "OpenAI"),
        (FAR, "192.168.1.20"),
        (STRANGE, "the service of “Strange”"),
        (BROKEN, UNKNOWN),
    ],
)
def test_the_words_go_where_the_model_runs(model: LlmModel, to: str) -> None:
    assert receiver(model, provider_of(model)) == to
    assert words(model) == [(to, bool(to))]


def test_what_is_not_known_yet_is_not_called_harmless() -> None:
    (flow,) = [f for f in what_leaves("lite", "w", [STRANGE], provider_of, known=False) if f.what is Matter.WORDS]
    assert (flow.to, flow.goes) == (UNKNOWN, True)


def test_receivers_are_named_once_and_with_their_models() -> None:
    found = flows(MINI, GPT, FAR, STARTER)
    assert [(flow.what, flow.to) for flow in found] == [
        (Matter.SOUND, ""),
        (Matter.WORDS, "192.168.1.20"),
        (Matter.WORDS, "OpenAI"),
        (Matter.KEYS, "OpenAI"),
    ]
    assert "GPT-4.1”, “GPT-4.1 mini" in found[2].why


def test_an_engine_that_answers_by_itself_asks_nobody() -> None:
    assert words(GPT, engine="moshi") == [("", False)]
    assert words(GPT, engine="kame") == [("OpenAI", True)]


@given(st.sets(st.sampled_from(ALL)), st.sampled_from(["lite", "cascade", "kame", "moshi"]))
def test_sound_never_leaves_and_words_do_exactly_when_somebody_elsewhere_is_asked(
    models: set[LlmModel], engine: str
) -> None:
    found = what_leaves(engine, "whisper", models, provider_of)
    assert [flow.goes for flow in found if flow.what is Matter.SOUND] == [False]
    elsewhere = bool(models - AT_HOME) and engine != "moshi"
    assert any(flow.goes for flow in found) == elsewhere
    assert all(bool(flow.to) == flow.goes for flow in found)
    keys = {flow.to for flow in found if flow.what is Matter.KEYS}
    assert keys <= {flow.to for flow in found if flow.what is Matter.WORDS}
