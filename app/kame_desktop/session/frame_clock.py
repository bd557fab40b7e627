"""Frame numbers -> session time."""

from __future__ import annotations

from kame_desktop.core.audio_types import FRAME_MS

_DRIFT_MS_PER_FRAME = 0.01


class FrameClock:
    """The sound card's samples count the time, the session clock only anchors it. Owner: the frame thread.

    A frame that is picked up late was still recorded on time, so the anchor is the earliest arrival seen; it may creep
    later by 0.01 ms a frame (125 ppm) to follow a slow crystal. Time never goes back.
    """

    def __init__(self) -> None:
        self._origin_ms: float | None = None
        self._last_ms = float("-inf")

    def end_ms(self, frame: int, now_ms: float) -> float:
        """Session time of the end of ``frame``, which was picked up at ``now_ms``."""
        origin = now_ms - (frame + 1) * FRAME_MS
        if self._origin_ms is None:
            self._origin_ms = origin
        else:
            self._origin_ms = min(origin, self._origin_ms + _DRIFT_MS_PER_FRAME)
        self._last_ms = max(self._last_ms, self._origin_ms + (frame + 1) * FRAME_MS)
        return self._last_ms
