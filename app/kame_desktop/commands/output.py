"""Standard output, which may be full, or a pipe whose reader has gone (``| head``)."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from kame_desktop.core.errors import AppError, ErrorCategory


class OutputError(AppError):
    """Standard output can't be written."""

    category = ErrorCategory.RESOURCE


class ReaderGone(OutputError):  # noqa: N818 - nothing went wrong
    """Whoever read standard output wants no more of it."""


def put(text: str) -> None:
    """Write to standard output at once. Raises OutputError."""
    with printing():
        sys.stdout.write(text)
        sys.stdout.flush()


@contextlib.contextmanager
def printing() -> Iterator[None]:
    """The body writes to standard output, and nothing else. Raises OutputError; the output goes nowhere afterwards."""
    try:
        yield
    except BrokenPipeError:
        _abandon()
        raise ReaderGone("The reader of the output has gone.") from None
    except OSError as error:
        _abandon()
        reason = error.strerror or type(error).__name__
        raise OutputError(
            f"The output could not be written ({reason}).", "Send it elsewhere, or free some space."
        ) from None


def _abandon() -> None:
    """Python would complain once more when it flushes standard output at exit."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
