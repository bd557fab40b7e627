"""The model hub: the only module that asks the network for weights.

It uses huggingface_hub's session, token, addresses and error kinds, but streams the bytes itself. The reason:
``hf_hub_download`` (2.4) throws a partial file away when it fails, retries inside blocking sleeps, and can't be stopped
from another thread; here a stop must take less than a second and a download must go on where it stopped. What is
written is laid out as ``hf_hub_download`` would (see ``store``). hf_xet is never used: it has no stop either.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from kame_desktop.core.errors import AppError
from kame_desktop.weights import errors
from kame_desktop.weights.checkpoint import safe_path

if TYPE_CHECKING:
    from huggingface_hub.errors import HfHubHTTPError

CONNECT_S = 10.0
ANSWER_S = 15.0
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file as the hub describes it.

    Attributes:
        path: Relative, with slashes.
        size: Bytes.
        digest: SHA-256 (64 hex digits) of a large file, git's blob SHA-1 (40) of a small one. Also the name under
            which the hub's cache keeps it.
    """

    path: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class RemoteRepository:
    """A repository at one commit.

    Attributes:
        licence: As its page states it; None: not stated.
        page: Its address for people.
    """

    repo: str
    commit: str
    licence: str | None
    page: str
    files: dict[str, RemoteFile]


class _Lfs(BaseModel):
    sha256: str
    size: int


class _Sibling(BaseModel):
    rfilename: str
    size: int | None = None
    blobId: str | None = None  # noqa: N815 - the hub's spelling
    lfs: _Lfs | None = None


class _Info(BaseModel):
    sha: str
    siblings: list[_Sibling] = Field(default_factory=list)
    cardData: dict[str, Any] | None = None  # noqa: N815 - the hub's spelling
    tags: list[str] = Field(default_factory=list)


def is_offline(setting: bool = False) -> bool:
    """Nothing may be asked: by the program's setting, or by huggingface_hub's (HF_HUB_OFFLINE, also as it is now)."""
    from huggingface_hub import constants

    now = os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in {"1", "ON", "YES", "TRUE"}
    return setting or now or bool(constants.HF_HUB_OFFLINE)


def _http_of(client: object) -> ModuleType:
    """The HTTP library of huggingface_hub's session: httpx in its version 1, httpx2 in version 2."""
    for kind in type(client).__mro__:
        if kind.__name__ == "AsyncClient" and kind.__module__.startswith("httpx"):
            return sys.modules[kind.__module__.partition(".")[0]]
    raise TypeError("huggingface_hub's session is of an unknown kind")


class HubSession:
    """Asks one hub. Use as ``async with``; owner: one coroutine.

    Args:
        endpoint: The hub's address; None: huggingface_hub's (HF_ENDPOINT).
        stall_s: How long the stream of a file may stay silent.
    """

    def __init__(self, endpoint: str | None, stall_s: float) -> None:
        from huggingface_hub import constants

        self._endpoint = (endpoint or constants.ENDPOINT).rstrip("/")
        self._stall_s = stall_s
        self._host = urlsplit(self._endpoint).netloc

    async def __aenter__(self) -> HubSession:
        from huggingface_hub import get_async_session
        from huggingface_hub.utils import build_hf_headers

        from kame_desktop import __version__

        self._client = get_async_session()
        self._http = _http_of(self._client)
        # They log whole addresses and headers, and the addresses of large files are signed.
        for library in (self._http.__name__, self._http.__name__.replace("httpx", "httpcore")):
            logging.getLogger(library).setLevel(logging.WARNING)
        self._headers = build_hf_headers(library_name="kame-desktop", library_version=__version__)
        self._headers["Accept-Encoding"] = "identity"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    def page(self, repo: str) -> str:
        """A repository's address for people."""
        return f"{self._endpoint}/{repo}"

    async def repository(self, repo: str) -> RemoteRepository:
        """What the hub says of a repository's main branch, files with sizes and digests included. Raises AppError."""
        try:
            response = await self._client.get(
                f"{self._endpoint}/api/models/{repo}",
                params={"blobs": "true"},
                headers=self._headers,
                timeout=(CONNECT_S, ANSWER_S, ANSWER_S, ANSWER_S),
            )
        except Exception as error:  # noqa: BLE001 - the session's library is known only at run time
            self._raise_transport(error, repo, ANSWER_S)
        self._raise_for_status(response, repo)
        try:
            info = _Info.model_validate_json(response.content)
        except ValidationError:
            raise errors.HubTroubleError("gave an answer that is not a hub's") from None
        if not _COMMIT.fullmatch(info.sha):
            raise errors.HubTroubleError("gave an answer that is not a hub's")
        files = [_remote_file(sibling) for sibling in info.siblings]
        return RemoteRepository(
            repo, info.sha, _licence(info), self.page(repo), {file.path: file for file in files if file is not None}
        )

    @asynccontextmanager
    async def open(self, repo: str, commit: str, path: str, start: int = 0) -> AsyncIterator[RemoteBody]:
        """Open a file's bytes from ``start`` on. Raises AppError, also while the body is read."""
        from huggingface_hub import hf_hub_url

        url = hf_hub_url(repo, path, revision=commit, endpoint=self._endpoint)
        headers = dict(self._headers)
        if start:
            headers["Range"] = f"bytes={start}-"
        timeout = (CONNECT_S, self._stall_s, self._stall_s, CONNECT_S)
        try:
            async with self._client.stream("GET", url, headers=headers, timeout=timeout) as response:
                if response.status_code != 416:
                    if response.status_code >= 400:
                        await response.aread()
                    self._raise_for_status(response, repo)
                yield RemoteBody(response, start)
        except (AppError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - the session's library is known only at run time
            self._raise_transport(error, repo, self._stall_s)

    async def read_small(self, repo: str, commit: str, file: RemoteFile, limit: int) -> bytes:
        """A small file's bytes. Raises AppError."""
        if file.size > limit:
            raise errors.UnusableRepositoryError(repo, f"its {file.path} is too large")
        data = b""
        async with self.open(repo, commit, file.path) as body:
            async for chunk in body.chunks():
                data += chunk
                if len(data) > limit:
                    raise errors.UnusableRepositoryError(repo, f"its {file.path} is too large")
        return data

    def _raise_for_status(self, response: Any, repo: str) -> None:
        from huggingface_hub.errors import HfHubHTTPError
        from huggingface_hub.utils import hf_raise_for_status

        try:
            hf_raise_for_status(response)
        except HfHubHTTPError as error:
            raise self._refusal(error, repo) from None

    def _refusal(self, error: HfHubHTTPError, repo: str) -> AppError:
        from huggingface_hub.errors import (
            DisabledRepoError,
            EntryNotFoundError,
            GatedRepoError,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )

        status = error.response.status_code
        if error.response.url.host != (urlsplit(self._endpoint).hostname or ""):
            return errors.HubTroubleError(f"could not hand over the file (its store answered {status})")
        match error:
            case GatedRepoError():
                return errors.GatedRepositoryError(repo, self.page(repo))
            case RepositoryNotFoundError():
                return errors.MissingRepositoryError(repo)
            case EntryNotFoundError() | RevisionNotFoundError():
                return errors.UnusableRepositoryError(repo, "a file that it lists is not there")
            case DisabledRepoError():
                return errors.UnusableRepositoryError(repo, "the hub has disabled it")
        if status in (401, 403):
            return errors.TokenRefusedError(repo)
        if status == 404:
            return errors.MissingRepositoryError(repo)
        wait = error.response.headers.get("Retry-After", "")
        retry_after_s = float(wait) if wait.isdigit() else None
        if status == 429:
            return errors.HubTroubleError("asks to wait: too many requests", retry_after_s=retry_after_s)
        return errors.HubTroubleError(f"has trouble of its own (answer {status})", retry_after_s=retry_after_s)

    def _raise_transport(self, error: Exception, repo: str, silent_s: float) -> NoReturn:
        from huggingface_hub.errors import OfflineModeIsEnabled

        http = self._http
        if isinstance(error, AppError):
            raise error
        if isinstance(error, OfflineModeIsEnabled):
            raise errors.OfflineError(repo) from None
        if isinstance(error, http.ConnectError) and "certificate" in str(error).casefold():
            raise errors.UntrustedConnectionError(self._host) from None
        if isinstance(error, http.ConnectError | http.ConnectTimeout | http.ProxyError):
            raise errors.NoNetworkError(self._host) from None
        if isinstance(error, http.TimeoutException):
            raise errors.StalledError(silent_s) from None
        if isinstance(error, http.TransportError):
            raise errors.ConnectionCutError() from None
        if isinstance(error, http.HTTPError | http.InvalidURL):
            raise errors.HubTroubleError("can't be asked: its address or its answer is not usable") from None
        raise error


class RemoteBody:
    """The bytes of one answer.

    Attributes:
        offset: Where in the file they begin: 0 although more was asked for, when the server doesn't know ranges.
        complete: The server says that nothing lies at or behind the place asked for (416).
    """

    def __init__(self, response: Any, start: int) -> None:
        self._response = response
        self.complete = response.status_code == 416
        self.offset = start if response.status_code == 206 else 0
        if response.status_code == 206 and _range_start(response) != start:
            raise errors.HubTroubleError("sent another part of the file than was asked for")

    async def chunks(self) -> AsyncIterator[bytes]:
        """The bytes as they come."""
        if self.complete:
            return
        async for chunk in self._response.aiter_bytes():
            yield chunk


def _range_start(response: Any) -> int | None:
    found = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    return int(found[1]) if found else None


def _remote_file(sibling: _Sibling) -> RemoteFile | None:
    """None for what can't be stored or checked."""
    if not safe_path(sibling.rfilename):
        return None
    if sibling.lfs is not None:
        good = _SHA256.fullmatch(sibling.lfs.sha256) is not None and sibling.lfs.size >= 0
        return RemoteFile(sibling.rfilename, sibling.lfs.size, sibling.lfs.sha256) if good else None
    if sibling.size is None or sibling.size < 0 or not _COMMIT.fullmatch(sibling.blobId or ""):
        return None
    return RemoteFile(sibling.rfilename, sibling.size, sibling.blobId or "")


def _licence(info: _Info) -> str | None:
    card = info.cardData or {}
    stated = card.get("license_name") if card.get("license") == "other" else card.get("license")
    if isinstance(stated, list):
        stated = ", ".join(str(part) for part in stated)
    if not stated:
        stated = next((tag.removeprefix("license:") for tag in info.tags if tag.startswith("license:")), None)
    return str(stated)[:80] if stated else None
