"""Where a Moshi model runs, and whether it fits there. Rules only: what the machine has comes from a ``DeviceProbe``.

- CUDA when there is one: bfloat16 from compute capability 8.0 (Ampere), else float16.
- MPS (Apple) where torch has it: bfloat16, which has the range that the model was trained with.
- CPU in float32 when it is asked for, or when all weights together are under 1 GB: that is a test checkpoint (a real
  one has 15 GB, and a CPU takes seconds for an 80 ms frame of it).
- Anything else fails with what is missing. int8 needs CUDA (bitsandbytes); on the CPU it works, for tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kame_desktop.core.errors import BadInputError, ResourceError

COMPONENT = "front end"
SMALL_WEIGHT_BYTES = 1_000_000_000
BFLOAT16_CAPABILITY = (8, 0)
FRAME_BUDGET_MS = 80.0
_GB = 1e9
_ACCELERATOR_OVERHEAD = 1_000_000_000
"""Context, libraries, workspaces and CUDA graphs."""
_CPU_OVERHEAD = 200_000_000
_QUANTIZATIONS = (None, "int8")


class DeviceProbe(Protocol):
    """What this machine has. Frame thread; may import torch."""

    def cuda_capability(self, device: str) -> tuple[int, int] | None:
        """Compute capability of a CUDA device ("cuda" or "cuda:1"); None when torch can't use it."""
        ...

    def has_mps(self) -> bool:
        """torch can use Apple's GPU."""
        ...

    def free_bytes(self, device: str) -> int:
        """Memory that can be had on the device now."""
        ...


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """``device`` as torch names it, ``dtype`` the name of a torch dtype."""

    device: str
    dtype: str

    @property
    def on_cpu(self) -> bool:
        return self.device == "cpu"

    @property
    def on_cuda(self) -> bool:
        return self.device.startswith("cuda")


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """Bytes on the model's device: weights of the language model, its key-value cache, weights of the codec."""

    weights: int
    cache: int
    codec: int

    def total(self, choice: DeviceChoice) -> int:
        """All of it and what the device's runtime takes."""
        return self.weights + self.cache + self.codec + (_CPU_OVERHEAD if choice.on_cpu else _ACCELERATOR_OVERHEAD)


def check_options(device: str | None, quantize: str | None) -> None:
    """Raise BadInputError for a device or a quantization that doesn't exist."""
    if quantize not in _QUANTIZATIONS:
        raise BadInputError(f"There is no quantization '{quantize}'.", "Use int8, or none.", component=COMPONENT)
    kind, _, number = (device or "cpu").partition(":")
    if kind not in ("cpu", "cuda", "mps") or (number and not (kind == "cuda" and number.isdigit())):
        raise BadInputError(f"There is no device '{device}'.", "Use cuda, cuda:1, mps or cpu.", component=COMPONENT)


def choose_device(wanted: str | None, quantize: str | None, weight_bytes: int, probe: DeviceProbe) -> DeviceChoice:
    """Where the model runs. ``weight_bytes``: all weights on disk.

    Raises:
        BadInputError: An option that doesn't exist.
        ResourceError: The device that is wanted, or any that would do, isn't there.
    """
    check_options(wanted, quantize)
    choice = _choose(wanted, weight_bytes, probe)
    if quantize is not None and choice.device == "mps":
        raise ResourceError(
            "int8 needs an NVIDIA GPU (bitsandbytes has no code for Apple's).",
            "Leave the quantization out.",
            component=COMPONENT,
        )
    return choice


def _choose(wanted: str | None, weight_bytes: int, probe: DeviceProbe) -> DeviceChoice:
    if wanted == "cpu":
        return DeviceChoice("cpu", "float32")
    if wanted != "mps":
        cuda = wanted or "cuda"
        capability = probe.cuda_capability(cuda)
        if capability is not None:
            return DeviceChoice(cuda, "bfloat16" if capability >= BFLOAT16_CAPABILITY else "float16")
        if wanted is not None:
            raise _no_device(f"torch finds no CUDA device '{wanted}'")
    if probe.has_mps():
        return DeviceChoice("mps", "bfloat16")
    if wanted is not None:
        raise _no_device("torch finds no Apple GPU")
    if weight_bytes < SMALL_WEIGHT_BYTES:
        return DeviceChoice("cpu", "float32")
    raise _no_device(f"This model ({weight_bytes / _GB:.1f} GB) needs a GPU, and torch finds none")


def check_memory(need: MemoryNeed, choice: DeviceChoice, free_bytes: int, quantize: str | None) -> None:
    """Raise ResourceError naming the shortfall when the model doesn't fit into ``free_bytes``."""
    total = need.total(choice)
    if total <= free_bytes:
        return
    where = "memory" if choice.on_cpu else "GPU memory"
    smaller = " try --quantize int8 (two thirds of that)," if quantize is None and choice.on_cuda else ""
    raise ResourceError(
        f"The model needs about {total / _GB:.1f} GB of {where} and {free_bytes / _GB:.1f} GB are free: "
        f"{(total - free_bytes) / _GB:.1f} GB are missing.",
        f"Close other programs,{smaller} or use the lite engine.",
        component=COMPONENT,
    )


def out_of_memory(choice: DeviceChoice | None) -> ResourceError:
    """The error for memory that ran out while loading or talking."""
    where = "This computer" if choice is None or choice.on_cpu else "The GPU"
    return ResourceError(
        f"{where} ran out of memory; the model was let go.",
        "Close other programs and start again, or use the lite engine.",
        component=COMPONENT,
    )


def slow_note(p95_ms: float, choice: DeviceChoice, quantize: str | None) -> str | None:
    """What to tell the user when frames take longer than they last; None when all is well."""
    if p95_ms <= FRAME_BUDGET_MS:
        return None
    if choice.on_cuda:
        help_ = "Close other programs that use the GPU" + ("." if quantize else ", or use --quantize int8.")
    elif choice.on_cpu:
        help_ = "A GPU with CUDA helps; the lite engine works on this computer."
    else:
        help_ = "Close other programs; the lite engine works on this computer."
    return f"A frame takes {p95_ms:.0f} ms here (95 %), 80 ms is the limit: speech will stutter. {help_}"


def _no_device(what: str) -> ResourceError:
    return ResourceError(
        f"{what}.",
        "Use the lite engine, or a computer with an NVIDIA GPU (24 GB; 16 GB with int8); "
        "--device cpu tries without one, far too slowly to talk.",
        component=COMPONENT,
    )
