"""Whether the network reaches whom the program may ask. Looked at only when the user asks for it."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from kame_desktop.core.checks import Check, CheckState

_PATIENCE_S = 8.0


def fetch_status(address: str) -> int | None:
    """HTTP status of an address; None: it can't be reached. Blocks up to 8 s a step."""
    import httpx

    try:
        return httpx.head(address, timeout=_PATIENCE_S).status_code
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError):
        return None


def hub_check(address: str, fetch: Callable[[str], int | None] = fetch_status) -> Check:
    """Whether weights can be downloaded."""
    host = urlsplit(address).hostname or "the model hub"
    status = fetch(address)
    values = {"host": host, "status": status}
    if status is None:
        return Check(
            "model hub",
            CheckState.WARN,
            f"{host} can't be reached, so no weights can be downloaded.",
            "Check the network connection, and the proxy (HTTPS_PROXY) if there is one.",
            values,
        )
    return Check("model hub", CheckState.OK, f"{host} answers.", values=values)
