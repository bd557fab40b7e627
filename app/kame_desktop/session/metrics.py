"""The numbers of a session, from its events alone. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kame_desktop.core.events import (
    AgentSpeechStarted,
    AgentText,
    Event,
    FrameTiming,
    OracleApplied,
    OracleFailed,
    OracleRequested,
    OracleRevision,
    SpokenKind,
    SttFinal,
    UsageUpdated,
    UserSpeechEnded,
)
from kame_desktop.session.transcript import Transcript


@dataclass(slots=True)
class TurnLatency:
    """From the user's last speech to the first sound and the first word of the answer, in milliseconds."""

    utterance: int
    speech_end_ms: float | None = None
    first_sound_ms: float | None = None
    first_content_word_ms: float | None = None


def percentile(values: Sequence[float], q: float) -> float | None:
    """The ``q``-th percentile, None of nothing."""
    return float(np.percentile(values, q)) if len(values) else None


@dataclass(slots=True)
class Metrics:
    """Collects what a summary needs. Owner: one thread; bound: a few numbers a turn and a request."""

    transcript: Transcript = field(default_factory=Transcript)
    latencies: dict[int, TurnLatency] = field(default_factory=dict)
    models: dict[int, str] = field(default_factory=dict)
    before_final: int = 0
    answered: set[int] = field(default_factory=set)
    completed: int = 0
    failures: int = 0
    last_failure: OracleFailed | None = None
    finals: set[int] = field(default_factory=set)
    fed: dict[int, tuple[int, int]] = field(default_factory=dict)
    timing: FrameTiming | None = None
    usage: UsageUpdated | None = None

    def take(self, event: Event) -> None:
        """Note one event."""
        self.transcript.take(event)
        match event:
            case UserSpeechEnded():
                # A resumed utterance ends later: the answer is timed from its last end.
                latency = self._latency(event.utterance)
                if latency.first_sound_ms is None:
                    latency.speech_end_ms = event.last_speech_ms
                else:
                    self.latencies[event.utterance] = TurnLatency(event.utterance, event.last_speech_ms)
            case AgentSpeechStarted():
                latency = self._latency(event.utterance)
                if latency.speech_end_ms is not None and latency.first_sound_ms is None:
                    latency.first_sound_ms = event.at_ms - latency.speech_end_ms
            case AgentText(kind=SpokenKind.ANSWER):
                latency = self._latency(event.utterance)
                if latency.speech_end_ms is not None and latency.first_content_word_ms is None:
                    latency.first_content_word_ms = event.at_ms - latency.speech_end_ms
            case OracleRequested():
                self.models[event.generation] = event.model
                if event.utterance not in self.finals:
                    self.before_final += 1
            case OracleRevision():
                self.answered.add(event.generation)
                self.completed += event.complete
            case OracleFailed(superseded=False):
                self.failures += 1
                self.last_failure = event
            case OracleApplied():
                self.fed[event.generation] = (event.tokens_fed, event.tokens_missed)
            case SttFinal():
                self.finals.add(event.utterance)
            case FrameTiming():
                self.timing = event
            case UsageUpdated():
                self.usage = event
            case _:
                pass

    def summary(self) -> dict[str, Any]:
        """One JSON-ready object; a latency that was not reached is null. Two latencies: median over the turns."""
        turns = [turn for turn in self.transcript.turns if turn.user or turn.words]
        timing = self.timing
        usage = self.usage
        return {
            "transcript": " ".join(turn.user for turn in turns if turn.user),
            "spoken": " ".join(turn.spoken for turn in turns if turn.words),
            "revisions": {
                "requested": len(self.models),
                "count": len(self.answered),
                "before_final": self.before_final,
                "failed": self.failures,
                "models": sorted(set(self.models.values())),
            },
            "response_latency_ms": {
                "first_sound": _rounded(self._median("first_sound_ms")),
                "first_content_word": _rounded(self._median("first_content_word_ms")),
            },
            "turns": [
                {
                    "user": turn.user,
                    "spoken": turn.spoken,
                    "interrupted": turn.interrupted,
                    "first_sound_ms": _rounded(self._latency(turn.utterance).first_sound_ms),
                    "first_content_word_ms": _rounded(self._latency(turn.utterance).first_content_word_ms),
                }
                for turn in turns
            ],
            "oracle_tokens": {
                "fed": sum(fed for fed, _ in self.fed.values()),
                "missed": sum(missed for _, missed in self.fed.values()),
            },
            "usage": {
                "calls": usage.calls if usage else 0,
                "prompt_tokens": usage.prompt_tokens if usage else 0,
                "completion_tokens": usage.completion_tokens if usage else 0,
                "cost_usd": usage.cost_usd if usage else None,
                "unpriced_calls": usage.unpriced_calls if usage else 0,
                "budget_usd": usage.budget_usd if usage else None,
                "speculating": usage.speculating if usage else True,
                "today": {
                    "calls": usage.today_calls if usage else 0,
                    "prompt_tokens": usage.today_prompt_tokens if usage else 0,
                    "completion_tokens": usage.today_completion_tokens if usage else 0,
                    "cost_usd": usage.today_cost_usd if usage else None,
                    "unpriced_calls": usage.today_unpriced_calls if usage else 0,
                },
            },
            "frames": timing.frame if timing else 0,
            "late_frames": timing.late_frames if timing else 0,
            "frame_ms": {
                "p50": _rounded(timing.step_p50_ms if timing else None, 3),
                "p95": _rounded(timing.step_p95_ms if timing else None, 3),
            },
        }

    def _latency(self, utterance: int) -> TurnLatency:
        return self.latencies.setdefault(utterance, TurnLatency(utterance))

    def _median(self, name: str) -> float | None:
        values = [getattr(latency, name) for latency in self.latencies.values()]
        return percentile([value for value in values if value is not None], 50)


def _rounded(value: float | None, digits: int = 1) -> float | None:
    return None if value is None else round(value, digits)
