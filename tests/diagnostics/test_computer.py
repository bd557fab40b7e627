"""What is said of a computer: strong, weak, full, without a display."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kame_desktop.core.checks import Check, CheckState
from kame_desktop.diagnostics import computer
from kame_desktop.diagnostics.computer import Memory

OK, WARN, FAIL = CheckState.OK, CheckState.WARN, CheckState.FAIL


def test_this_computer_is_described_without_a_failure(tmp_path: Path) -> None:
    checks = list(computer.computer_checks(tmp_path / "not" / "yet"))
    assert [check.name for check in checks] == [
        "operating system",
        "program",
        "processor",
        "memory",
        "disk",
        "window",
    ]
    assert not (tmp_path / "not").exists(), "looking makes nothing"
    assert_each_trouble_has_a_remedy(checks)


def assert_each_trouble_has_a_remedy(checks: list[Check]) -> None:
    assert all(check.what.endswith((".", ")")) or check.remedy for check in checks)
    assert all(bool(check.remedy) == (check.state is not OK) for check in checks)


@pytest.mark.parametrize(
    ("cores", "flags", "state", "says"),
    [
        (8, {"avx2"}, OK, "8 cores with AVX2."),
        (8, set(), OK, "8 cores."),
        (1, set(), WARN, "1 core;"),
        (8, {"sse4_2"}, WARN, "without AVX2"),
    ],
)
def test_the_processor(cores: int, flags: set[str], state: CheckState, says: str) -> None:
    check = computer.processor_check(cores, frozenset(flags))
    assert check.state is state
    assert says in check.what
    assert_each_trouble_has_a_remedy([check])


@pytest.mark.parametrize(("available", "state"), [(4e9, OK), (1e9, WARN), (0.3e9, FAIL)])
def test_the_memory(available: float, state: CheckState) -> None:
    check = computer.memory_check(Memory(int(8e9), int(available)))
    assert check.state is state
    assert_each_trouble_has_a_remedy([check])


@pytest.mark.parametrize(
    ("limit", "used", "total", "available"),
    [("1000000000", "400000000", 1_000_000_000, 600_000_000), ("1000000000", "2000000000", 1_000_000_000, 0)],
)
def test_a_container_has_less_memory_than_its_computer(
    tmp_path: Path, limit: str, used: str, total: int, available: int
) -> None:
    (tmp_path / "max").write_text(f"{limit}\n")
    (tmp_path / "now").write_text(f"{used}\n")
    found = computer.present_memory(tmp_path / "max", tmp_path / "now")
    assert (found.total, found.available) == (total, available)


@pytest.mark.parametrize("limit", ["max", "", "99999999999999999"])
def test_without_a_bound_the_computers_memory_counts(tmp_path: Path, limit: str) -> None:
    (tmp_path / "max").write_text(limit)
    assert computer.present_memory(tmp_path / "max", tmp_path / "none").total > 2**28


@pytest.mark.parametrize(("free", "state"), [(5e9, OK), (0.5e9, WARN), (0.01e9, FAIL)])
def test_the_disk(tmp_path: Path, free: float, state: CheckState) -> None:
    check = computer.disk_check(tmp_path, int(free))
    assert check.state is state
    assert_each_trouble_has_a_remedy([check])


def test_a_folder_that_cant_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    check = computer.disk_check(tmp_path)
    assert check.state is FAIL
    assert "can't be written to" in check.what


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
@pytest.mark.parametrize(
    ("environment", "state", "says"),
    [
        ({}, WARN, "no display"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, OK, "Wayland"),
        ({"QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":0"}, OK, "'offscreen'"),
    ],
)
def test_the_display(environment: dict[str, str], state: CheckState, says: str) -> None:
    check = computer.display_check(environment)
    assert check.state is state
    assert says in check.what


def test_flags_of_a_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cpuinfo").write_text("processor : 0\nflags\t\t: fpu avx2 fma\nprocessor : 1\n")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert computer.cpu_flags(tmp_path / "cpuinfo") == {"fpu", "avx2", "fma"}
    assert computer.cpu_flags(tmp_path / "none") == frozenset()
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    assert computer.cpu_flags(tmp_path / "cpuinfo") == frozenset()
