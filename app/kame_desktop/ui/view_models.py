"""What the window shows, as plain values: no Qt, so that every rule of it is tested without a window.

``ConversationModel`` is fed the events of one session and keeps three columns by turn: a turn is one utterance
of the user, the oracle's answers to it and what was spoken. It keeps no time of its own: the newest ``at_ms`` is
now, and ``FrameTiming`` moves it on several times a second.
"""

from __future__ import annotations

from collections.abc import Iterable

from kame_desktop.core import events as ev
from kame_desktop.core.events import SessionState, SpokenKind
from kame_desktop.ui.errors_model import ErrorList
from kame_desktop.ui.rows import (
    SILENCE_DBFS,
    CardStatus,
    Changes,
    Health,
    OracleCard,
    Phase,
    Spoken,
    Turn,
    UserLine,
)

MAX_TURNS = 5_000
MAX_CARDS_PER_TURN = 60
MAX_WORDS_PER_ANSWER = 3_000
ORACLE_LATE_MS = 1_500.0
FRAME_LATE_SHOWN_MS = 4_000.0
RECENT_TURNS = 4


class ConversationModel:
    """The state of the window, made from events. Owner: one thread (the GUI's).

    Attributes:
        turns: Utterance number -> turn, in the order of appearance; at most ``MAX_TURNS``.
        dropped_turns: How many old turns are not kept any more.
        errors: Trouble to show, one entry a component.
        usage: The newest account of calls and tokens.
        model_label: The language model in use.
        recording: What happens is being recorded.
    """

    def __init__(self) -> None:
        self.errors = ErrorList()
        self.reset()

    def reset(self) -> None:
        """Begin a new conversation: nothing of the last one is left."""
        self.turns: dict[int, Turn] = {}
        self.dropped_turns = 0
        self.session_state = SessionState.IDLE
        self.detail = ""
        self.progress: float | None = None
        self.health = Health()
        self.usage: ev.UsageUpdated | None = None
        self.model_label = ""
        self.recording = False
        self.now_ms = 0.0
        self._labels: dict[str, str] = {}
        self._cards: dict[int, OracleCard] = {}
        self._user_speaking = False
        self._agent_speaking = False
        self._awaiting: int | None = None
        self._offline = False
        self._speech_ended_ms = 0.0
        self._last_speech_ms: dict[int, float] = {}
        self._frame_late_until_ms = -1.0
        self._changes = Changes()
        self.errors.clear()

    @property
    def visible_turns(self) -> list[Turn]:
        """Turns that have something to show."""
        return [turn for turn in self.turns.values() if not turn.empty]

    @property
    def frames_late(self) -> bool:
        """The frame thread fell behind a moment ago."""
        return self.now_ms < self._frame_late_until_ms

    @property
    def phase(self) -> Phase:
        """What the state line says now."""
        if self.session_state is not SessionState.RUNNING:
            return Phase(self.session_state.value)
        if self._user_speaking and not self._agent_speaking:
            return Phase.LISTENING
        if self._offline and not self._agent_speaking:
            return Phase.OFFLINE
        if self._oracle_is_late():
            return Phase.ORACLE_LATE
        if self._agent_speaking:
            return Phase.SPEAKING
        return Phase.THINKING if self._awaiting is not None else Phase.READY

    def as_text(self, you: str = "You", assistant: str = "Assistant") -> str:
        """The conversation as plain text, for the clipboard; ``you``, ``assistant``: what the speakers are called."""
        lines: list[str] = []
        for turn in self.visible_turns:
            if turn.user.text:
                lines.append(f"{you}: {turn.user.text}")
            if turn.answer.words:
                lines.append(f"{assistant}: " + " ".join(word.text for word in turn.answer.words))
        return "\n".join(lines)

    def apply(self, batch: Iterable[ev.Event]) -> Changes:
        """Take in a batch of events and say which turns changed."""
        self._changes = Changes()
        for event in batch:
            self.now_ms = max(self.now_ms, event.at_ms)
            handler = _HANDLERS.get(type(event))
            if handler is not None:
                handler(self, event)
        self._trim()
        return self._changes

    # -- the session ----

    def _on_state(self, event: ev.SessionStateChanged) -> None:
        if self.session_state is SessionState.FAILED and event.state in (
            SessionState.STOPPING,
            SessionState.IDLE,
        ):
            return  # a failure stays in sight until the next start
        self.session_state, self.detail, self.progress = event.state, event.detail, event.progress
        if event.state in (SessionState.IDLE, SessionState.FAILED):
            self._end_of_session()
        if event.state is SessionState.FAILED and not self.errors.shown:
            self.errors.add("session", event.category or "internal", event.detail or "The session failed.", "")

    def _end_of_session(self) -> None:
        self._user_speaking = self._agent_speaking = False
        self._awaiting = None
        self.progress = None
        self.health.input_dbfs = self.health.output_dbfs = SILENCE_DBFS
        self.health.input_peak_dbfs = self.health.output_peak_dbfs = SILENCE_DBFS
        self.health.microphone_closed = None
        self.recording = False
        for turn in self.turns.values():
            if turn.answer.speaking:
                turn.answer.speaking = False
                self._changes.answer.add(turn.utterance)
            for card in turn.cards:
                if not card.over:
                    card.status = CardStatus.SUPERSEDED
                    self._changes.oracle.add(turn.utterance)

    def _on_error(self, event: ev.ComponentError) -> None:
        self.errors.add(event.component, event.category, event.what, event.remedy)

    def _on_notice(self, event: ev.Notice) -> None:
        self.errors.add(event.component, "notice", event.text, "")

    def _on_recording(self, event: ev.RecordingChanged) -> None:
        self.recording = event.recording
        if event.what:
            self.errors.add("recording", "resource", event.what, event.remedy)
        elif event.recording:
            self.errors.clear("recording")

    def _on_context(self, event: ev.ContextUsed) -> None:
        health = self.health
        health.memory_used_ms, health.memory_limit_ms = event.used_ms, event.limit_ms
        health.memory_running_out = event.running_out

    def _on_fresh_start(self, event: ev.FreshStart) -> None:
        self.health.memory_used_ms, self.health.memory_running_out = 0.0, False

    def _on_model(self, event: ev.ModelChanged) -> None:
        self.model_label = self._labels[event.model] = event.label or event.model
        self._offline = False
        self.errors.clear("llm")

    def _on_usage(self, event: ev.UsageUpdated) -> None:
        self.usage = event

    def _on_devices(self, event: ev.DeviceChanged) -> None:
        self.health.input_name, self.health.output_name = event.input_name, event.output_name
        for component in ("microphone", "loudspeaker"):
            self.errors.clear(component)
        if event.because:
            self.errors.add("sound", "notice", event.because, "")

    def _on_device_lost(self, event: ev.DeviceLost) -> None:
        self.errors.add(event.component, "missing", event.what, event.remedy)

    def _on_microphone(self, event: ev.MicrophoneState) -> None:
        self.health.microphone_closed = event.closed

    def _on_timing(self, event: ev.FrameTiming) -> None:
        health = self.health
        health.input_dbfs, health.output_dbfs = event.input_dbfs, event.output_dbfs
        health.input_peak_dbfs, health.output_peak_dbfs = event.input_peak_dbfs, event.output_peak_dbfs
        health.frame_p95_ms, health.late_frames = event.step_p95_ms, event.late_frames
        health.dropped_stt_frames = event.stt_dropped_frames
        health.audio_glitches = event.audio_underruns + event.audio_overruns

    def _on_frame_late(self, event: ev.FrameLate) -> None:
        self.health.behind_ms = event.behind_ms
        self._frame_late_until_ms = event.at_ms + FRAME_LATE_SHOWN_MS

    # -- the user ----

    def _on_user_started(self, event: ev.UserSpeechStarted) -> None:
        self._user_speaking = True
        self._awaiting = None

    def _on_user_ended(self, event: ev.UserSpeechEnded) -> None:
        self._user_speaking = False
        self._last_speech_ms = {event.utterance: event.last_speech_ms}
        self._speech_ended_ms = event.at_ms
        self._awaiting = event.utterance

    def _on_partial(self, event: ev.SttPartial) -> None:
        user = self._turn(event.utterance).user
        self.health.hearing_lag_ms = event.lag_ms
        self.errors.clear_transient("speech-to-text")
        if not user.final:
            user.text, user.stable_words = event.text, event.stable_words
            self._changes.user.add(event.utterance)

    def _on_final(self, event: ev.SttFinal) -> None:
        turn = self._turn(event.utterance)
        turn.user = UserLine(event.text, len(event.text.split()), final=True)
        self._changes.user.add(event.utterance)
        if turn.empty:
            del self.turns[event.utterance]
            self._changes.removed.add(event.utterance)
            if self._awaiting == event.utterance:
                self._awaiting = None

    # -- the oracle ----

    def _on_requested(self, event: ev.OracleRequested) -> None:
        card = self._card(event.generation, event.utterance)
        card.model = self._labels.get(event.model, event.model)
        card.heard_words, card.asked_at_ms = event.heard_words, event.at_ms
        card.chosen_because = event.chosen_because
        card.based_on = " ".join(self._turn(event.utterance).user.text.split()[: event.heard_words])
        self._changes.oracle.add(event.utterance)

    def _on_revision(self, event: ev.OracleRevision) -> None:
        card = self._card(event.generation, event.utterance)
        card.model = card.model or self._labels.get(event.model, event.model)
        card.text = event.text_so_far
        card.first_token_ms = event.first_token_ms
        self._changes.oracle.add(card.utterance)
        if card.status is not CardStatus.SUPERSEDED:
            card.status = CardStatus.COMPLETE if event.complete else CardStatus.STREAMING
            self._offline = False
            if event.text_so_far:
                self._supersede_older(card)
        self.errors.clear_transient("llm")

    def _supersede_older(self, newest: OracleCard) -> None:
        recent = list(self.turns.values())[-RECENT_TURNS:]
        mine = self._turn(newest.utterance)
        for turn in recent if any(turn is mine for turn in recent) else [mine, *recent]:
            for card in turn.cards:
                stale = not card.over or (card.utterance == newest.utterance and card.status is CardStatus.COMPLETE)
                if card.generation < newest.generation and stale and card.series == newest.series:
                    card.status = CardStatus.SUPERSEDED
                    self._changes.oracle.add(turn.utterance)

    def _on_applied(self, event: ev.OracleApplied) -> None:
        card = self._cards.get(event.generation)
        if card is not None:
            card.tokens_fed, card.tokens_missed = event.tokens_fed, event.tokens_missed
            self._changes.oracle.add(card.utterance)

    def _on_oracle_failed(self, event: ev.OracleFailed) -> None:
        card = self._cards.get(event.generation)
        if card is not None:
            self._changes.oracle.add(card.utterance)
            if event.superseded:
                card.status = CardStatus.SUPERSEDED
                return
            card.status, card.will_retry = CardStatus.FAILED, event.will_retry
            card.failure = f"{event.what} {event.remedy}".strip()
        if not event.superseded and not event.will_retry:
            self._offline = event.category != "bad_input"
            self.errors.add("llm", event.category, event.what, event.remedy, counts=False)
            if card is not None and self._awaiting == card.utterance:
                self._awaiting = None

    def _oracle_is_late(self) -> bool:
        """The user waits for an answer, and the language model has said nothing for longer than it should."""
        utterance = self._awaiting
        if utterance is None or utterance not in self.turns:
            return False
        cards = self.turns[utterance].cards
        asked = [card for card in cards if card.status is CardStatus.ASKED]
        if not asked or any(card.status in (CardStatus.STREAMING, CardStatus.COMPLETE) for card in cards):
            return False
        since_ms = max(self._speech_ended_ms, asked[0].asked_at_ms)
        return self.now_ms - since_ms > ORACLE_LATE_MS

    # -- the assistant ----

    def _on_agent_text(self, event: ev.AgentText) -> None:
        answer = self._turn(event.utterance).answer
        card = self._cards.get(event.generation) if event.generation is not None else None
        known, new = answer.last_generation, event.generation
        correction = known is not None and new is not None and new != known
        if new is not None:
            answer.last_generation = new
        number = card.number if card is not None else new
        answer.words.append(Spoken(event.text.strip(), new, number, event.kind, correction))
        del answer.words[:-MAX_WORDS_PER_ANSWER]
        self._changes.answer.add(event.utterance)
        if event.kind is not SpokenKind.OPENER and self._awaiting == event.utterance:
            self._awaiting = None

    def _on_agent_started(self, event: ev.AgentSpeechStarted) -> None:
        self._agent_speaking = True
        self._turn(event.utterance).answer.speaking = True
        last_speech_ms = self._last_speech_ms.get(event.utterance)
        if last_speech_ms is not None:
            self.health.response_ms = max(0.0, event.at_ms - last_speech_ms)
        self._changes.answer.add(event.utterance)

    def _on_agent_ended(self, event: ev.AgentSpeechEnded) -> None:
        self._agent_speaking = False
        if self._awaiting == event.utterance:
            self._awaiting = None
        answer = self._turn(event.utterance).answer
        answer.speaking = False
        answer.interrupted = answer.interrupted or event.interrupted
        self._changes.answer.add(event.utterance)

    def _on_interrupted(self, event: ev.Interrupted) -> None:
        speaking = [turn for turn in self.turns.values() if turn.answer.speaking]
        if not speaking and event.utterance in self.turns and self.turns[event.utterance].answer.words:
            speaking = [self.turns[event.utterance]]
        for turn in speaking:
            turn.answer.interrupted = True
            self._changes.answer.add(turn.utterance)

    # -- rows ----

    def _turn(self, utterance: int) -> Turn:
        return self.turns.setdefault(utterance, Turn(utterance))

    def _card(self, generation: int, utterance: int) -> OracleCard:
        card = self._cards.get(generation)
        if card is None:
            turn = self._turn(utterance)
            card = OracleCard(generation, utterance, number=0)
            before = [other for other in turn.cards if other.series == card.series]
            card.number = len(before) + 1 + (turn.dropped_cards if card.series == 0 else 0)
            self._cards[generation] = card
            # The session's own answers first, then those of each model that was asked again.
            turn.cards.insert(sum(other.series <= card.series for other in turn.cards), card)
            if len(turn.cards) > MAX_CARDS_PER_TURN:
                del self._cards[turn.cards.pop(0).generation]
                turn.dropped_cards += 1
        return card

    def _trim(self) -> None:
        while len(self.turns) > MAX_TURNS:
            utterance = next(iter(self.turns))
            for card in self.turns.pop(utterance).cards:
                del self._cards[card.generation]
            self.dropped_turns += 1
            self._changes.removed.add(utterance)


_HANDLERS = {
    ev.SessionStateChanged: ConversationModel._on_state,
    ev.ComponentError: ConversationModel._on_error,
    ev.Notice: ConversationModel._on_notice,
    ev.ContextUsed: ConversationModel._on_context,
    ev.FreshStart: ConversationModel._on_fresh_start,
    ev.RecordingChanged: ConversationModel._on_recording,
    ev.ModelChanged: ConversationModel._on_model,
    ev.UsageUpdated: ConversationModel._on_usage,
    ev.DeviceChanged: ConversationModel._on_devices,
    ev.DeviceLost: ConversationModel._on_device_lost,
    ev.MicrophoneState: ConversationModel._on_microphone,
    ev.FrameTiming: ConversationModel._on_timing,
    ev.FrameLate: ConversationModel._on_frame_late,
    ev.UserSpeechStarted: ConversationModel._on_user_started,
    ev.UserSpeechEnded: ConversationModel._on_user_ended,
    ev.SttPartial: ConversationModel._on_partial,
    ev.SttFinal: ConversationModel._on_final,
    ev.OracleRequested: ConversationModel._on_requested,
    ev.OracleRevision: ConversationModel._on_revision,
    ev.OracleApplied: ConversationModel._on_applied,
    ev.OracleFailed: ConversationModel._on_oracle_failed,
    ev.AgentText: ConversationModel._on_agent_text,
    ev.AgentSpeechStarted: ConversationModel._on_agent_started,
    ev.AgentSpeechEnded: ConversationModel._on_agent_ended,
    ev.Interrupted: ConversationModel._on_interrupted,
}
