"""A planted key, in a header or in an address, and the user's words go through every failure: nobody writes them down.

Every logger of the process is at its most talkative meanwhile, whatever library it belongs to.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import sys
import warnings
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.backend.llm.litellm_client import LiteLlmClient
from kame_desktop.core.errors import LlmError
from tests.backend.llm_calls import KEY, LIBRARY_WARNINGS, SECRETS, ask, collect, keyed_client, shown_by
from tests.backend.test_llm_failures import CASES, SILENCES
from tests.fakes.wire_servers import FORMATS, Cut, Fail, Garble, Say, Script, WireServer
from tests.talkative import everything_logged

pytestmark = LIBRARY_WARNINGS

ANSWER = "a secret answer"
SCRIPTS: dict[str, Script] = {
    **{name: case.script for name, case in CASES.items()},
    "fine": [Say(ANSWER)],
    "garbled": [Say(ANSWER), Garble()],
    "half a letter": [Say(ANSWER), Garble(bad_utf8=True)],
    "fails after words": [Say(ANSWER), Fail()],
    "cut after words": [Say(ANSWER), Cut()],
}


class Everything(logging.Handler):
    """Writes down all that reaches it, tracebacks and arguments included."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(logging.Formatter("%(name)s %(message)s"))
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += f"{self.format(record)} {record.args!r}\n"
        self.text += shown_by(record.exc_info[1]) if record.exc_info and record.exc_info[1] else ""


@pytest_asyncio.fixture
async def client() -> AsyncIterator[LiteLlmClient]:
    client = keyed_client()
    with contextlib.suppress(LlmError):
        await client.load(LlmModel("gpt-4.1", ""))
    yield client
    await client.close()


@pytest.fixture
def log(client: LiteLlmClient) -> Iterator[Everything]:
    """What is logged, with every level at its lowest. ``client``: the library's loggers are there by now."""
    handler = Everything()
    with everything_logged(handler):
        yield handler


def assert_nothing_in(text: str) -> None:
    assert not [secret for secret in (*SECRETS, ANSWER) if secret in text]


@pytest.mark.parametrize("where", ["header", "address"])
@pytest.mark.parametrize("wire", FORMATS)
@pytest.mark.asyncio
async def test_no_failure_writes_down_key_words_or_answer(
    client: LiteLlmClient, log: Everything, capfd: pytest.CaptureFixture[str], wire: str, where: str
) -> None:
    shown = ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for script in SCRIPTS.values():
            async with WireServer(script, [Say(ANSWER)], secret=" ".join(SECRETS)) as server:
                model = server.model(wire)
                if where == "address":
                    model = LlmModel(model.name, "", api_base=f"{model.api_base}?key={KEY}", provider=wire)
                try:
                    await collect(client.stream(ask(model)))
                except LlmError as error:
                    shown += shown_by(error)
                    logging.getLogger("a.part.of.ours").warning("It failed.", exc_info=error)
        gc.collect()
        await asyncio.sleep(0)
    shown += repr(client) + repr(ask(WireServer().model(wire))) + "".join(str(warning) for warning in caught)
    out, err = capfd.readouterr()
    assert "It failed." in log.text, "the handler hears what is logged"
    for text in (shown, log.text, out, err):
        assert_nothing_in(text)


@pytest.mark.parametrize("wire", FORMATS)
@pytest.mark.asyncio
async def test_streams_that_are_cut_short_write_nothing_down(
    client: LiteLlmClient, log: Everything, capfd: pytest.CaptureFixture[str], wire: str
) -> None:
    for script in SILENCES.values():
        async with WireServer(script) as server:
            task = asyncio.create_task(collect(client.stream(ask(server.model(wire)))))
            await server.until_sent(sum(isinstance(step, Say) for step in script))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
    gc.collect()
    await asyncio.sleep(0)
    out, err = capfd.readouterr()
    for text in (log.text, out, err):
        assert_nothing_in(text)


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://nowhere.invalid", "https://127.0.0.1:9"])
@pytest.mark.parametrize("wire", FORMATS)
@pytest.mark.asyncio
async def test_a_network_that_fails_writes_nothing_down(
    client: LiteLlmClient, log: Everything, wire: str, address: str
) -> None:
    with pytest.raises(LlmError) as caught:
        await collect(client.stream(ask(LlmModel("m", "", api_base=f"{address}/?key={KEY}", provider=wire))))
    assert_nothing_in(log.text + shown_by(caught.value))


@pytest.mark.asyncio
async def test_a_debug_variable_of_a_library_changes_nothing() -> None:
    """In a process of its own, with the switches that make these libraries print requests."""
    script = (
        "import asyncio, logging, sys; logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)\n"
        "from tests.backend.llm_calls import ask, collect, keyed_client\n"
        "from tests.fakes.wire_servers import FORMATS, Refuse, WireServer, say\n"
        "from kame_desktop.core.errors import LlmError\n"
        "async def main():\n"
        "    client = keyed_client()\n"
        "    for wire in FORMATS:\n"
        f"        async with WireServer(say('{ANSWER}'), [Refuse('key')], secret='{KEY}') as server:\n"
        "            await collect(client.stream(ask(server.model(wire))))\n"
        "            try: await collect(client.stream(ask(server.model(wire))))\n"
        "            except LlmError as error: print(error)\n"
        "    await client.close()\n"
        "asyncio.run(main())\n"
    )
    loud = {"LITELLM_LOG": "DEBUG", "OPENAI_LOG": "debug", "PYTHONASYNCIODEBUG": "1"}
    root = Path(__file__).parents[2]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        script,
        cwd=root,
        env={**os.environ, **loud, "PYTHONPATH": os.pathsep.join((str(root), str(root / "app")))},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()[-2000:]
    assert out.decode().count("refused the key") == 3
    assert_nothing_in(out.decode())
