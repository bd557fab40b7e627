"""How the C library keeps free memory, and what Python's collector looks through."""

from __future__ import annotations

import ctypes
import gc
import sys

_M_ARENA_MAX = -8
_ARENAS = 2


def limit_heaps() -> None:
    """Let all threads share two heaps (glibc; nothing elsewhere). Call it before threads are made.

    By default glibc gives every new thread a heap of its own and keeps what is freed in each: with threads that live
    for one session, ten sessions grew the process by 80 MB that nobody used.
    """
    if sys.platform != "linux":
        return
    try:
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)
    except (OSError, AttributeError):
        return  # another C library


def spare_the_collector() -> None:
    """All that is there stays for good, so the cyclic collector needn't look through it again. Any thread.

    Call it between conversations: what is in use would never be freed.
    A full collection over litellm's 400,000 objects stops every thread, sound callbacks too, for a quarter of a second,
    and the one at the end of the process takes more than a second.
    """
    gc.freeze()
