"""The tiny checkpoint through the engine's own classes. What needs torch skips itself where torch isn't installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kame_desktop.core.activity import Activity
from kame_desktop.frontends.kame import KameFrontend

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
TINY = GOLDEN / "tiny-kame"

# torch and moshi warn about themselves; their warnings are not ours to mend.
_FOREIGN_WARNINGS = (
    "ignore::DeprecationWarning",
    "ignore::FutureWarning",
    "ignore::UserWarning:torch.*",
    "ignore::UserWarning:moshi.*",
)

LoadedFactory = Callable[..., KameFrontend]
"""``KameFrontend``'s keyword arguments, and ``checkpoint`` (a folder) -> a loaded one, released after the test."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            for line in _FOREIGN_WARNINGS:
                item.add_marker(pytest.mark.filterwarnings(line))


@pytest.fixture
def loaded() -> Iterator[LoadedFactory]:
    made: list[KameFrontend] = []

    def load(checkpoint: Path = TINY, *, steer: bool = True, **options: Any) -> KameFrontend:
        frontend = KameFrontend(lambda: checkpoint, steer=steer, activity=Activity(), **{"device": "cpu", **options})
        made.append(frontend)
        frontend.load(lambda done, what: None)
        return frontend

    yield load
    for frontend in made:
        frontend.release()
