"""Generations of the session itself, and of other models that were asked the same questions again."""

from __future__ import annotations

SERIES = 1_000_000
"""Generations of a session are below it, those of the first re-asked model begin at it, the second's at twice it."""


def series_of(generation: int) -> int:
    """0: of the session itself; 1, 2, ...: of the first, the second model that was asked again."""
    return generation // SERIES
