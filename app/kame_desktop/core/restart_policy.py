"""When a part that crashed is started again. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class RestartPolicy:
    """When a part is started again. Times in milliseconds; one object a part.

    Attributes:
        window_ms: A second crash this soon after the last one leaves the part off.
        first_ms: Pause before the first new start; each further one is twice as long, up to ``longest_ms``.
        forgiven_ms: After so long without a crash it begins anew with ``first_ms``.
    """

    window_ms: float = 60_000.0
    first_ms: float = 500.0
    longest_ms: float = 30_000.0
    forgiven_ms: float = 600_000.0
    _last_ms: float | None = field(default=None, init=False)
    _pause_ms: float = field(default=0.0, init=False)

    def crashed(self, now_ms: float) -> float | None:
        """How long to wait before the next start; None: leave it off."""
        last_ms, self._last_ms = self._last_ms, now_ms
        if last_ms is not None and now_ms - last_ms < self.window_ms:
            return None
        if last_ms is None or now_ms - last_ms >= self.forgiven_ms:
            self._pause_ms = self.first_ms
        else:
            self._pause_ms = min(2.0 * self._pause_ms, self.longest_ms)
        return self._pause_ms
