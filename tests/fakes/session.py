"""A session and a composition root without sound, models or threads: tests publish what should happen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import AppError, BadInputError
from kame_desktop.core.events import Event, SessionState, SessionStateChanged
from kame_desktop.frontends.registry import EngineInfo
from kame_desktop.session.bus import Bus
from kame_desktop.session.services import SessionRequest
from kame_desktop.weights.download import Downloader

HANG_S = 0.3


class FakeSession:
    """Runs at once and stops at once.

    Attributes:
        hangs: A stop never ends.
        switched: Models it was told to use.
        stops: How often it was asked to stop.
        fresh_starts: How often its front end's memory was cleared.
    """

    def __init__(self, request: SessionRequest, script: Sequence[Event] = (), *, hangs: bool = False) -> None:
        self.request = request
        self.script = list(script)
        self.hangs = hangs
        self.switched: list[LlmModel] = []
        self.stops = 0
        self.fresh_starts = 0
        self._bus = Bus()
        self._state = SessionState.IDLE
        self._gone = threading.Event()

    @property
    def bus(self) -> Bus:
        return self._bus

    @property
    def state(self) -> SessionState:
        return self._state

    def publish(self, *events: Event) -> None:
        """These happen now."""
        for event in events:
            if isinstance(event, SessionStateChanged):
                self._state = event.state
                if event.state in (SessionState.IDLE, SessionState.FAILED):
                    self._gone.set()
            self._bus.publish(event)

    def go(self, state: SessionState, *, detail: str = "", progress: float | None = None) -> None:
        """Move to a state."""
        self.publish(SessionStateChanged(at_ms=0.0, state=state, detail=detail, progress=progress))

    def start(self) -> None:
        self.go(SessionState.LOADING, progress=0.0)
        self.go(SessionState.READY)
        self.go(SessionState.RUNNING)
        self.publish(*self.script)

    def request_stop(self) -> None:
        self.stops += 1
        if self._state not in (SessionState.IDLE, SessionState.FAILED):
            self.go(SessionState.STOPPING)
        if not self.hangs:
            self.go(SessionState.IDLE)

    def wait_stopped(self, timeout_s: float) -> bool:
        return self._gone.wait(min(timeout_s, HANG_S) if self.hangs else timeout_s)

    def switch_llm(self, model: LlmModel) -> None:
        self.switched.append(model)

    def fresh_start(self) -> None:
        self.fresh_starts += 1


class FakeServices:
    """Hands out fake sessions.

    Attributes:
        sessions: Every session so far, the newest last.
        script: What the next sessions publish after their start.
        refuses: Raised by the next ``open_session``.
        engine_problems / missing_weights: What is wrong with an engine, by its name.
        downloader: Gets them.
        on_warm_up: Called by ``warm_up``.
    """

    def __init__(self, samples: Sequence[Path] = (), *, microphone_problem: str | None = None) -> None:
        self.samples = list(samples)
        self.problem = microphone_problem
        self.models = [
            LlmModel("starter", "Starter model", starter=True, hint="small, often wrong"),
            LlmModel("gpt-4o-mini", "GPT-4o mini"),
        ]
        self.sessions: list[FakeSession] = []
        self.script: list[Event] = []
        self.refuses: AppError | None = None
        self.hangs = False
        self.engine_problems: dict[str, AppError] = {}
        self.missing_weights: dict[str, str] = {}
        self.downloader: Downloader | None = None
        self.on_warm_up: Callable[[], object] = lambda: None

    @property
    def session(self) -> FakeSession:
        """The newest session."""
        return self.sessions[-1]

    def engines(self) -> Sequence[EngineInfo]:
        return [EngineInfo("lite", "Lite", "no GPU needed"), EngineInfo("cascade", "Cascade")]

    def llm_models(self) -> Sequence[LlmModel]:
        return list(self.models)

    def resolve_llm(self, name: str, api_base: str | None = None) -> LlmModel:
        if " " in name:
            raise BadInputError(f"'{name}' is not a model name.", "Write it as provider/model.")
        for model in self.models:
            if model.name == name:
                return model
        return LlmModel(name, name, api_base)

    def microphone_problem(self) -> str | None:
        return self.problem

    def sample_questions(self) -> Sequence[Path]:
        return list(self.samples)

    def warm_up(self) -> None:
        self.on_warm_up()

    def engine_problem(self, engine: str) -> AppError | None:
        return self.engine_problems.get(engine)

    def weights_to_get(self, engine: str) -> str | None:
        return self.missing_weights.get(engine)

    def weights(self) -> Downloader:
        assert self.downloader is not None
        return self.downloader

    def open_session(self, request: SessionRequest) -> FakeSession:
        if self.refuses is not None:
            raise self.refuses
        session = FakeSession(request, self.script, hangs=self.hangs)
        self.sessions.append(session)
        return session
