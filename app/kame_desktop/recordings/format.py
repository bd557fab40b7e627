"""What a recording is made of. Version 1: one folder a session, private to the user (0700, its files 0600).

- ``session.json``: ``RecordingMeta.to_dict``. There from the first moment, written anew (atomically) when more is known
  and at the end; ``complete`` says whether the recording was ended in order.
- ``events.jsonl``: every event of the session's bus as ``core.events.event_to_dict``, one a line, in the order of
  publication. It begins with what holds at that moment (state, model, devices), and the times are the session's.
- ``audio.wav``: 24 kHz, 16-bit, two channels: left what was heard, after echo cancellation; right what was played. It
  begins at ``audio.start_ms`` of the session's time and follows that time: what is missing is silence.
- ``microphone.wav``: the same stretch as the microphone had it, one channel; only when that was asked for.

A reader takes whatever a crash left: a header that is behind its file, a line that breaks off, no end.
"""

from __future__ import annotations

import datetime as dt
import platform
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kame_desktop import __version__
from kame_desktop.core.audio_types import MODEL_RATE_HZ, PcmFrame
from kame_desktop.core.errors import BadInputError
from kame_desktop.core.settings import Settings
from kame_desktop.recordings.scrub import scrubbed

FORMAT = "kame-desktop recording"
VERSION = 1

SESSION_FILE = "session.json"
EVENTS_FILE = "events.jsonl"
AUDIO_FILE = "audio.wav"
MICROPHONE_FILE = "microphone.wav"
FILES = (SESSION_FILE, EVENTS_FILE, AUDIO_FILE, MICROPHONE_FILE)

CHANNELS = ("user", "assistant")
MOST_TITLE_LETTERS = 120
_NOT_SHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


class RecordingError(BadInputError):
    """A folder that isn't a recording, can't be read, or is of a newer version."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what, remedy, component="recording")


@dataclass(frozen=True, slots=True, eq=False)
class RecordedFrame:
    """The sound of one frame, as the frame loop hands it to a recorder.

    Attributes:
        frame: Its number.
        at_ms: Session time of its end.
        raw: What the microphone heard; silence while the microphone is closed (muted, key not held).
        cleaned: What was listened to: after echo cancellation, silence while the microphone is closed.
        played: What the loudspeaker played meanwhile: the echo canceller's reference.
    """

    frame: int
    at_ms: float
    raw: PcmFrame
    cleaned: PcmFrame
    played: PcmFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingMeta:
    """What ``session.json`` says. Not in its repr: what the user wrote or said.

    Attributes:
        started_at: Local time with its offset.
        title: What the user, or the first question, named it; "".
        engine: ``name``, ``label`` and options of the front end.
        llm: ``name`` and ``label`` of the language model at the start.
        stt: Name of the speech-to-text.
        settings: The user's settings, without anything secret.
        duration_ms: From the first to the last moment; None: it wasn't ended in order.
        audio_start_ms: Session time of the first sample; None: there is no sound.
        complete: It was ended in order.
    """

    started_at: dt.datetime
    app_version: str = __version__
    python: str = field(default_factory=platform.python_version)
    platform: str = field(default_factory=platform.platform)
    title: str = field(default="", repr=False)
    engine: Mapping[str, Any] = field(default_factory=dict)
    llm: Mapping[str, Any] = field(default_factory=dict)
    stt: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    duration_ms: float | None = None
    audio_start_ms: float | None = None
    complete: bool = False

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "app_version": self.app_version,
            "python": self.python,
            "platform": self.platform,
            "started_at": self.started_at.isoformat(timespec="seconds"),
            "title": self.title,
            "engine": dict(self.engine),
            "llm": dict(self.llm),
            "stt": self.stt,
            "settings": dict(self.settings),
            "duration_ms": self.duration_ms,
            "audio": {"rate_hz": MODEL_RATE_HZ, "channels": list(CHANNELS), "start_ms": self.audio_start_ms},
            "complete": self.complete,
        }


@dataclass(frozen=True, slots=True)
class RecordingOptions:
    """What a session is told when it is to record.

    Attributes:
        root: The folder of all recordings; made when missing.
        meta: What is known of the session; see ``meta_now``.
        raw_microphone: Keep the microphone's own sound, too.
    """

    root: Path
    meta: RecordingMeta
    raw_microphone: bool = False


def meta_now(
    *,
    engine: Mapping[str, Any],
    llm: Mapping[str, Any],
    stt: str,
    settings: Settings,
    title: str = "",
    now: dt.datetime | None = None,
) -> RecordingMeta:
    """Describe a recording that begins now. What is secret, or only the window's, is left out of the settings."""
    return RecordingMeta(
        started_at=(now or dt.datetime.now(dt.UTC)).astimezone(),
        title=clean_title(title),
        engine=scrubbed(dict(engine)),
        llm=scrubbed(dict(llm)),
        stt=stt,
        settings=scrubbed(settings.model_dump(mode="json", exclude={"window"})),
    )


def meta_from_dict(raw: object, name: str, otherwise: Callable[[], dt.datetime]) -> RecordingMeta:
    """Read ``session.json``; what is missing or of another type is as if unknown.

    Args:
        raw: Its content.
        name: The folder's, for messages.
        otherwise: Says when it began, if that can't be read.

    Raises:
        RecordingError: It is something else, or of a newer version.
    """
    if not isinstance(raw, dict) or raw.get("format") != FORMAT or type(version := raw.get("version")) is not int:
        raise RecordingError(
            f"'{name}' is not a recording: its {SESSION_FILE} says nothing of one.", "Choose the folder of a recording."
        )
    if version > VERSION:
        raise RecordingError(
            f"'{name}' was recorded by a newer version of Kame Desktop ({_text(raw, 'app_version') or 'unknown'}), "
            "in a format that this one can't read.",
            "Update Kame Desktop, then open it again.",
        )
    audio = raw.get("audio")
    return RecordingMeta(
        started_at=_time(raw.get("started_at"), otherwise),
        app_version=_text(raw, "app_version"),
        python=_text(raw, "python"),
        platform=_text(raw, "platform"),
        title=clean_title(_text(raw, "title")),
        engine=_object(raw, "engine"),
        llm=_object(raw, "llm"),
        stt=_text(raw, "stt"),
        settings=_object(raw, "settings"),
        duration_ms=_number(raw.get("duration_ms")),
        audio_start_ms=_number(audio.get("start_ms")) if isinstance(audio, dict) else None,
        complete=raw.get("complete") is True,
    )


def clean_title(text: str) -> str:
    """``text`` on one line, without what a terminal would obey, at most ``MOST_TITLE_LETTERS`` long."""
    line = " ".join(_shown(text).split())
    return line if len(line) <= MOST_TITLE_LETTERS else line[: MOST_TITLE_LETTERS - 1].rstrip() + "…"


def retitled(meta: RecordingMeta, title: str) -> RecordingMeta:
    """The same with another title."""
    return replace(meta, title=clean_title(title))


def begun_now(meta: RecordingMeta) -> RecordingMeta:
    """The same of a recording that goes on in a new folder."""
    return replace(meta, started_at=dt.datetime.now(dt.UTC).astimezone())


def _text(raw: dict[str, Any], key: str) -> str:
    value = raw.get(key)
    return _shown(value) if isinstance(value, str) else ""


def _shown(text: str) -> str:
    return text if text.isprintable() else _NOT_SHOWN.sub(" ", text)


def _object(raw: dict[str, Any], key: str) -> dict[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    """A time of a session in ms; None: it isn't one."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value < sys.maxsize:
        return None
    return float(value)


def _time(value: object, otherwise: Callable[[], dt.datetime]) -> dt.datetime:
    if not isinstance(value, str):
        return otherwise()
    try:
        time = dt.datetime.fromisoformat(value)
        time = time if time.tzinfo is not None else time.astimezone()
        time.astimezone(dt.UTC)  # so that any two can be compared
    except (ValueError, OverflowError, OSError):
        return otherwise()
    return time
