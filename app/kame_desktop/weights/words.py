"""Sizes and times in words."""

from __future__ import annotations

_UNITS = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"))


def size_text(size: int | float) -> str:
    """Bytes in decimal units, as disks and hubs count: ``15.9 GB``."""
    for factor, unit in _UNITS:
        if round(size / factor, 1) >= 1.0:
            return f"{size / factor:.1f} {unit}"
    return f"{size:.0f} bytes"


def rate_text(rate: float) -> str:
    """Bytes per second: ``42.1 MB/s``."""
    return f"{size_text(rate)}/s"


def duration_text(seconds: float) -> str:
    """A rough time to wait: ``about 3 minutes``."""
    if seconds < 60:
        return "less than a minute"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"about {minutes} minute{'s' if minutes != 1 else ''}"
    return f"about {seconds / 3600:.1f} hours"


def files_text(count: int) -> str:
    """``1 file``, ``5 files``."""
    return f"{count} file{'s' if count != 1 else ''}"
