"""``doctor``: what it prints, for people, programs and others, and its exit code."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import pytest

from kame_desktop.commands.doctor import DoctorPart, add_arguments, run_doctor
from kame_desktop.core.checks import Check, CheckState

FINE = Check("memory", CheckState.OK, "Enough.", values={"bytes": 1})
NOTE = Check("disk", CheckState.WARN, "Little.", "Free some space.")
BAD = Check("engine kame (chosen)", CheckState.FAIL, "No card.", "Use the lite engine.")


class App:
    """Finds what it is told to."""

    def __init__(self, *checks: Check) -> None:
        self.checks = checks
        self.network: bool | None = None

    def doctor_parts(self, *, network: bool = False) -> Sequence[DoctorPart]:
        self.network = network
        return [("Computer", lambda measure: self.checks)]

    def diagnostics(self, checks: Sequence[tuple[str, Check]] = ()) -> str:
        return f"report of {len(checks)} in {checks[0][0]}\n"


@pytest.mark.parametrize(("checks", "code"), [((FINE,), 0), ((FINE, NOTE), 0), ((BAD, FINE), 1)])
@pytest.mark.parametrize("how", [{}, {"as_json": True}, {"report": True}])
def test_it_fails_exactly_when_something_cant_be_used(
    checks: tuple[Check, ...], code: int, how: dict[str, bool], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_doctor(App(*checks), **how) == code
    assert capsys.readouterr().out


def test_people_get_one_line_a_check_and_its_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    run_doctor(App(FINE, BAD))
    assert capsys.readouterr().out.splitlines() == [
        "Computer",
        "  ok    memory: Enough.",
        "  FAIL  engine kame (chosen): No card.",
        "        Use the lite engine.",
    ]


def test_programs_get_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    run_doctor(App(FINE, BAD), as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert not found["ok"]
    assert found["parts"]["Computer"][0] == {
        "name": "memory",
        "state": "ok",
        "what": "Enough.",
        "remedy": "",
        "values": {"bytes": 1},
    }


def test_others_get_the_report_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    run_doctor(App(FINE, BAD), report=True)
    assert capsys.readouterr().out == "report of 2 in Computer\n"


def test_the_network_is_asked_only_when_the_user_says_so() -> None:
    app = App(FINE)
    run_doctor(app)
    assert app.network is False
    run_doctor(app, network=True)
    assert app.network is True


def test_one_form_at_a_time() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser.add_subparsers())
    assert parser.parse_args(["doctor", "--network", "--report"]).report
    with pytest.raises(SystemExit):
        parser.parse_args(["doctor", "--json", "--report"])
