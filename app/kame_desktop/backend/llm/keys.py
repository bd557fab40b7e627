"""Keys of providers: from the environment, from the system's keyring, or typed in and forgotten at the end.

The keyring is reached through the library ``keyring``, imported at the first question. What it stores in plain text, or
nowhere, counts as no keyring. Every access runs on a thread of its own with a time limit, because a keyring may wait
for the user to unlock it, or for ever; at most one such thread is under way, and what it brings late still counts.

A key is never logged, shown by ``repr``, pickled, or part of an error; what the keyring says in an error is dropped.
"""

from __future__ import annotations

import importlib
import os
import threading
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from kame_desktop.backend.llm import catalog
from kame_desktop.backend.llm.base import KeySource, KeyStore, LlmModel, Provider
from kame_desktop.core.errors import AppError, BadInputError, ErrorCategory

SERVICE = "kame-desktop"
"""Under this name keys lie in the keyring, one entry a provider."""

_COMPONENT = "keys"
_PATIENCE_S = 3.0
_LONGEST_KEY = 8192
_UNUSUALLY_LONG = 1024
_WINDOWS_LONGEST = 1280
"""Characters: Windows' store takes 2,560 bytes of UTF-16."""
_WINDOWS_TOO_LONG = 1783
_LEAST_PRIORITY = 1.0
"""Below it the library itself doesn't recommend a keyring."""
_NOT_KEEPING = ("keyring.backends.fail", "keyring.backends.null", "keyrings.alt")
_PASTE = "Copy the key again and give the whole of it, and nothing else."
_INSTEAD = "set the provider's environment variable"

_NONE_HERE = (
    "This computer has no keyring to keep keys in, so a key given here lasts until the program ends; to keep one, "
    f"install a keyring (on Linux GNOME Keyring or KWallet), or {_INSTEAD}."
)
_LOCKED = (
    "The keyring is locked, so a key given here lasts until the program ends; to keep one, unlock the keyring and give "
    f"the key again, or {_INSTEAD}."
)
_REFUSED = (
    "The keyring refuses to work, so a key given here lasts until the program ends; to keep one, check the keyring and "
    f"give the key again, or {_INSTEAD}."
)
_SILENT = (
    "The keyring doesn't answer, so a key given here lasts until the program ends; if it asks to be unlocked, unlock "
    f"it, otherwise {_INSTEAD}."
)


class Keyring(Protocol):
    """What is used of a keyring of the library."""

    def get_password(self, service: str, username: str) -> str | None:
        """The secret; None when there is none. May block and raise anything."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a secret. May block and raise anything."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Remove a secret; raises when there is none. May block and raise anything."""
        ...


class _Secret:
    """A key that nothing shows or stores by accident."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "<key>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("Keys are not pickled.")


class _Trouble(Exception):  # noqa: N818 - private, and caught here
    """An access to the keyring came to nothing. ``reason``: for the user; without the keyring's own words."""

    def __init__(self, reason: str, *, too_long: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.too_long = too_long


@dataclass(slots=True)
class _Access:
    """One access under way. ``trouble``: how it failed, once ``done`` is set."""

    done: threading.Event
    trouble: _Trouble | None = None


class SystemKeyStore:
    """``KeyStore`` of this computer. Any thread; a provider is looked up in the keyring at most once.

    After an access that failed the keyring is left alone until a key is given: nobody is asked to unlock it twenty
    times for one list.

    Args:
        environment: The process' variables, or those of a test.
        open_keyring: Gives the library's keyring, whatever it is.
        patience_s: How long one access is waited for.
    """

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        open_keyring: Callable[[], Any] | None = None,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._environment = environment
        self._open_keyring = open_keyring or _system_keyring
        self._patience_s = patience_s
        self._turn = threading.Lock()
        self._lock = threading.Lock()
        self._keyring: Keyring | None = None
        self._opened = False
        self._problem: str | None = None
        self._session: dict[str, _Secret] = {}
        self._kept: dict[str, _Secret | None] = {}
        self._under_way: _Access | None = None

    def __repr__(self) -> str:
        return "SystemKeyStore()"

    def __reduce__(self) -> NoReturn:
        raise TypeError("Keys are not pickled.")

    @property
    def problem(self) -> str | None:
        if not self._opened and self._problem is None:
            self._access(lambda keyring: None)
        return self._problem

    def source(self, provider: Provider) -> KeySource:
        if not provider.key_variables:
            return KeySource.NOT_NEEDED
        return self._find(provider)[0]

    def get(self, provider: Provider) -> str | None:
        secret = self._find(provider)[1] if provider.key_variables else None
        return secret.value if secret is not None else None

    def set(self, provider: Provider, key: str, *, keep: bool = True) -> KeySource:
        secret = _Secret(_checked(key))
        name = provider.name
        with self._lock:
            before = self._session.get(name)
            self._session[name] = secret
        if not keep:
            return KeySource.SESSION
        trouble = self._access(lambda keyring: self._keep(keyring, name, secret))
        if trouble is None:
            return KeySource.KEYRING
        if trouble.too_long:
            self._put_back(name, before)
            raise BadInputError(
                f"The key is {len(secret.value):,} characters long, more than the keyring keeps.",
                f"Use it for this session only, or {_INSTEAD}.",
                component=_COMPONENT,
            )
        return KeySource.SESSION

    def forget(self, provider: Provider) -> bool:
        """Remove the key from keyring and memory; False when there was none. The environment is left alone.

        Raises AppError: the keyring doesn't let its key go, or can't be asked; the one in memory is gone all the same.
        """
        name = provider.name
        with self._lock:
            was_there = self._session.pop(name, None) is not None
        found: list[bool] = []
        trouble = self._access(lambda keyring: found.append(self._remove(keyring, name)))
        if trouble is not None and trouble.reason != _NONE_HERE:
            raise AppError(
                f"The key of {provider.label} may still be in the keyring, which didn't let it be removed.",
                f"Unlock the keyring and try again, or remove the entry '{SERVICE}' there.",
                component=_COMPONENT,
                category=ErrorCategory.PERMANENT,
            )
        return was_there or any(found)

    def _find(self, provider: Provider) -> tuple[KeySource, _Secret | None]:
        for variable in provider.key_variables:
            value = self._environment.get(variable, "").strip()
            if value:
                return KeySource.ENVIRONMENT, _Secret(value)
        name = provider.name
        known = self._known(name)
        if known is None:
            if self._problem is None:
                self._access(lambda keyring: self._look_up(keyring, name))
            known = self._known(name) or (KeySource.MISSING, None)
        return known

    def _known(self, name: str) -> tuple[KeySource, _Secret | None] | None:
        """What is known without asking the keyring; None: nothing."""
        with self._lock:
            if name in self._session:
                return KeySource.SESSION, self._session[name]
            if name not in self._kept:
                return None
            kept = self._kept[name]
        return (KeySource.KEYRING, kept) if kept is not None else (KeySource.MISSING, None)

    def _put_back(self, name: str, before: _Secret | None) -> None:
        with self._lock:
            if before is None:
                self._session.pop(name, None)
            else:
                self._session[name] = before

    # On the thread of an access ------------------------------------------------------------------------------------

    def _look_up(self, keyring: Keyring, name: str) -> None:
        with self._lock:
            if name in self._kept:
                return
        value = (keyring.get_password(SERVICE, name) or "").strip()
        with self._lock:
            self._kept[name] = _Secret(value) if value else None

    def _keep(self, keyring: Keyring, name: str, secret: _Secret) -> None:
        value = secret.value
        if _is_windows(keyring) and len(value) > _WINDOWS_LONGEST:
            raise _Trouble(_REFUSED, too_long=True)
        try:
            keyring.set_password(SERVICE, name, value)
        except Exception as error:  # noqa: BLE001 - whatever it raises
            trouble = _trouble(error)
            too_long = trouble.reason != _LOCKED and (_is_stub_error(error) or len(value) > _UNUSUALLY_LONG)
            trouble = _Trouble(trouble.reason, too_long=too_long)
        else:
            # Some keep less than they were given, or nothing.
            trouble = None if keyring.get_password(SERVICE, name) == value else _Trouble(_REFUSED)
        if trouble is not None:
            raise trouble
        with self._lock:
            self._kept[name] = secret
            if self._session.get(name) is secret:
                del self._session[name]

    def _remove(self, keyring: Keyring, name: str) -> bool:
        there = keyring.get_password(SERVICE, name) is not None
        if there:
            keyring.delete_password(SERVICE, name)
        with self._lock:
            self._kept[name] = None
        return there

    def _open(self) -> Keyring:
        if self._keyring is None:
            if not self._opened:
                self._keyring = _keeping(self._open_keyring())
                self._opened = True
            if self._keyring is None:
                raise _Trouble(_NONE_HERE)
        return self._keyring

    def _run(self, access: _Access, work: Callable[[Keyring], object]) -> None:
        trouble: _Trouble | None = None
        try:
            work(self._open())
        except BaseException as error:  # noqa: BLE001 - whatever it raises; somebody waits for the end
            trouble = error if isinstance(error, _Trouble) else _trouble(error)
        with self._lock:
            if trouble is None or not trouble.too_long:
                self._problem = trouble.reason if trouble is not None else None
            access.trouble = trouble
            self._under_way = None
        access.done.set()

    # On the caller's thread ----------------------------------------------------------------------------------------

    def _access(self, work: Callable[[Keyring], object]) -> _Trouble | None:
        """Do ``work`` on a thread of its own, and wait for it as long as patience lasts. One at a time."""
        with self._turn:
            access = _Access(threading.Event())
            with self._lock:
                if self._under_way is not None:
                    return _Trouble(_SILENT)
                if self._opened and self._keyring is None:
                    return _Trouble(_NONE_HERE)
                self._under_way = access
            # A daemon: a keyring that never answers must not keep the program from ending.
            threading.Thread(target=self._run, args=(access, work), name="keyring", daemon=True).start()
            if access.done.wait(self._patience_s):
                return access.trouble
            with self._lock:
                if self._under_way is access:
                    self._problem = _SILENT
                    return _Trouble(_SILENT)
            return access.trouble


def key_for(keys: KeyStore, model: LlmModel, environment: Mapping[str, str] = os.environ) -> str | None:
    """The key to ask ``model`` with; None when it needs none, or has none, or only litellm knows where it is.

    A service at an address of the user's own gets the key kept for that address, else ``OPENAI_API_KEY`` of the
    environment, as such services commonly do; never a provider's key from the keyring. Any thread; the first call for a
    provider may block for the keyring's time limit, later ones return at once.
    """
    if model.starter:
        return None
    provider = catalog.provider_of(model)
    key = keys.get(provider) if provider is not None else None
    return key or catalog.common_key(model, environment)


def _checked(key: str) -> str:
    """The key without white space around it. It is never repeated."""
    key = key.strip()
    if not key:
        problem = "The key is empty."
    elif len(key) > _LONGEST_KEY:
        problem = "That is too long for a key."
    elif any(c.isspace() or unicodedata.category(c)[0] == "C" for c in key):
        problem = "That can't be a key: it has spaces, line breaks or control characters in it."
    elif not key.isascii():
        problem = "That can't be a key: it has letters in it that keys don't have."
    else:
        return key
    raise BadInputError(problem, _PASTE, component=_COMPONENT)


def _system_keyring() -> Any:
    return importlib.import_module("keyring").get_keyring()


def _keeping(keyring: Any) -> Keyring | None:
    """The keyring, or the first of a chain, that really keeps secrets; None when there is none."""
    modules = [kind.__module__ for kind in type(keyring).__mro__]
    if "keyring.backends.chainer" in modules:
        return next((kept for one in keyring.backends if (kept := _keeping(one)) is not None), None)
    if any(module == name or module.startswith(f"{name}.") for module in modules for name in _NOT_KEEPING):
        return None
    if "plain" in type(keyring).__name__.casefold():
        return None
    return keyring if keyring.priority >= _LEAST_PRIORITY else None


def _is_windows(keyring: Keyring) -> bool:
    return type(keyring).__module__ == "keyring.backends.Windows"


def _is_stub_error(error: BaseException) -> bool:
    """How Windows says that a secret is too long."""
    return getattr(error, "winerror", None) == _WINDOWS_TOO_LONG


def _trouble(error: BaseException) -> _Trouble:
    """In our words, by the error's type alone: its text may hold anything."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "NoKeyringError" in kinds:
        return _Trouble(_NONE_HERE)
    return _Trouble(_LOCKED if "KeyringLocked" in kinds else _REFUSED)
