"""What the frame thread needs of sound hardware, as protocols; adapters live beside this module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from kame_desktop.core.audio_types import Pcm, PcmFrame, UserActivity


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """What a device calls itself.

    Attributes:
        input_name: The microphone, or words that there is none.
        output_name: The loudspeaker, likewise.
        realtime: Time passes by itself (hardware); otherwise the loop paces it.
        has_microphone: There is one; otherwise silence is read.
    """

    input_name: str
    output_name: str
    realtime: bool
    has_microphone: bool = True


@dataclass(frozen=True, slots=True)
class DeviceEvent:
    """What happened to the hardware, in the order it did; the session tells the user.

    Attributes:
        component: "microphone" or "loudspeaker".
        lost: It went away (``text`` and ``remedy`` say so); otherwise ``info`` is in use from now on, because of
            ``text``, or, without ``info``, ``text`` is worth knowing ("The microphone sends only silence ...").
        name: What the device calls itself.
    """

    component: str
    name: str
    text: str
    remedy: str = ""
    lost: bool = False
    info: DeviceInfo | None = None


@dataclass(frozen=True, slots=True)
class AudioControls:
    """What the user has set for the sound, as one value: a new one replaces the old one whole.

    Attributes:
        muted: Nothing is listened to.
        push_to_talk: Listen only while ``talk_held``.
        talk_held: The key (or button) is held down.
        mute_while_speaking: Don't listen while the assistant speaks: it can't be interrupted then.
        volume: Of the assistant's voice, 0 to 1.
        headphones: The microphone can't hear the loudspeaker: no echo cancellation.
        echo_cancellation: Remove the assistant's voice from what is heard.
        noise_suppression: Remove steady noise from what is heard.
        automatic_gain: Raise a quiet voice.
    """

    muted: bool = False
    push_to_talk: bool = False
    talk_held: bool = False
    mute_while_speaking: bool = False
    volume: float = 1.0
    headphones: bool = False
    echo_cancellation: bool = True
    noise_suppression: bool = False
    automatic_gain: bool = False


@dataclass(frozen=True, slots=True)
class DeviceChoiceInfo:
    """A device that can be chosen. ``name`` and ``host_api`` are what the settings remember."""

    name: str
    host_api: str
    rate_hz: int
    channels: int
    default: bool = False


@dataclass(frozen=True, slots=True)
class DeviceList:
    """What PortAudio found.

    Attributes:
        problem: Why there is nothing, with a remedy.
        answered: It could be asked, so that an empty list means that there is no such device.
    """

    inputs: tuple[DeviceChoiceInfo, ...] = ()
    outputs: tuple[DeviceChoiceInfo, ...] = ()
    problem: str | None = None
    answered: bool = True


@dataclass(frozen=True, slots=True)
class MicTestResult:
    """What a microphone test recorded: ``pcm`` (24 kHz) to be played back, its loudest level and its noise."""

    name: str
    pcm: Pcm
    level_dbfs: float
    noise_dbfs: float
    peak_dbfs: float
    verdict: str


@dataclass(slots=True)
class DeviceStats:
    """Counters of what went wrong between hardware and loop, in model-rate samples."""

    underrun_samples: int = 0
    overrun_samples: int = 0


class AudioDevice(Protocol):
    """A microphone and a speaker on one time axis, in whole model frames.

    Life: ``open`` -> ``start`` -> any number of ``read_frame`` / ``write_frame`` -> ``stop``. All but ``interrupt``,
    which may be called from any thread, belong to the frame thread.
    """

    @property
    def info(self) -> DeviceInfo: ...

    @property
    def stats(self) -> DeviceStats: ...

    def open(self) -> None:
        """Open what is needed, so that it wakes up while models load. Raises DeviceError with a remedy."""
        ...

    def start(self) -> None:
        """Time begins: return once sound flows (or ``interrupt`` was called); what came before is dropped.

        Raises DeviceError when the device delivers nothing.
        """
        ...

    def read_frame(self) -> PcmFrame | None:
        """Block until a whole frame was captured and return it; None once ``interrupt`` was called or input ended.

        Raises DeviceError when the device goes away.
        """
        ...

    def write_frame(self, frame: PcmFrame) -> None:
        """Queue a frame for playback; never blocks. It is heard after what is already queued."""
        ...

    def reference_frame(self) -> PcmFrame:
        """What was really played while the latest captured frame was recorded: the echo canceller's reference."""
        ...

    @property
    def input_ended(self) -> bool:
        """The recording is over and what is read now is silence; never with hardware."""
        ...

    def next_input(self) -> bool:
        """The conversation has settled: go on with the next recording; False when there is none, or with hardware."""
        ...

    def backlog_ms(self) -> float:
        """How much captured sound waits to be read: more than a frame means that the loop is late."""
        ...

    def skip_playback(self, samples: int) -> None:
        """Drop up to ``samples`` queued playback samples, so that delay doesn't accumulate after a late frame."""
        ...

    def queued_ms(self) -> float:
        """How much written sound waits to be played, without the device's own latency."""
        ...

    def hush(self) -> None:
        """Fade out at once what is queued, without a click: it isn't heard. What is written later is."""
        ...

    def take_events(self) -> Sequence[DeviceEvent]:
        """What happened to the hardware since the last call; empty with files."""
        ...

    def interrupt(self) -> None:
        """Make a blocked and every later ``read_frame`` return None."""
        ...

    def stop(self) -> None:
        """Close the streams; idempotent, at most 1 s."""
        ...


class Loudspeaker(Protocol):
    """Where a file run is played aloud. Frame thread only."""

    @property
    def name(self) -> str:
        """What it calls itself."""
        ...

    def write(self, frame: PcmFrame) -> None:
        """Queue a frame; never blocks. It is dropped when the device went away or the queue is full."""
        ...

    def close(self) -> None:
        """Stop at once; idempotent, at most 1 s."""
        ...


class EchoCanceller(Protocol):
    """Removes what the speaker played from what the microphone heard. Frame thread only; never blocks."""

    def use(self, controls: AudioControls) -> None:
        """Switch what the user has switched, from the next frame on: the echo canceller itself and what follows it."""
        ...

    def process(self, near: PcmFrame, far: PcmFrame) -> PcmFrame:
        """Return the near end without the echo of the far end (both one frame at ``MODEL_RATE_HZ``)."""
        ...

    def reset(self) -> None:
        """Forget the room (after a change of device)."""
        ...


class NoEchoCanceller:
    """For files and headphones: the microphone can't hear the speaker."""

    def use(self, controls: AudioControls) -> None:
        pass

    def process(self, near: PcmFrame, far: PcmFrame) -> PcmFrame:
        return near

    def reset(self) -> None:
        pass


class VoiceActivityDetector(Protocol):
    """Speech probability of short chunks of sound. Frame thread only."""

    @property
    def chunk_samples(self) -> int:
        """Samples a chunk, at ``rate_hz``."""
        ...

    @property
    def rate_hz(self) -> int: ...

    def probability(self, chunk: Pcm) -> float:
        """Probability in 0..1 that the chunk (shape ``[chunk_samples]``) holds speech."""
        ...

    def reset(self) -> None:
        """Forget what came before."""
        ...


class TurnDetector(Protocol):
    """Frames -> who is speaking. Frame thread only."""

    def process(self, frame: PcmFrame) -> UserActivity:
        """Take the next frame of cleaned microphone sound and say what the user is doing at its end."""
        ...

    def expect_more(self, expected: bool) -> None:
        """The utterance's words end openly, or no longer do: wait longer, or not, before it is finished."""
        ...

    def reset(self) -> None:
        """Start a session anew: utterances count from 1 again."""
        ...
