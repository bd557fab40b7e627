"""Graphics cards and PyTorch, from what the driver and PyTorch's own process print."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import pytest

from kame_desktop.core.checks import Check, CheckState
from kame_desktop.diagnostics.gpu import Card, GpuFacts, find_gpus, gpu_checks, run_command

GOOD_TABLE = "NVIDIA GeForce RTX 4090, 24564, 23000, 555.42.06, 8.9\n"
GB = 10**9


class Programs:
    """What the programs print. ``torch``: None: it crashes or takes too long."""

    def __init__(self, table: str | None = None, *, cuda: str = "12.5", torch: object = None) -> None:
        self.table, self.cuda, self.torch = table, cuda, torch
        self.asked: list[str] = []

    def __call__(self, command: Sequence[str], limit_s: float) -> str | None:
        assert limit_s > 0
        self.asked.append(command[0])
        if command[0] == sys.executable:
            return None if self.torch is None else f"a warning on the way\n\n{json.dumps(self.torch)}\n"
        assert command[0] == "nvidia-smi"
        return f"<log><cuda_version>{self.cuda}</cuda_version></log>" if "-x" in command else self.table


def torch_with(
    cards: int = 1, *, cuda: str | None = "12.4", built_for: Sequence[str] = ("sm_80", "sm_90"), **more: object
):
    card = {"name": "RTX 4090", "free": 20 * GB, "total": 24 * GB, "capability": [8, 9]}
    return {
        "version": "2.9.1",
        "cuda": cuda,
        "hip": None,
        "mps": False,
        "cards": [card] * cards,
        "built_for": list(built_for),
        **more,
    }


def look(programs: Programs, *, installed: bool = True, others: bool = False) -> tuple[GpuFacts, list[Check]]:
    facts = find_gpus(programs, torch_installed=installed, others=lambda: others)
    return facts, list(gpu_checks(facts))


def test_without_a_card_nothing_is_wrong_and_torch_isnt_even_started() -> None:
    programs = Programs()
    facts, checks = look(programs)
    assert facts.cards == ()
    assert [check.state for check in checks] == [CheckState.OK, CheckState.OK]
    assert sys.executable not in programs.asked
    _, (check,) = look(Programs(), installed=False)
    assert "lite" in check.what


def test_a_good_card() -> None:
    facts, (card, torch) = look(Programs(GOOD_TABLE, torch=torch_with()))
    assert facts.cards == (Card("NVIDIA GeForce RTX 4090", 24564 * 2**20, 23000 * 2**20, (8, 9)),)
    assert (facts.driver, facts.driver_cuda) == ("555.42.06", "12.5")
    assert "RTX 4090, 24.1 GB of 25.8 GB free, capability 8.9 (driver 555.42.06)" in card.what
    assert (card.state, torch.state) == (CheckState.OK, CheckState.OK)
    assert "can use the card" in torch.what


@pytest.mark.parametrize(
    ("programs", "installed", "says", "remedy"),
    [
        (Programs(GOOD_TABLE), False, "isn't installed", "kame-desktop[gpu]"),
        (Programs(GOOD_TABLE), True, "can't be loaded", "reinstall"),
        (Programs(GOOD_TABLE, torch=torch_with(0, cuda=None)), True, "without CUDA", "build with CUDA"),
        (Programs(GOOD_TABLE, torch=torch_with(0, cuda="13.2")), True, "knows CUDA 12.5 at most", "driver"),
        (Programs(GOOD_TABLE, torch=torch_with(0)), True, "finds no card", "Restart"),
        (
            Programs(GOOD_TABLE, torch=torch_with(built_for=["sm_50", "sm_90"])),
            True,
            "no code for the card",
            "supports",
        ),
        (Programs(GOOD_TABLE, torch="rubbish"), True, "can't be loaded", "reinstall"),
    ],
)
def test_a_card_that_cant_be_used_is_said_with_one_remedy(
    programs: Programs, installed: bool, says: str, remedy: str
) -> None:
    _, (_, torch) = look(programs, installed=installed)
    assert torch.state is CheckState.WARN
    assert says in torch.what
    assert remedy in torch.remedy


@pytest.mark.parametrize(
    "built_for", [["sm_80"], ["sm_89"], ["sm_86"], ["compute_80"], ["sm_50", "compute_70"], [], ["gfx90a"]]
)
def test_code_for_an_older_card_of_the_family_or_to_be_translated_will_do(built_for: list[str]) -> None:
    _, (_, torch) = look(Programs(GOOD_TABLE, torch=torch_with(built_for=built_for)))
    assert torch.state is CheckState.OK


def test_apples_and_amds_cards() -> None:
    _, (card, _) = look(Programs(torch=torch_with(0, cuda=None, mps=True)), others=True)
    assert "Apple" in card.what
    _, (card, torch) = look(Programs(torch=torch_with(cuda=None, hip="6.4")), others=True)
    assert "RTX 4090" in card.what
    assert "ROCm 6.4" in torch.what


@pytest.mark.parametrize("table", ["", "rubbish", "a,b\n", "No devices were found\n", "x, [N/A], [N/A], 1.2, [N/A]\n"])
def test_a_driver_that_prints_anything_else_stops_nothing(table: str) -> None:
    facts, checks = look(Programs(table))
    assert len(facts.cards) == table.startswith("x,")
    assert checks


def test_a_program_that_isnt_there_fails_or_hangs_is_none() -> None:
    python = sys.executable
    assert run_command(["no-such-program-at-all"], 5.0) is None
    assert run_command([python, "-c", "import sys; print(1); sys.exit(3)"], 60.0) is None
    assert run_command([python, "-c", "import time; time.sleep(60)"], 0.5) is None
    assert run_command([python, "-c", "print('yes')"], 60.0) == "yes\n"
