"""What several of these tests need: frames, and frontends that are watched."""

from __future__ import annotations

from typing import Any

import numpy as np

from kame_desktop.core.audio_types import FRAME_SAMPLES, SILENT_ACTIVITY, PcmFrame, UserActivity
from kame_desktop.core.events import OracleRevision
from kame_desktop.frontends.base import NO_ORACLE, FrontendInput, OracleSlot
from kame_desktop.frontends.kame import KameFrontend
from kame_desktop.frontends.kame_generation import GenerationOptions
from kame_desktop.session.oracle_feed import OracleFeed


def noise(seed: int = 0) -> PcmFrame:
    return np.random.default_rng(seed).normal(scale=0.05, size=FRAME_SAMPLES).astype(np.float32)


def given(
    frame: int,
    pcm: PcmFrame | None = None,
    oracle: OracleSlot = NO_ORACLE,
    user: UserActivity = SILENT_ACTIVITY,
    *,
    nothing_heard: bool = False,
) -> FrontendInput:
    return FrontendInput(frame, noise(frame) if pcm is None else pcm, oracle, user, nothing_heard=nothing_heard)


class Watch:
    """Sees what goes into the model and what comes out: the engine's own seam for observers.

    ``fed`` is what the model reads while it computes, not what was meant for it.
    """

    def __init__(self) -> None:
        self.logits: list[Any] = []
        self.codes: list[Any] = []
        self.tokens: list[Any] = []
        self.fed: list[int] = []
        self.frontend: KameFrontend | None = None

    def options(self) -> GenerationOptions:
        return GenerationOptions(greedy=True, on_text_logits=self._logits, on_tokens=self._tokens)

    def begin(self, frontend: KameFrontend) -> KameFrontend:
        """Watch ``frontend`` from now on, at the beginning of a session."""
        frontend.reset()
        self.frontend = frontend
        for seen in (self.logits, self.codes, self.tokens, self.fed):
            seen.clear()
        return frontend

    def _logits(self, logits: Any) -> None:
        self.logits.append(logits.detach().clone()[0, 0, 0])
        if self.frontend is not None and self.frontend.generation.oracle is not None:
            self.fed.append(self.frontend.generation.oracle.fed)

    def _tokens(self, codes: Any, tokens: Any) -> None:
        self.codes.append(codes.clone()[0, :, 0])
        self.tokens.append(None if tokens is None else tokens.clone()[0, :, 0])


def feed_for(frontend: KameFrontend, *, min_start_tokens: int | None = None) -> OracleFeed:
    capabilities = frontend.capabilities
    return OracleFeed(
        frontend.tokenizer,
        tokens_per_frame=capabilities.oracle_tokens_per_frame,
        min_start_tokens=capabilities.min_start_tokens if min_start_tokens is None else min_start_tokens,
    )


def revision(text: str, *, generation: int = 1, complete: bool = False, utterance: int = 1) -> OracleRevision:
    return OracleRevision(
        at_ms=0.0, generation=generation, utterance=utterance, model="m", text_so_far=text, complete=complete
    )
