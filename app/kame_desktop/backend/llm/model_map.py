"""litellm's own list of models, read from the file in its package without importing it (4-6 s against 40 ms).

The file belongs to another package: whatever is missing in it, or looks different, is left out, and that is all.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

MOST_MODELS = 60
"""So many models of one provider are listed at most; any other is used by its name."""

_FILE = "model_prices_and_context_window_backup.json"
_LARGEST_BYTES = 64 * 2**20
_LONGEST_NAME = 120
_SNAPSHOT = re.compile(r"[-@](?:\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{8}|\d{4})(?=$|-v\d)")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")
_log = logging.getLogger(__name__)

SortKey = tuple[tuple[int, float, str], ...]


@dataclass(frozen=True, slots=True)
class MapEntry:
    """A chat model as litellm lists it. ``name`` may lack the provider's prefix; ``ends``: its last day, if known."""

    name: str
    ends: date | None = None


def map_file() -> Path | None:
    """Where litellm keeps its list; None when it isn't installed. Imports nothing."""
    spec = importlib.util.find_spec("litellm")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / _FILE
        if path.is_file():
            return path
    return None


class ModelMap:
    """The list, read at the first question and kept. Any thread.

    Args:
        find: Where the file is.
        today: The day on which a model has to be alive.
    """

    def __init__(
        self,
        find: Callable[[], Path | None] = map_file,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        self._find = find
        self._today = today
        self._lock = threading.Lock()
        self._entries: Mapping[str, Sequence[MapEntry]] | None = None
        self._ends: dict[str, date] = {}

    def chat_models(
        self, providers: Collection[str], prefix: str, skip: Collection[str] = (), most: int = MOST_MODELS
    ) -> list[str]:
        """Names of a provider's living chat models: newer versions first, a dated one right after its alias.

        Args:
            providers: The provider's names in the file.
            prefix: What every name has to begin with; it is put before those that lack it.
            skip: Names with one of these in them are left out.
            most: The rest is cut off.
        """
        today = self._today()
        names = {
            entry.name if entry.name.startswith(prefix) else prefix + entry.name
            for provider in providers
            for entry in self._read().get(provider, ())
            if entry.ends is None or entry.ends >= today
        }
        kept = [name for name in names if not any(part in name.lower() for part in skip)]
        return in_order(kept)[:most]

    def retired_on(self, name: str) -> date | None:
        """The day after which the provider stopped (or will have stopped) to serve a model, if it has passed."""
        self._read()
        ends = self._ends.get(name)
        return ends if ends is not None and ends < self._today() else None

    def _read(self) -> Mapping[str, Sequence[MapEntry]]:
        with self._lock:
            if self._entries is None:
                self._entries, self._ends = _parsed(_load(self._find))
            return self._entries


def in_order(names: Collection[str]) -> list[str]:
    """Families by name, in them higher versions first; a dated snapshot after its alias, newest first."""
    return sorted(names, key=_sort_key)


def _sort_key(name: str) -> tuple[SortKey, int, SortKey, str]:
    alias = _SNAPSHOT.sub("", name.removesuffix("-latest"))
    return _natural(alias), int(_SNAPSHOT.search(name) is not None), _natural(name), name


def _natural(text: str) -> SortKey:
    """Numbers count down, letters up."""
    return tuple(
        (0, -float(part), "") if index % 2 else (1, 0.0, part.lower())
        for index, part in enumerate(_NUMBER.split(text))
        if part
    )


def _load(find: Callable[[], Path | None]) -> Any:
    try:
        path = find()
        if path is None or path.stat().st_size > _LARGEST_BYTES:
            return None
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, ImportError) as error:
        _log.warning("The list of further language models can't be read: %s", type(error).__name__)
        return None


def _parsed(raw: Any) -> tuple[dict[str, list[MapEntry]], dict[str, date]]:
    entries: dict[str, list[MapEntry]] = {}
    ends: dict[str, date] = {}
    for name, about in raw.items() if isinstance(raw, dict) else ():
        if not isinstance(about, dict) or not _is_name(name):
            continue
        last_day = _date(about.get("deprecation_date"))
        if last_day is not None:
            ends[name] = last_day
        provider = about.get("litellm_provider")
        if isinstance(provider, str) and about.get("mode") == "chat" and _writes(about):
            entries.setdefault(provider, []).append(MapEntry(name, last_day))
    return entries, ends


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_NAME and name.isascii() and name.isprintable() and " " not in name


def _writes(about: dict[str, Any]) -> bool:
    """Whether it answers in text; unless told otherwise it does."""
    kinds = about.get("supported_output_modalities")
    return not isinstance(kinds, list) or "text" in kinds


def _date(value: Any) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
