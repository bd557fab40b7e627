"""When to ask the language model, and which answer counts: a pure state machine (DESIGN section 4).

It is told what happened and when (session milliseconds) and returns what to do. No I/O, no clock, no text of any
answer.

- Ask when the *normalised words* of the unfinished sentence changed, at once, but no closer together than the spacing,
  with a trailing start, so that the last word is never left unseen. At once when speech ended or a final arrived,
  unless the newest request has the same words.
- The spacing follows the model: 1.5 times its usual time to the first token, within 0.6 to 4 times ``min_spacing_ms``.
- The old stream goes on until a newer one has its first token; at most ``max_in_flight`` streams; when all are taken an
  unfinished sentence waits and a final takes the place of the youngest stream without a token.
- Deadlines: first token, gap between tokens, whole answer. Keep-alives don't count, only tokens do.
- Transient failures back off (doubling, with jitter, honouring Retry-After) and ask again while the words still stand;
  a permanent one stops all asking until the model is changed, unless another model stands in.
"""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass, field

from kame_desktop.core.events import AskReason
from kame_desktop.core.words import normalised_words
from kame_desktop.session.oracle_actions import Action, Adopt, Ask, Drop, Expire, GiveUp, WillRetry
from kame_desktop.session.oracle_options import SchedulerOptions


@dataclass(slots=True)
class _Request:
    generation: int
    utterance: int
    words: tuple[str, ...]
    asked_ms: float
    last_token_ms: float | None = None


@dataclass(slots=True)
class _Question:
    """The newest words of the user, whether they were asked, and whether they are final."""

    utterance: int
    text: str
    words: tuple[str, ...]
    final: bool = False
    silent: bool = False


@dataclass(slots=True)
class OracleScheduler:
    """See the module's text. Owner: the asyncio thread.

    Attributes:
        options: Times and limits; ``set_speculation`` changes ``speculate`` while running.
        calls: How many requests were started.
        stale_tokens: Tokens of replaced generations that were dropped.
    """

    options: SchedulerOptions = field(default_factory=SchedulerOptions)
    rng: random.Random = field(default_factory=random.Random)
    calls: int = 0
    stale_tokens: int = 0
    _generation: int = 0
    _adopted: int = 0
    _in_flight: dict[int, _Request] = field(default_factory=dict)
    _question: _Question | None = None
    _asked: tuple[int, tuple[str, ...]] | None = None
    _answered: tuple[int, tuple[str, ...]] | None = None
    _last_ask_ms: float | None = None
    _first_token_ms: float | None = None
    _attempts: int = 0
    _retry_at_ms: float | None = None
    _blocked: bool = False
    _utterance: int = 0

    # What happened -------------------------------------------------------------------------------------------------

    def speech_started(self, now_ms: float, utterance: int) -> list[Action]:
        """The user speaks (again). A resumed utterance is unfinished once more."""
        self._utterance = max(self._utterance, utterance)
        if self._question is not None and self._question.utterance == utterance:
            self._question.silent = False
        return []

    def partial(self, now_ms: float, utterance: int, text: str) -> list[Action]:
        """The unfinished sentence reads like this now."""
        if not self._accept(utterance):
            return []
        return self._hear(now_ms, utterance, text, final=False)

    def speech_paused(self, now_ms: float, utterance: int) -> list[Action]:
        """The user fell silent: what is known is asked at once, and so is what speech-to-text finds afterwards."""
        if self._question is None or self._question.utterance != utterance or self._question.final:
            return []
        self._question.silent = True
        return self._poll(now_ms)

    def final(self, now_ms: float, utterance: int, text: str) -> list[Action]:
        """The sentence is finished."""
        if not self._accept(utterance):
            return []
        return self._hear(now_ms, utterance, text, final=True)

    def token(self, now_ms: float, generation: int) -> list[Action]:
        """Generation ``generation`` has sent a token. No action back: its text counts if it is the adopted one."""
        request = self._in_flight.get(generation)
        if request is None or generation < self._adopted:
            self.stale_tokens += 1
            return []
        first = request.last_token_ms is None
        request.last_token_ms = now_ms
        if not first:
            return []
        waited_ms = now_ms - request.asked_ms
        self._first_token_ms = (
            waited_ms if self._first_token_ms is None else 0.7 * self._first_token_ms + 0.3 * waited_ms
        )
        self._adopted = generation
        self._answered = (request.utterance, request.words)
        older = [other for other in self._in_flight if other < generation]
        for other in older:
            del self._in_flight[other]
        return [Adopt(generation), *(Drop(other) for other in older), *self._poll(now_ms)]

    def completed(self, now_ms: float, generation: int) -> list[Action]:
        """The stream of ``generation`` ended well."""
        if self._in_flight.pop(generation, None) is not None:
            self._attempts = 0
        return self._poll(now_ms)

    def failed(
        self,
        now_ms: float,
        generation: int,
        *,
        retryable: bool,
        blocks: bool = True,
        retry_after_ms: float | None = None,
    ) -> list[Action]:
        """The stream of ``generation`` broke.

        Args:
            now_ms: Session time.
            generation: Its number.
            retryable: Asking the same again may work.
            blocks: Otherwise: no question will be answered (a refused key), not just this one (too long, refused, or
                another model stands in).
            retry_after_ms: How long the service asked us to wait.
        """
        request = self._in_flight.pop(generation, None)
        if request is None:
            return []
        self._broke_off(generation)
        if not retryable and not blocks:
            return [GiveUp(generation, permanent=False), *self._poll(now_ms)]
        if not retryable:
            self._blocked = True
            dropped = self._drop_all()
            return [GiveUp(generation, permanent=True), *dropped]
        return self._retry_later(now_ms, request, retry_after_ms)

    def interrupted(self, now_ms: float) -> list[Action]:
        """The user cut the answer short: nobody waits for the rest of it.

        When they did so by going on with the same sentence, its answer is asked for anew: the old one was cleared.
        """
        if self._question is not None and self._question.utterance == self._utterance:
            self._asked = self._answered = None
        return [*self._drop_all(before_utterance=self._utterance), *self._poll(now_ms)]

    def model_changed(self, now_ms: float) -> list[Action]:
        """Another model answers from now on: a question without an answer is put to it at once.

        The old model's stream goes on until the new one's first token.
        """
        self._blocked = False
        self._attempts = 0
        self._retry_at_ms = None
        self._first_token_ms = None
        self._last_ask_ms = None
        return self._ask_anew(now_ms)

    def put_to_another(self, now_ms: float) -> list[Action]:
        """A model gave up, and another one stands in: the question is put to it at once.

        Not when it has its answer, or when a request with the same words is under way.
        """
        self._attempts = 0
        self._retry_at_ms = None
        question = self._question
        if question is None or any(
            (request.utterance, request.words) == (question.utterance, question.words)
            for request in self._in_flight.values()
        ):
            return []
        return self._ask_anew(now_ms)

    def set_speculation(self, now_ms: float, on: bool) -> list[Action]:
        """Ask unfinished sentences too, or finals only, from now on. What is under way goes on."""
        self.options = dataclasses.replace(self.options, speculate=on)
        return self._poll(now_ms)

    def timer(self, now_ms: float) -> list[Action]:
        """Time has passed; call it at ``next_timer_ms``."""
        actions: list[Action] = []
        for request in list(self._in_flight.values()):
            missed = self._missed_deadline(now_ms, request)
            if missed is None:
                continue
            del self._in_flight[request.generation]
            rambles = request.last_token_ms is not None and now_ms >= request.asked_ms + self.options.answer_deadline_ms
            later: list[Action] = []
            if not rambles:
                self._broke_off(request.generation)
                later = self._retry_later(now_ms, request, None)
            retries = any(isinstance(action, WillRetry) for action in later)
            actions += [Expire(request.generation, missed, retries), *later]
        return actions + self._poll(now_ms)

    def next_timer_ms(self) -> float | None:
        """When ``timer`` wants to be called next; None: not before something else happens."""
        times = [self._deadline_ms(request) for request in self._in_flight.values()]
        if self._needs_asking() and len(self._in_flight) < self.options.max_in_flight:
            times.append(self._may_ask_at_ms())
        return min(times, default=None)

    @property
    def spacing_ms(self) -> float:
        """The present least time between two requests for an unfinished sentence."""
        base = self.options.min_spacing_ms
        if self._first_token_ms is None:
            return base
        return min(4.0 * base, max(0.6 * base, 1.5 * self._first_token_ms))

    @property
    def adopted(self) -> int:
        """The generation whose text is the oracle; 0 before the first."""
        return self._adopted

    @property
    def answers_all_words(self) -> bool:
        """The oracle's answer was asked with the user's newest words."""
        question = self._question
        return question is not None and self._answered == (question.utterance, question.words)

    @property
    def in_flight(self) -> int:
        """How many streams are open."""
        return len(self._in_flight)

    @property
    def blocked(self) -> bool:
        """A permanent failure stopped all asking."""
        return self._blocked

    # How it decides ------------------------------------------------------------------------------------------------

    def _accept(self, utterance: int) -> bool:
        """Words count only with speech energy, and never of an utterance before the newest asked one."""
        known = self._question.utterance if self._question is not None else 0
        return 0 < utterance <= self._utterance and utterance >= known

    def _hear(self, now_ms: float, utterance: int, text: str, *, final: bool) -> list[Action]:
        words = normalised_words(text)
        question = self._question
        if not words:
            return []
        actions: list[Action] = []
        if question is None or question.utterance != utterance:
            actions += self._drop_all(before_utterance=utterance)
            self._question = question = _Question(utterance, text, words)
            self._attempts = 0
            self._retry_at_ms = None
        elif question.final:
            return []
        if words != question.words:
            self._attempts = 0
        question.text, question.words = text, words
        question.final = question.final or final
        return actions + self._poll(now_ms)

    def _needs_asking(self) -> bool:
        question = self._question
        if question is None or self._blocked:
            return False
        if not (question.final or self.options.speculate):
            return False
        return (question.utterance, question.words) != self._asked

    def _broke_off(self, generation: int) -> None:
        """An answer that broke off is none."""
        if self._adopted == generation:
            self._answered = None

    def _ask_anew(self, now_ms: float) -> list[Action]:
        """Put the question at once if it has no answer; one that may not be asked yet waits for its final."""
        question = self._question
        if question is None or (question.utterance, question.words) == self._answered:
            return []
        self._asked = None
        if not (question.final or self.options.speculate):
            return []
        return self._ask(now_ms, AskReason.MODEL_CHANGED)

    def _may_ask_at_ms(self) -> float:
        """The earliest time for the question that needs asking."""
        question = self._question
        assert question is not None
        at_ms = self._retry_at_ms or 0.0
        if not (question.final or question.silent) and self._last_ask_ms is not None:
            at_ms = max(at_ms, self._last_ask_ms + self.spacing_ms)
        return at_ms

    def _poll(self, now_ms: float) -> list[Action]:
        if not self._needs_asking() or now_ms < self._may_ask_at_ms():
            return []
        question = self._question
        assert question is not None
        if self._retry_at_ms is not None and self._attempts > 0:
            reason = AskReason.RETRY
        elif question.final:
            reason = AskReason.FINAL
        elif question.silent:
            reason = AskReason.SPEECH_ENDED
        elif self._last_ask_ms is not None and now_ms - self._last_ask_ms <= self.spacing_ms * 1.05:
            reason = AskReason.TRAILING
        else:
            reason = AskReason.WORDS_CHANGED
        return self._ask(now_ms, reason)

    def _ask(self, now_ms: float, because: AskReason) -> list[Action]:
        question = self._question
        assert question is not None
        actions: list[Action] = []
        if len(self._in_flight) >= self.options.max_in_flight:
            waiting = [g for g, request in self._in_flight.items() if request.last_token_ms is None]
            urgent = question.final or question.silent or because is AskReason.MODEL_CHANGED
            if not (urgent and waiting):
                return []
            youngest = max(waiting)
            del self._in_flight[youngest]
            actions.append(Drop(youngest))
        self._generation += 1
        self.calls += 1
        self._in_flight[self._generation] = _Request(self._generation, question.utterance, question.words, now_ms)
        self._asked = (question.utterance, question.words)
        self._last_ask_ms = now_ms
        self._retry_at_ms = None
        unfinished = not question.final
        return [*actions, Ask(self._generation, question.utterance, question.text, because, unfinished)]

    def _retry_later(self, now_ms: float, request: _Request, retry_after_ms: float | None) -> list[Action]:
        """After a transient failure: ask again if the words still stand and no newer request is under way."""
        stands = self._asked == (request.utterance, request.words) and request.generation == self._generation
        if not stands:
            return self._poll(now_ms)
        self._attempts += 1
        if self._attempts >= self.options.max_attempts:
            return [GiveUp(request.generation, permanent=False)]
        backoff_ms = min(self.options.backoff_max_ms, self.options.backoff_base_ms * 2 ** (self._attempts - 1))
        wait_ms = max(backoff_ms * self.rng.uniform(0.75, 1.25), retry_after_ms or 0.0)
        self._asked = None
        self._retry_at_ms = now_ms + wait_ms
        return [WillRetry(request.generation, wait_ms)]

    def _drop_all(self, *, before_utterance: int | None = None) -> list[Action]:
        """Close every stream, or those of earlier utterances."""
        gone = [
            g
            for g, request in self._in_flight.items()
            if before_utterance is None or request.utterance < before_utterance
        ]
        for generation in gone:
            del self._in_flight[generation]
        return [Drop(generation) for generation in gone]

    def _deadline_ms(self, request: _Request) -> float:
        options = self.options
        whole = request.asked_ms + options.answer_deadline_ms
        if request.last_token_ms is None:
            return min(whole, request.asked_ms + options.first_token_deadline_ms)
        return min(whole, request.last_token_ms + options.gap_deadline_ms)

    def _missed_deadline(self, now_ms: float, request: _Request) -> str | None:
        options = self.options
        if now_ms < self._deadline_ms(request):
            return None
        if request.last_token_ms is None:
            return f"The language model sent no word within {options.first_token_deadline_ms / 1e3:g} s."
        if now_ms >= request.asked_ms + options.answer_deadline_ms:
            return f"The language model's answer took longer than {options.answer_deadline_ms / 1e3:g} s."
        return f"The language model paused for more than {options.gap_deadline_ms / 1e3:g} s in its answer."
