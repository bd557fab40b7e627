"""Graphics cards, and whether PyTorch can use them.

The driver is asked through ``nvidia-smi``, PyTorch in a process of its own: importing it takes seconds and hundreds of
megabytes, and a broken driver can take the process down. Each has a time limit.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from kame_desktop.core.checks import Check, CheckState

_SMI_S = 10.0
_TORCH_S = 60.0
_MB = 2**20
_GB = 1e9
_QUERY = "name,memory.total,memory.free,driver_version,compute_cap"
_CUDA = re.compile(r"<cuda_version>\s*([\d.]+)\s*</cuda_version>")
_TORCH_SCRIPT = """
import json
import torch
found = {"version": torch.__version__, "cuda": torch.version.cuda, "hip": getattr(torch.version, "hip", None)}
found["mps"] = bool(getattr(torch.backends, "mps", None) and torch.backends.mps.is_available())
found["cards"] = []
if torch.cuda.is_available():
    found["built_for"] = torch.cuda.get_arch_list()
    for number in range(torch.cuda.device_count()):
        free, total = torch.cuda.mem_get_info(number)
        found["cards"].append({
            "name": torch.cuda.get_device_name(number), "free": free, "total": total,
            "capability": list(torch.cuda.get_device_capability(number)),
        })
print("\\n" + json.dumps(found))
"""

Run = Callable[[Sequence[str], float], str | None]
"""Runs a command within so many seconds; its output, None: it isn't there, failed or took too long."""


@dataclass(frozen=True, slots=True)
class Card:
    """One graphics card. Bytes; ``capability``: (0, 0) when unknown."""

    name: str
    total: int
    free: int
    capability: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Torch:
    """PyTorch as it found itself.

    Attributes:
        cuda: CUDA version that it is built for; None: it can't use NVIDIA's cards.
        hip: The same of AMD's.
        mps: It can use Apple's GPU.
        cards: Those that it can use.
        built_for: Names of the kinds of cards that it has code for ("sm_90").
    """

    version: str
    cuda: str | None = None
    hip: str | None = None
    mps: bool = False
    cards: tuple[Card, ...] = ()
    built_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GpuFacts:
    """What was found.

    Attributes:
        cards: NVIDIA's, as the driver tells.
        driver: Version of the driver; "": there is none.
        driver_cuda: Newest CUDA version that the driver knows; "" when unknown.
        torch: None: it isn't installed, or could not be asked.
        torch_installed: The package is there.
    """

    cards: tuple[Card, ...] = ()
    driver: str = ""
    driver_cuda: str = ""
    torch: Torch | None = None
    torch_installed: bool = False


def may_have_others() -> bool:
    """Whether this may be a computer with a card of Apple's or AMD's."""
    return sys.platform == "darwin" or Path("/dev/kfd").exists()


def run_command(command: Sequence[str], limit_s: float) -> str | None:
    """See ``Run``. Never raises; a command that takes too long is killed."""
    program = shutil.which(command[0])
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limit_s,
            check=False,
            text=True,
            errors="replace",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def find_gpus(
    run: Run = run_command, *, torch_installed: bool | None = None, others: Callable[[], bool] = may_have_others
) -> GpuFacts:
    """Ask the driver and, where there may be a card that it can use, PyTorch.

    Blocks for seconds, up to 80 s at worst; not for the GUI thread. ``others``: there may be cards of other makers.
    """
    if torch_installed is None:
        torch_installed = importlib.util.find_spec("torch") is not None
    cards, driver = _cards(run(["nvidia-smi", f"--query-gpu={_QUERY}", "--format=csv,noheader,nounits"], _SMI_S) or "")
    driver_cuda = ""
    if cards:
        told = _CUDA.search(run(["nvidia-smi", "-q", "-x"], _SMI_S) or "")
        driver_cuda = told.group(1) if told else ""
    torch = None
    if torch_installed and not getattr(sys, "frozen", False):  # a bundle has no Python to start
        if cards or others():
            torch = _torch(run([sys.executable, "-c", _TORCH_SCRIPT], _TORCH_S) or "")
        else:
            torch = Torch(_version_of("torch"))
    return GpuFacts(cards, driver, driver_cuda, torch, torch_installed)


def gpu_checks(facts: GpuFacts) -> Iterator[Check]:
    """What the facts mean."""
    yield _card_check(facts)
    if facts.torch_installed or facts.cards:
        yield _torch_check(facts)


def _card_check(facts: GpuFacts) -> Check:
    name = "graphics card"
    cards = facts.cards or (facts.torch.cards if facts.torch is not None else ())
    values = {
        "cards": [
            {
                "name": card.name,
                "total_bytes": card.total,
                "free_bytes": card.free,
                "capability": ".".join(map(str, card.capability)),
            }
            for card in cards
        ],
        "driver": facts.driver,
        "driver_cuda": facts.driver_cuda,
    }
    if not cards:
        if facts.torch is not None and facts.torch.mps:
            return Check(name, CheckState.OK, "Apple's, which PyTorch can use.", values=values)
        what = "No NVIDIA card with a driver was found; the engines lite and cascade need none."
        return Check(name, CheckState.OK, what, values=values)
    told = [
        f"{card.name}, {card.free / _GB:.1f} GB of {card.total / _GB:.1f} GB free"
        + (f", capability {card.capability[0]}.{card.capability[1]}" if card.capability != (0, 0) else "")
        for card in cards
    ]
    driver = f" (driver {facts.driver})" if facts.driver else ""
    return Check(name, CheckState.OK, f"{'; '.join(told)}{driver}.", values=values)


def _torch_check(facts: GpuFacts) -> Check:
    name = "PyTorch"
    torch = facts.torch
    anew = "Install it again: pip install --force-reinstall 'kame-desktop[gpu]' (in a checkout: make gpu)."
    if not facts.torch_installed:
        return Check(
            name,
            CheckState.WARN,
            "It isn't installed, so the engines kame and moshi can't use the graphics card.",
            "Install it: pip install 'kame-desktop[gpu]' (in a checkout: make gpu).",
        )
    if torch is None:
        if getattr(sys, "frozen", False):
            return Check(name, CheckState.OK, "It comes with this bundle; an engine that needs it asks it.")
        return Check(name, CheckState.WARN, "It is installed, but can't be loaded.", anew)
    values = {"version": torch.version, "cuda": torch.cuda, "hip": torch.hip, "mps": torch.mps}
    if torch.cards:
        return _fits(torch, values)
    if not facts.cards:
        return Check(name, CheckState.OK, f"Version {torch.version}.", values=values)
    if torch.cuda is None:
        return Check(
            name,
            CheckState.WARN,
            f"Version {torch.version} is built without CUDA and can't use the graphics card.",
            "Install a build with CUDA: pip install --force-reinstall torch, from PyTorch's own index for CUDA.",
            values,
        )
    if facts.driver_cuda and _numbers(torch.cuda)[:1] > _numbers(facts.driver_cuda)[:1]:
        return Check(
            name,
            CheckState.WARN,
            f"It is built for CUDA {torch.cuda}; the driver {facts.driver} knows CUDA {facts.driver_cuda} at most.",
            "Update the graphics card's driver.",
            values,
        )
    return Check(
        name,
        CheckState.WARN,
        f"Version {torch.version} (CUDA {torch.cuda}) finds no card that it can use.",
        "Restart the computer; if that doesn't help, install the graphics card's driver again.",
        values,
    )


def _fits(torch: Torch, values: dict[str, object]) -> Check:
    """PyTorch has cards; whether it has code for them."""
    runtime = f"CUDA {torch.cuda}" if torch.cuda else f"ROCm {torch.hip}"
    for card in torch.cards:
        if torch.cuda and not _has_code_for(card, torch.built_for):
            return Check(
                "PyTorch",
                CheckState.WARN,
                f"Version {torch.version} ({runtime}) has no code for the card {card.name} (capability "
                f"{card.capability[0]}.{card.capability[1]}).",
                "Install a PyTorch that supports this card, from PyTorch's own index for CUDA.",
                values,
            )
    return Check("PyTorch", CheckState.OK, f"Version {torch.version} ({runtime}) can use the card.", values=values)


def _has_code_for(card: Card, built_for: Sequence[str]) -> bool:
    """Code runs on later cards of the same family ("sm_80" on 8.6), and any later card can translate "compute_90"."""
    major, minor = card.capability
    kinds = [found.groups() for one in built_for if (found := re.fullmatch(r"(sm|compute)_(\d+)(\d)[a-z]?", one))]
    return not kinds or any(
        (int(family), int(member)) <= (major, minor)
        if what == "compute"
        else int(family) == major and int(member) <= minor
        for what, family, member in kinds
    )


def _cards(table: str) -> tuple[tuple[Card, ...], str]:
    """The driver's table: cards, and its version."""
    cards: list[Card] = []
    driver = ""
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(_QUERY.split(",")):
            continue
        name, total, free, version, capability = cells
        try:
            memory = int(float(total) * _MB), int(float(free) * _MB)
        except ValueError:  # "[N/A]": memory that is shared with the computer's
            memory = 0, 0
        numbers = _numbers(capability)
        cards.append(Card(name, *memory, (numbers[0], numbers[1]) if len(numbers) == 2 else (0, 0)))
        driver = version
    return tuple(cards), driver


def _torch(output: str) -> Torch | None:
    """The last line of what the script printed; libraries may have written before it."""
    try:
        found = json.loads(output.strip().splitlines()[-1])
        cards = tuple(
            Card(str(one["name"]), int(one["total"]), int(one["free"]), tuple(map(int, one["capability"][:2])))  # type: ignore[arg-type]
            for one in found["cards"]
        )
        return Torch(
            str(found["version"]),
            found["cuda"],
            found["hip"],
            bool(found["mps"]),
            cards,
            tuple(map(str, found.get("built_for", ()))),
        )
    except (ValueError, LookupError, TypeError):
        return None


def _version_of(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "?"


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]
