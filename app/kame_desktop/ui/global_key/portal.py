"""The key on a Wayland desktop, where no program sees another's keys: the desktop is asked for it through its portal.

Its interface ``GlobalShortcuts`` asks the user, who may choose other keys, and remembers the answer. Through jeepney,
which the keyring brings along: it has the types that the portal's arguments are made of, and a socket to wait for.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

from kame_desktop.core.errors import AppError
from kame_desktop.ui.global_key.base import KEYS, SocketKey, refused

_PORTAL, _PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
_REQUEST, _SESSION = "org.freedesktop.portal.Request", "org.freedesktop.portal.Session"
_REGISTRY = "org.freedesktop.host.portal.Registry"
_APP_ID = "kame-desktop"
_TALK = "talk"
_TRIGGER = "CTRL+ALT+space"
_CALL_S = 25.0
"""The first call may have to start the portal."""
_BACKLOG = 64
"""Most messages that are kept while something else is awaited; the oldest goes first."""


class _Over(Exception):  # noqa: N818 - ``stop`` was called
    """Nothing is awaited any more."""


class PortalKey(SocketKey):
    """The key through the desktop's portal."""

    def __init__(self) -> None:
        super().__init__()
        try:
            import jeepney  # noqa: F401
        except ImportError:
            self._problem = refused("The package jeepney, which asks the desktop for a key, isn't installed.")

    def _watch(self) -> None:
        from jeepney.io.blocking import open_dbus_connection

        try:
            connection = open_dbus_connection(bus="SESSION")
        except (OSError, KeyError, ValueError, RuntimeError):
            raise refused("The desktop can't be asked for a key: there is no session bus.") from None
        with contextlib.closing(connection), contextlib.suppress(_Over):
            try:
                _Talk(self, connection).run()
            except OSError:
                raise refused("The session bus went away, so there is no key to talk from anywhere.") from None

    def wait_for(self, connection: Any, deadline_s: float | None) -> Any:
        """The next message; None when the time is over. Raises _Over."""
        while True:
            with contextlib.suppress(TimeoutError):
                return connection.receive(timeout=0)
            left_s = None if deadline_s is None else deadline_s - time.monotonic()
            if left_s is not None and left_s <= 0:
                return None
            self._wait(connection.sock, left_s)
            if self._stopping.is_set():
                raise _Over

    def tell(self, held: bool) -> None:
        """The key is down or up."""
        self._tell(held)

    def warn(self, error: AppError) -> None:
        """It may come to work, if the user does something."""
        if self._on_problem is not None and not self._stopping.is_set():
            self._on_problem(error)


class _Talk:
    """One conversation with the portal. The key's thread."""

    def __init__(self, key: PortalKey, connection: Any) -> None:
        self._key = key
        self._connection = connection
        self._kept: list[Any] = []
        self._session = ""
        self._numbers = iter(range(1, 1 << 30))

    def run(self) -> None:
        """Ask for the key, then follow it. Raises AppError, OSError, _Over."""
        self._listen()
        self._introduce()
        self._call("org.freedesktop.DBus.Properties", "Get", "ss", (_SHORTCUTS, "version"))
        token = {"session_handle_token": ("s", self._token())}
        answer = self._ask("CreateSession", "a{sv}", (), token)
        self._session = str(answer.get("session_handle", ("s", ""))[1])
        try:
            wanted = [(_TALK, {"description": ("s", "Talk while held"), "preferred_trigger": ("s", _TRIGGER)})]
            answer = self._ask("BindShortcuts", "oa(sa{sv})sa{sv}", (self._session, wanted, ""), {})
            self._look_at(answer)
            for message in self._messages():
                self._take(message)
        finally:
            if self._session:
                with contextlib.suppress(OSError):
                    self._send(self._session, _SESSION, "Close")

    # -- what the portal says ----

    def _look_at(self, answer: dict[str, Any]) -> None:
        """The desktop may have given the key other keys, or none."""
        bound = answer.get("shortcuts", ("", None))[1]
        if bound is None:  # it needn't say
            return
        mine = next((options for name, options in bound if name == _TALK), None)
        if mine is None:
            raise refused("The desktop didn't give Kame Desktop a key to talk from anywhere.")
        if mine.get("trigger_description", ("s", KEYS))[1] == "":
            self._key.warn(
                refused(
                    "The desktop knows of the key to talk from anywhere, but has not assigned one.",
                    "Assign it in the system's settings for shortcuts; in the window, the Space key works.",
                )
            )

    def _take(self, message: Any) -> None:
        """A message while the key is ours."""
        interface, member, body, path = _signal(message)
        if interface == _SHORTCUTS and member in ("Activated", "Deactivated"):
            if tuple(body[:2]) == (self._session, _TALK):
                self._key.tell(member == "Activated")
        elif (interface, member, path) == (_SESSION, "Closed", self._session) or _portal_ended(member, body):
            raise refused("The desktop took the key to talk from anywhere back.", _AGAIN)

    # -- asking ----

    def _listen(self) -> None:
        for interface, member in ((_REQUEST, "Response"), (_SHORTCUTS, None), (_SESSION, "Closed")):
            rule = f"type='signal',sender='{_PORTAL}',interface='{interface}'"
            self._match(rule + (f",member='{member}'" if member else ""))
        bus = "org.freedesktop.DBus"
        self._match(f"type='signal',sender='{bus}',interface='{bus}',member='NameOwnerChanged',arg0='{_PORTAL}'")

    def _match(self, rule: str) -> None:
        bus = "org.freedesktop.DBus"
        self._send("/org/freedesktop/DBus", bus, "AddMatch", "s", (rule,), name=bus)

    def _introduce(self) -> None:
        """Say who we are, as far as the portal wants to know: one outside a sandbox may guess, or not know."""
        with contextlib.suppress(AppError):
            self._call(_REGISTRY, "Register", "sa{sv}", (_APP_ID, {}))

    def _token(self) -> str:
        return f"kame{os.getpid()}_{next(self._numbers)}"

    def _ask(self, member: str, signature: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
        """A request that the user may have to answer: it takes as long as that takes."""
        options = {**options, "handle_token": ("s", self._token())}
        (handle,) = self._call(_SHORTCUTS, member, signature, (*arguments, options))
        for message in self._messages():
            interface, name, body, path = _signal(message)
            if (interface, name, path) == (_REQUEST, "Response", handle):
                outcome, results = body
                if outcome:
                    raise refused("The desktop, or you, refused the key to talk from anywhere.", _AGAIN)
                return results
            if _portal_ended(name, body):
                break
        raise _no_portal()

    def _messages(self) -> Iterator[Any]:
        """What has been kept, then what comes."""
        while True:
            yield self._kept.pop(0) if self._kept else self._next(None)

    def _call(self, interface: str, member: str, signature: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Call and wait for the answer; signals that come before it are kept."""
        from jeepney import HeaderFields, MessageType

        serial = self._send(_PATH, interface, member, signature, arguments)
        deadline_s = time.monotonic() + _CALL_S
        while (message := self._next(deadline_s)) is not None:
            if message.header.fields.get(HeaderFields.reply_serial) != serial:
                self._kept = [*self._kept, message][-_BACKLOG:]
            elif message.header.message_type is MessageType.method_return:
                return message.body
            else:
                break
        raise _no_portal()

    def _send(
        self,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        arguments: tuple[Any, ...] = (),
        *,
        name: str = _PORTAL,
    ) -> int:
        from jeepney import DBusAddress, new_method_call

        address = DBusAddress(path, bus_name=name, interface=interface)
        serial = next(self._connection.outgoing_serial)
        message = new_method_call(address, member, signature or None, arguments)
        self._connection.send(message, serial=serial)
        return serial

    def _next(self, deadline_s: float | None) -> Any:
        return self._key.wait_for(self._connection, deadline_s)


_AGAIN = "Switch it off and on to ask again; in the window, the Space key works."


def _no_portal() -> AppError:
    return refused("This Wayland desktop doesn't let a program have a key while another one is in front.")


def _portal_ended(member: str, body: tuple[Any, ...]) -> bool:
    """It is a message of the bus that the portal's process is gone."""
    return member == "NameOwnerChanged" and body[0] == _PORTAL and body[1] != ""


def _signal(message: Any) -> tuple[str, str, tuple[Any, ...], str]:
    """Interface, member, content and path; empty for anything but a signal."""
    from jeepney import HeaderFields, MessageType

    fields = message.header.fields
    if message.header.message_type is not MessageType.signal:
        return "", "", (), ""
    return (
        fields.get(HeaderFields.interface, ""),
        fields.get(HeaderFields.member, ""),
        message.body,
        fields.get(HeaderFields.path, ""),
    )
