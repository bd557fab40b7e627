"""A module in the place of ``sounddevice``: devices in a list, streams whose callbacks a test calls itself."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
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
    """One stream, input or output.

    Attributes:
        muffled: Nothing flows through it.
        given: Blocks captured.
        taken: Blocks played.
    """

    def __init__(self, module: FakeSoundDevice, kind: str, options: dict[str, Any]) -> None:
        self.kind = kind
        self.options = options
        self.channels = int(options["channels"])
        self.started = self.closed = self.muffled = False
        self._module = module
        self._played: list[Pcm] = []
        self.given = self.taken = 0

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
        self.given += 1
        self.options["callback"](block, len(block), None, flags or Flags())

    def take(self, count: int, flags: Flags | None = None) -> Pcm:
        """The hardware plays one block; returns it, ``[count, channels]``."""
        block = np.full((count, self.channels), 9.0, dtype=np.float32)
        self.options["callback"](block, count, None, flags or Flags())
        self.taken += 1
        if self._module.keeps_sound:
            self._played.append(block[:, 0].copy())
        return block

    @property
    def played(self) -> Pcm:
        """All that the first loudspeaker played."""
        return np.concatenate(self._played)

    def late_by(self, count: int) -> None:
        """The hardware played nothing for ``count`` samples, and says so with the next block."""
        self.take(count, Flags(output_underflow=True))

    @property
    def running(self) -> bool:
        """Sound flows."""
        return self.started and not self.closed

    def vanish(self) -> None:
        """The device is unplugged."""
        self.started = False
        self.options["finished_callback"]()


HOSTS = ("ALSA", "Other")


def fake_device(
    index: int, name: str, inputs: int, outputs: int, rate: float = 48_000.0, host_api: str = "ALSA"
) -> dict[str, Any]:
    """One entry of ``query_devices``."""
    return {
        "index": index,
        "name": name,
        "hostapi": 0 if host_api == HOSTS[0] else 1,
        "max_input_channels": inputs,
        "max_output_channels": outputs,
        "default_samplerate": rate,
    }


@dataclass
class FakeSoundDevice:
    """Stands in ``sys.modules`` under the name ``sounddevice``.

    Attributes:
        devices: What is plugged in; the first fitting one is the default. The library knows what it saw when it began.
        refuse: ``"input 1"`` refuses opening an input with one channel, ``"input 48000"`` one at that rate, ``"Mic"``
            the device of that name, ``"busy Mic"`` does so because another program holds it; ``"start input"``
            refuses starting one.
        sound: How loud it is that a microphone hears while ``flowing``.
        noisy: It hears noise of that size; otherwise every sample is the same.
        keeps_sound: What loudspeakers play is kept.
        streams: Every stream opened.
    """

    devices: list[dict[str, Any]]
    refuse: set[str] = field(default_factory=set)
    sound: float = 0.0
    noisy: bool = False
    keeps_sound: bool = True
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

    def _block(self, count: int) -> Pcm:
        if self.noisy:
            return (self.sound * np.random.default_rng(count).standard_normal(count)).astype(np.float32)
        return np.full(count, self.sound, dtype=np.float32)

    @contextlib.contextmanager
    def flowing(self) -> Iterator[None]:
        """Inside, a thread passes 20 ms through every running stream, in real time; microphones hear ``sound``."""
        over = threading.Event()

        def flow() -> None:
            while not over.wait(0.02):
                for stream in list(self.streams):
                    if stream.muffled:
                        continue
                    if stream.running and stream.kind == "input":
                        stream.give(self._block(stream.options["blocksize"]))
                    elif stream.running:
                        stream.take(stream.options["blocksize"])

        thread = threading.Thread(target=flow)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def query_hostapis(self) -> Any:
        return [{"name": name} for name in HOSTS]

    def refuse_to_tell(self) -> Any:
        """What any question gets when the sound service has gone."""
        raise self.PortAudioError("no")

    def get_portaudio_version(self) -> tuple[int, str]:
        return 1_246_720, "PortAudio V19.7.0-fake"

    def InputStream(self, **options: Any) -> FakeStream:
        return self._open("input", options)

    def OutputStream(self, **options: Any) -> FakeStream:
        return self._open("output", options)

    def stream(self, kind: str) -> FakeStream:
        """The newest stream of a kind."""
        return [one for one in self.streams if one.kind == kind][-1]

    def _open(self, kind: str, options: dict[str, Any]) -> FakeStream:
        name = next(one["name"] for one in self._known if one["index"] == options["device"])
        if f"busy {name}" in self.refuse:
            raise self.PortAudioError("Device unavailable", -9985)
        if self.refuse & {name, f"{kind} {options['channels']}", f"{kind} {options['samplerate']}"}:
            raise self.PortAudioError("no")
        self.streams.append(FakeStream(self, kind, options))
        return self.streams[-1]
