"""A keyring of the library ``keyring`` that does as it is told. No D-Bus, no prompts."""

from __future__ import annotations

import threading
from collections.abc import Sequence


class FakeKeyring:
    """Keeps secrets in a dict.

    Attributes:
        secrets: By (service, user name).
        reads: User names asked for, in order.
        fails: Raised by every access, until it is None.
        longest: A longer secret is refused with ``too_long``.
        forgetful: ``set_password`` keeps nothing, and says nothing.
        gate: Every access waits for it.
    """

    priority: float = 5.0

    def __init__(self) -> None:
        self.secrets: dict[tuple[str, str], str] = {}
        self.reads: list[str] = []
        self.fails: Exception | None = None
        self.longest: int | None = None
        self.too_long: Exception = OSError("the store is unhappy")
        self.forgetful = False
        self.gate = threading.Event()
        self.gate.set()

    def get_password(self, service: str, username: str) -> str | None:
        self.reads.append(username)
        self._wait()
        return self.secrets.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._wait()
        if self.longest is not None and len(password) > self.longest:
            raise self.too_long
        if not self.forgetful:
            self.secrets[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._wait()
        if (service, username) not in self.secrets:
            raise LookupError("No such password!")
        del self.secrets[service, username]

    def _wait(self) -> None:
        self.gate.wait(30.0)
        if self.fails is not None:
            raise self.fails


class Chain:
    """Several keyrings, as the library chains them."""

    priority: float = 10.0

    def __init__(self, backends: Sequence[object]) -> None:
        self.backends = backends


Chain.__module__ = "keyring.backends.chainer"


class PlaintextKeyring(FakeKeyring):
    """What a package for keys in a plain file brings."""

    priority = 0.5


PlaintextKeyring.__module__ = "keyrings.alt.file"


class WinVaultKeyring(FakeKeyring):
    """Windows' store by its name."""


WinVaultKeyring.__module__ = "keyring.backends.Windows"


class KeyringLocked(Exception):  # noqa: N818 - the library's name
    """What the library raises when the user doesn't unlock; its text may hold anything."""
