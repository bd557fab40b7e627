"""The key on Windows: a hot key of the system's.

The system says when a hot key goes down and never when it comes up again, so Space is looked at every 20 ms, only while
it is held. The alternative, a low-level keyboard hook, would put Python into the way of every key that is typed in any
program, and is dropped by the system whenever it answers late. While a program with more rights is in front (one that
runs as administrator) the system doesn't say that a key is down, and talking ends at once.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from typing import Protocol

from kame_desktop.ui.global_key.base import ThreadedKey, refused, taken

POLL_S = 0.02
ALREADY_REGISTERED = 1409


class HotKey(Protocol):
    """The system's calls. All on one thread, but for ``wake``."""

    def register(self) -> int:
        """Take the keys; 0, or the system's error code."""
        ...

    def wait(self) -> bool:
        """Wait until they are pressed (True) or ``wake`` was called (False)."""
        ...

    def is_down(self) -> bool:
        """Space is held."""
        ...

    def release(self) -> None:
        """Give them back."""
        ...

    def wake(self) -> None:
        """End ``wait``, once ``register`` has returned; without effect before. Any thread."""
        ...


class WindowsKey(ThreadedKey):
    """The key on Windows."""

    def __init__(self, hot_key: HotKey | None = None) -> None:
        super().__init__()
        self._hot_key = hot_key if hot_key is not None else _system()

    def _watch(self) -> None:
        error = self._hot_key.register()
        if error == ALREADY_REGISTERED:
            raise taken()
        if error:
            raise refused(f"Windows refused the key to talk from anywhere (error {error}).")
        try:
            while not self._stopping.is_set() and self._hot_key.wait():
                self._tell(True)
                while self._hot_key.is_down() and not self._stopping.wait(POLL_S):
                    pass
                self._tell(False)
        finally:
            self._hot_key.release()

    def _wake(self) -> None:
        self._hot_key.wake()


def _system() -> HotKey:
    if sys.platform != "win32":
        raise NotImplementedError
    return _SystemHotKey()


if sys.platform == "win32":
    from ctypes import wintypes

    _MOD_ALT, _MOD_CONTROL, _MOD_NOREPEAT = 0x1, 0x2, 0x4000
    _VK_SPACE = 0x20
    _WM_HOTKEY, _WM_QUIT = 0x0312, 0x0012
    _NUMBER = 1
    _PM_NOREMOVE = 0

    class _SystemHotKey:
        """The calls of user32."""

        def __init__(self) -> None:
            self._user = ctypes.WinDLL("user32", use_last_error=True)
            self._kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            self._user.GetAsyncKeyState.restype = ctypes.c_short
            self._user.GetMessageW.argtypes = (
                ctypes.POINTER(wintypes.MSG),
                wintypes.HWND,
                wintypes.UINT,
                wintypes.UINT,
            )
            self._user.PostThreadMessageW.argtypes = (
                wintypes.DWORD,
                wintypes.UINT,
                wintypes.WPARAM,
                wintypes.LPARAM,
            )
            self._kernel.GetCurrentThreadId.restype = wintypes.DWORD
            self._thread = 0

        def register(self) -> int:
            # A thread can be sent messages only after it has looked for one.
            self._user.PeekMessageW(ctypes.byref(wintypes.MSG()), None, 0, 0, _PM_NOREMOVE)
            self._thread = self._kernel.GetCurrentThreadId()
            modifiers = _MOD_CONTROL | _MOD_ALT | _MOD_NOREPEAT
            if self._user.RegisterHotKey(None, _NUMBER, modifiers, _VK_SPACE):
                return 0
            return ctypes.get_last_error() or -1

        def wait(self) -> bool:
            message = wintypes.MSG()
            while self._user.GetMessageW(ctypes.byref(message), None, 0, 0) > 0:
                if message.message == _WM_HOTKEY:
                    return True
            return False

        def is_down(self) -> bool:
            return self._user.GetAsyncKeyState(_VK_SPACE) < 0

        def release(self) -> None:
            self._user.UnregisterHotKey(None, _NUMBER)

        def wake(self) -> None:
            if self._thread:
                with contextlib.suppress(OSError):
                    self._user.PostThreadMessageW(self._thread, _WM_QUIT, 0, 0)
