"""A desktop's portal for shortcuts, on a session bus of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jeepney import DBusAddress, HeaderFields, Message, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.threading import DBusConnection, ReceiveStopped, open_dbus_connection

needs_bus = pytest.mark.skipif(
    shutil.which("dbus-daemon") is None, reason="dbus-daemon is needed (apt install dbus-daemon)"
)

PATH = "/org/freedesktop/portal/desktop"
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
_BUS = """<busconfig><type>session</type><listen>unix:path={folder}/bus</listen>
<servicedir>{folder}</servicedir><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""


class PrivateBus:
    """A bus daemon; whoever made it ends it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        config = folder / "bus.conf"
        config.write_text(_BUS.format(folder=folder), encoding="utf-8")
        self._process = subprocess.Popen(
            ["dbus-daemon", f"--config-file={config}", "--nofork", "--print-address"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().strip()

    def offer(self, name: str) -> Callable[[], bool]:
        """Somebody will have this name, when it is asked for; call the result to wait until it is."""
        wanted = self._folder / "wanted"
        os.mkfifo(wanted)
        service = f"[D-BUS Service]\nName={name}\nExec=/bin/sh -c 'echo wanted > {wanted}'\n"
        (self._folder / f"{name}.service").write_text(service, encoding="utf-8")
        return lambda: wanted.read_text(encoding="utf-8") == "wanted\n"

    def end(self) -> None:
        """The bus goes away; idempotent."""
        self._process.terminate()
        self._process.wait(30.0)
        if self._process.stdout is not None:
            self._process.stdout.close()


class FakePortal:
    """Answers as the specification of GlobalShortcuts says.

    Attributes:
        outcome: Of ``BindShortcuts``: 0 granted, 1 the user said no. None: the user hasn't answered.
        trigger: The keys that the user chose; "": none. None: the portal doesn't say.
        knows: It has the interface at all.
        bound: What was asked for.
        calls: Every method that was called.
        closed: The session was closed by the other side.
    """

    def __init__(self, address: str) -> None:
        self.outcome: int | None = 0
        self.trigger: str | None = "Ctrl+Alt+Space"
        self.knows = True
        self.bound: list[tuple[str, dict[str, Any]]] = []
        self.calls: list[str] = []
        self.bind_called = threading.Event()
        self.closed = threading.Event()
        self._session = ""
        self._client = ""
        self._connection: DBusConnection = open_dbus_connection(bus=address)
        self._connection.send(message_bus.RequestName("org.freedesktop.portal.Desktop"))
        self._thread = threading.Thread(target=self._serve, name="fake-portal")
        self._thread.start()

    def shortcut(self, member: str, name: str = "talk", session: str | None = None) -> None:
        """Activated or Deactivated."""
        body = (self._session if session is None else session, name, 0, {})
        self._signal(PATH, SHORTCUTS, member, "osta{sv}", body)

    def close_session(self) -> None:
        """The desktop ends it."""
        self._signal(self._session, "org.freedesktop.portal.Session", "Closed", "a{sv}", ({},))

    def end(self) -> None:
        """The portal goes away; idempotent."""
        self._connection.interrupt()
        self._thread.join()
        self._connection.close()

    def _serve(self) -> None:
        try:
            while True:
                message = self._connection.receive()
                if message.header.message_type is MessageType.method_call:
                    self._answer(message)
        except (ReceiveStopped, OSError):
            return

    def _answer(self, message: Message) -> None:
        fields = message.header.fields
        member, interface = fields[HeaderFields.member], fields[HeaderFields.interface]
        self._client = fields[HeaderFields.sender]
        self.calls.append(member)
        if interface == "org.freedesktop.DBus.Properties" and self.knows:
            self._connection.send(new_method_return(message, "v", (("u", 1),)))
        elif interface == SHORTCUTS and member == "CreateSession":
            (options,) = message.body
            self._session = f"{PATH}/session/test/{options['session_handle_token'][1]}"
            self._request(message, options, 0, {"session_handle": ("s", self._session)})
        elif interface == SHORTCUTS and member == "BindShortcuts":
            session, self.bound, _, options = message.body
            assert session == self._session
            named = {} if self.trigger is None else {"trigger_description": ("s", self.trigger)}
            results = {} if self.trigger is None else {"shortcuts": ("a(sa{sv})", [("talk", named)])}
            self._request(message, options, self.outcome, results)
            self.bind_called.set()
        elif interface == "org.freedesktop.portal.Session" and member == "Close":
            self._connection.send(new_method_return(message))
            self.closed.set()
        else:
            self._connection.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))

    def _request(self, message: Message, options: dict[str, Any], outcome: int | None, results: dict[str, Any]) -> None:
        path = f"{PATH}/request/test/{options['handle_token'][1]}"
        self._connection.send(new_method_return(message, "o", (path,)))
        if outcome is not None:
            self._signal(path, "org.freedesktop.portal.Request", "Response", "ua{sv}", (outcome, results))

    def _signal(self, path: str, interface: str, member: str, signature: str, body: tuple[Any, ...]) -> None:
        signal = new_signal(DBusAddress(path, interface=interface), member, signature, body)
        signal.header.fields[HeaderFields.destination] = self._client
        self._connection.send(signal)
