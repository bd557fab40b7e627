"""The key on an X11 desktop: a passive grab of it on the root window, through libxcb.

libxcb is there wherever Qt's own X11 platform runs. It keeps errors to the connection that caused them; Xlib has one
error handler for the whole process and ends the process when the server is gone.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
from collections.abc import Iterator
from typing import Any

from kame_desktop.ui.global_key.base import SocketKey, refused, taken

_SPACE = 0x20
_ALT = 0xFFE9
_LOCKS = (0xFF7F, 0xFF14)
"""Keysyms of Num Lock and Scroll Lock: a grab is for one exact set of modifiers, so there is one for each of theirs."""
_CAPS_LOCK, _CONTROL, _USUAL_ALT = 0x02, 0x04, 0x08
_KEY_PRESS, _KEY_RELEASE, _MAPPING_NOTIFY = 2, 3, 34
_MAPPING_POINTER = 2
_BAD_ACCESS = 10
_ANY_KEY, _ANY_MODIFIER, _ASYNC = 0, 0x8000, 1
_LOOK_S = 0.25
"""A release may get lost (a screen lock takes the keyboard): a key that is held is looked at this often."""


class _Setup(ctypes.Structure):
    _fields_ = (
        ("skipped", ctypes.c_uint8 * 34),
        ("min_keycode", ctypes.c_uint8),
        ("max_keycode", ctypes.c_uint8),
    )


class _Screens(ctypes.Structure):
    _fields_ = (("data", ctypes.POINTER(ctypes.c_uint32)), ("rem", ctypes.c_int), ("index", ctypes.c_int))


class _Cookie(ctypes.Structure):
    _fields_ = (("sequence", ctypes.c_uint),)


class _Head(ctypes.Structure):
    """How every event, error and reply begins. ``word``: an event's time, a reply's length in words."""

    _fields_ = (
        ("kind", ctypes.c_uint8),
        ("detail", ctypes.c_uint8),
        ("sequence", ctypes.c_uint16),
        ("word", ctypes.c_uint32),
    )


_Reply = ctypes.POINTER(_Head)
_ADDRESS, _BYTE, _SHORT, _WORD = ctypes.c_void_p, ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32
_ERROR_TO = ctypes.c_void_p
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "xcb_connect": (_ADDRESS, (ctypes.c_char_p, ctypes.POINTER(ctypes.c_int))),
    "xcb_disconnect": (None, (_ADDRESS,)),
    "xcb_connection_has_error": (ctypes.c_int, (_ADDRESS,)),
    "xcb_get_file_descriptor": (ctypes.c_int, (_ADDRESS,)),
    "xcb_get_setup": (ctypes.POINTER(_Setup), (_ADDRESS,)),
    "xcb_setup_roots_iterator": (_Screens, (ctypes.POINTER(_Setup),)),
    "xcb_screen_next": (None, (ctypes.POINTER(_Screens),)),
    "xcb_flush": (ctypes.c_int, (_ADDRESS,)),
    "xcb_poll_for_event": (_Reply, (_ADDRESS,)),
    "xcb_request_check": (_Reply, (_ADDRESS, _Cookie)),
    "xcb_grab_key_checked": (_Cookie, (_ADDRESS, _BYTE, _WORD, _SHORT, _BYTE, _BYTE, _BYTE)),
    "xcb_ungrab_key": (_Cookie, (_ADDRESS, _BYTE, _WORD, _SHORT)),
    "xcb_get_keyboard_mapping": (_Cookie, (_ADDRESS, _BYTE, _BYTE)),
    "xcb_get_keyboard_mapping_reply": (_Reply, (_ADDRESS, _Cookie, _ERROR_TO)),
    "xcb_get_modifier_mapping": (_Cookie, (_ADDRESS,)),
    "xcb_get_modifier_mapping_reply": (_Reply, (_ADDRESS, _Cookie, _ERROR_TO)),
    "xcb_query_keymap": (_Cookie, (_ADDRESS,)),
    "xcb_query_keymap_reply": (_Reply, (_ADDRESS, _Cookie, _ERROR_TO)),
}
_REPLY_HEAD_BYTES = 32


def _library() -> ctypes.CDLL:
    """libxcb with its types. Raises OSError without it."""
    library = ctypes.CDLL("libxcb.so.1")
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class _Keyboard:
    """One connection to the X server. One thread's, which ends it with ``close``.

    Every method raises AppError when the server is gone.
    """

    def __init__(self) -> None:
        try:
            self._xcb = _library()
        except OSError:
            raise refused("The X11 library libxcb is missing.") from None
        self._free = ctypes.CDLL(None).free
        self._free.argtypes, self._free.restype = (ctypes.c_void_p,), None
        number = ctypes.c_int()
        self._x: int = self._xcb.xcb_connect(None, ctypes.byref(number))
        try:
            self._check()
            setup = self._xcb.xcb_get_setup(self._x)
            self._first = setup.contents.min_keycode
            self._count = setup.contents.max_keycode - self._first + 1
            screens = self._xcb.xcb_setup_roots_iterator(setup)
            for _ in range(number.value):
                self._xcb.xcb_screen_next(ctypes.byref(screens))
            self._root: int = screens.data[0]
        except BaseException:
            self.close()
            raise
        self._code = 0

    def close(self) -> None:
        """The grabs go with the connection."""
        self._xcb.xcb_disconnect(self._x)

    @property
    def descriptor(self) -> int:
        """Becomes readable with an event."""
        return self._xcb.xcb_get_file_descriptor(self._x)

    def grab(self) -> None:
        """Take the key as it lies on the present layout; a grab from before is given back. Raises AppError."""
        self._xcb.xcb_ungrab_key(self._x, _ANY_KEY, self._root, _ANY_MODIFIER)
        keysyms = self._keysyms()
        code = next((code for code, symbols in keysyms.items() if _SPACE in symbols[:1]), None)
        if code is None:
            raise refused("The keyboard's layout has no Space key, so there is no key to talk from anywhere.")
        masks = self._masks(keysyms)
        locks = [_CAPS_LOCK, *(masks[lock] for lock in _LOCKS if lock in masks)]
        wanted = _CONTROL | masks.get(_ALT, _USUAL_ALT)
        cookies = [
            self._xcb.xcb_grab_key_checked(self._x, 0, self._root, wanted | more, code, _ASYNC, _ASYNC)
            for more in _sums(locks)
        ]
        errors = [self._error(cookie) for cookie in cookies]
        self._check()
        if _BAD_ACCESS in errors:
            raise taken()
        if any(errors):
            raise refused("The X server refused the key to talk from anywhere.")
        self._code = code

    def changes(self) -> Iterator[bool]:
        """What happened to the key since: down (True) or up (False); repetitions among them. Never waits."""
        while event := self._xcb.xcb_poll_for_event(self._x):
            kind, detail, word = event.contents.kind & 0x7F, event.contents.detail, event.contents.word
            self._free(event)
            if kind == _MAPPING_NOTIFY and word & 0xFF != _MAPPING_POINTER:
                self.grab()
            elif kind == _KEY_PRESS and detail == self._code:
                yield True
            elif kind == _KEY_RELEASE and detail == self._code and not self.is_down():
                yield False  # while the key repeats itself it is down at each of its releases
        self._check()

    def is_down(self) -> bool:
        """The key is down at this moment."""
        cookie = self._xcb.xcb_query_keymap(self._x)
        with self._reply(self._xcb.xcb_query_keymap_reply(self._x, cookie, None)) as reply:
            keys = ctypes.cast(reply, ctypes.POINTER(ctypes.c_uint8 * 40)).contents[8:]
        return bool(keys[self._code // 8] >> self._code % 8 & 1)

    def _keysyms(self) -> dict[int, list[int]]:
        """The symbols on each key."""
        cookie = self._xcb.xcb_get_keyboard_mapping(self._x, self._first, self._count)
        with self._reply(self._xcb.xcb_get_keyboard_mapping_reply(self._x, cookie, None)) as reply:
            each, symbols = reply.contents.detail, _tail(reply, ctypes.c_uint32, reply.contents.word)
        return {self._first + number: symbols[number * each : (number + 1) * each] for number in range(self._count)}

    def _masks(self, keysyms: dict[int, list[int]]) -> dict[int, int]:
        """The modifier that each symbol stands for."""
        cookie = self._xcb.xcb_get_modifier_mapping(self._x)
        with self._reply(self._xcb.xcb_get_modifier_mapping_reply(self._x, cookie, None)) as reply:
            each = reply.contents.detail
            codes = _tail(reply, ctypes.c_uint8, 8 * each)
        found: dict[int, int] = {}
        for number, code in enumerate(codes):
            for symbol in keysyms.get(code, ()):
                found.setdefault(symbol, 1 << number // each)
        return found

    @contextlib.contextmanager
    def _reply(self, reply: Any) -> Iterator[Any]:
        """The server's answer, freed afterwards."""
        if not reply:
            raise _gone()
        try:
            yield reply
        finally:
            self._free(reply)

    def _error(self, cookie: _Cookie) -> int:
        error = self._xcb.xcb_request_check(self._x, cookie)
        if not error:
            return 0
        code = error.contents.detail
        self._free(error)
        return code

    def _check(self) -> None:
        self._xcb.xcb_flush(self._x)
        if self._xcb.xcb_connection_has_error(self._x):
            raise _gone()


def _gone() -> Exception:
    return refused("The X server can't be reached, so there is no key to talk from anywhere.")


def _tail(reply: Any, kind: Any, count: int) -> list[int]:
    """What follows the head of a reply."""
    address = ctypes.addressof(reply.contents) + _REPLY_HEAD_BYTES
    return list((kind * count).from_address(address))


def _sums(masks: list[int]) -> set[int]:
    """Every combination of modifiers."""
    picks = (itertools.combinations(masks, count) for count in range(len(masks) + 1))
    sums: set[int] = set()
    for pick in itertools.chain.from_iterable(picks):
        mask = 0
        for one in pick:
            mask |= one
        sums.add(mask)
    return sums


class X11Key(SocketKey):
    """The key on X11: the server sends it to us alone, until Space is let go."""

    def _watch(self) -> None:
        with contextlib.closing(_Keyboard()) as keyboard:
            keyboard.grab()
            while True:
                for held in keyboard.changes():
                    self._tell(held)
                some = self._wait(keyboard.descriptor, _LOOK_S if self._held else None)
                if self._stopping.is_set():
                    return
                if not some and self._held and not keyboard.is_down():
                    self._tell(False)
