"""What ``kame-desktop doctor`` finds out: one plain line for each thing looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from kame_desktop.core.errors import AppError


class CheckState(StrEnum):
    """How it went."""

    OK = "ok"
    WARN = "warn"
    """It works, but not as well as it could."""
    FAIL = "fail"
    """Something can't be used."""


@dataclass(frozen=True, slots=True)
class Check:
    """One finding.

    Attributes:
        name: What was looked at, in two or three words.
        state: How it went.
        what: What was found, one sentence.
        remedy: What the user can do about it; "" when there is nothing to do.
        values: Numbers and names for programs.
    """

    name: str
    state: CheckState
    what: str
    remedy: str = ""
    values: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, error: AppError, state: CheckState = CheckState.FAIL) -> Check:
        """What an error says."""
        return cls(name, state, error.what, error.remedy)
