"""The starter model itself, through its server and through the client."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from kame_desktop.backend.llm.base import LlmRequest, Message
from kame_desktop.backend.llm.catalog import STARTER, find_starter_file, starter_installed
from kame_desktop.backend.llm.litellm_client import LiteLlmClient
from kame_desktop.backend.llm.starter import StarterServer
from kame_desktop.backend.prompt import Exchange, build_messages
from kame_desktop.core.errors import AppError, Cancelled, ModelFileError

pytestmark = [
    pytest.mark.skipif(not starter_installed(), reason="the starter extra isn't installed"),
    # litellm looks at every attribute of its own pydantic chunks; nothing of ours can avoid it.
    pytest.mark.filterwarnings(
        "ignore:Accessing the 'model_(computed_)?fields' attribute:pydantic.warnings.PydanticDeprecatedSince211"
    ),
]

SAMPLES = {
    "What is the capital of France?": "paris",
    "Why is the sky blue?": "scatter",
    "How many days are there in a leap year?": "366",
    "Who wrote Romeo and Juliet?": "shakespeare",
    "What is seven times eight?": "56|fifty-six",
}
MORE = {
    "What is the capital of Germany?": "berlin",
    "What is the capital of Spain?": "madrid",
    "What is the capital of England?": "london",
    "What is the capital of Russia?": "moscow",
    "What is the capital of Greece?": "athens",
    "How many days are there in a week?": "seven|7",
    "How many minutes are there in an hour?": "60|sixty",
    "How many seconds are there in a minute?": "60|sixty",
    "What is the largest ocean?": "pacific",
    "What is the tallest mountain in the world?": "everest",
    "What is the chemical symbol for gold?": "au",
    "What is the opposite of hot?": "cold",
    "Who was the first man on the moon?": "armstrong",
    "Who painted the Starry Night?": "gogh",
    "Who wrote Pride and Prejudice?": "austen",
    "What language is spoken in Brazil?": "portuguese",
    "Who discovered gravity?": "newton",
    "What color is a banana?": "yellow",
    "Which planet is closest to the Sun?": "mercury",
    "What is two plus two?": "four|4",
}


@pytest.fixture(scope="module")
def server() -> Iterator[StarterServer]:
    server = StarterServer()
    server.start()
    yield server
    server.stop()


@pytest_asyncio.fixture
async def client(server: StarterServer) -> AsyncIterator[LiteLlmClient]:
    """A client of the module's server (which it may not stop)."""
    client = LiteLlmClient(lambda: Kept(server))
    await client.load(STARTER)
    yield client
    await client.close()


class Kept:
    """A running server that a client may start and stop without effect."""

    def __init__(self, server: StarterServer) -> None:
        self.served_name, self.token, self.api_base = server.served_name, server.token, server.api_base
        self.running = False

    def start(self) -> None:
        self.running = True

    def stop(self) -> None:
        self.running = False


def request(question: str, history: tuple[Exchange, ...] = ()) -> LlmRequest:
    messages = build_messages(
        STARTER, history, question, unfinished=False, spoken="", system_prompt=None, token_budget=1500
    )
    return LlmRequest(STARTER, messages)


async def answer(client: LiteLlmClient, question: str, history: tuple[Exchange, ...] = ()) -> str:
    return "".join([chunk.text async for chunk in client.stream(request(question, history))])


def post(server: StarterServer, token: str, body: dict[str, object]) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(server.api_base.split("/")[2], timeout=20)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    response = connection.getresponse()
    result = response.status, response.read()
    connection.close()
    return result


def reachable(address: str) -> bool:
    host, port = address.split("/")[2].split(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 0.5):
        return True
    return False


@pytest.mark.asyncio
async def test_the_sample_questions_are_answered_right(client: LiteLlmClient) -> None:
    wrong = {}
    for question, expected in SAMPLES.items():
        text = await answer(client, question)
        if not re.search(expected, text, re.IGNORECASE) or len(text.split()) > 30 or "*" in text:
            wrong[question] = text
    assert wrong == {}


@pytest.mark.parametrize("strip", ["?", ""])
@pytest.mark.asyncio
async def test_also_as_speech_recognition_may_write_them(client: LiteLlmClient, strip: str) -> None:
    for question, expected in SAMPLES.items():
        assert re.search(expected, await answer(client, question.lower().rstrip(strip)), re.IGNORECASE), question


@pytest.mark.asyncio
async def test_and_one_after_the_other_in_one_conversation(client: LiteLlmClient) -> None:
    history: tuple[Exchange, ...] = ()
    for question, expected in SAMPLES.items():
        text = await answer(client, question, history)
        assert re.search(expected, text, re.IGNORECASE), question
        history += (Exchange(question, text),)


@pytest.mark.asyncio
async def test_most_simple_questions_are_answered_right(client: LiteLlmClient) -> None:
    right = [bool(re.search(expected, await answer(client, q), re.IGNORECASE)) for q, expected in MORE.items()]
    assert sum(right) >= 16


@pytest.mark.asyncio
async def test_a_follow_up_knows_what_it_follows(client: LiteLlmClient) -> None:
    history = (Exchange("Who wrote Romeo and Juliet?", "Romeo and Juliet was written by William Shakespeare."),)
    assert re.search("shakespeare|15|16", await answer(client, "When was he born?", history), re.IGNORECASE)


@pytest.mark.asyncio
async def test_the_first_token_is_quick(client: LiteLlmClient) -> None:
    await answer(client, "What is a horse?")
    waits = []
    for question in ("What is the largest ocean?", "Who painted the Starry Night?", "What is the opposite of hot?"):
        stream = client.stream(request(question))
        began = time.perf_counter()
        async for chunk in stream:
            if chunk.text:
                waits.append(time.perf_counter() - began)
                break
        await stream.aclose()
    assert sorted(waits)[1] < 0.5


@pytest.mark.asyncio
async def test_cancelled_answers_free_their_places_at_once(client: LiteLlmClient) -> None:
    long = LlmRequest(STARTER, [Message("user", "Count from one to one thousand.")], max_tokens=1500)
    for _ in range(3):
        streams = [client.stream(long) for _ in range(2)]
        await asyncio.gather(*(anext(stream) for stream in streams))
        for stream in streams:
            await stream.aclose()
    began = time.perf_counter()
    await answer(client, "What is the largest ocean?")
    assert time.perf_counter() - began < 1.5


def test_it_asks_for_its_token(server: StarterServer) -> None:
    question = {"messages": [{"role": "user", "content": "Hello."}], "max_tokens": 1}
    assert post(server, server.token, question)[0] == 200
    assert post(server, "wrong", question)[0] == 401
    assert server.api_base.startswith("http://127.0.0.1:")


def test_a_stop_frees_port_and_process_also_with_an_open_stream() -> None:
    server = StarterServer(warm_up=[])
    server.start()
    address, process_id = server.api_base, server.process_id
    assert server.running
    assert reachable(address)
    assert process_id
    body = {"messages": [{"role": "user", "content": "Tell a long story."}], "max_tokens": 1500, "stream": True}
    connection = http.client.HTTPConnection(address.split("/")[2], timeout=10)
    connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Authorization": f"Bearer {server.token}"})
    response = connection.getresponse()
    response.readline()
    began = time.perf_counter()
    server.stop()
    server.stop()
    assert time.perf_counter() - began < 1.0
    response.close()
    connection.close()
    assert not server.running
    assert not reachable(address)


def test_a_stop_in_the_middle_of_a_start_ends_it() -> None:
    server = StarterServer()
    raised: list[BaseException] = []

    def start() -> None:
        try:
            server.start()
        except AppError as error:
            raised.append(error)

    thread = threading.Thread(target=start)
    thread.start()
    while server.process_id is None and thread.is_alive():
        time.sleep(0.002)
    began = time.perf_counter()
    server.stop()
    thread.join(5.0)
    assert time.perf_counter() - began < 1.0
    assert not thread.is_alive()
    assert [type(error) for error in raised] == [Cancelled]


def test_it_ends_when_its_parent_dies() -> None:
    code = (
        "import os\n"
        "from kame_desktop.backend.llm.starter import StarterServer\n"
        "server = StarterServer(warm_up=[]); server.start()\n"
        "print(server.api_base, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    root = Path(sys.modules["kame_desktop"].__file__ or "").parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PYTHONPATH": str(root)},
        check=False,
    )
    address = done.stdout.strip()
    assert address.startswith("http://127.0.0.1:")
    assert done.stderr == ""
    deadline = time.perf_counter() + 3.0
    while reachable(address) and time.perf_counter() < deadline:
        time.sleep(0.02)
    assert not reachable(address)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    damaged = tmp_path / "model.gguf"
    damaged.write_bytes(b"GGUF, but not really")
    with pytest.raises(ModelFileError, match=r"damaged.*Install it anew"):
        StarterServer(damaged).start()
    with pytest.raises(ModelFileError, match="could not be read"):
        StarterServer(tmp_path / "absent.gguf").start()


def test_a_file_that_llama_cannot_load_is_an_error_and_leaves_no_process(tmp_path: Path) -> None:
    import hashlib

    original = find_starter_file()
    assert original is not None
    broken = tmp_path / "broken.gguf"
    shutil.copyfile(original, broken)
    with broken.open("r+b") as stream:
        stream.truncate(1_000_000)
    server = StarterServer(broken, hashlib.sha256(broken.read_bytes()).hexdigest())
    with pytest.raises(AppError, match="could not be loaded"):
        server.start()
    assert not server.running


def test_starting_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    server = StarterServer()
    server.start()
    server.stop()
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
