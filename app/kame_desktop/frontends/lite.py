"""The CPU front end: turn taking, and a text-to-speech voice steered by the oracle (engines lite and cascade).

A turn: the user pauses -> the answer starts in that very frame, with its first clause if that was synthesised ahead,
else with an opener -> clause after clause of the newest revision -> the revision is complete and said. Words that end
openly ("What is the capital of") make it wait for more (``lite_endpoint``). Each clause is chosen at the sample where
it begins, so a new revision can change everything but the clause that is being played (``lite_plan`` decides how). The
user going on in the same utterance gets the turn back. 200 ms of speech over the answer silence it; it goes on after a
filler or a cough and is dropped after anything else (``lite_backchannel``). After the end a later revision of the same
utterance may open the turn again, with what it changes.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from kame_desktop.core.activity import Activity
from kame_desktop.core.audio_types import MODEL_RATE_HZ, UserActivity
from kame_desktop.core.events import SpokenKind
from kame_desktop.frontends.base import (
    Capabilities,
    FrontendInput,
    FrontendOutput,
    LoadProgress,
    OracleSlot,
    SpokenWord,
)
from kame_desktop.frontends.lite_backchannel import Overlap, Remainder, Verdict
from kame_desktop.frontends.lite_endpoint import patience_ms
from kame_desktop.frontends.lite_plan import AnswerPlan, Clause
from kame_desktop.frontends.lite_player import ClipPlayer, Piece, ms_to_samples
from kame_desktop.frontends.lite_policy import (
    GAP_MS,
    INTERRUPT_SPEECH_MS,
    MIN_TURN_SPEECH_MS,
    OPENER_GAP_MS,
    READY_OPENERS,
    RESUME_ANSWER_MS,
    THINKING_OPENERS,
    LitePolicy,
    Phrase,
    fixed_phrases,
    phrase_key,
)
from kame_desktop.frontends.lite_turn import Turn
from kame_desktop.frontends.lite_words import mid_sentence
from kame_desktop.frontends.synth_worker import ThreadedSynthesizer
from kame_desktop.frontends.voice import Clip, ClipKey, Synthesizer, SynthesizerFactory, Voice, VoiceFactory
from kame_desktop.frontends.word_tokens import WordTokenizer

_AHEAD_WHILE_LISTENING = 2
_AHEAD_WHILE_SPEAKING = 3
_CACHED_CLIPS = 32


class LiteFrontend:
    """Implements ``SpeechFrontend``. Owner: the frame thread; the synthesis worker touches only the voice.

    Bounds: the newest few clauses wait for synthesis (newest wins), ``_CACHED_CLIPS`` clips are kept (least recently
    used go first).

    Args:
        policy: ``TANDEM`` or ``CASCADE``.
        voice_factory: Makes the voice; called in ``load``.
        activity: Counts synthesis as work in flight.
        synthesizer_factory: Runs the voice; the default uses one worker thread.
    """

    def __init__(
        self,
        policy: LitePolicy,
        voice_factory: VoiceFactory,
        activity: Activity,
        synthesizer_factory: SynthesizerFactory = ThreadedSynthesizer,
    ) -> None:
        self._policy = policy
        self._voice_factory = voice_factory
        self._activity = activity
        self._synthesizer_factory = synthesizer_factory
        self._synthesizer: Synthesizer | None = None
        self._tokenizer = WordTokenizer()
        self._phrases: dict[ClipKey, Clip] = {}
        self._clips: OrderedDict[ClipKey, Clip] = OrderedDict()
        self._player = ClipPlayer()
        self._begin_session()

    @property
    def capabilities(self) -> Capabilities:
        return self._policy.capabilities

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    @property
    def tokenizer(self) -> WordTokenizer:
        return self._tokenizer

    def load(self, progress: LoadProgress) -> None:
        """Load the voice and synthesise the fixed phrases. Raises MissingPackageError, ModelFileError, Cancelled."""
        self.close()
        progress(0.0, "Loading the voice")
        voice: Voice = self._voice_factory()
        try:
            voice.load()
            keys = fixed_phrases()
            for number, key in enumerate(keys):
                progress(0.7 + 0.3 * number / len(keys), "Preparing the voice")
                self._phrases[key] = voice.speak(key)
        except BaseException:
            voice.close()
            raise
        self._synthesizer = self._synthesizer_factory(voice, self._activity)
        progress(1.0, "The voice is ready")

    def reset(self) -> None:
        """Begin a conversation: turns, clips, words and jobs of an earlier one are gone."""
        if self._synthesizer is not None:
            self._synthesizer.drop()
        self._clips.clear()
        self._tokenizer.clear()
        self._player.stop()
        self._begin_session()

    def close(self) -> None:
        """End the worker and free the voice."""
        synthesizer, self._synthesizer = self._synthesizer, None
        if synthesizer is not None:
            synthesizer.close()
        self._phrases.clear()
        self._clips.clear()

    def step(self, given: FrontendInput) -> FrontendOutput:
        """Hear one frame, speak one frame; never waits for synthesis."""
        user = given.user
        self._hear(user)
        self._feed(given.oracle)
        self._heard.current = given.oracle_current
        self._synthesise_ahead()
        if given.turn_taken:
            stopped = self._give_up()
        else:
            stopped = self._mind_overlap(given) if self._overlap is not None else self._stop_for_user(given)
        if stopped is not None:
            return stopped
        self._take_turn(given)
        return self._speak(given)

    def _begin_session(self) -> None:
        self._heard = self._new_turn(0)
        """The user's current or latest utterance: the oracle belongs to it."""
        self._speaking: Turn | None = None
        """The turn that the assistant holds; an earlier utterance than ``_heard`` while the user talks over it."""
        self._spoken_before_start = 0.0
        self._overlap: Overlap | None = None
        """The user speaks, or spoke, over the answer, which is silent until it is clear what was said."""
        self._remainder: Remainder | None = None
        """What the answer goes on with after such a break."""
        self._playing: ClipKey | None = None
        """The clip that is being played, or was last."""
        self._last_word = ""
        """What was said last: "yes" is no filler after a question."""
        self._thinking_count = 0
        self._ready_count = 0

    def _new_turn(self, utterance: int) -> Turn:
        return Turn(utterance, self._new_plan())

    def _new_plan(self) -> AnswerPlan:
        return AnswerPlan(self._policy.whole_sentence_first)

    def _hear(self, user: UserActivity) -> None:
        if user.utterance != self._heard.utterance:
            self._heard = self._new_turn(user.utterance)
            self._heard.over_answer = (
                self._speaking is not None and self._speaking.started and not self._last_word.endswith("?")
            )
            self._spoken_before_start = 0.0
        elif user.started:
            self._spoken_before_start = self._heard.speech_ms
        self._heard.hear(user)

    def _feed(self, slot: OracleSlot) -> None:
        speaking, heard = self._speaking, self._heard
        if speaking is not None and speaking is not heard:
            starts = self._tokenizer.start_id in slot.ids
            if slot.utterance is not None:
                older = slot.utterance == speaking.utterance
            else:
                older = not starts and slot.generation == speaking.plan.generation
            if older:
                speaking.feed(slot, self._tokenizer)
                return
            if starts:
                speaking.plan.finish()  # the feed has moved on: no more of that answer will come
        if slot.utterance is None or slot.utterance == heard.utterance:
            heard.feed(slot, self._tokenizer)

    def _stop_for_user(self, given: FrontendInput) -> FrontendOutput | None:
        """Fall silent when the user wants the turn; the frame that fades out, or None."""
        turn, user = self._speaking, given.user
        if turn is None:
            return None
        same = turn.utterance == user.utterance
        if same and user.started and turn.answer_ms <= RESUME_ANSWER_MS:
            was_started, cut = turn.started, turn.answer_ms > 0.0
            turn.give_back()
            return self._drop(was_started, interrupted=cut)
        if user.speaking and user.speech_ms - self._spoken_before_start >= INTERRUPT_SPEECH_MS:
            if same or not turn.started:
                was_started = turn.started
                if same:
                    turn.drop_answer(self._new_plan())
                return self._drop(was_started, interrupted=was_started)
            unplayed = ms_to_samples(given.unplayed_ms)
            hushed = self._player.covers(unplayed)
            rest = self._rest_of_piece(turn, unplayed if hushed else 0)
            self._overlap = Overlap(user.utterance, self._spoken_before_start, rest)
            return FrontendOutput(self._player.fade_out(), hushed=hushed, holding_turn=True)
        return None

    def _give_up(self) -> FrontendOutput | None:
        """The user takes the turn without a word: nothing more of the answer is said."""
        turn = self._speaking
        if turn is None:
            return None
        was_started = turn.started
        turn.drop_answer(self._new_plan())
        return self._drop(was_started, interrupted=was_started)

    def _mind_overlap(self, given: FrontendInput) -> FrontendOutput | None:
        """The answer is silent because the user spoke over it; None when it goes on."""
        overlap, turn = self._overlap, self._speaking
        assert overlap is not None
        assert turn is not None
        match overlap.judge(given):
            case Verdict.WAIT:
                return FrontendOutput(self._player.fade_out(), holding_turn=True)
            case Verdict.RESUME if self._heard.over_answer:
                self._remainder = overlap.remainder
                self._overlap = None
                turn.silent_ms = turn.dry_ms = 0.0
                return None
            case _:
                self._heard.over_answer = False
                return self._drop(turn.started, interrupted=turn.started)

    def _rest_of_piece(self, turn: Turn, unplayed: int) -> Remainder | None:
        """What is left of the clause that is being cut; an opener isn't said again."""
        rest = self._player.rest(unplayed)
        if rest is None:
            return self._remainder
        piece, word = rest
        if piece.words[0].kind is SpokenKind.OPENER and not turn.apologised:
            return None
        key = self._playing
        return Remainder(piece, None if key is None else ClipKey(key.words[word:], key.end))

    def _drop(self, was_started: bool, interrupted: bool) -> FrontendOutput:
        self._speaking = self._overlap = self._remainder = None
        return FrontendOutput(
            self._player.fade_out(), speech_ended=was_started, interrupted=interrupted, hushed=interrupted
        )

    def _take_turn(self, given: FrontendInput) -> None:
        heard = self._heard
        if self._speaking is not None or not heard.paused or given.user.speaking or given.nothing_heard:
            return
        if heard.over_answer:
            heard.settle(given)
        if heard.over_answer or given.user.silence_ms < patience_ms(given):
            return
        if not heard.taken and heard.speech_ms >= MIN_TURN_SPEECH_MS:
            self._speaking = heard
            heard.take()
            silent_until_answer = given.backend_down or not self._policy.openers or not heard.worth_a_word
            if not heard.plan.exhausted and not self._answer_ready(heard) and not silent_until_answer:
                heard.phrase = self._opener(heard)
                heard.fillers = 1
        elif self._answer_ready(heard):  # the utterance was short, or the answer is late, or it changed after its end
            self._speaking = heard
            heard.take()

    def _opener(self, turn: Turn) -> Phrase:
        if turn.plan.begun:
            self._ready_count += 1
            return READY_OPENERS[(self._ready_count - 1) % len(READY_OPENERS)]
        self._thinking_count += 1
        return THINKING_OPENERS[(self._thinking_count - 1) % len(THINKING_OPENERS)]

    def _speak(self, given: FrontendInput) -> FrontendOutput:
        turn = self._speaking
        if turn is not None:
            nothing_heard = given.nothing_heard and turn.utterance == given.user.utterance
            nobody_answers = given.backend_down or not self._policy.steerable
            turn.wait(self._policy, self._player.sounding, nobody_answers, nothing_heard)
            if turn is not self._heard:
                turn.grow_older()
        frame = self._player.render(self._next_piece)
        if frame.words:
            self._last_word = frame.words[-1].text
        if turn is None:
            return FrontendOutput(frame.pcm, holding_turn=self._may_reopen())
        if frame.answer_samples:
            turn.answer_ms += frame.answer_samples * 1e3 / MODEL_RATE_HZ
            turn.dry_ms = 0.0
        started = frame.audible_at is not None and not turn.started
        turn.started |= started
        ended = False
        if turn.over(self._player.sounding):
            ended, turn.started = turn.started, False
            self._speaking = None
        return FrontendOutput(
            frame.pcm,
            words=frame.words,
            speech_started=started,
            onset_ms=(frame.audible_at or 0) * 1e3 / MODEL_RATE_HZ if started else 0.0,
            speech_ended=ended,
            holding_turn=self._speaking is not None or self._may_reopen(),
            answers=turn.utterance,
        )

    def _may_reopen(self) -> bool:
        """The answer was said before the user's utterance was final: its last revision may change it."""
        heard = self._heard
        return heard.paused and not heard.finished and heard.speech_ms >= MIN_TURN_SPEECH_MS

    def _next_piece(self) -> Piece | None:
        """What begins to play at this sample. Committed as soon as it is returned."""
        turn = self._speaking
        if turn is None or turn.pointless:
            return None
        if self._remainder is not None:
            remainder, self._remainder = self._remainder, None
            return self._go_on(remainder)
        while turn.phrase is None and self._answer_ready(turn):
            clause = turn.plan.upcoming(1)[0]
            self._playing = _clip_key(clause)
            clip = self._clip(self._playing)
            turn.plan.commit(clause)
            if clip is not None and clip.pcm.size:
                lead_in, turn.lead_in = turn.lead_in, clause.kind is SpokenKind.CONNECTOR
                return _piece(clip, clause, lead_in)
        phrase, turn.phrase = turn.phrase, None
        if phrase is None:
            return None
        turn.plan.note_opener(phrase)
        turn.lead_in = phrase[-1].endswith(",")
        words = tuple(SpokenWord(word, None, SpokenKind.OPENER) for word in phrase)
        self._playing = phrase_key(phrase)
        return Piece(self._phrases[self._playing], words, ms_to_samples(OPENER_GAP_MS), answer=False)

    def _go_on(self, remainder: Remainder) -> Piece:
        """The rest of a cut piece, as a clip of its own if that is ready."""
        self._playing = remainder.key
        clip = self._clip(remainder.key) if remainder.key is not None else None
        return replace(remainder.piece, clip=clip) if clip is not None and clip.pcm.size else remainder.piece

    def _answer_ready(self, turn: Turn) -> bool:
        """The next clause can begin now; a connector only when what it connects to can follow."""
        clauses = turn.plan.upcoming(2)
        if not clauses or not turn.may_answer:
            return False
        needed = clauses if clauses[0].kind is SpokenKind.CONNECTOR else clauses[:1]
        return all(self._clip(_clip_key(clause)) is not None for clause in needed)

    def _clip(self, key: ClipKey) -> Clip | None:
        clip = self._phrases.get(key)
        if clip is None and (clip := self._clips.get(key)) is not None:
            self._clips.move_to_end(key)
        return clip

    def _synthesise_ahead(self) -> None:
        if self._synthesizer is None:
            return
        for key, clip in self._synthesizer.poll():
            self._keep(key, clip)
        keys: list[ClipKey] = []
        if self._overlap is not None and (rest := self._overlap.remainder) is not None and rest.key is not None:
            keys.append(rest.key)
        clauses: list[Clause] = []
        if self._speaking is not None:
            clauses += self._speaking.plan.upcoming(_AHEAD_WHILE_SPEAKING)
        if self._speaking is not self._heard:
            clauses += self._heard.plan.upcoming(_AHEAD_WHILE_LISTENING)
        keys += [_clip_key(clause) for clause in clauses]
        self._synthesizer.want([key for key in keys if self._clip(key) is None])
        for key, clip in self._synthesizer.poll():
            self._keep(key, clip)

    def _keep(self, key: ClipKey, clip: Clip) -> None:
        self._clips[key] = clip
        while len(self._clips) > _CACHED_CLIPS:
            self._clips.popitem(last=False)


def _clip_key(clause: Clause) -> ClipKey:
    return ClipKey(clause.words, clause.end)


def _piece(clip: Clip, clause: Clause, lead_in: bool) -> Piece:
    """``lead_in``: what was said before ends with a comma ("Well,"), so the clause goes on with a small letter."""
    shown = (mid_sentence(clause.words[0]), *clause.words[1:]) if lead_in else clause.words
    words = tuple(SpokenWord(word, clause.generation, clause.kind) for word in shown)
    return Piece(clip, words, ms_to_samples(GAP_MS[clause.end]), answer=clause.kind is SpokenKind.ANSWER)
