"""The same question through several engines, side by side with their latencies."""

from kame_desktop.ui.compare.dialog import CompareDialog

__all__ = ["CompareDialog"]
