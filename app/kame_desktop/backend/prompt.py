"""Conversation -> messages for a language model. Pure: no clock, no thread, no I/O.

Ordinary models get one system message (how to speak, and what has been said aloud of this very answer), the
conversation as role messages and the question. The starter model gets four example turns and the bare question:
remarks confuse a model of 135M parameters.

How the example turns were chosen: 45 simple questions (capitals, counting, sums, authors, why) were put at
temperature 0 to many sets of four turns. The set below answers 35 of 45 (16 of the 20 that were held out of the
choice), among them the five sample questions with and without capitals and question marks; no turns: 28. Order matters
as much as choice; measure again before changing a letter. Earlier exchanges make it worse (the five sample questions
one after the other: 12 of 15), so the starter is given the last two only with a question that refers back ("And of
Spain?", "When was he born?").

What was said by anyone is untrusted text: control characters, line breaks and chat-template marks are taken out, and
the name of a role loses the colon that would make it a label, so that a transcript can't open a role of its own.

The user's own system prompt is a setting and trusted, but bounded: a long one is cut, so that it never takes the
conversation's room (``system_prompt_note`` says so).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from kame_desktop.backend.llm.base import LlmModel, Message

STARTER_SLOT_TOKENS = 2048
"""Context of one request to the starter model, prompt and answer together."""

STARTER_ANSWER_TOKENS = 96
"""Kept free of it for the answer."""

_STARTER_EXCHANGES = 2
_MESSAGE_OVERHEAD_TOKENS = 4
_BYTES_PER_TOKEN = 3.5
_MIN_QUESTION_TOKENS = 64

DEFAULT_TOKEN_BUDGET = 1_500
"""Bound of a prompt: what a question may cost, and well within every model's context."""

DEFAULT_SYSTEM_PROMPT = (
    "You are the voice of a spoken conversation. Your words are read aloud while you write them. "
    "Answer in about 30 words of plain, friendly speech, the answer itself first. "
    "Use no markdown, lists, headings, links, emoji or formulas. "
    "The user's words come from speech recognition and may be misheard or cut off in the middle of a sentence: "
    "answer the most likely question, and never mention that it was unfinished or misheard."
)

_UNFINISHED = "The user is still speaking; the last message may stop in the middle of a sentence."

_SPOKEN = (
    'Of your answer to the last message these words have already been said aloud: "{spoken}". '
    "They can't be taken back. Write only what comes after them: go on from there without repeating them; "
    "if they were wrong, correct them in passing."
)

_STARTER_TURNS = (
    ("Why do we see lightning before thunder?", "Because light travels faster than sound."),
    ("What is six times seven?", "Six times seven is 42."),
    ("How many months are there in a year?", "There are twelve months in a year."),
    ("How many days are there in June?", "There are 30 days in June."),
)

_UNHEARD = "…"
_QUOTES = re.compile('["“”„‟«»]')

# Wide and small forms of the characters that marks are made of; DeepSeek writes its marks with a wide bar.
_LOOKALIKES = str.maketrans("＜﹤＞﹥｜￨│［］＃：﹕", "<<>>|||[]#::")
_TEMPLATE_MARK = re.compile(
    r"<\|[^<>|]{0,64}\|>"  # ChatML, Llama 3, Qwen, Phi, Command, DeepSeek and others
    r"|</?(?:s|bos|eos|pad|unk|cls|sep|mask|sop|eop)>"
    r"|<</?SYS>>"  # Llama 2, and Mistral's in the next line
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|ARGS|CALL_ID|IMG|PREFIX|MIDDLE|SUFFIX"
    r"|THINK|MODEL_SETTINGS|[gs]MASK)\]"
    r"|</?(?:start|end)_of_(?:turn|image|role|text)>"  # Gemma, Granite
    r"|</?(?:tool_call|tool_response|tools|think|thinking|function_calls|system|user|assistant|human)>",
    re.IGNORECASE,
)
_SUSPICIOUS = re.compile(r"[<>|\[\]#:＜﹤＞﹥｜￨│［］＃：﹕]")
_HALF_MARK = re.compile(r"<\||\|>|#{2,}")
_ROLE_LABEL = re.compile(
    r"(?<![^\W_])(system|user|assistant|human|model|developer|tool|bot|ai|instruction|response|input)(\s*:)+",
    re.IGNORECASE,
)
_QUESTION_WORD = re.compile(
    r"(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would)\b",
    re.IGNORECASE,
)
_REFERS_BACK = re.compile(
    r"^(?:and|but|so|then|what about|how about|really)\b"
    r"|\b(?:it|its|he|him|his|she|her|hers|they|them|their|that|this|those|these|i|my|me|mine|again|else)\b"
    r"|\bthere\W*$",
    re.IGNORECASE,
)
_SHORT_FOLLOW_UP_WORDS = 2


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn of each. ``assistant``: its words as far as they were really played; maybe empty."""

    user: str
    assistant: str


def clean(text: str) -> str:
    """One line of plain text: no control or format characters, no chat-template marks, single spaces."""
    if text.isprintable() and _SUSPICIOUS.search(text) is None:  # nearly all that is ever said
        return " ".join(text.split())
    text = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text)
    text = "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Cs", "Co", "Cn"))
    text = text.translate(_LOOKALIKES)
    while (shorter := _TEMPLATE_MARK.sub(" ", text)) != text:
        text = shorter
    # Halves of marks may still join with what a template puts around the text.
    text = _HALF_MARK.sub(" ", text)
    text = _ROLE_LABEL.sub(r"\1", text)
    return " ".join(text.split())


def estimate_tokens(messages: Sequence[Message]) -> int:
    """A cheap upper-side estimate of the prompt's tokens (real tokenizers differ between models)."""
    return sum(_text_tokens(message.content) + _MESSAGE_OVERHEAD_TOKENS for message in messages)


def system_prompt_note(own: str | None, token_budget: int = DEFAULT_TOKEN_BUDGET) -> str | None:
    """What the user should know of their own system prompt (it is too long); None: it is used as it is."""
    text = _own_system_prompt(own)
    kept = _head(text, token_budget // 2)
    if kept == text:
        return None
    return (
        f"Your system prompt is too long: language models are told its first {len(kept.split()):,} words. "
        "Shorten it in the settings."
    )


def starter_warm_up() -> list[Message]:
    """The head of every prompt to the starter model, with a question to make it complete."""
    return [*_starter_turns(), Message("user", "Hello.")]


def build_messages(
    model: LlmModel,
    history: Sequence[Exchange],
    question: str,
    *,
    unfinished: bool,
    spoken: str,
    system_prompt: str | None,
    token_budget: int,
) -> list[Message]:
    """Everything the model is told for one question.

    Args:
        model: Decides between the two shapes.
        history: Earlier exchanges, oldest first; the oldest go first when the budget is short.
        question: The user's words of this turn so far.
        unfinished: The user may still be speaking.
        spoken: What of the answer to this question has already been played; "" when nothing has.
        system_prompt: The user's own instead of ``DEFAULT_SYSTEM_PROMPT`` (None or blank: the default), cut to half
            of the budget; not for the starter.
        token_budget: Bound of ``estimate_tokens`` of the result, as far as head and question alone allow; a question
            that is too long loses its beginning.
    """
    if model.starter:
        token_budget = min(token_budget, STARTER_SLOT_TOKENS - STARTER_ANSWER_TOKENS)
        head = _starter_turns()
        last = _starter_question(question, unfinished)
        turns = [exchange for exchange in history if clean(exchange.assistant)] if _refers_back(last) else []
        turns = turns[-_STARTER_EXCHANGES:]
    else:
        head = [_system_message(unfinished, spoken, system_prompt, token_budget)]
        turns = list(history)
        last = clean(question)
    room = token_budget - estimate_tokens(head)
    asked = Message("user", _tail(last, max(room - _MESSAGE_OVERHEAD_TOKENS, _MIN_QUESTION_TOKENS)))
    room -= estimate_tokens([asked])
    kept: list[list[Message]] = []
    for exchange in reversed(turns):
        pair = _exchange_messages(exchange)
        room -= estimate_tokens(pair)
        if room < 0:
            break
        kept.append(pair)
    return [*head, *(message for pair in reversed(kept) for message in pair), asked]


def _system_message(unfinished: bool, spoken: str, own: str | None, token_budget: int) -> Message:
    """How to speak. The user's own prompt keeps its line breaks: it is a setting, not a transcript."""
    parts = [_head(_own_system_prompt(own), token_budget // 2) or DEFAULT_SYSTEM_PROMPT]
    if unfinished:
        parts.append(_UNFINISHED)
    if said := _tail(_QUOTES.sub("'", clean(spoken)), token_budget // 4):
        parts.append(_SPOKEN.format(spoken=said))
    return Message("system", "\n\n".join(parts))


def _own_system_prompt(own: str | None) -> str:
    """The user's own prompt without what can't be sent (halves of characters, control characters); maybe empty."""
    kept = (c for c in own or "" if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))
    return "".join(kept).strip()


def _starter_turns() -> list[Message]:
    return [
        message
        for question, answer in _STARTER_TURNS
        for message in (Message("user", question), Message("assistant", answer))
    ]


def _starter_question(question: str, unfinished: bool) -> str:
    """The bare question; a whole one gets the capital and the question mark that speech recognition may have left out.

    An unfinished one is asked as it is: whatever it is completed to comes with the next request.
    """
    text = clean(question)
    if unfinished or not text:
        return text
    text = text[0].upper() + text[1:]
    if text[-1].isalnum() and _QUESTION_WORD.match(text):
        text += "?"
    return text


def _refers_back(question: str) -> bool:
    """Whether a question can't be understood without the one before."""
    return len(question.split()) <= _SHORT_FOLLOW_UP_WORDS or _REFERS_BACK.search(question) is not None


def _exchange_messages(exchange: Exchange) -> list[Message]:
    """A pair of role messages; roles must alternate for some services, so an answer nobody heard is a mark."""
    user = clean(exchange.user)
    if not user:
        return []
    return [Message("user", user), Message("assistant", clean(exchange.assistant) or _UNHEARD)]


def _text_tokens(text: str) -> int:
    """Tokens of a text: by bytes, but never fewer than its words."""
    return max(math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN), len(text.split()))


def _head(text: str, tokens: int) -> str:
    """The first words of ``text`` that fit, with the white space between them."""
    if _text_tokens(text) <= tokens:
        return text
    size = 0
    for piece in re.finditer(r"\s*\S+", text):
        size += _text_tokens(piece.group())
        if size > tokens:
            return text[: piece.start()] or text[: int(tokens * _BYTES_PER_TOKEN / 4)]
    return text


def _tail(text: str, tokens: int) -> str:
    """The last words of ``text`` that fit: the newest words are the question."""
    if _text_tokens(text) <= tokens:
        return text
    words = text.split()
    kept: list[str] = []
    size = 0
    for word in reversed(words):
        size += _text_tokens(word + " ")
        if size > tokens:
            break
        kept.append(word)
    return " ".join(reversed(kept)) or text[-int(tokens * _BYTES_PER_TOKEN / 4) :]
