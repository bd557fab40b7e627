"""One real question, end to end, in each provider's own format: roles, bounds, keys, usage and price."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.backend.llm.litellm_client import LiteLlmClient
from kame_desktop.core.errors import AppError, ErrorCategory, LlmError
from tests.backend.llm_calls import KEY, LIBRARY_WARNINGS, PROMPT, SYSTEM, ask, collect, keyed_client
from tests.fakes.wire_servers import FORMATS, PROMPT_TOKENS, Refuse, WireServer, say

pytestmark = LIBRARY_WARNINGS

ADDRESS_VARIABLES = {
    "openai": "OPENAI_BASE_URL",
    "anthropic": "ANTHROPIC_API_BASE",
    "gemini": "GEMINI_API_BASE",
}
KEY_VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")


@pytest_asyncio.fixture
async def client() -> AsyncIterator[LiteLlmClient]:
    client = keyed_client()
    yield client
    await client.close()


@pytest.fixture(params=FORMATS)
def wire(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in KEY_VARIABLES:
        monkeypatch.delenv(variable, raising=False)


def said(wire: str, body: dict[str, Any]) -> list[tuple[str, str]]:
    """Role and text of every turn, the system prompt first, as the service reads them."""
    match wire:
        case "openai":
            return [(message["role"], message["content"]) for message in body["messages"]]
        case "anthropic":
            turns = [(message["role"], message["content"]) for message in body["messages"]]
            turns.insert(0, ("system", body["system"]))
            return [(role, text if isinstance(text, str) else text[0]["text"]) for role, text in turns]
        case _:
            turns = [("system", body["system_instruction"]), *((turn["role"], turn) for turn in body["contents"])]
            return [(role, turn["parts"][0]["text"]) for role, turn in turns]


def bound(wire: str, body: dict[str, Any]) -> int:
    """The bound of the answer in tokens."""
    if wire == "gemini":
        config = body["generationConfig"]
        return config.get("max_output_tokens") or config["maxOutputTokens"]
    return body["max_tokens"]


@pytest.mark.asyncio
async def test_a_question_keeps_its_roles(client: LiteLlmClient, wire: str) -> None:
    async with WireServer(say("Par", "is", ".")) as server:
        await client.load(server.model(wire))
        text, usage = await collect(client.stream(ask(server.model(wire), max_tokens=123)))
    assistant = "model" if wire == "gemini" else "assistant"
    body = server.calls[0].body
    assert said(wire, body) == [
        ("system", SYSTEM),
        ("user", "an earlier question"),
        (assistant, "an earlier answer"),
        ("user", PROMPT),
    ]
    assert bound(wire, body) == 123
    assert text == "Paris."
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens) == (PROMPT_TOKENS, 3)
    assert server.calls[0].authorization == KEY
    assert server.calls[0].finished


@pytest.mark.parametrize(
    ("wire", "model", "cost_usd"),
    [
        ("openai", LlmModel("gpt-4.1", "", provider="openai"), PROMPT_TOKENS * 2e-6 + 3 * 8e-6),
        ("openai", LlmModel("gpt-4.1", ""), PROMPT_TOKENS * 2e-6 + 3 * 8e-6),
        ("anthropic", LlmModel("claude-opus-4-5", "", provider="anthropic"), PROMPT_TOKENS * 5e-6 + 3 * 25e-6),
        ("anthropic", LlmModel("claude-no-such-price", "", provider="anthropic"), None),
        ("gemini", LlmModel("gemini/gemini-2.5-flash", "", provider="gemini"), PROMPT_TOKENS * 3e-7 + 3 * 2.5e-6),
    ],
    ids=lambda value: f"{value.provider}-{value.name}" if isinstance(value, LlmModel) else "",
)
@pytest.mark.asyncio
async def test_a_model_of_the_providers_own_has_its_price(
    client: LiteLlmClient, monkeypatch: pytest.MonkeyPatch, wire: str, model: LlmModel, cost_usd: float | None
) -> None:
    async with WireServer(say("Par", "is", ".")) as server:
        monkeypatch.setenv(ADDRESS_VARIABLES[wire], server.address(wire))
        await client.load(model)
        text, usage = await collect(client.stream(ask(model)))
    assert text == "Paris."
    assert usage is not None
    assert usage.cost_usd == (None if cost_usd is None else pytest.approx(cost_usd))


@pytest.mark.asyncio
async def test_google_is_kept_from_thinking_before_it_speaks(client: LiteLlmClient) -> None:
    async with WireServer() as server:
        await collect(client.stream(ask(server.model("gemini"))))
    thinking = server.calls[0].body["generationConfig"]["thinkingConfig"]
    assert thinking["thinkingBudget"] == 0


@pytest.mark.parametrize("wire", FORMATS)
def test_one_conversation_after_another_is_answered(wire: str) -> None:
    async def conversation(server: WireServer) -> str:
        client = keyed_client()
        text, _ = await collect(client.stream(ask(server.model(wire))))
        await client.close()
        return text

    with WireServer().in_thread() as server:
        assert [asyncio.run(conversation(server)) for _ in range(4)] == ["Hello there."] * 4


# Which format -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wire", "name", "provider", "sent"),
    [
        ("openai", "llama3.2", "", "llama3.2"),
        ("openai", "meta-llama/Llama-3.1-8B", "", "meta-llama/Llama-3.1-8B"),
        ("openai", "anthropic/claude-haiku-4.5", "", "anthropic/claude-haiku-4.5"),
        ("openai", "openai/gpt-oss-20b", "", "gpt-oss-20b"),
        ("openai", "openai/openai/gpt-oss-20b", "", "openai/gpt-oss-20b"),
        ("openai", "llama3.2", "ollama", "llama3.2"),
        ("openai", "ollama/llama3.2", "ollama", "llama3.2"),
        ("anthropic", "claude-x", "anthropic", "claude-x"),
        ("anthropic", "anthropic/claude-x", "anthropic", "claude-x"),
        ("anthropic", "anthropic/claude-x", "", "claude-x"),
    ],
)
@pytest.mark.asyncio
async def test_name_and_provider_say_which_format_an_address_speaks(
    client: LiteLlmClient, wire: str, name: str, provider: str, sent: str
) -> None:
    async with WireServer() as server:
        model = LlmModel(name, name, api_base=server.address(wire), provider=provider)
        text, usage = await collect(client.stream(ask(model)))
    assert text == "Hello there."
    assert server.calls[0].body["model"] == sent
    assert usage is not None
    assert usage.cost_usd == (0.0 if provider == "ollama" else None)


# Keys ---------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_keys")
@pytest.mark.asyncio
async def test_a_missing_key_says_where_to_enter_one() -> None:
    client = LiteLlmClient(key_for=lambda _: None)
    for model, provider, variable in (
        (LlmModel("gpt-4.1", "", provider="openai"), "openai", "OPENAI_API_KEY"),
        (LlmModel("claude-opus-4-1", ""), "anthropic", "ANTHROPIC_API_KEY"),
        (LlmModel("gemini/gemini-2.5-flash", "", provider="gemini"), "gemini", "GEMINI_API_KEY"),
    ):
        for attempt in (client.load(model), collect(client.stream(ask(model)))):
            with pytest.raises(LlmError, match="needs a key") as caught:
                await attempt
            assert caught.value.category is ErrorCategory.PERMANENT
            assert f"kame-desktop llm set-key {provider}" in caught.value.remedy
            assert variable in caught.value.remedy
    await client.close()


@pytest.mark.usefixtures("no_keys")
@pytest.mark.asyncio
async def test_without_a_key_store_the_environment_has_the_key(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    variable = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}[wire]
    monkeypatch.setenv(variable, "from-environment")
    client = LiteLlmClient()
    async with WireServer() as server:
        await collect(client.stream(ask(server.model(wire))))
    assert server.calls[0].authorization == "from-environment"
    await client.close()


@pytest.mark.asyncio
async def test_a_providers_key_never_goes_to_an_address_of_the_users_own(
    wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in KEY_VARIABLES:
        monkeypatch.setenv(variable, KEY)
    client = LiteLlmClient(key_for=lambda _: None)
    async with WireServer() as server:
        await collect(client.stream(ask(server.model(wire))))
    assert server.calls[0].authorization == "none"
    await client.close()


@pytest.mark.asyncio
async def test_a_key_is_looked_up_once_a_load_and_again_when_it_was_refused() -> None:
    keys = ["first", "second", "third"]
    looked_up: list[str] = []

    def key_for(model: LlmModel) -> str:
        looked_up.append(model.name)
        return keys[len(looked_up) - 1]

    client = LiteLlmClient(key_for=key_for)
    async with WireServer(say("a"), say("b"), [Refuse("key")], say("c")) as server:
        model = server.model("openai")
        await client.load(model)
        for _ in range(2):
            await collect(client.stream(ask(model)))
        with pytest.raises(LlmError, match="refused the key"):
            await collect(client.stream(ask(model)))
        await collect(client.stream(ask(model)))
        await client.load(model)
    assert [call.authorization for call in server.calls] == ["first", "first", "first", "second"]
    assert len(looked_up) == 3
    await client.close()


@pytest.mark.asyncio
async def test_a_key_that_was_missing_is_looked_for_again() -> None:
    keys = iter([None, "entered since"])
    client = LiteLlmClient(key_for=lambda _: next(keys))
    async with WireServer() as server:
        for expected in ("none", "entered since"):
            await collect(client.stream(ask(server.model("openai"))))
            assert server.calls[-1].authorization == expected
    await client.close()


@pytest.mark.asyncio
async def test_a_keyring_that_waits_for_the_user_holds_nothing_up() -> None:
    asked, unlocked = threading.Event(), threading.Event()

    def key_for(_: LlmModel) -> str:
        asked.set()
        unlocked.wait(20.0)
        return KEY

    client = LiteLlmClient(key_for=key_for)
    async with WireServer() as server:
        task = asyncio.create_task(client.load(server.model("openai")))
        assert await asyncio.to_thread(asked.wait, 10.0), "the loop runs on"
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(client.close(), 2.0)
    unlocked.set()


@pytest.mark.asyncio
async def test_what_a_broken_key_store_says_is_not_passed_on() -> None:
    def key_for(_: LlmModel) -> str:
        raise RuntimeError(KEY)

    client = LiteLlmClient(key_for=key_for)
    async with WireServer() as server:
        with pytest.raises(AppError) as caught:
            await client.load(server.model("openai"))
    assert KEY not in repr(caught.value) + str(caught.value) + repr(caught.value.__cause__)
    await client.close()
