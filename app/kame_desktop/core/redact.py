"""Takes out of a text what may be handed to nobody: keys, addresses' secrets, the home folder, the user's name.

For texts that leave the program ("Copy diagnostics", crash reports). It rather hides too much than too little: what
looks like a key is one.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import re
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)(?:$|_)", re.IGNORECASE
)
_SHORTEST_SECRET = 6
"""A variable's value that is shorter ("1", "true") is no secret, and would tear words apart."""
_SHORTEST_NAME = 2


def _mixed(letters: str) -> str:
    """A run of these has a small letter, a capital and a digit, as random ones have and words don't."""
    return "".join(f"(?=[{letters}]*{one})" for one in ("[a-z]", "[A-Z]", "[0-9]"))


_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    # What follows the path of an address, and the name and password in it.
    (re.compile(r"(\b[a-z][a-z0-9+.-]{0,20}://[^\s?#'\"<>]{1,2000})[?#][^\s'\"<>]+", re.IGNORECASE), r"\1?<hidden>"),
    (re.compile(r"(\b[a-z][a-z0-9+.-]{0,20}://)[^\s/?#@'\"<>]{1,512}@", re.IGNORECASE), r"\1<hidden>@"),
    (re.compile(r"(\bbearer|\bbasic)\s+(?!<)[^\s'\",;]{6,}", re.IGNORECASE), r"\1 <key>"),
    # name = value, "name": "value"
    (
        re.compile(
            r"((?:[a-z0-9]{1,40}[_-]){0,6}(?:api[_-]?key|key|token|secret|password|passwd|passphrase|authorization)"
            r"['\"]?\s{0,3}[=:]\s{0,3}['\"]?)(?!<|bearer |basic )[^\s'\",;&]{3,}",
            re.IGNORECASE,
        ),
        r"\1<key>",
    ),
    # Keys by the looks that their owners gave them.
    (re.compile(r"\b(?:sk|pk|rk|gsk|hf|xai|pplx|tvly|csk|r8|nvapi|fw|ghp|gho|github_pat)[-_][\w-]{8,}"), "<key>"),
    (re.compile(r"\bAIza[\w-]{20,}"), "<key>"),
    (re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b"), "<key>"),
    (re.compile(r"\beyJ[\w-]{8,}(?:\.[\w-]+){0,4}"), "<key>"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE), "<key>"),
    # Anything long of letters and digits: a digest is hidden as well, which does no harm.
    (re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{20,}(?![A-Za-z0-9])"), "<key>"),
    (re.compile(r"(?<![\w+/-])" + _mixed(r"A-Za-z0-9+/") + r"[A-Za-z0-9+/]{40,}={0,2}"), "<key>"),
    (re.compile(r"(?<![\w+/-])" + _mixed(r"\w-") + r"[\w-]{40,}"), "<key>"),
    (re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"), "<address>"),
)


class Redactor:
    """What has to go on this computer. Any thread; what it knows is read once.

    Args:
        environment: Values of variables named like a key go; None: the process'.
        home: The user's home folder; None: the system's.
        names: Names of the user and of the computer; None: the system's.
        secrets: More that has to go, whatever it looks like.
    """

    def __init__(
        self,
        *,
        environment: Mapping[str, str] | None = None,
        home: str | None = None,
        names: Iterable[str] | None = None,
        secrets: Iterable[str] = (),
    ) -> None:
        environment = os.environ if environment is None else environment
        home = _home() if home is None else home
        hidden = {one for one in secrets if one.strip()}
        hidden |= {value.strip() for name, value in environment.items() if _SECRET_NAME.search(name)}
        self._secrets = _any_of((one for one in hidden if len(one) >= _SHORTEST_SECRET), "", "")
        homes = {home, home.replace("\\", "/"), home.replace("\\", "\\\\")} if len(home) > 1 else set()
        self._homes = _any_of(homes, r"(?<![\w.~-])", r"(?![\w.-])")
        found = set(_names(environment, home) if names is None else names)
        self._names = _any_of(
            (one for one in found if len(one) >= _SHORTEST_NAME and one.casefold() != "localhost"),
            r"(?<![A-Za-z0-9])",
            r"(?![A-Za-z0-9])",
        )

    def __repr__(self) -> str:
        return "Redactor()"

    def __call__(self, text: str) -> str:
        """The text without it all."""
        if self._secrets is not None:
            text = self._secrets.sub("<key>", text)
        for pattern, instead in _PATTERNS:
            text = pattern.sub(instead, text)
        if self._homes is not None:
            text = self._homes.sub("~", text)
        return text if self._names is None else self._names.sub("<name>", text)


def _any_of(words: Iterable[str], before: str, after: str) -> re.Pattern[str] | None:
    """Matches each of these words, the longest first; None: there are none."""
    listed = sorted({word for word in words if word}, key=len, reverse=True)
    if not listed:
        return None
    return re.compile(f"{before}(?:{'|'.join(map(re.escape, listed))}){after}", re.IGNORECASE)


def _home() -> str:
    try:
        return str(Path.home())
    except RuntimeError:
        return ""


def _names(environment: Mapping[str, str], home: str) -> set[str]:
    """What the user and the computer are called."""
    names = {environment.get(variable, "") for variable in ("USER", "USERNAME", "LOGNAME", "COMPUTERNAME", "HOSTNAME")}
    names.add(re.split(r"[\\/]", home.rstrip("\\/"))[-1])
    with contextlib.suppress(OSError, KeyError, ImportError):
        names.add(getpass.getuser())
    with contextlib.suppress(OSError):
        names.add(socket.gethostname().split(".")[0])
    return names
