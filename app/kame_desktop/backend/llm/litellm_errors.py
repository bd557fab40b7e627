"""What went wrong at a language model's service, in our words.

Works on what litellm's and openai's exceptions have in common (``status_code``, response headers, class names), so
that it needs neither library. Their texts are read for nothing but a few fixed codes and never passed on.
"""

from __future__ import annotations

import email.utils
import time
from collections.abc import Iterator, Sequence
from typing import Any

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import ErrorCategory, LlmError

_LONGEST_WAIT_S = 600.0


def no_such_model(model: LlmModel, category: ErrorCategory) -> LlmError:
    """Neither litellm nor the service knows the name."""
    where = " at that address" if model.api_base else ""
    return LlmError(
        f"There is no such model as '{model.name}'{where}.",
        "Check the spelling, or choose another language model (names: https://docs.litellm.ai/docs/providers).",
        category=category,
    )


def missing_key_error(model: LlmModel, variables: Sequence[str]) -> LlmError:
    """No key is set. ``variables``: what litellm looks for."""
    alternatives = all(name.endswith("_API_KEY") for name in variables)
    names = (" or " if alternatives else " and ").join(variables)
    return LlmError(
        f"The model '{model.name}' needs a key.",
        f"Set {names} in the environment and start again, or choose another language model.",
        category=ErrorCategory.PERMANENT,
    )


def as_llm_error(error: BaseException, model: LlmModel) -> LlmError:
    """The library's exception as ours, without its text and without a link to it."""
    if isinstance(error, LlmError):
        return error
    names = {kind.__name__ for link in _chain(error) for kind in type(link).__mro__}
    status = next((code for link in _chain(error) if (code := _status(link)) is not None), None)
    wait_s = _retry_after_s(error)
    who = "The starter model" if model.starter else f"The service of '{model.name}'"
    if "ImportError" in names:
        return LlmError(
            f"The model '{model.name}' needs a package that isn't installed.",
            "Choose another language model.",
            category=ErrorCategory.MISSING,
        )
    if names & {"ConnectError", "APIConnectionError"} and not names & {"ReadError", "Timeout", "APITimeoutError"}:
        return _unreachable(model, who)
    if names & {"Timeout", "APITimeoutError", "TimeoutException"} or status == 408:
        return LlmError(f"{who} did not answer in time.", "Check the connection, or choose another model.")
    if "ContextWindowExceededError" in names or _says(error, "context_length_exceeded"):
        return LlmError(
            "The conversation is too long for this language model.",
            "Start a new conversation, or choose a model with more room.",
            category=ErrorCategory.BAD_INPUT,
        )
    if "ContentPolicyViolationError" in names:
        return LlmError(
            f"{who} refused to answer this question.",
            "Ask something else, or choose another model.",
            category=ErrorCategory.BAD_INPUT,
        )
    if "NotFoundError" in names or status == 404:
        return no_such_model(model, ErrorCategory.PERMANENT)
    if status in (401, 403):
        return LlmError(
            f"{who} refused the key.",
            "Check the key in the environment (and that it may use this model), or choose another model.",
            category=ErrorCategory.PERMANENT,
        )
    if status == 402 or (status == 429 and _says(error, "insufficient_quota")):
        return LlmError(
            f"{who} says that the account has no credit left.",
            "Add credit to the account, or choose another model.",
            category=ErrorCategory.PERMANENT,
        )
    if status == 429:
        return LlmError(
            f"{who} asks to slow down (too many requests).",
            "It is asked again by itself after a while.",
            retry_after_s=wait_s,
        )
    if status is not None and 400 <= status < 500:
        return LlmError(
            f"{who} can't use this request (status {status}).",
            "Choose another language model.",
            category=ErrorCategory.PERMANENT,
        )
    return LlmError(
        f"{who} is in trouble" + (f" (status {status})." if status and status >= 500 else "."),
        "It is asked again by itself; if it goes on, choose another model.",
        retry_after_s=wait_s,
    )


def _unreachable(model: LlmModel, who: str) -> LlmError:
    if model.starter:
        remedy = "It is started again by itself."
    elif model.api_base:
        remedy = "Check that the service at the given address is running."
    else:
        remedy = "Check the network connection, or choose the starter model."
    return LlmError(f"{who} can't be reached.", remedy)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it, newest first; bounded."""
    link: BaseException | None = error
    for _ in range(10):
        if link is None:
            return
        yield link
        link = link.__cause__ or link.__context__ or getattr(link, "original_exception", None)


def _status(error: BaseException) -> int | None:
    """The HTTP status, as a number or in digits (an error inside a stream has what the service wrote)."""
    code: Any = getattr(error, "status_code", None)
    try:
        return int(code) if code is not None else None
    except (TypeError, ValueError):
        return None


def _says(error: BaseException, code: str) -> bool:
    """Whether the service named this fixed code."""
    return any(
        code in str(part)
        for link in _chain(error)
        for part in (link, getattr(link, "code", ""), getattr(link, "body", ""))
    )


def _retry_after_s(error: BaseException) -> float | None:
    """Seconds to wait, from the Retry-After header (seconds or a date, RFC 9110 10.2.3)."""
    for link in _chain(error):
        sources: tuple[Any, ...] = (
            getattr(getattr(link, "response", None), "headers", None),
            getattr(link, "litellm_response_headers", None),
        )
        for headers in sources:
            if headers is None:
                continue
            value = dict(headers).get("retry-after") or dict(headers).get("Retry-After")
            if value is not None and (seconds := _seconds(str(value))) is not None:
                return min(max(seconds, 0.0), _LONGEST_WAIT_S)
    return None


def _seconds(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        pass
    try:
        return email.utils.parsedate_to_datetime(value).timestamp() - time.time()
    except (TypeError, ValueError):
        return None
