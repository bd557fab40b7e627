"""What can go wrong with weights. Each trouble has its own class, message and remedy; none holds a token or a signed
address.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kame_desktop.core.errors import AppError, BadInputError, Cancelled, ErrorCategory, ModelFileError, ResourceError
from kame_desktop.weights.words import size_text

COMPONENT = "weights"


class UnknownNameError(BadInputError):
    """Neither a known set, nor a repository's name, nor a folder."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(
            f"'{name}' is no set of weights.",
            f"Use {', '.join(known)}, a repository as owner/name, or a folder with a config.json.",
            component=COMPONENT,
        )


class NotHereError(ModelFileError):
    """The set was never downloaded, or not wholly."""

    def __init__(self, name: str, repo: str) -> None:
        super().__init__(
            f"The weights '{name}' ({repo}) are not on this computer.",
            f"Get them with: kame-desktop models get {name} (or name a folder that has them).",
            component=COMPONENT,
        )


class IncompleteFolderError(ModelFileError):
    """A local folder lacks files."""

    def __init__(self, folder: Path, missing: Sequence[str]) -> None:
        super().__init__(
            f"The folder {folder} has no {', '.join(missing)}.",
            "Choose the folder that holds config.json and the files that it names.",
            component=COMPONENT,
        )


class DamagedConfigError(ModelFileError):
    """A config.json that can't be used."""

    def __init__(self, what: str) -> None:
        super().__init__(what, "Choose a checkpoint in Moshi's layout with safetensors weights.", component=COMPONENT)


class UnusableRepositoryError(AppError):
    """The repository exists but doesn't hold what is needed."""

    category = ErrorCategory.PERMANENT

    def __init__(self, repo: str, why: str) -> None:
        super().__init__(
            f"The repository {repo} can't be used: {why}.",
            "Choose a checkpoint in Moshi's layout with safetensors weights.",
            component=COMPONENT,
        )


class MissingRepositoryError(AppError):
    """There is no such repository, or it is private."""

    category = ErrorCategory.PERMANENT

    def __init__(self, repo: str) -> None:
        super().__init__(
            f"The hub has no repository {repo}, or it is private.",
            "Check its name. For a private one log in first: hf auth login (or set HF_TOKEN).",
            component=COMPONENT,
        )


class GatedRepositoryError(AppError):
    """Its owner wants terms to be accepted first."""

    category = ErrorCategory.PERMANENT

    def __init__(self, repo: str, page: str) -> None:
        super().__init__(
            f"The repository {repo} is gated: its owner asks you to accept terms first.",
            f"Accept them at {page}, log in with: hf auth login (or set HF_TOKEN), then try again.",
            component=COMPONENT,
        )


class TokenRefusedError(AppError):
    """The hub doesn't take the user's token."""

    category = ErrorCategory.PERMANENT

    def __init__(self, repo: str) -> None:
        super().__init__(
            f"The hub refused access to {repo} with your token.",
            "Log in again with: hf auth login, or check HF_TOKEN; the token needs the right to read this repository.",
            component=COMPONENT,
        )


class HubTroubleError(AppError):
    """The hub answers, but not with what was asked for.

    Attributes:
        retry_after_s: How long it asked to wait, when it said so.
    """

    category = ErrorCategory.TRANSIENT

    def __init__(self, why: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(
            f"The model hub {why}.",
            "Try again in a few minutes; what was downloaded is kept.",
            component=COMPONENT,
        )
        self.retry_after_s = retry_after_s


class NoNetworkError(AppError):
    """The hub can't be reached."""

    category = ErrorCategory.TRANSIENT

    def __init__(self, host: str) -> None:
        super().__init__(
            f"The model hub ({host}) can't be reached.",
            "Check the network connection, then try again; what was downloaded is kept.",
            component=COMPONENT,
        )


class UntrustedConnectionError(AppError):
    """TLS failed: a wrong clock, or something in between that reads along."""

    category = ErrorCategory.PERMANENT

    def __init__(self, host: str) -> None:
        super().__init__(
            f"No secure connection to the model hub ({host}) could be made.",
            "Check this computer's date and time. Behind a company's proxy, set SSL_CERT_FILE to its certificate.",
            component=COMPONENT,
        )


class StalledError(AppError):
    """No byte came for a while."""

    category = ErrorCategory.TRANSIENT

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"The download stalled: no byte came for {seconds:.0f} s.",
            "Try again; it goes on where it stopped.",
            component=COMPONENT,
        )


class ConnectionCutError(AppError):
    """The connection broke in the middle."""

    category = ErrorCategory.TRANSIENT

    def __init__(self) -> None:
        super().__init__(
            "The connection to the model hub was cut.",
            "Try again; it goes on where it stopped.",
            component=COMPONENT,
        )


class NoSpaceError(ResourceError):
    """The disk is too full. Known before the download, when ``need`` and ``free`` are given (bytes)."""

    def __init__(self, folder: Path, need: int | None = None, free: int | None = None) -> None:
        if need is None or free is None:
            super().__init__(
                f"The disk with {folder} is full.",
                "Free some space, then go on: what was downloaded is kept.",
                component=COMPONENT,
            )
            return
        super().__init__(
            f"The disk with {folder} has {size_text(free)} free, but {size_text(need)} are needed.",
            f"Free {size_text(need - free)}, or set HF_HOME to a folder on a larger disk.",
            component=COMPONENT,
        )


class NotWritableError(ResourceError):
    """The cache can't be written to, or something in it can't be removed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"The folder {folder} can't be written to.",
            "Check its permissions and that no other program uses it, or set HF_HOME to another folder.",
            component=COMPONENT,
        )


class ChecksumError(AppError):
    """A file came that isn't the one the hub described. It was thrown away."""

    category = ErrorCategory.TRANSIENT

    def __init__(self, path: str) -> None:
        super().__init__(
            f"The file {path} arrived damaged: its checksum is not the one that the hub states.",
            "Try again; this file is downloaded anew, the others are kept.",
            component=COMPONENT,
        )


class OfflineError(AppError):
    """Offline mode forbids to ask."""

    category = ErrorCategory.MISSING

    def __init__(self, repo: str) -> None:
        super().__init__(
            f"{repo} can't be downloaded: offline mode is on.",
            "Unset HF_HUB_OFFLINE (or the offline setting), or choose a folder that has the weights.",
            component=COMPONENT,
        )


class BusyError(AppError):
    """Another program of ours downloads the same."""

    category = ErrorCategory.TRANSIENT

    def __init__(self, repo: str) -> None:
        super().__init__(
            f"Another window or command is downloading {repo}.",
            "Wait until it has finished, or stop it there.",
            component=COMPONENT,
        )


def stopped() -> Cancelled:
    """The user stopped the download."""
    return Cancelled("The download was stopped.", "Start it again to go on where it stopped.", component=COMPONENT)
