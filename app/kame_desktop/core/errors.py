"""One tree of errors. The category decides what happens next; the text is for the person at the keyboard.

Adapters catch what their library raises and raise one of these at the boundary, so that no other part of the program
knows a library's exceptions. ``what`` says what happened, ``remedy`` what the user can do; neither ever holds a key, a
prompt or a transcript.
"""

from __future__ import annotations

import traceback
from enum import StrEnum


class ErrorCategory(StrEnum):
    """What kind of trouble: it decides retry and wording."""

    BAD_INPUT = "bad_input"
    """The user gave something that can't be used. Never retried; exit code 2."""
    MISSING = "missing"
    """A package, a model or a device isn't there. Never retried by itself."""
    TRANSIENT = "transient"
    """Network trouble, rate limits, a server error: retried with back-off."""
    PERMANENT = "permanent"
    """A service refused for good (bad key, no such model): not retried until the user changes something."""
    RESOURCE = "resource"
    """Out of memory, disk full."""
    INTERNAL = "internal"
    """A defect of ours."""


class AppError(Exception):
    """The root of the tree.

    Attributes:
        category: Decides retry.
        what: One plain sentence: what happened.
        remedy: One plain sentence: what the user can do.
        component: The part it came from ("microphone", "speech-to-text", "llm", ...).
        made_up_for: Another part does the work instead, as ``remedy`` says.
    """

    category = ErrorCategory.INTERNAL
    made_up_for = False

    def __init__(
        self, what: str, remedy: str = "", *, component: str = "app", category: ErrorCategory | None = None
    ) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy
        self.component = component
        if category is not None:
            self.category = category

    @property
    def retryable(self) -> bool:
        """Whether doing the same again later may work."""
        return self.category is ErrorCategory.TRANSIENT

    def __str__(self) -> str:
        return f"{self.what} {self.remedy}".strip()


class BadInputError(AppError):
    """A file, an option or a setting that can't be used."""

    category = ErrorCategory.BAD_INPUT


class AudioFileError(BadInputError):
    """A sound file that can't be read, or written."""


class MissingError(AppError):
    """Something that has to be installed or plugged in first."""

    category = ErrorCategory.MISSING


class MissingPackageError(MissingError):
    """An optional package isn't installed; the remedy has the install line."""


class ModelFileError(MissingError):
    """A model's file is absent, damaged or not the one that was expected."""


class DeviceError(MissingError):
    """No sound device, or it refused to open."""


class LlmError(AppError):
    """A language model could not answer.

    Attributes:
        retry_after_s: How long the service asked us to wait, when it said so.
    """

    category = ErrorCategory.TRANSIENT

    def __init__(
        self,
        what: str,
        remedy: str = "",
        *,
        category: ErrorCategory | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(what, remedy, component="llm", category=category)
        self.retry_after_s = retry_after_s


class ResourceError(AppError):
    """Memory or disk ran out."""

    category = ErrorCategory.RESOURCE


class Cancelled(AppError):  # noqa: N818 - not a failure: the user stopped a load
    """A load was stopped by the user."""


def as_app_error(error: BaseException, component: str) -> AppError:
    """Wrap anything that isn't in the tree as a defect of ours, without its text (it may hold the user's words)."""
    if isinstance(error, AppError):
        return error
    if isinstance(error, MemoryError):
        return ResourceError(
            "This computer ran out of memory.", "Close other programs, then start again.", component=component
        )
    return AppError(
        f"The part '{component}' failed unexpectedly ({type(error).__name__}).",
        "Stop and start the conversation; if it happens again, please report it.",
        component=component,
    )


def stack_of(error: BaseException) -> str:
    """The type and the places of an error for the log, without its text (it may hold the user's words or a key)."""
    return f"{type(error).__name__}\n{''.join(traceback.format_tb(error.__traceback__))}"
