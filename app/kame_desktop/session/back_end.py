"""The asyncio side of a session: speech-to-text, transcript and language model, from load to close."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from kame_desktop.backend.llm.base import LlmModel, StreamingLlm
from kame_desktop.backend.stt.base import StreamingStt, Transcription
from kame_desktop.core.activity import Activity
from kame_desktop.core.clock import Clock
from kame_desktop.core.errors import AppError, as_app_error
from kame_desktop.core.events import (
    AgentSpeechEnded,
    AgentText,
    ComponentError,
    Interrupted,
    SttFinal,
    SttPartial,
    UserSpeechEnded,
    UserSpeechStarted,
)
from kame_desktop.frontends.base import Capabilities
from kame_desktop.session.async_host import AsyncHost
from kame_desktop.session.bus import Bus
from kame_desktop.session.inbox import SttInbox
from kame_desktop.session.oracle_driver import OracleDriver
from kame_desktop.session.oracle_options import OracleOptions, SchedulerOptions
from kame_desktop.session.oracle_scheduler import OracleScheduler
from kame_desktop.session.supervised_llm import SupervisedLlm
from kame_desktop.session.supervised_stt import SupervisedStt
from kame_desktop.session.transcript import Transcript
from kame_desktop.session.usage_ledger import UsageLedger


class BackEnd:
    """See the module's text. Owner: the loop of ``host``; wishes may come from any thread, the newest wins.

    Bound: one switch of models under way; a newer one takes its place.
    """

    def __init__(
        self,
        *,
        host: AsyncHost,
        inbox: SttInbox,
        bus: Bus,
        clock: Clock,
        activity: Activity,
        make_stt: Callable[[], StreamingStt],
        make_llm: Callable[[], StreamingLlm],
        model: LlmModel,
        scheduler: SchedulerOptions,
        oracle: OracleOptions,
        ledger: UsageLedger | None,
        on_ready: Callable[[], None],
    ) -> None:
        self._host = host
        self._inbox = inbox
        self._bus = bus
        self._clock = clock
        self._activity = activity
        self._make_stt = make_stt
        self._make_llm = make_llm
        self._model = model
        self._scheduler_options = scheduler
        self._oracle_options = oracle
        self._ledger = ledger
        self._on_ready = on_ready
        self._driver: OracleDriver | None = None
        self._switching: asyncio.Task[None] | None = None
        self._wanted_model: deque[LlmModel] = deque(maxlen=1)
        self._speculate = scheduler.speculate
        self._capabilities: Capabilities | None = None

    # Wishes, on any thread -----------------------------------------------------------------------------------------

    def switch(self, model: LlmModel) -> None:
        """Answer with ``model`` as soon as it is ready. Returns at once; before the session runs it is remembered."""
        self._wanted_model.append(model)
        self._host.call(self._begin_switch)

    def set_speculation(self, on: bool) -> None:
        """Ask unfinished sentences too, or finals only. Returns at once."""
        self._speculate = on
        self._host.call(self._apply_speculation)

    def serve_front_end(self, capabilities: Capabilities) -> None:
        """The front end is loaded and can this much. Returns at once."""
        self._capabilities = capabilities
        self._host.call(self._apply_speculation)

    # The loop ------------------------------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Load, then serve until cancelled. Raises what a part's load raises."""
        stt = SupervisedStt(self._make_stt, self._clock)
        llm = SupervisedLlm(self._make_llm, self._clock, self._tell)
        transcript = Transcript()
        driver = OracleDriver(
            llm=llm,
            model=self._model,
            scheduler=OracleScheduler(self._scheduler_options),
            transcript=transcript,
            bus=self._bus,
            clock=self._clock,
            activity=self._activity,
            options=self._oracle_options,
            ledger=self._ledger,
        )
        try:
            async with asyncio.TaskGroup() as loading:
                loading.create_task(stt.load(), name="load-stt")
                loading.create_task(driver.load(), name="load-llm")
            driver.announce()
            driver.note_prompt()
            self._driver = driver
            self._apply_speculation()
            self._begin_switch()
            stt.start(self._on_transcription, self._on_stt_error)
            self._on_ready()
            async with asyncio.TaskGroup() as group:
                group.create_task(self._feed_stt(stt), name="feed-stt")
                group.create_task(self._hear(transcript, driver), name="hear-bus")
        except BaseExceptionGroup as group_error:
            raise group_error.exceptions[0] from None
        finally:
            self._driver = None
            if self._switching is not None:
                self._switching.cancel()
            await _to_the_end(_close(driver, stt, llm))

    def _begin_switch(self) -> None:
        driver = self._driver
        if driver is None or not self._wanted_model:
            return
        model = self._wanted_model.pop()
        if self._switching is not None:
            self._switching.cancel()
        self._switching = asyncio.get_running_loop().create_task(driver.switch(model), name="switch-llm")

    def _apply_speculation(self) -> None:
        capabilities = self._capabilities
        able = capabilities is None or capabilities.speculates
        if self._driver is not None:
            self._driver.set_speculation(self._speculate and able)

    async def _feed_stt(self, stt: StreamingStt) -> None:
        while True:
            frame = await self._inbox.get()
            try:
                stt.feed(frame)
            finally:
                self._inbox.done()

    async def _hear(self, transcript: Transcript, driver: OracleDriver) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(ready.set)

        box = self._bus.subscribe(
            UserSpeechStarted,
            UserSpeechEnded,
            SttPartial,
            SttFinal,
            AgentText,
            AgentSpeechEnded,
            Interrupted,
            name="back end",
            wake=wake,
            activity=self._activity,
        )
        try:
            while True:
                await ready.wait()
                ready.clear()
                for event in box.drain():
                    try:
                        transcript.take(event)
                        if self._capabilities is None or self._capabilities.steerable:
                            driver.take(event)  # nobody listens to an answer otherwise
                    finally:
                        box.done(1)
        finally:
            self._bus.unsubscribe(box)

    def _on_transcription(self, heard: Transcription) -> None:
        now_ms = self._clock.now_ms()
        if heard.final:
            self._bus.publish(
                SttFinal(
                    at_ms=now_ms,
                    utterance=heard.utterance,
                    text=heard.text,
                    audio_ms=heard.audio_ms,
                    heard_until_ms=heard.heard_until_ms,
                )
            )
            return
        self._bus.publish(
            SttPartial(
                at_ms=now_ms,
                utterance=heard.utterance,
                rev=heard.rev,
                text=heard.text,
                stable_words=heard.stable_words,
                audio_ms=heard.audio_ms,
                heard_until_ms=heard.heard_until_ms,
                lag_ms=max(0.0, now_ms - heard.heard_until_ms),
            )
        )

    def _on_stt_error(self, error: BaseException) -> None:
        self._tell(as_app_error(error, "speech-to-text"))

    def _tell(self, error: AppError) -> None:
        self._bus.publish(ComponentError.of(error, self._clock.now_ms()))


async def _close(driver: OracleDriver, stt: StreamingStt, llm: StreamingLlm) -> None:
    """The streams first, then what they came from; one that fails keeps none of the others."""
    async with contextlib.AsyncExitStack() as parts:
        for close in (llm.close, stt.close, driver.close):
            parts.push_async_callback(close)


async def _to_the_end(closing: Coroutine[Any, Any, None]) -> None:
    """Close everything, also when a stop comes while a failed session is closing already."""
    task = asyncio.get_running_loop().create_task(closing, name="session-close")
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
