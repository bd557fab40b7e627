"""Model files that packages ship: where they are, and whether they are the ones that were tested."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from kame_desktop.core.errors import MissingPackageError, ModelFileError


def package_folder(package: str, distribution: str, extra: str, *, component: str) -> Path:
    """Folder of an installed package, without importing it. Raises MissingPackageError with the install line."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise missing_package(distribution, extra, component=component)
    return Path(next(iter(spec.submodule_search_locations)))


def missing_package(distribution: str, extra: str, *, component: str) -> MissingPackageError:
    """The error for an absent optional package."""
    return MissingPackageError(
        f"The package '{distribution}' is not installed.",
        f"In a checkout: make {'gpu' if extra == 'gpu' else 'run'}. Else: pip install 'kame-desktop[{extra}]'.",
        component=component,
    )


def verify_file(path: Path, sha256: str, *, component: str) -> None:
    """Check a file against its pinned SHA-256. Reads the whole file: call it off the event loop.

    Raises:
        ModelFileError: The file is absent, unreadable or another one.
    """
    try:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        raise ModelFileError(
            f"The model file {path.name} can't be read.",
            "Install the package that ships it again.",
            component=component,
        ) from None
    if found != sha256:
        raise ModelFileError(
            f"The model file {path.name} is damaged or not the tested one (its SHA-256 is {found[:12]}…).",
            "Install the package that ships it again.",
            component=component,
        )
