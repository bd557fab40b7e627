"""A scripted model hub on the loopback: model info, HEAD, GET with ranges, large files on another host, and trouble.

It speaks as much of the real one's protocol as huggingface_hub and ``kame_desktop.weights`` use: large files are LFS
(redirected to a store on another host name under a signed address), small ones are answered directly.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast
from urllib.parse import unquote, urlsplit

LFS_FROM_BYTES = 10_000
PIECE_BYTES = 16_384
SIGNATURE = "signed-4711"


class Trouble(StrEnum):
    """What goes wrong with one answer."""

    CUT = "cut"
    STALL = "stall"
    """Silence until the server ends or the client goes."""
    CORRUPT = "corrupt"
    IGNORE_RANGE = "ignore range"
    STATUS = "status"


@dataclass(frozen=True, slots=True)
class Fault:
    """One answer's trouble.

    Attributes:
        after: Bytes of the body that still come.
        status: With ``STATUS``: what is answered instead.
        headers: With ``STATUS``: of that answer.
    """

    trouble: Trouble
    after: int = 0
    status: int = 503
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class HubRepo:
    """A repository.

    Attributes:
        stated: Digests to state instead of the true ones (path -> SHA-256).
    """

    files: dict[str, bytes]
    licence: str | None = "cc-by-4.0"
    gated: bool = False
    private: bool = False
    stated: dict[str, str] = field(default_factory=dict)

    @property
    def commit(self) -> str:
        """Changes with the content."""
        state = hashlib.sha1(usedforsecurity=False)
        for path in sorted(self.files):
            state.update(path.encode() + hashlib.sha256(self.files[path]).digest())
        return state.hexdigest()

    def lfs(self, path: str) -> bool:
        """Whether a file is large."""
        return len(self.files[path]) >= LFS_FROM_BYTES

    def digest(self, path: str) -> str:
        """What is stated: SHA-256 of a large file, git's SHA-1 of a small one."""
        data = self.files[path]
        if path in self.stated:
            return self.stated[path]
        if self.lfs(path):
            return hashlib.sha256(data).hexdigest()
        return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class Call:
    """One request; ``start`` is where its range begins, ``sent`` how many bytes of the body went out."""

    method: str
    path: str
    query: str
    host: str
    start: int
    token: str | None


class FakeHub:
    """``with FakeHub({...}).running() as hub``. Its threads end with the body.

    Attributes:
        repos: ``owner/name`` -> repository.
        calls: Every request so far.
        token: What a gated or private repository wants; None: it refuses everyone.
        stalled: Set as soon as an answer has fallen silent.
        sent: Body bytes that went out, over all answers.
    """

    def __init__(self, repos: dict[str, HubRepo]) -> None:
        self.repos = repos
        self.calls: list[Call] = []
        self.token: str | None = None
        self.stalled = threading.Event()
        self.sent = 0
        self._faults: dict[str, deque[Fault]] = {}
        self._end = threading.Event()
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._server = _Server(self)

    @property
    def endpoint(self) -> str:
        """The hub's address."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def store(self) -> str:
        """The address where large files lie: another host name, so that tokens must not travel there."""
        return f"http://localhost:{self._server.server_port}"

    def fault(self, path: str, *faults: Fault) -> None:
        """The next answers with this file's (or ``info``'s) content go wrong in turn; those after are sound."""
        self._faults.setdefault(path, deque()).extend(faults)

    def gets(self, path: str) -> list[Call]:
        """The requests that fetched a file's content, from wherever it lies."""
        return [call for call in self.calls if call.method == "GET" and self._file_of(call) == path]

    @contextmanager
    def running(self) -> Iterator[FakeHub]:
        """Serve until the body ends."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, name="fake-hub")
        thread.start()
        try:
            yield self
        finally:
            self._end.set()
            self._server.shutdown()
            with self._lock:
                for connection in self._open:
                    with suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)
            self._server.server_close()
            thread.join()

    # Inside: called on the server's threads ------------------------------------------------------------------------

    def note(self, call: Call) -> None:
        with self._lock:
            self.calls.append(call)

    def opened(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.add(connection)

    def closed(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.discard(connection)

    def next_fault(self, path: str) -> Fault | None:
        with self._lock:
            waiting = self._faults.get(path)
            return waiting.popleft() if waiting else None

    def went_out(self, count: int) -> None:
        with self._lock:
            self.sent += count

    def silence(self, connection: socket.socket) -> None:
        """Say nothing until the client has gone or the server ends."""
        self.stalled.set()
        connection.settimeout(0.05)
        while not self._end.is_set():
            with suppress(TimeoutError):
                if not connection.recv(1):
                    return

    def blob(self, digest: str) -> tuple[str, bytes] | None:
        """A large file by its digest."""
        for repo in self.repos.values():
            for path, data in repo.files.items():
                if repo.lfs(path) and repo.digest(path) == digest:
                    return path, data
        return None

    def _file_of(self, call: Call) -> str | None:
        if call.path.startswith("/store/"):
            found = self.blob(call.path.removeprefix("/store/"))
            return found[0] if found else None
        found = _RESOLVE.fullmatch(call.path)
        if found is None or found["repo"] not in self.repos:
            return None
        repo = self.repos[found["repo"]]
        return found["path"] if not repo.lfs(found["path"]) else None


_RESOLVE = re.compile(r"/(?P<repo>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
_INFO = re.compile(r"/api/models/(?P<repo>[^/]+/[^/]+)(?:/revision/[^/]+)?")


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def __init__(self, hub: FakeHub) -> None:
        self.hub = hub
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that leaves is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def hub(self) -> FakeHub:
        return cast(_Server, self.server).hub

    def setup(self) -> None:
        super().setup()
        self.hub.opened(self.connection)

    def finish(self) -> None:
        self.hub.closed(self.connection)
        with suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        hub = self.hub
        parts = urlsplit(self.path)
        path = unquote(parts.path)
        start = int(found[1]) if (found := re.match(r"bytes=(\d+)-", self.headers.get("Range", ""))) else 0
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ") or None
        hub.note(Call(self.command, path, parts.query, self.headers.get("Host", ""), start, token))
        if path.startswith("/store/"):
            self._store(path.removeprefix("/store/"), parts.query, start)
        elif found := _INFO.fullmatch(path):
            self._info(found["repo"], token)
        elif found := _RESOLVE.fullmatch(path):
            self._resolve(found["repo"], found["revision"], found["path"], start, token)
        else:
            self._refuse(404, "", {})

    def _info(self, name: str, token: str | None) -> None:
        repo = self.hub.repos.get(name)
        if repo is None or (repo.private and not self._known(token)):
            self._refuse(401, "Repository not found", {"X-Error-Code": "RepoNotFound"})
            return
        siblings = [
            {
                "rfilename": path,
                "size": len(data),
                "blobId": repo.digest(path) if not repo.lfs(path) else "0" * 40,
                **(
                    {"lfs": {"sha256": repo.digest(path), "size": len(data), "pointerSize": 134}}
                    if repo.lfs(path)
                    else {}
                ),
            }
            for path, data in repo.files.items()
        ]
        info = {"_id": "1", "id": name, "modelId": name, "sha": repo.commit, "private": repo.private}
        info |= {"gated": "manual" if repo.gated else False, "tags": [], "siblings": siblings}
        if repo.licence is not None:
            info |= {"cardData": {"license": repo.licence}, "tags": [f"license:{repo.licence}"]}
        self._body("info", json.dumps(info).encode(), 0, {"Content-Type": "application/json"})

    def _resolve(self, name: str, revision: str, path: str, start: int, token: str | None) -> None:
        hub = self.hub
        repo = hub.repos.get(name)
        if repo is None or (repo.private and not self._known(token)):
            self._refuse(401, "Repository not found", {"X-Error-Code": "RepoNotFound"})
        elif repo.gated and not self._known(token):
            self._refuse(401 if token is None else 403, "Access is restricted", {"X-Error-Code": "GatedRepo"})
        elif revision not in ("main", repo.commit):
            self._refuse(404, "Invalid rev id", {"X-Error-Code": "RevisionNotFound"})
        elif path not in repo.files:
            self._refuse(404, "Entry not found", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": repo.commit})
        else:
            digest = repo.digest(path)
            headers = {"X-Repo-Commit": repo.commit, "ETag": f'"{digest}"'}
            if repo.lfs(path):
                self.send_response(302)
                headers |= {"X-Linked-Etag": f'"{digest}"', "X-Linked-Size": str(len(repo.files[path]))}
                headers |= {"Location": f"{hub.store}/store/{digest}?Signature={SIGNATURE}", "Content-Length": "0"}
                self._headers(headers)
            else:
                self._body(path, repo.files[path], start, headers)

    def _store(self, digest: str, query: str, start: int) -> None:
        found = self.hub.blob(digest)
        if found is None or f"Signature={SIGNATURE}" not in query:
            self._refuse(403, "", {})
        else:
            self._body(found[0], found[1], start, {"ETag": '"elsewhere"'})

    def _body(self, path: str, data: bytes, start: int, headers: dict[str, str]) -> None:
        hub = self.hub
        fault = hub.next_fault(path) if self.command == "GET" else None
        if fault is not None and fault.trouble is Trouble.STATUS:
            self._refuse(fault.status, "trouble", fault.headers)
            return
        if fault is not None and fault.trouble is Trouble.IGNORE_RANGE:
            start = 0
        if start and start >= len(data):
            self._refuse(416, "", {"Content-Range": f"bytes */{len(data)}"})
            return
        self.send_response(206 if start else 200)
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        self._headers(headers | {"Content-Length": str(len(data) - start), "Accept-Ranges": "bytes"})
        if self.command == "HEAD":
            return
        body = data[start:]
        if fault is not None and fault.trouble is Trouble.CORRUPT:
            body = bytes([body[0] ^ 255]) + body[1:]
        breaks = fault is not None and fault.trouble in (Trouble.CUT, Trouble.STALL)
        self._send(body[: fault.after] if fault is not None and breaks else body)
        if fault is not None and fault.trouble is Trouble.STALL:
            hub.silence(self.connection)
        if breaks:
            self.close_connection = True
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, body: bytes) -> None:
        for place in range(0, len(body), PIECE_BYTES):
            piece = body[place : place + PIECE_BYTES]
            self.wfile.write(piece)
            self.hub.went_out(len(piece))
        self.wfile.flush()

    def _known(self, token: str | None) -> bool:
        return token is not None and token == self.hub.token

    def _refuse(self, status: int, message: str, headers: dict[str, str]) -> None:
        data = json.dumps({"error": message}).encode()
        self.send_response(status)
        self._headers({"Content-Length": str(len(data)), "X-Error-Message": message, **headers})
        if self.command != "HEAD":
            self.wfile.write(data)

    def _headers(self, headers: dict[str, str]) -> None:
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
