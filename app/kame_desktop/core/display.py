"""Whether a window can be opened on an X11 desktop, found out without Qt, which would end the process if not."""

from __future__ import annotations

import ctypes


def x11_problem() -> tuple[str, str] | None:
    """What is wrong and what to do; None when the display answers and Qt's libraries are there. Up to 1 s."""
    try:
        ctypes.CDLL("libxcb-cursor.so.0")
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return (
            "A system library of the window is missing (libxcb-cursor).",
            "On Debian or Ubuntu: sudo apt install libxcb-cursor0",
        )
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)
    try:
        if xcb.xcb_connection_has_error(connection):
            return (
                "The display that DISPLAY names doesn't answer.",
                "Log in to a desktop (with ssh: ssh -X), or unset DISPLAY and use the command line.",
            )
    finally:
        xcb.xcb_disconnect(connection)
    return None
