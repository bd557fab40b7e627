"""Events as lines of a file."""

from __future__ import annotations

import dataclasses
import json

import pytest

from kame_desktop.core import events
from kame_desktop.core.event_codec import event_to_dict
from kame_desktop.core.events import AgentText, Event, SessionState, SessionStateChanged, SpokenKind


def test_an_event_is_one_json_object_with_type_and_time() -> None:
    event = AgentText(at_ms=12.34567, utterance=1, text="Paris", frame=3, generation=2, kind=SpokenKind.ANSWER)
    assert json.loads(json.dumps(event_to_dict(event))) == {
        "type": "AgentText",
        "at_ms": 12.346,
        "utterance": 1,
        "text": "Paris",
        "frame": 3,
        "generation": 2,
        "kind": "answer",
    }
    state = SessionStateChanged(at_ms=0.0, state=SessionState.RUNNING)
    assert event_to_dict(state)["state"] == "running"


@pytest.mark.parametrize(
    "kind", [k for k in vars(events).values() if isinstance(k, type) and issubclass(k, Event) and k is not Event]
)
def test_events_are_frozen_slotted_and_take_keywords_only(kind: type[Event]) -> None:
    assert "__dict__" not in dir(kind)
    parameters = kind.__dataclass_params__  # type: ignore[attr-defined]
    assert parameters.frozen
    assert all(field.kw_only for field in dataclasses.fields(kind))
