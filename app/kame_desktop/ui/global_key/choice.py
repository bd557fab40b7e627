"""Which way to the key this desktop has."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from kame_desktop.ui.global_key.base import GlobalKey, NoKey, refused


def make_global_key(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> GlobalKey:
    """The key of this desktop, not started yet; brief.

    A Wayland desktop has an X server too, but that one sees only the keys of X11 programs.
    """
    if platform == "win32":
        from kame_desktop.ui.global_key.windows import WindowsKey

        return WindowsKey()
    if platform == "darwin":
        return NoKey(
            refused(
                "On macOS, a key for all programs takes the permission “Input Monitoring”, which Kame Desktop doesn't"
                " ask for."
            )
        )
    if environment.get("WAYLAND_DISPLAY") or environment.get("XDG_SESSION_TYPE") == "wayland":
        from kame_desktop.ui.global_key.portal import PortalKey

        return PortalKey()
    if environment.get("DISPLAY"):
        from kame_desktop.ui.global_key.x11 import X11Key

        return X11Key()
    return NoKey(refused("There is no desktop here that a key could be had from."))
