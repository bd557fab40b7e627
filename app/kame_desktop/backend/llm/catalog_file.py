"""The shipped list of providers, well-known models and local services: data, read once a process.

A file that is missing or can't be read leaves an empty list: the starter and every name that litellm knows still work.
"""

from __future__ import annotations

import functools
import json
import logging
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kame_desktop.backend.llm.base import Provider
from kame_desktop.core import paths

_log = logging.getLogger(__name__)


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True)


class KnownModel(_Entry):
    """A model worth offering. ``name``: litellm's; ``hint``: one word beside it."""

    name: str
    label: str
    hint: str = ""


class KnownProvider(_Entry):
    """Who runs models, and which of them are offered before a key is there.

    Attributes:
        name: litellm's name of it.
        keys: Environment variables that litellm, or the provider itself, reads the key from, the usual one first.
        prefix: What its models' names begin with; None: the name and a slash.
        starts: How its models' names begin that need no prefix.
        map: Its names in litellm's model map; () for ``name``.
    """

    name: str
    label: str
    keys: tuple[str, ...]
    key_url: str = ""
    prefix: str | None = None
    starts: tuple[str, ...] = ()
    map: tuple[str, ...] = ()
    models: tuple[KnownModel, ...] = ()

    @property
    def provider(self) -> Provider:
        """As the rest of the program sees it."""
        return Provider(self.name, self.label, self.keys, self.key_url)

    @property
    def name_prefix(self) -> str:
        """What its models' names begin with."""
        return f"{self.name}/" if self.prefix is None else self.prefix

    def runs(self, model: str) -> bool:
        """Whether a model of this name is one of its own, by the look of the name."""
        return model.startswith(f"{self.name}/") or ("/" not in model and model.startswith(self.starts))


class LocalService(_Entry):
    """A program that serves models on this computer.

    Attributes:
        port: Where it listens unless told otherwise.
        list: Path that lists its models, as JSON: an array ``items`` of objects with the name in ``field``.
        variable: Environment variable with its address; "" when there is none.
    """

    name: str
    label: str
    port: int
    list: str
    items: str
    field: str
    variable: str = ""

    @property
    def provider(self) -> Provider:
        """As the rest of the program sees it: it needs no key."""
        return Provider(self.name, self.label)

    def runs(self, model: str) -> bool:
        """Whether litellm asks it for a model of this name."""
        return model.startswith(f"{self.name}/")


class CatalogFile(_Entry):
    """The whole file.

    Attributes:
        skip: A model of the map whose name holds one of these isn't for conversation.
        skip_local: The same for models of local services.
    """

    providers: tuple[KnownProvider, ...] = ()
    local: tuple[LocalService, ...] = ()
    skip: tuple[str, ...] = Field(default=(), repr=False)
    skip_local: tuple[str, ...] = Field(default=(), repr=False)


def read_catalog(path: Path) -> CatalogFile:
    """The list in a file; an empty one, and a line in the log, when it can't be read."""
    try:
        return CatalogFile.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError, ValidationError) as error:
        _log.warning("The list of language models can't be read: %s", type(error).__name__)
        return CatalogFile()


@functools.cache
def shipped_catalog() -> CatalogFile:
    """What ships with the program. Any thread; reads a small file at the first call."""
    return read_catalog(paths.assets_dir() / "llm" / "catalog.json")
