"""What each engine would do on this computer, and why not."""

from __future__ import annotations

from dataclasses import dataclass

from kame_desktop.core.checks import Check, CheckState
from kame_desktop.core.errors import AppError


@dataclass(frozen=True, slots=True)
class EngineVerdict:
    """What is known of one engine.

    Attributes:
        chosen: It is the one of the settings.
        would: What it would do here, one sentence.
        problem: Why it can't; None: it can.
    """

    name: str
    label: str
    chosen: bool
    would: str
    problem: AppError | None = None


def engine_check(verdict: EngineVerdict) -> Check:
    """The chosen engine fails when it can't run; another one is only a pity."""
    name = f"engine {verdict.name}" + (" (chosen)" if verdict.chosen else "")
    values = {"label": verdict.label, "chosen": verdict.chosen, "can_run": verdict.problem is None}
    problem = verdict.problem
    if problem is None:
        return Check(name, CheckState.OK, verdict.would, values=values)
    state = CheckState.FAIL if verdict.chosen else CheckState.WARN
    return Check(name, state, problem.what, problem.remedy or "Choose the engine lite.", values)
