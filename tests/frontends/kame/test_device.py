"""Where the model runs and whether it fits, with machines that aren't there."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from kame_desktop.core.activity import Activity
from kame_desktop.core.errors import BadInputError, MissingPackageError, ResourceError
from kame_desktop.frontends.kame import KameFrontend
from kame_desktop.frontends.kame_device import (
    DeviceChoice,
    MemoryNeed,
    check_memory,
    choose_device,
    out_of_memory,
    slow_note,
)
from tests.frontends.kame.conftest import TINY

FULL = 15_800_000_000
SMALL = 2_000_000


@dataclass
class Machine:
    """Implements ``DeviceProbe``."""

    cuda: tuple[int, int] | None = None
    mps: bool = False
    free: int = 24_000_000_000

    def cuda_capability(self, device: str) -> tuple[int, int] | None:
        return self.cuda if device in ("cuda", "cuda:0") else None

    def has_mps(self) -> bool:
        return self.mps

    def free_bytes(self, device: str) -> int:
        return self.free


@pytest.mark.parametrize(
    ("machine", "wanted", "size", "expected"),
    [
        (Machine(cuda=(9, 0)), None, FULL, ("cuda", "bfloat16")),
        (Machine(cuda=(8, 0), mps=True), None, FULL, ("cuda", "bfloat16")),
        (Machine(cuda=(7, 5)), None, FULL, ("cuda", "float16")),
        (Machine(cuda=(7, 5)), "cuda:0", SMALL, ("cuda:0", "float16")),
        (Machine(cuda=(9, 0)), "cpu", FULL, ("cpu", "float32")),
        (Machine(cuda=(9, 0), mps=True), "mps", FULL, ("mps", "bfloat16")),
        (Machine(mps=True), None, FULL, ("mps", "bfloat16")),
        (Machine(), "cpu", FULL, ("cpu", "float32")),
        (Machine(), None, SMALL, ("cpu", "float32")),
    ],
)
def test_device_and_type(machine: Machine, wanted: str | None, size: int, expected: tuple[str, str]) -> None:
    assert choose_device(wanted, None, size, machine) == DeviceChoice(*expected)


@pytest.mark.parametrize(
    ("machine", "wanted", "told"),
    [
        (Machine(), None, r"This model \(15.8 GB\) needs a GPU, and torch finds none\."),
        (Machine(), "cuda", "finds no CUDA device 'cuda'"),
        (Machine(cuda=(9, 0)), "cuda:1", "finds no CUDA device 'cuda:1'"),
        (Machine(cuda=(9, 0)), "mps", "finds no Apple GPU"),
    ],
)
def test_what_is_missing_is_named(machine: Machine, wanted: str | None, told: str) -> None:
    with pytest.raises(ResourceError, match=told) as caught:
        choose_device(wanted, None, FULL, machine)
    assert "lite engine" in caught.value.remedy


def test_options_that_do_not_exist_are_refused_before_anything_is_loaded() -> None:
    for device, quantize in (("tpu", None), ("cuda:x", None), ("cpu:1", None), (None, "int3")):
        with pytest.raises(BadInputError):
            KameFrontend(lambda: TINY, steer=True, activity=Activity(), device=device, quantize=quantize)
    with pytest.raises(ResourceError, match="int8 needs an NVIDIA GPU"):
        choose_device(None, "int8", FULL, Machine(mps=True))


def test_the_shortfall_is_named_in_gigabytes() -> None:
    cuda, need = DeviceChoice("cuda", "bfloat16"), MemoryNeed(15_600_000_000, 1_600_000_000, 400_000_000)
    check_memory(need, cuda, 18_600_000_000, None)
    with pytest.raises(ResourceError) as caught:
        check_memory(need, cuda, 11_200_000_000, None)
    assert caught.value.what == (
        "The model needs about 18.6 GB of GPU memory and 11.2 GB are free: 7.4 GB are missing."
    )
    assert "int8" in caught.value.remedy
    with pytest.raises(ResourceError) as caught:
        check_memory(need, cuda, 11_200_000_000, "int8")
    assert "int8" not in caught.value.remedy


def test_texts_for_slow_frames_and_lost_memory() -> None:
    cuda, cpu = DeviceChoice("cuda", "bfloat16"), DeviceChoice("cpu", "float32")
    assert slow_note(79.9, cuda, None) is None
    assert "95 ms" in (slow_note(95.2, cuda, None) or "")
    assert "int8" in (slow_note(95.2, cuda, None) or "")
    assert "int8" not in (slow_note(95.2, cuda, "int8") or "")
    assert "lite engine" in (slow_note(3_000.0, cpu, None) or "")
    assert out_of_memory(cuda).what.startswith("The GPU")
    assert out_of_memory(None).what.startswith("This computer")


def test_too_little_memory_stops_the_load_before_any_weight() -> None:
    pytest.importorskip("torch", reason="torch is not installed (extra gpu)")
    pytest.importorskip("moshi", reason="moshi is not installed (extra gpu)")
    frontend = KameFrontend(lambda: TINY, steer=True, activity=Activity(), probe=Machine(free=50_000_000))
    told: list[str] = []
    with pytest.raises(ResourceError, match="GB are missing"):
        frontend.load(lambda done, what: told.append(what))
    assert "Loading the model" not in told


def test_without_torch_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    frontend = KameFrontend(lambda: tmp_path, steer=True, activity=Activity())
    with pytest.raises(MissingPackageError) as caught:
        frontend.load(lambda done, what: None)
    assert caught.value.remedy == "Install it with: pip install 'kame-desktop[gpu]' (in a checkout: make gpu)."
    frontend.close()


def test_capabilities_are_there_before_the_load() -> None:
    kame = KameFrontend(lambda: TINY, steer=True, activity=Activity()).capabilities
    moshi = KameFrontend(lambda: TINY, steer=False, activity=Activity()).capabilities
    assert (kame.name, kame.steerable, kame.oracle_tokens_per_frame, kame.min_start_tokens) == ("kame", True, 1, 6)
    assert (moshi.name, moshi.steerable) == ("moshi", False)
