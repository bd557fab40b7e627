"""Streaming over whole-utterance passes: when they run, what becomes stable, what is final, what is bounded."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
import soundfile

from kame_desktop.backend.stt.base import SttFrame, Transcription
from kame_desktop.backend.stt.whisper import WhisperDecoder, WhisperStt
from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import FRAME_MS, FRAME_SAMPLES, UserActivity
from kame_desktop.core.errors import AppError, BadInputError, ModelFileError
from kame_desktop.core.paths import sample_questions
from tests.fakes.decoder import FakeDecoder


class Scene:
    """Feeds frames of speech and silence and collects what is transcribed; waits for passes, never for time."""

    def __init__(self, decoder: WhisperDecoder) -> None:
        self.activity = Activity()
        self.stt = WhisperStt(decoder, self.activity)
        self.got: list[Transcription] = []
        self.errors: list[BaseException] = []
        self.frame = 0
        self.utterance = 0
        self.speech_ms = 0.0
        self.silence_ms = 0.0
        self.stt.start(self.got.append, self.errors.append)

    async def say(self, frames: int, *, wait: bool = True, pcm: np.ndarray | None = None) -> None:
        for index in range(frames):
            started = self.utterance == 0 or self.silence_ms >= 500.0 or (self.silence_ms >= 200.0)
            if self.utterance == 0 or self.silence_ms >= 500.0:
                self.utterance += 1
                self.speech_ms = 0.0
            self.silence_ms = 0.0
            self.speech_ms += FRAME_MS
            sound = None if pcm is None else pcm[index * FRAME_SAMPLES : (index + 1) * FRAME_SAMPLES]
            await self._feed(UserActivity(self.utterance, True, started, speech_ms=self.speech_ms), wait, sound)

    async def be_silent(self, frames: int, *, wait: bool = True) -> None:
        for _ in range(frames):
            before, self.silence_ms = self.silence_ms, self.silence_ms + FRAME_MS
            user = UserActivity(
                self.utterance,
                paused=before < 200.0 <= self.silence_ms,
                finished=before < 500.0 <= self.silence_ms,
                speech_ms=self.speech_ms,
                silence_ms=self.silence_ms,
            )
            await self._feed(user, wait, None)

    async def _feed(self, user: UserActivity, wait: bool, pcm: np.ndarray | None) -> None:
        self.frame += 1
        sound = np.zeros(FRAME_SAMPLES, dtype=np.float32) if pcm is None else pcm
        self.stt.feed(SttFrame(sound, user, self.frame * FRAME_MS))
        if wait:
            await self.idle()

    async def idle(self) -> None:
        async with asyncio.timeout(10.0):
            while self.activity.in_flight:  # noqa: ASYNC110 - counted over threads, there is no event to await
                await asyncio.sleep(0.001)

    @property
    def finals(self) -> list[str]:
        return [heard.text for heard in self.got if heard.final]


SceneMaker = Callable[[WhisperDecoder], Scene]


@pytest_asyncio.fixture
async def scene_of() -> AsyncIterator[SceneMaker]:
    scenes: list[Scene] = []

    def make(decoder: WhisperDecoder) -> Scene:
        scenes.append(Scene(decoder))
        return scenes[-1]

    yield make
    for scene in scenes:
        await scene.stt.close()


@pytest.mark.asyncio
async def test_passes_run_about_every_400_ms_and_once_more_at_the_end(scene_of: SceneMaker) -> None:
    decoder = FakeDecoder()
    scene = scene_of(decoder)
    await scene.say(20)
    await scene.be_silent(10)
    passes_ms = [round(heard.audio_ms) for heard in scene.got if not heard.final]
    assert passes_ms == [480, 880, 1280, 1680]
    assert len(decoder.heard_s) == 4, "the pass after the last word also serves the final"
    assert scene.got[-1].final
    assert scene.got[-1].text == scene.got[-2].text


@pytest.mark.asyncio
async def test_words_that_two_passes_agree_on_are_stable_and_a_final_is_all_stable(scene_of: SceneMaker) -> None:
    scene = scene_of(FakeDecoder())
    await scene.say(25)
    await scene.be_silent(10)
    partials = [heard for heard in scene.got if not heard.final]
    assert partials[0].stable_words == 0
    for earlier, later in itertools.pairwise(partials):
        assert later.stable_words == len(earlier.text.split())
    assert scene.got[-1].stable_words == len(scene.got[-1].text.split())
    assert [heard.rev for heard in partials] == list(range(1, len(partials) + 1))


@pytest.mark.asyncio
async def test_a_pause_inside_an_utterance_keeps_it_one(scene_of: SceneMaker) -> None:
    scene = scene_of(FakeDecoder())
    await scene.say(10)
    await scene.be_silent(4)
    await scene.say(10)
    await scene.be_silent(8)
    assert len(scene.finals) == 1
    assert {heard.utterance for heard in scene.got} == {1}
    assert len(scene.finals[0].split()) == int(29 * FRAME_MS / 1e3 * 2.5)


@pytest.mark.asyncio
async def test_two_utterances_have_a_final_each(scene_of: SceneMaker) -> None:
    scene = scene_of(FakeDecoder())
    await scene.say(10)
    await scene.be_silent(8)
    await scene.say(15)
    await scene.be_silent(8)
    assert [heard.utterance for heard in scene.got if heard.final] == [1, 2]


@pytest.mark.asyncio
async def test_what_is_no_speech_gives_an_empty_final(scene_of: SceneMaker) -> None:
    decoder = FakeDecoder(no_speech_prob=0.99, words_per_s=0.0)
    scene = scene_of(decoder)
    await scene.say(8)
    await scene.be_silent(8)
    assert scene.finals == [""]


@pytest.mark.asyncio
async def test_a_slow_decoder_makes_passes_rarer_and_queues_none(scene_of: SceneMaker) -> None:
    decoder = FakeDecoder(gate=threading.Semaphore(0))
    scene = scene_of(decoder)
    await scene.say(60, wait=False)
    assert scene.activity.in_flight == 1
    assert decoder.gate is not None
    decoder.gate.release(10)
    await scene.idle()
    assert len(decoder.heard_s) <= 2, "one pass was running, one more hears all that came meanwhile"
    assert decoder.heard_s[-1] == pytest.approx(60 * FRAME_MS / 1e3, abs=0.1)


@pytest.mark.asyncio
async def test_a_very_long_utterance_is_heard_in_pieces(scene_of: SceneMaker) -> None:
    decoder = FakeDecoder()
    scene = scene_of(decoder)
    await scene.say(1000)
    await scene.be_silent(8)
    assert max(decoder.heard_s) < 29.0
    assert len(scene.finals) == 1
    assert len(scene.finals[0].split()) == pytest.approx(80 * 2.5, abs=8)


@pytest.mark.asyncio
async def test_after_stop_nothing_comes(scene_of: SceneMaker) -> None:
    decoder = FakeDecoder(gate=threading.Semaphore(0))
    scene = scene_of(decoder)
    await scene.say(10, wait=False)
    await scene.stt.stop()
    assert decoder.gate is not None
    decoder.gate.release(10)
    await scene.idle()
    assert scene.got == []


@pytest.mark.asyncio
async def test_a_decoder_that_fails_is_reported_without_its_text(scene_of: SceneMaker) -> None:
    scene = scene_of(FakeDecoder(error=RuntimeError("what the user said")))
    await scene.say(8)
    assert isinstance(scene.errors[0], AppError)
    assert "what the user said" not in str(scene.errors[0])


def test_unknown_and_damaged_models_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no speech-to-text model 'whisper-9000'"):
        WhisperDecoder("whisper-9000").load()
    with pytest.raises(ModelFileError, match=r"has no model\.bin"):
        WhisperDecoder(str(tmp_path)).load()
    (tmp_path / "model.bin").write_bytes(b"not a model")
    with pytest.raises(ModelFileError, match="could not be loaded"):
        WhisperDecoder(str(tmp_path)).load()


@pytest.mark.asyncio
async def test_the_real_model_hears_the_sample_questions(scene_of: SceneMaker) -> None:
    scene = scene_of(WhisperDecoder())
    await scene.stt.load()
    for path in sample_questions():
        pcm, rate_hz = soundfile.read(path, dtype="float32")
        assert rate_hz == 24_000
        await scene.say(len(pcm) // FRAME_SAMPLES, pcm=pcm)
        await scene.be_silent(8)
    assert scene.finals == ["What is the capital of France?", "Why is the sky blue?"]
    assert len([heard for heard in scene.got if not heard.final]) >= 4
