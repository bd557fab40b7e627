"""Network weather: a language model behind a slow, uneven, lossy network, on purpose.

For demos and tests ("what does it feel like on a train?"): ``--weather "latency=300ms,jitter=100ms,loss=2%"``. What is
simulated is TCP over such a network, as the program meets it above TCP:

- *Latency* is the round trip, half of it on the way out and half on the way back: the first piece of an answer comes
  that much later, and so does every other, each in its turn. The round trips that open a connection are not added.
- *Jitter* is drawn for each packet (uniform, the round trip varies by up to so much both ways). Nothing overtakes: a
  piece that waits holds up those behind it.
- *Loss* loses nothing, it costs time: a lost packet is sent again after the retransmission timeout, which doubles while
  it is lost again (RFC 6298, 5.5). The timeout is the round trip and four times its mean deviation, 200 ms at least:
  RFC 6298, 2.3, with the floor that Linux uses (the RFC's own is 1 s in all, 2.4). The packet that opens a connection
  has no measured round trip to go by: there it is 1 s (RFC 6298, 2.1). A request opens a connection when no earlier
  answer has left one by ending whole; a stream that is closed early takes its connection with it, as in HTTP/1.1.

A piece of the answer is one packet, and so is a request. Sound never goes through here.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from kame_desktop.backend.llm.base import LlmChunk, LlmModel, LlmRequest, Message, StreamingLlm
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import BadInputError

MOST_MS = 60_000.0
_LEAST_DEVIATION_MS = 200.0
_FIRST_TIMEOUT_MS = 1_000.0
_MOST_TIMEOUT_MS = 60_000.0
_MOST_TRIES = 8
_HELD_CHUNKS = 256

_HELP = 'Write it like "latency=300ms,jitter=100ms,loss=2%".'
_AMOUNT = re.compile(r"(?P<number>[+-]?(?:\d+\.?\d*|\.\d+))\s*(?P<unit>ms|s|%)?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Weather:
    """What the network between here and the language model is like.

    Attributes:
        latency_ms: The round trip that is added to the real one.
        jitter_ms: By how much a round trip may be longer or shorter.
        loss: Share of packets that are lost on their way, 0 up to (not including) 1.
    """

    latency_ms: float = 0.0
    jitter_ms: float = 0.0
    loss: float = 0.0

    def __post_init__(self) -> None:
        """Raises BadInputError for what no network is like."""
        for name, value_ms in (("latency", self.latency_ms), ("jitter", self.jitter_ms)):
            if not 0.0 <= value_ms <= MOST_MS:
                raise _refusal(f"the {name} has to be between 0 and {MOST_MS / 1e3:g} s")
        if not 0.0 <= self.loss < 1.0:
            raise _refusal("the loss has to be at least 0 % and less than 100 %")

    @classmethod
    def parse(cls, text: str) -> Weather:
        """Read "latency=300ms,jitter=0.1s,loss=2%": any order, spaces anywhere, what is missing is 0.

        A time without a unit is in milliseconds. Raises BadInputError.
        """
        amounts: dict[str, float] = {}
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            name, equals, amount = (piece.strip() for piece in part.partition("="))
            name = name.casefold()
            if not equals or name not in _PARTS:
                raise _refusal(f"'{part}' is none of {', '.join(_PARTS)}")
            if name in amounts:
                raise _refusal(f"'{name}' is given twice")
            amounts[name] = _read(name, amount)
        if not amounts:
            raise _refusal("it is empty")
        return cls(**{_PARTS[name]: value for name, value in amounts.items()})

    @property
    def calm(self) -> bool:
        """It changes nothing."""
        return self == Weather()

    @property
    def retransmission_timeout_ms(self) -> float:
        """How long an open connection waits before it sends a packet again."""
        mean_deviation_ms = self.jitter_ms / 2.0
        return self.latency_ms + max(_LEAST_DEVIATION_MS, 4.0 * mean_deviation_ms)

    def __str__(self) -> str:
        """As ``parse`` reads it, to the thousandth."""
        latency, jitter, loss = (_plain(value) for value in (self.latency_ms, self.jitter_ms, self.loss * 100.0))
        return f"latency={latency}ms,jitter={jitter}ms,loss={loss}%"


_PARTS = {"latency": "latency_ms", "jitter": "jitter_ms", "loss": "loss"}


def _read(name: str, amount: str) -> float:
    """A time in milliseconds, or the loss as a share."""
    found = _AMOUNT.fullmatch(amount)
    number = float(found["number"]) if found else math.nan
    unit = (found["unit"] or "").casefold() if found else ""
    if not math.isfinite(number):
        raise _refusal(f"'{name}={amount}' is not a number")
    if name == "loss":
        if unit != "%" and (unit or number):
            raise _refusal(f"'{name}={amount}' needs a percent sign")
        return number / 100.0
    if unit == "%":
        raise _refusal(f"'{name}={amount}' needs ms or s")
    return number * 1e3 if unit == "s" else number


def _plain(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _refusal(why: str) -> BadInputError:
    return BadInputError(f"This weather can't be made: {why}.", _HELP)


class _Path:
    """The way of one request and its answer. Its chances are its own: other requests don't change them."""

    def __init__(self, weather: Weather, seed: int) -> None:
        self._weather = weather
        self._rng = random.Random(seed)
        self._newest_arrival_ms = 0.0

    def out_ms(self, *, opens_connection: bool) -> float:
        """How long the request takes to get there."""
        waited_ms = self._lost_ms(_FIRST_TIMEOUT_MS) if opens_connection else 0.0
        return waited_ms + self._one_way_ms()

    def arrival_ms(self, sent_ms: float) -> float:
        """When what was sent at ``sent_ms`` is here: never before what was sent earlier."""
        self._newest_arrival_ms = max(self._newest_arrival_ms, sent_ms + self._one_way_ms())
        return self._newest_arrival_ms

    def _one_way_ms(self) -> float:
        weather = self._weather
        jitter_ms = self._rng.uniform(-weather.jitter_ms, weather.jitter_ms)
        way_ms = max(0.0, weather.latency_ms + jitter_ms) / 2.0
        return way_ms + self._lost_ms(weather.retransmission_timeout_ms)

    def _lost_ms(self, timeout_ms: float) -> float:
        """What it takes until a packet gets through: nothing when it does at once."""
        waited_ms = 0.0
        for _ in range(_MOST_TRIES):
            if self._rng.random() >= self._weather.loss:
                break
            waited_ms += timeout_ms
            timeout_ms = min(2.0 * timeout_ms, _MOST_TIMEOUT_MS)
        return waited_ms


class WeatheredLlm:
    """``StreamingLlm`` around another one, with the network's weather in between. Owner: the asyncio thread.

    Errors of a stream travel like pieces of its answer. Closing a stream, or cancelling its consumer, closes the inner
    one at once. ``load``, ``count_tokens`` and ``close`` go straight through.

    Bound: of each answer ``_HELD_CHUNKS`` pieces are on their way; while there are more, the inner stream isn't read.

    Args:
        llm: Who answers.
        weather: What the network is like.
        clock: The session's time: a stream waits in it.
        rng: Source of chance; each request takes one number from it.
    """

    def __init__(self, llm: StreamingLlm, weather: Weather, clock: Clock, rng: random.Random | None = None) -> None:
        self._llm = llm
        self._weather = weather
        self._clock = clock
        self._rng = rng or random.Random()
        self._open_connections = 0
        """Connections that are open and have no request on them."""

    async def load(self, model: LlmModel) -> None:
        await self._llm.load(model)

    async def stream(self, request: LlmRequest) -> AsyncGenerator[LlmChunk, None]:
        path = _Path(self._weather, self._rng.getrandbits(64))
        opens = self._open_connections == 0
        self._open_connections -= not opens
        await self._clock.sleep_until(self._clock.now_ms() + path.out_ms(opens_connection=opens))
        line = _DelayLine(self._llm.stream(request), path, self._clock)
        try:
            while (chunk := await line.next()) is not None:
                yield chunk
            self._open_connections += 1
        finally:
            await line.close()

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return self._llm.count_tokens(messages)

    async def close(self) -> None:
        await self._llm.close()


class _DelayLine:
    """Reads a stream as it comes, on a task of its own, and hands each piece on when it is due."""

    def __init__(self, chunks: AsyncGenerator[LlmChunk, None], path: _Path, clock: Clock) -> None:
        self._chunks = chunks
        self._path = path
        self._clock = clock
        self._room = asyncio.Semaphore(_HELD_CHUNKS)
        # Bounded by _room; the end, or the error, needs none.
        self._on_the_way: asyncio.Queue[tuple[float, LlmChunk | BaseException | None]] = asyncio.Queue()
        self._reader = asyncio.create_task(self._read(), name="weather")

    async def next(self) -> LlmChunk | None:
        """The next piece, when it is due; None at the end. Raises what the stream raised."""
        due_ms, item = await self._on_the_way.get()
        await self._clock.sleep_until(due_ms)
        if isinstance(item, BaseException):
            raise item
        self._room.release()
        return item

    async def close(self) -> None:
        """Close the stream, and return when that is done; nothing more arrives."""
        self._reader.cancel()
        await asyncio.wait((self._reader,))

    async def _read(self) -> None:
        end: BaseException | None = None
        try:
            async with contextlib.aclosing(self._chunks) as chunks:
                while True:
                    await self._room.acquire()
                    chunk = await anext(chunks, None)
                    if chunk is None:
                        break
                    self._send(chunk)
        except (Exception, asyncio.CancelledError) as raised:  # noqa: BLE001 - raised where the stream is read
            end = raised
        self._send(end)

    def _send(self, item: LlmChunk | BaseException | None) -> None:
        self._on_the_way.put_nowait((self._path.arrival_ms(self._clock.now_ms()), item))
