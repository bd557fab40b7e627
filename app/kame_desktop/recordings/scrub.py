"""Values that are written to a file that the user may hand on, without what nobody else may know."""

from __future__ import annotations

import re
from typing import Any

_SECRET_WORDS = frozenset(
    {"key", "apikey", "token", "secret", "password", "passwd", "passphrase", "authorization", "credential"}
)
_WORDS = re.compile(r"[a-z]+|[A-Z][a-z]*")
_USER_INFO = re.compile(r"(?<=://)[^/\s?#]*@")
_SECRET_QUERY = re.compile(
    r"(?<=[?&])([\w.-]*(?:key|token|secret|password|signature|sig)[\w.-]*=)[^&#\s]*", re.IGNORECASE
)


def scrubbed(value: Any) -> Any:
    """``value`` (JSON-ready) without texts whose field is named like a secret, and without those in addresses."""
    if isinstance(value, dict):
        return {name: scrubbed(inner) for name, inner in value.items() if not _is_secret(str(name), inner)}
    if isinstance(value, list | tuple):
        return [scrubbed(inner) for inner in value]
    if isinstance(value, str):
        return _SECRET_QUERY.sub(r"\1...", _USER_INFO.sub("", value))
    return value


def _is_secret(name: str, value: Any) -> bool:
    """Numbers and switches (``prompt_tokens``) give nothing away."""
    if value is None or isinstance(value, int | float):
        return False
    return any(word.casefold().removesuffix("s") in _SECRET_WORDS for word in _WORDS.findall(name))
