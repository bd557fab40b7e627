"""Options with types and bounds, kept in one JSON file.

The file is written atomically; keys that this version doesn't know are kept (a newer version may have written them); a
file that can't be read is set aside with a message and the defaults are used.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

SCHEMA_VERSION = 1


class AudioSettings(BaseModel):
    """Sound devices (None: the system's default) and echo cancellation."""

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    input_device: str | None = None
    output_device: str | None = None
    echo_cancellation: bool = True


class LlmSettings(BaseModel):
    """The language model and how often it may be asked."""

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    model: str = "starter"
    api_base: str | None = None
    custom_models: list[str] = Field(default_factory=list)
    system_prompt: str | None = None
    min_spacing_ms: float = Field(default=350.0, ge=100.0, le=5_000.0)
    speculate: bool = True


class Settings(BaseModel):
    """Everything that survives a restart."""

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    version: int = SCHEMA_VERSION
    engine: str = "lite"
    stt: str = "whisper"
    checkpoints: dict[str, str] = Field(default_factory=dict)
    audio: AudioSettings = Field(default_factory=AudioSettings)
    llm: LlmSettings = Field(default_factory=LlmSettings)


def _migrate(raw: dict[str, Any]) -> dict[str, Any]:
    """Bring an older file's content to ``SCHEMA_VERSION``; a newer one is taken as it is."""
    raw.setdefault("version", SCHEMA_VERSION)
    return raw


class SettingsStore:
    """The settings file. Owner: the GUI thread, or the command line before any thread starts.

    Attributes:
        settings: The current values.
        warning: What was wrong with the file at load, for the user; None when all was well.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.settings = Settings()
        self.warning: str | None = None

    def load(self) -> Settings:
        """Read the file; on damage set it aside as ``*.broken`` and go on with the defaults."""
        try:
            raw = json.loads(self._path.read_text(encoding="utf-8"))
            if not isinstance(raw, dict):
                raise ValueError("not an object")
            self.settings = Settings.model_validate(_migrate(raw))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, ValidationError):
            aside = self._path.with_suffix(".broken")
            try:
                self._path.replace(aside)
                moved = f"They were set aside as {aside.name}; the defaults are in use."
            except OSError:
                moved = "The defaults are in use."
            self.warning = f"The settings could not be read. {moved}"
            self.settings = Settings()
        return self.settings

    def save(self) -> None:
        """Write the file atomically. Raises OSError."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self._path.parent, prefix=".settings-", suffix=".json")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(self.settings.model_dump_json(indent=2))
                stream.flush()
                os.fsync(stream.fileno())
            Path(temporary).replace(self._path)
        except OSError:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
