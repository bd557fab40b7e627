"""The two digests the hub states: SHA-256 of large files, git's blob SHA-1 of small ones."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

CHUNK_BYTES = 1 << 22


class Hasher(Protocol):
    """A running digest."""

    def update(self, data: bytes, /) -> None: ...

    def hexdigest(self) -> str: ...


def is_digest(text: str) -> bool:
    """A digest of one of the two kinds, in lower-case hex."""
    return len(text) in (40, 64) and not set(text) - set("0123456789abcdef")


def hasher_for(digest: str, size: int) -> Hasher:
    """A new hasher of the kind that made ``digest``; git's needs the file's size in bytes beforehand."""
    if len(digest) == 64:
        return hashlib.sha256()
    git = hashlib.sha1(usedforsecurity=False)
    git.update(b"blob %d\0" % size)
    return git


def matches(path: Path, digest: str, size: int, on_bytes: Callable[[int], None] = lambda count: None) -> bool:
    """Read a whole file and compare. ``on_bytes`` is told of each piece (its size) and may raise. Raises OSError."""
    hasher = hasher_for(digest, size)
    with path.open("rb", buffering=0) as stream:
        while chunk := stream.read(CHUNK_BYTES):
            hasher.update(chunk)
            on_bytes(len(chunk))
    return hasher.hexdigest() == digest
