"""Options with types and bounds, kept in one JSON file.

The file is written atomically; keys that this version doesn't know are kept (a newer version may have written them); a
file that can't be read is set aside with a message and the defaults are used.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

SCHEMA_VERSION = 2


class DeviceChoice(BaseModel):
    """A sound device as the user chose it: it is looked up again each time it is opened.

    Attributes:
        name: What the device calls itself.
        host_api: PortAudio's name of the system's sound interface; None: any.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str
    host_api: str | None = None


class AudioSettings(BaseModel):
    """Sound devices (None: the system's default) and what is done to the sound.

    Attributes:
        headphones: The microphone can't hear the loudspeaker: no echo cancellation.
        volume: Of the assistant's voice, 1.0 as it is.
        mute_while_speaking: The microphone is deaf while the assistant speaks, which can't be interrupted then.
        push_to_talk: The microphone is live only while the key is held.
        global_talk_key: Then Ctrl+Alt+Space is such a key, too, whatever program is in front.
    """

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    input_device: DeviceChoice | None = None
    output_device: DeviceChoice | None = None
    echo_cancellation: bool = True
    headphones: bool = False
    noise_suppression: bool = False
    automatic_gain: bool = False
    volume: float = Field(default=1.0, ge=0.0, le=1.0)
    mute_while_speaking: bool = False
    push_to_talk: bool = False
    global_talk_key: bool = False


class CustomModel(BaseModel):
    """A language model that the user named; ``api_base``: where its OpenAI-compatible service is, if not known."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str
    api_base: str | None = None


class AutoRule(BaseModel):
    """Questions about ``topic`` go to ``model``; a question is about it when one of ``keywords`` is in it.

    ``weak``: it counts only when no other rule fits (greetings before a question).
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    topic: str
    keywords: list[str] = Field(default_factory=list)
    model: str | None = None
    weak: bool = False


class LlmSettings(BaseModel):
    """The language model and how often it may be asked.

    Attributes:
        model: Name of the model in use; ``auto``: the rules choose.
        custom_models: Models beyond the catalogue, each with its service.
        speculate: Ask while the user still speaks; otherwise only finished sentences.
        auto_rules: The rules of ``auto``; None: the built-in ones.
        auto_default: Model of questions that no rule fits; None: the first that is ready.
        fallback_model: Answers when the chosen one fails for good; None: nobody does.
        budget_usd: What one conversation may cost; None: no bound.
    """

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    model: str = "starter"
    custom_models: list[CustomModel] = Field(default_factory=list)
    system_prompt: str | None = None
    min_spacing_ms: float = Field(default=350.0, ge=100.0, le=5_000.0)
    speculate: bool = True
    auto_rules: list[AutoRule] | None = None
    auto_default: str | None = None
    fallback_model: str | None = None
    budget_usd: float | None = Field(default=None, gt=0.0)


class AppearanceSettings(BaseModel):
    """How the window looks.

    Attributes:
        theme: ``system`` follows the desktop.
        font_scale: Size of all text; 1.0: the desktop's own.
        language: Of the window, as a locale's name ("es"); None: the system's.
    """

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    theme: Literal["system", "light", "dark"] = "system"
    font_scale: float = Field(default=1.0, ge=0.75, le=2.0)
    language: str | None = None


class RecordingSettings(BaseModel):
    """What a recording of a conversation holds, and how long it is kept.

    Attributes:
        raw_microphone: The microphone's sound before echo cancellation is kept, too.
        delete_after_days: Older recordings are deleted by themselves; None: never.
    """

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    raw_microphone: bool = False
    delete_after_days: int | None = Field(default=None, ge=1, le=36_500)


class WindowSettings(BaseModel):
    """The layout of the window.

    Attributes:
        geometry: Place and size as Qt writes them, in base 64; "": wherever the system puts it.
        layout: Of the drawers, likewise.
        timeline: The timeline is shown.
        mark_changes: What changed from answer to answer is marked.
        set_up: The set-up page was seen.
    """

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    geometry: str = ""
    layout: str = ""
    timeline: bool = True
    mark_changes: bool = True
    set_up: bool = False


class Settings(BaseModel):
    """Everything that survives a restart."""

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    version: int = SCHEMA_VERSION
    engine: str = "lite"
    stt: str = "whisper"
    checkpoints: dict[str, str] = Field(default_factory=dict)
    audio: AudioSettings = Field(default_factory=AudioSettings)
    llm: LlmSettings = Field(default_factory=LlmSettings)
    appearance: AppearanceSettings = Field(default_factory=AppearanceSettings)
    window: WindowSettings = Field(default_factory=WindowSettings)
    recording: RecordingSettings = Field(default_factory=RecordingSettings)


_KNOWN_IN_1 = frozenset({"starter", "gpt-4.1", "gpt-4.1-nano", "claude-opus-4-1", "gemini/gemini-2.5-flash"})
"""Models that version 1 knew by themselves: it asked them at their provider's, whatever address was set."""


def _version(raw: dict[str, Any]) -> Any:
    """The version of a file's content; files of version 1 may lack it."""
    return raw.get("version", 1)


def _migrate(raw: dict[str, Any]) -> None:
    """Bring an older file's content to ``SCHEMA_VERSION``, in place; a newer one is left as it is."""
    if _version(raw) == 1:
        _migrate_1(raw)
        raw["version"] = 2


def _migrate_1(raw: dict[str, Any]) -> None:
    """Devices were names; the models of the user's own were names too, and the one address was the chosen model's."""
    audio, llm = raw.get("audio"), raw.get("llm")
    if isinstance(audio, dict):
        for key in ("input_device", "output_device"):
            if isinstance(audio.get(key), str):
                audio[key] = {"name": audio[key]}
    if isinstance(llm, dict):
        address, chosen, listed = llm.pop("api_base", None), llm.get("model"), llm.get("custom_models")
        if isinstance(address, str) and not address.strip():
            address = None
        names = listed if isinstance(listed, list) else []
        own: dict[str, Any] = {name: None for name in names if isinstance(name, str)}
        if isinstance(chosen, str) and chosen not in _KNOWN_IN_1 and (chosen in own or address is not None):
            own[chosen] = address
        llm["custom_models"] = [{"name": name, "api_base": where} for name, where in own.items()]


def _readable(raw: dict[str, Any]) -> tuple[Settings, bool]:
    """What this version understands of a newer one's content, and whether that is all of it."""
    known = copy.deepcopy(raw)
    try:
        return Settings.model_validate(known), True
    except ValidationError as problem:
        places = [[*map(str, error["loc"])] for error in problem.errors(include_input=False, include_url=False)]
    for name, *inside in places:
        section = known.get(name)
        if isinstance(section, dict) and inside:
            section.pop(inside[0], None)
        else:
            known.pop(name, None)
    return Settings.model_validate(known), False


def _with_changes(kept: Any, before: Any, after: Any) -> Any:
    """``kept``, with what differs between ``before`` and ``after``."""
    if not (isinstance(kept, dict) and isinstance(before, dict) and isinstance(after, dict)):
        return kept if before == after else after
    changed = dict(kept)
    for key, value in after.items():
        if key not in before:
            changed[key] = value
        elif before[key] != value:
            changed[key] = _with_changes(kept.get(key), before[key], value)
    return changed


class SettingsStore:
    """The settings file. Owner: the GUI thread, or the command line before any thread starts.

    A file that a newer version wrote is changed only where the user changes something: what this version can't read
    of it is left alone, and has its default here.

    Attributes:
        settings: The current values.
        warning: What was wrong with the file at load, for the user; None when all was well.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._newer: tuple[dict[str, Any], dict[str, Any]] | None = None
        self.settings = Settings()
        self.warning: str | None = None

    def load(self) -> Settings:
        """Read the file; on damage set it aside as ``*.broken`` and go on with the defaults."""
        self._newer, self.warning = None, None
        try:
            self.settings = self._read()
        except FileNotFoundError:
            self.settings = Settings()
        except (OSError, ValueError, RecursionError, ValidationError):
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
        """Write the file atomically; one that is a link stays one. Raises OSError.

        It isn't forced to the disk, which would hold up the window by 100 ms: a power failure may leave a file that
        can't be read, and that is set aside.
        """
        text = self._text()
        path = Path(os.path.realpath(self._path))
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".settings-", suffix=".json")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            Path(temporary).replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise

    def _read(self) -> Settings:
        """Raises OSError, ValueError, RecursionError."""
        raw = json.loads(self._path.read_text(encoding="utf-8-sig"))  # editors of Windows put a mark in front
        if not isinstance(raw, dict):
            raise ValueError("not an object")
        version = _version(raw)
        if isinstance(version, int) and version > SCHEMA_VERSION:
            settings, whole = _readable(raw)
            self._newer = raw, settings.model_dump()
            if not whole:
                self.warning = (
                    "The settings were written by a newer version of Kame Desktop. What this one can't read is left as"
                    " it is, and has its default here."
                )
            return settings
        _migrate(raw)
        return Settings.model_validate(raw)

    def _text(self) -> str:
        if self._newer is None:
            try:
                return self.settings.model_dump_json(indent=2)
            except ValueError:  # half a letter that was pasted can't be written in UTF-8
                return json.dumps(self.settings.model_dump(mode="python"), indent=2)
        kept, before = self._newer
        return json.dumps(_with_changes(kept, before, self.settings.model_dump()), indent=2)
