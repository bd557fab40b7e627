"""The computer and the program's surroundings: system, Python, processor, memory, disk, display. Quick; any thread."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kame_desktop import __version__
from kame_desktop.core.checks import Check, CheckState
from kame_desktop.core.display import x11_problem

_GB = 1e9
_ENOUGH_CORES = 2
_LEAST_MEMORY = 0.5e9
_GOOD_MEMORY = 1.2e9
"""The lite engine and its models take about 0.8 GB."""
_LEAST_DISK = 0.1e9
_GOOD_DISK = 1e9
_CPU_INFO = Path("/proc/cpuinfo")
_MEMORY_LIMIT = Path("/sys/fs/cgroup/memory.max")
_MEMORY_USED = Path("/sys/fs/cgroup/memory.current")
_X86 = ("x86_64", "amd64", "i686", "i386")


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes: of the whole computer (or what this program may have of it), and what can be had now."""

    total: int
    available: int


def system_check() -> Check:
    """Which operating system this is."""
    name = f"{platform.system()} {platform.release()}"
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            name = f"{platform.freedesktop_os_release().get('PRETTY_NAME', 'Linux')}, kernel {platform.release()}"
    elif sys.platform == "darwin":
        name = f"macOS {platform.mac_ver()[0]}"
    machine = platform.machine()
    values = {"system": platform.system(), "release": platform.release(), "machine": machine}
    return Check("operating system", CheckState.OK, f"{name} ({machine}).", values=values)


def program_check() -> Check:
    """Which version of the program runs in what."""
    bundled = bool(getattr(sys, "frozen", False))
    python = f"Python {platform.python_version()}"
    where = f"a bundle with {python}" if bundled else python
    values = {"version": __version__, "python": platform.python_version(), "bundle": bundled}
    return Check("program", CheckState.OK, f"Kame Desktop {__version__} in {where}.", values=values)


def processor_check(cores: int | None = None, flags: frozenset[str] | None = None) -> Check:
    """Cores and what matters of their instructions. The arguments stand in for what is found."""
    cores = usable_cores() if cores is None else cores
    flags = cpu_flags() if flags is None else flags
    name = "processor"
    values: dict[str, object] = {"cores": cores}
    what = f"{cores} core{'' if cores == 1 else 's'}"
    if flags:
        fast = "avx2" in flags
        values["avx2"] = fast
        what += " with AVX2" if fast else " without AVX2"
        if not fast:
            return Check(
                name,
                CheckState.WARN,
                f"{what}: speech recognition and the local model will be slow.",
                "Choose a language model of a provider, and close other programs while you talk.",
                values,
            )
    if cores < _ENOUGH_CORES:
        return Check(
            name,
            CheckState.WARN,
            f"{what}; the engines want at least {_ENOUGH_CORES}.",
            "Close other programs while you talk.",
            values,
        )
    return Check(name, CheckState.OK, f"{what}.", values=values)


def memory_check(memory: Memory | None = None) -> Check:
    """Whether the models fit. The argument stands in for what is found."""
    memory = present_memory() if memory is None else memory
    what = f"{memory.available / _GB:.1f} GB of {memory.total / _GB:.1f} GB can be had"
    values = {"total_bytes": memory.total, "available_bytes": memory.available}
    if memory.available < _LEAST_MEMORY:
        remedy = "Close other programs; the lite engine needs about 0.8 GB."
        return Check("memory", CheckState.FAIL, f"{what}, which is too little for any engine.", remedy, values)
    if memory.available < _GOOD_MEMORY:
        remedy = "Close other programs; the lite engine needs about 0.8 GB."
        return Check("memory", CheckState.WARN, f"{what}, which is little.", remedy, values)
    return Check("memory", CheckState.OK, f"{what}.", values=values)


def disk_check(folder: Path, free_bytes: int | None = None) -> Check:
    """Whether recordings and settings can be written. ``free_bytes`` stands in for what is found."""
    name = "disk"
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        free = shutil.disk_usage(place).free if free_bytes is None else free_bytes
    except OSError:
        return Check(
            name,
            CheckState.FAIL,
            f"The folder {folder} can't be looked at.",
            "Check that the disk is there and that you may use it.",
        )
    what = f"{free / _GB:.1f} GB are free for {folder}"
    values = {"folder": str(folder), "free_bytes": free}
    if not os.access(place, os.W_OK):
        return Check(
            name,
            CheckState.FAIL,
            f"The folder {folder} can't be written to.",
            f"Give yourself the right to write to {place}.",
            values,
        )
    if free < _LEAST_DISK:
        return Check(name, CheckState.FAIL, f"{what}: too little to record anything.", "Free some space.", values)
    if free < _GOOD_DISK:
        remedy = "Free some space; an hour of recording takes about 0.35 GB."
        return Check(name, CheckState.WARN, f"{what}, which is little.", remedy, values)
    return Check(name, CheckState.OK, f"{what}.", values=values)


def display_check(environment: Mapping[str, str] = os.environ) -> Check:
    """Whether the window can be opened, as far as can be told without opening one."""
    name = "window"
    if importlib.util.find_spec("PySide6") is None:
        return Check(
            name,
            CheckState.FAIL,
            "Qt for Python (PySide6) is not installed, so there is no window.",
            "Install the program again: pip install --force-reinstall kame-desktop (in a checkout: make run).",
        )
    chosen = environment.get("QT_QPA_PLATFORM", "")
    if chosen:
        return Check(name, CheckState.OK, f"Qt is told to use '{chosen}'.", values={"platform": chosen})
    if sys.platform != "linux":
        return Check(name, CheckState.OK, "The window can be opened.", values={"platform": sys.platform})
    if environment.get("WAYLAND_DISPLAY"):
        return Check(name, CheckState.OK, "The desktop is Wayland's.", values={"platform": "wayland"})
    if not environment.get("DISPLAY"):
        return Check(
            name,
            CheckState.WARN,
            "There is no display, so the window can't be opened here; the commands work.",
            "Log in to a desktop to use the window.",
            {"platform": None},
        )
    problem = x11_problem()
    if problem is not None:
        return Check(name, CheckState.FAIL, *problem, {"platform": "xcb"})
    return Check(name, CheckState.OK, "The desktop is X11's.", values={"platform": "xcb"})


def computer_checks(data_folder: Path) -> Iterator[Check]:
    """One after the other. ``data_folder``: where recordings go."""
    yield system_check()
    yield program_check()
    yield processor_check()
    yield memory_check()
    yield disk_check(data_folder)
    yield display_check()


def usable_cores() -> int:
    """Cores that this process may run on."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def cpu_flags(path: Path = _CPU_INFO) -> frozenset[str]:
    """What the processor can do, on Linux with an x86 processor; nothing elsewhere."""
    if platform.machine().casefold() not in _X86:
        return frozenset()
    with contextlib.suppress(OSError, ValueError), path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("flags"):
                return frozenset(line.partition(":")[2].split())
    return frozenset()


def present_memory(limit: Path = _MEMORY_LIMIT, used: Path = _MEMORY_USED) -> Memory:
    """What there is, within the bounds of a container."""
    import psutil

    found = psutil.virtual_memory()
    bound, taken = _number(limit), _number(used)
    if bound is None or bound >= found.total:
        return Memory(found.total, found.available)
    return Memory(bound, min(found.available, max(0, bound - (taken or 0))))


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
