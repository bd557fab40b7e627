"""A module in the place of ``sounddevice``: devices in a list, streams whose callbacks a test calls itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kame_desktop.core.audio_types import Pcm


@dataclass
class Flags:
    """Callback flags."""

    input_overflow: bool = False
    output_underflow: bool = False


class FakeStream:
    """One stream, input or output; ``refuse`` on the module makes opening or starting it fail."""

    def __init__(self, module: FakeSoundDevice, kind: str, options: dict[str, Any]) -> None:
        self.kind = kind
        self.options = options
        self.channels = int(options["channels"])
        self.started = self.closed = False
        self._module = module

    def start(self) -> None:
        if f"start {self.kind}" in self._module.refuse:
            raise self._module.PortAudioError("no")
        self.started = True

    def abort(self, ignore_errors: bool = True) -> None:
        self.started = False

    def close(self, ignore_errors: bool = True) -> None:
        self.closed = True

    def give(self, samples: Pcm, flags: Flags | None = None) -> None:
        """The hardware captured one block: every channel hears the same."""
        block = np.repeat(np.asarray(samples, dtype=np.float32)[:, None], self.channels, axis=1)
        self.options["callback"](block, len(block), None, flags or Flags())

    def take(self, count: int, flags: Flags | None = None) -> Pcm:
        """The hardware plays one block; returns it, ``[count, channels]``."""
        block = np.full((count, self.channels), 9.0, dtype=np.float32)
        self.options["callback"](block, count, None, flags or Flags())
        return block

    def vanish(self) -> None:
        """The device is unplugged."""
        self.options["finished_callback"]()


def fake_device(index: int, name: str, inputs: int, outputs: int, rate: float = 48_000.0) -> dict[str, Any]:
    """One entry of ``query_devices``."""
    return {
        "index": index,
        "name": name,
        "max_input_channels": inputs,
        "max_output_channels": outputs,
        "default_samplerate": rate,
    }


@dataclass
class FakeSoundDevice:
    """Stands in ``sys.modules`` under the name ``sounddevice``.

    Attributes:
        devices: What is plugged in; the first fitting one is the default. The library knows what it saw when it began.
        refuse: ``"input 1"`` refuses opening an input with one channel; ``"start input"`` refuses starting one.
        streams: Every stream opened.
    """

    devices: list[dict[str, Any]]
    refuse: set[str] = field(default_factory=set)
    streams: list[FakeStream] = field(default_factory=list)

    class PortAudioError(Exception):
        """The library's only error."""

    def __post_init__(self) -> None:
        self._initialize()

    def _initialize(self) -> None:
        self._known = list(self.devices)

    def _terminate(self) -> None:
        assert all(stream.closed for stream in self.streams), "no stream outlives the library"

    def query_devices(self, kind: str | None = None) -> Any:
        if kind is None:
            return self._known
        for one in self._known:
            if one[f"max_{kind}_channels"] > 0:
                return one
        raise self.PortAudioError("no default device")

    def InputStream(self, **options: Any) -> FakeStream:
        return self._open("input", options)

    def OutputStream(self, **options: Any) -> FakeStream:
        return self._open("output", options)

    def stream(self, kind: str) -> FakeStream:
        """The newest stream of a kind."""
        return [one for one in self.streams if one.kind == kind][-1]

    def _open(self, kind: str, options: dict[str, Any]) -> FakeStream:
        if f"{kind} {options['channels']}" in self.refuse:
            raise self.PortAudioError("no")
        self.streams.append(FakeStream(self, kind, options))
        return self.streams[-1]
