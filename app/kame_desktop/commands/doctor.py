"""``kame-desktop doctor``: what works here and what doesn't, one line for each thing looked at.

A part is a name and a function that looks at it; ``Application.doctor_parts`` lists them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeAlias

from kame_desktop.commands.output import put
from kame_desktop.commands.runner import EXIT_FAILED, EXIT_OK
from kame_desktop.core.checks import Check, CheckState

DoctorPart: TypeAlias = tuple[str, Callable[[bool], Iterable[Check]]]
"""A part's name, and what looks at it; told whether to measure, too."""

_MARKS = {CheckState.OK: "ok  ", CheckState.WARN: "warn", CheckState.FAIL: "FAIL"}


class DoctorApp(Protocol):
    """What this command needs of ``Application``."""

    def doctor_parts(self, *, network: bool = False) -> Sequence[DoctorPart]:
        """Everything that can be looked at; the network only when it is asked for."""
        ...

    def diagnostics(self, checks: Sequence[tuple[str, Check]] = ()) -> str:
        """What was found as a text for others: without keys, names and the home folder."""
        ...


def add_arguments(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``doctor`` to the program's parser."""
    doctor = subparsers.add_parser("doctor", help="look at what works here and what doesn't")
    doctor.add_argument("--measure", action="store_true", help="also play short sounds and time their way back")
    doctor.add_argument("--network", action="store_true", help="also ask the model hub and the language model")
    shown = doctor.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print one object")
    shown.add_argument("--report", action="store_true", help="print a text to pass on: without keys, names and folders")


def run_doctor(
    app: DoctorApp, *, measure: bool = False, network: bool = False, as_json: bool = False, report: bool = False
) -> int:
    """Look at every part. Returns 1 when something can't be used."""
    lines = not (as_json or report)
    found: list[tuple[str, Check]] = []
    for name, look in app.doctor_parts(network=network):
        if lines:
            put(f"{name}\n")
        for check in look(measure):
            found.append((name, check))
            if lines:
                put(_line(check))
    failed = any(check.state is CheckState.FAIL for _, check in found)
    if report:
        put(app.diagnostics(found))
    if as_json:
        parts: dict[str, list[dict[str, object]]] = {}
        for name, check in found:
            parts.setdefault(name, []).append(_as_dict(check))
        put(json.dumps({"ok": not failed, "parts": parts}, ensure_ascii=False, indent=2) + "\n")
    return EXIT_FAILED if failed else EXIT_OK


def _as_dict(check: Check) -> dict[str, object]:
    return {
        "name": check.name,
        "state": check.state.value,
        "what": check.what,
        "remedy": check.remedy,
        "values": dict(check.values),
    }


def _line(check: Check) -> str:
    line = f"  {_MARKS[check.state]}  {check.name}: {check.what}\n"
    return line if not check.remedy else f"{line}        {check.remedy}\n"
