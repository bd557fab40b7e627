"""Session time <-> pixels of the timeline. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_MS_PER_PX = 0.5
MOST_MS_PER_PX = 8_000.0
_STEPS_MS = (10, 20, 80, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000)


@dataclass(slots=True)
class TimeScale:
    """The stretch of time in sight.

    Attributes:
        start_ms: Time at the left edge.
        ms_per_px: How much time a pixel is.
        width_px: How many pixels there are.
    """

    start_ms: float = 0.0
    ms_per_px: float = 16.0
    width_px: int = 1

    @property
    def end_ms(self) -> float:
        """Time at the right edge."""
        return self.start_ms + self.width_px * self.ms_per_px

    def x(self, ms: float) -> float:
        """Where a time is."""
        return (ms - self.start_ms) / self.ms_per_px

    def ms(self, x: float) -> float:
        """Which time a pixel is."""
        return self.start_ms + x * self.ms_per_px

    def zoom(self, factor: float, around_x: float) -> None:
        """Show ``factor`` times as much time; what is at ``around_x`` stays there."""
        kept_ms = self.ms(around_x)
        self.ms_per_px = min(MOST_MS_PER_PX, max(LEAST_MS_PER_PX, self.ms_per_px * factor))
        self.start_ms = kept_ms - around_x * self.ms_per_px

    def tick_ms(self, least_px: float) -> int:
        """The finest step of the ruler whose ticks are ``least_px`` apart."""
        return next((step for step in _STEPS_MS if step / self.ms_per_px >= least_px), _STEPS_MS[-1])


def clock_text(ms: float, step_ms: float = 1_000.0) -> str:
    """A time as minutes and seconds, with as many decimals as the step needs."""
    decimals = 0 if step_ms >= 1_000 else 1 if step_ms >= 100 else 2 if step_ms >= 10 else 3
    sign = "-" if ms < 0 and round(-ms / 1e3, decimals) > 0 else ""
    total = round(abs(ms) / 1e3, decimals)
    minutes, seconds = divmod(total, 60)
    hours, minutes = divmod(int(minutes), 60)
    width = 2 if decimals == 0 else 3 + decimals
    tail = f"{seconds:0{width}.{decimals}f}"
    return f"{sign}{hours}:{minutes:02}:{tail}" if hours else f"{sign}{minutes}:{tail}"
